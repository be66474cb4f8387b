//! The table, and what holds for every language: bounds, line ends, hostile input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests may stop at a surprise"
)]

use super::*;
use crate::probe::entry::EntryKind;
use crate::probe::lines::LineTable;
use proptest::prelude::*;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::thread;
use std::time::Duration;
use tree_sitter::Parser;

mod hostile;

/// One fixture a grammar: a file name and source that declares at least an import, a
/// variable or constant, a function and a method.
const FIXTURES: &[(&str, &str)] = &[
    ("a.sh", include_str!("tests/fixture.sh")),
    ("a.c", include_str!("tests/fixture.c")),
    #[cfg(feature = "cpp")]
    ("a.cpp", include_str!("tests/fixture.cpp")),
    ("a.go", include_str!("tests/fixture.go")),
    ("a.java", include_str!("tests/fixture.java")),
    ("a.js", include_str!("tests/fixture.js")),
    ("a.py", include_str!("tests/fixture.py")),
    #[cfg(feature = "ruby")]
    ("a.rb", include_str!("tests/fixture.rb")),
    ("a.rs", include_str!("tests/fixture.rs")),
    ("a.ts", include_str!("tests/fixture.ts")),
    ("a.tsx", include_str!("tests/fixture.tsx")),
];

/// Far enough for a slow machine, near enough to end a hang.
fn soon() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

fn outline(name: &str, source: &[u8]) -> CodeOutline {
    let outline = parse(language_of(name.as_bytes()).unwrap(), source, soon());
    check(&outline, source);
    outline
}

pub(super) fn is_complete(name: &str, source: &[u8]) -> bool {
    outline(name, source).complete
}

/// What holds of every outline.
fn check(outline: &CodeOutline, source: &[u8]) {
    let mut last = 0;
    for entry in &outline.entries {
        assert!(last <= entry.start, "out of order: {entry:?}");
        assert!(entry.start < entry.end, "empty: {entry:?}");
        assert!(entry.end <= source.len(), "outside: {entry:?}");
        last = entry.start;
    }
    assert!(outline.stopped.is_none() || !outline.complete);
}

/// Entries as `kind name first-last`, `kind receiver.name first-last` for methods.
pub(super) fn lines(name: &str, source: &[u8]) -> String {
    let table = LineTable::new(source);
    let mut text = String::new();
    for entry in outline(name, source).entries {
        let (kind, receiver) = match &entry.kind {
            EntryKind::Import => ("import", ""),
            EntryKind::Constant => ("constant", ""),
            EntryKind::Variable => ("variable", ""),
            EntryKind::Type => ("type", ""),
            EntryKind::Class => ("class", ""),
            EntryKind::Function => ("function", ""),
            EntryKind::Method { receiver } => ("method", receiver.as_str()),
            other => panic!("no kind of code: {other:?}"),
        };
        let dot = if kind == "method" { "." } else { "" };
        let (first, last) = (table.line_at(entry.start), table.line_at(entry.end - 1));
        writeln!(text, "{kind} {receiver}{dot}{} {first}-{last}", entry.name).unwrap();
    }
    text
}

/// The entries that the comments of a fixture announce: a line `code  //= kind name to LAST`
/// has, after `//=` or `#=`, the entries that start on it, separated by `;`. `LAST` is a
/// count of further lines, left out where there are none.
pub(super) fn announced(source: &str) -> String {
    let mut text = String::new();
    for (number, line) in (1..).zip(source.lines()) {
        let Some((_, entries)) = line.split_once("//=").or_else(|| line.split_once("#=")) else {
            continue;
        };
        let entries = entries.trim_end_matches(" */ \\");
        for entry in entries.split(';') {
            let (entry, more) = entry.split_once(" +").unwrap_or((entry, "0"));
            let last = number + more.trim().parse::<usize>().unwrap();
            writeln!(text, "{} {number}-{last}", entry.trim()).unwrap();
        }
    }
    text
}

#[test]
fn fixtures_give_what_they_announce() {
    for (name, source) in FIXTURES {
        assert_eq!(lines(name, source.as_bytes()), announced(source), "{name}");
        assert!(outline(name, source.as_bytes()).complete, "{name}");
    }
}

#[test]
fn every_row_is_whole() {
    let mut seen = HashSet::new();
    for language in LANGUAGES {
        assert!(Parser::new().set_language(&(language.grammar)()).is_ok());
        for extension in language.extensions {
            assert!(seen.insert(extension), "twice: {extension}");
        }
        let of_row = |(name, _): &&(&str, &str)| {
            let found = language_of(name.as_bytes()).unwrap();
            std::ptr::eq(found, language)
        };
        let (name, source) = FIXTURES.iter().find(of_row).expect("a fixture a row");
        let entries = lines(name, source.as_bytes());
        for kind in ["import", "function", "method"] {
            // Languages without methods, and one whose functions are all methods.
            let expected = !matches!(
                (language.name, kind),
                ("c" | "bash", "method") | ("java", "function")
            );
            assert!(
                entries.contains(&format!("{kind} ")) == expected,
                "{kind} in {name}"
            );
        }
    }
    assert!(LANGUAGES.is_sorted_by_key(|language| language.name));
}

