//! Names that change hands while they are used: an open that comes after its name was replaced
//! finds the file that was looked up all the same.

use super::door::{OpenFolder, Patience, Sight};
use super::moved::content_version;
use super::node::{Node, NodeId, lock};
use super::{Error, Opens, Result, View};
use crate::policy::Group;
use crate::workspace::{Content, Kind};
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

/// Names whose file changed lately, or was replaced between lookup and read. What is found under
/// them is kept open: so a reader gets a whole file, old or new, however often the name changes
/// hands.
#[derive(Debug)]
pub(super) struct Contested {
    names: Mutex<LruCache<NameKey, ()>>,
}

/// A folder's node and a name in it.
type NameKey = (NodeId, Box<[u8]>);

/// How often a name is looked for until it stands still for two calls.
const STEADY_ATTEMPTS: usize = 16;

const CONTESTED_NAMES: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

impl Default for Contested {
    fn default() -> Self {
        Self {
            names: Mutex::new(LruCache::new(CONTESTED_NAMES)),
        }
    }
}

impl Contested {
    pub(super) fn add(&self, parent: NodeId, name: &[u8]) {
        lock(&self.names).put((parent, name.into()), ());
    }

    fn holds(&self, parent: NodeId, name: &[u8]) -> bool {
        let mut contested = lock(&self.names);
        !contested.is_empty() && contested.get(&(parent, name.into())).is_some()
    }
}

impl View {
    /// Looks for `name` as [`View::find`] does. Where the name may be gone by the open or
    /// read that follows, what is found is opened in the same moment.
    pub(super) fn find_steady(
        &self,
        parent: &Node,
        folder: &OpenFolder,
        name: &[u8],
        patience: Patience,
    ) -> Result<(Sight, Option<Arc<Content>>)> {
        // An open that is seen and comes too late has the kernel look again.
        let wanted = self.opens() == Opens::Unseen || self.is_contested(parent, name);
        for _ in 0..STEADY_ATTEMPTS {
            let sight = self.find(folder, name, patience)?;
            let Sight::Seen(found) = &sight else {
                return Ok((sight, None));
            };
            if !wanted || found.meta.kind != Kind::File || !found.decision.may(Group::Read) {
                return Ok((sight, None));
            }
            match folder.folder.open_content(name).map_err(Error::from) {
                Ok(content) if content.meta().is_ok_and(|meta| meta.same_file(&found.meta)) => {
                    content.set_mark(content_version(&found.meta));
                    return Ok((sight, Some(Arc::new(content))));
                }
                // Replaced between the two.
                Ok(_) | Err(Error::NotFound | Error::Invalid) => {}
                // Not ours to open, or no descriptor is left: it is described all the same.
                Err(_) => return Ok((sight, None)),
            }
        }
        Ok((self.find(folder, name, patience)?, None))
    }

    /// Whether the name changed hands lately.
    pub(super) fn is_contested(&self, parent: &Node, name: &[u8]) -> bool {
        self.contested.holds(parent.id, name)
    }

    /// Keeps what [`View::find_steady`] opened for the open or read that follows.
    pub(super) fn hold(&self, node: NodeId, folder: NodeId, content: Option<Arc<Content>>) {
        if let Some(content) = content
            && let Some(node) = self.nodes.get(node)
        {
            self.held.keep_file(&node, folder, &content);
        }
    }

    /// What was opened when the node was looked up, or was read from.
    pub(super) fn held_content(&self, node: &Node) -> Option<Arc<Content>> {
        let content = self.held.file(node.id)?;
        let meta = content.meta().ok()?;
        node.real()?.identity.is_of(&meta).then_some(content)
    }

    /// No name leads to the node any more, though the kernel asks for it: its names change
    /// hands while they are used.
    pub(super) fn contest(&self, node: &Node) {
        for place in node.places() {
            self.contested.add(place.parent.id, &place.name);
        }
    }
}
