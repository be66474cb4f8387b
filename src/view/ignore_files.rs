//! Ignore files of the real tree: read whenever a folder is opened or checked, so that they
//! hold before anything below is decided.
//!
//! A file that is there and cannot be followed (a link, a pipe, too large, unreadable) hides
//! everything in its folder. A change is found where folders are checked anyway, and by
//! [`View::follow_ignore_files`], which also tells the kernel what to drop: it looks where a
//! change was told, and everywhere that is not watched.

use super::View;
use super::node::{Node, lock};
use crate::policy::{FolderScope, IGNORE_FILE_MAX, IgnoreFile, Policy};
use crate::relpath::RelPath;
use crate::workspace::{Folder, Kind, Meta, Time};
use lru::LruCache;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Compiled files kept beside those that open folders hold.
const COMPILED_FILES: NonZeroUsize = NonZeroUsize::new(128).unwrap();

/// Patterns of all ignore files that open folders may hold at once, some hundred bytes each: a
/// bound on what a tree full of large ones can take.
const HELD_PATTERNS: usize = 500_000;

/// How long after its last change a file's times do not tell its versions apart: the kernel's
/// clock for them is coarse, and whoever emptied it may be about to write it anew.
const SETTLES: Duration = Duration::from_millis(100);

/// How long a file that went is still followed: who replaces one by removing it first must not
/// show for that moment what it hides.
const LINGERS: Duration = Duration::from_millis(150);

/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;

/// An ignore file that holds in the folder it lies in.
#[derive(Debug, Clone)]
pub(super) struct Present {
    name: Box<[u8]>,
    file: Arc<IgnoreFile>,
    /// When it was found to be gone.
    gone: Option<Instant>,
}

impl Present {
    /// The same file found to be gone, for as long as it is still followed.
    fn lingering(&self) -> Option<Self> {
        let gone = self.gone.unwrap_or_else(Instant::now);
        (gone.elapsed() < LINGERS).then(|| Self {
            gone: Some(gone),
            ..self.clone()
        })
    }

    /// Its name, and why it cannot be followed, if so.
    pub(super) fn fault(&self) -> Option<(&[u8], &str)> {
        Some((&self.name, self.file.fault()?))
    }

    /// Its name and what it says.
    pub(super) fn into_parts(self) -> (Box<[u8]>, Arc<IgnoreFile>) {
        (self.name, self.file)
    }

    fn same_rules(&self, other: &Self) -> bool {
        self.name == other.name && (Arc::ptr_eq(&self.file, &other.file) || self.file == other.file)
    }
}

/// Whether the same rules hold.
pub(super) fn same_rules(one: &[Present], other: &[Present]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.same_rules(b))
}

/// Whether none is gone or about to be replaced.
fn all_stand_still(present: &[Present]) -> bool {
    let mut before: Option<&[u8]> = None;
    present
        .iter()
        .all(|file| file.gone.is_none() && before.replace(&file.name) != Some(&*file.name))
}

/// What tells versions of one file apart.
type Version = (u64, u64, Time, u64, Time, Time);

fn version(meta: &Meta) -> Version {
    (
        meta.device,
        meta.inode,
        meta.born,
        meta.size,
        meta.modified,
        meta.changed,
    )
}

/// Whether the file's times tell its versions apart by now.
pub(super) fn is_settled(meta: &Meta) -> bool {
    let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) else {
        return false;
    };
    let Ok(seconds) = u64::try_from(meta.changed.seconds) else {
        return true; // before 1970, so long ago
    };
    let changed = Duration::new(seconds, meta.changed.nanoseconds.min(999_999_999));
    now.checked_sub(changed).is_some_and(|age| age > SETTLES)
}

