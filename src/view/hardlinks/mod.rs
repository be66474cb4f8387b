//! Files with several names: shown only if no name of the inode in the workspace is hidden.
//!
//! A name tells nothing of the others, so they are learnt: from an index of names seen, checked
//! against the real tree each time, or from one scan of the whole tree that all askers share.
//! A verdict is of one state of the inode (links and change time, the same before and after the
//! look at its names): a name that moves meanwhile is not counted twice.

mod scan;

use super::door::{OpenFolder, Patience};
use super::node::{Identity, lock};
use super::{Generation, View};
use crate::policy::{FolderScope, Hardlinks as Setting, PathKind};
use crate::relpath::RelPath;
use crate::workspace::{Folder, Meta, Time};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long a request waits for scans.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// More names than these are not checked for each asker anew, but kept for as long as a folder
/// counts as being where it was found: the names of one file may be tens of thousands.
const MANY_NAMES: usize = 16;
const KEPT: Duration = Duration::from_millis(200);

/// Whether a file with several names is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No known name is hidden, and all are known.
    Shown,
    /// A name is hidden.
    Hidden,
    /// Not all names are known, or they moved while they were looked at.
    Unknown,
}

type InodeKey = (u64, u64);

/// What is known of one inode.
#[derive(Debug, Default)]
struct Names {
    paths: BTreeSet<RelPath>,
    /// Link count and change time at which a scan saw all names that the workspace has. They
    /// hold until the change time moves, which every link, unlink and rename of a name does,
    /// or until a name is not where it was: the move of a folder moves no time of the file.
    scanned: Option<(u32, Time)>,
    /// The last verdict over many names.
    judged: Option<Judged>,
}

/// A verdict, what it holds for, and since when.
#[derive(Debug, Clone, Copy)]
struct Judged {
    verdict: Verdict,
    state: (Generation, u32, Time),
    since: Instant,
}

#[derive(Debug, Default)]
struct State {
    names: HashMap<InodeKey, Names>,
    scanning: bool,
    /// Scans finished so far.
    scans: u64,
}

/// The index of names of files that have several.
#[derive(Debug, Default)]
pub(super) struct HardLinks {
    state: Mutex<State>,
    finished: Condvar,
}

/// What a look at the known names gave.
#[derive(Debug, Default)]
struct Look {
    /// Names that lead to the inode.
    leading: Vec<RelPath>,
    /// Names that do not, any more.
    astray: Vec<RelPath>,
    hidden: bool,
    /// The inode changed while its names were looked at, or one could not be looked at.
    moved: bool,
}

impl View {
    /// Whether the file `name` in `parent`, which has several names, is shown.
    pub(super) fn hardlink_verdict(
        &self,
        parent: &OpenFolder,
        name: &[u8],
        meta: &Meta,
        patience: Patience,
    ) -> Verdict {
        match parent.loaded().policy.hardlinks() {
            Setting::Allow => return Verdict::Shown,
            Setting::Deny => return Verdict::Hidden,
            Setting::Check if parent.loaded().policy.hides_nothing() => return Verdict::Shown,
            Setting::Check => {}
        }
        let Ok(path) = parent.path.child(name) else {
            return Verdict::Hidden;
        };
        let mut meta = *meta;
        loop {
            let verdict = self.judge(parent.loaded().generation, &path, &meta);
            let Patience::Until(deadline) = patience else {
                return verdict;
            };
            if verdict != Verdict::Unknown || !self.scan_names(deadline) {
                return verdict;
            }
            // The file may have changed while the scan ran; the scan's word is for what it saw.
            match parent.folder.meta_of(name) {
                Ok(now) if now.same_file(&meta) => meta = now,
                _ => return Verdict::Unknown,
            }
            if Instant::now() >= deadline {
                return self.judge(parent.loaded().generation, &path, &meta);
            }
        }
    }

