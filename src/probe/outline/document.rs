//! The outline document as it is written: fields, their order and presence.

use super::super::entry::{Entry, EntryKind};
use super::super::lines::{LineTable, RowId};
use serde::Serialize;
use serde_json::value::RawValue;

/// Why a document has fewer entries than the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Truncation {
    OutputBytes,
    InputBytes,
    Time,
    Depth,
}

#[derive(Serialize)]
pub(super) struct Document<'a> {
    pub(super) ok: bool,
    pub(super) data: Data<'a>,
    pub(super) truncated: bool,
    pub(super) truncation: Option<Cut>,
}

#[derive(Serialize)]
pub(super) struct Data<'a> {
    pub(super) path: &'a str,
    pub(super) kind: &'static str,
    pub(super) language: Option<&'static str>,
    pub(super) size_bytes: u64,
    pub(super) line_count: Option<u64>,
    pub(super) parse_complete: bool,
    pub(super) outline: &'a RawValue,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Cut {
    pub(super) reason: Truncation,
    pub(super) after_entries: usize,
}

#[derive(Serialize)]
struct EntryDocument<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_type: Option<&'static str>,
    line: RowId,
    line_end: RowId,
}

/// `None` for an entry that lies outside the text.
pub(super) fn entry_json(entry: &Entry, lines: &LineTable<'_>) -> Option<String> {
    let (mut name, mut receiver, mut level) = (Some(entry.name.as_str()), None, None);
    let (mut pointer, mut value_type) = (None, None);
    let kind = match &entry.kind {
        EntryKind::Import => "import",
        EntryKind::Constant => "constant",
        EntryKind::Variable => "variable",
        EntryKind::Type => "type",
        EntryKind::Class => "class",
        EntryKind::Function => "function",
        EntryKind::Method { receiver: of } => {
            receiver = Some(of.as_str());
            "method"
        }
        EntryKind::Heading { level: of } => {
            level = Some(*of);
            "heading"
        }
        EntryKind::Frontmatter => "frontmatter",
        EntryKind::Json { value_type: of } => {
            value_type = Some(*of);
            pointer = name.take();
            "json"
        }
    };
    let last = entry.end.saturating_sub(1).max(entry.start);
    serde_json::to_string(&EntryDocument {
        kind,
        name,
        receiver,
        level,
        pointer,
        value_type,
        line: lines.row(lines.line_at(entry.start))?,
        line_end: lines.row(lines.line_at(last))?,
    })
    .ok()
}
