//! Text without a format row: its lines are counted, and nothing else is said.

use super::super::report::{Finding, Reason};
use super::super::text::Text;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct Structure {
    lines: u64,
}

pub(super) fn probe(text: &mut Text<'_>) -> io::Result<Finding> {
    Ok(match text.count_lines()? {
        Some(lines) => Finding::new(&Structure { lines }, None),
        None => Finding::missing(Reason::Timeout),
    })
}

/// What is said of a text too large for its format's parser.
pub(super) fn too_large(text: &mut Text<'_>) -> io::Result<Finding> {
    let mut finding = probe(text)?;
    finding.reason = finding.reason.or(Some(Reason::TooLarge));
    Ok(finding)
}
