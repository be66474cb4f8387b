//! Who says what: everything that was given, turned into the entries of one table.
//!
//! Here it is settled, once, which hides a source's shows reach, which built-in refusals its
//! rules lift and in which seat its votes are counted. What the entries add up to for a path is
//! no business of this module.

use super::builtin::{Effect, FAMILIES, IGNORE_FILE_NAME, NO_EXTENSION, fold};
use super::config::{self, PolicyFile, Role, Rule};
use super::error::{Place, PolicyError};
use super::groups::{Group, Groups};
use super::pattern::Pattern;
use super::rules::{Entry, Guard, Reach, Vote};
use super::{PolicyText, Sources};
use crate::relpath::RelPath;
use std::collections::BTreeSet;

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

    /// The file whose default counts.
    pub(super) fn main(&self) -> Option<&PolicyFile> {
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

    /// The names of ignore files: the usual one, or all that the files name. A file can take the
    /// usual one away only where no other names it.
    pub(super) fn ignore_file_names(&self) -> Vec<String> {
        let lists: Vec<&Vec<String>> = self
            .iter()
            .filter_map(|(_, file)| file.ignore_files.as_ref())
            .collect();
        if lists.is_empty() {
            return vec![IGNORE_FILE_NAME.to_owned()];
        }
        let names: BTreeSet<String> = lists.into_iter().flatten().cloned().collect();
        names.into_iter().collect()
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

/// Every source's entries.
///
/// # Errors
/// A flag that is no rule, or a path of the view's own that no pattern can name.
pub(super) fn entries(
    sources: &Sources,
    files: &Files,
    ignore_file_names: &[String],
) -> Result<Vec<Entry>, PolicyError> {
    let mut entries = built_in(files.built_in_enabled());
    let named = ignore_file_names
        .iter()
        .filter(|name| *name != IGNORE_FILE_NAME);
    entries.extend(named.map(|name| steering(name)));
    for (source, file) in files.iter() {
        entries.extend(file_entries(source, file));
    }
    entries.extend(command_line(sources)?);
    entries.extend(own_paths(sources)?);
    Ok(entries)
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

/// A configured ignore file decides what the view shows as the usual one does.
fn steering(name: &str) -> Entry {
    let folded = fold(name.as_bytes()).into_owned();
    let folded = String::from_utf8(folded).unwrap_or_else(|_| name.to_owned());
    let mut entry = Entry::of(Pattern::of_name(&folded), Source::BuiltIn, Place::BuiltIn);
    entry.effect = Some(Effect::SteersTheView);
    entry.reason = Some("it decides what this view shows".to_owned());
    entry.guard = Some(Guard::Always);
    entry
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
        && (rule.allow.is_some() || !rule.deny.is_empty() || rule.label.is_some())
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
            label: rule.label,
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
            label: None,
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
