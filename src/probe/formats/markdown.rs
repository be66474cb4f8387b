//! Markdown: headings, frontmatter keys and lines.
//!
//! What counts as a heading is the outline's business; this lists the first of them.

use super::super::Limits;
use super::super::entry::EntryKind;
use super::super::outline::{Stopped, markdown};
use super::super::report::{Finding, Reason};
use super::super::text::Text;
use super::names::{DistinctNames, LISTED, capped};
use super::plain;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct Structure {
    headings: Vec<String>,
    heading_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter: Option<Vec<String>>,
    /// Only where the list is shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter_count: Option<usize>,
    lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_complete: Option<bool>,
}

pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    if !text.is_whole() {
        return plain::too_large(text);
    }
    let lines = text.count_lines()?.unwrap_or_default();
    let source = text.head();
    let parsed = markdown::parse(source, text.clock().parse);
    let mut headings = Vec::new();
    let mut heading_count = 0;
    let mut keys = DistinctNames::default();
    for entry in &parsed.entries {
        match entry.kind {
            EntryKind::Heading { level } => {
                heading_count += 1;
                if headings.len() < LISTED {
                    let marks = "#".repeat(usize::from(level));
                    headings.push(capped(&format!("{marks} {}", entry.name)));
                }
            }
            _ => keys.add(&entry.name),
        }
    }
    let structure = Structure {
        headings,
        heading_count,
        frontmatter_count: (keys.count() > LISTED).then_some(keys.count()),
        frontmatter: (keys.count() > 0).then_some(keys.listed),
        lines,
        parse_complete: (!parsed.complete).then_some(false),
    };
    let reason = parsed.stopped.map(|stopped| match stopped {
        Stopped::Time => Reason::Timeout,
        Stopped::Depth => Reason::TooDeep,
    });
    Ok(Finding::new(&structure, reason))
}

#[cfg(test)]
mod tests;
