//! What the kernel knows of the view: nodes, their ids and their lookup counts.
//!
//! A node is one inode under one decision: two names of an inode that the policy treats
//! differently are two nodes. Its id is a keyed hash of that identity, so it is the same after
//! the kernel forgot it, and no real inode number shows. A sidecar's node is one immutable
//! version of one document.

use crate::policy::{Decision, PathKind};
use crate::relpath::RelPath;
use crate::workspace::{Content, Kind, Meta};
use smallvec::SmallVec;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::Generation;
use super::sidecar::Sidecar;
use super::watching::Watch;

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

/// What makes a file of the real tree that file under one decision. Kept small: there is one for
/// each file that the kernel knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    file: FileIdentity,
    class: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FileIdentity {
    inode: u64,
    /// Nanoseconds since 1970, as far as they go.
    born: i64,
    device: u32,
    mount: u32,
    kind: Kind,
}

impl FileIdentity {
    fn of(meta: &Meta) -> Self {
        let born = meta.born.seconds.saturating_mul(1_000_000_000);
        Self {
            inode: meta.inode,
            born: born.saturating_add(meta.born.nanoseconds.into()),
            device: folded(meta.device),
            mount: folded(meta.mount),
            kind: meta.kind,
        }
    }
}

/// The kernel's own numbers of devices and mounts have 32 bits, spread over 64 in a device's.
fn folded(number: u64) -> u32 {
    let bytes = (number ^ (number >> 32)).to_le_bytes();
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl Identity {
    /// The identity of the file that `meta` describes under `decision`.
    pub(super) fn new(meta: &Meta, decision: Decision) -> Self {
        Self {
            file: FileIdentity::of(meta),
            class: decision.class(),
        }
    }

    /// The kind that the policy tells apart.
    pub(super) fn path_kind(&self) -> PathKind {
        if self.kind() == Kind::Folder {
            PathKind::Folder
        } else {
            PathKind::File
        }
    }

    /// Whether the inode of this device and number is this file's.
    pub(super) fn is_inode(&self, (device, inode): (u64, u64)) -> bool {
        (self.file.device, self.file.inode) == (folded(device), inode)
    }

    /// The kind of the file.
    pub(super) fn kind(&self) -> Kind {
        self.file.kind
    }

    /// Whether `meta` is of this file, whatever the decision.
    pub(super) fn is_of(&self, meta: &Meta) -> bool {
        self.file == FileIdentity::of(meta)
    }

    /// The part that is hashed: birth and kind are left out, a file that differs in them alone
    /// steps on to another id while this one lives.
    pub(super) fn hashed(&self) -> impl Hash + use<> {
        (
            self.file.device,
            self.file.inode,
            self.file.mount,
            self.class,
        )
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
    /// A hash of the version whose attributes the kernel was given last, if it is a file; zero
    /// for none.
    pub(super) given: AtomicU64,
    pub(super) state: Mutex<State>,
    /// What only folders have.
    pub(super) folder: Option<Box<FolderState>>,
}

/// What changes about a file.
#[derive(Debug)]
pub(super) struct State {
    /// The decision and the policy generation it was made by.
    pub(super) decided: (Generation, Decision),
    /// Its names, the newest last; none for the root. A folder has one.
    pub(super) places: SmallVec<[Place; 1]>,
    /// The descriptor that what is open of it shares.
    open: Weak<Content>,
}

/// What the kernel keeps of a folder's entries.
#[derive(Debug)]
pub(super) struct FolderState {
    /// Whether it is watched.
    pub(super) watch: Mutex<Watch>,
    /// Changes told of it.
    pub(super) changes: AtomicU64,
    /// Whether the kernel may keep a listing of it: not one that shows a file whose other names
    /// decide about it.
    pub(super) listing_holds: AtomicBool,
}

/// What a node stands for.
#[derive(Debug)]
pub(super) enum Body {
    /// A file of the real tree.
    Real(Real),
    /// One version of a sidecar.
    Sidecar(Box<Sidecar>),
}

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    /// Its id.
    pub id: NodeId,
    /// How often the kernel looked it up; changed under the table's lock alone.
    pub(super) lookups: AtomicU64,
    /// What it stands for.
    pub body: Body,
}

impl Real {
    /// A file without a name yet.
    pub(super) fn new(identity: Identity, decided: (Generation, Decision)) -> Self {
        let folder = (identity.kind() == Kind::Folder).then(|| {
            Box::new(FolderState {
                watch: Mutex::default(),
                changes: AtomicU64::new(0),
                listing_holds: AtomicBool::new(true),
            })
        });
        Self {
            identity,
            given: AtomicU64::new(0),
            state: Mutex::new(State {
                decided,
                places: SmallVec::new(),
                open: Weak::new(),
            }),
            folder,
        }
    }

    /// The descriptor that all open handles share: the one they have, else `content`. It is
    /// what tells the attributes of a file that lost its names, so it must not change hands.
    pub(super) fn share(&self, content: &Arc<Content>) -> Arc<Content> {
        let mut state = lock(&self.state);
        if let Some(shared) = state.open.upgrade() {
            return shared;
        }
        let outdated = std::mem::replace(&mut state.open, Arc::downgrade(content));
        drop(state);
        drop(outdated);
        Arc::clone(content)
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

    /// What only folders have.
    pub(super) fn folder(&self) -> Option<&FolderState> {
        self.real()?.folder.as_deref()
    }

    /// The descriptor that its open handles share, while there are any.
    pub(super) fn open_content(&self) -> Option<Arc<Content>> {
        lock(&self.real()?.state).open.upgrade()
    }

    /// Its known names, the newest first.
    pub(super) fn places(&self) -> Vec<Place> {
        let Some(real) = self.real() else {
            return Vec::new();
        };
        lock(&real.state).places.iter().rev().cloned().collect()
    }

    /// Its newest name; `None` for the root and for sidecars.
    pub(super) fn place(&self) -> Option<Place> {
        lock(&self.real()?.state).places.last().cloned()
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

fn take_places(node: &mut Node) -> SmallVec<[Place; 1]> {
    match &mut node.body {
        Body::Real(real) => {
            let state = real.state.get_mut();
            std::mem::take(&mut state.unwrap_or_else(PoisonError::into_inner).places)
        }
        Body::Sidecar(_) => SmallVec::new(),
    }
}
