//! The kernel's side: one short function an operation, which decodes, asks the view once and
//! replies. Nothing is decided here, and fuser's types go no further.
//!
//! A panic costs one request: each is caught, the client gets `EIO`, and the thread goes on.

mod attach;
mod convert;
mod helper;
mod passthrough;
mod relay;
mod reply;
mod requests;
mod session;
mod writable;

pub use attach::{AttachError, Attached, Options, attach, detach, unmount_at};
pub use helper::relay;
pub use requests::Requests;
pub use session::{Executor, Served, Serving, serve};

use crate::view::{
    Answer, Detail, Error, Extent, Handle, ListedEntry, NodeId, Opens, Result, Room, View,
};
use convert::{errno, file_attributes, kind};
use fuser::{
    AccessFlags, BsdFileFlags, Errno, FileHandle, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, IoctlFlags, KernelConfig, LockOwner, Notifier, OpenAccMode, OpenFlags, RenameFlags,
    ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry,
    ReplyIoctl, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use passthrough::Passthrough;
use relay::{Relay, Sought};
use requests::Operation;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// Bytes of one read request.
const MAX_REQUEST: u32 = 1 << 20;

/// Requests that the kernel keeps waiting in the background, such as read-ahead.
const MAX_BACKGROUND: u16 = 64;

/// What the kernel is asked for; each only where it is offered.
const CAPABILITIES: [InitFlags; 5] = [
    InitFlags::FUSE_PARALLEL_DIROPS,
    InitFlags::FUSE_DO_READDIRPLUS,
    InitFlags::FUSE_AUTO_INVAL_DATA,
    InitFlags::FUSE_NO_OPEN_SUPPORT,
    InitFlags::FUSE_NO_OPENDIR_SUPPORT,
];

/// The view as fuser calls it.
struct Protocol {
    view: Arc<View>,
    executor: Arc<dyn Executor>,
    passthrough: Option<Arc<Passthrough>>,
    relay: Option<Arc<Relay>>,
    requests: Arc<Requests>,
    /// There once the session is.
    notifier: Arc<OnceLock<Notifier>>,
}

impl Protocol {
    /// Asks the view and gives its answer to `done`, on a thread of the executor where the
    /// answer takes long. A reply that is dropped by a panic answers `EIO` by itself.
    fn ask<T: Send + 'static, R: Send + 'static>(
        &self,
        reply: R,
        ask: impl FnOnce(&Arc<View>) -> Answer<T>,
        done: impl FnOnce(R, Result<T>) + Send + 'static,
    ) {
        caught(move || match ask(&self.view) {
            Answer::Now(result) => done(reply, result),
            Answer::Later(job) => {
                self.executor.spawn(Box::new(move || {
                    caught(move || done(reply, job()));
                }));
            }
        });
    }
}

impl Protocol {
    /// What the relay asks of its own requests; `false` without one.
    fn relayed(&self, ask: impl FnOnce(&Relay) -> bool) -> bool {
        self.relay.as_deref().is_some_and(ask)
    }

    /// Answers a creation that the relay makes with what is there.
    fn relay_entry(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let name = name.as_bytes();
        if self.relayed(|relay| relay.creates(req.pid(), node(parent), name)) {
            let ask = |view: &Arc<View>| view.lookup(node(parent), name);
            self.ask(reply, ask, reply::entry);
        } else {
            reply.error(Errno::EROFS);
        }
    }

    fn relay_removal(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        if self.relayed(|relay| relay.removes(req.pid(), node(parent), name.as_bytes())) {
            reply.ok();
        } else {
            reply.error(Errno::EROFS);
        }
    }
}

fn caught(work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        tracing::error!("a request panicked and was answered with an I/O error");
    }
}

/// Makes the kernel ask for the size again before it reads: what it kept from the lookup may
/// be older than the content. Attributes alone take no lock, so a serving thread may do it.
fn forget_attributes(notifier: &OnceLock<Notifier>, ino: INodeNo) {
    if let Some(Err(error)) = notifier.get().map(|to| to.inval_inode(ino, -1, 0)) {
        tracing::debug!(%error, "the kernel did not take a notice");
    }
}

fn node(ino: INodeNo) -> NodeId {
    NodeId(ino.0)
}

fn room(is_full: bool) -> Room {
    if is_full { Room::Full } else { Room::Left }
}

fn handle(fh: FileHandle) -> Handle {
    Handle(fh.0)
}

impl Filesystem for Protocol {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> io::Result<()> {
        for capability in CAPABILITIES {
            if config.add_capabilities(capability).is_err() {
                tracing::warn!(?capability, "the kernel does not offer it");
            }
        }
        // On a file system that lies on another, such as overlayfs, too.
        if self.passthrough.is_some()
            && (config
                .add_capabilities(InitFlags::FUSE_PASSTHROUGH)
                .is_err()
                || config.set_max_stack_depth(2).is_err())
        {
            tracing::warn!("the kernel passes no files through");
            self.passthrough = None;
        }
        let refused = |nearest| io::Error::other(format!("the kernel takes {nearest} only"));
        config.set_max_write(MAX_REQUEST).map_err(refused)?;
        config
            .set_max_background(MAX_BACKGROUND)
            .map_err(|nearest| refused(nearest.into()))?;
        Ok(())
    }

