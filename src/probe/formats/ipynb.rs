//! Jupyter notebooks: cells by type, the kernel's language and the headings of the prose.
//!
//! The JSON streams through visitors; of a cell only its type and, where it is prose, its
//! headings are kept. Outputs are skipped unread. Notebooks of version 4 and, with their cells
//! in worksheets, of version 3.

use super::super::Limits;
use super::super::entry::EntryKind;
use super::super::outline::markdown;
use super::super::report::{Finding, Reason};
use super::super::text::{Clock, Text};
use super::names::{LISTED, capped};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::{fmt, io};

#[derive(Serialize)]
struct Structure {
    cells: Cells,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    headings: Vec<String>,
    heading_count: usize,
}

#[derive(Default, Serialize)]
struct Cells {
    code: usize,
    markdown: usize,
    #[serde(skip_serializing_if = "is_zero")]
    raw: usize,
    #[serde(skip_serializing_if = "is_zero")]
    other: usize,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[allow(clippy::unnecessary_wraps, reason = "the signature of a row's probe")]
pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    if !text.is_whole() {
        return Ok(Finding::missing(Reason::TooLarge));
    }
    let mut notebook = Notebook::new(text.clock());
    let mut deserializer = serde_json::Deserializer::from_str(text.head());
    let result = deserializer
        .deserialize_map(&mut notebook)
        .and_then(|()| deserializer.end());
    if notebook.late {
        return Ok(Finding::missing(Reason::Timeout));
    }
    if result.is_err() {
        return Ok(Finding::missing(Reason::Invalid));
    }
    let structure = Structure {
        cells: notebook.cells,
        language: notebook.language.map(|language| capped(&language)),
        headings: notebook.headings,
        heading_count: notebook.heading_count,
    };
    Ok(Finding::new(&structure, None))
}

struct Notebook {
    clock: Clock,
    late: bool,
    cells: Cells,
    language: Option<String>,
    headings: Vec<String>,
    heading_count: usize,
}

impl Notebook {
    fn new(clock: Clock) -> Self {
        Self {
            clock,
            late: false,
            cells: Cells::default(),
            language: None,
            headings: Vec::new(),
            heading_count: 0,
        }
    }

    fn take(&mut self, cell: &Cell) {
        match cell.cell_type.as_str() {
            "code" => self.cells.code += 1,
            "markdown" => {
                self.cells.markdown += 1;
                self.take_headings(&cell.source.0);
            }
            "raw" => self.cells.raw += 1,
            _ => self.cells.other += 1,
        }
    }

    fn take_headings(&mut self, source: &str) {
        let parsed = markdown::parse(source, self.clock.parse);
        self.late |= parsed.stopped == Some(super::super::outline::Stopped::Time);
        for entry in &parsed.entries {
            if let EntryKind::Heading { level } = entry.kind {
                self.heading_count += 1;
                if self.headings.len() < LISTED {
                    let marks = "#".repeat(usize::from(level));
                    self.headings
                        .push(capped(&format!("{marks} {}", entry.name)));
                }
            }
        }
    }
}

impl<'de> Visitor<'de> for &mut Notebook {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a notebook")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "cells" => map.next_value_seed(CellsInto(self))?,
                "worksheets" => map.next_value_seed(WorksheetsInto(self))?,
                "metadata" => self.language = map.next_value::<Metadata>()?.language(),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct CellsInto<'a>(&'a mut Notebook);

impl<'de> DeserializeSeed<'de> for CellsInto<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for CellsInto<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cells")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(cell) = seq.next_element::<Cell>()? {
            self.0.take(&cell);
            if self.0.late || self.0.clock.parsing_is_over() {
                self.0.late = true;
                return Err(serde::de::Error::custom("out of time"));
            }
        }
        Ok(())
    }
}

struct WorksheetsInto<'a>(&'a mut Notebook);

impl<'de> DeserializeSeed<'de> for WorksheetsInto<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for WorksheetsInto<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("worksheets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(WorksheetInto(self.0))?.is_some() {}
        Ok(())
    }
}

struct WorksheetInto<'a>(&'a mut Notebook);

impl<'de> DeserializeSeed<'de> for WorksheetInto<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for WorksheetInto<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a worksheet")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "cells" {
                map.next_value_seed(CellsInto(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    #[serde(default)]
    source: Source,
}

/// Text as one string or as a list of them.
#[derive(Default)]
struct Source(String);

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SourceVisitor)
    }
}

struct SourceVisitor;

impl<'de> Visitor<'de> for SourceVisitor {
    type Value = Source;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E>(self, text: &str) -> Result<Source, E> {
        Ok(Source(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Source, A::Error> {
        let mut text = String::new();
        while let Some(part) = seq.next_element::<String>()? {
            text.push_str(&part);
        }
        Ok(Source(text))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    language_info: LanguageInfo,
    kernelspec: KernelSpec,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LanguageInfo {
    name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct KernelSpec {
    language: Option<String>,
    name: Option<String>,
}

impl Metadata {
    fn language(self) -> Option<String> {
        let kernel = self.kernelspec;
        self.language_info.name.or(kernel.language).or(kernel.name)
    }
}

#[cfg(test)]
mod tests;
