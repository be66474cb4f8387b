//! What an outline is made of, before it is written: entries with byte spans.
//!
//! Parsers produce these from a text; `outline` turns the spans into row identities through
//! the one line table. No entry carries source text beyond a name.

/// What an entry is; the field that only one kind has stands with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A name or module brought in.
    Import,
    /// A name bound once.
    Constant,
    /// A name that may be bound again.
    Variable,
    /// A type that is not a class: interface, alias, enum, struct.
    Type,
    /// A class.
    Class,
    /// A function.
    Function,
    /// A function of a type or class.
    Method {
        /// The type it belongs to, as the language writes it (`*T[P]`, `Outer`).
        receiver: String,
    },
    /// A heading of a document.
    Heading {
        /// 1 to 6.
        level: u8,
    },
    /// A top-level key of a document's frontmatter.
    Frontmatter,
    /// A JSON value.
    Json {
        /// `object`, `array`, `string`, `number`, `boolean` or `null`.
        value_type: &'static str,
    },
}

/// One entry of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Its name as the contract's table asks; for JSON the RFC 6901 pointer.
    pub name: String,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte; more than `start`.
    pub end: usize,
}
