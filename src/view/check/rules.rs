//! Which rules match something, and for those that do not, what was likely meant.
//!
//! What was meant is found by the policy's own matcher: the likely spellings are made a policy
//! of their own, and one more walk looks for what they match.

use super::report::Findings;
use super::{Entry, Finding, FindingKind};
use crate::policy::{
    CommandLine, Decision, FolderScope, PathKind, Policy, RuleId, Sources, WrittenRule,
};
use crate::probe;
use crate::relpath::RelPath;
use crate::view::View;
use crate::workspace::{Folder, Kind};
use std::collections::{HashMap, HashSet};

/// Spellings that are looked for at most.
const SPELLINGS_MAX: usize = 200;

/// Names of a folder that a misspelt one is compared with, at most.
const NAMES_MAX: usize = 10_000;

/// Levels that the second walk goes down.
const DEPTH_MAX: usize = 64;

/// Which rules matched what.
#[derive(Debug)]
pub(super) struct Usage {
    rules: Vec<WrittenRule>,
    matched: HashSet<RuleId>,
    matched_visible: HashSet<RuleId>,
    shows: HashSet<RuleId>,
}

impl Usage {
    pub(super) fn new(policy: &Policy) -> Self {
        let rules = policy.written_rules();
        let shows = rules.iter().filter(|rule| rule.shows);
        Self {
            shows: shows.map(|rule| rule.id).collect(),
            rules,
            matched: HashSet::new(),
            matched_visible: HashSet::new(),
        }
    }

    /// Counts the rules that match the entry; whether one of them is a show.
    pub(super) fn note(&mut self, entry: &Entry<'_>, decision: Decision) -> bool {
        let mut shows = false;
        if self.rules.is_empty() {
            return shows;
        }
        entry
            .folder
            .scope
            .written_matches(entry.name, entry.path_kind(), |id| {
                self.matched.insert(id);
                if decision.exists() {
                    self.matched_visible.insert(id);
                }
                shows |= self.shows.contains(&id);
            });
        shows
    }

    /// Says which rules do nothing, and what was likely meant.
    pub(super) fn report(&self, view: &View, findings: &mut Findings) {
        let unmatched = || {
            self.rules
                .iter()
                .filter(|rule| !self.matched.contains(&rule.id))
        };
        let meant = meant(view, unmatched());
        for rule in unmatched() {
            let said = meant
                .get(&rule.id)
                .cloned()
                .or_else(|| misspelt(view, rule));
            let for_later = said.is_none() && rule.is_kind_of_name;
            let kind = if for_later || !rule.is_of_this_workspace {
                FindingKind::RuleForLater
            } else {
                FindingKind::RuleWithoutMatch
            };
            findings.add(kind, || Finding {
                path: None,
                rule: Some(rule.ruling.clone()),
                message: said
                    .unwrap_or_else(|| "nothing in the workspace has such a path".to_owned()),
            });
        }
        for rule in &self.rules {
            if rule.decides_groups
                && self.matched.contains(&rule.id)
                && !self.matched_visible.contains(&rule.id)
            {
                findings.add(FindingKind::RuleOnHidden, || Finding {
                    path: None,
                    rule: Some(rule.ruling.clone()),
                    message: "all that it matches is hidden".to_owned(),
                });
            }
        }
    }
}

/// A likely spelling and the rule it stands for.
struct Spelling {
    rule: RuleId,
    pattern: String,
    why: &'static str,
}

fn spellings(rule: &WrittenRule) -> Vec<Spelling> {
    let text = &*rule.ruling.pattern;
    let mut found = Vec::new();
    let mut add = |pattern: String, why| {
        found.push(Spelling {
            rule: rule.id,
            pattern,
            why,
        });
    };
    let unrooted = text.strip_prefix('/').unwrap_or(text);
    if rule.is_anchored {
        add(
            format!("**/{unrooted}"),
            "a '/' other than at its end anchors it at the root",
        );
    }
    if rule.folders_only {
        let name = text.trim_end_matches("/**").trim_end_matches('/');
        let lies_deeper = if rule.is_anchored {
            name.to_owned()
        } else {
            format!("**/{name}")
        };
        add(lies_deeper, "it means folders only");
    }
    found
}

