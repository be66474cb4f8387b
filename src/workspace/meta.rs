//! What the real tree says of one file, from one `statx`.

use rustix::fs::{FileType, Statx, StatxFlags, StatxTimestamp, makedev};

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A Unix socket.
    Socket,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
}

impl Kind {
    /// From a directory entry or mode; `None` where the file system does not say.
    pub fn from_raw(kind: FileType) -> Option<Self> {
        match kind {
            FileType::Directory => Some(Self::Folder),
            FileType::RegularFile => Some(Self::File),
            FileType::Symlink => Some(Self::Symlink),
            FileType::Fifo => Some(Self::Fifo),
            FileType::Socket => Some(Self::Socket),
            FileType::CharacterDevice => Some(Self::CharDevice),
            FileType::BlockDevice => Some(Self::BlockDevice),
            FileType::Unknown => None,
        }
    }
}

/// A point in time: seconds since 1970 (negative before) and nanoseconds after that second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds.
    pub seconds: i64,
    /// 0 to 999,999,999.
    pub nanoseconds: u32,
}

impl From<StatxTimestamp> for Time {
    fn from(raw: StatxTimestamp) -> Self {
        Self {
            seconds: raw.tv_sec,
            nanoseconds: raw.tv_nsec,
        }
    }
}

/// The attributes of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// Device number.
    pub device: u64,
    /// Inode number on that device.
    pub inode: u64,
    /// The mount it was reached through.
    pub mount: u64,
    /// What it is.
    pub kind: Kind,
    /// Permission bits and set-id bits, without the kind (`07777`).
    pub mode: u16,
    /// Hard links.
    pub links: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Bytes.
    pub size: u64,
    /// Blocks of 512 bytes.
    pub blocks: u64,
    /// Preferred I/O size in bytes.
    pub block_size: u32,
    /// Device number of a device node.
    pub special_device: u64,
    /// Last access.
    pub accessed: Time,
    /// Last change of the content.
    pub modified: Time,
    /// Last change of content or attributes.
    pub changed: Time,
    /// Creation; zero where the file system keeps none.
    pub born: Time,
}

impl Meta {
    /// The fields asked of `statx`.
    pub(super) const FIELDS: StatxFlags = StatxFlags::BASIC_STATS
        .union(StatxFlags::BTIME)
        .union(StatxFlags::MNT_ID);

    /// `None` for a kind this system does not know.
    pub(super) fn from_raw(raw: &Statx) -> Option<Self> {
        let born = if raw.stx_mask & StatxFlags::BTIME.bits() == 0 {
            Time::default()
        } else {
            raw.stx_btime.into()
        };
        Some(Self {
            device: makedev(raw.stx_dev_major, raw.stx_dev_minor),
            inode: raw.stx_ino,
            mount: raw.stx_mnt_id,
            kind: Kind::from_raw(FileType::from_raw_mode(raw.stx_mode.into()))?,
            mode: raw.stx_mode & 0o7777,
            links: raw.stx_nlink,
            uid: raw.stx_uid,
            gid: raw.stx_gid,
            size: raw.stx_size,
            blocks: raw.stx_blocks,
            block_size: raw.stx_blksize,
            special_device: makedev(raw.stx_rdev_major, raw.stx_rdev_minor),
            accessed: raw.stx_atime.into(),
            modified: raw.stx_mtime.into(),
            changed: raw.stx_ctime.into(),
            born,
        })
    }

    /// Whether both describe the same file: inode, device, mount, kind and birth.
    pub fn same_file(&self, other: &Self) -> bool {
        (self.device, self.inode, self.mount, self.kind, self.born)
            == (
                other.device,
                other.inode,
                other.mount,
                other.kind,
                other.born,
            )
    }

    /// Whether both describe the same content of the same file, as far as attributes tell.
    pub fn same_version(&self, other: &Self) -> bool {
        self.same_file(other)
            && (self.size, self.modified, self.changed)
                == (other.size, other.modified, other.changed)
    }
}
