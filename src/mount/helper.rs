//! What is done on the mount itself is done by a process of its own: a daemon that waits for its
//! own answer cannot be killed, since the kernel ends the connection only when its process is
//! gone.
//!
//! The helper does what it is told by a pipe, one deed after the other, and ends with the pipe.

use super::attach::Place;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fchmod, fstat, ftruncate, mkdirat, mknodat, openat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::Pid;
use std::ffi::CString;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

/// How long the helper keeps its writable mount for the next deed: while it is there the view
/// outlives its unmounting.
const KEEP_MOUNT: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// The longest path that the kernel takes.
const PATH_BYTES: usize = 4096;

/// How often the removal of a moved folder is tried, a millisecond apart.
const ATTEMPTS: usize = 20;

/// What the helper can do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Deed {
    RemoveFile,
    RemoveFolder,
    CreateFile,
    CreateFolder,
    CreateLink,
    CreatePipe,
    Modify,
    ChangeMode,
}

const DEEDS: [Deed; 8] = [
    Deed::RemoveFile,
    Deed::RemoveFolder,
    Deed::CreateFile,
    Deed::CreateFolder,
    Deed::CreateLink,
    Deed::CreatePipe,
    Deed::Modify,
    Deed::ChangeMode,
];

/// The helper as the daemon sees it: started when it is first needed.
#[derive(Debug)]
pub(super) struct Helper {
    place: Place,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    /// There until it is ended.
    process: Option<Child>,
    to: ChildStdin,
    from: ChildStdout,
}

impl Helper {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            running: None,
        }
    }

    /// Its process id; starts it if need be.
    pub(super) fn start(&mut self) -> io::Result<u32> {
        if let Some(Running {
            process: Some(process),
            ..
        }) = &self.running
        {
            return Ok(process.id());
        }
        let mut process = Command::new("/proc/self/exe")
            .arg0("inspectfs")
            .args(["helper", "relay"])
            .arg(self.place.point())
            .arg(self.place.number().to_string())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let id = process.id();
        let (Some(to), Some(from)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("no pipe to the helper"));
        };
        self.running = Some(Running {
            process: Some(process),
            to,
            from,
        });
        Ok(id)
    }

    /// Tells it what to do to `path`, relative to the view's root.
    pub(super) fn tell(&mut self, deed: Deed, path: &[u8]) -> io::Result<()> {
        let length = u16::try_from(path.len()).map_err(io::Error::other)?;
        let mut told = vec![deed as u8];
        told.extend(length.to_le_bytes());
        told.extend(path);
        self.running()?.to.write_all(&told)
    }

    /// Whether it has done it by then. What came of it is nobody's concern: a client may have
    /// been faster.
    pub(super) fn has_done(&mut self, within: Duration) -> io::Result<bool> {
        let within = Timespec::try_from(within).map_err(io::Error::other)?;
        let running = self.running()?;
        let mut answer = [PollFd::new(&running.from, PollFlags::IN)];
        if poll(&mut answer, Some(&within))? == 0 {
            return Ok(false);
        }
        running.from.read_exact(&mut [0])?;
        Ok(true)
    }

    fn running(&mut self) -> io::Result<&mut Running> {
        let running = self.running.as_mut();
        running.ok_or_else(|| io::Error::other("the helper does not run"))
    }

    /// Ends it; whoever goes by its process id must have stopped that before.
    pub(super) fn stop(&mut self) {
        self.running = None;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        let _ended_already = process.kill();
        // It may wait for a folder's lock, which no signal ends: nobody waits for it here.
        let reaped = thread::Builder::new()
            .name("reap".to_owned())
            .spawn(move || process.wait());
        if let Err(error) = reaped {
            tracing::debug!(%error, "the helper is not reaped");
        }
    }
}

/// How often it is looked whether the daemon was killed, and how long after that it may take to
/// go.
const GUARD: Duration = Duration::from_millis(500);

