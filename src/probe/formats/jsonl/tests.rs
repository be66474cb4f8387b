#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::super::{Limits, Reason, inspect};

fn probe(content: &str, parser_bytes: usize) -> (String, Option<Reason>) {
    let limits = Limits {
        parser_bytes,
        ..Limits::default()
    };
    let content = content.as_bytes();
    let report = inspect(b"a.jsonl", content.len() as u64, &mut &*content, &limits).unwrap();
    (
        report.finding.structure.unwrap().get().to_owned(),
        report.finding.reason,
    )
}

#[test]
fn records_and_the_keys_of_the_first() {
    for (content, expected) in [
        ("", r#"{"records":0}"#),
        (
            "{\"a\":1,\"b\":2}\n{\"c\":3}\n",
            r#"{"records":2,"keys":["a","b"],"key_count":2}"#,
        ),
        (
            "\n{\"a\":1}\r\n  \r\n[2]",
            r#"{"records":2,"keys":["a"],"key_count":1}"#,
        ),
        ("[1]\n2\n", r#"{"records":2}"#),
        (
            "{\"a\":1}\n\n{\"b\":\n2}\n",
            r#"{"records":3,"keys":["a"],"key_count":1,"valid":false,"error_line":3}"#,
        ),
        (
            "{\"a\":1,\n",
            r#"{"records":1,"keys":["a"],"valid":false,"error_line":1}"#,
        ),
    ] {
        assert_eq!(
            probe(content, 1 << 20),
            (expected.to_owned(), None),
            "{content}"
        );
    }
}

#[test]
fn records_are_counted_past_the_cap() {
    let content = "{\"a\":1}\n".repeat(40_000);
    for cap in [8, 9, 100, 1 << 20] {
        let expected = r#"{"records":40000,"keys":["a"],"key_count":1}"#;
        assert_eq!(probe(&content, cap), (expected.to_owned(), None), "{cap}");
    }
    let (structure, reason) = probe(&content, 5);
    assert_eq!(structure, r#"{"records":40000,"keys":["a"]}"#);
    assert_eq!(
        reason,
        Some(Reason::TooLarge),
        "the first record itself is cut"
    );
}
