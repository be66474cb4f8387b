//! Which process serves which mount: one file a view in the runtime folder, so that `unmount`
//! can end it and `status` finds it.

use super::runtime::own_folder;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// A record is far smaller; a larger file is none.
const MAX_RECORD_BYTES: u64 = 64 * 1024;

/// A view that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The serving process.
    pub(super) pid: u32,
    /// When it started, in clock ticks since the machine did: a pid is used again, both are not.
    pub(super) started: u64,
    /// Where it is mounted, as text: to be shown, not to be resolved.
    pub(super) mount_point: String,
    /// What it is a view of, likewise.
    #[serde(default)]
    pub(super) workspace: String,
    /// Its name in the mount table.
    #[serde(default)]
    pub(super) name: String,
}

impl Record {
    /// Whether the serving process still runs.
    pub(super) fn is_served(&self) -> bool {
        start_time(self.pid).is_ok_and(|started| started == self.started)
    }
}

/// A record on disk, removed when the view ends.
#[derive(Debug)]
pub(super) struct Registered {
    device: u64,
    record: Record,
}

impl Drop for Registered {
    /// The number may be that of another view already.
    fn drop(&mut self) {
        forget(self.device, &self.record);
    }
}

/// Records that this process serves the file system `device` on `mount_point`.
///
/// # Errors
/// The runtime folder is not ours or cannot be written.
pub(super) fn register(
    device: u64,
    mount_point: &Path,
    workspace: &Path,
    name: &str,
) -> Result<Registered> {
    let pid = std::process::id();
    let record = Record {
        pid,
        started: start_time(pid).context("/proc is not readable")?,
        mount_point: mount_point.to_string_lossy().into_owned(),
        workspace: workspace.to_string_lossy().into_owned(),
        name: name.to_owned(),
    };
    let folder = own_folder()?;
    let path = folder.join(format!("{device:x}.json"));
    // What a view that was killed left under this number.
    if let Some(before) = read(&path) {
        let _gone_already = fs::remove_file(folder.join(socket_name(device, before.pid)));
    }
    let scratch = folder.join(format!("{device:x}.{pid}"));
    fs::write(&scratch, serde_json::to_vec(&record)?)?;
    fs::rename(&scratch, &path)?;
    Ok(Registered { device, record })
}

/// The name of a view's control socket. The number of a file system is used again at once, and
/// who ends must not take the socket of the next.
pub(super) fn socket_name(device: u64, pid: u32) -> String {
    format!("{device:x}-{pid}.sock")
}

/// The process that serves the file system `device`, if it still runs.
pub(super) fn find(device: u64) -> Option<Record> {
    recorded(device).filter(Record::is_served)
}

/// Whether the process that is recorded for the file system `device` on `point` still runs;
/// `None` without a record. The number may be another's by now, so both must agree.
pub(super) fn is_served(device: u64, point: &Path) -> Option<bool> {
    let record = recorded(device)?;
    (record.mount_point == point.to_string_lossy()).then(|| record.is_served())
}

fn recorded(device: u64) -> Option<Record> {
    read(&own_folder().ok()?.join(format!("{device:x}.json")))
}

/// Every record there is, of views that are served and of those that are not any more, by the
/// number of the file system.
///
/// # Errors
/// The runtime folder is not ours or cannot be read.
pub(super) fn all() -> Result<Vec<(u64, Record)>> {
    let folder = own_folder()?;
    let unread = || format!("'{}' cannot be read", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).with_context(unread)? {
        let path = entry.with_context(unread)?.path();
        let device = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".json"))
            .and_then(|number| u64::from_str_radix(number, 16).ok());
        // One that goes at this moment is one of a view that ended.
        if let Some(device) = device
            && let Some(record) = read(&path)
        {
            found.push((device, record));
        }
    }
    Ok(found)
}

/// Removes what is recorded of a view that is gone, if it is still that one.
pub(super) fn forget(device: u64, record: &Record) {
    if let Ok(folder) = own_folder() {
        let _gone_already = fs::remove_file(folder.join(socket_name(device, record.pid)));
        let path = folder.join(format!("{device:x}.json"));
        if read(&path).as_ref() == Some(record) {
            let _gone_already = fs::remove_file(path);
        }
    }
}

fn read(path: &Path) -> Option<Record> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(MAX_RECORD_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// When a process started, in clock ticks since the machine did.
fn start_time(pid: u32) -> io::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in brackets may hold anything; the fields follow its last bracket. One that was
    // killed serves nobody, even if some thread of it cannot end yet.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next();
    fields
        .nth(18)
        .filter(|_| state != Some("Z"))
        .and_then(|field| field.parse().ok())
        .ok_or_else(|| io::Error::other("no start time"))
}
