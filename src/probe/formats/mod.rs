//! Which format a name stands for, and what each format's row can do.
//!
//! One row per format in `TABLE`, one file per row family; languages have their own table in
//! `code`. A test demands a golden pair for every row. Names decide, never content: a file
//! without a row is plain text, of which only lines are counted.

mod code;
mod csv;
mod json;
mod jsonl;
mod markdown;
mod plain;

use super::code::{Language, language_of};
use super::outline::Outliner;
use super::report::Finding;
use super::text::Text;
use super::{Limits, outline};
use std::io;

/// How many items a list has at most.
const LISTED: usize = 20;
/// How many characters a name has at most.
const NAME_CHARACTERS: usize = 120;

/// What a row's probe is: it reads as far as it needs, and fails only where reading fails.
type Probe = fn(&mut Text<'_>, &Limits) -> io::Result<Finding>;

/// One format.
pub(crate) struct Format {
    /// As documents name it.
    pub(crate) name: &'static str,
    /// Lower case, without dot; no extension has two rows.
    pub(crate) extensions: &'static [&'static str],
    probe: Probe,
    /// How its outline is made, if it has one.
    outliner: Option<Outliner>,
}

const fn row(name: &'static str, extensions: &'static [&'static str], probe: Probe) -> Format {
    Format {
        name,
        extensions,
        probe,
        outliner: None,
    }
}

/// Sorted by name.
pub(crate) static TABLE: &[Format] = &[
    row("csv", &["csv"], csv::probe_csv),
    Format {
        outliner: Some(outline::JSON),
        ..row("json", &["json"], json::probe)
    },
    row("jsonl", &["jsonl"], jsonl::probe),
    Format {
        outliner: Some(outline::MARKDOWN),
        ..row("markdown", &["md", "markdown"], markdown::probe)
    },
    row("ndjson", &["ndjson"], jsonl::probe),
    row("tsv", &["tsv"], csv::probe_tsv),
];

/// The last component of a path with `/` separators.
pub(crate) fn file_name(path: &str) -> &[u8] {
    path.rsplit('/').next().unwrap_or(path).as_bytes()
}

/// What follows the last dot; a leading dot starts no extension.
fn extension(name: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', name).filter(|&dot| dot > 0)?;
    name.get(dot + 1..)
        .filter(|extension| !extension.is_empty())
}

/// The last extension in lower case.
pub(crate) fn lower_case_extension(name: &[u8]) -> Option<String> {
    extension(name).map(|extension| capped(&String::from_utf8_lossy(extension).to_lowercase()))
}

fn format_of(extension: &[u8]) -> Option<&'static Format> {
    TABLE.iter().find(|format| {
        format
            .extensions
            .iter()
            .any(|known| known.as_bytes() == extension)
    })
}

/// The row that a compact document's name stands for.
///
/// Languages match exactly (`.C` is not `.c`); data formats in any case, as `DATA.CSV` is what
/// spreadsheets write.
enum Row {
    Format(&'static Format),
    Code(&'static Language),
}

fn row_of(name: &[u8]) -> Option<Row> {
    let format = |extension: &[u8]| format_of(&extension.to_ascii_lowercase());
    language_of(name)
        .map(Row::Code)
        .or_else(|| extension(name).and_then(format).map(Row::Format))
}

/// The name of the format row that `name` stands for. Reports of one file version under one
/// row are the same, whatever the name.
pub fn row_name(name: &[u8]) -> Option<&'static str> {
    row_of(name).map(|row| match row {
        Row::Format(format) => format.name,
        Row::Code(language) => language.name,
    })
}

/// Probes `text` as what `name` stands for.
pub(crate) fn probe(name: &[u8], text: &mut Text<'_>, limits: &Limits) -> io::Result<Finding> {
    match row_of(name) {
        Some(Row::Format(format)) => (format.probe)(text, limits),
        Some(Row::Code(language)) => code::probe(language, text, limits),
        None => plain::probe(text),
    }
}

/// How the outline of `name` is made. Outlines match extensions exactly.
pub(crate) fn outliner(name: &[u8]) -> Option<Outliner> {
    language_of(name)
        .map(Outliner::Code)
        .or_else(|| format_of(extension(name)?)?.outliner)
}

/// `name` in at most 120 characters; a longer one ends in `…+N`, N being what is left out.
fn capped(name: &str) -> String {
    capped_of(name, 0)
}

/// The same for a name of which only the start is at hand, `left_out` characters being gone.
fn capped_of(name: &str, left_out: usize) -> String {
    let Some((cut, _)) = name.char_indices().nth(NAME_CHARACTERS) else {
        return name.to_owned();
    };
    let total = NAME_CHARACTERS + name[cut..].chars().count() + left_out;
    // The mark takes room, and its length depends on the number in it.
    let mut kept = NAME_CHARACTERS;
    loop {
        let mark = format!("…+{}", total - kept);
        if kept + mark.chars().count() <= NAME_CHARACTERS {
            return name.chars().take(kept).chain(mark.chars()).collect();
        }
        kept -= 1;
    }
}

/// Names in the order they came, each once; at most 20 are kept, all are counted.
#[derive(Debug, Default)]
struct DistinctNames {
    listed: Vec<String>,
    /// Hashes under a random key: 64 bits keep a count honest without keeping every name.
    seen: std::collections::HashSet<u64>,
    hasher: std::hash::RandomState,
}

impl DistinctNames {
    fn add(&mut self, name: &str) {
        let hash = std::hash::BuildHasher::hash_one(&self.hasher, name);
        if self.seen.insert(hash) && self.listed.len() < LISTED {
            self.listed.push(capped(name));
        }
    }

    fn count(&self) -> usize {
        self.seen.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_no_extension_has_two_rows() {
        assert!(TABLE.is_sorted_by_key(|format| format.name));
        let mut extensions: Vec<&str> = TABLE.iter().flat_map(|f| f.extensions).copied().collect();
        let count = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), count);
        for extension in extensions {
            assert_eq!(extension, extension.to_ascii_lowercase());
            let name = format!("a.{extension}");
            assert!(
                language_of(name.as_bytes()).is_none(),
                "{name} has two rows"
            );
        }
    }

    #[test]
    fn names_to_rows_and_extensions() {
        assert_eq!(row_name(b"a.csv"), Some("csv"));
        assert_eq!(row_name(b"A.CSV"), Some("csv"));
        assert_eq!(row_name(b"a.csv.bak"), None);
        assert_eq!(row_name(b".csv"), None);
        assert!(outliner(b"README.md").is_some());
        assert!(outliner(b"README.MD").is_none());
        assert_eq!(lower_case_extension(b"a.TAR.GZ").as_deref(), Some("gz"));
        for name in [&b".gitignore"[..], b"Makefile", b"a.", b""] {
            assert_eq!(lower_case_extension(name), None);
        }
        assert_eq!(file_name("a/b.c"), b"b.c");
    }

    #[test]
    fn long_names_say_how_much_is_left_out() {
        assert_eq!(capped(&"é".repeat(120)), "é".repeat(120));
        assert_eq!(capped(&"é".repeat(121)), format!("{}…+4", "é".repeat(117)));
        let long = capped(&"é".repeat(1117));
        assert_eq!(long, format!("{}…+1003", "é".repeat(114)));
        assert_eq!(capped_of(&"é".repeat(117), 1000), "é".repeat(117));
        assert_eq!(capped_of(&"é".repeat(500), 617), long);
    }
}
