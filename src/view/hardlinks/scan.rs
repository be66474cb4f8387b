//! One walk over the whole real tree for the names of files that have several. Hidden folders
//! too: that is what it is for.

use super::{InodeKey, Names};
use crate::policy::{Decision, PathKind};
use crate::relpath::RelPath;
use crate::view::View;
use crate::view::node::lock;
use crate::workspace::{Folder, Kind};
use rustix::io::Errno;
use std::collections::HashMap;
use std::io;
use std::sync::PoisonError;
use std::thread;
use std::time::Instant;

/// What a scan found.
struct Found {
    names: HashMap<InodeKey, Names>,
    /// Whether it saw all that could matter.
    complete: bool,
}

/// A folder being scanned, its path, and its folders that are still to come.
type Level = (Folder, RelPath, Vec<Box<[u8]>>);

impl View {
    /// Has the tree scanned, or waits for the scan that runs; whether one that began after the
    /// call ended in time. A scan goes on when its askers have given up: the next ones need it.
    pub(super) fn scan_names(&self, deadline: Instant) -> bool {
        let mut state = lock(&self.hardlinks.state);
        // A scan that runs already may have passed the file before it got its newest name.
        let wanted = state.scans + 1 + u64::from(state.scanning);
        while state.scans < wanted {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            if !state.scanning {
                state.scanning = true;
                let view = self.itself();
                let scanning = thread::Builder::new()
                    .name("scan".to_owned())
                    .spawn(move || {
                        if let Some(view) = view.upgrade() {
                            view.scan_and_keep();
                        }
                    });
                if scanning.is_err() {
                    state.scanning = false;
                    return false;
                }
            }
            state = self
                .hardlinks
                .finished
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }

    fn scan_and_keep(&self) {
        // Ends the scan however it ends: nobody must wait for one that panicked.
        let _ended = ScanEnds(self);
        let mut found = self.scan();
        if !found.complete {
            for names in found.names.values_mut() {
                names.scanned = None;
            }
        }
        let outdated = {
            let mut state = lock(&self.hardlinks.state);
            state.scans += 1;
            std::mem::replace(&mut state.names, found.names)
        };
        drop(outdated); // not under the lock
    }

    /// Every file with several names below the root, on the root's own mount: a hard link
    /// cannot lead to another.
    fn scan(&self) -> Found {
        let mount = self.workspace.meta().mount;
        let mut found = Found {
            names: HashMap::new(),
            complete: true,
        };
        let mut pending: Vec<Level> = Vec::new();
        let mut next = Some((self.workspace.root().clone(), RelPath::root()));
        loop {
            if let Some((folder, path)) = next.take() {
                let below = match scan_folder(&folder, &path, mount, &mut found.names) {
                    Ok(below) => below,
                    Err(error) => {
                        found.complete &= !self.may_hide_names(&folder, &path, &error);
                        Vec::new()
                    }
                };
                pending.push((folder, path, below));
            }
            // One descriptor a level stays open, not one a folder.
            let Some((folder, path, below)) = pending.last_mut() else {
                return found;
            };
            let Some(name) = below.pop() else {
                pending.pop();
                continue;
            };
            let Ok(path) = path.child(&name) else {
                continue;
            };
            match folder.open_folder(&name) {
                Ok(child) if child.meta().is_ok_and(|meta| meta.mount == mount) => {
                    next = Some((child, path));
                }
                Ok(_) => {} // another mount
                Err(error) => found.complete &= !self.may_hide_names(folder, &path, &error),
            }
        }
    }

    /// Whether a folder that could not be looked into may hold names that the policy hides: a
    /// hidden one, or one of the user's own, who may have closed it. Folders of others hold no
    /// links that the user made.
    fn may_hide_names(&self, folder: &Folder, path: &RelPath, error: &io::Error) -> bool {
        let denied = [Errno::ACCESS, Errno::PERM, Errno::MFILE, Errno::NFILE]
            .iter()
            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
        denied
            && (!self
                .decide(path, PathKind::Folder)
                .is_ok_and(Decision::exists)
                || folder
                    .meta()
                    .map_or(true, |meta| meta.uid == rustix::process::geteuid().as_raw()))
    }
}

/// Notes the files of one folder and answers the names of its folders.
fn scan_folder(
    folder: &Folder,
    path: &RelPath,
    mount: u64,
    found: &mut HashMap<InodeKey, Names>,
) -> io::Result<Vec<Box<[u8]>>> {
    let mut below = Vec::new();
    let mut closed = None;
    folder.for_each(|entry| {
        match entry.kind {
            Some(Kind::Folder) => below.push(entry.name.into()),
            Some(Kind::File) | None => {
                let meta = match folder.meta_of(entry.name) {
                    Ok(meta) => meta,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return true,
                    Err(error) => {
                        closed = Some(error);
                        return false;
                    }
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
    })?;
    closed.map_or(Ok(below), Err)
}

struct ScanEnds<'a>(&'a View);

impl Drop for ScanEnds<'_> {
    fn drop(&mut self) {
        lock(&self.0.hardlinks.state).scanning = false;
        self.0.hardlinks.finished.notify_all();
    }
}
