use super::super::tests::{is_complete, lines};

#[test]
fn broken_code_keeps_what_stands_outside() {
    let source =
        b"use a::b;\nfn first() {}\nfn second( {\n    const LOCAL: u8 = 1;\n}\nfn third() {}\n";
    assert!(!is_complete("a.rs", source));
    let entries = lines("a.rs", source);
    assert!(entries.contains("function first 2-2\n"), "{entries}");
    assert!(!entries.contains("LOCAL"), "{entries}");
}

#[test]
fn attributes_belong_to_the_next_item_alone() {
    let source = b"#[a]\nsquare!();\nfn f() {}\n#![inner]\n#[b]\n\n// c\nfn g() {}\n";
    assert_eq!(lines("a.rs", source), "function f 3-3\nfunction g 5-8\n");
}

#[test]
fn receivers_are_types_without_blanks() {
    let source = b"impl<T> Trait<T> for Vec<Box<dyn Fn(&'static str) -> T + 'static>>\nwhere T: Copy {\nfn m() {}\n}\nimpl [u8; 4] { fn n() {} }\nimpl ! Send for A<'_> {}\n";
    assert_eq!(
        lines("a.rs", source),
        "method Vec<Box<dyn Fn(&'static str)->T+'static>>.m 3-3\nmethod [u8;4].n 5-5\n"
    );
}