    fn lookup(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.requests.count(Operation::Lookup);
        let sought = self
            .relay
            .as_deref()
            .and_then(|relay| relay.finds(req.pid(), node(parent), name.as_bytes()));
        match sought {
            None => {}
            Some(Sought::Nothing) => return reply.error(Errno::ENOENT),
            Some(Sought::Gone(kind)) => return reply::stand_in(reply, kind),
        }
        let ask = |view: &Arc<View>| view.lookup(node(parent), name.as_bytes());
        self.ask(reply, ask, reply::entry);
    }

    fn forget(&self, _req: &Request, ino: INodeNo, count: u64) {
        self.requests.count(Operation::Forget);
        caught(|| self.view.forget(node(ino), count));
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, fh: Option<FileHandle>, reply: ReplyAttr) {
        self.requests.count(Operation::Getattr);
        let ask = |view: &Arc<View>| view.attributes(node(ino), fh.map(handle)).into();
        self.ask(reply, ask, reply::attributes);
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        self.requests.count(Operation::Readlink);
        let ask = |view: &Arc<View>| view.read_link(node(ino)).into();
        self.ask(reply, ask, reply::data);
    }

    fn open(&self, req: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        self.requests.count(Operation::Open);
        if self.view.opens() == Opens::Unseen {
            reply.error(Errno::ENOSYS); // remembered: it is not asked again
            return;
        }
        let ask = |view: &Arc<View>| match flags.acc_mode() {
            _ if self.relayed(|relay| relay.is_own(req.pid())) => view.open(node(ino)).into(),
            OpenAccMode::O_RDONLY => view.open(node(ino)).into(),
            OpenAccMode::O_WRONLY | OpenAccMode::O_RDWR => Err(Error::ReadOnly).into(),
        };
        let notifier = Arc::clone(&self.notifier);
        let passthrough = self.passthrough.clone();
        let view = Arc::clone(&self.view);
        self.ask(reply, ask, move |reply, opened| {
            if opened.is_ok_and(|opened| !opened.current) {
                forget_attributes(&notifier, ino);
            }
            let reply = match (passthrough, opened) {
                (Some(passthrough), Ok(opened)) => {
                    passthrough.answer(&view, node(ino), opened, reply)
                }
                _ => Some(reply),
            };
            let Some(reply) = reply else { return };
            reply::opened(reply, opened, FopenFlags::FOPEN_KEEP_CACHE);
        });
    }

    fn read(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        self.requests.count(Operation::Read);
        let size = size.min(MAX_REQUEST) as usize;
        let ask = |view: &Arc<View>| view.read(node(ino), handle(fh), offset, size).into();
        let notifier = Arc::clone(&self.notifier);
        self.ask(reply, ask, move |reply, read| {
            if read.as_ref().is_ok_and(|read| !read.current) {
                forget_attributes(&notifier, ino);
            }
            reply::data(reply, read.map(|read| read.bytes));
        });
    }

    fn release(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.requests.count(Operation::Release);
        caught(|| {
            if let Some(passthrough) = &self.passthrough {
                passthrough.close(handle(fh));
            }
            self.view.close(handle(fh));
        });
        reply.ok();
    }

    fn opendir(&self, _req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        self.requests.count(Operation::Opendir);
        if self.view.opens() == Opens::Unseen {
            reply.error(Errno::ENOSYS); // remembered: it is not asked again
            return;
        }
        let ask = |view: &Arc<View>| view.open_listing(node(ino)).into();
        self.ask(reply, ask, |reply, opened| {
            let kept = FopenFlags::FOPEN_CACHE_DIR | FopenFlags::FOPEN_KEEP_CACHE;
            reply::opened(reply, opened, kept);
        });
    }

