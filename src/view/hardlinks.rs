//! Files with several names: shown only if no name of the inode in the workspace is hidden.
//!
//! A name tells nothing of the others, so they are learnt: from an index of names seen, checked
//! against the real tree each time, or from one scan of the whole tree that all askers share.
//! The scan looks into hidden folders too, and keeps names of files with several names only.

use super::View;
use super::door::{OpenFolder, Patience};
use super::node::lock;
use crate::policy::{Hardlinks as Setting, PathKind};
use crate::relpath::RelPath;
use crate::workspace::{Folder, Kind, Meta, Time};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long an asker waits for the scan.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a file with several names is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No known name is hidden, and all are known.
    Shown,
    /// A name is hidden.
    Hidden,
    /// Not all names are known.
    Unknown,
}

type InodeKey = (u64, u64);

/// What is known of one inode.
#[derive(Debug, Default)]
struct Names {
    paths: BTreeSet<RelPath>,
    /// Link count and change time at which a scan saw all names that the workspace has. They
    /// hold until the change time moves, which every link, unlink and rename of a name does.
    scanned: Option<(u32, Time)>,
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
        let deadline = Instant::now() + PATIENCE;
        let mut meta = *meta;
        loop {
            let verdict = self.judge(&path, &meta);
            if verdict != Verdict::Unknown || patience == Patience::None {
                return verdict;
            }
            if !self.scan_names(deadline) {
                return Verdict::Unknown;
            }
            // The file may have changed while the scan ran; the scan's word is for what it saw.
            match parent.folder.meta_of(name) {
                Ok(now) if now.same_file(&meta) => meta = now,
                _ => return Verdict::Unknown,
            }
            let verdict = self.judge(&path, &meta);
            if verdict != Verdict::Unknown || Instant::now() >= deadline {
                return verdict;
            }
        }
    }

    fn judge(&self, path: &RelPath, meta: &Meta) -> Verdict {
        let key = (meta.device, meta.inode);
        let (paths, scanned) = {
            let mut state = lock(&self.hardlinks.state);
            let names = state.names.entry(key).or_default();
            names.paths.insert(path.clone());
            (names.paths.clone(), names.scanned)
        };
        let (leading, astray): (Vec<RelPath>, Vec<RelPath>) = paths
            .into_iter()
            .partition(|path| self.leads_to(path, meta));
        // What cannot be decided is not shown.
        let hidden = |path: &RelPath| {
            let shown = || {
                let (scope, folder) = self.scope_of(&path.parent()?).ok()?;
                let decision = scope.decide(path.name()?, PathKind::File);
                let by_content = self.is_hidden_by_content(decision, &folder?, path.name()?, meta);
                Some(decision.exists() && !by_content.ok()?)
            };
            shown() != Some(true)
        };
        if leading.iter().any(hidden) {
            return Verdict::Hidden;
        }
        if !astray.is_empty() {
            let mut state = lock(&self.hardlinks.state);
            if let Some(names) = state.names.get_mut(&key) {
                for path in &astray {
                    names.paths.remove(path);
                }
            }
        }
        let all_known = leading.len() as u64 >= u64::from(meta.links)
            && leading.first().is_some_and(|first| {
                self.meta_at(first)
                    .is_some_and(|now| now.links == meta.links && now.same_file(meta))
            });
        if all_known || scanned == Some((meta.links, meta.changed)) {
            Verdict::Shown
        } else {
            Verdict::Unknown
        }
    }

    fn leads_to(&self, path: &RelPath, meta: &Meta) -> bool {
        self.meta_at(path).is_some_and(|found| {
            (found.device, found.inode, found.born) == (meta.device, meta.inode, meta.born)
        })
    }

    fn meta_at(&self, path: &RelPath) -> Option<Meta> {
        let folder = self.workspace.folder(&path.parent()?).ok()?;
        folder.meta_of(path.name()?).ok()
    }

    /// Scans the tree, or waits for the scan that runs; whether one that began after the call
    /// ended in time.
    fn scan_names(&self, deadline: Instant) -> bool {
        let mut state = lock(&self.hardlinks.state);
        // A scan that runs already may have passed the file before it got its newest name.
        let wanted = state.scans + 1 + u64::from(state.scanning);
        while state.scans < wanted {
            if state.scanning {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return false;
                }
                state = self
                    .hardlinks
                    .finished
                    .wait_timeout(state, left)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
                continue;
            }
            state.scanning = true;
            drop(state);
            let ending = ScanEnds(&self.hardlinks);
            let found = self.scan(deadline);
            let complete = found.is_some();
            ending.with(found);
            if !complete {
                return false;
            }
            state = lock(&self.hardlinks.state);
        }
        true
    }

    /// Every file with several names below the root, on the root's own mount: a hard link
    /// cannot lead to another. `None` when time ran out.
    fn scan(&self, deadline: Instant) -> Option<HashMap<InodeKey, Names>> {
        let root = self.workspace.root();
        let mount = self.workspace.meta().mount;
        let mut found: HashMap<InodeKey, Names> = HashMap::new();
        let mut pending: Vec<Level> = Vec::new();
        let mut next = Some((root.clone(), RelPath::root()));
        loop {
            if let Some((folder, path)) = next.take() {
                let below = scan_folder(&folder, &path, mount, &mut found);
                pending.push((folder, path, below));
            }
            if Instant::now() >= deadline {
                return None;
            }
            // One descriptor a level stays open, not one a folder.
            let Some((folder, path, below)) = pending.last_mut() else {
                return Some(found);
            };
            let Some(name) = below.pop() else {
                pending.pop();
                continue;
            };
            if let (Ok(child), Ok(path)) = (folder.open_folder(&name), path.child(&name))
                && child.meta().is_ok_and(|meta| meta.mount == mount)
            {
                next = Some((child, path));
            }
        }
    }
}

/// A folder being scanned, its path, and its folders that are still to come.
type Level = (Folder, RelPath, Vec<Box<[u8]>>);

/// Notes the files of one folder and answers the names of its folders. A folder that cannot be
/// read has no names that the view could show.
fn scan_folder(
    folder: &Folder,
    path: &RelPath,
    mount: u64,
    found: &mut HashMap<InodeKey, Names>,
) -> Vec<Box<[u8]>> {
    let mut below = Vec::new();
    let _unreadable = folder.for_each(|entry| {
        match entry.kind {
            Some(Kind::Folder) => below.push(entry.name.into()),
            Some(Kind::File) | None => {
                let Ok(meta) = folder.meta_of(entry.name) else {
                    return true;
                };
                if meta.kind == Kind::Folder {
                    below.push(entry.name.into());
                } else if meta.kind == Kind::File
                    && meta.links > 1
                    && meta.mount == mount
                    && let Ok(path) = path.child(entry.name)
                {
                    let names = found.entry((meta.device, meta.inode)).or_default();
                    names.paths.insert(path);
                    // The oldest word counts: a change during the scan asks for another.
                    names.scanned.get_or_insert((meta.links, meta.changed));
                }
            }
            Some(_) => {}
        }
        true
    });
    below
}

/// Ends the scan however it ends, so that a panic in it leaves nobody waiting for ever.
struct ScanEnds<'a>(&'a HardLinks);

impl ScanEnds<'_> {
    fn with(self, found: Option<HashMap<InodeKey, Names>>) {
        if let Some(found) = found {
            let mut state = lock(&self.0.state);
            let outdated = std::mem::replace(&mut state.names, found);
            state.scans += 1;
            drop(state);
            drop(outdated);
        }
    }
}

impl Drop for ScanEnds<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).scanning = false;
        self.0.finished.notify_all();
    }
}
