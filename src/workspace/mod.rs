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

/// File systems on which every change goes through this kernel, so that it can be told: ext2
/// to ext4, xfs, btrfs, tmpfs, f2fs, bcachefs, zfs. On others (network, overlay, FUSE) another
/// machine or layer may change files without a word.
const LOCAL: [i64; 7] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0x0102_1994,
    0xF2F5_2010,
    0xCA45_1A4E,
    0x2FC1_2FC1,
];

/// A workspace: its root as a descriptor opened once, before anything is mounted over it.
#[derive(Debug)]
pub struct Workspace {
    root: Folder,
    meta: Meta,
    path: PathBuf,
    local: bool,
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
        let kind = rustix::fs::fstatfs(&root)?.f_type;
        let local = LOCAL
            .iter()
            .any(|&local| i128::from(local) == i128::from(kind));
        Ok(Self {
            root,
            meta,
            path,
            local,
        })
    }

    /// The root folder.
    pub fn root(&self) -> &Folder {
        &self.root
    }

    /// The root's attributes when it was opened.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Whether every change of the root's file system goes through this kernel.
    pub fn is_local(&self) -> bool {
        self.local
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

/// The id of the mount that `path` is on, without asking who serves it.
///
/// # Errors
/// The path does not exist.
pub fn mount_of(path: &Path) -> io::Result<u64> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::STATX_DONT_SYNC;
    Ok(statx(CWD, path, flags, StatxFlags::MNT_ID)?.stx_mnt_id)
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
