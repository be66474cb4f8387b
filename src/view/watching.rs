//! What the kernel may keep for long, and what it is told when that changes.
//!
//! While a folder is watched, its names and its files' attributes and pages may be kept: each
//! change becomes a notice. A folder is watched from before the first attributes that go out
//! with a long lifetime until the kernel forgets it. Where no watch is to be had, lifetimes
//! stay short, so watching is a gain and never the truth.

use super::door::{Found, OpenFolder};
use super::events::Happened;
use super::expiry::Expired;
use super::node::{Identity, Node, NodeId, lock};
use super::{LIFETIME, View};
use crate::policy::PathKind;
use crate::workspace::{Kind, Meta};
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// How long the kernel may keep what it will be told about.
const WATCHED_LIFETIME: Duration = Duration::from_hours(1);

/// Watches folders under keys.
pub trait FolderWatch: Send + Sync {
    /// Watches `folder` under `key`; whether that was to be had.
    fn watch(&self, key: u64, folder: BorrowedFd<'_>) -> bool;
    /// Ends it.
    fn unwatch(&self, key: u64);
}

/// What happened to a watched folder, by the key it is watched under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderChange {
    /// Something happened to a name, or to what it leads to.
    Name(u64, Box<[u8]>, Happened),
    /// A folder of that name was moved away, with all below it.
    FolderMoved(u64, Box<[u8]>),
    /// The folder's own attributes changed.
    Itself(u64),
    /// Changes were lost: anything may have changed.
    Anything,
}

type Keys = Arc<Mutex<HashMap<u64, Weak<Node>>>>;

/// Who watches, and which node each key stands for.
#[derive(Default)]
pub(super) struct Watching {
    watcher: OnceLock<Arc<dyn FolderWatch>>,
    keys: Keys,
    next: AtomicU64,
    refused: AtomicU64,
}

impl Watching {
    /// Folders watched now, and how often none was to be had.
    pub(super) fn figures(&self) -> (usize, u64) {
        (lock(&self.keys).len(), self.refused.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watching({} folders)", lock(&self.keys).len())
    }
}

/// Whether a folder's node is watched.
#[derive(Debug, Default)]
pub(super) enum Watch {
    /// Nobody asked yet.
    #[default]
    Unasked,
    /// None was to be had.
    Refused,
    /// It is, until this is dropped.
    Held(#[allow(dead_code, reason = "held for its drop")] Held),
}

/// Ends a watch when it goes.
pub(super) struct Held {
    watcher: Arc<dyn FolderWatch>,
    keys: Keys,
    key: u64,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Held({})", self.key)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.watcher.unwatch(self.key);
        lock(&self.keys).remove(&self.key);
    }
}

/// A hash of a file's version, as far as attributes tell; never zero.
fn version(meta: &Meta) -> u64 {
    let mut hash = DefaultHasher::new();
    (meta.size, meta.modified, meta.changed).hash(&mut hash);
    hash.finish().max(1)
}

/// How long the kernel may keep a name and its attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lifetimes {
    pub(super) name: Duration,
    pub(super) attributes: Duration,
}

impl Lifetimes {
    pub(super) const SHORT: Self = Self {
        name: LIFETIME,
        attributes: LIFETIME,
    };

    /// Of `node`, found in a folder that is watched.
    pub(super) fn in_watched(node: &Node, found: &Found) -> Self {
        let long = Self {
            name: WATCHED_LIFETIME,
            attributes: WATCHED_LIFETIME,
        };
        match found.meta.kind {
            // Another name of it may change without a word in this folder.
            Kind::File if found.meta.links > 1 => Self::SHORT,
            // Its times change with its entries, which only a watch of its own tells.
            Kind::Folder if !node.is_watched() => Self {
                attributes: LIFETIME,
                ..long
            },
            _ => long,
        }
    }
}

impl Node {
    /// Whether the folder is watched now.
    pub(super) fn is_watched(&self) -> bool {
        self.folder()
            .is_some_and(|folder| matches!(*lock(&folder.watch), Watch::Held(_)))
    }

    /// Notes the version whose attributes go to the kernel; whether those of another went before.
    fn note_given(&self, meta: &Meta) -> bool {
        let Some(real) = self.real().filter(|_| meta.kind == Kind::File) else {
            return false;
        };
        let version = version(meta);
        let before = real.given.swap(version, Ordering::AcqRel);
        before != 0 && before != version
    }

