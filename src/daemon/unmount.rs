//! Ending a view, living or dead.

use super::registry;
use crate::mount::unmount_at;
use crate::mountinfo::{self, MountEntry};
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How long a view may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether it has.
const POLL: Duration = Duration::from_millis(5);

/// Ends the view on `point`: its process is asked to, and what it leaves is unmounted.
///
/// # Errors
/// There is no view; the mount cannot be taken away.
pub fn unmount(point: &Path) -> Result<()> {
    let shown = point.display();
    let absolute = absolute(point)?;
    anyhow::ensure!(
        absolute.symlink_metadata().is_ok() || view_on(&absolute)?.is_some(),
        "'{shown}' does not exist; name the folder that the view is mounted on"
    );
    let Some(view) = view_on(&absolute)? else {
        bail!("'{shown}' is no inspectfs view; /proc/self/mountinfo lists those there are");
    };
    let server = registry::find(view.device_number())
        .and_then(|record| i32::try_from(record.pid).ok())
        .and_then(Pid::from_raw);
    if let Some(server) = server {
        let _gone_already = kill_process(server, Signal::TERM);
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if view_on(&absolute)?.is_none_or(|now| now.id != view.id) {
                return Ok(());
            }
            thread::sleep(POLL);
        }
    }
    match view_on(&absolute)? {
        Some(now) if now.id == view.id => {
            unmount_at(&absolute).with_context(|| format!("'{shown}' cannot be unmounted"))
        }
        _ => Ok(()),
    }
}

/// The view on top at `point`, which is absolute.
pub(super) fn view_on(point: &Path) -> Result<Option<MountEntry>> {
    let table = mountinfo::read().context("the mount table cannot be read")?;
    let top = table.into_iter().rfind(|entry| entry.mount_point == point);
    Ok(top.filter(MountEntry::is_view))
}

/// The path without links, also where a dead mount makes its last name impossible to ask for.
pub(super) fn absolute(point: &Path) -> Result<PathBuf> {
    if let Ok(real) = point.canonicalize() {
        return Ok(real);
    }
    let shown = point.display();
    let current = std::env::current_dir().context("the current folder is gone")?;
    let joined = current.join(point);
    let (Some(parent), Some(name)) = (joined.parent(), joined.file_name()) else {
        bail!("'{shown}' does not exist");
    };
    let parent = parent
        .canonicalize()
        .with_context(|| format!("'{shown}' cannot be found"))?;
    Ok(parent.join(name))
}

/// Whether nobody serves the view on `point` any more: by its record, if it has one. Else the
/// daemon has to be asked; what the kernel keeps can be listed and read without it.
pub(super) fn is_dead(point: &Path, view: &MountEntry) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    if let Some(is_served) = registry::is_served(view.device_number(), point) {
        return !is_served;
    }
    let flags = AtFlags::STATX_FORCE_SYNC | AtFlags::NO_AUTOMOUNT;
    let asked = statx(CWD, point, flags, StatxFlags::BASIC_STATS);
    asked.err() == Some(rustix::io::Errno::NOTCONN)
}
