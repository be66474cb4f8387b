//! Which process serves which mount: one file a view in the runtime folder, so that `unmount`
//! can end it.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A view that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The serving process.
    pub(super) pid: u32,
    /// When it started, in clock ticks since the machine did: a pid is used again, both are not.
    pub(super) started: u64,
    /// Where it is mounted.
    pub(super) mount_point: PathBuf,
}

/// A record on disk, removed when the view ends.
#[derive(Debug)]
pub(super) struct Registered(PathBuf);

impl Drop for Registered {
    fn drop(&mut self) {
        let _gone_already = fs::remove_file(&self.0);
    }
}

/// Records that this process serves the file system `device` on `mount_point`.
///
/// # Errors
/// The runtime folder is not ours or cannot be written.
pub(super) fn register(device: u64, mount_point: &Path) -> Result<Registered> {
    let pid = std::process::id();
    let record = Record {
        pid,
        started: start_time(pid).context("/proc is not readable")?,
        mount_point: mount_point.to_owned(),
    };
    let folder = own_folder()?;
    let path = folder.join(format!("{device:x}.json"));
    let scratch = folder.join(format!("{device:x}.{pid}"));
    fs::write(&scratch, serde_json::to_vec(&record)?)?;
    fs::rename(&scratch, &path)?;
    Ok(Registered(path))
}

/// The process that serves the file system `device`, if it still runs.
pub(super) fn find(device: u64) -> Option<Record> {
    let path = own_folder().ok()?.join(format!("{device:x}.json"));
    let record: Record = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (start_time(record.pid).ok()? == record.started).then_some(record)
}

/// The runtime folder, made if need be: ours, and for nobody else.
fn own_folder() -> Result<PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    let folder = match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(runtime) if runtime.is_absolute() && runtime.is_dir() => runtime.join("inspectfs"),
        _ if uid == 0 => PathBuf::from("/run/inspectfs"),
        _ => PathBuf::from(format!("/tmp/inspectfs-{uid}")),
    };
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("'{}'", folder.display()));
        }
        _ => {}
    }
    let meta = fs::symlink_metadata(&folder)?;
    if !meta.is_dir() || meta.uid() != uid || meta.permissions().mode() & 0o077 != 0 {
        bail!(
            "'{}' is not a folder of yours alone; remove it",
            folder.display()
        );
    }
    Ok(folder)
}

/// When a process started, in clock ticks since the machine did.
fn start_time(pid: u32) -> io::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in brackets may hold anything; the fields follow its last bracket.
    stat.rsplit(')')
        .next()
        .and_then(|fields| fields.split_ascii_whitespace().nth(19))
        .and_then(|field| field.parse().ok())
        .ok_or_else(|| io::Error::other("no start time"))
}
