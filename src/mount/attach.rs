//! Mounting and unmounting: by the system call where that is allowed, else by `fusermount3`.

use super::writable::make_writable;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, makedev, open, statx};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, OpenTreeFlags, UnmountFlags, mount, mount_remount, open_tree, unmount,
};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    recvmsg, socketpair,
};
use std::ffi::CString;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How to mount.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the mount table shows as the source: letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// Whether other users may come in.
    pub allow_other: bool,
}

/// A mount of ours.
#[derive(Debug)]
pub struct Attached {
    device: Option<OwnedFd>,
    place: Place,
    by_helper: bool,
}

/// Where a mount of ours lies.
#[derive(Debug, Clone)]
pub(super) struct Place {
    point: PathBuf,
    number: u64,
}

impl Place {
    pub(super) fn new(point: PathBuf, number: u64) -> Self {
        Self { point, number }
    }

    pub(super) fn point(&self) -> &Path {
        &self.point
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The root of another mount of the same view that lies nowhere and may be written to, as
    /// far as the daemon lets it.
    ///
    /// # Errors
    /// What lies there is not ours any more, or the kernel refuses.
    pub(super) fn writable(&self) -> rustix::io::Result<OwnedFd> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let root = open_tree(CWD, &self.point, flags)?;
        let found = statx(&root, c"", AtFlags::EMPTY_PATH | DONT_ASK, StatxFlags::TYPE)?;
        if makedev(found.stx_dev_major, found.stx_dev_minor) != self.number {
            return Err(Errno::STALE);
        }
        make_writable(root.as_fd())
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        Ok(root)
    }
}

impl Place {
    /// Ends the connection of what is mounted there, if that is ours; the mount stays where
    /// something is in use, as after any death of a daemon.
    pub(super) fn abort(&self) {
        if device_number(&self.point).is_ok_and(|number| number == self.number) {
            let _stays_if_busy = unmount(&self.point, UnmountFlags::FORCE | UnmountFlags::NOFOLLOW);
        }
    }
}

/// Without asking the one who serves it.
const DONT_ASK: AtFlags = AtFlags::STATX_DONT_SYNC.union(AtFlags::NO_AUTOMOUNT);

