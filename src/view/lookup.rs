//! Names to nodes: lookup, forget, attributes, link text.

use super::attributes::{Attributes, Entry};
use super::door::{Found, OpenFolder, Patience, Sight};
use super::handles::Handle;
use super::node::{Body, Node, NodeId, lock};
use super::watching::Lifetimes;
use super::{Answer, Error, LIFETIME, Result, View, sidecar};
use crate::policy::{Decision, Group};
use crate::workspace::{Kind, Meta};
use std::sync::Arc;
use std::time::Duration;

/// What a lookup gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// A file, with one lookup of its node counted.
    Entry(Entry),
    /// No such name, and how long that may be kept.
    Absent(Duration),
}

impl View {
    /// Finds `name` in the folder `parent` and counts one lookup of its node. A name that is
    /// hidden is missing.
    pub fn lookup(self: &Arc<Self>, parent: NodeId, name: &[u8]) -> Answer<Looked> {
        let tried = self
            .node(parent)
            .and_then(|parent| self.try_lookup(&parent, name));
        match tried {
            Ok(Some(looked)) => Answer::Now(Ok(looked)),
            Err(error) => Answer::Now(Err(error)),
            Ok(None) => {
                let view = Arc::clone(self);
                let name = name.to_vec();
                Answer::Later(Box::new(move || view.wait_lookup(parent, &name)))
            }
        }
    }

    /// `None` where the answer takes long.
    fn try_lookup(self: &Arc<Self>, parent: &Arc<Node>, name: &[u8]) -> Result<Option<Looked>> {
        let folder = self.open_folder(parent)?;
        self.ensure_watched(parent, &folder);
        let changes = parent.changes();
        let (sight, content) = self.find_steady(parent, &folder, name, Patience::None)?;
        match sight {
            Sight::Seen(found) => {
                let entry = self.remember(parent, &folder, name, &found, changes)?;
                if found.meta.kind == Kind::Folder {
                    self.watch_known(entry.attributes.node);
                }
                self.hold(entry.attributes.node, parent.id, content);
                Ok(Some(Looked::Entry(entry)))
            }
            Sight::Unsettled => Ok(None),
            Sight::Missing | Sight::Withheld if sidecar::Name::parse(name).is_some() => {
                let entry = self.lookup_ready_sidecar(parent, &folder, name)?;
                Ok(entry.map(Looked::Entry))
            }
            Sight::Withheld => Err(Error::NotFound),
            Sight::Missing => {
                let lifetime = self.absence_lifetime(parent, changes);
                Ok(Some(Looked::Absent(lifetime)))
            }
        }
    }

    fn wait_lookup(self: &Arc<Self>, parent: NodeId, name: &[u8]) -> Result<Looked> {
        let parent = self.node(parent)?;
        let folder = self.open_folder(&parent)?;
        let changes = parent.changes();
        let entry = match self.find(&folder, name, Patience::of_a_request())? {
            Sight::Seen(found) => self.remember(&parent, &folder, name, &found, changes)?,
            Sight::Missing | Sight::Withheld | Sight::Unsettled => {
                self.lookup_sidecar(&parent, &folder, name)?
            }
        };
        Ok(Looked::Entry(entry))
    }

    /// Makes what was found a node and counts one lookup of it. `changes` is what the folder's
    /// node counted before the file was found: what changed since is not to be kept.
    pub(super) fn remember(
        &self,
        parent: &Arc<Node>,
        folder: &OpenFolder,
        name: &[u8],
        found: &Found,
        changes: u64,
    ) -> Result<Entry> {
        let decided = (folder.loaded().generation, found.decision);
        let node = self
            .nodes
            .remember_real(found.identity(), decided, parent, name)
            .ok_or(Error::Stale)?;
        self.held.note_folder(node.id, parent.id);
        self.give(&node, &found.meta);
        let policy = &folder.loaded().policy;
        let lifetimes = if parent.is_watched() && parent.changes() == changes {
            Lifetimes::in_watched(&node, found)
        } else {
            Lifetimes::SHORT
        };
        Ok(Entry {
            attributes: Attributes::of_found(node.id, found, policy),
            name_lifetime: lifetimes.name,
            attribute_lifetime: lifetimes.attributes,
        })
    }

    /// The kernel gives back `count` lookups of a node.
    pub fn forget(&self, id: NodeId, count: u64) {
        let Some(node) = self.nodes.forget(id, count) else {
            return;
        };
        self.held.forget(&node);
        match &node.body {
            Body::Real(real) => {
                if let Some(folder) = &real.folder {
                    self.folders.drop_folder(id);
                    let watch = std::mem::take(&mut *lock(&folder.watch));
                    drop(watch); // not under its lock
                }
            }
            Body::Sidecar(sidecar) => self.sidecars.forgotten(sidecar),
        }
    }

