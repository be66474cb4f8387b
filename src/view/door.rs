//! The one way from a node or a name to a file of the real tree.
//!
//! Every step asks the policy about the name before the file system is asked. Folder
//! descriptors are kept in a bounded LRU and checked against their place again and again, so a
//! folder that is moved outside does not keep the decisions of its old place.

pub(super) use super::folders::OpenFolder;
use super::hardlinks::Verdict;
use super::ignore_files;
use super::named_folders::NamedFolders;
use super::node::{Identity, Node, ROOT};
use super::{Error, Loaded, Result, View, symlink};
use crate::policy::{Decision, FolderScope, PathKind};
use crate::relpath::{NAME_MAX, RelPath};
use crate::workspace::{self, Folder, Kind, Meta};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a folder counts as being where it was last found.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A file that the view shows.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) meta: Meta,
    pub(super) decision: Decision,
    /// The text a link shows, or why it shows none.
    pub(super) link: Option<Result<Vec<u8>>>,
    /// Whether the policy could allow a new name in it, if it is a folder.
    pub(super) takes_names: bool,
}

impl Found {
    pub(super) fn identity(&self) -> Identity {
        Identity::new(&self.meta, self.decision)
    }
}

/// What looking for a name gave.
#[derive(Debug)]
pub(super) enum Sight {
    /// Nothing that the view shows.
    Missing,
    /// Nothing that it shows now; that may change without a word in this folder, so it is not
    /// to be kept.
    Withheld,
    /// A file.
    Seen(Box<Found>),
    /// Whether it is shown depends on other names of the inode, which are not known yet.
    Unsettled,
}

/// Whether a search may wait for the other names of an inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Answer [`Sight::Unsettled`].
    None,
    /// Wait until then; one bound for all that a request looks for.
    Until(Instant),
}

impl Patience {
    /// The patience of a request that begins now.
    pub(super) fn of_a_request() -> Self {
        Self::Until(Instant::now() + super::hardlinks::PATIENCE)
    }
}

impl View {
    /// The policy in force.
    pub(super) fn loaded(&self) -> Arc<Loaded> {
        self.loaded.load_full()
    }

    /// Opens the folder that `node` stands for, where its names say it is.
    pub(super) fn open_folder(&self, node: &Arc<Node>) -> Result<Arc<OpenFolder>> {
        self.open_folder_within(node, CHECK_INTERVAL)
    }

    /// As [`View::open_folder`], found to be there not longer than `age` ago.
    pub(super) fn open_folder_within(
        &self,
        node: &Arc<Node>,
        age: Duration,
    ) -> Result<Arc<OpenFolder>> {
        let loaded = self.loaded();
        let mut below = Vec::new();
        let mut current = Arc::clone(node);
        let mut open = loop {
            if let Some(open) = self.folders.fresh(current.id, &loaded, age) {
                break open;
            }
            let Some(place) = current.place() else {
                if current.id != ROOT {
                    return Err(Error::NotFolder);
                }
                break self.open_root(&loaded);
            };
            let parent = Arc::clone(&place.parent);
            below.push((current, place.name));
            current = parent;
        };
        while let Some((node, name)) = below.pop() {
            open = self.step(&open, &node, &name)?;
        }
        Ok(open)
    }

    fn open_root(&self, loaded: &Arc<Loaded>) -> Arc<OpenFolder> {
        let path = RelPath::root();
        let open = OpenFolder {
            folder: self.workspace.root().clone(),
            scope: loaded.policy.folder(&path),
            mount: self.workspace.meta().mount,
            decision: loaded.policy.decide(&path, PathKind::Folder),
            ignored: Vec::new(),
            named_folders: NamedFolders::default(),
            changes: self.nodes.root().changes(),
            checked: Instant::now(),
            moves: self.folders.moves(),
            loaded: Arc::clone(loaded),
            path,
        };
        let known = self.folders.unchecked(ROOT);
        let open = Arc::new(self.follow(open, known.as_deref()));
        self.folders.keep(ROOT, &open);
        open
    }

