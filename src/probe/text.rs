//! Bytes to text: byte-order marks, encodings, line ends, and what is no text at all.
//!
//! A `Text` holds the decoded first part of a file (at most the parsers' cap) and streams the
//! rest in constant memory, while lines, line ends and the encoding are tallied over all that
//! passes. Nothing here knows a format.

mod encoding;

pub(crate) use encoding::EncodingCheck;

use super::Limits;
use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};
use std::borrow::Cow;
use std::io::{self, Read};
use std::time::{Duration, Instant};

/// A NUL within these first bytes makes a file binary.
const SNIFFED_BYTES: usize = 8192;
const CHUNK_BYTES: usize = 64 * 1024;
const UTF_8_BOM: &[u8] = b"\xef\xbb\xbf";
/// No setting makes one answer take longer.
const HARD_TIME: Duration = Duration::from_secs(2);

/// When one answer has to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    /// Parsers stop here.
    pub(crate) parse: Instant,
    /// Streaming stops here, too.
    hard: Instant,
}

impl Clock {
    pub(crate) fn start(limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            parse: now + limits.time.min(HARD_TIME),
            hard: now + HARD_TIME,
        }
    }

    pub(crate) fn parsing_is_over(&self) -> bool {
        Instant::now() >= self.parse
    }

    pub(crate) fn all_is_over(&self) -> bool {
        Instant::now() >= self.hard
    }
}

/// What a file turned out to be.
pub(crate) enum Opened<'a> {
    Text(Box<Text<'a>>),
    /// A NUL among the first bytes, and no UTF-16.
    Binary,
}

/// A text, its first part in memory.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Text<'a> {
    rest: io::Take<&'a mut dyn Read>,
    /// Raw bytes already read that the head does not hold.
    carry: Vec<u8>,
    head: String,
    whole: bool,
    bom: bool,
    utf_16: Option<(&'static str, Decoder)>,
    check: EncodingCheck,
    lines: LineTally,
    clock: Clock,
    ended: bool,
    cut: bool,
    raw: Vec<u8>,
    decoded: Vec<u8>,
}

impl<'a> Text<'a> {
    /// Reads the first part of `content`; never more than a tier-3 file's size in all.
    pub(crate) fn open(
        content: &'a mut dyn Read,
        limits: &Limits,
        clock: Clock,
    ) -> io::Result<Opened<'a>> {
        let mut rest = content.take(limits.tier_3_bytes.saturating_add(1));
        let mut raw = Vec::new();
        read_until(&mut rest, &mut raw, SNIFFED_BYTES)?;
        let utf_16 = utf_16_of(&raw);
        if utf_16.is_none() && memchr::memchr(0, &raw).is_some() {
            return Ok(Opened::Binary);
        }
        // Never so little that a byte-order mark is cut.
        let cap = limits.parser_bytes.max(UTF_8_BOM.len());
        read_until(&mut rest, &mut raw, cap.saturating_add(1))?;
        let whole = raw.len() <= cap;
        let mut text = Self {
            rest,
            carry: raw.split_off(raw.len().min(cap)),
            head: String::new(),
            whole,
            bom: utf_16.is_some() || raw.starts_with(UTF_8_BOM),
            utf_16,
            check: EncodingCheck::default(),
            lines: LineTally::default(),
            clock,
            ended: false,
            cut: false,
            raw: Vec::new(),
            decoded: Vec::new(),
        };
        text.head = text.decode_head(raw);
        text.lines.feed(text.head.as_bytes());
        if whole {
            text.end();
        }
        Ok(Opened::Text(Box::new(text)))
    }

    /// The decoded first part, without byte-order mark.
    pub(crate) fn head(&self) -> &str {
        &self.head
    }

    /// Whether the first part is all there is.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// The next bytes after the head, as UTF-8 where the head was decoded from UTF-16 and as
    /// they stand otherwise; `None` at the end or when the time is up.
    pub(crate) fn next_chunk(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            if self.ended {
                return Ok(None);
            }
            if self.clock.all_is_over() {
                (self.ended, self.cut) = (true, true);
                return Ok(None);
            }
            self.advance()?;
            // Half a UTF-16 unit decodes to nothing yet.
            if !self.chunk().is_empty() {
                break;
            }
        }
        Ok(Some(self.chunk()))
    }

    fn advance(&mut self) -> io::Result<()> {
        self.raw = std::mem::take(&mut self.carry);
        if self.raw.is_empty() {
            let wanted = CHUNK_BYTES as u64;
            self.rest.by_ref().take(wanted).read_to_end(&mut self.raw)?;
        }
        let last = self.raw.is_empty();
        if let Some((_, decoder)) = &mut self.utf_16 {
            self.decoded.clear();
            decode(decoder, &self.raw, last, &mut self.decoded);
            self.lines.feed(&self.decoded);
        } else {
            self.check.feed(&self.raw);
            self.lines.feed(&self.raw);
        }
        if last {
            self.end();
        }
        Ok(())
    }

    fn chunk(&self) -> &[u8] {
        if self.utf_16.is_some() {
            &self.decoded
        } else {
            &self.raw
        }
    }

    /// Reads on to the end and says how many lines there are; `None` if the time was up first.
    pub(crate) fn count_lines(&mut self) -> io::Result<Option<u64>> {
        while self.next_chunk()?.is_some() {}
        Ok((!self.cut).then_some(self.lines.count))
    }

    /// `None` is UTF-8.
    pub(crate) fn encoding(&self) -> Option<&'static str> {
        match &self.utf_16 {
            Some((name, _)) => Some(name),
            None => self.check.name(),
        }
    }

    pub(crate) fn has_bom(&self) -> bool {
        self.bom
    }

    /// How lines end, where that is not LF alone.
    pub(crate) fn eol(&self) -> Option<&'static str> {
        self.lines.eol()
    }

    fn end(&mut self) {
        self.ended = true;
        self.check.finish();
        self.lines.finish();
    }

    fn decode_head(&mut self, mut raw: Vec<u8>) -> String {
        if let Some((_, decoder)) = &mut self.utf_16 {
            let mut decoded = Vec::new();
            let units = raw.get(2..).unwrap_or_default();
            decode(decoder, units, self.whole, &mut decoded);
            return into_string(decoded);
        }
        if !self.whole {
            // A character cut at the cap goes on with the rest.
            let cut = incomplete_tail(&raw);
            self.carry.splice(0..0, raw.drain(raw.len() - cut..));
        }
        self.check.feed(&raw);
        if self.bom {
            raw.drain(..UTF_8_BOM.len());
        }
        let mut judged = self.check.clone();
        judged.finish();
        if judged.name() == Some("latin-1") {
            return encoding_rs::mem::decode_latin1(&raw).into_owned();
        }
        into_string(raw)
    }
}