#[test]
fn languages_by_name() {
    let name = |file: &str| language_of(file.as_bytes()).map(|language| language.name);
    for (language, files) in [
        ("go", &["x.go", "a_test.go"][..]),
        ("bash", &["x.sh", "x.bash"]),
        ("c", &["x.c", "x.h"]),
        #[cfg(feature = "cpp")]
        ("c++", &["x.cc", "x.cpp", "x.cxx", "x.hpp", "x.hh"]),
        ("java", &["X.java"]),
        #[cfg(feature = "ruby")]
        ("ruby", &["x.rb"]),
        ("rust", &["x.rs"]),
        ("python", &["x.py", "x.pyi", "a.b.py"]),
        (
            "typescript",
            &[
                "x.ts", "x.tsx", "x.d.ts", "x.mts", "x.d.mts", "x.cts", "x.d.cts",
            ],
        ),
        ("javascript", &["x.js", "x.jsx", "x.mjs", "x.cjs"]),
    ] {
        for file in files {
            assert_eq!(name(file), Some(language), "{file}");
        }
    }
    for file in [
        "x.PY", "x.Ts", "x.py~", "py", ".py", "a/.py", "x.", "", "x.go.txt", "x. py",
    ] {
        assert_eq!(name(file), None, "{file}");
    }
    assert!(language_of(b"\xff.py").is_some());
}

/// The same entries on the same lines, however lines end, and with or without a BOM.
#[test]
fn line_ends_and_marks_shift_nothing() {
    for (name, source) in FIXTURES {
        let expected = announced(source);
        for ending in ["\n", "\r\n", "\r"] {
            let text = source.replace('\n', ending);
            assert_eq!(lines(name, text.as_bytes()), expected, "{name} {ending:?}");
            let marked = format!("\u{feff}{text}");
            assert_eq!(
                lines(name, marked.as_bytes()),
                expected,
                "{name} {ending:?}"
            );
            assert!(
                outline(name, marked.as_bytes()).complete,
                "{name} {ending:?}"
            );
        }
    }
}

/// Characters that other tools take for line ends stand in comments, strings and, the form
/// feed, between statements.
#[test]
fn other_separators_shift_nothing() {
    let python =
        "x = '\u{85}\u{2028}'  # \u{2029}\x0b\x0c\n\x0cdef f():\n    pass\n\x0c\n\ny = 1\n";
    assert_eq!(
        lines("a.py", python.as_bytes()),
        "variable x 1-1\nfunction f 2-3\nvariable y 6-6\n"
    );
    let typescript = "const x = '\u{85}\u{2028}' /* \u{2029}\x0b */\n\x0cfunction f() {\n}\n";
    assert_eq!(
        lines("a.ts", typescript.as_bytes()),
        "constant x 1-1\nfunction f 2-3\n"
    );
    let go = "package p\n\nvar x = \"\u{85}\u{2028}\" // \u{2029}\x0b\x0c\nfunc f() {\n}\n";
    assert_eq!(
        lines("a.go", go.as_bytes()),
        "variable x 3-3\nfunction f 4-5\n"
    );
}

/// In Go a lone CR is a blank and ends no comment, unless nothing else ends a line.
#[test]
fn a_lone_cr_in_go_is_a_blank() {
    let source = b"package p\n// a comment \r with a return\nfunc f() {}\n";
    assert!(outline("a.go", source).complete);
    assert_eq!(lines("a.go", source), "function f 4-4\n");
}

#[test]
fn the_sample_of_the_contract() {
    let source = b"package p\nfunc Visible() {\n\tsecret := \"body-secret\"\n}\n";
    let outline = outline("sample.go", source);
    assert!(outline.complete);
    let [entry] = &outline.entries[..] else {
        panic!("{outline:?}");
    };
    assert_eq!(entry.kind, EntryKind::Function);
    assert_eq!(
        &source[entry.start..entry.end],
        &source[10..source.len() - 1]
    );
}

#[test]
fn empty_files_are_complete() {
    for (name, _) in FIXTURES {
        for source in [&b""[..], b"\n", b"\xef\xbb\xbf", b"\r\r\n\n"] {
            let outline = outline(name, source);
            assert_eq!(
                (outline.entries, outline.complete),
                (Vec::new(), true),
                "{name}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gives_spans_within_it(text in any::<String>()) {
        for (name, _) in FIXTURES {
            outline(name, text.as_bytes());
        }
    }

    /// A fixture with a piece missing and another put in its place.
    #[test]
    fn damaged_code_gives_spans_within_it(
        index in 0..FIXTURES.len(),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
        piece in "[(){}\\[\\]<>\"'`;:,.=@#/*\\\\ \n\ra-c\u{e9}]{0,6}",
    ) {
        let (name, source) = FIXTURES[index];
        let mut bounds: Vec<usize> = source.char_indices().map(|(at, _)| at).collect();
        bounds.push(source.len());
        let (mut start, mut end) = (*cut.0.get(&bounds), *cut.1.get(&bounds));
        if start > end {
            (start, end) = (end, start);
        }
        let end = end.min(start + 80).min(source.len());
        let end = (end..=source.len()).find(|&at| source.is_char_boundary(at)).unwrap();
        let text = format!("{}{piece}{}", &source[..start], &source[end..]);
        outline(name, text.as_bytes());
    }
}