/// Ends the connection if the daemon was killed and cannot go: a thread of it that tells the
/// kernel something may wait for the lock of a folder, which a client holds that waits for the
/// daemon's answer. Only the end of the connection frees both.
fn guard(place: &Place, daemon: Pid) {
    let is_going = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", daemon.as_raw_pid()));
        let state = stat.ok().and_then(|stat| {
            let (_, fields) = stat.rsplit_once(')')?;
            fields.split_ascii_whitespace().next().map(str::to_owned)
        });
        state.as_deref() == Some("Z")
    };
    loop {
        thread::sleep(GUARD);
        // A zombie that its parent has not reaped yet has ended its connection already; then
        // there is no harm in this either.
        if is_going() && rustix::process::getppid() == Some(daemon) {
            thread::sleep(GUARD);
            if is_going() {
                place.abort();
                return;
            }
        }
    }
}

/// The helper's own life: deeds from standard input, an answer of one byte to each on standard
/// output.
///
/// # Errors
/// The daemon went, or what is mounted there is not its view.
pub fn relay(point: &std::path::Path, number: u64) -> io::Result<()> {
    let place = Place::new(point.to_owned(), number);
    if let Some(daemon) = rustix::process::getppid() {
        let place = place.clone();
        thread::Builder::new()
            .name("guard".to_owned())
            .spawn(move || guard(&place, daemon))?;
    }
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut root: Option<OwnedFd> = None;
    loop {
        let patience = root.is_some().then_some(&KEEP_MOUNT);
        let stdin = rustix::stdio::stdin();
        if poll(&mut [PollFd::new(&stdin, PollFlags::IN)], patience)? == 0 {
            root = None;
            continue;
        }
        let mut head = [0; 3];
        match input.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            other => other?,
        }
        let [deed, low, high] = head;
        let length = usize::from(u16::from_le_bytes([low, high]));
        let mut path = vec![0; length];
        input.read_exact(&mut path)?;
        let deed = DEEDS.into_iter().find(|known| *known as u8 == deed);
        if let (Some(deed), Ok(path)) = (deed, CString::new(path))
            && length < PATH_BYTES
        {
            let root = match root.take() {
                Some(known) => root.insert(known),
                None => root.insert(place.writable()?),
            };
            let _whatever_came_of_it = done(deed, root, &path);
        }
        output.write_all(&[0])?;
        output.flush()?;
    }
}

const OPEN: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

fn done(deed: Deed, root: &OwnedFd, path: &CString) -> rustix::io::Result<()> {
    let path = &**path;
    let mode = Mode::RUSR | Mode::WUSR;
    let modify = || {
        let file = openat(root, path, OPEN | OFlags::WRONLY, Mode::empty())?;
        let size = fstat(&file)?.st_size;
        ftruncate(&file, size.cast_unsigned())
    };
    match deed {
        Deed::RemoveFile => unlinkat(root, path, AtFlags::empty()),
        Deed::RemoveFolder => {
            // One that was moved is refused until the kernel has dropped its old name.
            for _ in 0..ATTEMPTS {
                match unlinkat(root, path, AtFlags::REMOVEDIR) {
                    Err(Errno::ROFS) => thread::sleep(Duration::from_millis(1)),
                    other => return other,
                }
            }
            Err(Errno::BUSY)
        }
        Deed::CreateFile => {
            let flags = OPEN | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            match openat(root, path, flags, mode) {
                // A client found it meanwhile.
                Err(Errno::EXIST) => modify(),
                other => other.map(drop),
            }
        }
        Deed::CreateFolder => mkdirat(root, path, mode),
        Deed::CreateLink => symlinkat(c".", root, path),
        Deed::CreatePipe => mknodat(root, path, FileType::Fifo, mode, 0),
        Deed::Modify => modify(),
        Deed::ChangeMode => {
            let file = openat(root, path, OPEN | OFlags::RDONLY, Mode::empty())?;
            let mode = Mode::from_raw_mode(fstat(&file)?.st_mode);
            fchmod(&file, mode)
        }
    }
}
