#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::{Limits, inspect};
use super::*;
use std::fmt::Write as _;

const ALL: &[&str] = &["read", "search", "mutate-content", "mutate-structure"];

fn facts(path: &str) -> FileFacts<'_> {
    FileFacts {
        path,
        kind: FileKind::File,
        size: 48_211,
        permissions: ALL,
        readable: true,
        mtime_seconds: 1_775_129_400,
    }
}

fn report(name: &str, content: &[u8]) -> Report {
    inspect(
        name.as_bytes(),
        content.len() as u64,
        &mut &*content,
        &Limits::default(),
    )
    .unwrap()
}

fn document(facts: &FileFacts<'_>, report: Option<&Report>) -> String {
    String::from_utf8(file_document(facts, report)).unwrap()
}

#[test]
fn structure_is_told_apart_from_text() {
    let document = |text: &str| format!(r#"{{"path":"x"{text}}}"#);
    assert!(has_structure(
        document(r#","structure":{"lines":1}"#).as_bytes()
    ));
    for text in [
        r#","reason":"binary""#,
        r#"\",\"structure\":{"#,
        r#","structure":1"#,
    ] {
        assert!(!has_structure(document(text).as_bytes()), "{text}");
    }
}

#[test]
fn the_example_of_the_contract() {
    let mut sales = "date,region,revenue\n".to_owned();
    for day in 0..421 {
        writeln!(sales, "{day},north,\"1\n2\"").unwrap();
    }
    assert_eq!(
        document(
            &facts("data/sales.csv"),
            Some(&report("sales.csv", sales.as_bytes()))
        ),
        "{\"path\":\"data/sales.csv\",\"type\":\"file\",\"format\":\"csv\",\"size_bytes\":48211,\"tier\":1,\
         \"permissions\":[\"read\",\"search\",\"mutate-content\",\"mutate-structure\"],\
         \"structure\":{\"headers\":[\"date\",\"region\",\"revenue\"],\"rows\":421},\
         \"mtime\":\"2026-04-02T11:30:00Z\"}\n"
    );
}

#[test]
fn every_field_in_its_order() {
    let mut late = report("a.txt", "\u{feff}a\r\n".as_bytes());
    late.encoding = Some("utf-16le");
    late.finding.reason = Some(Reason::Timeout);
    assert_eq!(
        document(&facts("a.txt"), Some(&late)),
        "{\"path\":\"a.txt\",\"type\":\"file\",\"format\":\"txt\",\"size_bytes\":48211,\"tier\":1,\
         \"permissions\":[\"read\",\"search\",\"mutate-content\",\"mutate-structure\"],\
         \"encoding\":\"utf-16le\",\"bom\":true,\"eol\":\"crlf\",\"structure\":{\"lines\":1},\
         \"reason\":\"timeout\",\"mtime\":\"2026-04-02T11:30:00Z\"}\n"
    );
}

/// The part of the document from `size_bytes` on, without permissions and time.
fn tail(facts: &FileFacts<'_>, report: Option<&Report>) -> String {
    let document = document(facts, report);
    let start = document.find("\"type\"").unwrap();
    let end = document.find(",\"mtime\"").unwrap();
    document[start..end]
        .replace("\"size_bytes\":48211,", "")
        .replace(
            "\"permissions\":[\"read\",\"search\",\"mutate-content\",\"mutate-structure\"]",
            "P",
        )
}

#[test]
fn what_has_no_structure_says_why() {
    let file = facts("d/photo");
    let binary = report("photo", b"\x89PNG\0");
    assert_eq!(
        tail(&file, Some(&binary)),
        "\"type\":\"file\",\"format\":\"binary\",\"tier\":2,P,\"reason\":\"binary\""
    );
    let large = Report::too_large(b"photo");
    assert_eq!(
        tail(&file, Some(&large)),
        "\"type\":\"file\",\"format\":\"binary\",\"tier\":3,P,\"reason\":\"too_large\""
    );
    let text = report("photo", b"one\r\n");
    assert_eq!(
        tail(&file, Some(&text)),
        "\"type\":\"file\",\"format\":\"text\",\"tier\":1,P,\"eol\":\"crlf\",\"structure\":{\"lines\":1}"
    );
    let unreadable = FileFacts {
        readable: false,
        ..file
    };
    assert_eq!(
        tail(&unreadable, Some(&text)),
        "\"type\":\"file\",\"format\":\"text\",\"tier\":1,P,\"eol\":\"crlf\",\"reason\":\"not_readable\""
    );
    assert_eq!(
        tail(&unreadable, None),
        "\"type\":\"file\",\"format\":\"text\",\"tier\":1,P,\"reason\":\"not_readable\""
    );
    assert!(tail(&unreadable, Some(&binary)).ends_with("\"reason\":\"binary\""));
    assert!(tail(&unreadable, Some(&large)).ends_with("\"reason\":\"too_large\""));
}

#[test]
fn links_and_special_files_have_neither_structure_nor_reason() {
    for (kind, path, expected) in [
        (
            FileKind::Symlink,
            "l",
            "\"type\":\"symlink\",\"format\":\"text\",\"tier\":1,P",
        ),
        (
            FileKind::Symlink,
            "l.csv",
            "\"type\":\"symlink\",\"format\":\"csv\",\"tier\":1,P",
        ),
        (
            FileKind::Other,
            "fifo",
            "\"type\":\"other\",\"format\":\"binary\",\"tier\":1,P",
        ),
    ] {
        let facts = FileFacts {
            kind,
            ..facts(path)
        };
        assert_eq!(tail(&facts, None), expected);
    }
}

#[test]
fn names_stay_utf_8_and_are_escaped_as_json_asks() {
    let odd = facts("d/é \"q\"\n.Tar.GZ");
    let document = document(&odd, Some(&report("x.GZ", b"")));
    assert!(
        document.starts_with("{\"path\":\"d/é \\\"q\\\"\\n.Tar.GZ\""),
        "{document}"
    );
    assert!(document.contains("\"format\":\"gz\""), "{document}");
}

#[test]
fn no_time_breaks_a_document() {
    for (seconds, time) in [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (253_402_207_200, "9999-12-30T22:00:00Z"),
    ] {
        assert_eq!(utc(seconds), time);
    }
    assert!(utc(i64::MAX).starts_with("9999-"));
    assert!(utc(i64::MIN).ends_with('Z'));
}
