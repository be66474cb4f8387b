//! Rules of every source in one table, compiled and indexed.
//!
//! An [`Entry`] is one pattern and what it does. Which hides a show reaches, which refusals a
//! rule lifts and which seat its vote is counted in is settled here, once, so that deciding a
//! path (`scope.rs`) only folds entries.

use std::collections::HashMap;

use super::builtin::{self, Effect, FAMILIES, NO_EXTENSION};
use super::config::{self, PolicyFile, Role, Rule};
use super::error::{Place, PolicyError};
use super::glob::{NameGlob, extension};
use super::groups::{Group, Groups};
use super::pattern::{Pattern, Progress};
use super::scope::FolderState;
use super::{PolicyText, Sources};
use crate::relpath::RelPath;

/// Number of an entry in [`Rules::entries`].
pub(super) type EntryId = u32;

/// For each seat and group, one more than the length of the longest rule that gives it; 0 if
/// none does.
pub(super) type Allowing = [[u32; 4]; SEATS];

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    BuiltIn,
    /// The workspace's own file: the inside source.
    Workspace,
    PolicyFile,
    User,
    CommandLine,
    /// What the view hides for itself.
    View,
}

/// The sources whose votes on groups are counted apart; all must agree.
pub(super) const SEATS: usize = 3;

impl Source {
    /// Where its votes are counted; a policy file replaces the workspace's, so they share a seat.
    fn seat(self) -> Option<usize> {
        match self {
            Self::Workspace | Self::PolicyFile => Some(0),
            Self::User => Some(1),
            Self::CommandLine => Some(2),
            Self::BuiltIn | Self::View => None,
        }
    }

    fn is_outside(self) -> bool {
        matches!(self, Self::PolicyFile | Self::User | Self::CommandLine)
    }
}

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
    effect: Option<Effect>,
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
enum Reach {
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
    fn of(pattern: Pattern, source: Source, place: Place) -> Self {
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

    fn showing(mut self, reach: Reach) -> Self {
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

    /// Whether the entry holds for an entry of this (folded) name at all.
    pub(super) fn excepts(&self, folded: &[u8]) -> bool {
        self.effect == Some(Effect::HideUnlessSample) && builtin::is_environment_sample(folded)
    }
}

impl Show {
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
}

impl Rules {
    pub(super) fn compile(sources: &Sources, files: &Files) -> Result<Self, PolicyError> {
        let mut entries = built_in(files.built_in_enabled());
        for (source, file) in files.iter() {
            entries.extend(file_entries(source, file));
        }
        entries.extend(command_line(sources)?);
        entries.extend(own_paths(sources)?);
        let main = files.main();
        let mut rules = Self {
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
                    || entry
                        .vote
                        .is_some_and(|vote| vote.refuses(Group::Search) == Some(true))
            })
    }
}

/// The policy files that were given, checked.
#[derive(Debug, Default)]
pub(super) struct Files {
    workspace: Option<PolicyFile>,
    policy_file: Option<PolicyFile>,
    user: Option<PolicyFile>,
}

impl Files {
    pub(super) fn read(sources: &Sources) -> Result<Self, PolicyError> {
        let read = |text: &Option<PolicyText>, role| {
            text.as_ref()
                .map(|text| config::parse(text, role))
                .transpose()
        };
        let policy_file = read(&sources.policy_file, Role::PolicyFile)?;
        Ok(Self {
            // Replaced, so not even read: a broken file of the workspace is no hindrance.
            workspace: match policy_file {
                Some(_) => None,
                None => read(&sources.workspace, Role::Workspace)?,
            },
            policy_file,
            user: read(&sources.user, Role::User)?,
        })
    }

    fn main(&self) -> Option<&PolicyFile> {
        self.policy_file.as_ref().or(self.workspace.as_ref())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Source, &PolicyFile)> {
        [
            (Source::Workspace, &self.workspace),
            (Source::PolicyFile, &self.policy_file),
            (Source::User, &self.user),
        ]
        .into_iter()
        .filter_map(|(source, file)| file.as_ref().map(|file| (source, file)))
    }

