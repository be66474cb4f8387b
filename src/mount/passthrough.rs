//! Open files that the kernel reads by itself from the real file, without asking: as fast as the
//! file, and out of the policy's reach until they are closed.
//!
//! Needs `CAP_SYS_ADMIN` in the initial namespace. Where that is missing files are read as ever.

use crate::view::{Handle, NodeId, Opened, View};
use fuser::{BackingId, FileHandle, FopenFlags, ReplyOpen};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The real files that open handles are read from.
#[derive(Debug, Default)]
pub(super) struct Passthrough {
    refused: AtomicBool,
    open: Mutex<Backing>,
}

#[derive(Debug, Default)]
struct Backing {
    /// The kernel wants one for each node, shared by its handles.
    by_node: HashMap<NodeId, Weak<BackingId>>,
    by_handle: HashMap<Handle, (NodeId, Arc<BackingId>)>,
}

impl Passthrough {
    /// Answers an open with the real file behind the handle; gives the reply back if that cannot
    /// be or must not be.
    pub(super) fn answer(
        &self,
        view: &View,
        node: NodeId,
        opened: Opened,
        reply: ReplyOpen,
    ) -> Option<ReplyOpen> {
        if self.refused.load(Ordering::Relaxed) {
            return Some(reply);
        }
        let Some(content) = view.content_to_pass_through(node, opened.handle) else {
            return Some(reply);
        };
        // Held over the call, which does no I/O, so that a node has one backing file.
        let mut open = lock(&self.open);
        let known = open.by_node.get(&node).and_then(Weak::upgrade);
        let backing = match known.map_or_else(|| reply.open_backing(&*content).map(Arc::new), Ok) {
            Ok(backing) => backing,
            Err(error) => {
                drop(open);
                tracing::warn!(%error, "files are not passed through");
                self.refused.store(true, Ordering::Relaxed);
                return Some(reply);
            }
        };
        open.by_node.insert(node, Arc::downgrade(&backing));
        let held = (node, Arc::clone(&backing));
        open.by_handle.insert(opened.handle, held);
        drop(open);
        let handle = FileHandle(opened.handle.0);
        reply.opened_passthrough(handle, FopenFlags::empty(), &backing);
        None
    }

    /// The handle was closed.
    pub(super) fn close(&self, handle: Handle) {
        let mut open = lock(&self.open);
        let Some((node, backing)) = open.by_handle.remove(&handle) else {
            return;
        };
        drop(backing);
        let last = open.by_node.get(&node);
        if last.is_some_and(|backing| backing.strong_count() == 0) {
            open.by_node.remove(&node);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
