//! Why a path is what it is: visibility and each group with the rule that decided.
//!
//! An explanation is the decision with its reasons read off, never a second opinion: both come
//! from the same [`Look`]. Where a folder above the path does not exist, that folder is what is
//! explained.

use serde::Serialize;

use super::groups::{Group, Groups};
use super::ignore::IgnoreFile;
use super::labels::Label;
use super::look::{Hide, Look};
use super::rules::{EntryId, Rules, SEATS};
use super::scope::FolderState;
use super::{Decision, FolderScope, PathKind, Policy};
use crate::relpath::RelPath;
use std::sync::Arc;

/// A decision with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The path that was asked for; `.` for the root.
    pub path: String,
    /// Where it was decided: the path itself, or the first folder above it that does not exist.
    pub decided_at: String,
    /// Whether the path exists in the view, provided that the tree has it.
    pub exists: bool,
    /// Hidden or not, and by what.
    pub visibility: Visibility,
    /// The four groups, in the order of [`Group::ALL`].
    pub groups: Vec<GroupRuling>,
    /// How confidential it is, if a rule says so.
    pub label: Option<LabelRuling>,
    /// The decision that this explains.
    pub decision: Decision,
}

/// Whether a path is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visibility {
    /// No hide holds for it.
    pub visible: bool,
    /// A folder that only leads down to something shown or allowed.
    pub leads_down: bool,
    /// The hide that holds, or the show that undid one; `None` where no rule has a say.
    pub rule: Option<Ruling>,
    /// The hide that `rule` undid, if it is a show.
    pub undone: Option<Ruling>,
    /// The rule that hides it after all if its content is what the rule looks for.
    pub by_content: Option<Ruling>,
}

/// Whether a group is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupRuling {
    /// The group.
    pub group: Group,
    /// Whether the path has it.
    pub given: bool,
    /// Given only if the repository was made in this view.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_in_new_repository: bool,
    /// What decided; `None` where no rule has a say and no default was written.
    pub rule: Option<Ruling>,
}

/// How confidential a path is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelRuling {
    /// The label.
    pub label: Label,
    /// The rule that decided.
    pub rule: Ruling,
}

/// A rule that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// `built-in`, `FILE:LINE`, the flag, or `the view`.
    pub source: String,
    /// The pattern as it was written; `default` for a file's default.
    pub pattern: String,
    /// Why, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do instead, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternative: Option<String>,
}

impl Policy {
    /// Decides a path and says why. `ignore_files` gives those that lie in a folder.
    pub fn explain(
        &self,
        path: &RelPath,
        kind: PathKind,
        mut ignore_files: impl FnMut(&RelPath) -> Vec<(String, Arc<IgnoreFile>)>,
    ) -> Explanation {
        let rules = &*self.rules;
        let mut folder = rules.root.clone();
        let mut above = RelPath::root();
        let mut add = |folder: &mut FolderState, above: &RelPath| {
            for (label, file) in ignore_files(above) {
                folder.ignoring.add(&label, file);
            }
        };
        add(&mut folder, &above);
        let count = path.components().count();
        let mut explained = explain_root(rules);
        for (name, number) in path.components().zip(1..) {
            let last = number == count;
            let look = folder.look(rules, name, if last { kind } else { PathKind::Folder });
            // The names come out of a path, so putting one together again cannot fail.
            above = above.child(name).unwrap_or(above);
            let decision = look.decide(rules, &folder);
            if last || !decision.exists() {
                explained = explain_look(rules, &folder, &look, decision);
                break;
            }
            folder = folder.enter(rules, name);
            add(&mut folder, &above);
        }
        Explanation {
            path: path.to_text(),
            decided_at: above.to_text(),
            ..explained
        }
    }
}

impl FolderScope {
    /// Decides the entry of this name, as [`FolderScope::decide`] does, and says why.
    pub fn explain(&self, name: &[u8], kind: PathKind) -> Explanation {
        let look = self.state.look(&self.rules, name, kind);
        let decision = look.decide(&self.rules, &self.state);
        let name = String::from_utf8_lossy(name).into_owned();
        Explanation {
            path: name.clone(),
            decided_at: name,
            ..explain_look(&self.rules, &self.state, &look, decision)
        }
    }
}

