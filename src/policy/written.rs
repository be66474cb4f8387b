//! The rules that people wrote, one by one, for a check of the policy: which of them match an
//! entry, and what each is there for.

use super::builtin::Effect;
use super::explain::{Ruling, ruling};
use super::rules::Entry;
use super::sources::Source;
use super::{FolderScope, PathKind, Policy};

/// A rule of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(u32);

/// A rule of a file or the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct WrittenRule {
    /// Which one.
    pub id: RuleId,
    /// Where it stands and what it says.
    pub ruling: Ruling,
    /// It undoes hides.
    pub shows: bool,
    /// It gives or refuses groups.
    pub decides_groups: bool,
    /// It is meant for this workspace, not for all that the user has.
    pub is_of_this_workspace: bool,
    /// It holds a name that may begin only at the root.
    pub is_anchored: bool,
    /// It names no path but a kind of name, such as `*.pem`.
    pub is_kind_of_name: bool,
    /// It matches folders alone.
    pub folders_only: bool,
}

fn is_written(entry: &Entry) -> bool {
    match entry.source {
        Source::BuiltIn | Source::View => false,
        Source::Workspace | Source::PolicyFile | Source::User | Source::CommandLine => true,
    }
}

impl Policy {
    /// The rules that people wrote, in their order. Rules for the whole tree are left out: they
    /// match whatever is there.
    pub fn written_rules(&self) -> Vec<WrittenRule> {
        let entries = self.rules.entries.iter().zip(0..);
        entries
            .filter(|(entry, _)| is_written(entry) && !entry.pattern.whole_tree)
            .filter_map(|(entry, id)| {
                let pattern = &entry.pattern;
                Some(WrittenRule {
                    id: RuleId(id),
                    ruling: ruling(&self.rules, id)?,
                    shows: entry.show.is_some(),
                    decides_groups: entry
                        .vote
                        .is_some_and(|vote| vote.allow.is_some() || !vote.deny.is_empty()),
                    is_of_this_workspace: entry.source != Source::User,
                    is_anchored: !pattern.is_floating(),
                    is_kind_of_name: pattern.is_floating() && pattern.literal_names().is_none(),
                    folders_only: pattern.kinds == super::pattern::Kinds::Folders,
                })
            })
            .collect()
    }
}

impl FolderScope {
    /// Calls `found` for every written rule that matches the entry of this name itself.
    pub fn written_matches(&self, name: &[u8], kind: PathKind, mut found: impl FnMut(RuleId)) {
        self.state.matching(&self.rules, name, kind, |id, entry| {
            if is_written(entry) {
                found(RuleId(id));
            }
        });
    }

    /// Whether a written rule that begins above could match further down.
    pub fn written_rules_lead_on(&self) -> bool {
        self.state.on_their_way(&self.rules).any(is_written)
    }

    /// Why the entry is hidden as a secret by a built-in rule, whatever shows it again;
    /// repositories and trashes are hidden for other reasons.
    pub fn built_in_secret(&self, name: &[u8], kind: PathKind) -> Option<&str> {
        let mut reason = None;
        self.state.matching(&self.rules, name, kind, |id, entry| {
            let is_secret = matches!(entry.effect, Some(Effect::Hide | Effect::HideUnlessSample));
            if is_secret && reason.is_none() {
                reason = Some(id);
            }
        });
        self.rules.entry(reason?)?.reason.as_deref()
    }
}
