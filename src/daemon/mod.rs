//! The composition root: builds policy, workspace, view and mount, and keeps them running.

mod background;
mod control;
mod doctor;
mod find;
mod memory;
mod policy;
mod registry;
mod runtime;
mod serve;
mod status;
mod unmount;
mod upkeep;
mod warm;

pub use background::{Answered, in_background};
pub use doctor::{Finding, Verdict, examine, has_user_namespaces};
pub use find::{Place, workspace_above, workspace_of};
pub use policy::PolicySources;
pub use serve::{MountRequest, Ready, serve};
pub use status::{Caching, Listed, Live, State, Watches, status};
pub use unmount::unmount;

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
    let opened = open_workspace(workspace)?;
    let policy = Policy::new(&sources.read(&opened, &[])?)?;
    let settings = Settings {
        aliases: find::aliases(workspace),
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
