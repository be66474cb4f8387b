//! A folder of the real tree, held by descriptor; every name is one component.

use super::{Content, Kind, Meta};
use rustix::fs::{AtFlags, Mode, OFlags, RawDir, ResolveFlags, openat, openat2, readlinkat, statx};
use rustix::io::Errno;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

/// Links, magic links and steps out of the folder are refused by the kernel itself.
const ONE_STEP: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS);

/// An open folder. Clones share the descriptor.
#[derive(Debug, Clone)]
pub struct Folder(Arc<OwnedFd>);

/// One entry of a listing as the file system gives it.
#[derive(Debug)]
pub struct RawEntry<'a> {
    /// The name.
    pub name: &'a [u8],
    /// What it is, where the file system says so.
    pub kind: Option<Kind>,
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Folder {
    /// Opens a folder by path; only for the root of a workspace.
    pub(super) fn open_root(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = openat(rustix::fs::CWD, path, flags, Mode::empty())?;
        Ok(Self(Arc::new(fd)))
    }

    /// Opens the folder `name` in this one; `.` gives this one again.
    ///
    /// # Errors
    /// `ENOENT`; `ENOTDIR` for a file; `ELOOP` for a link; others of the operating system.
    pub fn open_folder(&self, name: &[u8]) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(Arc::new(self.step(name, flags)?)))
    }

    /// Opens the regular file `name` for reading. It never waits: a FIFO that took the name
    /// in the meantime is opened without blocking and then refused.
    ///
    /// # Errors
    /// `ENOENT`, `EACCES`, `ELOOP` for a link; `EINVAL` if it is no regular file.
    pub fn open_content(&self, name: &[u8]) -> io::Result<Content> {
        let flags =
            OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Content::new(self.step(name, flags)?)
    }

    /// Writes a new file `name`.
    ///
    /// # Errors
    /// `EEXIST` if something has the name, a link that leads nowhere too; others of the
    /// operating system.
    pub fn create_file(&self, name: &[u8], bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666); // less the user's mask
        let fd = openat2(self, name, flags, mode, ONE_STEP)?;
        io::Write::write_all(&mut std::fs::File::from(fd), bytes)
    }

    /// The attributes of `name`, a link's own.
    ///
    /// # Errors
    /// `ENOENT` and others of the operating system.
    pub fn meta_of(&self, name: &[u8]) -> io::Result<Meta> {
        let raw = statx(self, name, AtFlags::SYMLINK_NOFOLLOW, Meta::FIELDS)?;
        Meta::from_raw(&raw).ok_or_else(|| Errno::INVAL.into())
    }

    /// The attributes of this folder.
    ///
    /// # Errors
    /// The operating system's.
    pub fn meta(&self) -> io::Result<Meta> {
        let raw = statx(self, c"", AtFlags::EMPTY_PATH, Meta::FIELDS)?;
        Meta::from_raw(&raw).ok_or_else(|| Errno::INVAL.into())
    }

    /// The text of the link `name`.
    ///
    /// # Errors
    /// `EINVAL` if it is no link; others of the operating system.
    pub fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        Ok(readlinkat(self, name, Vec::new())?.into_bytes())
    }

    /// Calls `visit` with each entry but `.` and `..`, in the file system's order, until it
    /// answers `false`.
    ///
    /// # Errors
    /// `EACCES` where the folder may not be read; others of the operating system.
    pub fn for_each(&self, mut visit: impl FnMut(RawEntry<'_>) -> bool) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let readable = self.step(b".", flags)?;
        let mut buffer = vec![MaybeUninit::uninit(); 32 * 1024];
        let mut entries = RawDir::new(readable, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let kind = Kind::from_raw(entry.file_type());
            if !visit(RawEntry { name, kind }) {
                break;
            }
        }
        Ok(())
    }

    /// One step of the door. `openat2` answers `EAGAIN` when a rename raced with it.
    fn step(&self, name: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        debug_assert!(!name.contains(&b'/'), "one component at a time");
        for _ in 0..16 {
            match openat2(self, name, flags, Mode::empty(), ONE_STEP) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                answer => return Ok(answer?),
            }
        }
        Err(Errno::AGAIN.into())
    }
}
