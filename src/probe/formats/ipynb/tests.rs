#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::super::super::inspect;
use super::*;

fn probe(content: &str) -> Result<String, Reason> {
    let content = content.as_bytes();
    let patient = Limits {
        time: std::time::Duration::from_secs(2),
        ..Limits::default()
    };
    let report = inspect(b"a.ipynb", content.len() as u64, &mut &*content, &patient).unwrap();
    let structure = report
        .finding
        .structure
        .as_ref()
        .map(|structure| structure.get().to_owned());
    structure.ok_or_else(|| report.finding.reason.unwrap())
}

#[test]
fn cells_language_and_headings() {
    let notebook = r####"{"cells":[
        {"cell_type":"markdown","metadata":{},"source":["# Title\n","text\n","## Part ##"]},
        {"cell_type":"code","outputs":[{"data":[[[]]]}],"source":"# no heading"},
        {"source":"### Later\n","cell_type":"markdown"},
        {"cell_type":"raw","source":[]},
        {"cell_type":"unheard of"}
    ],"metadata":{"kernelspec":{"language":"R"},"language_info":{"name":"python","version":"3"}},"nbformat":4}"####;
    assert_eq!(
        probe(notebook).unwrap(),
        "{\"cells\":{\"code\":1,\"markdown\":2,\"raw\":1,\"other\":1},\"language\":\"python\",\
         \"headings\":[\"# Title\",\"## Part\",\"### Later\"],\"heading_count\":3}"
    );
    let old = r#"{"worksheets":[{"metadata":{},"cells":[{"cell_type":"code","input":"1"}]}],"metadata":{"kernelspec":{"name":"ir"}}}"#;
    assert_eq!(
        probe(old).unwrap(),
        r#"{"cells":{"code":1,"markdown":0},"language":"ir","headings":[],"heading_count":0}"#
    );
    assert_eq!(
        probe("{}").unwrap(),
        r#"{"cells":{"code":0,"markdown":0},"headings":[],"heading_count":0}"#
    );
}

#[test]
fn what_is_no_notebook_is_invalid() {
    for content in [
        "",
        "[]",
        "{\"cells\":1}",
        "{\"cells\":[{}]}",
        "{\"cells\":[",
        "{} x",
        "{\"cells\":[{\"cell_type\":\"code\",\"source\":[1]}]}",
    ] {
        assert_eq!(probe(content), Err(Reason::Invalid), "{content}");
    }
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(probe(&deep).is_ok());
}
