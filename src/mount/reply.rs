//! Answers of the view as replies of the protocol: one function a kind of reply.

use super::convert::{errno, file_attributes};
use crate::view::{Attributes, Capacity, Entry, Handle, Result};
use fuser::{
    FileHandle, FopenFlags, Generation, ReplyAttr, ReplyData, ReplyEntry, ReplyLseek, ReplyOpen,
    ReplyStatfs,
};
use std::time::Duration;

pub(super) fn entry(reply: ReplyEntry, found: Result<Entry>) {
    match found {
        Ok(entry) => reply.entry_with_ttls(
            &entry.attribute_lifetime,
            &entry.name_lifetime,
            &file_attributes(&entry.attributes),
            Generation(0),
        ),
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

pub(super) fn opened(reply: ReplyOpen, handle: Result<Handle>) {
    match handle {
        Ok(Handle(number)) => reply.opened(FileHandle(number), FopenFlags::empty()),
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
