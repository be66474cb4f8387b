//! One entry seen from its folder: which rules arrive at it, and what they add up to.
//!
//! Here visibility and groups come together. It keeps the deciding rules, so that explaining is
//! deciding and reading off the reasons; how rules arrive is the walk's business (`scope.rs`).

use super::groups::{Group, Groups};
use super::ignore::IgnoreHide;
use super::rules::{Allowing, Entry, EntryId, Rules, SEATS, Show};
use super::scope::FolderState;
use super::tally::{MUTATE, Tally};
use super::{Decision, PathKind};

/// What hides: a rule of the table, or a line of an ignore file on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hide {
    Rule(EntryId),
    Line(IgnoreHide),
}

/// A hide that holds, and how deep its outermost match lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) hide: Hide,
    pub(super) level: u32,
}

/// A hide that a show has undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undone {
    pub(super) hide: Hide,
    pub(super) show: EntryId,
}

/// One entry of a folder and what arrives at it.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) level: u32,
    kind: PathKind,
    /// Hides that match the entry itself, and not a folder above it.
    hides: Vec<Hide>,
    shows: Vec<EntryId>,
    /// Content rules that match the entry.
    contents: Vec<EntryId>,
    pub(super) own: Tally,
    /// What of it holds below the entry too.
    pub(super) below: Tally,
    /// What rules on their way further down could give.
    allow_below: Allowing,
    /// A show names something below that is visible.
    leads: bool,
    /// As `leads`, and the show undoes what ignore files hide.
    leads_past_ignored: bool,
}

impl Look {
    /// An entry of the folder at which only what covers the folder has arrived yet.
    pub(super) fn unmatched(level: u32, kind: PathKind, covering: &Tally) -> Self {
        Self {
            level,
            kind,
            hides: Vec::new(),
            shows: Vec::new(),
            contents: Vec::new(),
            own: covering.clone(),
            below: covering.clone(),
            allow_below: Allowing::default(),
            leads: false,
            leads_past_ignored: false,
        }
    }

    /// A rule matches the entry itself.
    pub(super) fn arrive(&mut self, id: EntryId, entry: &Entry, folder: &FolderState) {
        if entry.hide {
            self.hide(Hide::Rule(id), folder);
        }
        if entry.content_rule().is_some() && !self.contents.contains(&id) {
            self.contents.push(id);
        }
        if entry.show.is_some() && !self.shows.contains(&id) {
            self.shows.push(id);
        }
        if entry.vote.is_some() || entry.guard.is_some() {
            self.own.add(id, entry, self.level);
            if entry.pattern.subtree {
                self.below.add(id, entry, self.level);
            }
        }
    }

    /// A hide matches the entry itself. It counts where its outermost match lies.
    pub(super) fn hide(&mut self, hide: Hide, folder: &FolderState) {
        let already = folder.standing.iter().any(|standing| standing.hide == hide)
            || folder.undone.iter().any(|undone| undone.hide == hide);
        if !already && !self.hides.contains(&hide) {
            self.hides.push(hide);
        }
    }

    /// A rule could match further down.
    pub(super) fn lead_on(&mut self, entry: &Entry) {
        if let Some(show) = entry.show
            && show.leads
        {
            self.leads = true;
            self.leads_past_ignored |= show.reaches_ignored();
        }
        entry.add_allowed(&mut self.allow_below);
    }

