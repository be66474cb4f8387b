//! Rules of every source in one table, indexed by name.
//!
//! An [`Entry`] is one pattern and all it does; who wrote it no longer matters but for which
//! hides a show reaches. The index finds the entries that a name concerns, so that deciding a
//! path (`scope.rs`) only adds them up.

use std::collections::HashMap;

use super::Sources;
use super::builtin::{self, Effect};
use super::content::ContentRule;
use super::error::{Place, PolicyError};
use super::glob::{NameGlob, extension};
use super::groups::{Group, Groups};
use super::labels::Label;
use super::pattern::{Pattern, Progress};
use super::scope::FolderState;
use super::sources::{self, Files, Source};

/// Number of an entry in [`Rules::entries`].
pub(super) type EntryId = u32;

/// The sources whose votes on groups are counted apart; all must agree.
pub(super) const SEATS: usize = 3;

/// For each seat and group, one more than the length of the longest rule that gives it; 0 if
/// none does.
pub(super) type Allowing = [[u32; 4]; SEATS];

/// One pattern and all it does.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) pattern: Pattern,
    pub(super) source: Source,
    pub(super) place: Place,
    pub(super) reason: Option<String>,
    pub(super) alternative: Option<String>,
    pub(super) hide: bool,
    pub(super) show: Option<Show>,
    pub(super) vote: Option<Vote>,
    pub(super) guard: Option<Guard>,
    /// The built-in rule it is, if it is one.
    pub(super) effect: Option<Effect>,
}

/// Which hides a show undoes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Show {
    reach: Reach,
    /// Anchored and literal in every component, so that it reaches below hidden folders.
    pub(super) literal_path: bool,
    /// What it names is visible at the end, so the folders above it lead there.
    pub(super) leads: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Every hide but the view's own: the command line's.
    All,
    /// Every hide but the view's own and the command line's: an outside file's.
    Outside,
    /// The hides of the workspace's own file.
    OwnFile,
    /// Built-in hides other than those of repositories and trashes.
    BuiltIn,
}

/// A rule's opinion on groups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vote {
    pub(super) seat: usize,
    pub(super) allow: Option<Groups>,
    pub(super) deny: Groups,
    /// The mutate groups for which it makes a built-in's refusal yield.
    pub(super) lifts: Groups,
    pub(super) label: Option<Label>,
}

impl Vote {
    /// Whether it refuses the group; `None` if it has no opinion.
    pub(super) fn refuses(self, group: Group) -> Option<bool> {
        if self.deny.has(group) {
            Some(true)
        } else {
            self.allow.map(|allow| !allow.has(group))
        }
    }
}

/// A built-in's refusal of the mutate groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    Always,
    /// Unless the repository was made in the view.
    OldRepository,
}

impl Entry {
    pub(super) fn of(pattern: Pattern, source: Source, place: Place) -> Self {
        Self {
            pattern,
            source,
            place,
            reason: None,
            alternative: None,
            hide: false,
            show: None,
            vote: None,
            guard: None,
            effect: None,
        }
    }

    pub(super) fn showing(mut self, reach: Reach) -> Self {
        self.show = Some(Show {
            reach,
            literal_path: self.pattern.is_literal_path(),
            leads: false,
        });
        self
    }

    /// Notes the groups that the entry gives where it matches.
    pub(super) fn add_allowed(&self, allowing: &mut Allowing) {
        let Some(vote) = self.vote else { return };
        let Some(seat) = allowing.get_mut(vote.seat) else {
            return;
        };
        for (group, longest) in Group::ALL.into_iter().zip(seat) {
            if vote.refuses(group) == Some(false) {
                *longest = self.pattern.length.saturating_add(1).max(*longest);
            }
        }
    }

    /// Built-in patterns see names folded.
    pub(super) fn is_folded(&self) -> bool {
        self.effect.is_some()
    }

    /// What the content must be for a match to be hidden.
    pub(super) fn content_rule(&self) -> Option<ContentRule> {
        self.effect.and_then(Effect::content_rule)
    }

    /// Whether the entry holds for an entry of this (folded) name at all.
    pub(super) fn excepts(&self, folded: &[u8]) -> bool {
        self.effect == Some(Effect::HideUnlessSample) && builtin::is_environment_sample(folded)
    }
}

impl Show {
    /// Whether this show may undo what an ignore file hides.
    pub(super) fn reaches_ignored(self) -> bool {
        match self.reach {
            Reach::All | Reach::Outside | Reach::OwnFile => true,
            Reach::BuiltIn => false,
        }
    }

    /// Whether this show may undo that hide, wherever they match.
    pub(super) fn reaches(self, hide: &Entry) -> bool {
        match (self.reach, hide.source) {
            (_, Source::View) | (Reach::Outside, Source::CommandLine) => false,
            (Reach::All | Reach::Outside, _) | (Reach::OwnFile, Source::Workspace) => true,
            (Reach::BuiltIn, Source::BuiltIn) => !matches!(
                hide.effect,
                Some(Effect::HideRepository | Effect::HideTrash)
            ),
            (Reach::OwnFile | Reach::BuiltIn, _) => false,
        }
    }
}