/// For rules that match nothing: where a likely spelling of theirs matches.
fn meant<'a>(
    view: &View,
    unmatched: impl Iterator<Item = &'a WrittenRule>,
) -> HashMap<RuleId, String> {
    let mut said = HashMap::new();
    let spellings: Vec<Spelling> = unmatched.flat_map(spellings).take(SPELLINGS_MAX).collect();
    if spellings.is_empty() {
        return said;
    }
    let sources = Sources {
        command_line: CommandLine {
            hide: spellings.iter().map(|one| one.pattern.clone()).collect(),
            ..CommandLine::default()
        },
        ..Sources::default()
    };
    // Each is a rule's pattern but for its ends, so none is broken.
    let Ok(policy) = Policy::new(&sources) else {
        return said;
    };
    let by_id: HashMap<RuleId, &Spelling> = policy
        .written_rules()
        .iter()
        .map(|rule| rule.id)
        .zip(&spellings)
        .collect();
    walk(view, &policy, |folder, scope, name, kind| {
        scope.written_matches(name, kind, |id| {
            let Some(spelling) = by_id.get(&id) else {
                return;
            };
            said.entry(spelling.rule).or_insert_with(|| {
                let at = folder.child(name).unwrap_or_default();
                format!(
                    "{}, and the like of it lies at '{}'; write '{}'",
                    spelling.why,
                    at.to_text(),
                    spelling.pattern
                )
            });
        });
        said.len() < by_id.len()
    });
    said
}

/// A folder, its path and scope, and its folders that are still to come.
type Level = (Folder, RelPath, FolderScope, Vec<Box<[u8]>>);

/// Walks the tree, what the built-in rules hide left out, until `visit` answers `false`.
fn walk(
    view: &View,
    policy: &Policy,
    mut visit: impl FnMut(&RelPath, &FolderScope, &[u8], PathKind) -> bool,
) {
    let root = RelPath::root();
    let mount = view.workspace.meta().mount;
    let mut pending: Vec<Level> = Vec::new();
    let mut next = Some((
        view.workspace.root().clone(),
        root.clone(),
        policy.folder(&root),
    ));
    loop {
        if let Some((folder, path, scope)) = next.take() {
            let mut below = Vec::new();
            let mut goes_on = true;
            let listed = folder.for_each(|entry| {
                let is_folder = match entry.kind {
                    Some(kind) => kind == Kind::Folder,
                    None => folder
                        .meta_of(entry.name)
                        .is_ok_and(|meta| meta.kind == Kind::Folder),
                };
                let kind = if is_folder {
                    PathKind::Folder
                } else {
                    PathKind::File
                };
                goes_on = visit(&path, &scope, entry.name, kind);
                // A spelling that was found hides its folder here, which need not be entered.
                if is_folder && scope.decide(entry.name, kind).exists() {
                    below.push(entry.name.into());
                }
                goes_on
            });
            if !goes_on {
                return;
            }
            if listed.is_ok() && pending.len() < DEPTH_MAX {
                pending.push((folder, path, scope, below));
            }
        }
        let Some((folder, path, scope, below)) = pending.last_mut() else {
            return;
        };
        let Some(name) = below.pop() else {
            pending.pop();
            continue;
        };
        if let (Ok(child), Ok(path)) = (folder.open_folder(&name), path.child(&name))
            && child.meta().is_ok_and(|meta| meta.mount == mount)
        {
            next = Some((child, path, scope.child(&name)));
        }
    }
}

/// For a rule that names a path: the first name of it that is not there, and one like it that
/// is.
fn misspelt(view: &View, rule: &WrittenRule) -> Option<String> {
    if !rule.is_anchored {
        return None;
    }
    let mut folder = view.workspace.root().clone();
    let mut path = RelPath::root();
    for name in rule
        .ruling
        .pattern
        .split('/')
        .filter(|name| !name.is_empty())
    {
        if name.contains(['*', '?', '[', '\\']) {
            return None;
        }
        if folder.meta_of(name.as_bytes()).is_ok() {
            folder = folder.open_folder(name.as_bytes()).ok()?;
            path = path.child(name.as_bytes()).ok()?;
            continue;
        }
        let mut names: Vec<String> = Vec::new();
        folder
            .for_each(|entry| {
                names.push(String::from_utf8_lossy(entry.name).into_owned());
                names.len() < NAMES_MAX
            })
            .ok()?;
        let like = probe::similar(name, names.iter().map(String::as_str));
        let like = path.child(like.first()?.as_bytes()).ok()?;
        return Some(format!(
            "'{name}' is not there; did you mean '{}'?",
            like.to_text()
        ));
    }
    None
}
