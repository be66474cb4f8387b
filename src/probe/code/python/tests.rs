use super::super::tests::{is_complete, lines};

#[test]
fn continued_lines_end_where_they_end() {
    assert_eq!(
        lines("a.py", b"X = 1 \\\n    + 2\n\\\n\nY = (\n) \\\n\nZ = 1"),
        "variable X 1-2\nvariable Y 5-6\nvariable Z 8-8\n"
    );
}

#[test]
fn a_chain_as_long_as_the_file_is_flat() {
    let source = "x = ".repeat(5000) + "1";
    assert_eq!(lines("a.py", source.as_bytes()).lines().count(), 5000);
}

#[test]
fn comments_behind_the_last_statement_belong_to_nothing() {
    let source = b"class A:\n    def f(self):\n        if 1:\n            pass\n        # 5\n    # 6\n    # 7\n# 8\n";
    assert_eq!(lines("a.py", source), "class A 1-4\nmethod A.f 2-4\n");
}

#[test]
fn broken_code_keeps_what_starts_a_line() {
    let source = b"import a\ndef f(:\n    x = 1\n    def g(): pass\n\nclass B:\n    def m(self):\n        return (\n\nc = 1\n";
    assert!(!is_complete("a.py", source));
    let entries = lines("a.py", source);
    assert!(entries.starts_with("import a 1-1\n"), "{entries}");
    assert!(!entries.contains(" g "), "{entries}");
    assert!(!entries.contains("variable x"), "{entries}");
}

#[test]
fn a_missing_token_is_not_complete() {
    assert!(!is_complete("a.py", b"def f()\n    pass\n"));
    assert!(!is_complete("a.py", b"x = (1\n"));
    assert!(is_complete("a.py", b"x = (1)\n"));
}
