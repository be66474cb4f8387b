//! What a check found: the JSON of `inspectfs check --json`. Bounded: of each kind so many
//! items, and a count of all.

use crate::policy::Ruling;
use serde::Serialize;
use std::collections::BTreeMap;

/// Items kept of each kind.
pub(super) const ITEMS_MAX: usize = 20;

/// What a check of a policy and its tree found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// Nothing needs attention.
    pub ok: bool,
    /// Entries that the view shows, by path if not in listings.
    pub visible: u64,
    /// Entries that it hides; what lies in a hidden folder is not counted.
    pub hidden: u64,
    /// What was found, what needs attention first.
    pub sections: Vec<Section>,
}

/// All findings of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// The kind.
    pub kind: FindingKind,
    /// Whether someone should do something about it.
    pub attention: bool,
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub items: Vec<Finding>,
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The path it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The rule it is about, or that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Ruling>,
    /// What there is to say, one sentence without a full stop.
    pub message: String,
}

/// Kinds of findings, in the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A file that looks like a secret, is readable in the view, and no rule is about it.
    SecretInView,
    /// A rule that matches nothing in the tree.
    RuleWithoutMatch,
    /// A show whose path stays hidden.
    ShowInVain,
    /// The workspace's own policy shows what built-in rules hide.
    ShownByWorkspace,
    /// A file that is hidden since another name of it is.
    HardLinkToHidden,
    /// A link that leads out of the workspace and is not followed.
    LinkOutRefused,
    /// An ignore file that cannot be followed, so that it hides all beside it.
    IgnoreFileFault,
    /// A folder that cannot be looked into.
    UnreadableFolder,
    /// A rule for a kind of name that matches nothing yet.
    RuleForLater,
    /// A rule on groups that matches only what is hidden.
    RuleOnHidden,
    /// A show that undoes a hide.
    ShowOverHide,
    /// A link that leads out of the workspace where the policy allows it.
    LinkOutAllowed,
    /// A file that looks like a secret and is hidden or cannot be read.
    SecretCovered,
}

impl FindingKind {
    /// Whether someone should do something about it.
    pub fn needs_attention(self) -> bool {
        self < Self::RuleForLater
    }

    /// A heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::SecretInView => "look like secrets and are readable in the view",
            Self::RuleWithoutMatch => "rules that match nothing",
            Self::ShowInVain => "shows of what stays hidden",
            Self::ShownByWorkspace => "shown by the workspace's own policy, hidden by default",
            Self::HardLinkToHidden => "further names of hidden files, hidden with them",
            Self::LinkOutRefused => "links that lead out, not followed",
            Self::IgnoreFileFault => {
                "ignore files that cannot be followed and hide all beside them"
            }
            Self::UnreadableFolder => "folders that cannot be looked into",
            Self::RuleForLater => "rules for kinds of names that are not there yet",
            Self::RuleOnHidden => "rules on groups that match only what is hidden",
            Self::ShowOverHide => "shows that reach over a hide",
            Self::LinkOutAllowed => "links that lead out where the policy allows it",
            Self::SecretCovered => "look like secrets and are covered",
        }
    }
}

/// Findings as they come.
#[derive(Debug, Default)]
pub(super) struct Findings(BTreeMap<FindingKind, (u64, Vec<Finding>)>);

impl Findings {
    /// Counts a finding; `make` says it, where it is among the first of its kind.
    pub(super) fn add(&mut self, kind: FindingKind, make: impl FnOnce() -> Finding) {
        let (count, items) = self.0.entry(kind).or_default();
        *count += 1;
        if items.len() < ITEMS_MAX {
            items.push(make());
        }
    }

    pub(super) fn into_sections(self) -> Vec<Section> {
        let section = |(kind, (count, mut items)): (FindingKind, (u64, Vec<Finding>))| {
            items.sort_by(|one, other| one.path.cmp(&other.path));
            Section {
                kind,
                attention: kind.needs_attention(),
                count,
                items,
            }
        };
        self.0.into_iter().map(section).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_these_fields() {
        let mut findings = Findings::default();
        for number in 0..25 {
            findings.add(FindingKind::SecretCovered, || Finding {
                path: Some(format!("{number}")),
                rule: None,
                message: "m".to_owned(),
            });
        }
        findings.add(FindingKind::RuleWithoutMatch, || Finding {
            path: None,
            rule: Some(Ruling {
                source: "p:1".to_owned(),
                pattern: "a".to_owned(),
                reason: None,
                alternative: None,
            }),
            message: "m".to_owned(),
        });
        let mut sections = findings.into_sections();
        assert_eq!(
            (sections[1].count, sections[1].items.len()),
            (25, ITEMS_MAX)
        );
        sections[1].items.truncate(1);
        let report = CheckReport {
            ok: false,
            visible: 1,
            hidden: 2,
            sections,
        };
        assert_eq!(
            serde_json::to_string(&report).ok().as_deref(),
            Some(concat!(
                r#"{"ok":false,"visible":1,"hidden":2,"sections":["#,
                r#"{"kind":"rule-without-match","attention":true,"count":1,"items":[{"rule":{"source":"p:1","pattern":"a"},"message":"m"}]},"#,
                r#"{"kind":"secret-covered","attention":false,"count":25,"items":[{"path":"0","message":"m"}]}]}"#
            ))
        );
    }
}
