//! Answers of the view as replies of the protocol: one function a kind of reply.

use super::convert::{self, errno, file_attributes, no_file};
use crate::view::{Attributes, Capacity, Entry, Error, Handle, Kind, Looked, Opened, Result};
use fuser::{
    FileAttr, FileHandle, FopenFlags, Generation, INodeNo, ReplyAttr, ReplyCreate, ReplyData,
    ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(super) fn entry(reply: ReplyEntry, found: Result<Looked>) {
    match found {
        Ok(Looked::Entry(entry)) => reply.entry_with_ttls(
            &entry.attribute_lifetime,
            &entry.name_lifetime,
            &file_attributes(&entry.attributes),
            Generation(0),
        ),
        Ok(Looked::Absent(Duration::ZERO)) => reply.error(errno(Error::NotFound)),
        Ok(Looked::Absent(lifetime)) => reply.entry(&lifetime, &no_file(), Generation(0)),
        Err(error) => reply.error(errno(error)),
    }
}

/// A file or folder that is not there any more, for who is about to remove it. Its number is out
/// of the reach of the view's own, which have 53 bits.
pub(super) fn stand_in(reply: ReplyEntry, kind: Kind) {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 62);
    let attributes = FileAttr {
        ino: INodeNo(NEXT.fetch_add(1, Ordering::Relaxed)),
        kind: convert::kind(kind),
        nlink: 1,
        perm: 0o700,
        ..no_file()
    };
    reply.entry(&Duration::ZERO, &attributes, Generation(0));
}

pub(super) fn attributes(reply: ReplyAttr, found: Result<(Attributes, Duration)>) {
    match found {
        Ok((attributes, lifetime)) => reply.attr(&lifetime, &file_attributes(&attributes)),
        Err(error) => reply.error(errno(error)),
    }
}

pub(super) fn data(reply: ReplyData, bytes: Result<Vec<u8>>) {
    match bytes {
        Ok(bytes) => reply.data(&bytes),
        Err(error) => reply.error(errno(error)),
    }
}

pub(super) fn opened(reply: ReplyOpen, opened: Result<Opened>, if_current: FopenFlags) {
    match opened {
        Ok(opened) => {
            let flags = if opened.current {
                if_current
            } else {
                FopenFlags::empty()
            };
            reply.opened(FileHandle(opened.handle.0), flags);
        }
        Err(error) => reply.error(errno(error)),
    }
}

/// What a creation that is not one gives: the file that is there.
pub(super) fn created(reply: ReplyCreate, found: Result<(Entry, Handle)>) {
    match found {
        Ok((entry, handle)) => reply.created(
            &entry.name_lifetime.min(entry.attribute_lifetime),
            &file_attributes(&entry.attributes),
            Generation(0),
            FileHandle(handle.0),
            FopenFlags::FOPEN_KEEP_CACHE,
        ),
        Err(error) => reply.error(errno(error)),
    }
}

pub(super) fn offset(reply: ReplyLseek, found: Result<u64>) {
    match found {
        Ok(offset) => reply.offset(i64::try_from(offset).unwrap_or(i64::MAX)),
        Err(error) => reply.error(errno(error)),
    }
}

pub(super) fn capacity(reply: ReplyStatfs, found: Result<Capacity>) {
    match found {
        // No count of files: it would count hidden ones.
        Ok(found) => reply.statfs(
            found.blocks,
            found.free,
            found.available,
            0,
            0,
            found.block_size,
            255,
            found.block_size,
        ),
        Err(error) => reply.error(errno(error)),
    }
}
