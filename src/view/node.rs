//! What the kernel knows of the view: nodes, their ids and their lookup counts.
//!
//! A node is one inode under one decision: two names of an inode that the policy treats
//! differently are two nodes. Its id is a keyed hash of that identity, so it is the same after
//! the kernel forgot it, and no real inode number shows. A sidecar's node is one immutable
//! version of one document.

use crate::policy::{Decision, PathKind};
use crate::relpath::RelPath;
use crate::workspace::{Content, Kind, Meta, Time};
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::sidecar::Sidecar;
use super::watching::{Version, Watch};

/// The kernel's id of a node, which is also its `st_ino` and `d_ino`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u64);

/// The id that the protocol gives the root.
pub const ROOT: NodeId = NodeId(1);

/// Takes a lock. Nothing here leaves its data half changed when it panics, so a poisoned lock
/// is as good as any: one panic must cost one request.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What makes a file of the real tree that file under one decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    mount: u64,
    class: u16,
    kind: Kind,
    born: Time,
}

impl Identity {
    /// The identity of the file that `meta` describes under `decision`.
    pub(super) fn new(meta: &Meta, decision: Decision) -> Self {
        Self {
            device: meta.device,
            inode: meta.inode,
            mount: meta.mount,
            class: decision.class(),
            kind: meta.kind,
            born: meta.born,
        }
    }

    /// The kind that the policy tells apart.
    pub(super) fn path_kind(&self) -> PathKind {
        if self.kind == Kind::Folder {
            PathKind::Folder
        } else {
            PathKind::File
        }
    }

    /// Device and inode number.
    pub(super) fn inode_key(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// The kind of the file.
    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether `meta` is of this file, whatever the decision.
    pub(super) fn is_of(&self, meta: &Meta) -> bool {
        (self.device, self.inode, self.mount, self.kind, self.born)
            == (meta.device, meta.inode, meta.mount, meta.kind, meta.born)
    }

    /// The part that is hashed: birth and kind are left out, a file that differs in them alone
    /// steps on to another id while this one lives.
    pub(super) fn hashed(&self) -> impl Hash + use<> {
        (self.device, self.inode, self.mount, self.class)
    }
}

/// A name of a node: where it was last found.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The folder it lies in.
    pub parent: Arc<Node>,
    /// Its name there.
    pub name: Box<[u8]>,
}

/// A file of the real tree, as the kernel knows it.
#[derive(Debug)]
pub(super) struct Real {
    /// Which file under which decision.
    pub identity: Identity,
    /// The decision and the policy generation it was made by.
    pub decided: Mutex<(u64, Decision)>,
    /// Its names, the newest last; none for the root. A folder has one.
    pub(super) places: Mutex<Vec<Place>>,
    /// The descriptor that its open handles share.
    pub(super) open: Mutex<Weak<Content>>,
    /// Whether it is watched, if it is a folder.
    pub(super) watch: Mutex<Watch>,
    /// Changes told of it, if it is a folder.
    pub(super) changes: AtomicU64,
    /// Whether the kernel may keep a listing of it, if it is a folder: not one that shows a
    /// file whose other names decide about it.
    pub(super) listing_holds: AtomicBool,
    /// The version whose attributes the kernel was given last, if it is a file.
    pub(super) given: Mutex<Option<Version>>,
}

/// What a node stands for.
#[derive(Debug)]
pub(super) enum Body {
    /// A file of the real tree.
    Real(Real),
    /// One version of a sidecar.
    Sidecar(Sidecar),
}

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    /// Its id.
    pub id: NodeId,
    /// What it stands for.
    pub body: Body,
}

impl Real {
    /// A file without a name yet.
    pub(super) fn new(identity: Identity, decided: (u64, Decision)) -> Self {
        Self {
            identity,
            decided: Mutex::new(decided),
            places: Mutex::default(),
            open: Mutex::default(),
            watch: Mutex::default(),
            changes: AtomicU64::new(0),
            listing_holds: AtomicBool::new(true),
            given: Mutex::default(),
        }
    }
}

impl Real {
    /// The descriptor that all open handles share: the one they have, else `content`. It is
    /// what tells the attributes of a file that lost its names, so it must not change hands.
    pub(super) fn share(&self, content: &Arc<Content>) -> Arc<Content> {
        let mut open = lock(&self.open);
        let shared = open.upgrade().unwrap_or_else(|| {
            *open = Arc::downgrade(content);
            Arc::clone(content)
        });
        drop(open);
        shared
    }
}

impl Node {
    /// The real file, if it is one.
    pub(super) fn real(&self) -> Option<&Real> {
        match &self.body {
            Body::Real(real) => Some(real),
            Body::Sidecar(_) => None,
        }
    }

    /// The descriptor that its open handles share, while there are any.
    pub(super) fn open_content(&self) -> Option<Arc<Content>> {
        lock(&self.real()?.open).upgrade()
    }

    /// Its known names, the newest first.
    pub(super) fn places(&self) -> Vec<Place> {
        let Some(real) = self.real() else {
            return Vec::new();
        };
        lock(&real.places).iter().rev().cloned().collect()
    }

    /// Its newest name; `None` for the root and for sidecars.
    pub(super) fn place(&self) -> Option<Place> {
        lock(&self.real()?.places).last().cloned()
    }

    /// Its path by the newest names.
    pub(super) fn path(&self) -> RelPath {
        let mut names = Vec::new();
        let mut next = self.place();
        while let Some(place) = next {
            next = place.parent.place();
            names.push(place.name);
        }
        names
            .iter()
            .rev()
            .try_fold(RelPath::root(), |path, name| path.child(name))
            .unwrap_or_default()
    }
}

/// Drops chains of parents in a loop: the depth of a real tree has no bound, the stack has.
impl Drop for Node {
    fn drop(&mut self) {
        let mut orphans = take_places(self);
        while let Some(place) = orphans.pop() {
            if let Some(mut parent) = Arc::into_inner(place.parent) {
                orphans.append(&mut take_places(&mut parent));
            }
        }
    }
}

fn take_places(node: &mut Node) -> Vec<Place> {
    match &mut node.body {
        Body::Real(real) => std::mem::take(
            real.places
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner),
        ),
        Body::Sidecar(_) => Vec::new(),
    }
}
