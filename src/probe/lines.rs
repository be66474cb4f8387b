//! The one line table: logical lines and row identities from byte offsets.
//!
//! A line ends at CRLF, a lone CR or LF, and at nothing else. A final terminator opens no
//! further line; an empty file has no line. Parsers count rows their own way (tree-sitter
//! knows LF alone), so every line number in a document comes from here.

use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// What ended a line of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminator {
    /// LF.
    Lf,
    /// CR and LF.
    CrLf,
    /// A CR that no LF follows.
    Cr,
    /// The end of the text, after at least one byte.
    EndOfText,
}

/// What a [`LineStream`] hands over.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes of the current line; a line may come in several pieces, or in none.
    Bytes(&'a [u8]),
    /// The current line is over.
    End(Terminator),
}

/// The logical lines of a text that comes in chunks, in constant memory.
#[derive(Debug, Default)]
pub struct LineStream {
    /// The last byte was a CR: whether an LF belongs to it is not known yet.
    after_cr: bool,
    /// The current line has bytes.
    open: bool,
}

impl LineStream {
    /// Takes the next `chunk` and hands over what it holds, in order.
    pub fn feed<'a>(&mut self, chunk: &'a [u8], mut on: impl FnMut(Piece<'a>)) {
        let mut rest = chunk;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            if let Some(after) = rest.strip_prefix(b"\n") {
                on(Piece::End(Terminator::CrLf));
                rest = after;
            } else {
                on(Piece::End(Terminator::Cr));
            }
        }
        while let Some(at) = memchr::memchr2(b'\r', b'\n', rest) {
            let (line, ended) = rest.split_at(at);
            if !line.is_empty() {
                on(Piece::Bytes(line));
            }
            self.open = false;
            if let Some(after) = ended.strip_prefix(b"\r\n") {
                on(Piece::End(Terminator::CrLf));
                rest = after;
            } else if let Some(after) = ended.strip_prefix(b"\n") {
                on(Piece::End(Terminator::Lf));
                rest = after;
            } else if ended.len() > 1 {
                on(Piece::End(Terminator::Cr));
                rest = &ended[1..];
            } else {
                self.after_cr = true;
                rest = &[];
            }
        }
        if !rest.is_empty() {
            self.open = true;
            on(Piece::Bytes(rest));
        }
    }

    /// Ends the text.
    pub fn finish(&mut self, mut on: impl FnMut(Piece<'static>)) {
        if std::mem::take(&mut self.after_cr) {
            on(Piece::End(Terminator::Cr));
        }
        if std::mem::take(&mut self.open) {
            on(Piece::End(Terminator::EndOfText));
        }
    }
}

/// `LINE:HASH`: a one-based line number and the first two bytes of SHA-256 over the line's
/// exact bytes without its terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowId {
    /// One-based line number.
    pub line: usize,
    /// The first two bytes of the hash.
    pub hash: [u8; 2],
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:02x}{:02x}", self.line, self.hash[0], self.hash[1])
    }
}

impl serde::Serialize for RowId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The logical lines of a text held in memory.
pub struct LineTable<'a> {
    text: &'a [u8],
    /// Offset of the first byte of each line.
    starts: Vec<usize>,
    /// Boundary lines hashed so far: a one-line file of 2 MB is hashed once, not per entry.
    hashes: RefCell<HashMap<usize, [u8; 2]>>,
}

impl<'a> LineTable<'a> {
    /// Splits `text`, in one pass.
    pub fn new(text: &'a [u8]) -> Self {
        let mut starts = Vec::new();
        let mut start = 0;
        for end in memchr::memchr2_iter(b'\r', b'\n', text) {
            if end < start {
                continue; // the LF of a CRLF already taken
            }
            starts.push(start);
            let crlf = text[end] == b'\r' && text.get(end + 1) == Some(&b'\n');
            start = end + if crlf { 2 } else { 1 };
        }
        if start < text.len() {
            starts.push(start);
        }
        Self {
            text,
            starts,
            hashes: RefCell::default(),
        }
    }