    /// Notes that the kernel was told to forget what it was given; whether there was any.
    pub(super) fn forget_given(&self) -> bool {
        self.real()
            .is_some_and(|real| real.given.swap(0, Ordering::AcqRel) != 0)
    }

    /// Whether the kernel was given the attributes of this very version.
    pub(super) fn was_given(&self, meta: &Meta) -> bool {
        self.real()
            .is_some_and(|real| real.given.load(Ordering::Acquire) == version(meta))
    }

    /// How many changes were told of the folder so far.
    pub(super) fn changes(&self) -> u64 {
        self.folder()
            .map_or(0, |folder| folder.changes.load(Ordering::Acquire))
    }
}

impl View {
    /// Notes that the kernel gets the attributes `meta` of `node`. It keeps pages over opens that
    /// nobody sees, and tells versions apart by size and time of modification alone.
    pub(super) fn give(&self, node: &Node, meta: &Meta) {
        if node.note_given(meta) {
            let _full = self.expiry.tell(Expired::Content(node.id));
        }
    }

    /// Lets `watcher` watch folders from now on; its changes go to [`View::folder_changed`].
    pub fn watch_with(&self, watcher: Arc<dyn FolderWatch>) {
        let _only_the_first = self.watching.watcher.set(watcher);
    }

    /// How long a name that is missing in the folder may be kept as missing.
    pub(super) fn absence_lifetime(&self, folder: &Node, changes: u64) -> Duration {
        if folder.is_watched() && folder.changes() == changes && self.expiry.reaches_all() {
            WATCHED_LIFETIME
        } else {
            Duration::ZERO
        }
    }

    /// Has a folder watched that a client asked for by name: it may be about to watch it, which
    /// nothing tells.
    pub(super) fn watch_known(&self, id: NodeId) {
        if let Some(node) = self.nodes.get(id)
            && !node.is_watched()
            && let Ok(open) = self.open_folder(&node)
        {
            self.ensure_watched(&node, &open);
        }
    }

    /// Has the kernel drop what it keeps of a node's content.
    pub fn drop_content(&self, id: NodeId) {
        let _full = self.expiry.tell(Expired::Content(id));
    }

    /// Has the folder watched, if that is to be had; before anything of it is read that is to
    /// be kept. Only folders of the root's own mount: what others are on may be shared.
    pub(super) fn ensure_watched(&self, node: &Arc<Node>, open: &OpenFolder) {
        let (Some(watcher), Some(folder)) = (self.watching.watcher.get(), node.folder()) else {
            return;
        };
        let mut watch = lock(&folder.watch);
        if !matches!(*watch, Watch::Unasked) {
            return;
        }
        if open.mount != self.workspace.meta().mount || !self.workspace.is_local() {
            *watch = Watch::Refused;
            self.watching.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let key = self.watching.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.watching.keys).insert(key, Arc::downgrade(node));
        let held = Held {
            watcher: Arc::clone(watcher),
            keys: Arc::clone(&self.watching.keys),
            key,
        };
        // A watch is one short call into the kernel; the lock keeps it from being made twice.
        *watch = if watcher.watch(key, open.folder.as_fd()) {
            // What was seen of it before is to be looked at once more: nothing told of that time.
            folder.changes.fetch_add(1, Ordering::Release);
            Watch::Held(held)
        } else {
            tracing::debug!("a folder cannot be watched");
            self.watching.refused.fetch_add(1, Ordering::Relaxed);
            Watch::Refused
        };
    }

    /// Whether the kernel may keep what a reading of the folder gives.
    pub(super) fn listing_may_be_kept(&self, node: &Arc<Node>, open: &OpenFolder) -> bool {
        self.ensure_watched(node, open);
        node.is_watched()
            && node
                .folder()
                .is_some_and(|folder| folder.listing_holds.load(Ordering::Relaxed))
    }

    /// Has the kernel keep no listing of the folder from now on.
    pub(super) fn keep_no_listing(&self, node: &Node) {
        if let Some(folder) = node.folder()
            && folder.listing_holds.swap(false, Ordering::Relaxed)
        {
            // What was kept already is dropped; if the queue is full, by the next change.
            let _full = self.expiry.tell(Expired::Content(node.id));
        }
    }

