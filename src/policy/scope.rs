//! Walking rules down a path: what a folder knows, and what it says of one of its entries.
//!
//! A [`FolderState`] is everything that the way from the root to a folder contributes to the
//! decisions below it, so deciding an entry looks at that entry's name only. A [`Look`] is one
//! entry seen from its folder: which rules arrive at it and what they add up to. Both keep the
//! deciding rules, so that explaining is deciding and reading off the reasons.

use super::builtin::fold;
use super::groups::{Group, Groups};
use super::pattern::{Kinds, Progress};
use super::rules::{Allowing, Entry, EntryId, Guard, Rules, SEATS, Vote};
use super::{Decision, PathKind};

/// A hide that holds, and how deep its outermost match lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) hide: EntryId,
    pub(super) level: u32,
}

/// A hide that a show has undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undone {
    pub(super) hide: EntryId,
    pub(super) show: EntryId,
}

/// What holds in a folder, for all that lies below.
#[derive(Debug, Clone, Default)]
pub(super) struct FolderState {
    pub(super) decision: Decision,
    level: u32,
    /// How far anchored patterns, and floating ones past their first name, have come.
    alive: Vec<(EntryId, Progress)>,
    standing: Vec<Standing>,
    pub(super) undone: Vec<Undone>,
    tally: Tally,
}

/// One entry of a folder and what arrives at it.
#[derive(Debug)]
pub(super) struct Look {
    level: u32,
    kind: PathKind,
    /// Hides that match the entry itself, and not a folder above it.
    hides: Vec<EntryId>,
    shows: Vec<EntryId>,
    pub(super) own: Tally,
    /// What of it holds below the entry too.
    below: Tally,
    /// What rules on their way further down could give.
    allow_below: Allowing,
    /// A show names something below that is visible.
    leads: bool,
}

/// The opinion that decides a group for one seat, so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opinion {
    length: u32,
    pub(super) refused: bool,
    pub(super) entry: EntryId,
}

/// Opinions and refusals added up. Adding is idempotent and its order does not matter.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    votes: [[Option<Opinion>; 4]; SEATS],
    always: Option<Standing>,
    old_repository: Option<Standing>,
    /// How deep the deepest literal outside rule lies that gives content, and structure.
    lifted: [u32; 2],
}

