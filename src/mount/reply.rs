//! Answers of the view as replies of the protocol: one function a kind of reply.

use super::convert::{errno, file_attributes, no_file};
use crate::view::{Attributes, Capacity, Error, Looked, Opened, Result};
use fuser::{
    FileHandle, FopenFlags, Generation, ReplyAttr, ReplyData, ReplyEntry, ReplyLseek, ReplyOpen,
    ReplyStatfs,
};
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
