#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::super::{Limits, inspect};

fn structure_with(name: &str, content: &[u8], parser_bytes: usize) -> String {
    let limits = Limits {
        parser_bytes,
        ..Limits::default()
    };
    let report = inspect(
        name.as_bytes(),
        content.len() as u64,
        &mut &*content,
        &limits,
    )
    .unwrap();
    assert_eq!(report.finding.reason, None);
    report.finding.structure.unwrap().get().to_owned()
}

fn structure(content: &[u8]) -> String {
    structure_with("a.csv", content, 1 << 20)
}

#[test]
fn headers_and_records() {
    for (content, expected) in [
        (&b""[..], r#"{"headers":[],"rows":0}"#),
        (b"\n\n", r#"{"headers":[],"rows":0}"#),
        (b"a", r#"{"headers":["a"],"rows":0}"#),
        (b"a\n1", r#"{"headers":["a"],"rows":1}"#),
        (b"a,b\n1,2\n3,4\n", r#"{"headers":["a","b"],"rows":2}"#),
        (
            b"a,b\r\n1,2\r\n\r\n3,4",
            r#"{"headers":["a","b"],"rows":2}"#,
        ),
        (b"a,b\r1,2\r3,4\r", r#"{"headers":["a","b"],"rows":2}"#),
        (b"\n\na,b\n\n1,2\n\n", r#"{"headers":["a","b"],"rows":1}"#),
        (b"a,b\n1,\"x\ny\"\n", r#"{"headers":["a","b"],"rows":1}"#),
        (b"a,b\n1,\"x\"\"y\"\n", r#"{"headers":["a","b"],"rows":1}"#),
        (b"a,b\n1,x\"y\n2,z\n", r#"{"headers":["a","b"],"rows":2}"#),
        (
            b"\"a,1\",\"b\n2\"\nx,y\n",
            r#"{"headers":["a,1","b\n2"],"rows":1}"#,
        ),
        (
            b"a,a,\n1\n1,2,3,4\n",
            r#"{"headers":["a","a",""],"rows":2}"#,
        ),
        (b"a,b\n  \n1,2\n\t\n", r#"{"headers":["a","b"],"rows":1}"#),
        (b"a\n\"\"\n", r#"{"headers":["a"],"rows":1}"#),
        (
            "\u{feff}\"a\",b\n1,2\n".as_bytes(),
            r#"{"headers":["a","b"],"rows":1}"#,
        ),
        (
            b"a,b\n1,\"x\n2,y\n",
            r#"{"headers":["a","b"],"rows":1,"parse_complete":false}"#,
        ),
        (
            b"\"a,b\n1,2\n",
            "{\"headers\":[\"a,b\\n1,2\\n\"],\"rows\":0,\"parse_complete\":false}",
        ),
    ] {
        assert_eq!(
            structure(content),
            expected,
            "{}",
            String::from_utf8_lossy(content)
        );
    }
}

#[test]
fn the_delimiter_is_found_on_the_header_outside_quotes() {
    for (content, expected) in [
        (
            &b"a;b\n1,5;2,5\n"[..],
            r#"{"headers":["a","b"],"rows":1,"delimiter":";"}"#,
        ),
        (
            b"a\tb\n",
            r#"{"headers":["a","b"],"rows":0,"delimiter":"\t"}"#,
        ),
        (
            b"a|b|c\n1|2|3\n",
            r#"{"headers":["a","b","c"],"rows":1,"delimiter":"|"}"#,
        ),
        (b"\"a;x;y\",b\n", r#"{"headers":["a;x;y","b"],"rows":0}"#),
        (
            b"\"a,x,y\";b\n",
            r#"{"headers":["a,x,y","b"],"rows":0,"delimiter":";"}"#,
        ),
        (
            b"\"a \"\"q\"\",x\";b\n",
            r#"{"headers":["a \"q\",x","b"],"rows":0,"delimiter":";"}"#,
        ),
        (b"a,b;c,d\n", r#"{"headers":["a","b;c","d"],"rows":0}"#),
        (b"a;b,c\n", r#"{"headers":["a;b","c"],"rows":0}"#),
        (
            b"\"first\nline\";b\n1;2\n",
            r#"{"headers":["first\nline","b"],"rows":1,"delimiter":";"}"#,
        ),
    ] {
        assert_eq!(
            structure(content),
            expected,
            "{}",
            String::from_utf8_lossy(content)
        );
    }
}

#[test]
fn the_name_of_a_tsv_says_tab() {
    let tsv = |content: &[u8]| structure_with("a.tsv", content, 1 << 20);
    let tab = "\"delimiter\":\"\\t\"}";
    assert_eq!(
        tsv(b"a\n1\n"),
        format!("{{\"headers\":[\"a\"],\"rows\":1,{tab}")
    );
    assert_eq!(
        tsv(b"a,b,c\td\n"),
        format!("{{\"headers\":[\"a,b,c\",\"d\"],\"rows\":0,{tab}")
    );
    assert_eq!(
        tsv(b"a;b\n"),
        r#"{"headers":["a","b"],"rows":0,"delimiter":";"}"#
    );
}

#[test]
fn many_columns_are_counted_and_long_names_cut() {
    let header: Vec<String> = (0..1000).map(|n| format!("c{n}")).collect();
    let found = structure(format!("{}\n", header.join(",")).as_bytes());
    assert!(
        found.contains("\"c19\"],\"columns\":1000,\"rows\":0}"),
        "{found}"
    );
    let long = structure(format!("{},b\n", "é".repeat(5000)).as_bytes());
    assert_eq!(
        long,
        format!(
            "{{\"headers\":[\"{}…+4886\",\"b\"],\"rows\":0}}",
            "é".repeat(114)
        )
    );
    let twenty: Vec<&str> = vec!["c"; 20];
    assert!(!structure(twenty.join(",").as_bytes()).contains("columns"));
}

#[test]
fn records_stream_on_past_the_cap() {
    let mut content = "a,b\n".to_owned();
    for _ in 0..50_000 {
        content.push_str("1,\"two\n\n lines\"\n");
    }
    for cap in [4, 100, 1 << 20] {
        assert_eq!(
            structure_with("a.csv", content.as_bytes(), cap),
            r#"{"headers":["a","b"],"rows":50000}"#
        );
    }
}

#[test]
fn a_header_past_the_cap_is_given_as_far_as_it_goes() {
    assert_eq!(
        structure_with("a.csv", b"first,second\n1,2\n", 9),
        r#"{"headers":["first","sec"],"rows":1,"parse_complete":false}"#
    );
}

#[test]
fn a_field_of_any_length_takes_no_memory_of_its_own() {
    let field = "x".repeat(3 << 20);
    let open = format!("a,b\n1,\"{field}");
    assert_eq!(
        structure_with("a.csv", open.as_bytes(), 1 << 10),
        r#"{"headers":["a","b"],"rows":1,"parse_complete":false}"#
    );
    let wide = format!("a,b\n{}\n1,2\n", ",".repeat(1 << 20));
    assert_eq!(
        structure(wide.as_bytes()),
        r#"{"headers":["a","b"],"rows":2}"#
    );
}

#[test]
fn utf_16_as_spreadsheets_write_it() {
    let text = "\u{feff}naïve\tb\r\n1\t2\r\n";
    let raw: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for cap in [3, 7, 1 << 20] {
        assert!(
            structure_with("a.csv", &raw, cap).ends_with("\"rows\":1,\"delimiter\":\"\\t\"}")
                || cap < 10
        );
    }
    assert_eq!(
        structure(&raw),
        r#"{"headers":["naïve","b"],"rows":1,"delimiter":"\t"}"#
    );
    assert_eq!(
        structure(b"\xe9t\xe9,b\n"),
        r#"{"headers":["été","b"],"rows":0}"#
    );
}
