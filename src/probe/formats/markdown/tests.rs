#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::super::inspect;
use super::*;

fn probe(content: &str, limits: &Limits) -> (String, Option<Reason>) {
    let content = content.as_bytes();
    let report = inspect(b"a.md", content.len() as u64, &mut &*content, limits).unwrap();
    let structure = report.finding.structure.unwrap();
    (structure.get().to_owned(), report.finding.reason)
}

fn structure(content: &str) -> String {
    let patient = Limits {
        time: std::time::Duration::from_secs(2),
        ..Limits::default()
    };
    let (structure, reason) = probe(content, &patient);
    assert_eq!(reason, None);
    structure
}

#[test]
fn headings_frontmatter_and_lines() {
    assert_eq!(
        structure(""),
        r#"{"headings":[],"heading_count":0,"lines":0}"#
    );
    assert_eq!(
        structure("---\ntitle: x\ntags: [a]\n---\n# A `b` #\ntext\n### C\n"),
        r####"{"headings":["# A `b`","### C"],"heading_count":2,"frontmatter":["title","tags"],"lines":7}"####
    );
    assert_eq!(
        structure("---\na: [\n---\n# A\n"),
        r##"{"headings":["# A"],"heading_count":1,"frontmatter":["a"],"lines":4,"parse_complete":false}"##
    );
}

#[test]
fn what_is_cut_is_counted() {
    let many = structure(&"# a\n".repeat(100));
    assert!(
        many.ends_with("\"heading_count\":100,\"lines\":100}"),
        "{many}"
    );
    assert_eq!(many.matches("# a").count(), 20);
    let keys: Vec<String> = (0..30).map(|n| format!("k{n}: 1\n")).collect();
    let keys = structure(&format!("---\n{}---\n", keys.concat()));
    assert!(
        keys.contains("\"k19\"],\"frontmatter_count\":30,"),
        "{keys}"
    );
    let long = structure(&format!("## {}\n", "x".repeat(200)));
    assert!(long.contains("x…+87\""), "{long}");
}

#[test]
fn bounds_have_reasons() {
    let small = Limits {
        parser_bytes: 10,
        ..Limits::default()
    };
    let expected = (r#"{"lines":100000}"#.to_owned(), Some(Reason::TooLarge));
    assert_eq!(probe(&"# a\n".repeat(100_000), &small), expected);
    let hasty = Limits {
        time: std::time::Duration::ZERO,
        ..Limits::default()
    };
    let (structure, reason) = probe("# a\n", &hasty);
    assert!(
        structure.ends_with("\"lines\":1,\"parse_complete\":false}"),
        "{structure}"
    );
    assert_eq!(reason, Some(Reason::Timeout));
    assert_eq!(
        probe(&"> ".repeat(20_000), &Limits::default()).1,
        Some(Reason::TooDeep)
    );
}
