//! Opening and reading: files, sidecars, and the table of open handles.

use super::door::{Patience, Sight};
use super::listing::Listing;
use super::node::{Body, Node, NodeId, lock};
use super::{Answer, Error, Result, View};
use crate::policy::Group;
use crate::workspace::{Content, Extent, Kind};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What the kernel gives back with each request on something open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handle(pub u64);

/// An opened file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// What to give back with each request.
    pub handle: Handle,
    /// Whether what the kernel keeps of it, pages or a listing, is right and will be taken back
    /// when it is not.
    pub current: bool,
}

/// Bytes that were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether they are of the version whose attributes the kernel has; if not it has to ask
    /// for the size again before it goes on.
    pub current: bool,
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
    fn insert(&self, node: NodeId, open: Open) -> Handle {
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

    /// The open files, each once.
    pub(super) fn files(&self) -> HashMap<NodeId, Arc<Content>> {
        let open = lock(&self.open);
        let files = open.values().filter_map(|(node, open)| match &**open {
            Open::File(content) => Some((*node, Arc::clone(content))),
            Open::Folder(_) | Open::Sidecar => None,
        });
        files.collect()
    }

    fn remove(&self, handle: Handle) {
        let gone = lock(&self.open).remove(&handle);
        drop(gone); // closes a descriptor: not under the lock
    }
}

impl View {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// The policy refuses `read`; it is a folder, a device, too large or gone; no descriptor is
    /// left.
    pub fn open(&self, id: NodeId) -> Result<Opened> {
        let node = self.node(id)?;
        if let Body::Sidecar(_) = node.body {
            self.check_sidecar(&node)?;
            return Ok(Opened {
                handle: self.handles.insert(id, Open::Sidecar),
                current: true,
            });
        }
        let decision = self.require(&node, Group::Read)?;
        let content = self.content_of(&node)?;
        // Once more on what was opened: it may have been written to since it was looked at.
        self.check_content(decision, &content)?;
        self.check_size(&content)?;
        let current = node.was_given(&content.meta()?)
            && node.place().is_some_and(|place| place.parent.is_watched());
        Ok(Opened {
            handle: self.handles.insert(id, Open::File(content)),
            current,
        })
    }

    /// Refuses a file that is larger than the policy lets be read.
    fn check_size(&self, content: &Content) -> Result<()> {
        match self.loaded().policy.limits().max_file_bytes {
            Some(most) if content.meta()?.size > most => Err(Error::TooLarge),
            _ => Ok(()),
        }
    }

    /// The open descriptor of a file, shared with its other handles if a name still leads to
    /// it, else opened by the first name that does.
    fn content_of(&self, node: &Arc<Node>) -> Result<Arc<Content>> {
        let real = node.real().ok_or(Error::Invalid)?;
        match real.identity.kind() {
            Kind::File => {}
            Kind::Folder => return Err(Error::IsFolder),
            // Pipes and sockets never come here; devices and links are not opened.
            _ => return Err(Error::Denied),
        }
        let mut error = Error::Stale;
        for place in node.places() {
            match self.open_at(node, &place.parent, &place.name) {
                Ok(content) => return Ok(content),
                Err(Error::NotFound | Error::Stale) => {}
                Err(other) => error = other,
            }
        }
        // Every name is gone or leads elsewhere. What was found a moment ago is still good;
        // else the kernel looks the path up again, and this time it is kept open.
        if let Some(content) = self.pinned_content(node) {
            return Ok(real.share(&content));
        }
        if error == Error::Stale {
            self.contest(node);
        }
        Err(error)
    }

    fn open_at(&self, node: &Arc<Node>, parent: &Arc<Node>, name: &[u8]) -> Result<Arc<Content>> {
        let real = node.real().ok_or(Error::Invalid)?;
        let folder = self.open_folder(parent)?;
        let found = match self.find(&folder, name, Patience::None)? {
            Sight::Seen(found) if real.identity.is_of(&found.meta) => found,
            // Looked up a moment ago, so it was settled then; the kernel asks again.
            Sight::Seen(_) | Sight::Missing | Sight::Withheld | Sight::Unsettled => {
                return Err(Error::Stale);
            }
        };
        if !found.decision.may(Group::Read) {
            return Err(Error::Denied);
        }
        if let Some(content) = node.open_content() {
            return Ok(content);
        }
        let content = match folder.folder.open_content(name).map_err(Error::from) {
            Ok(content) => Arc::new(content),
            // Another kind of file took the name: the kernel looks again.
            Err(Error::Invalid) => return Err(Error::Stale),
            Err(error) => return Err(error),
        };
        let opened = content.meta()?;
        // A name that is being removed still leads to the inode when its link is counted no
        // more, and then another, hidden name may be the one left: look at the name once more.
        let still_named = folder
            .folder
            .meta_of(name)
            .is_ok_and(|now| now.same_file(&opened) && now.links == found.meta.links);
        if !real.identity.is_of(&opened) || !still_named {
            return Err(Error::Stale);
        }
        Ok(real.share(&content))
    }

