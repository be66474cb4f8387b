//! The table of nodes that the kernel holds: ids, lookup counts, and which names lead where.

use super::node::{Body, Identity, Node, NodeId, Place, ROOT, Real, lock};
use super::sidecar::Sidecar;
use crate::policy::Decision;
use crate::workspace::{Kind, Meta};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex};

/// Most names remembered of one file: enough to find it again when some are gone.
const MAX_PLACES: usize = 8;

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
            body: Body::Real(Real::new(
                Identity::new(root, decision),
                (generation, decision),
            )),
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
                body: Body::Real(Real::new(identity, decided)),
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
        // 53 bits: JavaScript keeps inode numbers as floating point.
        let mut id = self.hash.hash_one(key) >> 11;
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
    let is_folder = real.identity.kind() == Kind::Folder;
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
