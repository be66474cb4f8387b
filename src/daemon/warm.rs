//! Lists a new view once, as a client would, so that the first walk of its user finds names,
//! attributes and listings in the kernel. Bounded, in the background, and without any file
//! being read.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, openat, statat};
use rustix::io;
use std::collections::VecDeque;
use std::ffi::{CString, OsStr};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long it may take.
const TIME: Duration = Duration::from_secs(5);

/// Folders that wait for their turn at most; what lies in others is not listed.
const WAITING: usize = 4096;

/// Behind everything else that wants the processor.
const NICE: i32 = 19;

/// Has the view on `point` listed, its upper folders first, until `entries` were seen. By a
/// process of its own, as `mount` says why; it ends by itself, with the view at the latest.
pub(super) fn start(point: &Path, entries: usize) {
    let spawned = Command::new("/proc/self/exe")
        .arg0("inspectfs")
        .args(["helper", "list"])
        .arg(point)
        .arg(entries.to_string())
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let reaped = spawned.and_then(|mut process| {
        thread::Builder::new()
            .name("warm".to_owned())
            .spawn(move || process.wait())
    });
    if let Err(error) = reaped {
        tracing::debug!(%error, "the view is not listed beforehand");
    }
}

/// Lists it; what the process does that [`start`] starts.
///
/// # Errors
/// The view is gone.
pub fn list(point: &Path, entries: usize) -> io::Result<()> {
    let _only_slower = rustix::process::setpriority_process(None, NICE);
    let walk = Walk {
        left: entries,
        until: Instant::now() + TIME,
    };
    walk.run(point.as_os_str().as_bytes())
}

struct Walk {
    left: usize,
    until: Instant,
}

const FLAGS: OFlags = OFlags::DIRECTORY
    .union(OFlags::RDONLY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Walk {
    fn run(mut self, point: &[u8]) -> io::Result<()> {
        let root = open(OsStr::from_bytes(point), FLAGS, Mode::empty())?;
        let device = statat(&root, c"", AtFlags::EMPTY_PATH)?.st_dev;
        // Paths from the root, so that no folder is held open while it waits.
        let mut waiting = VecDeque::from([c".".to_owned()]);
        while let Some(path) = waiting.pop_front() {
            let Ok(folder) = openat(&root, &*path, FLAGS, Mode::empty()) else {
                continue; // gone, or not for us
            };
            if statat(&folder, c"", AtFlags::EMPTY_PATH)?.st_dev == device
                && !self.list(folder, &path, &mut waiting)
            {
                break;
            }
        }
        Ok(())
    }

    /// Whether there is more to do.
    fn list(&mut self, folder: OwnedFd, path: &CString, waiting: &mut VecDeque<CString>) -> bool {
        let Ok(listing) = Dir::new(folder) else {
            return true;
        };
        for entry in listing {
            let Ok(entry) = entry else {
                return true;
            };
            if Instant::now() > self.until {
                return false;
            }
            let Some(left) = self.left.checked_sub(1) else {
                return false;
            };
            self.left = left;
            let name = entry.file_name().to_bytes();
            if entry.file_type() == FileType::Directory
                && name != b"."
                && name != b".."
                && waiting.len() < WAITING
                && let Ok(below) = CString::new([path.to_bytes(), b"/", name].concat())
            {
                waiting.push_back(below);
            }
        }
        true
    }
}