    /// Reads up to `size` bytes at `offset`; fewer only at the end.
    ///
    /// # Errors
    /// The handle is not this node's; the policy refuses `read` by now, or the file grew too
    /// large for it; a read error.
    pub fn read(&self, id: NodeId, handle: Handle, offset: u64, size: usize) -> Result<Bytes> {
        let node = self.node(id)?;
        match (&*self.handles.get(id, handle)?, &node.body) {
            (Open::File(content), _) => {
                let read = || {
                    let decision = self.require(&node, Group::Read)?;
                    self.check_size(content)?;
                    let bytes = content.read_at(offset, size)?;
                    // After the read, so that both are of these bytes or newer ones.
                    self.check_place(&node, content)?;
                    self.check_content(decision, content)?;
                    let current = node.was_given(&content.meta()?);
                    Ok(Bytes { bytes, current })
                };
                match read() {
                    // An open file that became hidden is refused, not missing.
                    Err(Error::NotFound) => Err(Error::Denied),
                    other => other,
                }
            }
            (Open::Sidecar, Body::Sidecar(sidecar)) => {
                self.check_sidecar(&node)?;
                let bytes = &sidecar.bytes;
                let start = usize::try_from(offset).map_or(bytes.len(), |at| at.min(bytes.len()));
                let end = start.saturating_add(size).min(bytes.len());
                Ok(Bytes {
                    bytes: bytes[start..end].to_vec(),
                    current: true,
                })
            }
            (Open::Folder(_), _) => Err(Error::IsFolder),
            (Open::Sidecar, Body::Real(_)) => Err(Error::Invalid),
        }
    }

    /// The offset of the next data or hole, as `lseek` with `SEEK_DATA` or `SEEK_HOLE`.
    ///
    /// # Errors
    /// None after the offset, or as for [`View::read`].
    pub fn seek(&self, id: NodeId, handle: Handle, to: Extent, offset: u64) -> Result<u64> {
        let node = self.node(id)?;
        match (&*self.handles.get(id, handle)?, &node.body) {
            (Open::File(content), _) => {
                self.require(&node, Group::Read)?;
                let found = content.seek(to, offset)?;
                self.check_place(&node, content)?;
                Ok(found)
            }
            (_, Body::Sidecar(sidecar)) => {
                let size = sidecar.bytes.len() as u64;
                match to {
                    _ if offset >= size => Err(Error::NoExtent),
                    Extent::Data => Ok(offset),
                    Extent::Hole => Ok(size),
                }
            }
            _ => Err(Error::Invalid),
        }
    }

    /// Opens a folder for listing.
    ///
    /// # Errors
    /// The policy refuses `search`; it is no folder, or gone.
    pub fn open_listing(&self, id: NodeId) -> Result<Opened> {
        let node = self.node(id)?;
        let folder = self.open_folder(&node)?;
        if !folder.may_list() {
            return Err(Error::Denied);
        }
        let current = self.listing_may_be_kept(&node, &folder);
        Ok(Opened {
            handle: self.handles.insert(id, Open::Folder(Mutex::default())),
            current,
        })
    }

    /// Gives a handle back.
    pub fn close(&self, handle: Handle) {
        self.handles.remove(handle);
    }

    /// The listing behind a handle, for [`View::fill`]; at `offset` 0 it is taken anew.
    pub fn listing(
        self: &Arc<Self>,
        id: NodeId,
        handle: Handle,
        offset: u64,
    ) -> Answer<Arc<Listing>> {
        let open = match self.handles.get(id, handle) {
            Ok(open) => open,
            Err(error) => return Answer::Now(Err(error)),
        };
        let Open::Folder(kept) = &*open else {
            return Answer::Now(Err(Error::NotFolder));
        };
        if offset > 0
            && let Some(listing) = &*lock(kept)
        {
            return Answer::Now(Ok(Arc::clone(listing)));
        }
        match self.list(id, Patience::None) {
            Ok(Some(listing)) => {
                *lock(kept) = Some(Arc::clone(&listing));
                Answer::Now(Ok(listing))
            }
            Err(error) => Answer::Now(Err(error)),
            Ok(None) => {
                let view = Arc::clone(self);
                let open = Arc::clone(&open);
                Answer::Later(Box::new(move || {
                    let listing = view
                        .list(id, Patience::of_a_request())?
                        .ok_or(Error::Stale)?;
                    if let Open::Folder(kept) = &*open {
                        *lock(kept) = Some(Arc::clone(&listing));
                    }
                    Ok(listing)
                }))
            }
        }
    }
}
