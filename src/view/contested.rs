//! Names that change hands while they are used: an open that comes after its name was replaced
//! finds the file that was looked up all the same.

use super::Result;
use super::View;
use super::door::{OpenFolder, Patience, Sight};
use super::node::{Node, NodeId, lock};
use crate::policy::Group;
use crate::workspace::{Content, Kind};
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Names whose file was replaced between lookup and open, and the files that were found under
/// them since, kept open for a moment: so a reader gets a whole file, old or new, however
/// often the name changes hands.
#[derive(Debug)]
pub(super) struct Pinned {
    contested: Mutex<LruCache<NameKey, ()>>,
    files: Mutex<LruCache<NodeId, (Arc<Content>, Instant)>>,
}

/// A folder's node and a name in it.
type NameKey = (NodeId, Box<[u8]>);

/// How often a contested name is looked for until it stands still for two calls.
const STEADY_ATTEMPTS: usize = 16;

/// How long a pinned file waits for its open.
const PIN_TIME: Duration = Duration::from_secs(1);
const CONTESTED_NAMES: NonZeroUsize = NonZeroUsize::new(256).unwrap();
const PINNED_FILES: NonZeroUsize = NonZeroUsize::new(64).unwrap();

impl Default for Pinned {
    fn default() -> Self {
        Self {
            contested: Mutex::new(LruCache::new(CONTESTED_NAMES)),
            files: Mutex::new(LruCache::new(PINNED_FILES)),
        }
    }
}

impl Pinned {
    fn contest(&self, parent: NodeId, name: &[u8]) {
        lock(&self.contested).put((parent, name.into()), ());
    }

    fn is_contested(&self, parent: NodeId, name: &[u8]) -> bool {
        let mut contested = lock(&self.contested);
        !contested.is_empty() && contested.get(&(parent, name.into())).is_some()
    }

    fn pin(&self, node: NodeId, content: Arc<Content>) {
        let evicted = lock(&self.files).push(node, (content, Instant::now()));
        drop(evicted); // closes a descriptor: not under the lock
    }

    fn get(&self, node: NodeId) -> Option<Arc<Content>> {
        let mut files = lock(&self.files);
        let (content, since) = files.get(&node)?;
        (since.elapsed() < PIN_TIME).then(|| Arc::clone(content))
    }
}

impl View {
    /// Looks for `name` as [`View::find`] does. What is found under a contested name is opened
    /// in the same moment, for the open that follows: it may be gone by then.
    pub(super) fn find_steady(
        &self,
        parent: &Node,
        folder: &OpenFolder,
        name: &[u8],
        patience: Patience,
    ) -> Result<(Sight, Option<Arc<Content>>)> {
        for _ in 0..STEADY_ATTEMPTS {
            let sight = self.find(folder, name, patience)?;
            let Sight::Seen(found) = &sight else {
                return Ok((sight, None));
            };
            if found.meta.kind != Kind::File
                || !found.decision.may(Group::Read)
                || !self.pinned.is_contested(parent.id, name)
            {
                return Ok((sight, None));
            }
            if let Ok(content) = folder.folder.open_content(name)
                && content.meta().is_ok_and(|meta| meta.same_file(&found.meta))
                && self.check_content(found.decision, &content).is_ok()
            {
                return Ok((sight, Some(Arc::new(content))));
            }
            // Replaced between the two: look again.
        }
        Ok((self.find(folder, name, patience)?, None))
    }

    /// Keeps what [`View::find_steady`] opened for the open that follows.
    pub(super) fn pin(&self, node: NodeId, content: Option<Arc<Content>>) {
        if let Some(content) = content {
            self.pinned.pin(node, content);
        }
    }

    /// What was found under a contested name of the node a moment ago.
    pub(super) fn pinned_content(&self, node: &Node) -> Option<Arc<Content>> {
        let content = self.pinned.get(node.id)?;
        let meta = content.meta().ok()?;
        node.real()?.identity.is_of(&meta).then_some(content)
    }

    /// No name leads to the node any more, though the kernel asks for it: its names change
    /// hands while they are used.
    pub(super) fn contest(&self, node: &Node) {
        for place in node.places() {
            self.pinned.contest(place.parent.id, &place.name);
        }
    }
}
