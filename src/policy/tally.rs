//! What rules add up to for one path: the deciding opinion of each seat on each group, and the
//! built-in refusals that no rule has lifted.
//!
//! A [`Tally`] knows no paths and no names; which rules to add, and at which depth they match,
//! is the walk's business (`scope.rs`).

use super::groups::{Group, Groups};
use super::labels::Label;
use super::rules::{Allowing, Entry, EntryId, Guard, Rules, SEATS, Vote};

/// The groups that built-ins refuse.
pub(super) const MUTATE: [Group; 2] = [Group::MutateContent, Group::MutateStructure];

/// The opinion that decides a group for one seat, so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opinion {
    length: u32,
    pub(super) refused: bool,
    pub(super) entry: EntryId,
}

/// The label that decides for one seat, so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Labelling {
    length: u32,
    pub(super) label: Label,
    pub(super) entry: EntryId,
}

/// A built-in's refusal, and how deep it matches.
#[derive(Debug, Clone, Copy)]
struct Guarding {
    entry: EntryId,
    level: u32,
}

/// Opinions and refusals added up. Adding is idempotent and its order does not matter.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    votes: [[Option<Opinion>; 4]; SEATS],
    labels: [Option<Labelling>; SEATS],
    always: Option<Guarding>,
    old_repository: Option<Guarding>,
    /// How deep the deepest literal outside rule lies that gives content, and structure.
    lifted: [u32; 2],
}

impl Tally {
    pub(super) fn add(&mut self, id: EntryId, entry: &Entry, level: u32) {
        if let Some(vote) = entry.vote {
            self.add_vote(id, vote, entry.pattern.length, level);
        }
        let guard = match entry.guard {
            Some(Guard::Always) => &mut self.always,
            Some(Guard::OldRepository) => &mut self.old_repository,
            None => return,
        };
        // The innermost guard is the hardest to lift, so it stands for all of them.
        if guard.is_none_or(|other| other.level <= level) {
            *guard = Some(Guarding { entry: id, level });
        }
    }

    fn add_vote(&mut self, entry: EntryId, vote: Vote, length: u32, level: u32) {
        if let Some(label) = vote.label
            && let Some(decided) = self.labels.get_mut(vote.seat)
            && decided.is_none_or(|old| (length, label) > (old.length, old.label))
        {
            *decided = Some(Labelling {
                length,
                label,
                entry,
            });
        }
        let Some(seat) = self.votes.get_mut(vote.seat) else {
            return;
        };
        for (group, decided) in Group::ALL.into_iter().zip(seat) {
            let Some(refused) = vote.refuses(group) else {
                continue;
            };
            let opinion = Opinion {
                length,
                refused,
                entry,
            };
            if decided.is_none_or(|old| (length, refused) > (old.length, old.refused)) {
                *decided = Some(opinion);
            }
        }
        for (lifted, group) in self.lifted.iter_mut().zip(MUTATE) {
            if vote.lifts.has(group) {
                *lifted = level.max(*lifted);
            }
        }
    }

    pub(super) fn opinion(&self, seat: usize, group: Group) -> Option<Opinion> {
        *self.votes.get(seat)?.get(group as usize)?
    }

    /// The highest of the labels that the seats decide.
    pub(super) fn labelled(&self) -> Option<Labelling> {
        let labels = self.labels.iter().flatten();
        labels.max_by_key(|labelling| labelling.label).copied()
    }

    pub(super) fn given(&self, seat: usize, defaults: Groups) -> Groups {
        Group::ALL
            .into_iter()
            .filter(|&group| match self.opinion(seat, group) {
                Some(opinion) => !opinion.refused,
                None => defaults.has(group),
            })
            .collect()
    }

    /// Whether, for a folder of this tally, an allow could give the group to something below:
    /// one that covers the folder, or one that is longer than what refuses it throughout.
    pub(super) fn could_give(
        &self,
        rules: &Rules,
        below: &Allowing,
        seat: usize,
        group: Group,
    ) -> bool {
        let longest = |allowing: &Allowing| {
            let seat = allowing.get(seat).unwrap_or(&[0; 4]);
            seat.get(group as usize).copied().unwrap_or(0)
        };
        let longest = longest(below).max(longest(&rules.floating_allow));
        match self.opinion(seat, group) {
            Some(opinion) if opinion.refused => longest > opinion.length.saturating_add(1),
            Some(_) => true,
            None => longest > 0,
        }
    }

    /// What all seats give.
    pub(super) fn agreed(&self, rules: &Rules) -> Groups {
        rules
            .defaults
            .iter()
            .enumerate()
            .fold(Groups::all(), |groups, (seat, &defaults)| {
                groups & self.given(seat, defaults)
            })
    }

    /// The built-in that refuses the group whatever the votes.
    pub(super) fn refused_always(&self, group: Group) -> Option<EntryId> {
        self.guarding(self.always, group)
    }

    /// The built-in that refuses the group in a repository older than the view.
    pub(super) fn refused_in_old_repository(&self, group: Group) -> Option<EntryId> {
        self.guarding(self.old_repository, group)
    }

    fn guarding(&self, guard: Option<Guarding>, group: Group) -> Option<EntryId> {
        let lifted = match group {
            Group::Read | Group::Search => return None,
            Group::MutateContent => self.lifted[0],
            Group::MutateStructure => self.lifted[1],
        };
        guard
            .filter(|guard| lifted < guard.level)
            .map(|guard| guard.entry)
    }

    /// Whether the two say the same of everything further down, where all new matches lie
    /// deeper than any of these.
    pub(super) fn same_below(&self, other: &Self) -> bool {
        self.votes == other.votes
            && self.labels == other.labels
            && MUTATE.into_iter().all(|group| {
                self.refused_always(group) == other.refused_always(group)
                    && self.refused_in_old_repository(group)
                        == other.refused_in_old_repository(group)
            })
    }
}
