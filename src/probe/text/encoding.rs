//! Which encoding a text has, and the bytes that tell.
//!
//! UTF-8 is checked strictly. Whatever else has no byte-order mark is a judgement.

/// Tells UTF-8, Latin-1 and the rest apart, over chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct EncodingCheck {
    /// The start of a character at the end of the last chunk.
    tail: Vec<u8>,
    invalid: bool,
    /// Bytes that no 7-bit text has.
    high: u64,
    /// High bytes right after a high byte.
    adjacent: u64,
    /// Pairs that look like the start of a character in UTF-8.
    pairs: u64,
    /// C1 control codes, which no Latin-1 text has.
    controls: bool,
    before: u8,
}

impl EncodingCheck {
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        if chunk.is_ascii() {
            self.invalid |= !self.tail.is_empty() && !chunk.is_empty();
            if let Some(&last) = chunk.last() {
                self.before = last;
            }
            return;
        }
        for &byte in chunk {
            if byte >= 0x80 {
                self.high += 1;
                self.adjacent += u64::from(self.before >= 0x80);
                let is_pair = matches!(self.before, 0xc2..=0xf4) && byte < 0xc0;
                self.pairs += u64::from(is_pair);
                self.controls |= byte < 0xa0;
            }
            self.before = byte;
        }
        if !self.invalid {
            self.validate(chunk);
        }
    }

    /// A character that the end cuts is an error.
    pub(crate) fn finish(&mut self) {
        self.invalid |= !self.tail.is_empty();
    }

    pub(crate) fn is_utf_8(&self) -> bool {
        !self.invalid
    }

    /// Latin-1 gives every byte a meaning, so this is a judgement: text in it has its high
    /// bytes mostly alone among ASCII letters and has no C1 controls; multi-byte encodings
    /// have them in runs, and damaged UTF-8 in its own pairs.
    pub(super) fn name(&self) -> Option<&'static str> {
        if !self.invalid {
            None
        } else if self.controls || self.adjacent * 2 > self.high || self.pairs * 4 > self.high {
            Some("unknown")
        } else {
            Some("latin-1")
        }
    }

    fn validate(&mut self, mut bytes: &[u8]) {
        while !self.tail.is_empty() {
            let Some((&next, after)) = bytes.split_first() else {
                return;
            };
            bytes = after;
            self.tail.push(next);
            match std::str::from_utf8(&self.tail) {
                Ok(_) => self.tail.clear(),
                Err(error) if error.error_len().is_some() => {
                    self.invalid = true;
                    self.tail.clear();
                    return;
                }
                Err(_) => {}
            }
        }
        if let Err(error) = std::str::from_utf8(bytes) {
            self.invalid = error.error_len().is_some();
            if !self.invalid {
                self.tail = bytes
                    .get(error.valid_up_to()..)
                    .unwrap_or_default()
                    .to_vec();
            }
        }
    }
}