    fn readdir(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        reply: ReplyDirectory,
    ) {
        self.requests.count(Operation::Readdir);
        let (node, fh) = (node(ino), handle(fh));
        let ask = |view: &Arc<View>| view.listing(node, fh, offset);
        let view = Arc::clone(&self.view);
        self.ask(reply, ask, move |mut reply, listing| {
            let add = |entry: ListedEntry<'_>| {
                let (number, kind) = (INodeNo(entry.node.0), kind(entry.kind));
                room(reply.add(number, entry.next, kind, OsStr::from_bytes(entry.name)))
            };
            let filled = listing
                .and_then(|listing| view.fill(node, fh, &listing, offset, Detail::Names, add));
            match filled {
                Ok(()) => reply.ok(),
                Err(error) => reply.error(errno(error)),
            }
        });
    }

    fn readdirplus(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        reply: ReplyDirectoryPlus,
    ) {
        self.requests.count(Operation::Readdirplus);
        let (node, fh) = (node(ino), handle(fh));
        let ask = |view: &Arc<View>| view.listing(node, fh, offset);
        let view = Arc::clone(&self.view);
        self.ask(reply, ask, move |mut reply, listing| {
            let add = |listed: ListedEntry<'_>| {
                let Some(entry) = listed.entry else {
                    return Room::Left;
                };
                room(reply.add(
                    INodeNo(listed.node.0),
                    listed.next,
                    OsStr::from_bytes(listed.name),
                    // The reply has one lifetime for both; the shorter is right for both.
                    &entry.name_lifetime.min(entry.attribute_lifetime),
                    &file_attributes(&entry.attributes),
                    Generation(0),
                ))
            };
            let filled = listing
                .and_then(|listing| view.fill(node, fh, &listing, offset, Detail::Attributes, add));
            match filled {
                Ok(()) => reply.ok(),
                Err(error) => reply.error(errno(error)),
            }
        });
    }

    fn releasedir(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        reply: ReplyEmpty,
    ) {
        self.requests.count(Operation::Releasedir);
        caught(|| self.view.close(handle(fh)));
        reply.ok();
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        self.requests.count(Operation::Statfs);
        let ask = |view: &Arc<View>| view.capacity().into();
        self.ask(reply, ask, reply::capacity);
    }

    fn lseek(
        &self,
        _req: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        self.requests.count(Operation::Lseek);
        let to = match whence {
            libc::SEEK_DATA => Some(Extent::Data),
            libc::SEEK_HOLE => Some(Extent::Hole),
            _ => None,
        };
        let ask = |view: &Arc<View>| match (to, u64::try_from(offset)) {
            (Some(to), Ok(offset)) => view.seek(node(ino), handle(fh), to, offset).into(),
            _ => Err(Error::Invalid).into(),
        };
        self.ask(reply, ask, reply::offset);
    }

    fn ioctl(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        _flags: IoctlFlags,
        _cmd: u32,
        _in_data: &[u8],
        _out_size: u32,
        reply: ReplyIoctl,
    ) {
        self.requests.count(Operation::Ioctl);
        reply.error(Errno::ENOTTY);
    }

    fn flush(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        _lock_owner: LockOwner,
        reply: ReplyEmpty,
    ) {
        self.requests.count(Operation::Flush);
        reply.error(Errno::ENOSYS); // remembered: nothing is ever to be flushed
    }

    // The mount is read-only, so the kernel refuses these by itself. They come from the relay,
    // and must not end in ENOSYS, which the kernel would remember.

    fn setattr(
        &self,
        req: &Request,
        ino: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        _size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.requests.count(Operation::Mutation);
        if self.relayed(|relay| relay.is_own(req.pid())) {
            let ask = |view: &Arc<View>| view.attributes(node(ino), None).into();
            self.ask(reply, ask, reply::attributes);
        } else {
            reply.error(Errno::EROFS);
        }
    }

    fn mknod(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        _rdev: u32,
        reply: ReplyEntry,
    ) {
        self.requests.count(Operation::Mutation);
        self.relay_entry(req, parent, name, reply);
    }

    fn mkdir(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        reply: ReplyEntry,
    ) {
        self.requests.count(Operation::Mutation);
        self.relay_entry(req, parent, name, reply);
    }

    fn unlink(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.requests.count(Operation::Mutation);
        self.relay_removal(req, parent, name, reply);
    }

    fn rmdir(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.requests.count(Operation::Mutation);
        self.relay_removal(req, parent, name, reply);
    }

    fn symlink(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        _target: &Path,
        reply: ReplyEntry,
    ) {
        self.requests.count(Operation::Mutation);
        self.relay_entry(req, parent, name, reply);
    }

    fn rename(
        &self,
        _req: &Request,
        _parent: INodeNo,
        _name: &OsStr,
        _new_parent: INodeNo,
        _new_name: &OsStr,
        _flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        self.requests.count(Operation::Mutation);
        reply.error(Errno::EROFS);
    }

    fn link(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _new_parent: INodeNo,
        _new_name: &OsStr,
        reply: ReplyEntry,
    ) {
        self.requests.count(Operation::Mutation);
        reply.error(Errno::EROFS);
    }

    fn write(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        _offset: u64,
        _data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        self.requests.count(Operation::Mutation);
        reply.error(Errno::EROFS);
        // Else the kernel goes on showing the page that was refused.
        caught(|| self.view.drop_content(node(ino)));
    }

    fn create(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        self.requests.count(Operation::Mutation);
        let own = |relay: &Relay| relay.creates(req.pid(), node(parent), name.as_bytes());
        if self.relayed(own) {
            let ask = |view: &Arc<View>| view.create(node(parent), name.as_bytes());
            self.ask(reply, ask, reply::created);
        } else {
            reply.error(Errno::EROFS);
        }
    }

    fn fallocate(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        _offset: u64,
        _length: u64,
        _mode: i32,
        reply: ReplyEmpty,
    ) {
        self.requests.count(Operation::Mutation);
        reply.error(Errno::EROFS);
    }

    fn access(&self, _req: &Request, _ino: INodeNo, _mask: AccessFlags, reply: ReplyEmpty) {
        self.requests.count(Operation::Access);
        reply.error(Errno::ENOSYS); // the kernel checks by mode bits
    }
}
