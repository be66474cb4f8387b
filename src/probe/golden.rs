//! Golden pairs: for every format row, samples and the very documents they must give.
//!
//! `golden/NAME` is a sample, `golden/NAME.inspect.json` its compact document and, where its
//! name has an outline row, `golden/NAME.outline.json` its outline. With `BLESS=1` in the
//! environment the documents are written instead of compared: then read the difference.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use super::code::{language_names, language_of};
use super::formats::TABLE;
use super::{
    FileFacts, FileKind, Limits, failure_document, file_document, inspect, needs_content, outline,
    row_name,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/probe/golden")
}

/// Names of the samples, sorted.
fn samples() -> Vec<String> {
    let names = fs::read_dir(folder()).unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        name.into_string().unwrap()
    });
    let is_document =
        |name: &String| name.ends_with(".inspect.json") || name.ends_with(".outline.json");
    let is_sample = |name: &String| !name.starts_with('.') && !is_document(name);
    let samples: BTreeSet<String> = names.filter(is_sample).collect();
    samples.into_iter().collect()
}

/// Debug builds on a busy machine are slow.
fn patient() -> Limits {
    Limits {
        time: Duration::from_secs(2),
        ..Limits::default()
    }
}

fn compact(name: &str, content: &[u8]) -> Vec<u8> {
    let size = content.len() as u64;
    let report = inspect(name.as_bytes(), size, &mut &*content, &patient()).unwrap();
    let facts = FileFacts {
        path: name,
        kind: FileKind::File,
        size,
        permissions: &["read", "search"],
        readable: true,
        mtime_seconds: 1_700_000_000,
    };
    file_document(&facts, Some(&report))
}

fn outlined(name: &str, content: &[u8]) -> Vec<u8> {
    let size = content.len() as u64;
    let outline = outline(name.as_bytes(), size, &mut &*content, &patient()).unwrap();
    outline
        .and_then(|outline| outline.document(name))
        .unwrap_or_else(|failure| failure_document(Some(name), &failure))
}

fn compare(file: &Path, document: &[u8]) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(file, document).unwrap();
    }
    let expected = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_eq!(
        String::from_utf8_lossy(document),
        String::from_utf8_lossy(&expected),
        "{}",
        file.display()
    );
}

#[test]
fn every_sample_gives_its_documents() {
    let samples = samples();
    assert!(!samples.is_empty());
    for name in samples {
        let content = fs::read(folder().join(&name)).unwrap();
        let document = folder().join(format!("{name}.inspect.json"));
        compare(&document, &compact(&name, &content));
        if needs_content(name.as_bytes()) {
            let document = folder().join(format!("{name}.outline.json"));
            compare(&document, &outlined(&name, &content));
        }
    }
}

#[test]
fn every_row_has_a_sample() {
    let rows: BTreeSet<&str> = samples()
        .iter()
        .filter_map(|name| row_name(name.as_bytes()))
        .collect();
    for name in TABLE.iter().map(|row| row.name).chain(language_names()) {
        assert!(rows.contains(name), "no sample of {name}");
    }
}

/// The whole document that the contract gives.
#[test]
fn the_go_document_of_the_contract() {
    use sha2::{Digest, Sha256};
    assert!(language_of(b"sample.go").is_some());
    let document = outlined(
        "sample.go",
        b"package p\nfunc Visible() {\n\tsecret := \"body-secret\"\n}\n",
    );
    assert_eq!(document.len(), 244);
    let bytes = Sha256::digest(&document);
    let digest: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        digest.concat(),
        "d60867ea8b7a1cabbffd48b94764e1ef96944ca38b7b173de2b0cc8aad167930"
    );
}
