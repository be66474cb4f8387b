//! Open files that were moved: what no known name leads to any more is decided anew where it
//! is now. Hidden there, or out of the workspace: it is refused, whatever was open.

use super::door::{OpenFolder, Patience, Sight};
use super::expiry::Expired;
use super::node::{Node, NodeId};
use super::{Error, Result, View};
use crate::policy::Group;
use crate::relpath::RelPath;
use crate::workspace::{Content, Meta};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::Duration;

/// How long ago the folders on the way to what is read may have been found there.
const CONTENT_CHECK_INTERVAL: Duration = Duration::from_millis(10);

impl View {
    /// Refuses an open file that was moved to where the policy does not let it be read. To be
    /// asked after reading, so that it is decided where the file was when it was read, or later.
    ///
    /// # Errors
    /// [`Error::Denied`] if it was.
    pub(super) fn check_place(&self, node: &Arc<Node>, content: &Content) -> Result<()> {
        let shown_at = |folder: &OpenFolder, name: &[u8]| {
            let Ok(Sight::Seen(found)) = self.find(folder, name, Patience::None) else {
                return false;
            };
            let is_it = node
                .real()
                .is_some_and(|real| real.identity.is_of(&found.meta));
            let shown = is_it && found.decision.may(Group::Read);
            if shown {
                content.set_mark(content_version(&found.meta));
            }
            shown
        };
        let by_a_known_name = node.places().iter().any(|place| {
            self.open_folder_within(&place.parent, CONTENT_CHECK_INTERVAL)
                .is_ok_and(|folder| shown_at(&folder, &place.name))
        });
        if by_a_known_name {
            return Ok(());
        }
        let meta = content.meta()?;
        if meta.links == 0 {
            // A file without any name left is read to its end, as on any file system; but only
            // what it was when a name showed it. The last name that it had may be a hidden one.
            return if content.mark() == content_version(&meta) {
                Ok(())
            } else {
                Err(Error::Denied)
            };
        }
        let shown_where_it_is = |path: &RelPath| {
            let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
                return false;
            };
            self.folder_at(&parent)
                .is_ok_and(|folder| shown_at(&folder, name))
        };
        let mut paths = self.linked_names(&meta);
        paths.extend(self.path_of(content));
        if paths.iter().any(shown_where_it_is) {
            Ok(())
        } else {
            Err(Error::Denied)
        }
    }

    /// Where the kernel says that an open file is, if that is in the workspace. Only a hint:
    /// the door says whether it is true.
    fn path_of(&self, content: &Content) -> Option<RelPath> {
        let path = content.real_path().ok()?;
        let inside = path.strip_prefix(self.workspace.path()).ok()?;
        RelPath::parse(inside.as_os_str().as_bytes()).ok()
    }

    /// Has the kernel drop the pages of the files that had the name.
    pub(super) fn drop_open_at(&self, parent: NodeId, name: &[u8]) {
        let had_the_name = |node: &Arc<Node>| {
            let places = node.places();
            let mut places = places.iter();
            places.any(|place| place.parent.id == parent && *place.name == *name)
        };
        self.drop_open(self.held.nodes_in(parent), had_the_name);
    }

    /// Has the kernel drop the pages of what is open below a folder that had the name.
    pub(super) fn drop_open_below(&self, parent: NodeId, name: &[u8]) {
        let lies_there = |node: &Arc<Node>| {
            let mut next = node.place();
            while let Some(place) = next {
                if place.parent.id == parent && *place.name == *name {
                    return true;
                }
                next = place.parent.place();
            }
            false
        };
        self.drop_open(self.held.nodes(), lies_there);
    }

    fn drop_open(&self, held: Vec<NodeId>, is_meant: impl Fn(&Arc<Node>) -> bool) {
        let open = self.handles.nodes().into_iter().chain(held);
        let meant = open
            .filter_map(|id| self.nodes.get(id))
            .filter(is_meant)
            .map(|node| Expired::Content(node.id));
        self.expiry.tell_all(meant.collect::<Vec<_>>());
    }
}

/// A number for the content that a file has, as far as attributes tell; never zero. Not by the
/// time of its last change, which moves when a name goes.
pub(super) fn content_version(meta: &Meta) -> u64 {
    let mut hash = DefaultHasher::new();
    (meta.size, meta.modified).hash(&mut hash);
    hash.finish().max(1)
}
