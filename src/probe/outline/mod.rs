//! Outlines: the symbols of a file with their row identities, as one JSON line.
//!
//! Parsers give entries with byte spans (`entry`); here they become rows through the one line
//! table, and the longest prefix of whole entries that fits the output is kept. The contract is
//! the types in `document`: field names, order and presence.

mod document;
pub(crate) mod json;
pub(crate) mod markdown;

use super::code::{self, Language, Stop};
use super::document::line;
use super::entry::Entry;
use super::failure::{Code, Failure};
use super::lines::LineTable;
use super::text::{Clock, EncodingCheck, LineTally, read_until};
use super::{Limits, formats};
use document::{Cut, Data, Document, Truncation, entry_json};
use serde_json::value::RawValue;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// The most bytes a document has, with its LF.
const OUTPUT_BYTES: usize = 65_536;

/// Why a parser stopped before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    Time,
    Depth,
}

/// What a parser found.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// By start offset, then discovery.
    pub(crate) entries: Vec<Entry>,
    /// False where it recovered or stopped.
    pub(crate) complete: bool,
    pub(crate) stopped: Option<Stopped>,
}

/// How an outline is made.
#[derive(Clone, Copy)]
pub(crate) enum Outliner {
    Code(&'static Language),
    Text {
        kind: &'static str,
        parse: fn(&str, Instant) -> Parsed,
    },
}

pub(crate) const JSON: Outliner = Outliner::Text {
    kind: "json",
    parse: json::parse,
};

pub(crate) const MARKDOWN: Outliner = Outliner::Text {
    kind: "markdown",
    parse: markdown::parse,
};

impl Outliner {
    fn parse(self, source: &str, deadline: Instant) -> Parsed {
        match self {
            Self::Text { parse, .. } => parse(source, deadline),
            Self::Code(language) => {
                let outline = code::parse(language, source.as_bytes(), deadline);
                Parsed {
                    entries: outline.entries,
                    complete: outline.complete,
                    stopped: outline.stopped.map(|stop| match stop {
                        Stop::Time => Stopped::Time,
                        Stop::Depth => Stopped::Depth,
                    }),
                }
            }
        }
    }
}

/// The outline of one version of a file under one outline row, without its path.
#[derive(Debug, Clone)]
pub struct Outline {
    kind: &'static str,
    language: Option<&'static str>,
    size_bytes: u64,
    line_count: Option<u64>,
    parse_complete: bool,
    stopped: Option<Truncation>,
    /// Entries as JSON, with commas between them; none that cannot fit.
    entries: String,
    /// The end in `entries` of each entry.
    ends: Vec<usize>,
    /// How many entries the parser found.
    found: usize,
}

/// Whether the outline of `name` depends on the file's content.
pub fn needs_content(name: &[u8]) -> bool {
    formats::outliner(name).is_some()
}

/// The outline of a file of `size` bytes. Of a name without outline row nothing is read.
///
/// # Errors
///
/// The outer error is that of reading; the inner one says why the file has no outline.
pub fn outline(
    name: &[u8],
    size: u64,
    content: &mut dyn Read,
    limits: &Limits,
) -> io::Result<Result<Outline, Failure>> {
    let Some(outliner) = formats::outliner(name) else {
        return Ok(Ok(Outline::none(size)));
    };
    if size > limits.tier_3_bytes {
        return Ok(Ok(Outline::too_large(name, size)));
    }
    let clock = Clock::start(limits);
    let mut content = content.take(limits.tier_3_bytes.saturating_add(1));
    let mut raw = Vec::new();
    read_until(
        &mut content,
        &mut raw,
        limits.parser_bytes.saturating_add(1),
    )?;
    if raw.len() > limits.parser_bytes {
        return beyond_the_cap(name, size, raw, &mut content, clock);
    }
    let Ok(source) = std::str::from_utf8(&raw) else {
        return Ok(Err(not_utf8(name)));
    };
    let parse = AssertUnwindSafe(|| outliner.parse(source, clock.parse));
    let Ok(parsed) = catch_unwind(parse) else {
        let message = format!("'{}' cannot be parsed", String::from_utf8_lossy(name));
        return Ok(Err(Failure::new(Code::Parse, message)));
    };
    Ok(Ok(Outline::of(outliner, size, &raw, &parsed)))
}

/// Counts the lines and checks the encoding of a file that no parser is given.
fn beyond_the_cap(
    name: &[u8],
    size: u64,
    mut chunk: Vec<u8>,
    content: &mut dyn Read,
    clock: Clock,
) -> io::Result<Result<Outline, Failure>> {
    const CHUNK_BYTES: usize = 64 * 1024;
    let (mut lines, mut check) = (LineTally::default(), EncodingCheck::default());
    let mut in_time = true;
    while !chunk.is_empty() && in_time {
        lines.feed(&chunk);
        check.feed(&chunk);
        chunk.clear();
        read_until(content, &mut chunk, CHUNK_BYTES)?;
        in_time = chunk.is_empty() || !clock.all_is_over();
    }
    if in_time {
        check.finish();
    }
    if !check.is_utf_8() {
        return Ok(Err(not_utf8(name)));
    }
    lines.finish();
    let mut outline = Outline::too_large(name, size);
    outline.line_count = in_time.then_some(lines.count);
    Ok(Ok(outline))
}

fn not_utf8(name: &[u8]) -> Failure {
    let message = format!("'{}' is not valid UTF-8", String::from_utf8_lossy(name));
    Failure::new(Code::NotUtf8, message)
}

impl Outline {
    /// The outline of a file whose name has no outline row.
    pub fn none(size: u64) -> Self {
        Self {
            kind: "none",
            language: None,
            size_bytes: size,
            line_count: None,
            parse_complete: true,
            stopped: None,
            entries: String::new(),
            ends: Vec::new(),
            found: 0,
        }
    }

