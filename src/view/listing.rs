//! What a folder lists: visible names only, at positions that tell nothing of the others.
//!
//! A listing is taken at once when reading starts and kept by the handle, in the order of a
//! hash of the names, which is also an entry's position: so a position is good in any later
//! listing, whatever came and went, and a hidden entry leaves no gap to be counted.

use super::attributes::Entry;
use super::door::{Found, OpenFolder, Patience, Sight};
use super::expiry::Expired;
use super::handles::Handle;
use super::node::{Node, NodeId, ROOT};
use super::{Error, Result, Sidecars, View, sidecar};
use crate::policy::{Group, PathKind};
use crate::workspace::{Kind, RawEntry};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the attributes taken with a listing are as good as new.
const FRESH: Duration = Duration::from_millis(20);

/// A folder's visible entries, in the file system's order.
#[derive(Debug)]
pub struct Listing {
    entries: Vec<Listed>,
    taken: Instant,
    /// What the folder's node counted when it was taken.
    changes: u64,
}

#[derive(Debug)]
struct Listed {
    position: u64,
    name: Box<[u8]>,
    node: NodeId,
    kind: Kind,
    what: What,
}

#[derive(Debug)]
enum What {
    /// `.` or `..`
    Dot,
    Real(Box<Found>),
    Sidecar,
}

/// A visible name and the file it leads to.
pub(super) type Seen = (Box<[u8]>, Found);

/// What a folder shows.
pub(super) struct Visible {
    pub(super) seen: Vec<Seen>,
    /// Whether it stays so until something happens in the folder: not if other names of a file
    /// in it decide.
    pub(super) holds: bool,
}

/// One entry for a reply.
#[derive(Debug)]
pub struct ListedEntry<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The node's id.
    pub node: NodeId,
    /// What it is.
    pub kind: Kind,
    /// Where reading goes on after it.
    pub next: u64,
    /// The entry with its attributes, where they were asked for. One lookup of its node is
    /// counted, unless the name is `.` or `..`.
    pub entry: Option<Entry>,
}

/// Whether a listing carries attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Names and kinds.
    Names,
    /// Attributes too; each entry counts as a lookup.
    Attributes,
}

/// Whether a reply has room for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The entry was taken.
    Left,
    /// It did not fit.
    Full,
}

