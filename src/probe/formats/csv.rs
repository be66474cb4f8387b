//! CSV and TSV: headers, records and the delimiter, which the header decides.
//!
//! The header is read from the first part of the file; records stream to its end in constant
//! memory, however long a field is. Quotes
//! follow RFC 4180: a field that starts with one goes on to the next that is not doubled. Blank
//! lines are no records. Values are counted, never kept.

mod records;

use super::super::Limits;
use super::super::report::{Finding, Reason};
use super::super::text::Text;
use super::names::{LISTED, capped};
use records::Records;
use serde::Serialize;
use std::io;

/// Ties go to the first.
const DELIMITERS: [u8; 4] = *b",;\t|";

#[derive(Serialize)]
struct Structure {
    headers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_complete: Option<bool>,
}

pub(super) fn probe_csv(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    let counts = delimiter_counts(text.head());
    let most = counts.iter().max().copied().unwrap_or(0);
    let at = counts.iter().position(|&count| count == most).unwrap_or(0);
    probe(text, DELIMITERS[at])
}

/// The name says tab; only a header without any tab says otherwise.
pub(super) fn probe_tsv(text: &mut Text<'_>, limits: &Limits) -> io::Result<Finding> {
    let counts = delimiter_counts(text.head());
    if counts[2] > 0 || counts.iter().all(|&count| count == 0) {
        probe(text, b'\t')
    } else {
        probe_csv(text, limits)
    }
}

/// How often each delimiter stands in the header outside quotes.
fn delimiter_counts(text: &str) -> [usize; 4] {
    let header = text.trim_start_matches(['\r', '\n']).as_bytes();
    // A quote that never closes would make all of the text the header.
    count_delimiters(header, Quotes::Honoured)
        .or_else(|| count_delimiters(header, Quotes::Ignored))
        .unwrap_or_default()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Honoured,
    Ignored,
}

/// `None` if the header ends within quotes.
fn count_delimiters(header: &[u8], quotes: Quotes) -> Option<[usize; 4]> {
    let mut counts = [0; 4];
    let (mut inside, mut field_starts) = (false, true);
    for &byte in header {
        if inside {
            // A doubled quote closes and, as nothing stands between, opens again.
            inside = byte != b'"';
            field_starts = byte == b'"';
            continue;
        }
        match byte {
            b'\r' | b'\n' => return Some(counts),
            b'"' if field_starts && quotes == Quotes::Honoured => inside = true,
            _ => {
                let delimiter = DELIMITERS.iter().position(|&known| known == byte);
                field_starts = delimiter.is_some();
                if let Some(at) = delimiter {
                    counts[at] += 1;
                }
            }
        }
    }
    (!inside).then_some(counts)
}

fn probe(text: &mut Text<'_>, delimiter: u8) -> io::Result<Finding> {
    let header = Header::read(text.head(), text.is_whole(), delimiter);
    let mut records = Records::new(delimiter);
    records.feed(text.head().as_bytes());
    while let Some(chunk) = text.next_chunk()? {
        records.feed(chunk);
    }
    let in_time = text.count_lines()?.is_some();
    let closed = records.finish();
    let columns = header.columns;
    let structure = Structure {
        headers: header.names,
        columns: (columns > LISTED as u64).then_some(columns),
        rows: in_time.then(|| records.count().saturating_sub(1)),
        delimiter: (delimiter != b',').then_some(char::from(delimiter)),
        parse_complete: (in_time && !(closed && header.whole)).then_some(false),
    };
    Ok(Finding::new(
        &structure,
        (!in_time).then_some(Reason::Timeout),
    ))
}

/// The first record, as far as the first part of the file has it.
#[derive(Default)]
struct Header {
    names: Vec<String>,
    columns: u64,
    /// Whether all of it was there.
    whole: bool,
}

impl Header {
    fn read(head: &str, is_all: bool, delimiter: u8) -> Self {
        let head = without_blank_lines(head);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .from_reader(head.as_bytes());
        let mut record = csv::ByteRecord::new();
        // Bytes in memory are always read, and any record is one.
        if !reader.read_byte_record(&mut record).unwrap_or(false) {
            return Self {
                whole: true,
                ..Self::default()
            };
        }
        let ended = usize::try_from(reader.position().byte()).is_ok_and(|end| end < head.len());
        let closed = head.ends_with(['\r', '\n']);
        Self {
            names: record
                .iter()
                .take(LISTED)
                .map(|name| capped(&String::from_utf8_lossy(name)))
                .collect(),
            columns: record.len() as u64,
            whole: ended || closed || is_all,
        }
    }
}

/// Blank lines are no records, so the header comes after those at the start.
fn without_blank_lines(text: &str) -> &str {
    let start = text.trim_start();
    let blanks = text.len() - start.len();
    let line = text[..blanks].rfind(['\r', '\n']).map_or(0, |at| at + 1);
    &text[line..]
}

#[cfg(test)]
mod tests;