/// The compiled files, and whether the kernel has yet to hear of a change.
#[derive(Debug)]
pub(super) struct IgnoreFiles {
    compiled: Mutex<LruCache<Version, Arc<IgnoreFile>>>,
    held: Mutex<Vec<Weak<IgnoreFile>>>,
    /// Folders and faults that the log has had of late.
    said: Mutex<LruCache<(Vec<u8>, String), ()>>,
    untold: AtomicBool,
}

impl Default for IgnoreFiles {
    fn default() -> Self {
        Self {
            compiled: Mutex::new(LruCache::new(COMPILED_FILES)),
            held: Mutex::default(),
            said: Mutex::new(LruCache::new(COMPILED_FILES)),
            untold: AtomicBool::new(false),
        }
    }
}

impl IgnoreFiles {
    /// Counts the file among those held.
    ///
    /// # Errors
    /// Too many patterns are held already; a clause for a message.
    fn hold(&self, file: IgnoreFile, most: usize) -> Result<Arc<IgnoreFile>, String> {
        let file = Arc::new(file);
        let mut held = lock(&self.held);
        let mut patterns = file.patterns();
        held.retain(|other| match other.upgrade() {
            Some(other) => {
                patterns += other.patterns();
                true
            }
            None => false,
        });
        if patterns > most {
            return Err(format!(
                "more than {most} patterns would be held by open folders"
            ));
        }
        held.push(Arc::downgrade(&file));
        Ok(file)
    }
}

impl View {
    /// Looks for changed ignore files in the folders that are kept open, and tells the kernel
    /// to drop what it cached before a change. To be called several times a second, by a thread
    /// that the kernel does not wait for.
    pub fn follow_ignore_files(&self) {
        let loaded = self.loaded();
        let mut rules_changed = false;
        for (id, open) in self.folders.current(&loaded) {
            let Some(node) = self.nodes.get(id) else {
                continue;
            };
            let changes = node.changes();
            if node.is_watched() && changes == open.changes && all_stand_still(&open.ignored) {
                continue; // a change would have been told
            }
            let now = self.ignore_files(&loaded.policy, &open.folder, &open.path, &open.ignored);
            rules_changed |= !same_rules(&open.ignored, &now);
            if changes != open.changes || !all_stand_still(&now) {
                self.folders.looked_at(id, &open, now, changes);
            }
        }
        if rules_changed {
            self.decide_anew();
        }
        if self.ignore_files.untold.swap(false, Ordering::AcqRel) {
            self.drop_everything();
        }
    }

    /// Something happened to `name` in the folder `node`.
    pub(super) fn note_ignore_file(&self, node: &Node, name: &[u8]) {
        let loaded = self.loaded();
        let mut names = loaded.policy.ignore_file_names().iter();
        if names.any(|ignore_file| ignore_file.as_bytes() == name)
            && self.folders.unchecked(node.id).is_none()
        {
            // What held is not known any more, so neither is whether it changed.
            self.decide_anew();
        }
    }

    /// Makes every cached decision count for no further request.
    pub(super) fn decide_anew(&self) {
        let generation = self.next_generation.fetch_add(1, Ordering::Relaxed);
        self.loaded.rcu(|loaded| super::Loaded {
            policy: loaded.policy.clone(),
            generation,
        });
        self.ignore_files.untold.store(true, Ordering::Release);
    }

    /// The ignore files that hold in `folder` now. `before` are those that held at the last
    /// look: a file that is being replaced counts together with the one it replaces.
    pub(super) fn ignore_files(
        &self,
        policy: &Policy,
        folder: &Folder,
        path: &RelPath,
        before: &[Present],
    ) -> Vec<Present> {
        let mut present = Vec::new();
        for name in policy.ignore_file_names() {
            let name = name.as_bytes();
            let known = before.iter().find(|known| *known.name == *name);
            let Some((file, settled)) = self.ignore_file(folder, path, name) else {
                present.extend(known.and_then(Present::lingering));
                continue;
            };
            let found = Present {
                name: name.into(),
                file,
                gone: None,
            };
            let replaced = known.filter(|known| !settled && !known.same_rules(&found));
            present.push(found);
            present.extend(replaced.cloned());
        }
        present
    }