    /// Makes the folder's scope follow the ignore files in it. `known` is the folder as it was
    /// last found: where its ignore files changed since, what was decided below counts no more.
    fn follow(&self, mut open: OpenFolder, known: Option<&OpenFolder>) -> OpenFolder {
        let before = known.map_or(&[][..], |known| &known.ignored);
        open.ignored = self.ignore_files(&open.loaded.policy, &open.folder, &open.path, before);
        ignore_files::add_to(&mut open.scope, &open.path, &open.ignored);
        if let Some(known) = known
            && Arc::ptr_eq(&known.loaded, &open.loaded)
        {
            if ignore_files::same_rules(&known.ignored, &open.ignored) {
                open.named_folders = known.named_folders.clone();
            } else {
                self.decide_anew();
            }
        }
        open
    }

    /// Opens the folder `node`, last found as `name` in `parent`, or says that it went.
    fn step(&self, parent: &OpenFolder, node: &Arc<Node>, name: &[u8]) -> Result<Arc<OpenFolder>> {
        let real = node.real().ok_or(Error::NotFolder)?;
        if real.identity.kind() != Kind::Folder {
            return Err(Error::NotFolder);
        }
        let decision = parent.scope.decide(name, PathKind::Folder);
        if !decision.exists() {
            return Err(Error::NotFound);
        }
        let known = self.folders.unchecked(node.id);
        let found = match &known {
            Some(known) => parent
                .folder
                .meta_of(name)
                .map(|meta| (known.folder.clone(), meta)),
            None => parent
                .folder
                .open_folder(name)
                .and_then(|folder| folder.meta().map(|meta| (folder, meta))),
        };
        let (folder, meta) = match found {
            Ok((folder, meta)) if real.identity.is_of(&meta) => (folder, meta),
            Ok(_) => return Err(self.gone(node)),
            Err(error) => match Error::from(error) {
                Error::NotFound | Error::NotFolder => return Err(self.gone(node)),
                other => return Err(other),
            },
        };
        let mut open = opened(parent, name, folder, &meta, decision)?;
        open.changes = node.changes();
        let open = Arc::new(self.follow(open, known.as_deref()));
        self.folders.keep(node.id, &open);
        Ok(open)
    }

    /// Opens the folder `name` below `parent` for a walk of its own, that no node is kept for.
    pub(super) fn open_below(&self, parent: &OpenFolder, name: &[u8]) -> Result<OpenFolder> {
        if !parent.scope.decide(name, PathKind::Folder).exists() {
            return Err(Error::NotFound);
        }
        self.open_regardless(parent, name)
    }

    /// As [`View::open_below`], hidden folders too: for what is told outside the view only.
    pub(super) fn open_regardless(&self, parent: &OpenFolder, name: &[u8]) -> Result<OpenFolder> {
        let decision = parent.scope.decide(name, PathKind::Folder);
        let folder = parent.folder.open_folder(name)?;
        let meta = folder.meta()?;
        if is_foreign_view(parent.mount, &meta) {
            return Err(Error::NotFound);
        }
        let open = opened(parent, name, folder, &meta, decision)?;
        Ok(self.follow(open, None))
    }

    /// Opens the folder at `path`, asking the policy at each step; no node is kept for it.
    pub(super) fn folder_at(&self, path: &RelPath) -> Result<Arc<OpenFolder>> {
        let mut folder = self.open_folder(self.nodes.root())?;
        for name in path.components() {
            folder = Arc::new(self.open_below(&folder, name)?);
        }
        Ok(folder)
    }

    /// The scope of the folder at `path` with the ignore files on the way, and the folder
    /// itself if it is there. For paths that no node stands for, hidden ones too.
    pub(super) fn scope_of(&self, path: &RelPath) -> Result<(FolderScope, Option<Folder>)> {
        let root = self.open_folder(self.nodes.root())?;
        let policy = &root.loaded.policy;
        let mut scope = root.scope.clone();
        let mut folder = Some(root.folder.clone());
        let mut walked = RelPath::root();
        for name in path.components() {
            walked = walked.child(name).map_err(|_| Error::Invalid)?;
            scope = scope.child(name);
            folder = match folder.map(|folder| folder.open_folder(name)) {
                Some(Ok(folder)) => Some(folder),
                None => None,
                Some(Err(error)) => match Error::from(error) {
                    Error::TooManyOpen => return Err(Error::TooManyOpen),
                    _ => None,
                },
            };
            if let Some(folder) = &folder {
                let present = self.ignore_files(policy, folder, &walked, &[]);
                ignore_files::add_to(&mut scope, &walked, &present);
            }
        }
        Ok((scope, folder))
    }

