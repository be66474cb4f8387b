//! The view's types as the protocol has them. The errno table is exhaustive on purpose.

use crate::view::{Attributes, Error, Kind, Time};
use fuser::{Errno, FileAttr, FileType, INodeNo};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The errno of a refusal.
pub(super) fn errno(error: Error) -> Errno {
    match error {
        Error::NotFound => Errno::ENOENT,
        Error::Denied => Errno::EACCES,
        Error::ReadOnly => Errno::EROFS,
        Error::NotFolder => Errno::ENOTDIR,
        Error::IsFolder => Errno::EISDIR,
        Error::Invalid => Errno::EINVAL,
        Error::NameTooLong => Errno::ENAMETOOLONG,
        Error::Stale => Errno::ESTALE,
        Error::TooLarge => Errno::EFBIG,
        Error::TooManyOpen => Errno::ENFILE,
        Error::NoExtent => Errno::ENXIO,
        Error::Os(code) => Errno::from_i32(code),
    }
}

/// The kind of a file.
pub(super) fn kind(kind: Kind) -> FileType {
    match kind {
        Kind::Folder => FileType::Directory,
        Kind::File => FileType::RegularFile,
        Kind::Symlink => FileType::Symlink,
        Kind::Fifo => FileType::NamedPipe,
        Kind::Socket => FileType::Socket,
        Kind::CharDevice => FileType::CharDevice,
        Kind::BlockDevice => FileType::BlockDevice,
    }
}

/// The attributes of a node.
pub(super) fn file_attributes(attributes: &Attributes) -> FileAttr {
    FileAttr {
        ino: INodeNo(attributes.node.0),
        size: attributes.size,
        blocks: attributes.blocks,
        atime: time(attributes.accessed),
        mtime: time(attributes.modified),
        ctime: time(attributes.changed),
        crtime: UNIX_EPOCH,
        kind: kind(attributes.kind),
        perm: attributes.mode,
        nlink: attributes.links,
        uid: attributes.uid,
        gid: attributes.gid,
        // The protocol has 32 bits for it; Linux device numbers fit.
        rdev: u32::try_from(attributes.special_device).unwrap_or(0),
        blksize: attributes.block_size,
        flags: 0,
    }
}

/// The attributes of no file: number 0 tells the kernel that there is none.
pub(super) fn no_file() -> FileAttr {
    FileAttr {
        ino: INodeNo(0),
        size: 0,
        blocks: 0,
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind: FileType::RegularFile,
        perm: 0,
        nlink: 0,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 0,
        flags: 0,
    }
}

fn time(time: Time) -> SystemTime {
    let seconds = Duration::from_secs(time.seconds.unsigned_abs());
    let second = if time.seconds < 0 {
        UNIX_EPOCH.checked_sub(seconds)
    } else {
        UNIX_EPOCH.checked_add(seconds)
    };
    second
        .and_then(|second| second.checked_add(Duration::from_nanos(time.nanoseconds.into())))
        .unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_count_forward_from_their_second() {
        let before = Time {
            seconds: -2,
            nanoseconds: 250_000_000,
        };
        assert_eq!(time(before), UNIX_EPOCH - Duration::from_millis(1750));
        let far = Time {
            seconds: i64::MIN,
            nanoseconds: 0,
        };
        let _no_panic = time(far);
    }
}