/// Where floating patterns begin, by the first name they hold.
#[derive(Debug, Default)]
struct Starts {
    literal: HashMap<Box<[u8]>, Vec<(EntryId, Progress)>>,
    /// `*.ext` by its last extension; the whole suffix is compared after that.
    extension: HashMap<Box<[u8]>, Vec<(EntryId, Progress)>>,
    other: Vec<(EntryId, Progress)>,
}

/// The rules of all sources.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) entries: Vec<Entry>,
    starts: Starts,
    folded_starts: Starts,
    /// What a seat gives where no rule of it has an opinion.
    pub(super) defaults: [Groups; SEATS],
    /// Where the default of the first seat is written; `None` if nowhere.
    pub(super) default_place: Option<Place>,
    /// What floating rules could give at any depth.
    pub(super) floating_allow: Allowing,
    pub(super) root: FolderState,
    /// Whether some rule sets a label: asked at every read.
    pub(super) set_labels: bool,
}

impl Rules {
    pub(super) fn compile(
        sources: &Sources,
        files: &Files,
        ignore_file_names: &[String],
    ) -> Result<Self, PolicyError> {
        let entries = sources::entries(sources, files, ignore_file_names)?;
        let main = files.main();
        let sets_label = |entry: &Entry| entry.vote.is_some_and(|vote| vote.label.is_some());
        let mut rules = Self {
            set_labels: entries.iter().any(sets_label),
            entries,
            starts: Starts::default(),
            folded_starts: Starts::default(),
            defaults: [
                main.and_then(|file| file.default).unwrap_or(Groups::all()),
                Groups::all(),
                Groups::all(),
            ],
            default_place: main.and_then(|file| file.default_place.clone()),
            floating_allow: Allowing::default(),
            root: FolderState::default(),
        };
        rules.index();
        rules.root = FolderState::at_root(&rules);
        rules.follow_shows();
        // Once more, now that the shows that lead somewhere are known.
        rules.root = FolderState::at_root(&rules);
        Ok(rules)
    }

    pub(super) fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id as usize)
    }

    fn index(&mut self) {
        for (entry, id) in self.entries.iter().zip(0..) {
            let Some(first) = entry.pattern.first_name() else {
                continue;
            };
            entry.add_allowed(&mut self.floating_allow);
            let starts = if entry.is_folded() {
                &mut self.folded_starts
            } else {
                &mut self.starts
            };
            let start = (id, entry.pattern.after_first_name());
            match first {
                NameGlob::Literal(name) => starts
                    .literal
                    .entry(name.as_slice().into())
                    .or_default()
                    .push(start),
                NameGlob::Suffix(suffix) => match extension(&[b"x", suffix.as_slice()].concat()) {
                    Some(ending) if !ending.is_empty() => starts
                        .extension
                        .entry(ending.into())
                        .or_default()
                        .push(start),
                    _ => starts.other.push(start),
                },
                _ => starts.other.push(start),
            }
        }
    }

    /// Calls `found` for every floating pattern whose first name is this one.
    pub(super) fn starting(
        &self,
        name: &[u8],
        folded: &[u8],
        mut found: impl FnMut(EntryId, &Entry, Progress),
    ) {
        for (starts, name) in [(&self.starts, name), (&self.folded_starts, folded)] {
            let by_name = starts.literal.get(name).map_or(&[][..], Vec::as_slice);
            let by_ending = memchr::memrchr(b'.', name)
                .and_then(|dot| name.get(dot + 1..))
                .and_then(|ending| starts.extension.get(ending))
                .map_or(&[][..], Vec::as_slice);
            for &(id, progress) in by_name.iter().chain(by_ending).chain(&starts.other) {
                if let Some(entry) = self.entry(id)
                    && entry
                        .pattern
                        .first_name()
                        .is_some_and(|first| first.matches(name))
                {
                    found(id, entry, progress);
                }
            }
        }
    }

    /// Marks the shows whose path ends up visible: only they make hidden folders lead on.
    fn follow_shows(&mut self) {
        let leading: Vec<usize> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.show.is_some_and(|show| show.literal_path))
            .filter(|(_, entry)| self.ends_visible(&entry.pattern))
            .map(|(index, _)| index)
            .collect();
        for index in leading {
            if let Some(show) = self
                .entries
                .get_mut(index)
                .and_then(|entry| entry.show.as_mut())
            {
                show.leads = true;
            }
        }
    }

    fn ends_visible(&self, pattern: &Pattern) -> bool {
        let Some(names) = pattern.literal_names() else {
            return false;
        };
        let mut names: Vec<&[u8]> = names.collect();
        let Some(last) = names.pop() else {
            return false;
        };
        let folder = names
            .into_iter()
            .fold(self.root.clone(), |state, name| state.enter(self, name));
        super::PathKind::ALL
            .into_iter()
            .any(|kind| !folder.look(self, last, kind).is_hidden(self, &folder))
    }

    /// Whether no path can ever be hidden or left out of a listing.
    pub(super) fn hide_nothing(&self) -> bool {
        self.defaults.iter().all(|groups| groups.has(Group::Search))
            && !self.entries.iter().any(|entry| {
                entry.hide
                    || entry.content_rule().is_some()
                    || entry
                        .vote
                        .is_some_and(|vote| vote.refuses(Group::Search) == Some(true))
            })
    }
}
