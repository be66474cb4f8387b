//! The only code that touches the real tree.
//!
//! A [`Folder`] is an open descriptor; every step below it opens one component with `openat2`
//! and refuses links, magic links and anything that leaves the folder, so no path string is
//! ever resolved again and a rename outside cannot redirect a step. It knows no policy: what
//! may be shown is decided by its callers before they ask.

mod content;
mod folder;
mod meta;

pub use content::{Content, Extent};
pub use folder::{Folder, RawEntry};
pub use meta::{Kind, Meta, Time};

use crate::mountinfo;
use crate::relpath::RelPath;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// A workspace: its root as a descriptor opened once, before anything is mounted over it.
#[derive(Debug)]
pub struct Workspace {
    root: Folder,
    meta: Meta,
    path: PathBuf,
}

/// How much room the file system below a folder has, in units of `block_size` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    /// Bytes a block.
    pub block_size: u32,
    /// Blocks in all.
    pub blocks: u64,
    /// Free blocks.
    pub free: u64,
    /// Free blocks for ordinary users.
    pub available: u64,
}

impl Workspace {
    /// Opens the folder at `path`, which may itself be reached through links.
    ///
    /// # Errors
    /// The operating system's error for a path that is missing, no folder or not permitted;
    /// `ENOSYS` where the kernel is older than 5.8 (`openat2`, mount ids).
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let root = Folder::open_root(&path)?;
        let meta = root.meta()?;
        // One harmless step through the door says at the start whether this kernel has it.
        root.open_folder(b".")?;
        Ok(Self { root, meta, path })
    }

    /// The root folder.
    pub fn root(&self) -> &Folder {
        &self.root
    }

    /// The root's attributes when it was opened.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Where the root was when it was opened, without links. For messages to the person who
    /// started the view; never for resolving.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Walks from the root to the folder at `path`, one component at a time.
    ///
    /// # Errors
    /// A component is missing, no folder, or a link.
    pub fn folder(&self, path: &RelPath) -> io::Result<Folder> {
        let mut folder = self.root.clone();
        for name in path.components() {
            folder = folder.open_folder(name)?;
        }
        Ok(folder)
    }

    /// Free and total room of the file system the root is on.
    ///
    /// # Errors
    /// The operating system's.
    pub fn capacity(&self) -> io::Result<Capacity> {
        let found = rustix::fs::fstatvfs(self.root.as_fd())?;
        Ok(Capacity {
            block_size: u32::try_from(found.f_frsize).unwrap_or(4096),
            blocks: found.f_blocks,
            free: found.f_bfree,
            available: found.f_bavail,
        })
    }
}

/// Raises the soft limit of open descriptors to the hard one and returns it.
///
/// # Errors
/// The operating system refuses to set the limit.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised)?;
    Ok(limit.maximum.unwrap_or(1 << 20))
}

/// Whether the folder is the root of a file system served by `inspectfs`, told by the mount
/// table; `mount` is the mount id of the folder.
///
/// # Errors
/// The mount table cannot be read.
pub fn is_view(mount: u64) -> io::Result<bool> {
    Ok(mountinfo::read()?
        .iter()
        .any(|entry| entry.id == mount && entry.is_view()))
}
