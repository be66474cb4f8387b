//! Walking rules down a path: what a folder knows, and what it says of one of its entries.
//!
//! A [`FolderState`] is everything that the way from the root to a folder contributes to the
//! decisions below it, so deciding an entry looks at that entry's name only. A [`Look`] is one
//! entry seen from its folder: which rules arrive at it and what they add up to. Both keep the
//! deciding rules, so that explaining is deciding and reading off the reasons.

use super::builtin::fold;
use super::groups::{Group, Groups};
use super::pattern::{Kinds, Progress};
use super::rules::{Allowing, Entry, EntryId, Rules, SEATS};
use super::tally::{MUTATE, Tally};
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

/// A rule that may match further down. Each is there once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Alive {
    entry: EntryId,
    folded: bool,
    progress: Progress,
    /// The key of the only name that takes it further, or 0 if others may: most of many rules
    /// are passed over by this alone, without a look at their patterns.
    key: u64,
}

impl Alive {
    fn new(id: EntryId, entry: &Entry, progress: Progress) -> Self {
        Self {
            entry: id,
            folded: entry.is_folded(),
            progress,
            key: entry.pattern.only_next(progress).map_or(0, name_key),
        }
    }
}

/// Length and first bytes of a name; never 0 for a name, equal for equal names.
fn name_key(name: &[u8]) -> u64 {
    let mut key = [0; 8];
    for (slot, &byte) in key.iter_mut().zip(name) {
        *slot = byte;
    }
    key[7] = u8::try_from(name.len()).unwrap_or(u8::MAX);
    u64::from_le_bytes(key)
}

/// What holds in a folder, for all that lies below.
#[derive(Debug, Clone, Default)]
pub(super) struct FolderState {
    pub(super) decision: Decision,
    level: u32,
    /// How far anchored patterns, and floating ones past their first name, have come.
    alive: Vec<Alive>,
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

impl FolderState {
    /// The root: no hide reaches it, and of the votes only those on the whole tree.
    pub(super) fn at_root(rules: &Rules) -> Self {
        let mut root = Self::default();
        for (entry, id) in rules.entries.iter().zip(0..) {
            let progress = entry.pattern.at_root();
            if progress != 0 {
                root.alive.push(Alive::new(id, entry, progress));
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
        let folded = fold(name);
        let mut alive: Vec<Alive> = Vec::new();
        self.carried(rules, name, &folded, |id, entry, progress| {
            let further = entry.pattern.further(progress);
            if further != 0 {
                alive.push(Alive::new(id, entry, further));
            }
        });
        rules.starting(name, &folded, |id, entry, progress| {
            let further = entry.pattern.further(progress);
            if further == 0 {
                return;
            }
            match alive.iter_mut().find(|other| other.entry == id) {
                Some(other) => *other = Alive::new(id, entry, other.progress | further),
                None => alive.push(Alive::new(id, entry, further)),
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
        let mut arrive = |id, entry: &Entry, progress| {
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
        };
        self.carried(rules, name, &folded, &mut arrive);
        rules.starting(name, &folded, &mut arrive);
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

    /// Calls `found` for every rule on its way that the name takes a step further.
    fn carried(
        &self,
        rules: &Rules,
        name: &[u8],
        folded: &[u8],
        mut found: impl FnMut(EntryId, &Entry, Progress),
    ) {
        let (key, folded_key) = (name_key(name), name_key(folded));
        for alive in &self.alive {
            let (name, key) = if alive.folded {
                (folded, folded_key)
            } else {
                (name, key)
            };
            if alive.key != 0 && alive.key != key {
                continue;
            }
            let Some(entry) = rules.entry(alive.entry) else {
                continue;
            };
            let progress = entry.pattern.step(alive.progress, name);
            if progress != 0 {
                found(alive.entry, entry, progress);
            }
        }
    }

    /// Whether some rule could allow a new name in this folder.
    pub(super) fn could_gain_names(&self, rules: &Rules) -> bool {
        let structure = Group::MutateStructure;
        let on_their_way = || {
            self.alive
                .iter()
                .filter_map(|alive| rules.entry(alive.entry))
        };
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