fn explain_root(rules: &Rules) -> Explanation {
    let decision = rules.root.decision;
    let look = FolderState::root_look(rules);
    Explanation {
        path: String::new(),
        decided_at: String::new(),
        exists: decision.exists(),
        visibility: Visibility {
            visible: true,
            leads_down: decision.is_way(),
            rule: None,
            undone: None,
            by_content: None,
        },
        groups: group_rulings(rules, &look, decision),
        label: label_ruling(rules, &look, decision),
        decision,
    }
}

fn explain_look(
    rules: &Rules,
    folder: &FolderState,
    look: &Look,
    decision: Decision,
) -> Explanation {
    let hidden = look.hidden_by(rules, folder);
    let shown = look
        .shown_by(rules, folder)
        .or_else(|| folder.undone.last().copied());
    let read = |hide| match hide {
        Hide::Rule(id) => ruling(rules, id),
        Hide::Line(hide) => folder.ignoring.ruling(hide),
    };
    let (rule, undone) = match (hidden, shown) {
        (Some(standing), _) => (read(standing.hide), None),
        (None, Some(undone)) => (ruling(rules, undone.show), read(undone.hide)),
        (None, None) => (None, None),
    };
    let groups = if hidden.is_some() {
        Group::ALL
            .into_iter()
            .map(|group| GroupRuling {
                group,
                given: decision.may(group),
                only_in_new_repository: false,
                // A hidden folder that leads down is listed in spite of the rule.
                rule: rule.clone().filter(|_| !decision.may(group)),
            })
            .collect()
    } else {
        group_rulings(rules, look, decision)
    };
    Explanation {
        path: String::new(),
        decided_at: String::new(),
        exists: decision.exists(),
        visibility: Visibility {
            visible: hidden.is_none(),
            leads_down: decision.is_way(),
            rule,
            undone,
            by_content: decision
                .content()
                .and_then(|_| look.hidden_by_content(rules))
                .and_then(|id| ruling(rules, id)),
        },
        groups,
        label: label_ruling(rules, look, decision),
        decision,
    }
}

fn group_rulings(rules: &Rules, look: &Look, decision: Decision) -> Vec<GroupRuling> {
    Group::ALL
        .into_iter()
        .map(|group| GroupRuling {
            group,
            given: decision.may(group),
            only_in_new_repository: decision.guarded().has(group),
            rule: group_ruling(rules, look, group),
        })
        .collect()
}

/// The rule that refuses the group, else the one that gives it, else the file's default. Of
/// several that refuse, the one whose source is hardest to change comes first.
fn group_ruling(rules: &Rules, look: &Look, group: Group) -> Option<Ruling> {
    let built_in = look
        .own
        .refused_always(group)
        .or_else(|| look.own.refused_in_old_repository(group));
    let opinions = || {
        (0..SEATS)
            .rev()
            .filter_map(|seat| look.own.opinion(seat, group))
    };
    let refusing = opinions().find(|opinion| opinion.refused);
    let default = rules.defaults.first().copied().unwrap_or(Groups::all());
    let default_decides = look.own.opinion(0, group).is_none();
    if let Some(id) = built_in.or(refusing.map(|opinion| opinion.entry)) {
        return ruling(rules, id);
    }
    if default_decides && !default.has(group) {
        return default_ruling(rules);
    }
    match opinions().next() {
        Some(opinion) => ruling(rules, opinion.entry),
        None => default_ruling(rules),
    }
}

fn label_ruling(rules: &Rules, look: &Look, decision: Decision) -> Option<LabelRuling> {
    let label = decision.label()?;
    let rule = ruling(rules, look.own.labelled()?.entry)?;
    Some(LabelRuling { label, rule })
}

fn default_ruling(rules: &Rules) -> Option<Ruling> {
    rules.default_place.as_ref().map(|place| Ruling {
        source: place.to_string(),
        pattern: "default".to_owned(),
        reason: None,
        alternative: None,
    })
}

pub(super) fn ruling(rules: &Rules, id: EntryId) -> Option<Ruling> {
    rules.entry(id).map(|entry| Ruling {
        source: entry.place.to_string(),
        pattern: entry.pattern.text.clone(),
        reason: entry.reason.clone(),
        alternative: entry.alternative.clone(),
    })
}