fn into_string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let bytes = error.into_bytes();
        match String::from_utf8_lossy(&bytes) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        }
    })
}

/// Reads on until `bytes` holds `length` bytes or the source ends.
pub(crate) fn read_until(
    source: &mut dyn Read,
    bytes: &mut Vec<u8>,
    length: usize,
) -> io::Result<()> {
    let wanted = length.saturating_sub(bytes.len()) as u64;
    source.take(wanted).read_to_end(bytes)?;
    Ok(())
}

/// A UTF-32 mark starts with UTF-16's and is none.
fn utf_16_of(raw: &[u8]) -> Option<(&'static str, Decoder)> {
    let (name, encoding) = match raw {
        [0xff, 0xfe, 0, 0, ..] => return None,
        [0xff, 0xfe, ..] => ("utf-16le", UTF_16LE),
        [0xfe, 0xff, ..] => ("utf-16be", UTF_16BE),
        _ => return None,
    };
    Some((name, encoding.new_decoder_without_bom_handling()))
}

fn decode(decoder: &mut Decoder, mut raw: &[u8], last: bool, out: &mut Vec<u8>) {
    loop {
        let start = out.len();
        let room = raw.len().saturating_mul(2).clamp(64, CHUNK_BYTES);
        out.resize(start + room, 0);
        let (result, read, written, _) = decoder.decode_to_utf8(raw, &mut out[start..], last);
        out.truncate(start + written);
        raw = raw.get(read..).unwrap_or_default();
        if result == encoding_rs::CoderResult::InputEmpty {
            return;
        }
    }
}

/// How many bytes at the end are the start of a character.
fn incomplete_tail(raw: &[u8]) -> usize {
    let tail = &raw[raw.len().saturating_sub(3)..];
    for (at, &byte) in tail.iter().enumerate().rev() {
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        let present = tail.len() - at;
        return if present < length { present } else { 0 };
    }
    0
}

/// Counts lines and their ends, over chunks, many at a time.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Default)]
pub(crate) struct LineTally {
    pub(crate) count: u64,
    /// The last byte was a CR: whether an LF belongs to it is not known yet.
    after_cr: bool,
    /// The current line has bytes.
    open: bool,
    lf: bool,
    cr: bool,
    crlf: bool,
}

impl LineTally {
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        let Some((&first, &last)) = chunk.first().zip(chunk.last()) else {
            return;
        };
        // A CR that ended the last chunk was counted; with an LF here it was half a line end.
        let joined = usize::from(self.after_cr && first == b'\n');
        let lf = memchr::memchr_iter(b'\n', chunk).count();
        let cr = memchr::memchr_iter(b'\r', chunk).count();
        let pairs = chunk.iter().zip(chunk.get(1..).unwrap_or_default());
        let crlf = match cr {
            0 => 0,
            _ => pairs.filter(|&(&a, &b)| a == b'\r' && b == b'\n').count(),
        };
        self.cr |= self.after_cr && joined == 0;
        self.count += (lf + cr - crlf - joined) as u64;
        self.lf |= lf > crlf + joined;
        self.crlf |= crlf + joined > 0;
        self.after_cr = last == b'\r';
        self.cr |= cr > crlf + usize::from(self.after_cr);
        self.open = !matches!(last, b'\r' | b'\n');
    }

    pub(crate) fn finish(&mut self) {
        self.cr |= std::mem::take(&mut self.after_cr);
        self.count += u64::from(std::mem::take(&mut self.open));
    }

    fn eol(&self) -> Option<&'static str> {
        match (self.lf, self.cr, self.crlf) {
            (_, false, false) => None,
            (false, true, false) => Some("cr"),
            (false, false, true) => Some("crlf"),
            _ => Some("mixed"),
        }
    }
}

#[cfg(test)]
mod tests;
