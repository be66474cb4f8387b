//! The compact document of a file: a report and what one node adds to it, as one JSON line.
//!
//! The contract is the type `FileDocument` here and the structure types in `formats`: their
//! field names, order and presence. Compact JSON, UTF-8 left as it is, one final LF. Which
//! names, permissions and times go in is decided by the caller.

use super::formats;
use super::report::{Reason, Report, Tier};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What a node is, as far as a document tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A symbolic link, not followed.
    Symlink,
    /// A FIFO, socket or device.
    Other,
}

/// What one node adds to a report.
#[derive(Debug, Clone, Copy)]
pub struct FileFacts<'a> {
    /// Relative to the workspace root, `/` between components.
    pub path: &'a str,
    /// What the node is.
    pub kind: FileKind,
    /// Its own size in bytes; of a link, of its text.
    pub size: u64,
    /// The effective permission groups, in the contract's order.
    pub permissions: &'a [&'a str],
    /// Whether the policy allows to read it.
    pub readable: bool,
    /// Modification time in seconds since the epoch.
    pub mtime_seconds: i64,
}

/// Whether a document that was made here tells of the structure of its file. Text in it cannot
/// be taken for that: a quotation mark in text is escaped.
pub fn has_structure(document: &[u8]) -> bool {
    memchr::memmem::find(document, br#","structure":{"#).is_some()
}

#[derive(Serialize)]
struct FileDocument<'a> {
    path: &'a str,
    r#type: &'static str,
    format: Cow<'a, str>,
    size_bytes: u64,
    tier: Tier,
    permissions: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    bom: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    eol: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structure: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    mtime: String,
}

/// The compact document of a file, link or special file, with its LF.
///
/// Links and special files have no report; neither has a file that nobody may read and nobody
/// probed, whose tier is then taken to be 1.
pub fn file_document(facts: &FileFacts<'_>, report: Option<&Report>) -> Vec<u8> {
    let name = formats::file_name(facts.path);
    let report = report.filter(|_| facts.kind == FileKind::File);
    let tier = report.map_or(Tier::Text, |report| report.tier);
    let row = report.map_or_else(|| formats::row_name(name), |report| report.row);
    let (structure, reason) = match report {
        _ if facts.kind != FileKind::File => (None, None),
        _ if tier == Tier::Text && !facts.readable => (None, Some(Reason::NotReadable)),
        Some(report) => (report.finding.structure.as_deref(), report.finding.reason),
        // Readable and never probed: the caller had no report to give.
        None => (None, Some(Reason::NotReadable)),
    };
    let without_extension = match (facts.kind, tier) {
        (FileKind::File, Tier::Text) | (FileKind::Symlink, _) => "text",
        _ => "binary",
    };
    line(&FileDocument {
        path: facts.path,
        r#type: match facts.kind {
            FileKind::File => "file",
            FileKind::Symlink => "symlink",
            FileKind::Other => "other",
        },
        format: row
            .map(Cow::Borrowed)
            .or_else(|| formats::lower_case_extension(name).map(Cow::Owned))
            .unwrap_or(Cow::Borrowed(without_extension)),
        size_bytes: facts.size,
        tier,
        permissions: facts.permissions,
        encoding: report.and_then(|report| report.encoding),
        bom: report.is_some_and(|report| report.bom),
        eol: report.and_then(|report| report.eol),
        structure,
        reason,
        mtime: utc(facts.mtime_seconds),
    })
}

/// `value` as compact JSON with an LF.
pub(crate) fn line(value: &impl Serialize) -> Vec<u8> {
    // Documents are plain data with string keys, which always serialize.
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// `YYYY-MM-DDTHH:MM:SSZ`; times no calendar has stop at its ends.
fn utc(seconds: i64) -> String {
    let limit = if seconds < 0 {
        jiff::Timestamp::MIN
    } else {
        jiff::Timestamp::MAX
    };
    let time = jiff::Timestamp::from_second(seconds).unwrap_or(limit);
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests;
