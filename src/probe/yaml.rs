//! The top-level keys of a YAML text, and whether it is valid.
//!
//! Works on the parser's events, so no value is kept and no alias is expanded. A duplicate key
//! at any depth makes a text invalid, as YAML 1.2 has it, though most loaders let it pass.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::time::Instant;

/// A top-level key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: String,
    /// Offset of the key's first byte.
    pub(crate) start: usize,
    /// Offset after the last byte of its value.
    pub(crate) end: usize,
}

/// What was found, as far as the text is valid.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// In order, duplicates included.
    pub(crate) list: Vec<Key>,
    pub(crate) valid: bool,
    pub(crate) out_of_time: bool,
}

/// The keys of every mapping at the top of one of the documents in `text`.
pub(crate) fn top_level_keys(text: &str, deadline: Instant) -> Keys {
    let mut walk = Walk::new(text);
    let mut found = Keys::default();
    for (count, event) in Parser::new_from_str(text).enumerate() {
        if count % 256 == 0 && Instant::now() >= deadline {
            found.out_of_time = true;
            break;
        }
        let Ok((event, span)) = event else {
            walk.valid = false;
            break;
        };
        walk.take(&event, span);
    }
    found.valid = walk.valid && !found.out_of_time;
    found.list = walk.keys;
    for key in &mut found.list {
        // Block scalars take the line ends behind them along.
        let spanned = text.get(key.start..key.end).unwrap_or_default();
        key.end = key.start + spanned.trim_end().len().max(1);
    }
    found
}

/// An open collection.
struct Open {
    /// It stands in brackets and ends with this one.
    closing: Option<u8>,
    mapping: Option<Mapping>,
}

#[derive(Default)]
struct Mapping {
    /// Hashes of the keys so far.
    keys: HashSet<u64>,
    /// The next node is a value.
    at_value: bool,
}

struct Walk<'a> {
    text: &'a [u8],
    open: Vec<Open>,
    keys: Vec<Key>,
    /// What comes belongs to the last of them.
    in_key: bool,
    valid: bool,
    hasher: RandomState,
    offsets: Offsets,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text: text.as_bytes(),
            open: Vec::new(),
            keys: Vec::new(),
            in_key: false,
            valid: true,
            hasher: RandomState::new(),
            offsets: Offsets::new(text),
        }
    }

    fn take(&mut self, event: &Event<'_>, span: Span) {
        match event {
            Event::Scalar(text, style, _, _) => {
                self.node(Some((text, *style)), span);
                let start = self.offsets.byte(span.start.index());
                // A value that is not there is given as `~`, somewhere behind.
                if *text != "~" || self.text.get(start) == Some(&b'~') {
                    self.stretch(self.offsets.byte(span.end.index()));
                }
            }
            Event::Alias(_) => {
                self.node(None, span);
                self.stretch(self.offsets.byte(span.end.index()));
            }
            Event::SequenceStart(..) => {
                self.node(None, span);
                self.open(span, b']', None);
            }
            Event::MappingStart(..) => {
                self.node(None, span);
                self.open(span, b'}', Some(Mapping::default()));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                // A block ends with the last node in it.
                let closing = self.open.pop().and_then(|open| open.closing);
                if let Some(closing) = closing {
                    let from = self.offsets.byte(span.start.index());
                    self.stretch(self.end_of_flow(from, closing));
                }
                self.in_key &= !self.open.is_empty();
            }
            _ => {}
        }
    }

    fn open(&mut self, span: Span, closing: u8, mapping: Option<Mapping>) {
        self.open.push(Open {
            // A block starts without a character of its own.
            closing: (!span.is_empty()).then_some(closing),
            mapping,
        });
    }

    /// After the bracket `closing`: past a trailing comma the parser gives the comma's place.
    fn end_of_flow(&self, from: usize, closing: u8) -> usize {
        let mut at = from;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'#' => {
                    let rest = self.text.get(at..).unwrap_or_default();
                    at += memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
                }
                b',' | b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                _ if byte == closing => return at + 1,
                _ => return from,
            }
        }
        from
    }

    /// A node begins: a key, or what belongs to one.
    fn node(&mut self, scalar: Option<(&str, ScalarStyle)>, span: Span) {
        let top = self.open.len() == 1;
        let Some(mapping) = self.open.last_mut().and_then(|open| open.mapping.as_mut()) else {
            return;
        };
        let is_key = !mapping.at_value;
        mapping.at_value = is_key;
        self.in_key &= !(top && is_key);
        let (true, Some((text, style))) = (is_key, scalar) else {
            return;
        };
        // The number 1 and the string "1" are two keys.
        let plain = style == ScalarStyle::Plain && is_no_string(text);
        if !mapping.keys.insert(self.hasher.hash_one((plain, text))) {
            self.valid = false;
        }
        if top {
            self.in_key = true;
            self.keys.push(Key {
                name: text.to_owned(),
                start: self.offsets.byte(span.start.index()),
                end: self.offsets.byte(span.end.index()),
            });
        }
    }

    /// The last top-level key's value reaches to `end`.
    fn stretch(&mut self, end: usize) {
        if self.in_key
            && !self.open.is_empty()
            && let Some(key) = self.keys.last_mut()
        {
            key.end = key.end.max(end);
        }
    }
}

/// Whether a plain scalar is a number, a boolean or null under the core schema.
fn is_no_string(text: &str) -> bool {
    matches!(
        text,
        "" | "~"
            | "null"
            | "Null"
            | "NULL"
            | "true"
            | "True"
            | "TRUE"
            | "false"
            | "False"
            | "FALSE"
    ) || text.parse::<f64>().is_ok()
}

/// The parser counts characters.
enum Offsets {
    Ascii,
    /// The byte offset of each character, and the end.
    Table(Vec<usize>),
}

impl Offsets {
    fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self::Ascii;
        }
        let starts = text.char_indices().map(|(offset, _)| offset);
        Self::Table(starts.chain([text.len()]).collect())
    }

    fn byte(&self, index: usize) -> usize {
        match self {
            Self::Ascii => index,
            Self::Table(table) => table
                .get(index)
                .or(table.last())
                .copied()
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests;
