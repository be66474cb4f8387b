//! Walking rules down a path, folder by folder.
//!
//! A [`FolderState`] is everything that the way from the root to a folder contributes to the
//! decisions below it, so deciding an entry looks at that entry's name only. What arrives at an
//! entry is added up in a [`Look`].

use super::builtin::fold;
use super::groups::Group;
use super::ignore::Ignoring;
use super::look::{Hide, Look, Standing, Undone};
use super::pattern::{Kinds, Progress};
use super::rules::{Allowing, Entry, EntryId, Rules};
use super::tally::Tally;
use super::{Decision, PathKind};

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
    pub(super) standing: Vec<Standing>,
    pub(super) undone: Vec<Undone>,
    tally: Tally,
    /// The ignore files of this folder and of those above it.
    pub(super) ignoring: Ignoring,
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
        let look = Self::root_look(rules);
        root.decision = look.decide_visible(rules);
        if root.decision.groups.is_empty() {
            // The root is there even if nothing in it is, and then lists nothing.
            root.decision = look.way(rules, true);
        }
        root
    }

    /// The root as an entry.
    pub(super) fn root_look(rules: &Rules) -> Look {
        let mut look = Look::unmatched(0, PathKind::Folder, &Tally::default());
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
            ignoring: self.ignoring.enter(name),
        }
    }

    /// Sees one entry of the folder.
    pub(super) fn look(&self, rules: &Rules, name: &[u8], kind: PathKind) -> Look {
        let mut look = Look::unmatched(self.level + 1, kind, &self.tally);
        let folded = fold(name);
        let mut arrive = |id, entry: &Entry, progress| {
            if matches(entry, progress, &folded, kind) {
                look.arrive(id, entry, self);
            }
            if kind == PathKind::Folder && entry.pattern.further(progress) != 0 {
                look.lead_on(entry);
            }
        };
        self.carried(rules, name, &folded, &mut arrive);
        rules.starting(name, &folded, &mut arrive);
        for hide in self.ignoring.hides(name, kind) {
            look.hide(Hide::Line(hide), self);
        }
        look
    }

    /// Calls `found` for every rule that matches the entry of this name itself, some twice.
    pub(super) fn matching(
        &self,
        rules: &Rules,
        name: &[u8],
        kind: PathKind,
        mut found: impl FnMut(EntryId, &Entry),
    ) {
        let folded = fold(name);
        let mut arrive = |id, entry: &Entry, progress| {
            if matches(entry, progress, &folded, kind) {
                found(id, entry);
            }
        };
        self.carried(rules, name, &folded, &mut arrive);
        rules.starting(name, &folded, &mut arrive);
    }

    /// The rules that are on their way further down.
    pub(super) fn on_their_way<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = &'a Entry> {
        self.alive
            .iter()
            .filter_map(|alive| rules.entry(alive.entry))
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
        let on_their_way = || self.on_their_way(rules);
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
        let ids = |state: &Self| -> Vec<Hide> {
            state
                .standing
                .iter()
                .map(|standing| standing.hide)
                .collect()
        };
        let undone =
            |state: &Self| -> Vec<Hide> { state.undone.iter().map(|undone| undone.hide).collect() };
        self.decision.exists() == other.decision.exists()
            && self.alive == other.alive
            && ids(self) == ids(other)
            && undone(self) == undone(other)
            && self.tally.same_below(&other.tally)
            && self.ignoring.same_below(&other.ignoring)
    }
}

/// Whether a rule that has come this far matches the entry itself.
fn matches(entry: &Entry, progress: Progress, folded: &[u8], kind: PathKind) -> bool {
    let kind_fits = match entry.pattern.kinds {
        Kinds::Any => true,
        Kinds::Folders => kind == PathKind::Folder,
        Kinds::Files => kind == PathKind::File,
    };
    kind_fits && entry.pattern.is_complete(progress) && !entry.excepts(folded)
}
