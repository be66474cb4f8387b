#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::super::{Limits, Reason, inspect};

fn structure(content: &[u8]) -> String {
    let limits = Limits {
        time: std::time::Duration::from_secs(2),
        ..Limits::default()
    };
    let report = inspect(b"a.json", content.len() as u64, &mut &*content, &limits).unwrap();
    assert_eq!(report.finding.reason, None);
    report.finding.structure.unwrap().get().to_owned()
}

#[test]
fn the_top_level() {
    for (content, expected) in [
        ("{}", r#"{"keys":[],"key_count":0}"#),
        (
            r#"{"b":1,"a":{"c":[]},"b":2}"#,
            r#"{"keys":["b","a"],"key_count":2}"#,
        ),
        (
            r#"{"A\n\u00e9\ud834\udd1e":1}"#,
            r#"{"keys":["A\né𝄞"],"key_count":1}"#,
        ),
        ("[]", r#"{"length":0}"#),
        (" [1,[2,3],{}]\n", r#"{"length":3}"#),
        ("\"s\"", r#"{"value":"string"}"#),
        ("-1e999", r#"{"value":"number"}"#),
        ("true", r#"{"value":"boolean"}"#),
        ("null\n", r#"{"value":"null"}"#),
        ("\u{feff}{\"a\":1}", r#"{"keys":["a"],"key_count":1}"#),
    ] {
        assert_eq!(structure(content.as_bytes()), expected, "{content}");
    }
}

#[test]
fn broken_text_says_where_and_what_was_found() {
    for (content, expected) in [
        ("", r#"{"valid":false,"error_line":1}"#),
        (
            "{\"a\":1,\n\"b\":}\n",
            r#"{"keys":["a","b"],"key_count":2,"valid":false,"error_line":2}"#,
        ),
        (
            "{\"a\":1,\n}\n",
            r#"{"keys":["a"],"key_count":1,"valid":false,"error_line":2}"#,
        ),
        (
            "{\"a\":1",
            r#"{"keys":["a"],"key_count":1,"valid":false,"error_line":1}"#,
        ),
        (
            "{\r\"a\":1,\r\n\"b\":x\n}",
            r#"{"keys":["a","b"],"key_count":2,"valid":false,"error_line":3}"#,
        ),
        ("[1,\n2\n3]", r#"{"valid":false,"error_line":3}"#),
        (
            "{}\n\nx",
            r#"{"keys":[],"key_count":0,"valid":false,"error_line":3}"#,
        ),
        (
            "// c\n{\"a\":1, /* d */ \"b\":[1,],}",
            r#"{"keys":["a","b"],"key_count":2,"valid":false,"error_line":1}"#,
        ),
        (
            "{\"a\":{\"x\":1,},\n\"b\":2}",
            r#"{"keys":["a","b"],"key_count":2,"valid":false,"error_line":1}"#,
        ),
        ("// c\n[{\"a\":1}]", r#"{"valid":false,"error_line":1}"#),
        (
            "{\"a\":01}",
            r#"{"keys":["a"],"key_count":1,"valid":false,"error_line":1}"#,
        ),
        (
            "{\"a\":\"\t\"}",
            r#"{"keys":["a"],"key_count":1,"valid":false,"error_line":1}"#,
        ),
        ("nul", r#"{"valid":false,"error_line":1}"#),
        (
            "{'a':1}",
            r#"{"keys":["a"],"key_count":1,"valid":false,"error_line":1}"#,
        ),
        ("[\n1,\n\n", r#"{"valid":false,"error_line":3}"#),
    ] {
        assert_eq!(structure(content.as_bytes()), expected, "{content}");
    }
}

#[test]
fn half_a_surrogate_pair_is_valid_json() {
    assert!(structure(br#"{"\ud800":1,"a":"\ud800"}"#).ends_with("\"key_count\":2}"));
}

#[test]
fn many_keys_are_counted_and_long_ones_cut() {
    let keys: Vec<String> = (0..1000).map(|n| format!("\"k{n}\":{n}")).collect();
    let found = structure(format!("{{{}}}", keys.join(",")).as_bytes());
    assert!(found.ends_with("\"k19\"],\"key_count\":1000}"), "{found}");
    let long = structure(format!("{{\"{}\":1}}", "k".repeat(200)).as_bytes());
    assert!(long.contains("k…+84\""), "{long}");
}

#[test]
fn depth_costs_nothing() {
    let (open, close) = ("[".repeat(500_000), "]".repeat(500_000));
    assert_eq!(
        structure(format!("{open}{close}").as_bytes()),
        r#"{"length":1}"#
    );
    assert_eq!(
        structure(open.as_bytes()),
        r#"{"valid":false,"error_line":1}"#
    );
    let nested = format!("{{\"a\":{open}{close}}}");
    assert_eq!(
        structure(nested.as_bytes()),
        r#"{"keys":["a"],"key_count":1}"#
    );
}

#[test]
fn bounds_have_reasons_and_leave_what_was_found() {
    let probe = |limits: &Limits, content: &str| {
        let content = content.as_bytes();
        let report = inspect(b"a.json", content.len() as u64, &mut &*content, limits).unwrap();
        let structure = report.finding.structure.as_ref();
        (
            structure.map(|structure| structure.get().to_owned()),
            report.finding.reason,
        )
    };
    let small = Limits {
        parser_bytes: 14,
        ..Limits::default()
    };
    let keys = Some(r#"{"keys":["a","b"]}"#.to_owned());
    assert_eq!(
        probe(&small, "[1,2,3,4,5,6,7,8]"),
        (None, Some(Reason::TooLarge))
    );
    assert_eq!(
        probe(&small, r#"{"a":1,"b":"long","c":1}"#),
        (keys, Some(Reason::TooLarge))
    );
    let keys = Some(r#"{"keys":["a"],"key_count":1,"valid":false,"error_line":1}"#.to_owned());
    assert_eq!(probe(&small, r#"{"a":1,b:"long","c":1}"#), (keys, None));
    let hasty = Limits {
        time: std::time::Duration::ZERO,
        ..Limits::default()
    };
    let long = format!("[{}0]", "0,".repeat(1000));
    assert_eq!(probe(&hasty, &long), (None, Some(Reason::Timeout)));
    let long = format!("{{{}\"b\":0}}", "\"a\":0,".repeat(1000));
    let keys = Some(r#"{"keys":["a"]}"#.to_owned());
    assert_eq!(probe(&hasty, &long), (keys, Some(Reason::Timeout)));
}