    /// Tells the kernel what changed. Called by the watcher's thread, never by one that the
    /// kernel waits for.
    pub fn folder_changed(&self, changes: Vec<FolderChange>) {
        for change in changes {
            match change {
                FolderChange::Anything => self.drop_everything(),
                FolderChange::Itself(key) => {
                    if let Some(node) = self.changed_node(key) {
                        self.expiry.tell_all([Expired::Content(node.id)]);
                    }
                }
                FolderChange::Name(key, name, happened) => {
                    if let Some(node) = self.changed_node(key) {
                        self.name_changed(&node, &name, happened);
                    }
                }
                FolderChange::FolderMoved(key, name) => {
                    if let Some(node) = self.changed_node(key) {
                        self.folders.moved();
                        let known = self.nodes.has_folder_at(node.id, &name);
                        // The kernel drops what is unused below the name by itself, but not
                        // what a process stands in.
                        self.drop_all_names();
                        self.drop_open_below(node.id, &name);
                        self.name_went(node.id, &name);
                        let moved = Happened::FolderMoved { known };
                        self.events.tell(node.id, &name, moved);
                    }
                }
            }
        }
    }

    fn name_changed(&self, node: &Arc<Node>, name: &[u8], happened: Happened) {
        self.note_ignore_file(node, name);
        if matches!(happened, Happened::Modified | Happened::Attributes) {
            self.entry_changed(node, name);
            self.events.tell(node.id, name, happened);
            return;
        }
        self.drop_open_at(node.id, name);
        self.contested.add(node.id, name);
        if happened == Happened::Came {
            self.name_went(node.id, name);
            self.events.tell(node.id, name, happened);
        } else if !self.events.tell(node.id, name, happened) {
            // Else by who tells it on, afterwards: only what the kernel still knows can go.
            self.name_went(node.id, name);
        }
    }

    fn entry_changed(&self, node: &Arc<Node>, name: &[u8]) {
        // By number alone: whether it is shown may be what changed.
        let id = self.open_folder(node).and_then(|folder| {
            let meta = folder.folder.meta_of(name)?;
            let kind = match meta.kind {
                Kind::Folder => PathKind::Folder,
                _ => PathKind::File,
            };
            let decision = folder.scope.decide(name, kind);
            let id = self.nodes.id_of(&Identity::new(&meta, decision));
            Ok((id, decision.content().is_some()))
        });
        let parent = node.id;
        match id {
            Ok((id, false)) => self.expiry.tell_all([Expired::Content(id)]),
            // Its content decides whether it is there at all, or it is gone: the name is
            // dropped, and is looked up again.
            other => {
                let name = Expired::Name {
                    parent,
                    name: name.into(),
                };
                self.expiry.tell_all([name, Expired::Content(parent)]);
                let id = other.ok().map(|(id, _)| id);
                self.expiry.tell_all(id.map(Expired::Content));
            }
        }
    }

    fn changed_node(&self, key: u64) -> Option<Arc<Node>> {
        let node = lock(&self.watching.keys).get(&key)?.upgrade()?;
        node.folder()?.changes.fetch_add(1, Ordering::Release);
        Some(node)
    }

    /// Has the kernel drop all it keeps. May wait for the kernel.
    pub(super) fn drop_everything(&self) {
        self.folders.moved();
        let nodes = self.nodes.all();
        for node in &nodes {
            if let Some(folder) = node.folder() {
                folder.changes.fetch_add(1, Ordering::Release);
            }
        }
        self.drop_all_names();
        let contents = nodes.iter().map(|node| Expired::Content(node.id));
        self.expiry.tell_all(contents);
    }

    /// Has the kernel look up every name again: at once where it can do that, else one by one.
    fn drop_all_names(&self) {
        if self.expiry.reaches_all() {
            self.expiry.tell_all([Expired::AllNames]);
            return;
        }
        let nodes = self.nodes.all();
        self.expiry.tell_all(nodes.iter().flat_map(|node| {
            node.places().into_iter().map(|place| Expired::Name {
                parent: place.parent.id,
                name: place.name,
            })
        }));
    }
}
