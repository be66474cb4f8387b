//! Row identities as they are asked for, and where those rows are now.
//!
//! `LINE:HASH` names a line, `A..B` a span of them. A row that moved is found again only where
//! exactly one line has its hash; nothing is guessed. The text streams, in constant memory.

use super::document::line;
use super::failure::{Code, Failure};
use super::lines::{LineStream, Piece, RowId};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{self, Read};
use std::str::FromStr;

/// One row or a span of rows, as asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSpec {
    first: RowId,
    last: Option<RowId>,
}

impl RowSpec {
    /// The last row; of a single row the row itself.
    fn end(&self) -> RowId {
        self.last.unwrap_or(self.first)
    }
}

impl FromStr for RowSpec {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let usage = || {
            let message = "a row is LINE:HASH or LINE:HASH..LINE:HASH, with four hex digits";
            Failure::new(Code::Usage, message)
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (first, Some(row(last).ok_or_else(usage)?)),
            None => (text, None),
        };
        let first = row(first).ok_or_else(usage)?;
        if last.is_some_and(|last| last.line < first.line) {
            return Err(Failure::new(Code::Usage, "the span ends before it starts"));
        }
        Ok(Self { first, last })
    }
}

fn row(text: &str) -> Option<RowId> {
    let (number, hash) = text.split_once(':')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let lower_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !digits(number) || hash.len() != 4 || !hash.bytes().all(lower_hex) {
        return None;
    }
    let line = number.parse().ok().filter(|&line| line > 0)?;
    let hash = u16::from_str_radix(hash, 16).ok()?.to_be_bytes();
    Some(RowId { line, hash })
}

/// Whether a row still is where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// It is.
    Exact,
    /// It moved.
    Relocated,
}

/// Where rows are now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolved {
    /// One-based.
    pub line: usize,
    /// Inclusive; `line` for a single row.
    pub line_end: usize,
    /// Whether they moved.
    pub state: RowState,
}

/// What the text shows of one asked row.
struct Sought {
    row: RowId,
    exact: bool,
    candidates: usize,
    candidate: usize,
}

impl Sought {
    fn new(row: RowId) -> Self {
        Self {
            row,
            exact: false,
            candidates: 0,
            candidate: 0,
        }
    }

    /// Takes a line that has the hash.
    fn meet(&mut self, line: usize) {
        self.exact |= line == self.row.line;
        self.candidates = self.candidates.saturating_add(1);
        self.candidate = line;
    }

    fn found(&self, count: usize) -> Result<usize, Failure> {
        let line = self.row.line;
        if self.exact {
            Ok(line)
        } else if self.candidates == 1 {
            Ok(self.candidate)
        } else if line > count && self.candidates == 0 {
            let message = format!("line {line} is past the end ({count} lines)");
            Err(Failure::new(Code::RowMissing, message))
        } else if self.candidates == 0 {
            let message = format!("line {line} has changed and is nowhere else");
            Err(Failure::new(Code::RowStale, message))
        } else {
            let places = self.candidates;
            let message = format!("line {line} has changed; {places} lines have its hash");
            Err(Failure::new(Code::RowStale, message))
        }
    }
}

/// Finds the asked rows in a text of any size, all in one pass; the answers are in the order
/// of `specs`.
///
/// # Errors
///
/// The outer error is that of reading; the inner ones are `row_missing` or `row_stale`.
pub fn resolve_rows(
    content: &mut dyn Read,
    specs: &[RowSpec],
) -> io::Result<Vec<Result<Resolved, Failure>>> {
    // A row that is asked for twice is sought once.
    let mut sought: HashMap<[u8; 2], HashMap<usize, Sought>> = HashMap::new();
    for row in specs.iter().flat_map(|spec| [spec.first, spec.end()]) {
        let of_hash = sought.entry(row.hash).or_default();
        of_hash.insert(row.line, Sought::new(row));
    }
    let count = for_each_row(content, |met| {
        for sought in sought.get_mut(&met.hash).into_iter().flatten() {
            sought.1.meet(met.line);
        }
    })?;
    let found = |row: RowId| {
        let sought = sought.get(&row.hash).and_then(|of| of.get(&row.line));
        sought.map_or_else(
            || Sought::new(row).found(count),
            |sought| sought.found(count),
        )
    };
    let answers = specs.iter().map(|spec| {
        let line = found(spec.first)?;
        settled(*spec, line, found(spec.end())?)
    });
    Ok(answers.collect())
}

/// Both ends moved equally if what lies between is as long as before.
fn settled(spec: RowSpec, line: usize, line_end: usize) -> Result<Resolved, Failure> {
    if line.checked_add(spec.end().line - spec.first.line) != Some(line_end) {
        let message = "the two ends moved by different distances";
        return Err(Failure::new(Code::RowStale, message));
    }
    let state = if line == spec.first.line {
        RowState::Exact
    } else {
        RowState::Relocated
    };
    Ok(Resolved {
        line,
        line_end,
        state,
    })
}

/// Hashes every line; gives their number.
fn for_each_row(content: &mut dyn Read, mut on: impl FnMut(RowId)) -> io::Result<usize> {
    const CHUNK_BYTES: u64 = 64 * 1024;
    let mut stream = LineStream::default();
    let mut hasher = Sha256::new();
    let mut count = 0;
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Bytes(bytes) => hasher.update(bytes),
        Piece::End(_) => {
            let digest = hasher.finalize_reset();
            count += 1;
            on(RowId {
                line: count,
                hash: [digest[0], digest[1]],
            });
        }
    };
    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        content.take(CHUNK_BYTES).read_to_end(&mut chunk)?;
        if chunk.is_empty() {
            break;
        }
        stream.feed(&chunk, &mut take);
    }
    stream.finish(&mut take);
    Ok(count)
}

