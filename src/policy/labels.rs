//! Labels: how confidential what a path holds is, and where what was read may go.

use super::Policy;
use serde::{Deserialize, Serialize};

/// How confidential it is, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Label {
    /// For everyone.
    Public,
    /// For the house.
    Internal,
    /// For those who need it.
    Confidential,
    /// For those who are named.
    Restricted,
}

impl Label {
    /// Every label, from the least to the most confidential.
    pub const ALL: [Self; 4] = [
        Self::Public,
        Self::Internal,
        Self::Confidential,
        Self::Restricted,
    ];

    /// The names of [`Label::ALL`], as policy files and documents have them.
    pub const NAMES: [&'static str; 4] = ["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"];

    /// The name in policy files and documents.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The number of a label or of none, for an order that fits in a byte: 0 is none.
    pub fn level(label: Option<Self>) -> u8 {
        label.map_or(0, |label| label as u8 + 1)
    }

    /// The label of that number.
    pub fn of_level(level: u8) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|&label| Self::level(Some(label)) == level)
    }
}

impl Policy {
    /// Whether what was read under `taint` may be written where `target` holds: only upwards.
    /// Paths without a label take no part, on either side.
    pub fn may_flow(taint: Option<Label>, target: Option<Label>) -> bool {
        match (taint, target) {
            (Some(taint), Some(target)) => target >= taint,
            (None, _) | (_, None) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{Confidential, Internal, Public, Restricted};

    #[test]
    fn what_was_read_flows_upwards_only() {
        // A row a taint, a column a target: PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED.
        let rows = [
            (Public, [true, true, true, true]),
            (Internal, [false, true, true, true]),
            (Confidential, [false, false, true, true]),
            (Restricted, [false, false, false, true]),
        ];
        for (taint, row) in rows {
            for (target, allowed) in Label::ALL.into_iter().zip(row) {
                let flows = Policy::may_flow(Some(taint), Some(target));
                assert_eq!(flows, allowed, "{taint:?} to {target:?}");
            }
            assert!(Policy::may_flow(Some(taint), None) && Policy::may_flow(None, Some(taint)));
        }
        assert!(Policy::may_flow(None, None));
    }

    #[test]
    fn names_and_levels_agree_with_the_enum() {
        for label in Label::ALL {
            assert_eq!(serde_json::to_value(label).ok(), Some(label.name().into()));
            assert_eq!(Label::of_level(Label::level(Some(label))), Some(label));
        }
        assert!(Label::ALL.is_sorted());
        assert_eq!((Label::level(None), Label::of_level(0)), (0, None));
    }
}
