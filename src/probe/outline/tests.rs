#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::entry::EntryKind;
use super::*;
use std::fmt::Write as _;
use std::time::Duration;

/// Debug builds on a busy machine are slow.
fn patient() -> Limits {
    Limits {
        time: Duration::from_secs(2),
        ..Limits::default()
    }
}

fn outline_with(name: &str, content: &[u8], limits: &Limits) -> Result<Outline, Failure> {
    outline(
        name.as_bytes(),
        content.len() as u64,
        &mut &*content,
        limits,
    )
    .unwrap()
}

fn document(name: &str, content: &[u8]) -> String {
    let outline = outline_with(name, content, &patient()).unwrap();
    String::from_utf8(outline.document(name).unwrap()).unwrap()
}

#[test]
fn a_whole_markdown_document() {
    assert_eq!(
        document("a.md", b"---\ntitle: x\n---\n# A\n"),
        "{\"ok\":true,\"data\":{\"path\":\"a.md\",\"kind\":\"markdown\",\"language\":null,\"size_bytes\":21,\
         \"line_count\":4,\"parse_complete\":true,\"outline\":[\
         {\"kind\":\"frontmatter\",\"name\":\"title\",\"line\":\"2:f318\",\"line_end\":\"2:f318\"},\
         {\"kind\":\"heading\",\"name\":\"A\",\"level\":1,\"line\":\"4:327f\",\"line_end\":\"4:327f\"}]},\
         \"truncated\":false,\"truncation\":null}\n"
    );
}

