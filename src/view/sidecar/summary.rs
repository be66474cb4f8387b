//! Folder summaries: totals over the visible part of a subtree, within a bound of time.

use super::{Error, Result, Subject, permissions};
use crate::probe::{self, TotalKind, Totals, ViewFacts};
use crate::view::Generation;
use crate::view::View;
use crate::view::door::{OpenFolder, Patience};
use crate::view::node::{Identity, lock};
use crate::workspace::Kind;
use lru::LruCache;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How long a summary may lag the tree.
const KEPT: Duration = Duration::from_secs(1);

/// How long a walk may take before it answers with what it has.
const WALK_TIME: Duration = Duration::from_secs(1);

/// Levels below the folder that a walk goes down; each holds a descriptor.
const WALK_DEPTH: usize = 512;

/// Summaries kept at once.
const CAPACITY: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// The model's scratch folder: visible, but no part of what a summary counts.
const SCRATCH: &[u8] = b".fsagent";

type Key = (Identity, Generation, Vec<u8>);

#[derive(Debug)]
struct Slot {
    started: Instant,
    bytes: OnceLock<Result<Vec<u8>>>,
}

/// The summaries of the last second.
#[derive(Debug)]
pub(super) struct Summaries(Mutex<LruCache<Key, Arc<Slot>>>);

impl Default for Summaries {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(CAPACITY)))
    }
}

impl Summaries {
    fn ready(&self, key: &Key) -> Option<Vec<u8>> {
        let slot = lock(&self.0).get(key).map(Arc::clone)?;
        if slot.started.elapsed() >= KEPT {
            return None;
        }
        slot.bytes.get()?.clone().ok()
    }

    /// The summary for `key`, made once for all who ask within the second.
    fn get_or_make(&self, key: Key, make: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let slot = {
            let mut slots = lock(&self.0);
            let known = slots
                .get(&key)
                .filter(|slot| slot.bytes.get().is_none() || slot.started.elapsed() < KEPT);
            if let Some(slot) = known {
                Arc::clone(slot)
            } else {
                let slot = Arc::new(Slot {
                    started: Instant::now(),
                    bytes: OnceLock::new(),
                });
                slots.put(key, Arc::clone(&slot));
                slot
            }
        };
        slot.bytes.get_or_init(make).clone()
    }
}

fn key(subject: &Subject<'_>) -> Key {
    (
        subject.found.identity(),
        subject.folder.loaded().generation,
        subject.path.as_bytes().to_vec(),
    )
}

impl View {
    /// The summary of the folder `subject`.
    pub(super) fn summary(self: &Arc<Self>, subject: &Subject<'_>) -> Result<Vec<u8>> {
        self.sidecars
            .summaries
            .get_or_make(key(subject), || self.make_summary(subject))
    }

    /// As [`View::summary`], if one was made within the last second.
    pub(super) fn ready_summary(&self, subject: &Subject<'_>) -> Option<Vec<u8>> {
        self.sidecars.summaries.ready(&key(subject))
    }

    fn make_summary(&self, subject: &Subject<'_>) -> Result<Vec<u8>> {
        let mut walk = Walk {
            view: self,
            totals: Totals::new(self.settings.limits.tier_3_bytes),
            deadline: Instant::now() + WALK_TIME,
            complete: true,
            linked: HashSet::new(),
            listed: None,
        };
        if subject.name.is_empty() {
            walk.tree(subject.folder);
        } else {
            match self.open_below(subject.folder, subject.name) {
                Ok(folder) => walk.tree(&folder),
                Err(Error::NotFound) => return Err(Error::NotFound),
                Err(_) => walk.complete = false,
            }
        }
        let permissions = permissions(subject.found.decision);
        let path = subject.path.to_text();
        let view = subject.path.is_root().then_some(ViewFacts {
            mode: "read-only",
            taint: self.shown_taint(),
        });
        let (totals, complete) = (&walk.totals, walk.complete);
        Ok(probe::folder_document(
            &path,
            &permissions,
            totals,
            complete,
            walk.listed,
            view,
        ))
    }
}

/// A folder being walked (`None`: the top) and its folders that are still to come.
type Level = (Option<OpenFolder>, Vec<Box<[u8]>>);

struct Walk<'a> {
    view: &'a View,
    totals: Totals,
    deadline: Instant,
    complete: bool,
    /// Files with several names seen so far; each counts once.
    linked: HashSet<(u64, u64)>,
    /// How many entries a listing of the top shows, where it is cut.
    listed: Option<u64>,
}

impl Walk<'_> {
    /// Counts everything below `top`, depth first, one descriptor a level.
    fn tree(&mut self, top: &OpenFolder) {
        let below = self.folder(top, 1);
        let mut levels: Vec<Level> = vec![(None, below)];
        while let Some((folder, below)) = levels.last_mut() {
            let Some(name) = below.pop() else {
                levels.pop();
                continue;
            };
            if Instant::now() >= self.deadline {
                self.complete = false;
                return;
            }
            let parent = folder.as_ref().unwrap_or(top);
            let opened = self.view.open_below(parent, &name);
            let depth = levels.len() + 1;
            match opened {
                Ok(_) if depth > WALK_DEPTH => self.complete = false,
                Ok(child) => {
                    let below = self.folder(&child, depth);
                    levels.push((Some(child), below));
                }
                Err(Error::NotFound | Error::NotFolder) => {} // went while we walked
                Err(_) => self.complete = false,
            }
        }
    }

    /// Counts the entries of one folder, `depth` levels below the top, and answers its folders.
    fn folder(&mut self, folder: &OpenFolder, depth: usize) -> Vec<Box<[u8]>> {
        let entries = match self.view.visible(folder, Patience::Until(self.deadline)) {
            Ok(Some(visible)) => visible.seen,
            // Not listed by the policy: nothing to count. Else it could not be read.
            Err(Error::Denied) if !folder.may_list() => return Vec::new(),
            Ok(None) | Err(_) => {
                self.complete = false;
                return Vec::new();
            }
        };
        if depth == 1 {
            self.listed = folder.listing_cut(entries.len()).map(|most| most as u64);
        }
        let mut below = Vec::new();
        for (name, found) in entries {
            let meta = &found.meta;
            if meta.kind == Kind::Folder {
                if *name == *SCRATCH {
                    continue;
                }
                self.totals.entry(depth, &name, TotalKind::Folder);
                below.push(name);
                continue;
            }
            let counted_before = meta.links > 1
                && meta.kind == Kind::File
                && !self.linked.insert((meta.device, meta.inode));
            if counted_before {
                continue;
            }
            let size = match (&found.link, meta.kind) {
                (Some(Ok(text)), _) => text.len() as u64,
                _ => meta.size,
            };
            self.totals.entry(depth, &name, TotalKind::File { size });
        }
        below
    }
}
