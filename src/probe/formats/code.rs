//! Source code: counts of what it declares, and the most telling names with their lines.
//!
//! Which declarations there are is the languages' business (`code`); this counts them and picks
//! names, each once: classes and types first, then functions, then variables.

use super::super::Limits;
use super::super::code::{self, Language, Stop};
use super::super::entry::{Entry, EntryKind};
use super::super::lines::LineTable;
use super::super::report::{Finding, Reason};
use super::super::text::Text;
use super::names::capped;
use super::plain;
use serde::Serialize;
use std::collections::HashSet;
use std::io;

/// How many places classes and types take while functions or variables remain.
const TYPE_PLACES: usize = 5;
/// No setting asks for more names.
const MAX_NAMES: usize = 20;

#[derive(Serialize)]
struct Structure {
    lines: usize,
    imports: usize,
    symbols: usize,
    methods: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    types: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    functions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variables: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_complete: Option<bool>,
}

pub(super) fn probe(
    language: &Language,
    text: &mut Text<'_>,
    limits: &Limits,
) -> io::Result<Finding> {
    if !text.is_whole() {
        return plain::too_large(text);
    }
    let source = text.head().as_bytes();
    let outline = code::parse(language, source, text.clock().parse);
    let structure = structure_of(
        &outline.entries,
        &LineTable::new(source),
        limits.max_names.min(MAX_NAMES),
        outline.complete,
    );
    let reason = outline.stopped.map(|stop| match stop {
        Stop::Time => Reason::Timeout,
        Stop::Depth => Reason::TooDeep,
    });
    Ok(Finding::new(&structure, reason))
}

fn structure_of(
    entries: &[Entry],
    lines: &LineTable<'_>,
    max_names: usize,
    complete: bool,
) -> Structure {
    let (mut imports, mut symbols, mut methods) = (0, 0, 0);
    // Classes, types, functions, variables.
    let mut groups: [Vec<&Entry>; 4] = Default::default();
    let mut seen = HashSet::new();
    for entry in entries {
        let group = match entry.kind {
            EntryKind::Import => {
                imports += 1;
                continue;
            }
            EntryKind::Method { .. } => {
                methods += 1;
                continue;
            }
            EntryKind::Class => 0,
            EntryKind::Type => 1,
            EntryKind::Function => 2,
            EntryKind::Constant | EntryKind::Variable => 3,
            EntryKind::Heading { .. } | EntryKind::Frontmatter | EntryKind::Json { .. } => continue,
        };
        symbols += 1;
        // A name is taken once, however often it is declared.
        if seen.insert(entry.name.as_str()) && groups[group].len() < max_names {
            groups[group].push(entry);
        }
    }
    let places = places(groups.each_ref().map(Vec::len), max_names);
    let [classes, types, functions, variables] = std::array::from_fn(|group| {
        let listed = groups[group].iter().take(places[group]);
        listed
            .map(|entry| format!("{}:{}", capped(&entry.name), lines.line_at(entry.start)))
            .collect()
    });
    Structure {
        lines: lines.count(),
        imports,
        symbols,
        methods,
        classes,
        types,
        functions,
        variables,
        parse_complete: (!complete).then_some(false),
    }
}

/// How many names of each group are listed, `total` in all.
fn places(wanted: [usize; 4], total: usize) -> [usize; 4] {
    let mut given = [0; 4];
    let mut left = total;
    let mut give = |group: usize, most: usize| {
        let more = (wanted[group] - given[group]).min(most).min(left);
        given[group] += more;
        left -= more;
        more
    };
    let classes = give(0, TYPE_PLACES);
    give(1, TYPE_PLACES - classes);
    for group in [2, 3, 0, 1] {
        give(group, total);
    }
    given
}

#[cfg(test)]
mod tests;