#[test]
fn every_kind_has_its_fields_in_order() {
    let text = b"hello\nhello\n";
    let lines = LineTable::new(text);
    for (kind, expected) in [
        (EntryKind::Import, r#"{"kind":"import","name":"n","#),
        (EntryKind::Constant, r#"{"kind":"constant","name":"n","#),
        (EntryKind::Variable, r#"{"kind":"variable","name":"n","#),
        (EntryKind::Type, r#"{"kind":"type","name":"n","#),
        (EntryKind::Class, r#"{"kind":"class","name":"n","#),
        (EntryKind::Function, r#"{"kind":"function","name":"n","#),
        (
            EntryKind::Method {
                receiver: "*T".to_owned(),
            },
            r#"{"kind":"method","name":"n","receiver":"*T","#,
        ),
        (
            EntryKind::Heading { level: 2 },
            r#"{"kind":"heading","name":"n","level":2,"#,
        ),
        (
            EntryKind::Frontmatter,
            r#"{"kind":"frontmatter","name":"n","#,
        ),
        (
            EntryKind::Json {
                value_type: "array",
            },
            r#"{"kind":"json","pointer":"n","value_type":"array","#,
        ),
    ] {
        let entry = Entry {
            kind,
            name: "n".to_owned(),
            start: 5, // the terminator of the first line
            end: 7,
        };
        let json = entry_json(&entry, &lines).unwrap();
        assert_eq!(
            json,
            format!("{expected}\"line\":\"1:2cf2\",\"line_end\":\"2:2cf2\"}}")
        );
    }
}

#[test]
fn no_row_means_no_reading() {
    struct Untouchable;
    impl Read for Untouchable {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("read"))
        }
    }
    assert!(!needs_content(b"a.txt"));
    let limits = Limits::default();
    let none = outline(b"a.txt", 7, &mut Untouchable, &limits)
        .unwrap()
        .unwrap();
    let expected = "{\"ok\":true,\"data\":{\"path\":\"d/a.txt\",\"kind\":\"none\",\"language\":null,\"size_bytes\":7,\
         \"line_count\":null,\"parse_complete\":true,\"outline\":[]},\"truncated\":false,\"truncation\":null}\n";
    assert_eq!(
        String::from_utf8(none.document("d/a.txt").unwrap()).unwrap(),
        expected
    );
    assert!(outline(b"a.md", 7, &mut Untouchable, &limits).is_err());
    let large = outline(b"a.md", 52_428_801, &mut Untouchable, &limits)
        .unwrap()
        .unwrap();
    let large = String::from_utf8(large.document("a.md").unwrap()).unwrap();
    assert!(
        large.contains("\"line_count\":null,\"parse_complete\":false,\"outline\":[]"),
        "{large}"
    );
}

#[test]
fn dense_json_keeps_719_entries() {
    let numbers: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
    let content = format!("[{}]", numbers.join(","));
    assert_eq!(content.len(), 48_891);
    let document = document("dense.json", content.as_bytes());
    assert_eq!(document.len(), 65_529);
    let end =
        "\"truncated\":true,\"truncation\":{\"reason\":\"output_bytes\",\"after_entries\":719}}\n";
    assert!(document.ends_with(end));
    assert!(document.contains("\"line_count\":1,\"parse_complete\":true,"));
    assert_eq!(document.matches("{\"kind\":").count(), 719);
}

#[test]
fn the_longest_prefix_that_fits_is_kept() {
    // Padding by one byte each, so that every border is met.
    let mut headings = String::new();
    for number in 0..900 {
        writeln!(headings, "# {number}").unwrap();
    }
    let outline = outline_with("a.md", headings.as_bytes(), &patient()).unwrap();
    let mut kept_before = usize::MAX;
    for length in 1..200 {
        let path = "p".repeat(length);
        let document = outline.document(&path).unwrap();
        assert!(document.len() <= OUTPUT_BYTES);
        let text = String::from_utf8(document).unwrap();
        let kept = text.matches("{\"kind\":").count();
        assert!(text.ends_with(&format!("\"after_entries\":{kept}}}}}\n")));
        let next = outline.ends[kept] - outline.ends[kept - 1];
        assert!(text.len() + next > OUTPUT_BYTES, "one more entry fits");
        assert!(kept <= kept_before);
        kept_before = kept;
    }
}

#[test]
fn a_document_that_just_fits_is_not_truncated() {
    let outline = outline_with("a.md", "# a\n".repeat(700).as_bytes(), &patient()).unwrap();
    let short = outline.document("").unwrap().len();
    let room = OUTPUT_BYTES - short;
    let full = outline.document(&"p".repeat(room)).unwrap();
    assert_eq!(full.len(), OUTPUT_BYTES);
    assert!(full.ends_with(b"\"truncated\":false,\"truncation\":null}\n"));
    let cut = outline.document(&"p".repeat(room + 1)).unwrap();
    assert!(cut.ends_with(b"\"after_entries\":699}}\n"));
}

#[test]
fn where_nothing_fits_is_an_error() {
    let outline = outline_with("a.md", b"# a\n", &patient()).unwrap();
    let failure = outline.document(&"p".repeat(OUTPUT_BYTES)).unwrap_err();
    assert_eq!(failure.code, Code::OutputLimit);
    // Room for the frame, none for the entry.
    let empty = outline.document(&"p".repeat(OUTPUT_BYTES - 220)).unwrap();
    assert!(empty.ends_with(b"\"outline\":[]},\"truncated\":true,\"truncation\":{\"reason\":\"output_bytes\",\"after_entries\":0}}\n"));
}

#[test]
fn only_utf_8_has_an_outline() {
    for content in [&b"# \xe9\n"[..], b"\xff\xfe#\0 \0a\0", b"# a\xc3"] {
        let failure = outline_with("a.md", content, &patient()).unwrap_err();
        assert_eq!(failure.code, Code::NotUtf8);
        let small = Limits {
            parser_bytes: 1,
            ..patient()
        };
        assert_eq!(
            outline_with("a.md", content, &small).unwrap_err().code,
            Code::NotUtf8
        );
    }
    assert!(document("a.md", b"# a\0b\n").contains("\"name\":\"a\\u0000b\""));
    assert!(document("a.md", b"\xef\xbb\xbf# a\n").contains("\"name\":\"a\""));
}

#[test]
fn bounds_are_named() {
    let small = Limits {
        parser_bytes: 10,
        ..patient()
    };
    let content = "# é\n".repeat(100_000);
    let outline = outline_with("a.md", content.as_bytes(), &small).unwrap();
    let text = String::from_utf8(outline.document("a.md").unwrap()).unwrap();
    assert!(
        text.ends_with(
            "\"line_count\":100000,\"parse_complete\":false,\"outline\":[]},\
             \"truncated\":true,\"truncation\":{\"reason\":\"input_bytes\",\"after_entries\":0}}\n"
        ),
        "{text}"
    );
    let hasty = Limits {
        time: Duration::ZERO,
        ..Limits::default()
    };
    let outline = outline_with("a.md", b"# a\n", &hasty).unwrap();
    let text = String::from_utf8(outline.document("a.md").unwrap()).unwrap();
    assert!(text.contains("\"parse_complete\":false"), "{text}");
    assert!(
        text.ends_with("\"truncation\":{\"reason\":\"time\",\"after_entries\":0}}\n"),
        "{text}"
    );
    let deep = "> ".repeat(20_000) + "# a";
    let text = document("a.md", deep.as_bytes());
    assert!(
        text.ends_with("\"truncation\":{\"reason\":\"depth\",\"after_entries\":0}}\n"),
        "{text}"
    );
}

#[test]
fn a_minified_line_is_hashed_once() {
    let content = format!("[{}0]", "[],".repeat(600_000));
    let start = Instant::now();
    document("a.json", content.as_bytes());
    assert!(start.elapsed().as_secs() < 20);
}
