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
    pub(crate) keys: Vec<Key>,
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
    found.keys = walk.keys;
    for key in &mut found.keys {
        let end = walk.offsets.byte(key.end).max(walk.offsets.byte(key.start));
        key.start = walk.offsets.byte(key.start);
        let spanned = text.get(key.start..end).unwrap_or_default();
        key.end = key.start + spanned.trim_end().len().max(1);
    }
    found
}

/// An open collection.
enum Open {
    Sequence,
    Mapping {
        /// Hashes of the keys so far.
        keys: HashSet<u64>,
        /// The next node is a key.
        at_key: bool,
    },
}

struct Walk {
    open: Vec<Open>,
    keys: Vec<Key>,
    valid: bool,
    hasher: RandomState,
    offsets: Offsets,
}

impl Walk {
    fn new(text: &str) -> Self {
        Self {
            open: Vec::new(),
            keys: Vec::new(),
            valid: true,
            hasher: RandomState::new(),
            offsets: Offsets::new(text),
        }
    }

    fn take(&mut self, event: &Event<'_>, span: Span) {
        match event {
            Event::Scalar(text, style, _, _) => {
                self.node(Some((text, *style)), span);
                self.stretch(span);
            }
            Event::Alias(_) => {
                self.node(None, span);
                self.stretch(span);
            }
            Event::SequenceStart(..) => {
                self.node(None, span);
                self.open.push(Open::Sequence);
            }
            Event::MappingStart(..) => {
                self.node(None, span);
                self.open.push(Open::Mapping {
                    keys: HashSet::new(),
                    at_key: true,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
                // A block collection ends where the next token starts, in an empty span.
                if !span.is_empty() {
                    self.stretch(span);
                }
            }
            _ => {}
        }
    }

    /// A node begins: a key, or what belongs to one.
    fn node(&mut self, scalar: Option<(&str, ScalarStyle)>, span: Span) {
        let top = self.open.len() == 1;
        let Some(Open::Mapping { keys, at_key }) = self.open.last_mut() else {
            return;
        };
        let is_key = *at_key;
        *at_key = !is_key;
        let (true, Some((text, style))) = (is_key, scalar) else {
            return;
        };
        // The number 1 and the string "1" are two keys.
        let plain = style == ScalarStyle::Plain && is_no_string(text);
        if !keys.insert(self.hasher.hash_one((plain, text))) {
            self.valid = false;
        }
        if top {
            self.keys.push(Key {
                name: text.to_owned(),
                start: span.start.index(),
                end: span.end.index(),
            });
        }
    }

    /// The last top-level key's value reaches to the end of `span`.
    fn stretch(&mut self, span: Span) {
        if !self.open.is_empty()
            && let Some(key) = self.keys.last_mut()
        {
            key.end = key.end.max(span.end.index());
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
