use super::super::tests::{is_complete, lines};

#[test]
fn a_declaration_alone_starts_at_its_keyword() {
    let source = b"package p\nvar\n\tA = 1\nvar (\n\tB = 1\n)\nimport\n\"x\"\n";
    assert_eq!(
        lines("a.go", source),
        "variable A 2-3\nvariable B 5-5\nimport x 7-8\n"
    );
}

#[test]
fn a_group_of_one_has_the_span_of_its_spec() {
    let source = b"package p\nimport (\n\t\"a\"\n)\nconst (\n\tB = 1\n)\ntype (\n\tC int\n)\n";
    assert_eq!(
        lines("a.go", source),
        "import a 3-3\nconstant B 6-6\ntype C 9-9\n"
    );
}

#[test]
fn files_of_carriage_returns_alone() {
    assert_eq!(
        lines("a.go", b"package p\r// c\rfunc A() {\r}\rvar b int\r"),
        "function A 3-4\nvariable b 5-5\n"
    );
}

#[test]
fn broken_code_keeps_what_stands_outside() {
    let source = b"package p\nfunc A() {}\nfunc B( {\n\tvar local int\n}\nfunc C() {}\n";
    assert!(!is_complete("a.go", source));
    let entries = lines("a.go", source);
    assert!(entries.contains("function A 2-2\n"), "{entries}");
    assert!(entries.contains("function C 6-6\n"), "{entries}");
    assert!(!entries.contains("local"), "{entries}");
}
