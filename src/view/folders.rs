//! Folders held open: a bounded LRU, each with what is needed to decide below it and with when
//! it was last found to be where it is.

use super::Loaded;
use super::ignore_files::Present;
use super::named_folders::NamedFolders;
use super::node::{NodeId, lock};
use crate::policy::{Decision, FolderScope, Group};
use crate::relpath::RelPath;
use crate::workspace::Folder;
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A folder of the real tree that the policy lets exist, with what is needed to decide below.
#[derive(Debug, Clone)]
pub(super) struct OpenFolder {
    pub(super) folder: Folder,
    pub(super) path: RelPath,
    pub(super) scope: FolderScope,
    pub(super) mount: u64,
    pub(super) decision: Decision,
    /// The ignore files in it, which `scope` follows.
    pub(super) ignored: Vec<Present>,
    /// Its folders whose names would hide a file.
    pub(super) named_folders: NamedFolders,
    /// The changes told of the folder before they were looked at.
    pub(super) changes: u64,
    /// When the way from the root to it was last found to be this.
    pub(super) checked: Instant,
    /// The moves of folders that had been told by then.
    pub(super) moves: u64,
    pub(super) loaded: Arc<Loaded>,
}

impl OpenFolder {
    /// The policy that the scope belongs to.
    pub(super) fn loaded(&self) -> &Arc<Loaded> {
        &self.loaded
    }

    /// How many entries a listing shows, if that is fewer than the `visible` ones.
    pub(super) fn listing_cut(&self, visible: usize) -> Option<usize> {
        let most = self.loaded.policy.limits().max_list_entries?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        (visible > most).then_some(most)
    }

    /// Whether the folder may be listed.
    pub(super) fn may_list(&self) -> bool {
        self.decision.may(Group::Search)
    }
}

/// Open folders, the least recently used given up first.
#[derive(Debug)]
pub(super) struct Folders {
    open: Mutex<LruCache<NodeId, Arc<OpenFolder>>>,
    /// Moves of folders told so far: what was found before the last counts no more, lest an
    /// answer with a long lifetime be given by the place that a folder had.
    moves: AtomicU64,
}

impl Folders {
    pub(super) fn new(capacity: usize) -> Self {
        let capacity = NonZeroUsize::new(capacity).unwrap_or(NonZeroUsize::MIN);
        Self {
            open: Mutex::new(LruCache::new(capacity)),
            moves: AtomicU64::new(0),
        }
    }

    /// A folder was moved somewhere.
    pub(super) fn moved(&self) {
        self.moves.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn moves(&self) -> u64 {
        self.moves.load(Ordering::Acquire)
    }

    pub(super) fn fresh(
        &self,
        id: NodeId,
        loaded: &Arc<Loaded>,
        age: Duration,
    ) -> Option<Arc<OpenFolder>> {
        let mut slots = lock(&self.open);
        let open = slots.get(&id)?;
        (open.checked.elapsed() < age
            && open.moves == self.moves()
            && Arc::ptr_eq(&open.loaded, loaded))
        .then(|| Arc::clone(open))
    }

    /// A folder as it was last found, whose place has to be checked before use.
    pub(super) fn unchecked(&self, id: NodeId) -> Option<Arc<OpenFolder>> {
        lock(&self.open).peek(&id).map(Arc::clone)
    }

    /// The folders that were found under the policy in force.
    pub(super) fn current(&self, loaded: &Arc<Loaded>) -> Vec<(NodeId, Arc<OpenFolder>)> {
        let slots = lock(&self.open);
        let current = slots
            .iter()
            .filter(|(_, open)| Arc::ptr_eq(&open.loaded, loaded));
        current.map(|(&id, open)| (id, Arc::clone(open))).collect()
    }

    /// Keeps what a look at the ignore files of `open` found, unless the folder was opened anew
    /// meanwhile: since when a file is gone must not be counted from the next look on.
    pub(super) fn looked_at(
        &self,
        id: NodeId,
        open: &Arc<OpenFolder>,
        ignored: Vec<Present>,
        changes: u64,
    ) {
        let mut slots = lock(&self.open);
        if let Some(slot) = slots.peek_mut(&id)
            && Arc::ptr_eq(slot, open)
        {
            *slot = Arc::new(OpenFolder {
                ignored,
                changes,
                ..OpenFolder::clone(open)
            });
        }
    }

    pub(super) fn keep(&self, id: NodeId, open: &Arc<OpenFolder>) {
        // What is pushed out closes its descriptor: not under the lock.
        let evicted = lock(&self.open).push(id, Arc::clone(open));
        drop(evicted);
    }

    pub(super) fn drop_folder(&self, id: NodeId) {
        let evicted = lock(&self.open).pop(&id);
        drop(evicted);
    }
}
