//! The versions of sidecars that the kernel holds, within a budget of bytes.

use super::Sidecar;
use super::reports::Reports;
use super::summary::Summaries;
use crate::view::node::{Node, NodeId, Table, lock};
use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};

/// Names given up but not yet told to the kernel, at most.
const EXPIRED_WAITING: usize = 4096;

/// A name the kernel should forget, so that an old version can go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expired {
    /// The folder.
    pub parent: NodeId,
    /// The sidecar's name in it.
    pub name: Box<[u8]>,
}

#[derive(Debug)]
struct Version {
    node: NodeId,
    name: Expired,
}

#[derive(Debug, Default)]
struct Versions {
    /// Bytes of all versions that the kernel holds.
    bytes: usize,
    /// The names under which they were looked up, oldest first.
    order: VecDeque<Version>,
    /// The last version given for each name.
    latest: HashMap<Expired, NodeId>,
}

/// Versions, and the caches their documents are made from.
#[derive(Debug)]
pub(in crate::view) struct Store {
    budget: usize,
    versions: Mutex<Versions>,
    expired: SyncSender<Expired>,
    told: Mutex<Option<Receiver<Expired>>>,
    pub(super) reports: Reports,
    pub(super) summaries: Summaries,
}

impl Store {
    pub(in crate::view) fn new(budget: usize) -> Self {
        let (expired, told) = sync_channel(EXPIRED_WAITING);
        Self {
            budget,
            versions: Mutex::default(),
            expired,
            told: Mutex::new(Some(told)),
            reports: Reports::default(),
            summaries: Summaries::default(),
        }
    }

    /// The names to be forgotten, as they come; can be taken once.
    pub(in crate::view) fn take_expired(&self) -> Option<Receiver<Expired>> {
        lock(&self.told).take()
    }

    /// Makes `sidecar` a node, counts a lookup and keeps to the budget.
    pub(super) fn remember(
        &self,
        nodes: &Table,
        parent: NodeId,
        name: &[u8],
        sidecar: Sidecar,
    ) -> Arc<Node> {
        let bytes = sidecar.bytes.len();
        let (node, is_new) = nodes.remember_sidecar(sidecar);
        if is_new {
            let name = Expired {
                parent,
                name: name.into(),
            };
            let mut versions = lock(&self.versions);
            versions.bytes += bytes;
            versions.latest.insert(name.clone(), node.id);
            versions.order.push_back(Version {
                node: node.id,
                name,
            });
            self.give_up(&mut versions, nodes);
        }
        node
    }

    /// Gives the oldest names up until what stays is within the budget. A version that is open
    /// stays until it is closed.
    fn give_up(&self, versions: &mut Versions, nodes: &Table) {
        let mut going = 0;
        while versions.bytes.saturating_sub(going) > self.budget {
            let Some(oldest) = versions.order.pop_front() else {
                return;
            };
            let Some(size) = nodes.sidecar_size(oldest.node) else {
                continue; // forgotten already
            };
            match self.expired.try_send(oldest.name.clone()) {
                Ok(()) => going += size,
                // Nobody listens without a mount; then nobody looks up either.
                Err(TrySendError::Disconnected(_)) => return,
                Err(TrySendError::Full(_)) => {
                    versions.order.push_front(oldest);
                    return;
                }
            }
        }
        if versions.order.len() > 2 * nodes.len() + 1024 {
            let held = |id: NodeId| nodes.sidecar_size(id).is_some();
            versions.order.retain(|version| held(version.node));
            versions.latest.retain(|_, id| held(*id));
        }
    }

    /// The kernel forgot a version.
    pub(in crate::view) fn forgotten(&self, sidecar: &Sidecar) {
        if !sidecar.placeholder {
            let mut versions = lock(&self.versions);
            versions.bytes = versions.bytes.saturating_sub(sidecar.bytes.len());
        }
    }

    /// The id of the last version that the kernel was given for a name.
    pub(super) fn last_version_id(&self, parent: NodeId, name: &[u8]) -> Option<NodeId> {
        let name = Expired {
            parent,
            name: name.into(),
        };
        lock(&self.versions).latest.get(&name).copied()
    }

    /// That version's node, counted as one lookup more.
    pub(super) fn last_version(
        &self,
        nodes: &Table,
        parent: NodeId,
        name: &[u8],
    ) -> Option<Arc<Node>> {
        nodes.look_up_again(self.last_version_id(parent, name)?)
    }
}
