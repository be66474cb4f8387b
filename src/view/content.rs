//! Opening and reading: files, sidecars and folders.
//!
//! Opens may go unseen: the kernel then reads by node alone, and what an open would have found
//! out is found out at each read.

use super::door::{Patience, Sight};
use super::expiry::Expired;
use super::handles::{Handle, Open};
use super::listing::Listing;
use super::moved::content_version;
use super::node::{Body, Node, NodeId, ROOT, lock};
use super::{Answer, Error, Result, View};
use crate::policy::Group;
use crate::workspace::{Content, Extent, Kind, Meta};
use std::sync::{Arc, Mutex};

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
        let meta = content.meta()?;
        self.check_size(&meta)?;
        let current =
            node.was_given(&meta) && node.place().is_some_and(|place| place.parent.is_watched());
        Ok(Opened {
            handle: self.handles.insert(id, Open::File(content)),
            current,
        })
    }

    /// The real file behind an open handle, if whoever reads it may do so without being asked
    /// again: not where its content or its size decides, or where reading it is to be noted.
    pub fn content_to_pass_through(&self, id: NodeId, handle: Handle) -> Option<Arc<Content>> {
        let node = self.node(id).ok()?;
        // As it was decided at the open: a file that is read in two ways at once is an I/O error.
        let decision = lock(&node.real()?.state).decided.1;
        let limited = self.loaded().policy.limits().max_file_bytes.is_some();
        let noted = self.loaded().policy.has_labels();
        if decision.content().is_some() || limited || noted || handle == Handle::NONE {
            return None;
        }
        match &*self.handles.get(id, handle).ok()? {
            Open::File(content) => Some(Arc::clone(content)),
            Open::Folder(_) | Open::Sidecar => None,
        }
    }

    /// Refuses a file that is larger than the policy lets be read.
    fn check_size(&self, meta: &Meta) -> Result<()> {
        match self.loaded().policy.limits().max_file_bytes {
            Some(most) if meta.size > most => Err(Error::TooLarge),
            _ => Ok(()),
        }
    }

    /// The file that `handle` stands for, or where no open was seen the one held for the node.
    fn opened_content(&self, node: &Arc<Node>, handle: Handle) -> Result<Arc<Content>> {
        if handle != Handle::NONE {
            return match &*self.handles.get(node.id, handle)? {
                Open::File(content) => Ok(Arc::clone(content)),
                Open::Folder(_) => Err(Error::IsFolder),
                Open::Sidecar => Err(Error::Invalid),
            };
        }
        if let Some(content) = self.held.file(node.id) {
            return Ok(content);
        }
        self.require(node, Group::Read)?;
        let content = self.content_of(node)?;
        let folder = node.place().map_or(ROOT, |place| place.parent.id);
        self.held.keep_file(node, folder, &content);
        Ok(content)
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
        // Every name is gone or leads elsewhere. What was opened when it was looked up is still
        // good; else the path has to be looked up again, and this time it is kept open.
        if let Some(content) = self.held_content(node) {
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
        content.set_mark(content_version(&found.meta));
        Ok(real.share(&content))
    }

    /// Reads up to `size` bytes at `offset`; fewer only at the end.
    ///
    /// # Errors
    /// The handle is not this node's; the policy refuses `read` by now, or the file grew too
    /// large for it; a read error.
    pub fn read(&self, id: NodeId, handle: Handle, offset: u64, size: usize) -> Result<Bytes> {
        let node = self.node(id)?;
        if let Body::Sidecar(sidecar) = &node.body {
            self.check_sidecar(&node)?;
            self.sidecar_was_read(sidecar);
            let bytes = &sidecar.bytes;
            let start = usize::try_from(offset).map_or(bytes.len(), |at| at.min(bytes.len()));
            let end = start.saturating_add(size).min(bytes.len());
            return Ok(Bytes {
                bytes: bytes[start..end].to_vec(),
                current: true,
            });
        }
        let read = || {
            let content = self.opened_content(&node, handle)?;
            let decision = self.require(&node, Group::Read)?;
            let bytes = content.read_at(offset, size)?;
            // After the read, so that all is of these bytes or newer ones.
            let meta = content.meta()?;
            self.check_size(&meta)?;
            self.check_place(&node, &content)?;
            self.check_content(decision, &content)?;
            self.was_read(decision, || self.linked_names(&meta));
            let current = node.was_given(&meta);
            if !current {
                // Pages of the version before may be there as well.
                let _full = self.expiry.tell(Expired::Content(id));
            }
            Ok(Bytes { bytes, current })
        };
        match read() {
            // An open file that became hidden is refused, not missing.
            Err(Error::NotFound) => Err(Error::Denied),
            other => other,
        }
    }

    /// The offset of the next data or hole, as `lseek` with `SEEK_DATA` or `SEEK_HOLE`.
    ///
    /// # Errors
    /// None after the offset, or as for [`View::read`].
    pub fn seek(&self, id: NodeId, handle: Handle, to: Extent, offset: u64) -> Result<u64> {
        let node = self.node(id)?;
        if let Body::Sidecar(sidecar) = &node.body {
            let size = sidecar.bytes.len() as u64;
            return match to {
                _ if offset >= size => Err(Error::NoExtent),
                Extent::Data => Ok(offset),
                Extent::Hole => Ok(size),
            };
        }
        self.require(&node, Group::Read)?;
        let content = self.opened_content(&node, handle)?;
        let found = content.seek(to, offset)?;
        self.check_place(&node, &content)?;
        Ok(found)
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
        match self.kept_listing(id, handle) {
            Ok(Some(listing)) if offset > 0 => return Answer::Now(Ok(listing)),
            Ok(_) => {}
            Err(error) => return Answer::Now(Err(error)),
        }
        match self.list(id, Patience::None) {
            Ok(Some(listing)) => {
                self.keep_listing(id, handle, &listing);
                Answer::Now(Ok(listing))
            }
            Err(error) => Answer::Now(Err(error)),
            Ok(None) => {
                let view = Arc::clone(self);
                Answer::Later(Box::new(move || {
                    let listing = view
                        .list(id, Patience::of_a_request())?
                        .ok_or(Error::Stale)?;
                    view.keep_listing(id, handle, &listing);
                    Ok(listing)
                }))
            }
        }
    }

    fn kept_listing(&self, id: NodeId, handle: Handle) -> Result<Option<Arc<Listing>>> {
        if handle == Handle::NONE {
            return Ok(self.held.listing(id));
        }
        match &*self.handles.get(id, handle)? {
            Open::Folder(kept) => Ok(lock(kept).clone()),
            Open::File(_) | Open::Sidecar => Err(Error::NotFolder),
        }
    }

    fn keep_listing(&self, id: NodeId, handle: Handle, listing: &Arc<Listing>) {
        if handle == Handle::NONE {
            self.held.keep_listing(id, listing);
        } else if let Ok(open) = self.handles.get(id, handle)
            && let Open::Folder(kept) = &*open
        {
            *lock(kept) = Some(Arc::clone(listing));
        }
    }
}
