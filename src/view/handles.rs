//! What is open: the table of handles, and for clients whose opens are not seen the descriptors
//! and listings that their reads go on with.

use super::listing::Listing;
use super::node::{NodeId, lock};
use super::{Error, Result};
use crate::workspace::Content;
use lru::LruCache;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the kernel gives back with each request on something open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handle(pub u64);

impl Handle {
    /// No open was seen: the request is on the node itself.
    pub const NONE: Self = Self(0);
}

/// Something open.
#[derive(Debug)]
pub(super) enum Open {
    /// A regular file: handles of one node share its descriptor.
    File(Arc<Content>),
    /// A folder and its listing, made at the first read and again on rewind.
    Folder(Mutex<Option<Arc<Listing>>>),
    /// A sidecar: its node holds the bytes.
    Sidecar,
}

#[derive(Debug)]
pub(super) struct Handles {
    next: AtomicU64,
    open: Mutex<HashMap<Handle, (NodeId, Arc<Open>)>>,
}

impl Default for Handles {
    fn default() -> Self {
        Self {
            next: AtomicU64::new(1),
            open: Mutex::default(),
        }
    }
}

impl Handles {
    pub(super) fn insert(&self, node: NodeId, open: Open) -> Handle {
        let handle = Handle(self.next.fetch_add(1, Ordering::Relaxed));
        lock(&self.open).insert(handle, (node, Arc::new(open)));
        handle
    }

    /// A handle is good with its own node only.
    pub(super) fn get(&self, node: NodeId, handle: Handle) -> Result<Arc<Open>> {
        match lock(&self.open).get(&handle) {
            Some((owner, open)) if *owner == node => Ok(Arc::clone(open)),
            _ => Err(Error::Os(rustix::io::Errno::BADF.raw_os_error())),
        }
    }

    /// The nodes that something is open of.
    pub(super) fn nodes(&self) -> HashSet<NodeId> {
        lock(&self.open).values().map(|(node, _)| *node).collect()
    }

    pub(super) fn remove(&self, handle: Handle) {
        let gone = lock(&self.open).remove(&handle);
        drop(gone); // closes a descriptor: not under the lock
    }
}

/// Entries that the listings of [`Held`] may have together; one listing may have more.
const LISTED_ENTRIES: usize = 100_000;

/// How long a listing waits for the next part to be read.
const LISTING_TIME: Duration = Duration::from_secs(5);

/// What reads without an open go on with, the least recently used given up first.
///
/// A descriptor is kept of each file whose pages the kernel may hold: a file that is replaced or
/// removed outside is read to its end by who has it open, which nobody tells.
#[derive(Debug)]
pub(super) struct Held {
    files: Mutex<Files>,
    listings: Mutex<Listings>,
}

#[derive(Debug)]
struct Files {
    /// With the folder that each was last found in.
    kept: LruCache<NodeId, (Arc<Content>, NodeId)>,
    in_folder: HashMap<NodeId, HashSet<NodeId>>,
}

#[derive(Debug)]
struct Listings {
    /// With when each was last read from.
    kept: LruCache<NodeId, (Arc<Listing>, Instant)>,
    entries: usize,
}

impl Files {
    fn unlink(&mut self, node: NodeId, folder: NodeId) {
        if let Some(there) = self.in_folder.get_mut(&folder) {
            there.remove(&node);
            if there.is_empty() {
                self.in_folder.remove(&folder);
            }
        }
    }
}

impl Held {
    /// Holds at most `descriptors` files.
    pub(super) fn new(descriptors: usize) -> Self {
        let capacity = NonZeroUsize::new(descriptors).unwrap_or(NonZeroUsize::MIN);
        Self {
            files: Mutex::new(Files {
                kept: LruCache::new(capacity),
                in_folder: HashMap::new(),
            }),
            listings: Mutex::new(Listings {
                kept: LruCache::unbounded(),
                entries: 0,
            }),
        }
    }