/// Why mounting failed.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// `/dev/fuse` is not there or cannot be opened.
    #[error(
        "/dev/fuse cannot be opened: {0}; load the fuse module, or give the container the device"
    )]
    Device(#[source] io::Error),
    /// The kernel refuses.
    #[error("the kernel refuses to mount: {0}")]
    Refused(#[source] io::Error),
    /// Not root, and no helper.
    #[error("mounting needs root or fusermount3; install the package fuse3")]
    NoHelper,
    /// The helper refuses, in its own words.
    #[error("fusermount3 refuses: {0}")]
    Helper(String),
}

impl Attached {
    /// The device number of the mounted file system.
    pub fn number(&self) -> u64 {
        self.place.number
    }

    pub(super) fn place(&self) -> Place {
        self.place.clone()
    }

    /// Whether the file system may be mounted for writing too: not where the helper mounted it.
    pub(super) fn takes_writes(&self) -> bool {
        !self.by_helper
    }

    /// The connection to the kernel; can be taken once.
    pub(super) fn take_device(&mut self) -> Option<OwnedFd> {
        self.device.take()
    }
}

/// Mounts an empty connection on `point`, read-only.
///
/// # Errors
/// See [`AttachError`].
pub fn attach(point: &Path, options: &Options) -> Result<Attached, AttachError> {
    let (device, by_helper) = match by_system_call(point, options) {
        Err(AttachError::Refused(error))
            if error.raw_os_error() == Some(Errno::PERM.raw_os_error()) =>
        {
            (by_helper(point, options)?, true)
        }
        Err(AttachError::Device(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            (by_helper(point, options)?, true)
        }
        other => (other?, false),
    };
    Ok(Attached {
        device: Some(device),
        place: Place {
            number: device_number(point).map_err(AttachError::Refused)?,
            point: point.to_owned(),
        },
        by_helper,
    })
}

fn by_system_call(point: &Path, options: &Options) -> Result<OwnedFd, AttachError> {
    let device = open("/dev/fuse", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| AttachError::Device(error.into()))?;
    let data = format!(
        "fd={},rootmode=40000,user_id={},group_id={},default_permissions{}",
        device.as_raw_fd(),
        rustix::process::geteuid().as_raw(),
        rustix::process::getegid().as_raw(),
        if options.allow_other {
            ",allow_other"
        } else {
            ""
        },
    );
    let refused = |error: io::Error| AttachError::Refused(error);
    let data = CString::new(data).map_err(|error| refused(error.into()))?;
    mount(
        options.name.as_str(),
        point,
        crate::mountinfo::VIEW_TYPE,
        MountFlags::NOSUID | MountFlags::NODEV,
        Some(&*data),
    )
    .map_err(|error| refused(error.into()))?;
    // This mount alone: the file system may be mounted for writing as well, see `relay`.
    let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    if let Err(error) = mount_remount(point, read_only, c"") {
        let _refused_anyway = unmount(point, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW);
        return Err(refused(error.into()));
    }
    Ok(device)
}

/// `fusermount3` mounts for ordinary users and sends the connection through a socket.
fn by_helper(point: &Path, options: &Options) -> Result<OwnedFd, AttachError> {
    let broken = |error: io::Error| AttachError::Helper(error.to_string());
    // The helper's end must stay open over exec, so it is not close-on-exec.
    let (ours, theirs) = socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::empty(),
        None,
    )
    .map_err(|error| broken(error.into()))?;
    rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::CLOEXEC)
        .map_err(|error| broken(error.into()))?;
    let mut flags = format!(
        "ro,nosuid,nodev,default_permissions,fsname={},subtype=inspectfs",
        options.name
    );
    if options.allow_other {
        flags.push_str(",allow_other");
    }
    let helper = Command::new("fusermount3")
        .arg("-o")
        .arg(flags)
        .arg("--")
        .arg(point)
        .env("_FUSE_COMMFD", theirs.as_raw_fd().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let helper = match helper {
        Ok(helper) => helper,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(AttachError::NoHelper),
        Err(error) => return Err(broken(error)),
    };
    drop(theirs);
    let received = receive_descriptor(&ours);
    let output = helper.wait_with_output().map_err(broken)?;
    match received.map_err(broken)? {
        Some(device) if output.status.success() => Ok(device),
        _ => {
            let words = String::from_utf8_lossy(&output.stderr);
            let line = words.lines().next().unwrap_or("no reason given");
            let line = line.strip_prefix("fusermount3: ").unwrap_or(line);
            Err(AttachError::Helper(line.to_owned()))
        }
    }
}

fn receive_descriptor(socket: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut data = [IoSliceMut::new(&mut byte)];
    loop {
        match recvmsg(socket, &mut data, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Ok(_) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    }))
}

/// The number of the file system at `point`, without asking the one who serves it.
fn device_number(point: &Path) -> io::Result<u64> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | DONT_ASK;
    let found = statx(CWD, point, flags, StatxFlags::TYPE)?;
    Ok(makedev(found.stx_dev_major, found.stx_dev_minor))
}

/// Unmounts what `attach` mounted, if that is still what is there: someone may have unmounted
/// it and mounted another file system since. Files in use stay usable until the daemon ends.
///
/// # Errors
/// The kernel or the helper refuses.
pub fn detach(attached: &Attached) -> io::Result<()> {
    let Place { point, number } = &attached.place;
    match device_number(point) {
        Ok(found) if found == *number => unmount_with(point, UnmountFlags::DETACH),
        // Gone, or not ours: nothing to undo.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Unmounts a view whose process is gone or does not end: whoever waits for its answer gets an
/// error, which may be what keeps that process from ending.
///
/// # Errors
/// Both the system call and the helper refuse.
pub fn unmount_at(point: &Path) -> io::Result<()> {
    unmount_with(point, UnmountFlags::DETACH | UnmountFlags::FORCE)
}

/// By the system call or the helper.
fn unmount_with(point: &Path, flags: UnmountFlags) -> io::Result<()> {
    match unmount(point, flags | UnmountFlags::NOFOLLOW) {
        Err(Errno::PERM) => {}
        other => return Ok(other?),
    }
    let output = Command::new("fusermount3")
        .args(["-u", "-z", "--"])
        .arg(point)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| io::Error::new(error.kind(), format!("fusermount3: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(
        words
            .lines()
            .next()
            .unwrap_or("fusermount3 failed")
            .to_owned(),
    ))
}