    /// The outline of a tier-3 file, which is not opened.
    pub fn too_large(name: &[u8], size: u64) -> Self {
        let Some(outliner) = formats::outliner(name) else {
            return Self::none(size);
        };
        let (kind, language) = match outliner {
            Outliner::Code(language) => ("code", Some(language.name)),
            Outliner::Text { kind, .. } => (kind, None),
        };
        Self {
            kind,
            language,
            parse_complete: false,
            stopped: Some(Truncation::InputBytes),
            ..Self::none(size)
        }
    }

    fn of(outliner: Outliner, size: u64, raw: &[u8], parsed: &Parsed) -> Self {
        let lines = LineTable::new(raw);
        let mut outline = Self {
            line_count: Some(lines.count() as u64),
            parse_complete: parsed.complete && parsed.stopped.is_none(),
            stopped: parsed.stopped.map(|stopped| match stopped {
                Stopped::Time => Truncation::Time,
                Stopped::Depth => Truncation::Depth,
            }),
            found: parsed.entries.len(),
            ..match outliner {
                Outliner::Code(language) => Self {
                    kind: "code",
                    language: Some(language.name),
                    ..Self::none(size)
                },
                Outliner::Text { kind, .. } => Self {
                    kind,
                    ..Self::none(size)
                },
            }
        };
        for entry in &parsed.entries {
            let Some(json) = entry_json(entry, &lines) else {
                outline.found -= 1; // an entry outside the text
                continue;
            };
            if outline.entries.len() + json.len() > OUTPUT_BYTES {
                break;
            }
            if !outline.ends.is_empty() {
                outline.entries.push(',');
            }
            outline.entries.push_str(&json);
            outline.ends.push(outline.entries.len());
        }
        outline
    }

    /// Whether the parser ran out of time: another try may say more.
    pub fn timed_out(&self) -> bool {
        self.stopped == Some(Truncation::Time)
    }

    /// The heap this outline holds, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.entries.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    /// The outline document for `path` (relative to the workspace), with its LF.
    ///
    /// # Errors
    ///
    /// `output_limit` if not even an empty outline fits.
    pub fn document(&self, path: &str) -> Result<Vec<u8>, Failure> {
        // What is kept, with the reason for what is not.
        let keep = |kept: usize| {
            let reason = if kept < self.found {
                Some(Truncation::OutputBytes)
            } else {
                self.stopped
            };
            let truncation = reason.map(|reason| Cut {
                reason,
                after_entries: kept,
            });
            (kept, truncation)
        };
        let length = |(kept, truncation): (usize, Option<Cut>)| {
            let entries = kept.checked_sub(1).and_then(|last| self.ends.get(last));
            self.write(path, "", truncation).len() + entries.copied().unwrap_or(0)
        };
        let mut choice = keep(self.found);
        if self.ends.len() < self.found || length(choice) > OUTPUT_BYTES {
            let candidates: Vec<usize> = (0..=self.ends.len().min(self.found)).collect();
            let fitting = candidates.partition_point(|&kept| length(keep(kept)) <= OUTPUT_BYTES);
            let Some(kept) = fitting.checked_sub(1) else {
                let message = "the path is too long for an outline document";
                return Err(Failure::new(Code::OutputLimit, message));
            };
            choice = keep(kept);
        }
        let (kept, truncation) = choice;
        let end = kept.checked_sub(1).and_then(|last| self.ends.get(last));
        let entries = self.entries.get(..end.copied().unwrap_or(0));
        Ok(self.write(path, entries.unwrap_or_default(), truncation))
    }

    fn write(&self, path: &str, entries: &str, truncation: Option<Cut>) -> Vec<u8> {
        let outline = RawValue::from_string(format!("[{entries}]"));
        let outline = outline.as_deref().unwrap_or(RawValue::NULL);
        line(&Document {
            ok: true,
            data: Data {
                path,
                kind: self.kind,
                language: self.language,
                size_bytes: self.size_bytes,
                line_count: self.line_count,
                parse_complete: self.parse_complete,
                outline,
            },
            truncated: truncation.is_some(),
            truncation,
        })
    }
}

#[cfg(test)]
mod tests;
