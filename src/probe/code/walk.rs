//! What every language's walk shares: the entries so far, the clock, and spans that end at
//! the last character that belongs to a node.
//!
//! Each function is linear in the nodes it visits and none calls itself.

use super::Stop;
use crate::probe::entry::{Entry, EntryKind};
use std::iter;
use std::ops::Range;
use std::time::Instant;
use tree_sitter::Node;

/// Nodes visited between two looks at the clock.
const TICKS_PER_CHECK: u32 = 256;

/// Bytes of receivers that are kept. A class name of 100 KB with 100,000 methods would
/// otherwise be copied for each; an outline ends long before this many bytes, so that a
/// receiver past them is never shown.
const RECEIVER_BYTES: usize = 1 << 20;

/// A walk under way.
pub(super) struct Walk<'a> {
    source: &'a [u8],
    entries: Vec<Entry>,
    receiver_bytes: usize,
    deadline: Instant,
    ticks: u32,
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a [u8], deadline: Instant) -> Self {
        Self {
            source,
            entries: Vec::new(),
            receiver_bytes: 0,
            deadline,
            ticks: 0,
        }
    }

    /// The entries by start offset; those that start together stay as they were found.
    pub(super) fn into_entries(self) -> Vec<Entry> {
        let mut entries = self.entries;
        entries.sort_by_key(|entry| entry.start);
        entries
    }

    /// To be called for each node visited.
    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(TICKS_PER_CHECK) && Instant::now() >= self.deadline {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// The source between two offsets, as far as there is one.
    pub(super) fn slice(&self, range: Range<usize>) -> &'a [u8] {
        self.source.get(range).unwrap_or_default()
    }

    /// The source of a node, taken from the original and not from a copy that was parsed.
    pub(super) fn text(&self, node: Node) -> String {
        String::from_utf8_lossy(self.slice(node.byte_range())).into_owned()
    }

    /// The tokens of a node without blanks and comments between them, but for a blank that
    /// parts two words: `Foo<'a,dyn Bar+Send>`, however it is laid out.
    pub(super) fn joined(&mut self, node: Node) -> Result<String, Stop> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let mut joined = Vec::new();
        let mut cursor = node.walk();
        loop {
            self.tick()?;
            let here = cursor.node();
            let inside = !here.is_extra() && cursor.goto_first_child();
            if !inside && !here.is_extra() {
                let token = self.slice(here.byte_range());
                let ends = (joined.last().copied(), token.first().copied());
                if let (Some(last), Some(first)) = ends
                    && is_word(last)
                    && (is_word(first) || first == b'\'')
                {
                    joined.push(b' ');
                }
                joined.extend_from_slice(token);
            }
            while !inside && !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(String::from_utf8_lossy(&joined).into_owned());
                }
            }
        }
    }

    /// Whether `offset` is the first of its line (or follows a BOM).
    pub(super) fn starts_line(&self, offset: usize) -> bool {
        let before = self.slice(0..offset);
        matches!(before, [] | [0xef, 0xbb, 0xbf] | [.., b'\n' | b'\r'])
    }

    /// Adds an entry; an empty span (a node the parser made up) adds none.
    pub(super) fn push(&mut self, kind: EntryKind, name: String, span: &Range<usize>) {
        if span.start < span.end && span.end <= self.source.len() {
            self.entries.push(Entry {
                kind,
                name,
                start: span.start,
                end: span.end,
            });
        }
    }

    /// The kind of a method of `receiver`.
    pub(super) fn method(&mut self, receiver: &str) -> EntryKind {
        self.receiver_bytes = self.receiver_bytes.saturating_add(receiver.len());
        let receiver = if self.receiver_bytes <= RECEIVER_BYTES {
            receiver.to_owned()
        } else {
            String::new()
        };
        EntryKind::Method { receiver }
    }

    /// The span of `node` up to its last character: grammars let a Python block reach over
    /// the comments behind it, and a node may end in tokens without text.
    pub(super) fn span(&mut self, node: Node) -> Result<Range<usize>, Stop> {
        let mut end = node.end_byte();
        let mut inner = Some(node);
        while let Some(node) = inner {
            end = node.end_byte();
            inner = None;
            for child in children(node) {
                self.tick()?;
                if !child.byte_range().is_empty() && (!child.is_extra() || child.is_error()) {
                    inner = Some(child);
                }
            }
        }
        Ok(node.start_byte()..end)
    }
}

/// The children of a node in order, in constant time each.
pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    iter::from_fn(move || {
        let child = more.then(|| cursor.node())?;
        more = cursor.goto_next_sibling();
        Some(child)
    })
}

/// The children of a node that stand in its field `field`, but for punctuation.
pub(super) fn children_in_field<'t>(
    node: Node<'t>,
    field: &'static str,
) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    iter::from_fn(move || {
        while more {
            let child = cursor.node();
            let found = cursor.field_name() == Some(field) && child.is_named();
            more = cursor.goto_next_sibling();
            if found {
                return Some(child);
            }
        }
        None
    })
}

/// Counts brackets among the children of an error node, where a body that was never closed
/// lies flat beside its head.
#[derive(Default)]
pub(super) struct Nesting(usize);

impl Nesting {
    /// Whether `node` stands outside every bracket opened so far.
    pub(super) fn is_outside(&mut self, node: Node) -> bool {
        match node.kind() {
            "{" | "(" | "[" | "${" => self.0 += 1,
            "}" | ")" | "]" => self.0 = self.0.saturating_sub(1),
            _ => {}
        }
        self.0 == 0
    }
}
