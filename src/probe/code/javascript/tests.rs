use super::super::tests::{is_complete, lines};

/// The one entry of a file of one line.
fn one(name: &str, source: &str) -> String {
    lines(name, source.as_bytes()).replace(" 1-1\n", ";")
}

#[test]
fn default_exports() {
    for (source, entries) in [
        ("export default function () {}", "function default;"),
        ("export default function named() {}", "function named;"),
        ("export default async function* () {}", "function default;"),
        (
            "export default class { a() {} }",
            "class default;method default.a;",
        ),
        ("export default class A { a() {} }", "class A;method A.a;"),
        ("export default class extends B {}", "class default;"),
        ("export default () => 1", "constant default;"),
        ("export default { a() {} };", "constant default;"),
        ("export default call(function () {})", "constant default;"),
        ("export default (class { a() {} })", "constant default;"),
        ("export default name", ""),
        ("const a = 1; export { a as default }", "constant a;"),
    ] {
        for name in ["a.js", "a.ts", "a.tsx"] {
            assert_eq!(one(name, source), entries, "{name}: {source}");
            assert!(is_complete(name, source.as_bytes()), "{name}: {source}");
        }
    }
    assert_eq!(one("a.ts", "export default interface A {}"), "type A;");
    assert_eq!(
        one("a.ts", "export default abstract class A { b(): void }"),
        "class A;method A.b;"
    );
}

#[test]
fn statements_without_semicolons_end_before_comments() {
    let source = b"const a = 1\n/* b */\n// c\nlet b = [\n]\n// d\nexport default {\n}\n/* e */\n";
    for name in ["a.js", "a.ts", "a.tsx"] {
        assert_eq!(
            lines(name, source),
            "constant a 1-1\nvariable b 4-5\nconstant default 7-8\n",
            "{name}"
        );
    }
}

#[test]
fn several_declarators_have_spans_of_their_own() {
    let source = b"export const a = 1,\n  b = [\n  ],\n  {\n    c, d } = e\nvar\n  f = 1\n";
    assert_eq!(
        lines("a.js", source),
        "constant a 1-1\nconstant b 2-3\nconstant c 4-5\nconstant d 4-5\nvariable f 6-7\n"
    );
}

#[test]
fn javascript_and_typescript_agree() {
    let source = include_str!("../tests/fixture.js");
    // What follows is JSX, and `await using`, which the TypeScript grammar does not know.
    let source = source
        .replace("const element", "// ")
        .replace("await using", "const");
    assert_eq!(
        lines("a.ts", source.as_bytes()),
        lines("a.js", source.as_bytes())
    );
}

#[test]
fn labels_are_no_global_scope() {
    for source in [
        "global: { let a }",
        "globals: { let a }",
        "globalX: { let a }",
    ] {
        assert_eq!(one("a.ts", source), "", "{source}");
    }
}

#[test]
fn broken_code_keeps_what_stands_outside() {
    let source =
        b"const a = 1\nfunction f( {\n  const local = 1\n}\nfunction g() {}\nclass B {\n  m() {}\n";
    for name in ["a.js", "a.ts"] {
        assert!(!is_complete(name, source));
        let entries = lines(name, source);
        assert!(entries.contains("constant a 1-1\n"), "{entries}");
        assert!(!entries.contains("local"), "{entries}");
    }
}

#[test]
fn decorators_of_fields_do_not_reach_the_next_method() {
    let source = b"class A {\n  @a\n  b = 1\n  c() {}\n  @d // e\n  // f\n  g() {}\n}\n";
    for name in ["a.js", "a.ts"] {
        assert_eq!(
            lines(name, source),
            "class A 1-8\nmethod A.c 4-4\nmethod A.g 5-7\n",
            "{name}"
        );
    }
}

#[test]
fn a_property_called_in_ends_nothing() {
    let source =
        b"interface A {\n  name: string\n  in: \"query\" | \"header\"\n  last?: number\n}\n";
    assert!(is_complete("a.ts", source));
    assert_eq!(lines("a.ts", source), "type A 1-5\n");
}