impl Tally {
    fn add(&mut self, id: EntryId, entry: &Entry, level: u32) {
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
            *guard = Some(Standing { hide: id, level });
        }
    }

    fn add_vote(&mut self, entry: EntryId, vote: Vote, length: u32, level: u32) {
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

    fn given(&self, seat: usize, defaults: Groups) -> Groups {
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
    fn could_give(&self, rules: &Rules, below: &Allowing, seat: usize, group: Group) -> bool {
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
    fn agreed(&self, rules: &Rules) -> Groups {
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

    fn guarding(&self, guard: Option<Standing>, group: Group) -> Option<EntryId> {
        let lifted = match group {
            Group::Read | Group::Search => return None,
            Group::MutateContent => self.lifted[0],
            Group::MutateStructure => self.lifted[1],
        };
        guard
            .filter(|guard| lifted < guard.level)
            .map(|guard| guard.hide)
    }

    /// Whether the two say the same of everything further down, where all new matches lie
    /// deeper than any of these.
    fn same_below(&self, other: &Self) -> bool {
        self.votes == other.votes
            && MUTATE.into_iter().all(|group| {
                self.refused_always(group) == other.refused_always(group)
                    && self.refused_in_old_repository(group)
                        == other.refused_in_old_repository(group)
            })
    }
}

const MUTATE: [Group; 2] = [Group::MutateContent, Group::MutateStructure];

impl FolderState {
    /// The root: no hide reaches it, and of the votes only those on the whole tree.
    pub(super) fn at_root(rules: &Rules) -> Self {
        let mut root = Self::default();
        for (entry, id) in rules.entries.iter().zip(0..) {
            let progress = entry.pattern.at_root();
            if progress != 0 {
                root.alive.push((id, progress));
            }
        }
        root.decision = Self::root_look(rules).decide_visible(rules);
        // The root is there and lists nothing if nothing in it is.
        if root.decision.groups.is_empty() {
            root.decision.way = true;
            root.decision.groups = Groups::SEARCH;
        }
        root
    }

    /// The root as an entry.
    pub(super) fn root_look(rules: &Rules) -> Look {
        let mut look = Self::default().unmatched(PathKind::Folder);
        look.level = 0;
        for (entry, id) in rules.entries.iter().zip(0..) {
            if entry.pattern.at_root() != 0 {
                look.lead_on(entry);
            }
            if entry.pattern.whole_tree && entry.vote.is_some() {
                look.own.add(id, entry, 0);
            }
        }
        look
    }

    /// What holds below the folder of this name.
    pub(super) fn enter(&self, rules: &Rules, name: &[u8]) -> Self {
        let look = self.look(rules, name, PathKind::Folder);
        let decision = look.decide(rules, self);
        let mut alive: Vec<(EntryId, Progress)> = Vec::new();
        self.arrivals(rules, name, &fold(name), |id, entry, progress| {
            let further = entry.pattern.further(progress);
            if further != 0 {
                match alive.iter_mut().find(|(other, _)| *other == id) {
                    Some((_, progress)) => *progress |= further,
                    None => alive.push((id, further)),
                }
            }
        });
        let mut undone = self.undone.clone();
        let mut standing = Vec::new();
        for hide in look.reaching(self) {
            match look.undone_by(rules, hide) {
                Some(show) => undone.push(Undone {
                    hide: hide.hide,
                    show,
                }),
                None => standing.push(hide),
            }
        }
        Self {
            decision,
            level: look.level,
            alive,
            standing,
            undone,
            tally: look.below,
        }
    }

    /// Sees one entry of the folder.
    pub(super) fn look(&self, rules: &Rules, name: &[u8], kind: PathKind) -> Look {
        let mut look = self.unmatched(kind);
        let folded = fold(name);
        self.arrivals(rules, name, &folded, |id, entry, progress| {
            let pattern = &entry.pattern;
            let kind_fits = match pattern.kinds {
                Kinds::Any => true,
                Kinds::Folders => kind == PathKind::Folder,
                Kinds::Files => kind == PathKind::File,
            };
            if pattern.is_complete(progress) && kind_fits && !entry.excepts(&folded) {
                look.arrive(id, entry, self);
            }
            if kind == PathKind::Folder && pattern.further(progress) != 0 {
                look.lead_on(entry);
            }
        });
        look
    }

    fn unmatched(&self, kind: PathKind) -> Look {
        Look {
            level: self.level + 1,
            kind,
            hides: Vec::new(),
            shows: Vec::new(),
            own: self.tally.clone(),
            below: self.tally.clone(),
            allow_below: Allowing::default(),
            leads: false,
        }
    }

    /// Calls `found` for every rule that the name takes a step further; some twice.
    fn arrivals(
        &self,
        rules: &Rules,
        name: &[u8],
        folded: &[u8],
        mut found: impl FnMut(EntryId, &Entry, Progress),
    ) {
        for &(id, progress) in &self.alive {
            let Some(entry) = rules.entry(id) else {
                continue;
            };
            let name = if entry.is_folded() { folded } else { name };
            let progress = entry.pattern.step(progress, name);
            if progress != 0 {
                found(id, entry, progress);
            }
        }
        rules.starting(name, folded, found);
    }

    /// Whether some rule could allow a new name in this folder.
    pub(super) fn could_gain_names(&self, rules: &Rules) -> bool {
        let structure = Group::MutateStructure;
        let on_their_way = || self.alive.iter().filter_map(|&(id, _)| rules.entry(id));
        let mut below = Allowing::default();
        on_their_way().for_each(|entry| entry.add_allowed(&mut below));
        let votes = rules.defaults.iter().enumerate().all(|(seat, &defaults)| {
            self.tally.given(seat, defaults).has(structure)
                || self.tally.could_give(rules, &below, seat, structure)
        });
        let guarded = self.tally.refused_always(structure).is_some()
            && !rules.entries.iter().any(|entry| {
                let could_come = entry.pattern.is_floating()
                    || on_their_way().any(|other| std::ptr::eq(other, entry));
                could_come && entry.vote.is_some_and(|vote| vote.lifts.has(structure))
            });
        let hidden = !self.standing.is_empty()
            && !on_their_way().any(|entry| entry.show.is_some_and(|show| show.leads));
        self.decision.exists() && votes && !guarded && !hidden
    }

    /// Whether everything below the two folders is decided alike.
    pub(super) fn same_below(&self, other: &Self) -> bool {
        let ids = |state: &Self| -> Vec<EntryId> {
            state
                .standing
                .iter()
                .map(|standing| standing.hide)
                .collect()
        };
        let undone = |state: &Self| -> Vec<EntryId> {
            state.undone.iter().map(|undone| undone.hide).collect()
        };
        self.decision.exists() == other.decision.exists()
            && self.alive == other.alive
            && ids(self) == ids(other)
            && undone(self) == undone(other)
            && self.tally.same_below(&other.tally)
    }
}

impl Look {
    /// A rule matches the entry itself.
    fn arrive(&mut self, id: EntryId, entry: &Entry, folder: &FolderState) {
        let already = folder.standing.iter().any(|standing| standing.hide == id)
            || folder.undone.iter().any(|undone| undone.hide == id);
        if entry.hide && !already && !self.hides.contains(&id) {
            self.hides.push(id);
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

    /// A rule could match further down.
    fn lead_on(&mut self, entry: &Entry) {
        self.leads |= entry.show.is_some_and(|show| show.leads);
        entry.add_allowed(&mut self.allow_below);
    }

    /// The hides that match the entry or a folder above it and that no show above it undid.
    fn reaching<'a>(&'a self, folder: &'a FolderState) -> impl Iterator<Item = Standing> + 'a {
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
        let hidden_by = rules.entry(hide.hide)?;
        self.shows.iter().copied().find(|&id| {
            rules
                .entry(id)
                .and_then(|entry| entry.show)
                .is_some_and(|show| {
                    (show.literal_path || hide.level == self.level) && show.reaches(hidden_by)
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
        if !self.is_hidden(rules, folder) {
            return self.decide_visible(rules);
        }
        self.way(rules, self.leads)
    }

    fn decide_visible(&self, rules: &Rules) -> Decision {
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
        }
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
    fn way(&self, rules: &Rules, leads: bool) -> Decision {
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
        }
    }
}
