//! The attributes of a node, as the policy lets them be seen.

use super::door::Found;
use super::node::NodeId;
use super::sidecar::Sidecar;
use crate::policy::{Group, Policy, Special};
use crate::workspace::{Kind, Time};
use std::time::Duration;

/// What a folder shows as its size, unless the policy can hide nothing.
const FOLDER_SIZE: u64 = 4096;

/// The attributes of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The node, which is also its inode number.
    pub node: NodeId,
    /// What it is.
    pub kind: Kind,
    /// Permission bits, those that the policy refuses taken off.
    pub mode: u16,
    /// Hard links.
    pub links: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Bytes; of a link those of the text it shows.
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
}

/// A name found: its attributes and how long the kernel may keep them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The attributes.
    pub attributes: Attributes,
    /// How long the name may be kept.
    pub name_lifetime: Duration,
    /// How long the attributes may be kept.
    pub attribute_lifetime: Duration,
}

impl Attributes {
    pub(super) fn of_found(node: NodeId, found: &Found, policy: &Policy) -> Self {
        let meta = &found.meta;
        // A real size, count of blocks or of links would tell of entries that are hidden.
        let telling = meta.kind == Kind::Folder && !policy.hides_nothing();
        Self {
            node,
            kind: meta.kind,
            mode: shown_mode(found, policy),
            links: if telling { 1 } else { meta.links },
            uid: meta.uid,
            gid: meta.gid,
            size: match &found.link {
                Some(Ok(text)) => text.len() as u64,
                _ if telling => FOLDER_SIZE,
                _ => meta.size,
            },
            blocks: if telling {
                FOLDER_SIZE / 512
            } else {
                meta.blocks
            },
            block_size: meta.block_size,
            special_device: meta.special_device,
            accessed: meta.accessed,
            modified: meta.modified,
            changed: meta.changed,
        }
    }

    pub(super) fn of_sidecar(node: NodeId, sidecar: &Sidecar) -> Self {
        let size = sidecar.bytes.len() as u64;
        Self {
            node,
            kind: Kind::File,
            mode: sidecar.mode,
            links: 1,
            uid: sidecar.uid,
            gid: sidecar.gid,
            size,
            blocks: size.div_ceil(512),
            block_size: 4096,
            special_device: 0,
            accessed: sidecar.modified,
            modified: sidecar.modified,
            changed: sidecar.modified,
        }
    }
}

/// The permission bits without those that the policy refuses. Whether a write is possible at
/// all in a read-only view is the mount's to say, as on any read-only file system.
fn shown_mode(found: &Found, policy: &Policy) -> u16 {
    let decision = found.decision;
    let mut mode = found.meta.mode;
    if found.meta.kind == Kind::Symlink {
        return mode; // no call looks at them
    }
    if policy.special() == Special::Strip {
        mode &= !0o6000;
    }
    if found.meta.kind == Kind::Folder {
        if !decision.may(Group::Search) {
            mode &= !0o444;
        }
        if !found.takes_names {
            mode &= !0o222;
        }
        return mode;
    }
    if !decision.may(Group::Read) {
        mode &= !0o555;
    }
    if !decision.may(Group::MutateContent) {
        mode &= !0o222;
    }
    mode
}
