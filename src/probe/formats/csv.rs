//! CSV and TSV: headers, records and the delimiter, which the header decides.
//!
//! Records stream to the end of the file in constant memory, however long a field is. Quotes
//! follow RFC 4180: a field that starts with one goes on to the next that is not doubled. Blank
//! lines are no records. Values are counted, never kept.

mod records;

use super::super::Limits;
use super::super::report::{Finding, Reason};
use super::super::text::Text;
use super::names::{LISTED, capped_of};
use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use records::Records;
use serde::Serialize;
use std::io;

/// More than a header's name ever shows.
const FIELD_BYTES: usize = 1024;
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
    let mut table = Table::new(delimiter);
    table.feed(text.head().as_bytes());
    while let Some(chunk) = text.next_chunk()? {
        table.feed(chunk);
    }
    let in_time = text.count_lines()?.is_some();
    let closed = table.finish();
    let columns = table.header.columns;
    let structure = Structure {
        headers: table.header.names,
        columns: (columns > LISTED as u64).then_some(columns),
        rows: in_time.then_some(table.records.count()),
        delimiter: (delimiter != b',').then_some(char::from(delimiter)),
        parse_complete: (in_time && !closed).then_some(false),
    };
    Ok(Finding::new(
        &structure,
        (!in_time).then_some(Reason::Timeout),
    ))
}

/// The first record.
#[derive(Default)]
struct Header {
    names: Vec<String>,
    columns: u64,
    /// The start of the field being read: a quote that never closes makes one of 50 MB.
    field: Vec<u8>,
    /// Characters of the field past what is kept.
    left_out: usize,
    over: bool,
}

impl Header {
    fn take(&mut self, bytes: &[u8]) {
        let room = FIELD_BYTES.saturating_sub(self.field.len());
        let (kept, left_out) = bytes.split_at(room.min(bytes.len()));
        self.field.extend_from_slice(kept);
        self.left_out += left_out.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    }

    fn end_field(&mut self) {
        self.columns += 1;
        if self.names.len() < LISTED {
            let name = String::from_utf8_lossy(&self.field);
            self.names.push(capped_of(&name, self.left_out));
        }
        self.field.clear();
        self.left_out = 0;
    }
}

struct Table {
    reader: Reader,
    header: Header,
    records: Records,
    bytes: Box<[u8; 4096]>,
}

impl Table {
    fn new(delimiter: u8) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            header: Header::default(),
            records: Records::new(delimiter),
            bytes: Box::new([0; 4096]),
        }
    }

    fn feed(&mut self, mut input: &[u8]) {
        while !input.is_empty() && !self.header.over {
            input = self.read_header(input).0;
        }
        self.records.feed(input);
    }

    /// Ends the table; false if it ends within quotes.
    fn finish(&mut self) -> bool {
        if self.header.over {
            return self.records.finish();
        }
        // A line end closes a header but one within quotes; then the end of input does.
        self.feed(b"\n");
        while !self.header.over {
            let (_, went_on, ended) = self.read_header(b"");
            if !went_on {
                return !ended;
            }
        }
        true
    }

    /// The input left; whether there is more to come for it; whether the record ended.
    fn read_header<'a>(&mut self, input: &'a [u8]) -> (&'a [u8], bool, bool) {
        let (result, read, written) = self.reader.read_field(input, &mut *self.bytes);
        self.header
            .take(self.bytes.get(..written).unwrap_or_default());
        let rest = input.get(read..).unwrap_or_default();
        match result {
            ReadFieldResult::Field { record_end } => {
                self.header.end_field();
                self.header.over = record_end;
                (rest, !record_end, record_end)
            }
            ReadFieldResult::OutputFull => (rest, true, false),
            ReadFieldResult::InputEmpty | ReadFieldResult::End => (rest, false, false),
        }
    }
}

#[cfg(test)]
mod tests;
