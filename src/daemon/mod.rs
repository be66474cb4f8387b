//! The composition root: builds policy, workspace, view and mount, and keeps them running.

mod background;
mod control;
mod doctor;
mod find;
mod init;
mod memory;
mod policy;
mod registry;
mod reload;
mod runtime;
mod serve;
mod status;
mod unmount;
mod upkeep;
mod warm;

pub use background::{Answered, in_background};
pub use doctor::{Finding, Verdict, examine, has_user_namespaces};
pub use find::{Place, workspace_above, workspace_of};
pub use init::{Started, init};
pub use policy::PolicySources;
pub use serve::{MountRequest, Ready, Tuning, serve};
pub use status::{Caching, Listed, Live, State, Watches, status};
pub use unmount::unmount;
pub use warm::list as list_view;

/// What the helper process of a view does; see [`crate::mount::relay`].
///
/// # Errors
/// The view is gone.
pub fn relay(point: &Path, number: u64) -> Result<()> {
    Ok(crate::mount::relay(point, number)?)
}

use crate::policy::Policy;
use crate::view::{Settings, View};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;

/// A view that nothing mounts, for the commands that only ask.
///
/// # Errors
/// The workspace cannot be opened, or its policy is broken.
pub fn offline_view(workspace: &Path, sources: &PolicySources) -> Result<Arc<View>> {
    offline_view_within(workspace, sources, crate::probe::Limits::default())
}

/// As [`offline_view`], with other bounds on probes.
///
/// # Errors
/// As there.
pub fn offline_view_within(
    workspace: &Path,
    sources: &PolicySources,
    limits: crate::probe::Limits,
) -> Result<Arc<View>> {
    // A walk holds a descriptor a level; with the old limit it reports what it cannot open.
    let _limit = crate::workspace::raise_descriptor_limit();
    let opened = open_workspace(workspace)?;
    let policy = Policy::new(&sources.read(&opened, &[])?)?;
    let settings = Settings {
        aliases: find::aliases(workspace),
        limits,
        ..Settings::default()
    };
    Ok(View::new(opened, policy, settings))
}

/// Opens a workspace, with an error that says what is wrong with the path.
fn open_workspace(path: &Path) -> Result<Workspace> {
    let shown = path.display();
    let meta = std::fs::metadata(path).with_context(|| {
        format!("workspace '{shown}' cannot be used; name a folder that exists and you may enter")
    })?;
    anyhow::ensure!(
        meta.is_dir(),
        "workspace '{shown}' is a file; name the folder it lies in"
    );
    let workspace = match Workspace::open(path) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            anyhow::bail!("this kernel has no openat2; inspectfs needs Linux 5.8 or newer")
        }
        other => other.with_context(|| format!("workspace '{shown}' cannot be opened"))?,
    };
    anyhow::ensure!(
        !crate::workspace::is_view(workspace.meta().mount)?,
        "workspace '{shown}' lies in a view already; name the folder that the view is of"
    );
    Ok(workspace)
}
