//! TOML: the keys and tables at the top, in source order, and lines.
//!
//! Works on the parser's events, so no value is kept; errors are recovered from, and one is
//! enough to say so. Dotted names count by their first part. That a key is defined twice is
//! for loaders to find.

use super::super::Limits;
use super::super::report::Finding;
use super::super::text::Text;
use super::names::{DistinctNames, keys_and_lines};
use super::plain;
use std::borrow::Cow;
use std::io;
use toml_parser::decoder::Encoding;
use toml_parser::parser::{EventReceiver, RecursionGuard, ValidateWhitespace, parse_document};
use toml_parser::{ErrorSink, ParseError, Raw, Source, Span};

/// How deep arrays and inline tables nest, as in the `toml` crate.
const MAX_DEPTH: u32 = 80;

pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    if !text.is_whole() {
        return plain::too_large(text);
    }
    let lines = text.count_lines()?.unwrap_or_default();
    let (keys, complete) = top_level_keys(text.head());
    Ok(keys_and_lines(keys, lines, complete, None))
}

fn top_level_keys(text: &str) -> (DistinctNames, bool) {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut complete = true;
    let mut on_error = |_: ParseError| complete = false;
    let mut keys = TopLevelKeys {
        source,
        names: DistinctNames::default(),
        below_header: false,
        at_first_part: true,
        depth: 0,
    };
    let mut checked = ValidateWhitespace::new(&mut keys, source);
    let mut bounded = RecursionGuard::new(&mut checked, MAX_DEPTH);
    parse_document(&tokens, &mut bounded, &mut on_error);
    (keys.names, complete)
}

struct TopLevelKeys<'a> {
    source: Source<'a>,
    names: DistinctNames,
    /// A table's header came: what follows is in that table.
    below_header: bool,
    /// The next key is the first part of a name that stands at the top.
    at_first_part: bool,
    /// Of arrays and inline tables.
    depth: usize,
}

impl<'a> TopLevelKeys<'a> {
    fn raw(&self, span: Span, encoding: Option<Encoding>) -> Raw<'a> {
        let text = self.source.input().get(span.start()..span.end());
        Raw::new_unchecked(text.unwrap_or_default(), encoding, span)
    }

    fn open_header(&mut self) {
        self.below_header = true;
        self.at_first_part = true;
        self.depth = 0;
    }
}

impl EventReceiver for TopLevelKeys<'_> {
    fn std_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.open_header();
    }

    fn array_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.open_header();
    }

    fn inline_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) -> bool {
        self.depth += 1;
        true
    }

    fn inline_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn array_open(&mut self, _: Span, _: &mut dyn ErrorSink) -> bool {
        self.depth += 1;
        true
    }

    fn array_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        let mut name = Cow::Borrowed("");
        self.raw(span, encoding).decode_key(&mut name, error);
        if std::mem::take(&mut self.at_first_part) {
            self.names.add(&name);
        }
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        // Only what is wrong with it matters.
        let _kind = self.raw(span, encoding).decode_scalar(&mut (), error);
    }

    fn newline(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.at_first_part = self.depth == 0 && !self.below_header;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> (Vec<String>, bool) {
        let (names, complete) = top_level_keys(text);
        (names.listed, complete)
    }

    #[test]
    fn the_first_part_of_every_name_at_the_top() {
        for (text, expected) in [
            ("", &[][..]),
            (
                "a = 1\n\"b c\".d = 2\n'e' = [\n1,\n]\nf.g = {x = 1, y.z = 2}\n",
                &["a", "b c", "e", "f"],
            ),
            (
                "[t]\na = 1\n[t.u]\n[[v.w]]\nb = 1\n[ x ]\n",
                &["t", "v", "x"],
            ),
            (
                "a = \"\"\"\nb = 1\n\"\"\"\nc = '''\nd = 1\n'''\n",
                &["a", "c"],
            ),
            ("# [no]\r\na = 1 # b = 2\r\n", &["a"]),
            ("\"\\u00e9\" = 1\n", &["é"]),
        ] {
            let expected = expected.iter().map(|&key| key.to_owned()).collect();
            assert_eq!(keys(text), (expected, true), "{text}");
        }
    }

    #[test]
    fn errors_are_recovered_from_and_said() {
        for text in [
            "a = 1\nb\n[t]\nc = 1\n",
            "a = 1x\n[t]\n",
            "a = [1\n[t]\n",
            "a = \"x\n[t]\n",
            "= 1\na = 1\n[t]\n",
            "a = \"\\q\"\n[t\n",
        ] {
            let (keys, complete) = keys(text);
            assert!(!complete, "{text}");
            assert!(keys.iter().any(|key| key == "a"), "{text} {keys:?}");
        }
        let deep = format!("a = {}", "[".repeat(100_000));
        assert_eq!(keys(&deep), (vec!["a".to_owned()], false));
    }
}
