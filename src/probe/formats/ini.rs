//! INI: sections, the keys before the first of them, and lines.
//!
//! There is no one grammar. This takes what its readers share: `[section]`, `key = value` or
//! `key: value`, comments after `;` or `#`, and indented lines that go on with a value.

use super::super::Limits;
use super::super::lines::LineTable;
use super::super::report::Finding;
use super::super::text::Text;
use super::names::{DistinctNames, keys_and_lines};
use super::plain;
use std::io;

pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    if !text.is_whole() {
        return plain::too_large(text);
    }
    let count = text.count_lines()?.unwrap_or_default();
    let lines = LineTable::new(text.head().as_bytes());
    let mut keys = DistinctNames::default();
    let (mut in_section, mut has_key, mut complete) = (false, false, true);
    for number in 1..=lines.count() {
        let line = lines.line(number).unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let content = line.trim();
        if content.is_empty() || content.starts_with([';', '#']) {
            continue;
        }
        if let Some(section) = content.strip_prefix('[') {
            if let Some((section, _)) = section.split_once(']') {
                keys.add(section.trim());
                (in_section, has_key) = (true, false);
            } else {
                complete = false;
            }
            continue;
        }
        if has_key && line.starts_with([' ', '\t']) {
            continue;
        }
        has_key = true;
        let key = content.split(['=', ':']).next().unwrap_or_default().trim();
        complete &= !key.is_empty();
        if !in_section && !key.is_empty() {
            keys.add(key);
        }
    }
    Ok(keys_and_lines(keys, count, complete, None))
}