    pub(super) fn file(&self, node: NodeId) -> Option<Arc<Content>> {
        let mut files = lock(&self.files);
        files
            .kept
            .get(&node)
            .map(|(content, _)| Arc::clone(content))
    }

    /// Keeps `content` of `node`, which was found in `folder`.
    pub(super) fn keep_file(&self, node: NodeId, folder: NodeId, content: &Arc<Content>) {
        let mut files = lock(&self.files);
        let evicted = files.kept.push(node, (Arc::clone(content), folder));
        if let Some((old, (_, old_folder))) = &evicted {
            files.unlink(*old, *old_folder);
        }
        files.in_folder.entry(folder).or_default().insert(node);
        drop(files);
        drop(evicted); // closes a descriptor: not under the lock
    }

    /// The node was found in `folder`.
    pub(super) fn note_folder(&self, node: NodeId, folder: NodeId) {
        let mut files = lock(&self.files);
        let Some((_, known)) = files.kept.peek_mut(&node) else {
            return;
        };
        if *known != folder {
            let old = std::mem::replace(known, folder);
            files.unlink(node, old);
            files.in_folder.entry(folder).or_default().insert(node);
        }
    }

    /// The nodes that a file is held of.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        let files = lock(&self.files);
        files.kept.iter().map(|(&node, _)| node).collect()
    }

    /// Those that were last found in `folder`.
    pub(super) fn nodes_in(&self, folder: NodeId) -> Vec<NodeId> {
        let files = lock(&self.files);
        let there = files.in_folder.get(&folder);
        there.map_or_else(Vec::new, |there| there.iter().copied().collect())
    }

    /// The listing that a reading of the folder goes on with.
    pub(super) fn listing(&self, folder: NodeId) -> Option<Arc<Listing>> {
        let mut listings = lock(&self.listings);
        let (listing, used) = listings.kept.get_mut(&folder)?;
        *used = Instant::now();
        Some(Arc::clone(listing))
    }

    pub(super) fn keep_listing(&self, folder: NodeId, listing: &Arc<Listing>) {
        let mut listings = lock(&self.listings);
        let mut gone = Vec::from_iter(listings.put(folder, listing));
        while listings.entries > LISTED_ENTRIES && listings.kept.len() > 1 {
            gone.extend(listings.pop_oldest());
        }
        drop(listings);
        drop(gone); // many small parts: not under the lock
    }

    /// The folder was read to its end: whoever goes on elsewhere in it has it listed again.
    pub(super) fn drop_listing(&self, folder: NodeId) {
        let mut listings = lock(&self.listings);
        let gone = listings.kept.pop(&folder);
        if let Some((listing, _)) = &gone {
            listings.entries -= listing.len();
        }
        drop(listings);
        drop(gone);
    }

    /// Gives up listings that nobody goes on with.
    pub(super) fn drop_old_listings(&self) {
        loop {
            let mut listings = lock(&self.listings);
            let is_old = |(_, (_, used)): (_, &(_, Instant))| used.elapsed() > LISTING_TIME;
            if !listings.kept.peek_lru().is_some_and(is_old) {
                return;
            }
            let gone = listings.pop_oldest();
            drop(listings);
            drop(gone);
        }
    }

    /// The kernel forgot the node.
    pub(super) fn forget(&self, node: NodeId) {
        let mut files = lock(&self.files);
        let file = files.kept.pop(&node);
        if let Some((_, folder)) = &file {
            files.unlink(node, *folder);
        }
        drop(files);
        drop(file);
        self.drop_listing(node);
    }
}

impl Listings {
    fn pop_oldest(&mut self) -> Option<Arc<Listing>> {
        let (_, (listing, _)) = self.kept.pop_lru()?;
        self.entries -= listing.len();
        Some(listing)
    }

    fn put(&mut self, folder: NodeId, listing: &Arc<Listing>) -> Option<Arc<Listing>> {
        self.entries += listing.len();
        let (_, (old, _)) = self
            .kept
            .push(folder, (Arc::clone(listing), Instant::now()))?;
        self.entries -= old.len();
        Some(old)
    }
}
