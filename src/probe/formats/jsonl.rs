//! JSON Lines: how many records, and the keys of the first.
//!
//! A record is a line that is not blank. Lines are counted to the end of the file; those within
//! the parsers' cap are checked, and the first broken one is named.

use super::super::Limits;
use super::super::lines::{LineStream, LineTable, Piece};
use super::super::report::{Finding, Reason};
use super::super::text::{Clock, Text};
use super::json::{Ended, Top};
use serde::Serialize;
use serde::de::IgnoredAny;
use std::io;

#[derive(Default, Serialize)]
struct Structure {
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_line: Option<usize>,
}

pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    let mut structure = Structure::default();
    let mut reason = check_head(text.head(), text.is_whole(), text.clock(), &mut structure);
    let mut records = RecordCount::default();
    records.feed(text.head().as_bytes());
    while let Some(chunk) = text.next_chunk()? {
        records.feed(chunk);
    }
    if text.count_lines()?.is_some() {
        structure.records = Some(records.finish());
    } else {
        reason = Some(Reason::Timeout);
    }
    Ok(Finding::new(&structure, reason))
}

/// Checks the lines in memory; a last line that the cap has cut is left alone.
fn check_head(head: &str, whole: bool, clock: Clock, structure: &mut Structure) -> Option<Reason> {
    let lines = LineTable::new(head.as_bytes());
    let complete = lines.count() - usize::from(!whole && lines.count() > 0);
    let mut first = true;
    for number in 1..=lines.count() {
        let record = lines
            .line(number)
            .and_then(|line| std::str::from_utf8(line).ok());
        let Some(record) = record.filter(|record| !is_blank(record.as_bytes())) else {
            continue;
        };
        if !first {
            if number > complete || clock.parsing_is_over() {
                return None;
            }
            if serde_json::from_str::<IgnoredAny>(record).is_err() {
                (structure.valid, structure.error_line) = (Some(false), Some(number));
                return None;
            }
            continue;
        }
        first = false;
        let (top, ended) = Top::parse(record, clock);
        let broken = ended.is_err();
        if let Top::Object(keys) = top {
            // How many keys a record has is known at its end.
            structure.key_count = (!broken).then_some(keys.count());
            structure.keys = Some(keys.listed);
        }
        match ended {
            Ok(()) => {}
            Err(Ended::Timeout) => return Some(Reason::Timeout),
            Err(Ended::Invalid { early: false, .. }) if number > complete => {
                return Some(Reason::TooLarge);
            }
            Err(Ended::Invalid { .. }) => {
                (structure.valid, structure.error_line) = (Some(false), Some(number));
                return None;
            }
        }
    }
    None
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

#[derive(Default)]
struct RecordCount {
    lines: LineStream,
    count: u64,
    filled: bool,
}

impl RecordCount {
    fn feed(&mut self, chunk: &[u8]) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(chunk, |piece| self.take(&piece));
        self.lines = lines;
    }

    fn finish(mut self) -> u64 {
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|piece| self.take(&piece));
        self.count
    }

    fn take(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Bytes(bytes) => self.filled |= !is_blank(bytes),
            Piece::End(_) => self.count += u64::from(std::mem::take(&mut self.filled)),
        }
    }
}

#[cfg(test)]
mod tests;
