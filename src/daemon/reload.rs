//! The policy loaded anew when its files change.

use super::PolicySources;
use crate::policy::{Policy, Sources};
use crate::relpath::RelPath;
use crate::view::View;
use crate::watch::Change;
use crate::workspace::Workspace;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a policy file must stand still before it counts.
const SETTLED_AFTER: Duration = Duration::from_millis(300);

/// Follows changes of the policy's files.
pub(super) struct Reload {
    pub(super) view: Arc<View>,
    pub(super) sources: PolicySources,
    pub(super) hidden: Vec<RelPath>,
    pub(super) workspace: PathBuf,
    /// What the policy in force was made of.
    pub(super) in_force: Mutex<Sources>,
}

impl Reload {
    /// Loads the policy anew after each burst of changes. A broken one keeps the old in force.
    pub(super) async fn follow(self, mut changes: mpsc::Receiver<Change>) {
        let reload = Arc::new(self);
        while changes.recv().await.is_some() {
            // A file that is being written is short, empty or gone for a moment, and that may
            // be a valid policy that hides nothing: only what stands still counts.
            while tokio::time::timeout(SETTLED_AFTER, changes.recv())
                .await
                .is_ok_and(|change| change.is_some())
            {}
            // Telling the kernel what to drop waits for it: not on this thread.
            let reload = Arc::clone(&reload);
            let loaded = tokio::task::spawn_blocking(move || reload.load()).await;
            match loaded.unwrap_or_else(|failed| Err(failed.into())) {
                Ok(()) => tracing::info!("the policy in force is that of its files"),
                Err(error) => {
                    tracing::error!("the policy stays as it was: {error:#}");
                }
            }
        }
    }

    fn load(&self) -> Result<()> {
        let workspace = Workspace::open(&self.workspace)?;
        let texts = self.sources.read(&workspace, &self.hidden)?;
        let mut in_force = self.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        if *in_force != texts {
            self.view.replace_policy(Policy::new(&texts)?);
            *in_force = texts;
        }
        Ok(())
    }
}
