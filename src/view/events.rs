//! What happened in folders that the kernel knows, for whoever has it seen by watchers inside the
//! view: no notice to the kernel raises an event there.

use super::attributes::Entry;
use super::door::{Patience, Sight};
use super::expiry::Expired;
use super::handles::Handle;
use super::lookup::Looked;
use super::node::{NodeId, lock};
use super::{Answer, Error, Opens, Result, View};
use crate::relpath::RelPath;
use crate::workspace::Kind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

/// Events that may wait; what comes when so many do is not told.
const WAITING: usize = 1024;

/// What happened to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// It came, or leads elsewhere.
    Came,
    /// It went, and did not lead to a folder.
    FileWent,
    /// It went, and led to a folder that is no more.
    FolderWent,
    /// It went, and led to a folder that is elsewhere now.
    FolderMoved {
        /// Whether the kernel knew the folder there.
        known: bool,
    },
    /// The content of what it leads to changed.
    Modified,
    /// The attributes of what it leads to changed.
    Attributes,
}

/// Something that happened in a folder. Of hidden names too: who tells it asks
/// [`View::shown_kind`] first, or whether the kernel knows the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The folder.
    pub folder: NodeId,
    /// The name in it.
    pub name: Box<[u8]>,
    /// What happened to it.
    pub happened: Happened,
}

#[derive(Debug)]
pub(super) struct Events {
    sender: SyncSender<Event>,
    receiver: Mutex<Option<Receiver<Event>>>,
}

impl Default for Events {
    fn default() -> Self {
        let (sender, receiver) = sync_channel(WAITING);
        Self {
            sender,
            receiver: Mutex::new(Some(receiver)),
        }
    }
}

impl Events {
    /// Whether somebody tells it on.
    pub(super) fn tell(&self, folder: NodeId, name: &[u8], happened: Happened) -> bool {
        if lock(&self.receiver).is_some() {
            return false; // nobody took it
        }
        let event = Event {
            folder,
            name: name.into(),
            happened,
        };
        self.sender.try_send(event).is_ok()
    }
}

impl View {
    /// The events as they come; can be taken once. Who takes them calls [`View::name_went`] after
    /// each name that went.
    pub fn take_events(&self) -> Option<Receiver<Event>> {
        lock(&self.events.receiver).take()
    }

    /// Has the kernel forget a name that went. May wait for the kernel.
    pub fn name_went(&self, folder: NodeId, name: &[u8]) {
        let name = Expired::Name {
            parent: folder,
            name: name.into(),
        };
        self.expiry.tell_all([name, Expired::Content(folder)]);
    }

    /// What the view shows under a name, if anything.
    ///
    /// # Errors
    /// Nothing, or it takes long to say.
    pub fn shown_kind(&self, folder: NodeId, name: &[u8]) -> Result<Kind> {
        let node = self.node(folder)?;
        let open = self.open_folder(&node)?;
        match self.find(&open, name, Patience::None)? {
            Sight::Seen(found) => Ok(found.meta.kind),
            Sight::Missing | Sight::Withheld | Sight::Unsettled => Err(Error::NotFound),
        }
    }

    /// What a client that tells an event on is given for the file it would create: the one that
    /// is there, opened where opens are seen.
    pub fn create(self: &Arc<Self>, folder: NodeId, name: &[u8]) -> Answer<(Entry, Handle)> {
        let found = self.lookup(folder, name).now();
        Answer::Now(found.and_then(|looked| {
            let Looked::Entry(entry) = looked else {
                return Err(Error::NotFound);
            };
            if self.opens() == Opens::Unseen {
                return Ok((entry, Handle::NONE));
            }
            match self.open(entry.attributes.node) {
                Ok(opened) => Ok((entry, opened.handle)),
                Err(error) => {
                    self.forget(entry.attributes.node, 1);
                    Err(error)
                }
            }
        }))
    }

    /// Where a folder was found last.
    ///
    /// # Errors
    /// The kernel does not know it any more.
    pub fn path_of_folder(&self, folder: NodeId) -> Result<RelPath> {
        Ok(self.node(folder)?.path())
    }
}
