use super::super::tests::{is_complete, lines};

#[test]
fn a_class_that_is_not_said() {
    assert_eq!(
        lines("A.java", b"void main() {\n}\n"),
        "function main 1-2\n"
    );
}

#[test]
fn broken_code_keeps_what_stands_outside() {
    let source = b"import a.B;\nclass A { void m( { }\nclass C { void n() {} }\n";
    assert!(!is_complete("A.java", source));
    assert!(lines("A.java", source).contains("import a.B 1-1\n"));
}

#[test]
fn members_of_nested_types_are_not_listed() {
    let source =
        b"class A {\n  class B {\n    class C { void deep() {} }\n    void m() {}\n  }\n}\n";
    assert_eq!(lines("A.java", source), "class A 1-6\nclass B 2-5\n");
}
