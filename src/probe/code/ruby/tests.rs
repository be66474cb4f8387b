use super::super::tests::{is_complete, lines};

#[test]
fn modules_are_namespaces_and_classes_are_not() {
    let source = b"module A\n  module B\n    class C\n      class D\n        def x; end\n      end\n      def y; end\n    end\n  end\nend\n";
    assert_eq!(
        lines("a.rb", source),
        "type A 1-10\ntype B 2-9\nclass C 3-8\nclass D 4-6\nmethod C.y 7-7\n"
    );
}

#[test]
fn deep_modules_end() {
    let source = format!("{}{}", "module A\n".repeat(3000), "end\n".repeat(3000));
    assert_eq!(lines("a.rb", source.as_bytes()).lines().count(), 3000);
}

#[test]
fn broken_code_keeps_what_starts_a_line() {
    let source = b"require 'a'\ndef f\n  1\nend\ndef g(\n";
    assert!(!is_complete("a.rb", source));
    let entries = lines("a.rb", source);
    assert!(
        entries.starts_with("import a 1-1\nfunction f 2-4\n"),
        "{entries}"
    );
}

#[test]
fn what_is_computed_is_no_import() {
    assert_eq!(
        lines(
            "a.rb",
            b"require\nrequire x\nother.require 'a'\nKernel.private\nprivate\n"
        ),
        ""
    );
}
