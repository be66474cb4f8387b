//! What a probe found out about one version of a file.
//!
//! A `Report` holds what depends on the bytes and on the format row alone, so that it can be
//! kept per file version and shared by every name and policy; path, permissions and times are
//! put in when it is written (`document`).

use serde::Serialize;
use serde_json::value::RawValue;

/// What the trash promises about a file, and how far a probe goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "u8")]
pub enum Tier {
    /// Text of a sane size.
    Text,
    /// A NUL among the first 8,192 bytes, and no UTF-16 with byte-order mark.
    Binary,
    /// Too large to be opened at all.
    Oversized,
}

impl From<Tier> for u8 {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Text => 1,
            Tier::Binary => 2,
            Tier::Oversized => 3,
        }
    }
}

/// Why structure is missing, or less than the format's row promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Tier 2.
    Binary,
    /// Tier 3, or more than parsers are given.
    TooLarge,
    /// The policy does not allow to read the file.
    NotReadable,
    /// The time was up.
    Timeout,
    /// Nested deeper than parsers go.
    TooDeep,
    /// Not what its name says.
    Invalid,
}

/// What a format's row found; what is missing has a reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct Finding {
    pub(crate) structure: Option<Box<RawValue>>,
    pub(crate) reason: Option<Reason>,
}

impl Finding {
    /// A structure, and why it is less than it could be.
    pub(crate) fn new(structure: &impl Serialize, reason: Option<Reason>) -> Self {
        match serde_json::value::to_raw_value(structure) {
            Ok(structure) => Self {
                structure: Some(structure),
                reason,
            },
            // Structures are plain data with string keys, which always serialize.
            Err(_) => Self::missing(Reason::Invalid),
        }
    }

    pub(crate) fn missing(reason: Reason) -> Self {
        Self {
            structure: None,
            reason: Some(reason),
        }
    }
}

/// What is known of one version of a file under one format row.
#[derive(Debug, Clone)]
pub struct Report {
    pub(crate) row: Option<&'static str>,
    pub(crate) tier: Tier,
    pub(crate) encoding: Option<&'static str>,
    pub(crate) bom: bool,
    pub(crate) eol: Option<&'static str>,
    pub(crate) finding: Finding,
}

impl Report {
    /// The report of a file whose content is not opened, by its size.
    pub fn too_large(name: &[u8]) -> Self {
        Self::without_text(name, Tier::Oversized, Reason::TooLarge)
    }

    pub(crate) fn binary(name: &[u8]) -> Self {
        Self::without_text(name, Tier::Binary, Reason::Binary)
    }

    fn without_text(name: &[u8], tier: Tier, reason: Reason) -> Self {
        Self {
            row: super::formats::row_name(name),
            tier,
            encoding: None,
            bom: false,
            eol: None,
            finding: Finding::missing(reason),
        }
    }

    /// The tier the content has.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Whether a parser ran out of time: another try may say more.
    pub fn timed_out(&self) -> bool {
        self.finding.reason == Some(Reason::Timeout)
    }

    /// The heap this report holds, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.finding
            .structure
            .as_ref()
            .map_or(0, |structure| structure.get().len())
    }
}
