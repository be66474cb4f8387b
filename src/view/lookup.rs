//! Names to nodes: lookup, forget, attributes, link text.

use super::attributes::{Attributes, Entry};
use super::content::Handle;
use super::door::{Found, OpenFolder, Patience, Sight};
use super::node::{Body, Node, NodeId, lock};
use super::{Answer, Error, LIFETIME, Result, View, sidecar};
use crate::policy::{Decision, Group};
use crate::workspace::{Kind, Meta};
use std::sync::Arc;
use std::time::Duration;

impl View {
    /// Finds `name` in the folder `parent` and counts one lookup of its node. A name that is
    /// hidden is missing.
    pub fn lookup(self: &Arc<Self>, parent: NodeId, name: &[u8]) -> Answer<Entry> {
        let tried = self
            .node(parent)
            .and_then(|parent| self.try_lookup(&parent, name));
        match tried {
            Ok(Some(entry)) => Answer::Now(Ok(entry)),
            Err(error) => Answer::Now(Err(error)),
            Ok(None) => {
                let view = Arc::clone(self);
                let name = name.to_vec();
                Answer::Later(Box::new(move || view.wait_lookup(parent, &name)))
            }
        }
    }

    /// `None` where the answer takes long.
    fn try_lookup(self: &Arc<Self>, parent: &Arc<Node>, name: &[u8]) -> Result<Option<Entry>> {
        let folder = self.open_folder(parent)?;
        match self.find(&folder, name, Patience::None)? {
            Sight::Seen(found) => self.remember(parent, &folder, name, &found).map(Some),
            Sight::Unsettled => Ok(None),
            Sight::Missing if sidecar::Name::parse(name).is_some() => {
                self.lookup_ready_sidecar(parent, &folder, name)
            }
            Sight::Missing => Err(Error::NotFound),
        }
    }

    fn wait_lookup(self: &Arc<Self>, parent: NodeId, name: &[u8]) -> Result<Entry> {
        let parent = self.node(parent)?;
        let folder = self.open_folder(&parent)?;
        match self.find(&folder, name, Patience::Wait)? {
            Sight::Seen(found) => self.remember(&parent, &folder, name, &found),
            Sight::Missing | Sight::Unsettled => self.lookup_sidecar(&parent, &folder, name),
        }
    }

    /// Makes what was found a node and counts one lookup of it.
    pub(super) fn remember(
        &self,
        parent: &Arc<Node>,
        folder: &OpenFolder,
        name: &[u8],
        found: &Found,
    ) -> Result<Entry> {
        let decided = (folder.loaded().generation, found.decision);
        let node = self
            .nodes
            .remember_real(found.identity(), decided, parent, name)
            .ok_or(Error::Stale)?;
        self.pin_if_contested(&node, parent, folder, name, found);
        let policy = &folder.loaded().policy;
        Ok(Entry {
            attributes: Attributes::of_found(node.id, found, policy),
            name_lifetime: LIFETIME,
            attribute_lifetime: LIFETIME,
        })
    }

    /// The kernel gives back `count` lookups of a node.
    pub fn forget(&self, id: NodeId, count: u64) {
        let Some(node) = self.nodes.forget(id, count) else {
            return;
        };
        match &node.body {
            Body::Real(real) if real.identity.kind() == Kind::Folder => {
                self.folders.drop_folder(id);
            }
            Body::Real(_) => {}
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
                let found = if real.identity.kind() == Kind::Folder {
                    let open = self.open_folder(&node)?;
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
                // A read asks before each part whether the file grew: a size kept from the part
                // before would cut new content at the old size.
                let lifetime = match found.meta.kind {
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
                Ok(Sight::Missing) if leads_here() == Some(true) => return Err(Error::NotFound),
                Ok(_) | Err(Error::NotFound | Error::Stale) => {}
                Err(error) => first_error = error,
            }
        }
        match node.open_content() {
            Some(content) => Ok((content.meta()?, None)),
            None => Err(first_error),
        }
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
                let (known_by, known) = *lock(&real.decided);
                return (known_by == generation)
                    .then_some(known)
                    .ok_or(Error::TooManyOpen);
            }
            other => other?,
        };
        if !decision.exists() {
            return Err(Error::NotFound);
        }
        *lock(&real.decided) = (generation, decision);
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
