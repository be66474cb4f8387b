//! Bytes to reports: what a file looks like, without a byte of its content.
//!
//! Pure: it reads from a stream it is given, knows no paths, no policy and no file system, and
//! answers broken input with a value that says what is wrong, never with an error. What it
//! returns depends on the bytes and the name's row alone, so it can be kept per file version;
//! documents are written from it per node.

pub mod code;
pub mod document;
pub mod entry;
pub mod failure;
pub mod folder;
mod formats;
pub mod lines;
pub mod outline;
pub mod report;
pub mod rows;
pub mod similar;
mod text;
mod yaml;

#[cfg(test)]
mod golden;

pub use document::{FileFacts, FileKind, file_document, has_structure};
pub use failure::{Code, Failure, failure_document};
pub use folder::{TotalKind, Totals, ViewFacts, folder_document};
pub use formats::{outline_key, report_key, row_name};
pub use outline::{Outline, needs_content, outline};
pub use report::{Reason, Report, Tier};
pub use rows::{Resolved, RowSpec, RowState, resolve_rows, row_document};
pub use similar::similar;

use report::Finding;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use text::{Clock, Opened, Text};

/// The stack in bytes that a thread calling [`inspect()`] or [`outline()`] must have: grammars of
/// other people may recurse.
pub const STACK_BYTES: usize = code::STACK_BYTES;

/// How much a probe may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Files of more bytes are tier 3: never opened.
    pub tier_3_bytes: u64,
    /// Parsers are given no text of more bytes; lines and records are counted all the same.
    pub parser_bytes: usize,
    /// How long parsers may take; at most 2 s whatever is set.
    pub time: Duration,
    /// How many names the structure of code lists; at most 20 whatever is set.
    pub max_names: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tier_3_bytes: 52_428_800,
            parser_bytes: 2 * 1024 * 1024,
            time: Duration::from_millis(100),
            max_names: 8,
        }
    }
}

impl Limits {
    /// Whether a file of `size` bytes is tier 3, so that its content must not be opened.
    pub fn is_tier_3(&self, size: u64) -> bool {
        size > self.tier_3_bytes
    }
}

/// Probes a file of `size` bytes as what its `name` stands for. Of a tier-3 file nothing is
/// read.
///
/// # Errors
///
/// Only those of reading; whatever the content is, there is a report.
pub fn inspect(
    name: &[u8],
    size: u64,
    content: &mut dyn Read,
    limits: &Limits,
) -> io::Result<Report> {
    if limits.is_tier_3(size) {
        return Ok(Report::too_large(name));
    }
    let mut text = match Text::open(content, limits, Clock::start(limits))? {
        Opened::Text(text) => text,
        Opened::Binary => return Ok(Report::binary(name)),
    };
    let probe = AssertUnwindSafe(|| formats::probe(name, &mut text, limits));
    let finding = match catch_unwind(probe) {
        Ok(finding) => finding?,
        // A fault of a parser costs this answer, not the daemon.
        Err(_) => Finding::missing(Reason::Invalid),
    };
    // The encoding and the line ends are those of the whole file.
    text.count_lines()?;
    Ok(Report {
        row: row_name(name),
        tier: Tier::Text,
        encoding: text.encoding(),
        bom: text.has_bom(),
        eol: text.eol(),
        finding,
    })
}

#[cfg(test)]
mod tests;
