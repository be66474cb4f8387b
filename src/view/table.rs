//! The table of nodes that the kernel holds: ids, lookup counts, and which names lead where.

use super::Generation;
use super::node::{Body, Identity, Node, NodeId, Place, ROOT, Real, lock};
use super::sidecar::Sidecar;
use crate::policy::Decision;
use crate::workspace::{Kind, Meta};
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Most names remembered of one file: enough to find it again when some are gone.
const MAX_PLACES: usize = 8;

type Nodes = HashTable<Arc<Node>>;

/// Ids are hashes already, by a key that nobody knows; those of a shard have their high bits in
/// common, which a hash table wants to differ.
fn hashed(id: NodeId) -> u64 {
    id.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn find(live: &Nodes, id: NodeId) -> Option<&Arc<Node>> {
    live.find(hashed(id), |node| node.id == id)
}

fn insert(live: &mut Nodes, node: &Arc<Node>) {
    live.insert_unique(hashed(node.id), Arc::clone(node), |node| hashed(node.id));
}

/// The shards of a table: threads seldom meet in one, and what is done to all nodes holds none
/// for long.
pub(super) const SHARDS: usize = 64;

/// Bits of an id below those that say its shard; ids have 53.
const BELOW_SHARD: u32 = 53 - SHARDS.trailing_zeros();

/// The nodes that the kernel holds.
#[derive(Debug)]
pub(super) struct Table {
    hash: RandomState,
    shards: Vec<Mutex<Nodes>>,
    /// Taken within a shard's lock while a folder gets another place, so that no two folders
    /// can be put into each other at once.
    places: Mutex<()>,
    root: Arc<Node>,
}

fn shard_of(id: NodeId) -> usize {
    usize::try_from(id.0 >> BELOW_SHARD).map_or(0, |shard| shard % SHARDS)
}

/// A node that the kernel does not hold yet.
fn new_node(id: NodeId, body: Body) -> Arc<Node> {
    Arc::new(Node {
        id,
        lookups: AtomicU64::new(0),
        body,
    })
}

/// Counts a lookup more; the table's lock is held.
fn count(node: &Node) -> u64 {
    node.lookups.fetch_add(1, Ordering::Relaxed) + 1
}

impl Table {
    /// A table that knows the root alone.
    pub(super) fn new(root: &Meta, decision: Decision, generation: Generation) -> Self {
        let identity = Identity::new(root, decision);
        let root = Real::new(identity, (generation, decision));
        Self {
            hash: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            places: Mutex::default(),
            root: new_node(ROOT, Body::Real(root)),
        }
    }

    fn shard(&self, id: NodeId) -> MutexGuard<'_, Nodes> {
        lock(&self.shards[shard_of(id)])
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
        find(&self.shard(id), id).map(Arc::clone)
    }

    /// Every node that the kernel holds.
    pub(super) fn all(&self) -> Vec<Arc<Node>> {
        (0..SHARDS).flat_map(|shard| self.some(shard)).collect()
    }

    /// Those of one of the [`SHARDS`].
    pub(super) fn some(&self, shard: usize) -> Vec<Arc<Node>> {
        let live = lock(&self.shards[shard]);
        live.iter().map(Arc::clone).collect()
    }

    /// How many nodes the kernel holds beside the root.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    /// The node of a real file found as `name` in `parent`, counted as one lookup more. `None`
    /// if the name cannot be: the folder would lie in itself, which only a rename that raced
    /// with the lookup can make it look like.
    pub(super) fn remember_real(
        &self,
        identity: Identity,
        decided: (Generation, Decision),
        parent: &Arc<Node>,
        name: &[u8],
    ) -> Option<Arc<Node>> {
        let first = self.first_id(&identity.hashed());
        let mut live = self.shard(first);
        let id = free_or_same(&live, first, |node| {
            node.real().is_some_and(|real| real.identity == identity)
        });
        let known = find(&live, id).map(Arc::clone);
        let node = known
            .clone()
            .unwrap_or_else(|| new_node(id, Body::Real(Real::new(identity, decided))));
        let outdated = self.put_in_place(&node, parent, name);
        if outdated.is_ok() {
            count(&node);
            if known.is_none() {
                insert(&mut live, &node);
            }
        }
        drop(live); // before what was taken out is dropped
        outdated.ok().map(|_| node)
    }

    /// The node of one version of a sidecar, counted as one lookup more.
    /// Also answers whether the kernel had none of it.
    pub(super) fn remember_sidecar(&self, sidecar: Sidecar) -> (Arc<Node>, bool) {
        let first = self.first_id(&sidecar.hashed());
        let mut live = self.shard(first);
        let id = id_of_version(&live, first, &sidecar);
        let known = find(&live, id).map(Arc::clone);
        let node = known.unwrap_or_else(|| {
            let node = new_node(id, Body::Sidecar(Box::new(sidecar)));
            insert(&mut live, &node);
            node
        });
        let is_first = count(&node) == 1;
        (node, is_first)
    }

    /// Counts one lookup more of a node that the kernel holds.
    pub(super) fn look_up_again(&self, id: NodeId) -> Option<Arc<Node>> {
        let live = self.shard(id);
        let node = Arc::clone(find(&live, id)?);
        count(&node);
        Some(node)
    }

    /// The id that a version of a sidecar has or would get.
    pub(super) fn id_of_sidecar(&self, sidecar: &Sidecar) -> NodeId {
        let first = self.first_id(&sidecar.hashed());
        id_of_version(&self.shard(first), first, sidecar)
    }

    /// The bytes that the version `id` takes, while the kernel holds it.
    pub(super) fn sidecar_size(&self, id: NodeId) -> Option<usize> {
        match &find(&self.shard(id), id)?.body {
            Body::Sidecar(sidecar) => Some(sidecar.bytes.len()),
            Body::Real(_) => None,
        }
    }

    /// The id that a real file has or would get, for listings that do not look up.
    pub(super) fn id_of(&self, identity: &Identity) -> NodeId {
        let first = self.first_id(&identity.hashed());
        free_or_same(&self.shard(first), first, |node| {
            node.real().is_some_and(|real| real.identity == *identity)
        })
    }

    /// The kernel gives back `count` lookups of `id`; answers the node when that was the last.
    pub(super) fn forget(&self, id: NodeId, count: u64) -> Option<Arc<Node>> {
        let mut live = self.shard(id);
        let node = find(&live, id)?;
        let left = node.lookups.load(Ordering::Relaxed).saturating_sub(count);
        node.lookups.store(left, Ordering::Relaxed);
        if left > 0 {
            return None;
        }
        let entry = live.find_entry(hashed(id), |node| node.id == id).ok()?;
        let (gone, _) = entry.remove();
        shrink(&mut live);
        drop(live);
        Some(gone)
    }

    /// The id that a file with this key gets, unless another one lives under it.
    fn first_id(&self, key: &impl Hash) -> NodeId {
        // 53 bits: JavaScript keeps inode numbers as floating point.
        NodeId(self.hash.hash_one(key) >> 11)
    }

    /// Makes `name` in `parent` the newest name of `node`; answers the name that had to go, for
    /// the caller to drop when it holds no lock.
    fn put_in_place(
        &self,
        node: &Arc<Node>,
        parent: &Arc<Node>,
        name: &[u8],
    ) -> Result<Vec<Place>, Circular> {
        let Some(real) = node.real() else {
            return Ok(Vec::new());
        };
        let known = |place: &Place| place.parent.id == parent.id && *place.name == *name;
        if lock(&real.state)
            .places
            .last()
            .is_some_and(|place| known(place) && Arc::ptr_eq(&place.parent, parent))
        {
            return Ok(Vec::new());
        }
        let is_folder = real.identity.kind() == Kind::Folder;
        let _in_turn = is_folder.then(|| lock(&self.places));
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
        let mut state = lock(&real.state);
        let places = &mut state.places;
        let mut outdated: Vec<Place> = if is_folder {
            places.drain(..).collect()
        } else {
            let same: Option<usize> = places.iter().position(known);
            same.map(|index| places.remove(index)).into_iter().collect()
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
}

/// Steps on from `first` to the first id that is free or `same`, within its shard.
fn free_or_same(live: &Nodes, first: NodeId, same: impl Fn(&Node) -> bool) -> NodeId {
    const LOW: u64 = (1 << BELOW_SHARD) - 1;
    let mut id = first.0;
    loop {
        let candidate = NodeId(id);
        match find(live, candidate) {
            _ if id <= ROOT.0 => {}
            None => return candidate,
            Some(known) if same(known) => return candidate,
            Some(_) => {}
        }
        id = (id & !LOW) | (id.wrapping_add(1) & LOW);
    }
}

fn id_of_version(live: &Nodes, first: NodeId, sidecar: &Sidecar) -> NodeId {
    free_or_same(live, first, |node| match &node.body {
        Body::Sidecar(known) => known.same_version(sidecar),
        Body::Real(_) => false,
    })
}

/// Gives room back when most of it is unused.
fn shrink(live: &mut Nodes) {
    if live.capacity() > 256 && live.len() < live.capacity() / 8 {
        live.shrink_to(live.len() * 2, |node| hashed(node.id));
    }
}

/// A folder would have become its own ancestor.
struct Circular;
