//! Which format a name stands for, and what each format's row can do.
//!
//! One row per format in `TABLE`, one file per row family; languages have their own table in
//! `code`. A test demands a golden pair for every row. Names decide, never content: a file
//! without a row is plain text, of which only lines are counted.

mod code;
mod csv;
mod ini;
mod ipynb;
mod json;
mod jsonl;
mod markdown;
mod names;
mod plain;
mod toml;
mod yaml;

use super::code::{Language, language_of};
use super::outline::Outliner;
use super::report::Finding;
use super::text::Text;
use super::{Limits, outline};
use std::io;

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
    row("ini", &["ini"], ini::probe),
    row("ipynb", &["ipynb"], ipynb::probe),
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
    row("toml", &["toml"], toml::probe),
    row("tsv", &["tsv"], csv::probe_tsv),
    row("yaml", &["yaml", "yml"], yaml::probe),
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
    extension(name)
        .map(|extension| names::capped(&String::from_utf8_lossy(extension).to_lowercase()))
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

/// The name of the format row that `name` stands for.
pub fn row_name(name: &[u8]) -> Option<&'static str> {
    row_of(name).map(|row| match row {
        Row::Format(format) => format.name,
        Row::Code(language) => language.name,
    })
}

/// What tells apart, beside the content, which report a file gets: two names of one file with
/// the same key have the same report.
pub fn report_key(name: &[u8]) -> Option<&'static str> {
    row_of(name).and_then(|row| match row {
        Row::Format(format) => Some(format.name),
        Row::Code(language) => language.extensions.first().copied(),
    })
}

/// The same for outlines; `None` where the content does not matter.
pub fn outline_key(name: &[u8]) -> Option<&'static str> {
    outliner(name).and_then(|outliner| match outliner {
        Outliner::Text { kind, .. } => Some(kind),
        Outliner::Code(language) => language.extensions.first().copied(),
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
        assert_eq!(report_key(b"a.ndjson"), Some("ndjson"));
        assert_eq!(report_key(b"a.txt"), None);
        assert_eq!(outline_key(b"a.markdown"), outline_key(b"b.md"));
        assert_eq!(outline_key(b"a.csv"), None);
        assert_eq!(lower_case_extension(b"a.TAR.GZ").as_deref(), Some("gz"));
        for name in [&b".gitignore"[..], b"Makefile", b"a.", b""] {
            assert_eq!(lower_case_extension(name), None);
        }
        assert_eq!(file_name("a/b.c"), b"b.c");
    }
}