    /// Built-in rules hold unless someone turned them off and nobody insists on them.
    fn built_in_enabled(&self) -> bool {
        let said: Vec<bool> = self
            .iter()
            .filter_map(|(_, file)| file.builtin_enabled)
            .collect();
        said.is_empty() || said.contains(&true)
    }
}

fn built_in(enabled: bool) -> Vec<Entry> {
    let mut entries = Vec::new();
    for family in FAMILIES {
        if !enabled && family.effect != Effect::SteersTheView {
            continue;
        }
        for text in family.patterns {
            let anywhere = if text.starts_with('/') { "" } else { "**/" };
            // The table's own test parses every row, so none is lost here.
            let Ok(pattern) = Pattern::parse(&format!("{anywhere}{text}")) else {
                continue;
            };
            let pattern = pattern.built_in(text, family.effect.kinds(text), NO_EXTENSION);
            let mut entry = Entry::of(pattern, Source::BuiltIn, Place::BuiltIn);
            entry.effect = Some(family.effect);
            entry.reason = Some(family.reason.to_owned());
            entry.hide = family.effect.hides();
            entry.guard = match family.effect {
                Effect::Immutable | Effect::ImmutableUnlessFolder | Effect::SteersTheView => {
                    Some(Guard::Always)
                }
                Effect::ImmutableInOldRepository => Some(Guard::OldRepository),
                _ => None,
            };
            entries.push(entry);
        }
    }
    entries
}

fn file_entries(source: Source, file: &PolicyFile) -> Vec<Entry> {
    let own_reach = if source.is_outside() {
        Reach::Outside
    } else {
        Reach::OwnFile
    };
    let rules = file
        .rules
        .iter()
        .map(|rule| rule_entry(source, own_reach, rule));
    let shows = file.builtin_show.iter().map(|(pattern, place)| {
        Entry::of(pattern.clone(), source, place.clone()).showing(Reach::BuiltIn)
    });
    rules.chain(shows).collect()
}

fn rule_entry(source: Source, reach: Reach, rule: &Rule) -> Entry {
    let mut entry = Entry::of(rule.pattern.clone(), source, rule.place.clone());
    entry.reason.clone_from(&rule.reason);
    entry.alternative.clone_from(&rule.alternative);
    entry.hide = rule.hide;
    if rule.show {
        entry = entry.showing(reach);
    }
    if let Some(seat) = source.seat()
        && (rule.allow.is_some() || !rule.deny.is_empty())
    {
        let names_path = source.is_outside() && rule.pattern.literal_names().is_some();
        entry.vote = Some(Vote {
            seat,
            allow: rule.allow,
            deny: rule.deny,
            lifts: match rule.allow {
                Some(allow) if names_path => (allow & Groups::MUTATE) - rule.deny,
                _ => Groups::empty(),
            },
        });
    }
    entry
}

fn command_line(sources: &Sources) -> Result<Vec<Entry>, PolicyError> {
    let flags = &sources.command_line;
    let parse = |place: Place, pattern: &str| match Pattern::parse(pattern) {
        Ok(pattern) => Ok(Entry::of(pattern, Source::CommandLine, place)),
        Err(message) => Err(PolicyError::new(place, message)),
    };
    let mut entries = Vec::new();
    for text in &flags.hide {
        let mut entry = parse(Place::Flag(format!("--hide {text}")), text)?;
        entry.hide = true;
        entries.push(entry);
    }
    for text in &flags.show {
        let entry = parse(Place::Flag(format!("--show {text}")), text)?;
        config::check_show(&entry.pattern)
            .map_err(|message| PolicyError::new(entry.place.clone(), message))?;
        entries.push(entry.showing(Reach::All));
    }
    for text in &flags.deny {
        let place = Place::Flag(format!("--deny {text}"));
        let Some((name, pattern)) = text.split_once(':') else {
            return Err(PolicyError::new(
                place,
                "it takes GROUP:PATTERN, such as mutate-content:docs/**",
            ));
        };
        let Some(group) = Group::from_name(name) else {
            let message = format!(
                "unknown group '{name}', expected one of '{}'",
                Group::NAMES.join("', '")
            );
            return Err(PolicyError::new(place, message).suggesting(name, Group::NAMES));
        };
        let mut entry = parse(place, pattern)?;
        entry.vote = Source::CommandLine.seat().map(|seat| Vote {
            seat,
            allow: None,
            deny: group.into(),
            lifts: Groups::empty(),
        });
        entries.push(entry);
    }
    Ok(entries)
}

/// What the view needs for itself: its mount points hidden, its policy files left alone.
fn own_paths(sources: &Sources) -> Result<Vec<Entry>, PolicyError> {
    let entry = |path: &RelPath, reason: &str| {
        let pattern = Pattern::of_path(path).ok_or_else(|| {
            PolicyError::new(
                Place::View,
                format!("'{path}' is the workspace itself or too deep to be kept apart"),
            )
        })?;
        let mut entry = Entry::of(pattern, Source::View, Place::View);
        entry.reason = Some(reason.to_owned());
        Ok(entry)
    };
    let mut entries = Vec::new();
    for path in &sources.hidden_paths {
        let mut entry = entry(path, "the view's own")?;
        entry.hide = true;
        entries.push(entry);
    }
    for path in &sources.steering_paths {
        let mut entry = entry(path, "it decides what this view shows")?;
        entry.guard = Some(Guard::Always);
        entries.push(entry);
    }
    Ok(entries)
}