    /// The ignore file `name` in `folder`, and whether its times tell its versions apart.
    /// `None` if there is none.
    fn ignore_file(
        &self,
        folder: &Folder,
        path: &RelPath,
        name: &[u8],
    ) -> Option<(Arc<IgnoreFile>, bool)> {
        let refused = |why: &dyn std::fmt::Display| {
            let name = name.escape_ascii();
            let why = why.to_string();
            // Once, and not at each of many looks.
            let said = (path.as_bytes().to_vec(), why.clone());
            if lock(&self.ignore_files.said).put(said, ()).is_none() {
                tracing::warn!(folder = %path, "ignore file '{name}' hides everything beside it: {why}");
            }
            Arc::new(IgnoreFile::hide_all(why))
        };
        let meta = match folder.meta_of(name) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some((refused(&error), true)),
        };
        if let Some(file) = lock(&self.ignore_files.compiled).get(&version(&meta)) {
            return Some((Arc::clone(file), true));
        }
        match read(folder, name, meta) {
            Ok(None) => None,
            Ok(Some((meta, text))) => {
                let held = text
                    .and_then(|text| IgnoreFile::parse(&text))
                    .and_then(|file| self.ignore_files.hold(file, HELD_PATTERNS));
                let file = held.unwrap_or_else(|why| refused(&why));
                let settled = is_settled(&meta);
                if settled {
                    let mut compiled = lock(&self.ignore_files.compiled);
                    let pushed_out = compiled.push(version(&meta), Arc::clone(&file));
                    drop(compiled);
                    drop(pushed_out);
                }
                Some((file, settled))
            }
            Err(error) => Some((refused(&error), true)),
        }
    }
}

/// A version and its text, or why it has none that can be followed.
type Text = (Meta, Result<Vec<u8>, String>);

/// Reads a version that stood still; `None` if the file went.
fn read(folder: &Folder, name: &[u8], mut meta: Meta) -> io::Result<Option<Text>> {
    for _ in 0..ATTEMPTS {
        if meta.kind != Kind::File {
            return Ok(Some((meta, Err("it is no regular file".to_owned()))));
        }
        if meta.size > IGNORE_FILE_MAX {
            let why = format!("it is larger than {IGNORE_FILE_MAX} bytes");
            return Ok(Some((meta, Err(why))));
        }
        let content = match folder.open_content(name) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Some((meta, Err(error.to_string()))));
            }
            Err(error) => return Err(error),
        };
        let found = content.meta()?;
        let text = content.read_at(0, usize::try_from(IGNORE_FILE_MAX + 1).unwrap_or(0))?;
        if content.meta()?.same_version(&found) {
            return Ok(Some((found, Ok(text))));
        }
        meta = match folder.meta_of(name) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
    }
    Err(io::Error::other("it changes all the time"))
}

/// Adds the files that lie in the folder at `path` to its scope.
pub(super) fn add_to(scope: &mut FolderScope, path: &RelPath, present: &[Present]) {
    for one in present {
        // The name comes from the policy, which took it for one component.
        let path = path.child(&one.name).unwrap_or_default();
        if !scope.add_ignore_file(&path, Arc::clone(&one.file)) {
            tracing::warn!(file = %path, "too many patterns of ignore files hold here; everything is hidden");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_patterns_are_bounded_and_counted_while_they_are_held() {
        let files = IgnoreFiles::default();
        let file = || IgnoreFile::parse(b"a\nb\n").unwrap_or_else(IgnoreFile::hide_all);
        let first = files.hold(file(), 5);
        let second = files.hold(file(), 5);
        assert!(first.is_ok() && second.is_ok());
        assert!(files.hold(file(), 5).is_err());
        drop(first);
        assert!(files.hold(file(), 5).is_ok());
    }
}
