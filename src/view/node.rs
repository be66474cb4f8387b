//! What the kernel knows of the view: nodes, their ids and their lookup counts.
//!
//! A node is one inode under one decision: two names of an inode that the policy treats
//! differently are two nodes. Its id is a keyed hash of that identity, so it is the same after
//! the kernel forgot it, and no real inode number shows. A sidecar's node is one immutable
//! version of one document.

use crate::policy::{Decision, PathKind};
use crate::relpath::RelPath;
use crate::workspace::{Content, Kind, Meta, Time};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::sidecar::Sidecar;

/// The kernel's id of a node, which is also its `st_ino` and `d_ino`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u64);

/// The id that the protocol gives the root.
pub const ROOT: NodeId = NodeId(1);

/// Most names remembered of one file: enough to find it again when some are gone.
const MAX_PLACES: usize = 8;

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
    fn hashed(&self) -> impl Hash + use<> {
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
    places: Mutex<Vec<Place>>,
    /// The descriptor that its open handles share.
    pub open: Mutex<Weak<Content>>,
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

#[derive(Debug)]
struct Live {
    node: Arc<Node>,
    lookups: u64,
}

/// The nodes that the kernel holds.
#[derive(Debug)]
pub(super) struct Table {
    hash: RandomState,
    live: Mutex<HashMap<NodeId, Live>>,
    root: Arc<Node>,
}

impl Table {
    /// A table that knows the root alone.
    pub(super) fn new(root: &Meta, decision: Decision, generation: u64) -> Self {
        let root = Arc::new(Node {
            id: ROOT,
            body: Body::Real(Real {
                identity: Identity::new(root, decision),
                decided: Mutex::new((generation, decision)),
                places: Mutex::default(),
                open: Mutex::default(),
            }),
        });
        Self {
            hash: RandomState::new(),
            live: Mutex::default(),
            root,
        }
    }

    /// The root.
    pub(super) fn root(&self) -> &Arc<Node> {
        &self.root
    }

    /// The node that the kernel calls `id`.
    pub(super) fn get(&self, id: NodeId) -> Option<Arc<Node>> {
        if id == ROOT {
            return Some(Arc::clone(&self.root));
        }
        lock(&self.live).get(&id).map(|live| Arc::clone(&live.node))
    }

    /// Every node that the kernel holds.
    pub(super) fn all(&self) -> Vec<Arc<Node>> {
        let live = lock(&self.live);
        live.values().map(|live| Arc::clone(&live.node)).collect()
    }

    /// How many nodes the kernel holds beside the root.
    pub(super) fn len(&self) -> usize {
        lock(&self.live).len()
    }

    /// The node of a real file found as `name` in `parent`, counted as one lookup more. `None`
    /// if the name cannot be: the folder would lie in itself, which only a rename that raced
    /// with the lookup can make it look like.
    pub(super) fn remember_real(
        &self,
        identity: Identity,
        decided: (u64, Decision),
        parent: &Arc<Node>,
        name: &[u8],
    ) -> Option<Arc<Node>> {
        let mut live = lock(&self.live);
        let id = self.free_or_same(&live, &identity.hashed(), |node| {
            node.real().is_some_and(|real| real.identity == identity)
        });
        let entry = live.entry(id).or_insert_with(|| Live {
            node: Arc::new(Node {
                id,
                body: Body::Real(Real {
                    identity,
                    decided: Mutex::new(decided),
                    places: Mutex::default(),
                    open: Mutex::default(),
                }),
            }),
            lookups: 0,
        });
        let node = Arc::clone(&entry.node);
        // The lock on the table orders changes of places, so that no two folders can be put
        // into each other at once.
        let outdated = put_in_place(&node, parent, name);
        if outdated.is_err() && entry.lookups == 0 {
            live.remove(&id);
        } else if outdated.is_ok() {
            entry.lookups += 1;
        }
        drop(live); // before what was taken out is dropped
        outdated.ok().map(|_| node)
    }

    /// The node of one version of a sidecar, counted as one lookup more.
    /// Also answers whether the kernel had none of it.
    pub(super) fn remember_sidecar(&self, sidecar: Sidecar) -> (Arc<Node>, bool) {
        let mut live = lock(&self.live);
        let id = self.id_of_version(&live, &sidecar);
        let entry = live.entry(id).or_insert_with(|| Live {
            node: Arc::new(Node {
                id,
                body: Body::Sidecar(sidecar),
            }),
            lookups: 0,
        });
        entry.lookups += 1;
        (Arc::clone(&entry.node), entry.lookups == 1)
    }

    /// Counts one lookup more of a node that the kernel holds.
    pub(super) fn look_up_again(&self, id: NodeId) -> Option<Arc<Node>> {
        let mut live = lock(&self.live);
        let entry = live.get_mut(&id)?;
        entry.lookups += 1;
        Some(Arc::clone(&entry.node))
    }

    /// The id that a version of a sidecar has or would get.
    pub(super) fn id_of_sidecar(&self, sidecar: &Sidecar) -> NodeId {
        self.id_of_version(&lock(&self.live), sidecar)
    }

    fn id_of_version(&self, live: &HashMap<NodeId, Live>, sidecar: &Sidecar) -> NodeId {
        self.free_or_same(live, &sidecar.hashed(), |node| match &node.body {
            Body::Sidecar(known) => known.same_version(sidecar),
            Body::Real(_) => false,
        })
    }

    /// The bytes that the version `id` takes, while the kernel holds it.
    pub(super) fn sidecar_size(&self, id: NodeId) -> Option<usize> {
        match &lock(&self.live).get(&id)?.node.body {
            Body::Sidecar(sidecar) => Some(sidecar.bytes.len()),
            Body::Real(_) => None,
        }
    }

    /// The id that a real file has or would get, for listings that do not look up.
    pub(super) fn id_of(&self, identity: &Identity) -> NodeId {
        let live = lock(&self.live);
        self.free_or_same(&live, &identity.hashed(), |node| {
            node.real().is_some_and(|real| real.identity == *identity)
        })
    }

    /// The kernel gives back `count` lookups of `id`; answers the node when that was the last.
    pub(super) fn forget(&self, id: NodeId, count: u64) -> Option<Arc<Node>> {
        let mut live = lock(&self.live);
        let entry = live.get_mut(&id)?;
        entry.lookups = entry.lookups.saturating_sub(count);
        if entry.lookups > 0 {
            return None;
        }
        let gone = live.remove(&id);
        drop(live);
        gone.map(|entry| entry.node)
    }

    /// Steps on from the hash of `key` to the first id that is free or `same`.
    fn free_or_same(
        &self,
        live: &HashMap<NodeId, Live>,
        key: &impl Hash,
        same: impl Fn(&Node) -> bool,
    ) -> NodeId {
        let mut id = self.hash.hash_one(key);
        loop {
            let candidate = NodeId(id);
            match live.get(&candidate) {
                _ if id <= ROOT.0 => {}
                None => return candidate,
                Some(entry) if same(&entry.node) => return candidate,
                Some(_) => {}
            }
            id = id.wrapping_add(1);
        }
    }
}

/// A folder would have become its own ancestor.
struct Circular;

/// Makes `name` in `parent` the newest name of `node`; answers the name that had to go, for
/// the caller to drop when it holds no lock.
fn put_in_place(node: &Arc<Node>, parent: &Arc<Node>, name: &[u8]) -> Result<Vec<Place>, Circular> {
    let Some(real) = node.real() else {
        return Ok(Vec::new());
    };
    let known = |place: &Place| place.parent.id == parent.id && *place.name == *name;
    if lock(&real.places)
        .last()
        .is_some_and(|place| known(place) && Arc::ptr_eq(&place.parent, parent))
    {
        return Ok(Vec::new());
    }
    let is_folder = real.identity.kind == Kind::Folder;
    // A folder that had no place yet has nothing below it either.
    if is_folder && node.place().is_some() {
        let mut ancestor = Some(Arc::clone(parent));
        while let Some(folder) = ancestor {
            if Arc::ptr_eq(&folder, node) {
                return Err(Circular);
            }
            ancestor = folder.place().map(|place| place.parent);
        }
    }
    let mut places = lock(&real.places);
    let mut outdated: Vec<Place> = if is_folder {
        std::mem::take(&mut *places)
    } else {
        places.extract_if(.., |place| known(place)).collect()
    };
    if places.len() >= MAX_PLACES {
        outdated.push(places.remove(0));
    }
    places.push(Place {
        parent: Arc::clone(parent),
        name: name.into(),
    });
    Ok(outdated)
}
