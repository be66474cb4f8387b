//! The runtime folder: records and control sockets of this user's views.

use anyhow::{Context, Result, bail};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::PathBuf;

/// The runtime folder, made if need be: ours, and for nobody else.
///
/// # Errors
/// It cannot be made, or is somebody else's.
pub(super) fn own_folder() -> Result<PathBuf> {
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
