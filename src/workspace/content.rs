//! A regular file of the real tree, open for reading. Never mapped: a file that others
//! truncate would kill the daemon with SIGBUS.

use super::{Kind, Meta};
use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, statx};
use rustix::io::{Errno, pread};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// An open regular file.
#[derive(Debug)]
pub struct Content {
    file: File,
    mark: AtomicU64,
}

impl Content {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        let content = Self {
            file: File::from(fd),
            mark: AtomicU64::new(0),
        };
        if content.meta()?.kind == Kind::File {
            Ok(content)
        } else {
            Err(Errno::INVAL.into())
        }
    }

    /// Its attributes now.
    ///
    /// # Errors
    /// The operating system's.
    pub fn meta(&self) -> io::Result<Meta> {
        let raw = statx(self.file.as_fd(), c"", AtFlags::EMPTY_PATH, Meta::FIELDS)?;
        Meta::from_raw(&raw).ok_or_else(|| Errno::INVAL.into())
    }

    /// A number that whoever holds the file notes with it; zero at first.
    pub fn mark(&self) -> u64 {
        self.mark.load(Ordering::Acquire)
    }

    /// Notes another.
    pub fn set_mark(&self, mark: u64) {
        self.mark.store(mark, Ordering::Release);
    }

    /// The path that the kernel knows the open file by; for a file without a name one that
    /// leads nowhere.
    ///
    /// # Errors
    /// `/proc` is not there.
    pub fn real_path(&self) -> io::Result<PathBuf> {
        std::fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// Reads up to `size` bytes at `offset`; fewer only at the end of the file.
    ///
    /// # Errors
    /// The operating system's, with its raw code.
    pub fn read_at(&self, offset: u64, size: usize) -> io::Result<Vec<u8>> {
        // Not zeroed first: that costs as much as the reading.
        let mut bytes = Vec::with_capacity(size);
        while bytes.len() < size {
            let at = offset + bytes.len() as u64;
            match pread(&self.file, spare_capacity(&mut bytes), at) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        bytes.truncate(size);
        Ok(bytes)
    }

    /// The offset of the next data or hole at or after `offset`.
    ///
    /// # Errors
    /// `ENXIO` past the end; others of the operating system.
    pub fn seek(&self, to: Extent, offset: u64) -> io::Result<u64> {
        use rustix::fs::{SeekFrom, seek};
        let from = match to {
            Extent::Data => SeekFrom::Data(offset),
            Extent::Hole => SeekFrom::Hole(offset),
        };
        Ok(seek(&self.file, from)?)
    }

    /// A stream over at most `limit` bytes from the start, for probes.
    pub fn stream(&self, limit: u64) -> impl Read + '_ {
        Stream {
            file: &self.file,
            offset: 0,
            left: limit,
        }
    }
}

impl AsFd for Content {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// What [`Content::seek`] looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Bytes that are stored.
    Data,
    /// A hole, or the end of the file.
    Hole,
}

/// Reads by offset, so that streams over one descriptor do not disturb each other.
struct Stream<'a> {
    file: &'a File,
    offset: u64,
    left: u64,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let read = self.file.read_at(&mut buffer[..room], self.offset)?;
        self.offset += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}
