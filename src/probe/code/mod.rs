//! Source code to entries: one row a language, each with its own walk rules.
//!
//! A tree-sitter grammar parses the whole text; the walk then looks at the top level and one
//! level into types, with cursors and explicit stacks alone, so no nesting in a file can
//! deepen the stack. No queries: a query over a whole tree is quadratic on hostile input.
//! Broken code gives the entries that could still be told and `complete: false`.
//!
//! What it does not do: it knows no lines (spans are byte offsets), and no types or scopes.

mod bash;
mod c;
mod go;
mod java;
mod javascript;
mod python;
#[cfg(feature = "ruby")]
mod ruby;
mod rust;
mod strings;
mod syntax;
mod typescript;
mod walk;

use super::entry::Entry;
use std::time::Instant;
use tree_sitter::Node;
use walk::Walk;

/// One language: what its files are called and how they are read.
pub struct Language {
    /// The name a document gives it; two rows may share one (`typescript`).
    pub name: &'static str,
    /// Extensions without the dot, compared exactly.
    pub extensions: &'static [&'static str],
    grammar: fn() -> tree_sitter::Language,
    /// Turns the root node into entries.
    walk: fn(&mut Walk, Node) -> Result<(), Stop>,
    /// Where a lone CR ends a line; the grammars know LF alone.
    lone_cr: LoneCr,
    /// Whether `<` may open type arguments: the parser then keeps both readings for a while.
    generics: bool,
    rewrite: Rewrite,
}

/// Hides syntax that the grammar lacks, in place; answers whether there was any.
enum Rewrite {
    None,
    /// Cheap and sure: done before the parse.
    Before(fn(&mut [u8]) -> bool),
    /// Tried once where a first parse had to recover.
    AfterErrors(fn(&mut [u8]) -> bool),
}

/// What a carriage return without a line feed means to a language.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoneCr {
    /// It ends a line, as LF does.
    EndsLine,
    /// It is a blank; only a file without any LF is read as if it ended lines.
    Blank,
}

/// The table, in order of name.
static LANGUAGES: &[Language] = &[
    Language {
        name: "bash",
        extensions: &["sh", "bash"],
        grammar: || tree_sitter_bash::LANGUAGE.into(),
        walk: bash::walk,
        lone_cr: LoneCr::Blank,
        generics: false,
        rewrite: Rewrite::None,
    },
    Language {
        name: "c",
        extensions: &["c", "h"],
        grammar: || tree_sitter_c::LANGUAGE.into(),
        walk: c::walk,
        lone_cr: LoneCr::EndsLine,
        generics: false,
        rewrite: Rewrite::Before(c::hide_linkage_blocks),
    },
    #[cfg(feature = "cpp")]
    Language {
        name: "c++",
        extensions: &["cc", "cpp", "cxx", "hpp", "hh"],
        grammar: || tree_sitter_cpp::LANGUAGE.into(),
        walk: c::walk,
        lone_cr: LoneCr::EndsLine,
        generics: true,
        rewrite: Rewrite::Before(c::hide_linkage_blocks),
    },
    Language {
        name: "go",
        extensions: &["go"],
        grammar: || tree_sitter_go::LANGUAGE.into(),
        walk: go::walk,
        lone_cr: LoneCr::Blank,
        generics: false,
        rewrite: Rewrite::None,
    },
    Language {
        name: "java",
        extensions: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        walk: java::walk,
        lone_cr: LoneCr::EndsLine,
        generics: true,
        rewrite: Rewrite::None,
    },
    Language {
        name: "javascript",
        extensions: &["js", "jsx", "mjs", "cjs"],
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
        walk: javascript::walk,
        lone_cr: LoneCr::EndsLine,
        generics: false,
        rewrite: Rewrite::None,
    },
    Language {
        name: "python",
        extensions: &["py", "pyi"],
        grammar: || tree_sitter_python::LANGUAGE.into(),
        walk: python::walk,
        lone_cr: LoneCr::EndsLine,
        generics: false,
        rewrite: Rewrite::None,
    },
    #[cfg(feature = "ruby")]
    Language {
        name: "ruby",
        extensions: &["rb"],
        grammar: || tree_sitter_ruby::LANGUAGE.into(),
        walk: ruby::walk,
        lone_cr: LoneCr::Blank,
        generics: false,
        rewrite: Rewrite::None,
    },
    Language {
        name: "rust",
        extensions: &["rs"],
        grammar: || tree_sitter_rust::LANGUAGE.into(),
        walk: rust::walk,
        lone_cr: LoneCr::Blank,
        generics: true,
        rewrite: Rewrite::None,
    },
    Language {
        name: "typescript",
        // `.d.ts`, `.d.mts` and `.d.cts` end in these.
        extensions: &["ts", "mts", "cts"],
        grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        walk: javascript::walk,
        lone_cr: LoneCr::EndsLine,
        generics: true,
        rewrite: Rewrite::AfterErrors(typescript::hide_new_syntax),
    },
    Language {
        name: "typescript",
        extensions: &["tsx"],
        grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
        walk: javascript::walk,
        lone_cr: LoneCr::EndsLine,
        generics: true,
        rewrite: Rewrite::AfterErrors(typescript::hide_new_syntax),
    },
];

/// The language of a file of this name, told by the last extension alone and by its exact
/// case. A name that is nothing but an extension (`.py`) has none.
pub fn language_of(name: &[u8]) -> Option<&'static Language> {
    let dot = memchr::memrchr(b'.', name)?;
    let (stem, extension) = (name.get(..dot)?, name.get(dot + 1..)?);
    if stem.is_empty() || stem.ends_with(b"/") {
        return None;
    }
    LANGUAGES.iter().find(|language| {
        let mut extensions = language.extensions.iter();
        extensions.any(|known| known.as_bytes() == extension)
    })
}

/// The names of all rows, for tests of other tables.
#[cfg(test)]
pub(crate) fn language_names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.name)
}

/// The bound that ended a parse early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed.
    Time,
    /// Brackets are nested deeper, or can be read in more ways, than the parser may follow.
    Depth,
}

/// The stack [`parse`] needs. Most files do with a fraction of 256 KiB, but the parser frees
/// the readings of an ambiguous source (`a<b><c><d>...`) by recursion, some 130 bytes each.
pub const STACK_BYTES: usize = 64 << 20;

/// What a source file declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeOutline {
    /// By start offset, then in the order of discovery. Spans lie within the source.
    pub entries: Vec<Entry>,
    /// Whether the parser understood every byte.
    pub complete: bool,
    /// Why the entries end early, if they do; `complete` is then false.
    pub stopped: Option<Stop>,
}

/// Parses `source`, valid UTF-8 that may still open with a BOM, until `deadline`.
///
/// To be called on a thread with [`STACK_BYTES`] of stack.
pub fn parse(language: &Language, source: &[u8], deadline: Instant) -> CodeOutline {
    let mut walk = Walk::new(source, deadline);
    let parsed = syntax::parse(language, source, deadline).and_then(|tree| {
        let root = tree.root_node();
        let complete = !root.has_error();
        (language.walk)(&mut walk, root).map(|()| complete)
    });
    CodeOutline {
        entries: walk.into_entries(),
        complete: parsed == Ok(true),
        stopped: parsed.err(),
    }
}

#[cfg(test)]
mod tests;