#[derive(Serialize)]
struct Document<'a> {
    ok: bool,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    path: &'a str,
    line: usize,
    line_end: usize,
    state: RowState,
}

/// The answer for `path` (relative to the workspace), with its LF.
pub fn row_document(path: &str, resolved: &Resolved) -> Vec<u8> {
    line(&Document {
        ok: true,
        data: Data {
            path,
            line: resolved.line,
            line_end: resolved.line_end,
            state: resolved.state,
        },
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn resolve(text: &str, spec: &str) -> Result<(usize, usize, RowState), Code> {
        let spec: RowSpec = spec.parse().map_err(|failure: Failure| failure.code)?;
        let mut resolved = resolve_rows(&mut text.as_bytes(), &[spec]).unwrap();
        let resolved = resolved.pop().unwrap();
        resolved
            .map(|found| (found.line, found.line_end, found.state))
            .map_err(|failure| failure.code)
    }

    // a = ca97, b = 3e23, c = 2e7d, empty = e3b0

    #[test]
    fn a_row_is_exact_moved_missing_or_stale() {
        use RowState::{Exact, Relocated};
        assert_eq!(resolve("a\nb\nc\n", "2:3e23"), Ok((2, 2, Exact)));
        assert_eq!(
            resolve("b\nb\nc\n", "2:3e23"),
            Ok((2, 2, Exact)),
            "though there are two"
        );
        assert_eq!(resolve("x\na\nb\n", "1:ca97"), Ok((2, 2, Relocated)));
        assert_eq!(
            resolve("a\n", "9:ca97"),
            Ok((1, 1, Relocated)),
            "also from past the end"
        );
        assert_eq!(resolve("x\na\na\n", "1:ca97"), Err(Code::RowStale));
        assert_eq!(
            resolve("a\na\n", "9:ca97"),
            Err(Code::RowStale),
            "several candidates"
        );
        assert_eq!(resolve("x\n", "1:ca97"), Err(Code::RowStale));
        assert_eq!(resolve("x\n", "2:ca97"), Err(Code::RowMissing));
        assert_eq!(resolve("", "1:e3b0"), Err(Code::RowMissing));
    }

    #[test]
    fn a_span_moves_as_one_or_not_at_all() {
        use RowState::{Exact, Relocated};
        assert_eq!(resolve("a\nb\nc\n", "1:ca97..3:2e7d"), Ok((1, 3, Exact)));
        assert_eq!(resolve("a\n", "1:ca97..1:ca97"), Ok((1, 1, Exact)));
        assert_eq!(
            resolve("x\na\nb\nc\n", "1:ca97..3:2e7d"),
            Ok((2, 4, Relocated))
        );
        assert_eq!(
            resolve("a\nb\nx\nc\n", "1:ca97..3:2e7d"),
            Err(Code::RowStale)
        );
        assert_eq!(resolve("x\na\nc\n", "1:ca97..3:2e7d"), Err(Code::RowStale));
        assert_eq!(resolve("a\nb\n", "1:ca97..3:2e7d"), Err(Code::RowMissing));
    }

    #[test]
    fn many_rows_are_answered_in_their_order() {
        let specs = [
            "3:2e7d",
            "1:3e23",
            "1:ca97",
            "9:0000",
            "1:3e23..2:2e7d",
            "3:2e7d",
        ];
        let specs = specs.map(|spec| spec.parse().unwrap());
        let answers: Vec<_> = resolve_rows(&mut &b"a\nb\nc\n"[..], &specs)
            .unwrap()
            .into_iter()
            .map(|answer| answer.map(|found| (found.line, found.line_end)))
            .map(|answer| answer.map_err(|failure| failure.code))
            .collect();
        assert_eq!(
            answers,
            [
                Ok((3, 3)),
                Ok((2, 2)),
                Ok((1, 1)),
                Err(Code::RowMissing),
                Ok((2, 3)),
                Ok((3, 3))
            ]
        );
    }

    #[test]
    fn what_is_no_row_is_a_usage_error() {
        for spec in [
            "",
            "1",
            "1:",
            ":ca97",
            "0:ca97",
            "-1:ca97",
            "+1:ca97",
            "1:CA97",
            "1:ca9",
            "1:ca977",
            "1:+a97",
            "1:ca97..",
            "..1:ca97",
            "1:ca97...2:ca97",
            "2:ca97..1:ca97",
            "1 :ca97",
            "99999999999999999999:ca97",
            "1:ça9",
        ] {
            assert_eq!(resolve("a\n", spec), Err(Code::Usage), "{spec}");
        }
    }

    #[test]
    fn the_document_has_these_fields_in_this_order() {
        let resolved = Resolved {
            line: 3,
            line_end: 4,
            state: RowState::Relocated,
        };
        assert_eq!(
            String::from_utf8_lossy(&row_document("a/b", &resolved)),
            "{\"ok\":true,\"data\":{\"path\":\"a/b\",\"line\":3,\"line_end\":4,\"state\":\"relocated\"}}\n"
        );
    }
}