    /// The attributes of a node and how long they may be kept. `handle` tells that they are
    /// asked for a read through it.
    ///
    /// # Errors
    /// The node is unknown, hidden by now, or no name leads to it any more.
    pub fn attributes(&self, id: NodeId, handle: Option<Handle>) -> Result<(Attributes, Duration)> {
        let node = self.node(id)?;
        match &node.body {
            Body::Sidecar(sidecar) => {
                let attributes = Attributes::of_sidecar(id, sidecar);
                Ok((attributes, sidecar::attribute_lifetime(sidecar)))
            }
            Body::Real(real) => {
                let decision = match self.decision(&node) {
                    // Hidden since it was opened: what is open is refused, not missing.
                    Err(Error::NotFound) if handle.is_some() => return Err(Error::Denied),
                    other => other?,
                };
                let loaded = self.loaded();
                let places = node.places();
                let changes: Vec<u64> = places.iter().map(|at| at.parent.changes()).collect();
                let mut own_changes = node.changes();
                let found = if real.identity.kind() == Kind::Folder {
                    let open = self.open_folder(&node)?;
                    // Who asks may be about to watch it.
                    self.ensure_watched(&node, &open);
                    own_changes = node.changes();
                    Found {
                        meta: open.folder.meta()?,
                        decision,
                        link: None,
                        takes_names: open.scope.could_gain_names(),
                    }
                } else {
                    let (meta, link) = match self.meta_of_file(&node) {
                        Err(Error::NotFound) if handle.is_some() => return Err(Error::Denied),
                        other => other?,
                    };
                    Found {
                        meta,
                        decision,
                        link,
                        takes_names: false,
                    }
                };
                self.give(&node, &found.meta);
                let unchanged = node.changes() == own_changes
                    && !places.is_empty()
                    && places.iter().zip(changes).all(|(at, changes)| {
                        at.parent.is_watched() && at.parent.changes() == changes
                    });
                let lifetime = match found.meta.kind {
                    _ if unchanged => Lifetimes::in_watched(&node, &found).attributes,
                    // A read asks before each part whether the file grew: a size kept from the
                    // part before would cut new content at the old size.
                    Kind::File => Duration::ZERO,
                    _ => LIFETIME,
                };
                Ok((Attributes::of_found(id, &found, &loaded.policy), lifetime))
            }
        }
    }

    /// The attributes of a file by the names that lead to it, else by its open descriptor: a
    /// file that was removed while it is open is still described.
    fn meta_of_file(&self, node: &Arc<Node>) -> Result<(Meta, Option<Result<Vec<u8>>>)> {
        let mut first_error = Error::Stale;
        for place in node.places() {
            let folder = self.open_folder(&place.parent);
            let leads_here = || {
                let folder = folder.as_ref().ok()?;
                let meta = folder.folder.meta_of(&place.name).ok()?;
                Some(node.real()?.identity.is_of(&meta))
            };
            let found = match &folder {
                Ok(folder) => self.find(folder, &place.name, Patience::None),
                Err(error) => Err(*error),
            };
            match found {
                Ok(Sight::Seen(found)) if node_is(node, &found) => {
                    return Ok((found.meta, found.link));
                }
                // The other names of the inode are being looked for; its own name shows it.
                Ok(Sight::Unsettled) => {
                    let folder = self.open_folder(&place.parent)?;
                    let meta = folder.folder.meta_of(&place.name)?;
                    if node.real().is_some_and(|real| real.identity.is_of(&meta)) {
                        return Ok((meta, None));
                    }
                }
                // The name is still its own and not shown: what it holds, or another name of
                // it, hides it by now.
                Ok(Sight::Missing | Sight::Withheld) if leads_here() == Some(true) => {
                    return Err(Error::NotFound);
                }
                Ok(_) | Err(Error::NotFound | Error::Stale) => {}
                Err(error) => first_error = error,
            }
        }
        let held = node.open_content().or_else(|| self.held_content(node));
        if let Some(content) = held {
            let meta = content.meta()?;
            self.check_place(node, &content)?;
            return Ok((meta, None));
        }
        self.contest(node);
        Err(first_error)
    }

    /// The text of a link.
    ///
    /// # Errors
    /// No link; text that leads where the policy does not let it; the node is gone.
    pub fn read_link(&self, id: NodeId) -> Result<Vec<u8>> {
        let node = self.node(id)?;
        let kind = node.real().map(|real| real.identity.kind());
        if kind != Some(Kind::Symlink) {
            return Err(Error::Invalid);
        }
        match self.meta_of_file(&node)? {
            (_, Some(text)) => text,
            (_, None) => Err(Error::Stale),
        }
    }

    /// The node that the kernel calls `id`.
    pub(super) fn node(&self, id: NodeId) -> Result<Arc<Node>> {
        self.nodes.get(id).ok_or(Error::Stale)
    }

    /// What the policy in force and the ignore files say of a node of the real tree, under its
    /// newest name.
    ///
    /// # Errors
    /// The policy hides it by now, or it is a sidecar.
    pub(super) fn decision(&self, node: &Node) -> Result<Decision> {
        let real = node.real().ok_or(Error::Invalid)?;
        let kind = real.identity.path_kind();
        let decided = match node.place() {
            None => self
                .open_folder(self.nodes.root())
                .map(|root| root.decision),
            Some(place) => match self.open_folder(&place.parent) {
                Ok(folder) => Ok(folder.scope.decide(&place.name, kind)),
                // What is open stays readable when its folder went, by the name it had.
                Err(Error::Stale | Error::NotFolder) => self.decide(&node.path(), kind),
                Err(error) => Err(error),
            },
        };
        let generation = self.loaded().generation;
        let decision = match decided {
            // No descriptor is left to look with: what was said last still holds.
            Err(Error::TooManyOpen) => {
                let (known_by, known) = lock(&real.state).decided;
                return (known_by == generation)
                    .then_some(known)
                    .ok_or(Error::TooManyOpen);
            }
            other => other?,
        };
        if !decision.exists() {
            return Err(Error::NotFound);
        }
        lock(&real.state).decided = (generation, decision);
        Ok(decision)
    }

    /// The decision, if it gives `group`.
    ///
    /// # Errors
    /// It does not.
    pub(super) fn require(&self, node: &Node, group: Group) -> Result<Decision> {
        let decision = self.decision(node)?;
        if decision.may(group) {
            Ok(decision)
        } else {
            Err(Error::Denied)
        }
    }
}

/// Whether what was found is the file that the node stands for, whatever was decided.
fn node_is(node: &Node, found: &Found) -> bool {
    node.real()
        .is_some_and(|real| real.identity.is_of(&found.meta))
}
