//! TOML: the keys and tables at the top, in source order, and lines.
//!
//! The parser recovers from errors and bounds its depth; dotted names count by their first part.

use super::super::Limits;
use super::super::report::Finding;
use super::super::text::Text;
use super::names::{DistinctNames, keys_and_lines};
use super::plain;
use std::io;
use toml::de::DeTable;

pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    if !text.is_whole() {
        return plain::too_large(text);
    }
    let lines = text.count_lines()?.unwrap_or_default();
    let (table, errors) = DeTable::parse_recoverable(text.head());
    let mut found: Vec<_> = table
        .get_ref()
        .keys()
        .map(|key| (key.span().start, key.get_ref()))
        .collect();
    found.sort_unstable();
    let mut keys = DistinctNames::default();
    for (_, key) in found {
        keys.add(key);
    }
    Ok(keys_and_lines(keys, lines, errors.is_empty(), None))
}