impl Listing {
    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl View {
    /// Gives the entries of a listing from `offset` on to `take` until it has no room.
    ///
    /// # Errors
    /// The folder is gone or may not be listed by now.
    pub fn fill(
        &self,
        id: NodeId,
        handle: Handle,
        listing: &Listing,
        offset: u64,
        detail: Detail,
        mut take: impl FnMut(ListedEntry<'_>) -> Room,
    ) -> Result<()> {
        let node = &self.node(id)?;
        let folder = self.open_folder(node)?;
        if !folder.may_list() {
            return Err(Error::Denied);
        }
        if handle == Handle::NONE && !self.listing_may_be_kept(node, &folder) {
            // Nothing told the kernel so when it opened the folder. If the queue is full, the
            // folder's attributes end soon, and with them what was kept.
            let _full = self.expiry.tell(Expired::Content(id));
        }
        let start = listing
            .entries
            .partition_point(|listed| listed.position <= offset);
        if handle == Handle::NONE && start == listing.entries.len() {
            self.held.drop_listing(id);
        }
        for listed in &listing.entries[start..] {
            let mut shown = ListedEntry {
                name: &listed.name,
                node: listed.node,
                kind: listed.kind,
                next: listed.position,
                entry: None,
            };
            if detail == Detail::Attributes {
                let changes = node.changes();
                let fresh = listing.taken.elapsed() < FRESH && listing.changes == changes;
                let Some(entry) = self.detailed(node, &folder, listed, fresh, changes)? else {
                    continue; // removed since the listing was taken
                };
                shown.node = entry.attributes.node;
                shown.entry = Some(entry);
            }
            let counted = shown.entry.filter(|_| !matches!(listed.what, What::Dot));
            if take(shown) == Room::Full {
                if let Some(entry) = counted {
                    self.forget(entry.attributes.node, 1);
                }
                break;
            }
        }
        Ok(())
    }

    fn detailed(
        &self,
        node: &Arc<Node>,
        folder: &OpenFolder,
        listed: &Listed,
        fresh: bool,
        changes: u64,
    ) -> Result<Option<Entry>> {
        match &listed.what {
            What::Dot => {
                // The kernel takes only number and kind of these two.
                let (mut attributes, _) = self.attributes(ROOT, None)?;
                attributes.node = listed.node;
                Ok(Some(Entry {
                    attributes,
                    name_lifetime: Duration::ZERO,
                    attribute_lifetime: Duration::ZERO,
                }))
            }
            What::Sidecar => Ok(self.listed_sidecar(node, folder, &listed.name)),
            // It may be read by what is listed now, after its name changed hands again.
            What::Real(_) if self.is_contested(node, &listed.name) => {
                let found = self.find_steady(node, folder, &listed.name, Patience::None);
                let Ok((Sight::Seen(found), content)) = found else {
                    return Ok(None);
                };
                let entry = self.remember(node, folder, &listed.name, &found, changes)?;
                self.hold(entry.attributes.node, node.id, content);
                Ok(Some(entry))
            }
            What::Real(found) if fresh => self
                .remember(node, folder, &listed.name, found, changes)
                .map(Some),
            What::Real(_) => match self.find(folder, &listed.name, Patience::None) {
                Ok(Sight::Seen(found)) => self
                    .remember(node, folder, &listed.name, &found, changes)
                    .map(Some),
                Ok(Sight::Missing | Sight::Withheld | Sight::Unsettled) | Err(_) => Ok(None),
            },
        }
    }

    /// Takes a listing; `None` where it takes the other names of some inode to say what is
    /// visible, and `patience` allows no waiting.
    pub(super) fn list(
        self: &Arc<Self>,
        id: NodeId,
        patience: Patience,
    ) -> Result<Option<Arc<Listing>>> {
        let node = self.node(id)?;
        let folder = self.open_folder(&node)?;
        self.ensure_watched(&node, &folder);
        let changes = node.changes();
        let Some(Visible { mut seen, holds }) = self.visible(&folder, patience)? else {
            return Ok(None);
        };
        if !holds {
            self.keep_no_listing(&node);
        }
        if let Some(most) = folder.listing_cut(seen.len()) {
            seen.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            seen.truncate(most);
        }
        let parent = node.place().map_or(ROOT, |place| place.parent.id);
        let mut entries = Vec::with_capacity(seen.len() + 2);
        for (position, name, node) in [(1, &b"."[..], id), (2, b"..", parent)] {
            entries.push(Listed {
                position,
                name: name.into(),
                node,
                kind: Kind::Folder,
                what: What::Dot,
            });
        }
        let sidecars = self.listed_sidecars(id, &seen);
        for (name, found) in seen {
            entries.push(Listed {
                position: position(&name),
                name,
                node: self.nodes.id_of(&found.identity()),
                kind: found.meta.kind,
                what: What::Real(Box::new(found)),
            });
        }
        for name in sidecars {
            entries.push(Listed {
                position: position(&name),
                node: self.sidecar_id(&node, &folder, &name),
                name,
                kind: Kind::File,
                what: What::Sidecar,
            });
        }
        entries.sort_by_key(|listed| listed.position);
        // Two names on one position would hide each other where a reading goes on.
        for index in 1..entries.len() {
            let before = entries[index - 1].position;
            entries[index].position = entries[index].position.max(before + 1);
        }
        Ok(Some(Arc::new(Listing {
            entries,
            taken: Instant::now(),
            changes,
        })))
    }

    /// The files that a listing of the folder shows; `None` as for [`View::list`].
    pub(super) fn visible(
        &self,
        folder: &OpenFolder,
        patience: Patience,
    ) -> Result<Option<Visible>> {
        if !folder.may_list() {
            return Err(Error::Denied);
        }
        let mut names: Vec<Box<[u8]>> = Vec::new();
        folder.folder.for_each(|entry| {
            if may_be_listed(folder, &entry) {
                names.push(entry.name.into());
            }
            true
        })?;
        let mut seen = Vec::with_capacity(names.len());
        let mut holds = true;
        for name in names {
            match self.find(folder, &name, patience) {
                Ok(Sight::Seen(found)) if listed(&found) => {
                    holds &= found.meta.kind != Kind::File || found.meta.links == 1;
                    seen.push((name, *found));
                }
                Ok(Sight::Withheld | Sight::Unsettled) if patience != Patience::None => {
                    holds = false;
                }
                Ok(Sight::Withheld) => holds = false,
                Ok(Sight::Unsettled) if patience == Patience::None => return Ok(None),
                // Gone since, or not to be told apart from that.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(Some(Visible { seen, holds }))
    }

    /// The sidecars that the folder's listing shows beside `seen`.
    fn listed_sidecars(&self, id: NodeId, seen: &[Seen]) -> Vec<Box<[u8]>> {
        let taken: HashSet<&[u8]> = seen.iter().map(|(name, _)| &**name).collect();
        let own = sidecar::FOLDER_NAME;
        match self.settings.sidecars {
            Sidecars::None => Vec::new(),
            // Where the view shows a repository the listed file would be committed.
            Sidecars::Root if id != ROOT || taken.contains(&b".git"[..]) => Vec::new(),
            Sidecars::Root if taken.contains(own) => Vec::new(),
            Sidecars::Root => vec![own.into()],
            Sidecars::All => {
                let mut names: Vec<Box<[u8]>> = vec![own.into()];
                for (name, found) in seen {
                    names.extend(sidecar::names_of(name, found.meta.kind));
                }
                names.retain(|name| !taken.contains(&**name));
                names
            }
        }
    }
}

/// Where a name stands in every listing: after `.` and `..`, and positive as `lseek` asks. It
/// is the same in every mount, so that the order tells nothing but the name.
fn position(name: &[u8]) -> u64 {
    let mut hash = DefaultHasher::new();
    name.hash(&mut hash);
    (hash.finish() >> 2) + 16
}

/// By name and kind alone, before the file is asked for.
fn may_be_listed(folder: &OpenFolder, entry: &RawEntry<'_>) -> bool {
    let decide = |kind| folder.scope.decide(entry.name, kind).may(Group::Search);
    match entry.kind {
        Some(Kind::Folder) => decide(PathKind::Folder),
        Some(_) => decide(PathKind::File),
        None => decide(PathKind::Folder) || decide(PathKind::File),
    }
}

fn listed(found: &Found) -> bool {
    found.decision.may(Group::Search)
}
