//! YAML: the keys at the top of its documents, and lines.

use super::super::Limits;
use super::super::report::{Finding, Reason};
use super::super::text::Text;
use super::super::yaml::top_level_keys;
use super::names::{DistinctNames, keys_and_lines};
use super::plain;
use std::io;

pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    if !text.is_whole() {
        return plain::too_large(text);
    }
    let lines = text.count_lines()?.unwrap_or_default();
    let found = top_level_keys(text.head(), text.clock().parse);
    let mut keys = DistinctNames::default();
    for key in &found.list {
        keys.add(&key.name);
    }
    let reason = found.out_of_time.then_some(Reason::Timeout);
    Ok(keys_and_lines(keys, lines, found.valid, reason))
}