    /// The hides that match the entry or a folder above it and that no show above it undid.
    pub(super) fn reaching<'a>(
        &'a self,
        folder: &'a FolderState,
    ) -> impl Iterator<Item = Standing> + 'a {
        let new = self.hides.iter().map(|&hide| Standing {
            hide,
            level: self.level,
        });
        folder.standing.iter().copied().chain(new)
    }

    /// The show of this entry that undoes the hide.
    ///
    /// One that is no literal path undoes only hides whose outermost match is the entry itself:
    /// a name shown anywhere must not open the hidden folders it happens to lie in.
    pub(super) fn undone_by(&self, rules: &Rules, hide: Standing) -> Option<EntryId> {
        let reached = |show: Show| match hide.hide {
            Hide::Rule(id) => rules.entry(id).is_some_and(|entry| show.reaches(entry)),
            Hide::Line(_) => show.reaches_ignored(),
        };
        self.shows.iter().copied().find(|&id| {
            rules
                .entry(id)
                .and_then(|entry| entry.show)
                .is_some_and(|show| {
                    (show.literal_path || hide.level == self.level) && reached(show)
                })
        })
    }

    /// The first hide that holds for the entry.
    pub(super) fn hidden_by(&self, rules: &Rules, folder: &FolderState) -> Option<Standing> {
        self.reaching(folder)
            .find(|&hide| self.undone_by(rules, hide).is_none())
    }

    /// The last hide that a show undoes at this entry.
    pub(super) fn shown_by(&self, rules: &Rules, folder: &FolderState) -> Option<Undone> {
        self.reaching(folder)
            .filter_map(|hide| {
                let show = self.undone_by(rules, hide)?;
                Some(Undone {
                    hide: hide.hide,
                    show,
                })
            })
            .last()
    }

    pub(super) fn is_hidden(&self, rules: &Rules, folder: &FolderState) -> bool {
        self.hidden_by(rules, folder).is_some()
    }

    pub(super) fn decide(&self, rules: &Rules, folder: &FolderState) -> Decision {
        if !folder.decision.exists() {
            return Decision::default();
        }
        let hidden = |hide: &Standing| self.undone_by(rules, *hide).is_none();
        let mut hiding = self.reaching(folder).filter(hidden).peekable();
        if hiding.peek().is_none() {
            return self.decide_visible(rules);
        }
        // What a show names below is still hidden if an ignore file's line stands over it.
        let leads = if hiding.any(|standing| matches!(standing.hide, Hide::Line(_))) {
            self.leads_past_ignored
        } else {
            self.leads
        };
        self.way(rules, leads)
    }

    pub(super) fn decide_visible(&self, rules: &Rules) -> Decision {
        let agreed = self.own.agreed(rules);
        let refused: Groups = MUTATE
            .into_iter()
            .filter(|&group| self.own.refused_always(group).is_some())
            .collect();
        let groups = agreed - refused;
        if groups.is_empty() {
            return self.way(rules, self.leads || self.could_allow_below(rules));
        }
        let guarded: Groups = MUTATE
            .into_iter()
            .filter(|&group| self.own.refused_in_old_repository(group).is_some())
            .collect();
        Decision {
            groups,
            way: false,
            guarded: groups & guarded,
            content: self
                .hidden_by_content(rules)
                .and_then(|id| rules.entry(id)?.content_rule()),
            label: self.own.labelled().map(|labelling| labelling.label),
        }
    }

    /// The rule that hides the entry if its content is what the rule looks for.
    pub(super) fn hidden_by_content(&self, rules: &Rules) -> Option<EntryId> {
        self.contents.iter().copied().find(|&id| {
            let hide = Standing {
                hide: Hide::Rule(id),
                level: self.level,
            };
            self.undone_by(rules, hide).is_none()
        })
    }

    /// Whether some allow could decide below, told by patterns alone, and no seat stands
    /// against that.
    fn could_allow_below(&self, rules: &Rules) -> bool {
        let allows = |seat: usize| {
            Group::ALL
                .into_iter()
                .any(|group| self.below.could_give(rules, &self.allow_below, seat, group))
        };
        let gives = |(seat, &defaults): (usize, &Groups)| {
            allows(seat) || !self.own.given(seat, defaults).is_empty()
        };
        (0..SEATS).any(allows) && rules.defaults.iter().enumerate().all(gives)
    }

    /// The decision for a folder that only leads on.
    ///
    /// It is listed unless a rule refuses `search`: only the bare `default = "deny"` gives way,
    /// so that no added rule can make a folder listed that was not.
    pub(super) fn way(&self, rules: &Rules, leads: bool) -> Decision {
        if self.kind != PathKind::Folder || !leads {
            return Decision::default();
        }
        let listed = rules.defaults.iter().enumerate().all(|(seat, defaults)| {
            match self.own.opinion(seat, Group::Search) {
                Some(opinion) => !opinion.refused,
                None => defaults.is_empty() || defaults.has(Group::Search),
            }
        });
        Decision {
            groups: if listed {
                Groups::SEARCH
            } else {
                Groups::empty()
            },
            way: true,
            guarded: Groups::empty(),
            content: None,
            label: None,
        }
    }
}
