//! What the kernel should forget: told by whoever finds it out, carried over by a thread of the
//! mount that holds no lock.

use super::NodeId;
use super::node::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

/// Notices that may wait.
const WAITING: usize = 4096;

/// Something the kernel should forget.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expired {
    /// A name and what it leads to.
    Name {
        /// The folder.
        parent: NodeId,
        /// The name in it.
        name: Box<[u8]>,
    },
    /// A node's attributes and pages; of a folder, the kernel's copy of its listing.
    Content(NodeId),
    /// Every name, those that are kept as missing too.
    AllNames,
}

/// Whether a notice was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// It will be carried over.
    Taken,
    /// Too many wait.
    Full,
    /// There is no mount: nothing is cached.
    Nobody,
}

#[derive(Debug)]
pub(super) struct Expiry {
    sender: SyncSender<Expired>,
    receiver: Mutex<Option<Receiver<Expired>>>,
    /// Whether the kernel takes [`Expired::AllNames`].
    all_names: AtomicBool,
}

impl Default for Expiry {
    fn default() -> Self {
        let (sender, receiver) = sync_channel(WAITING);
        Self {
            sender,
            receiver: Mutex::new(Some(receiver)),
            all_names: AtomicBool::new(false),
        }
    }
}

impl Expiry {
    /// The notices as they come; can be taken once.
    pub(super) fn take(&self) -> Option<Receiver<Expired>> {
        lock(&self.receiver).take()
    }

    /// Says that the kernel takes [`Expired::AllNames`].
    pub(super) fn reaches_all_names(&self) {
        self.all_names.store(true, Ordering::Relaxed);
    }

    /// Whether names that are kept as missing can be taken back: only then may they be kept.
    pub(super) fn reaches_all(&self) -> bool {
        self.all_names.load(Ordering::Relaxed)
    }

    /// Tells without waiting.
    pub(super) fn tell(&self, expired: Expired) -> Told {
        match self.sender.try_send(expired) {
            Ok(()) => Told::Taken,
            Err(TrySendError::Full(_)) => Told::Full,
            Err(TrySendError::Disconnected(_)) => Told::Nobody,
        }
    }

    /// Tells all, waiting where too many wait. Not for a thread that the kernel waits for.
    pub(super) fn tell_all(&self, expired: impl IntoIterator<Item = Expired>) {
        if lock(&self.receiver).is_some() {
            return; // nobody took it yet, so nothing is cached either
        }
        for one in expired {
            if self.sender.send(one).is_err() {
                return;
            }
        }
    }
}
