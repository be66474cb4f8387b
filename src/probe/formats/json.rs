//! JSON, strictly: the top level's keys or length.
//!
//! Values below the top level are checked and skipped without recursion (`IgnoredAny`), so
//! depth costs a byte a level and nothing else. Broken text says where, with the keys that the
//! outline's lenient reader finds: those of files with comments or trailing commas are all.

use super::super::Limits;
use super::super::lines::LineTable;
use super::super::outline::json::root_keys;
use super::super::report::{Finding, Reason};
use super::super::text::{Clock, Text};
use super::names::DistinctNames;
use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::{fmt, io};

#[derive(Serialize)]
struct Structure {
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_line: Option<usize>,
}

#[allow(clippy::unnecessary_wraps, reason = "the signature of a row's probe")]
pub(super) fn probe(text: &mut Text<'_>, _: &Limits) -> io::Result<Finding> {
    let source = text.head();
    let (mut top, ended) = Top::parse(source, text.clock());
    let (mut error_line, mut reason) = (None, None);
    if let Err(Ended::Invalid { .. }) = ended
        && text.is_whole()
    {
        // What came before the error, and what a lenient reader finds behind it.
        let mut keys = DistinctNames::default();
        match root_keys(source, text.clock().parse, |key| keys.add(key)) {
            Some(true) => top = Top::Object(keys),
            Some(false) => {}
            None => reason = Some(Reason::Timeout),
        }
    }
    match ended {
        Err(Ended::Timeout) => reason = Some(Reason::Timeout),
        Err(Ended::Invalid { at, early: true }) => {
            error_line = Some(LineTable::new(source.as_bytes()).line_at(at));
        }
        _ if !text.is_whole() => reason = Some(Reason::TooLarge),
        Err(Ended::Invalid { at, .. }) => {
            error_line = Some(LineTable::new(source.as_bytes()).line_at(at));
        }
        Ok(()) => {}
    }
    let is_good = error_line.is_none() && reason.is_none();
    let mut structure = Structure {
        keys: None,
        key_count: None,
        length: None,
        value: None,
        valid: error_line.map(|_| false),
        error_line,
    };
    match top {
        Top::Object(keys) => {
            // How many keys there are is not known before the end.
            structure.key_count = reason.is_none().then_some(keys.count());
            structure.keys = Some(keys.listed);
        }
        Top::Array(length) => structure.length = is_good.then_some(length),
        Top::Scalar(value) => structure.value = value.filter(|_| is_good),
    }
    if let (Some(reason), None) = (reason, &structure.keys) {
        return Ok(Finding::missing(reason));
    }
    Ok(Finding::new(&structure, reason))
}

/// Why a text was not read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Timeout,
    Invalid {
        /// The byte where it shows.
        at: usize,
        /// Not just because the text ends there.
        early: bool,
    },
}

/// The top level of a JSON text, as far as it went.
pub(super) enum Top {
    Object(DistinctNames),
    Array(usize),
    /// The type of a scalar; `None` if it is no value at all.
    Scalar(Option<&'static str>),
}

impl Top {
    pub(super) fn parse(source: &str, clock: Clock) -> (Self, Result<(), Ended>) {
        let mut deserializer = serde_json::Deserializer::from_str(source);
        let mut late = false;
        let mut visitor = TopVisitor {
            keys: DistinctNames::default(),
            length: 0,
            clock,
            late: &mut late,
        };
        let first = source
            .trim_start_matches([' ', '\t', '\r', '\n'])
            .bytes()
            .next();
        let mut result = match first {
            Some(b'{') => deserializer.deserialize_map(&mut visitor),
            Some(b'[') => deserializer.deserialize_seq(&mut visitor),
            _ => IgnoredAny::deserialize(&mut deserializer).map(drop),
        };
        result = result.and_then(|()| deserializer.end());
        let top = match first {
            Some(b'{') => Self::Object(visitor.keys),
            Some(b'[') => Self::Array(visitor.length),
            Some(b'"') => Self::Scalar(Some("string")),
            Some(b't' | b'f') => Self::Scalar(Some("boolean")),
            Some(b'n') => Self::Scalar(Some("null")),
            Some(b'-' | b'0'..=b'9') => Self::Scalar(Some("number")),
            _ => Self::Scalar(None),
        };
        let ended = result.map_err(|error| {
            if late {
                Ended::Timeout
            } else {
                Ended::Invalid {
                    at: offset_of(source, &error),
                    early: !error.is_eof(),
                }
            }
        });
        (top, ended)
    }
}

/// `serde_json` counts LF alone, and columns in bytes from one.
fn offset_of(source: &str, error: &serde_json::Error) -> usize {
    let bytes = source.as_bytes();
    let line_start = match error.line() {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', bytes)
            .nth(line - 2)
            .map_or(bytes.len(), |end| end + 1),
    };
    line_start + error.column().saturating_sub(1)
}

struct TopVisitor<'a> {
    keys: DistinctNames,
    length: usize,
    clock: Clock,
    late: &'a mut bool,
}

impl TopVisitor<'_> {
    /// Looks at the clock once in a while.
    fn tick<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.length += 1;
        if self.length.is_multiple_of(256) && self.clock.parsing_is_over() {
            *self.late = true;
            return Err(E::custom("out of time"));
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for &mut TopVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key_seed(KeyInto(&mut self.keys))?.is_some() {
            map.next_value::<IgnoredAny>()?;
            self.tick()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {
            self.tick()?;
        }
        Ok(())
    }
}

/// Takes a key as bytes: a lone surrogate in an escape is valid JSON, yet no string.
struct KeyInto<'a>(&'a mut DistinctNames);

impl<'de> DeserializeSeed<'de> for KeyInto<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for KeyInto<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<(), E> {
        self.0.add(key);
        Ok(())
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<(), E> {
        self.0.add(&String::from_utf8_lossy(key));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
