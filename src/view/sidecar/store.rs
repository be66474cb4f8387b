//! The versions of sidecars that the kernel holds, within a budget of bytes.

use super::Sidecar;
use super::reports::Reports;
use super::summary::Summaries;
use crate::view::expiry::{Expired, Expiry, Told};
use crate::view::node::{Node, NodeId, lock};
use crate::view::table::Table;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// A name under which a sidecar was looked up: the folder's node and the name in it.
type Looked = (NodeId, Box<[u8]>);

#[derive(Debug)]
struct Version {
    node: NodeId,
    name: Looked,
}

#[derive(Debug, Default)]
struct Versions {
    /// Bytes of all versions that the kernel holds.
    bytes: usize,
    /// The names under which they were looked up, oldest first.
    order: VecDeque<Version>,
    /// The last version given for each name.
    latest: HashMap<Looked, NodeId>,
}

/// Versions, and the caches their documents are made from.
#[derive(Debug)]
pub(in crate::view) struct Store {
    budget: usize,
    versions: Mutex<Versions>,
    pub(super) reports: Reports,
    pub(super) summaries: Summaries,
}

impl Store {
    pub(in crate::view) fn new(budget: usize) -> Self {
        Self {
            budget,
            versions: Mutex::default(),
            reports: Reports::default(),
            summaries: Summaries::default(),
        }
    }

    /// How many file versions were probed so far.
    #[cfg(test)]
    pub(in crate::view) fn probes(&self) -> usize {
        self.reports.probes()
    }

    /// Makes `sidecar` a node, counts a lookup and keeps to the budget.
    pub(super) fn remember(
        &self,
        nodes: &Table,
        expiry: &Expiry,
        (parent, name): (NodeId, &[u8]),
        sidecar: Sidecar,
    ) -> Arc<Node> {
        let bytes = sidecar.bytes.len();
        let (node, is_new) = nodes.remember_sidecar(sidecar);
        if is_new {
            let name: Looked = (parent, name.into());
            let mut versions = lock(&self.versions);
            versions.bytes += bytes;
            versions.latest.insert(name.clone(), node.id);
            versions.order.push_back(Version {
                node: node.id,
                name,
            });
            self.give_up(&mut versions, nodes, expiry);
        }
        node
    }

    /// Gives the oldest names up until what stays is within the budget. A version that is open
    /// stays until it is closed.
    fn give_up(&self, versions: &mut Versions, nodes: &Table, expiry: &Expiry) {
        let mut going = 0;
        while versions.bytes.saturating_sub(going) > self.budget {
            let Some(oldest) = versions.order.pop_front() else {
                return;
            };
            let Some(size) = nodes.sidecar_size(oldest.node) else {
                continue; // forgotten already
            };
            let (parent, name) = oldest.name.clone();
            match expiry.tell(Expired::Name { parent, name }) {
                Told::Taken => going += size,
                Told::Nobody => return,
                Told::Full => {
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
        let looked: Looked = (parent, name.into());
        lock(&self.versions).latest.get(&looked).copied()
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