    /// What the policy and the ignore files on the way say of a path.
    pub(super) fn decide(&self, path: &RelPath, kind: PathKind) -> Result<Decision> {
        match (path.parent(), path.name()) {
            (Some(parent), Some(name)) => Ok(self.scope_of(&parent)?.0.decide(name, kind)),
            _ => Ok(self.open_folder(self.nodes.root())?.decision),
        }
    }

    fn gone(&self, node: &Node) -> Error {
        self.folders.drop_folder(node.id);
        Error::Stale
    }

    /// Looks for `name` in `parent`: by the policy first, then in the real tree.
    pub(super) fn find(
        &self,
        parent: &OpenFolder,
        name: &[u8],
        patience: Patience,
    ) -> Result<Sight> {
        if name.len() > NAME_MAX {
            return Err(Error::NameTooLong);
        }
        let as_file = parent.scope.decide(name, PathKind::File);
        let as_folder = parent.scope.decide(name, PathKind::Folder);
        if !as_file.exists() && !as_folder.exists() {
            return Ok(Sight::Missing);
        }
        if !as_file.exists() && !self.may_be_folder(parent, name) {
            return Ok(Sight::Missing);
        }
        let meta = match parent.folder.meta_of(name) {
            Ok(meta) => meta,
            Err(error) => {
                return match Error::from(error) {
                    Error::NotFound => Ok(Sight::Missing),
                    other => Err(other),
                };
            }
        };
        let decision = if meta.kind == Kind::Folder {
            as_folder
        } else {
            as_file
        };
        if !decision.exists() {
            return Ok(Sight::Missing);
        }
        if is_foreign_view(parent.mount, &meta) {
            return Ok(Sight::Withheld);
        }
        if self.is_hidden_by_content(decision, &parent.folder, name, &meta)? {
            // A write through another name is told in another folder.
            let withheld = meta.links > 1;
            return Ok(if withheld {
                Sight::Withheld
            } else {
                Sight::Missing
            });
        }
        if meta.kind == Kind::File && meta.links > 1 {
            match (
                self.hardlink_verdict(parent, name, &meta, patience),
                patience,
            ) {
                (Verdict::Shown, _) => {}
                (Verdict::Unknown, Patience::None) => return Ok(Sight::Unsettled),
                (Verdict::Hidden, _) | (Verdict::Unknown, Patience::Until(_)) => {
                    return Ok(Sight::Withheld);
                }
            }
        }
        let link = (meta.kind == Kind::Symlink).then(|| symlink::shown_text(self, parent, name));
        let takes_names = meta.kind == Kind::Folder && parent.scope.child(name).could_gain_names();
        Ok(Sight::Seen(Box::new(Found {
            meta,
            decision,
            link,
            takes_names,
        })))
    }
}

/// Whether the file is the root of another view mounted below: never looked into, two views
/// would wait for each other. Only a mount change makes the mount table worth reading.
pub(super) fn is_foreign_view(parent_mount: u64, meta: &Meta) -> bool {
    meta.mount != parent_mount && workspace::is_view(meta.mount).unwrap_or(true)
}

/// The folder `name` in `parent`, its own ignore files aside.
fn opened(
    parent: &OpenFolder,
    name: &[u8],
    folder: Folder,
    meta: &Meta,
    decision: Decision,
) -> Result<OpenFolder> {
    let path = parent.path.child(name).map_err(|_| Error::Invalid)?;
    Ok(OpenFolder {
        scope: parent.scope.child(name),
        folder,
        path,
        mount: meta.mount,
        decision,
        ignored: Vec::new(),
        named_folders: NamedFolders::default(),
        changes: 0,
        // Not now: where the parent is was found out then.
        checked: parent.checked,
        moves: parent.moves,
        loaded: Arc::clone(&parent.loaded),
    })
}