    fn judge(&self, generation: Generation, path: &RelPath, meta: &Meta) -> Verdict {
        let key = (meta.device, meta.inode);
        let judged_of = (generation, meta.links, meta.changed);
        let (paths, scanned) = {
            let mut state = lock(&self.hardlinks.state);
            let names = state.names.entry(key).or_default();
            let is_new = names.paths.insert(path.clone());
            if let Some(judged) = names.judged
                && !is_new
                && judged.state == judged_of
                && judged.since.elapsed() < KEPT
            {
                return judged.verdict;
            }
            (names.paths.clone(), names.scanned)
        };
        let many = paths.len() > MANY_NAMES;
        let look = self.look_at_names(paths, meta);
        let same = Some((meta.links, meta.changed));
        let verdict = if look.hidden {
            Verdict::Hidden
        } else if !look.moved
            && (look.leading.len() as u64 >= u64::from(meta.links)
                || (look.astray.is_empty() && scanned == same))
            && self.all_still_lead(&look.leading, meta)
        {
            Verdict::Shown
        } else {
            Verdict::Unknown
        };
        if let Some(names) = lock(&self.hardlinks.state).names.get_mut(&key) {
            if !look.astray.is_empty() {
                names.scanned = None;
            }
            for gone in &look.astray {
                names.paths.remove(gone);
            }
            names.judged = many.then(|| Judged {
                verdict,
                state: judged_of,
                since: Instant::now(),
            });
        }
        verdict
    }

    /// The names known of an inode that has had several.
    pub(super) fn linked_names(&self, meta: &Meta) -> Vec<RelPath> {
        let state = lock(&self.hardlinks.state);
        let names = state.names.get(&(meta.device, meta.inode));
        names.map_or_else(Vec::new, |names| names.paths.iter().cloned().collect())
    }

    /// As [`View::linked_names`], for a file that was seen before; it looks through all inodes
    /// with several names.
    pub(super) fn linked_names_of(&self, file: &Identity) -> Vec<RelPath> {
        let state = lock(&self.hardlinks.state);
        let inodes = state.names.iter().filter(|(key, _)| file.is_inode(**key));
        inodes
            .flat_map(|(_, names)| names.paths.iter().cloned())
            .collect()
    }

    /// Looks at each name until one is found that is hidden.
    fn look_at_names(&self, paths: BTreeSet<RelPath>, meta: &Meta) -> Look {
        let mut look = Look::default();
        // Names come in order, so most have the folder of the one before.
        let mut folder: Option<(RelPath, FolderScope, Option<Folder>)> = None;
        for path in paths {
            let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
                continue;
            };
            if folder.as_ref().is_none_or(|(known, ..)| *known != parent) {
                let Ok((scope, opened)) = self.scope_of(&parent) else {
                    look.moved = true;
                    continue;
                };
                folder = Some((parent, scope, opened));
            }
            let Some((_, scope, Some(opened))) = &folder else {
                look.astray.push(path);
                continue;
            };
            let now = match opened.meta_of(name) {
                Ok(now) if is_inode(&now, meta) => now,
                _ => {
                    look.astray.push(path);
                    continue;
                }
            };
            look.moved |= (now.links, now.changed) != (meta.links, meta.changed);
            let decision = scope.decide(name, PathKind::File);
            // What cannot be decided is not shown.
            look.hidden = !decision.exists()
                || self
                    .is_hidden_by_content(decision, opened, name, &now)
                    .unwrap_or(true);
            if look.hidden {
                return look;
            }
            look.leading.push(path);
        }
        look
    }

    /// Whether the names lead to the inode still, in the same state: one that was renamed
    /// between two looks was seen under both names.
    fn all_still_lead(&self, names: &[RelPath], meta: &Meta) -> bool {
        let mut folder: Option<(RelPath, Folder)> = None;
        names.iter().all(|path| {
            let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
                return false;
            };
            if folder.as_ref().is_none_or(|(known, _)| *known != parent) {
                folder = self.workspace.folder(&parent).ok().map(|at| (parent, at));
            }
            folder.as_ref().is_some_and(|(_, at)| {
                at.meta_of(name).is_ok_and(|now| {
                    is_inode(&now, meta) && (now.links, now.changed) == (meta.links, meta.changed)
                })
            })
        })
    }
}

fn is_inode(found: &Meta, meta: &Meta) -> bool {
    (found.device, found.inode, found.born) == (meta.device, meta.inode, meta.born)
}