    /// How many lines the text has.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The one-based line that holds the byte at `offset`; a terminator belongs to the line it
    /// ends. Offsets at or past the end belong to the last line (1 for an empty text).
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).max(1)
    }

    /// The bytes of the one-based `line` without its terminator; `None` past the end.
    pub fn line(&self, line: usize) -> Option<&'a [u8]> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        let end = self.starts.get(line).copied().unwrap_or(self.text.len());
        let bytes = &self.text[start..end];
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        // "\r\n" loses both; "\n" alone never follows a kept "\r", which would be a line end.
        Some(bytes.strip_suffix(b"\r").unwrap_or(bytes))
    }

    /// The identity of the one-based `line`; `None` past the end.
    pub fn row(&self, line: usize) -> Option<RowId> {
        let bytes = self.line(line)?;
        let mut hashes = self.hashes.borrow_mut();
        let hash = *hashes.entry(line).or_insert_with(|| {
            let digest = Sha256::digest(bytes);
            [digest[0], digest[1]]
        });
        Some(RowId { line, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &[u8]) -> String {
        let table = LineTable::new(text);
        let rows: Vec<String> = (1..=table.count())
            .filter_map(|line| table.row(line))
            .map(|row| row.to_string())
            .collect();
        rows.join(" ")
    }

    #[test]
    fn row_identities_of_the_contract() {
        assert_eq!(rows(b""), "");
        assert_eq!(rows(b"\n"), "1:e3b0");
        for text in [&b"hello"[..], b"hello\n", b"hello\r\n"] {
            assert_eq!(rows(text), "1:2cf2");
        }
        assert_eq!(rows(b"a\r\nb\rc\n"), "1:ca97 2:3e23 3:2e7d");
        assert_eq!(rows(b"a\x0cb\x0bc\n"), "1:4874");
        assert_eq!(rows(b"a\r\r\nb"), "1:ca97 2:e3b0 3:3e23");
        assert_eq!(rows(b"a\n\rb"), "1:ca97 2:e3b0 3:3e23");
        assert_eq!(rows(b"  x\n\tx\nx \nx\n"), "1:ba90 2:239d 3:2ac3 4:2d71");
        assert_eq!(rows(b"\xef\xbb\xbfhello\n"), "1:7489");
        assert_eq!(rows("a\u{2028}b\u{85}c\n".as_bytes()), "1:9302");
    }

    #[test]
    fn a_stream_has_the_lines_of_the_table_however_it_is_cut() {
        for text in [
            &b""[..],
            b"\n",
            b"a",
            b"a\r\nb\rc\n",
            b"\r\r\n\n\r",
            b"ab\r",
            b"x\n\ry",
            b"\r\n",
        ] {
            let table = LineTable::new(text);
            let expected: Vec<Vec<u8>> = (1..=table.count())
                .filter_map(|line| Some(table.line(line)?.to_vec()))
                .collect();
            for size in 1..=text.len().max(1) {
                let (mut lines, mut current) = (Vec::new(), Vec::new());
                let mut on = |piece: Piece<'_>| match piece {
                    Piece::Bytes(bytes) => current.extend_from_slice(bytes),
                    Piece::End(_) => lines.push(std::mem::take(&mut current)),
                };
                let mut stream = LineStream::default();
                for chunk in text.chunks(size) {
                    stream.feed(chunk, &mut on);
                }
                stream.finish(&mut on);
                assert_eq!(lines, expected, "{text:?} in chunks of {size}");
            }
        }
    }

    #[test]
    fn offsets_map_to_lines() {
        let table = LineTable::new(b"ab\r\nc\rd");
        let lines: Vec<usize> = (0..9).map(|offset| table.line_at(offset)).collect();
        assert_eq!(lines, [1, 1, 1, 1, 2, 2, 3, 3, 3]);
        assert_eq!(LineTable::new(b"").line_at(0), 1);
    }
}
