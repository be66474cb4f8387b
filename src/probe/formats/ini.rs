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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::super::super::inspect;
    use super::*;

    fn structure(content: &str) -> String {
        let content = content.as_bytes();
        let size = content.len() as u64;
        let report = inspect(b"a.INI", size, &mut &*content, &Limits::default()).unwrap();
        report.finding.structure.unwrap().get().to_owned()
    }

    #[test]
    fn sections_and_what_stands_before_them() {
        for (content, expected) in [
            ("", r#"{"keys":[],"key_count":0,"lines":0}"#),
            (
                "a=1\nb : 2\n[s]\nc=3\n[ t u ]\n",
                r#"{"keys":["a","b","s","t u"],"key_count":4,"lines":5}"#,
            ),
            (
                "; [x]\n# y=1\n  [s]  ; note\n[s]\n",
                r#"{"keys":["s"],"key_count":1,"lines":4}"#,
            ),
            (
                "a=1\n  more = 2\n\tmore\nflag\n",
                r#"{"keys":["a","flag"],"key_count":2,"lines":4}"#,
            ),
            (
                "\u{feff}[s]\r\na=1\r\n",
                r#"{"keys":["s"],"key_count":1,"lines":2}"#,
            ),
            (
                "[s\n=1\n",
                r#"{"keys":[],"key_count":0,"lines":2,"parse_complete":false}"#,
            ),
        ] {
            assert_eq!(structure(content), expected, "{content}");
        }
    }
}
