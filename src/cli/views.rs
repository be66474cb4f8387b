//! Views of the workspaces around the paths that a command is given, one a workspace.

use super::PolicyArgs;
use crate::daemon::{self, Place};
use crate::probe::{Code, Failure, Limits};
use crate::relpath::RelPath;
use crate::view::View;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct WorkspaceArgs {
    /// The workspace, if not the one around each path
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// A path and the view of the workspace it lies in.
pub(super) struct At {
    pub(super) view: Arc<View>,
    pub(super) path: RelPath,
}

/// The views opened so far.
pub(super) struct Views<'a> {
    args: &'a WorkspaceArgs,
    limits: Limits,
    open: HashMap<PathBuf, Arc<View>>,
}

impl<'a> Views<'a> {
    pub(super) fn new(args: &'a WorkspaceArgs, limits: Limits) -> Self {
        Self {
            args,
            limits,
            open: HashMap::new(),
        }
    }

    /// The view that `path` is to be asked of; else the path as documents show it, if there is
    /// one, and what is wrong.
    pub(super) fn at(&mut self, path: &Path) -> Result<At, (Option<String>, Failure)> {
        let place = daemon::workspace_of(path, self.args.workspace.as_deref());
        let Ok(Place { workspace, path }) = place else {
            let failure = Failure::new(Code::Read, "the current folder is gone");
            return Err((None, failure));
        };
        let Some(path) = path else {
            let message = "the path lies outside the workspace; name it with --workspace";
            return Err((None, Failure::new(Code::OutsideWorkspace, message)));
        };
        let open = || {
            daemon::offline_view_within(
                &workspace,
                &self.args.policy.sources(),
                self.limits.clone(),
            )
        };
        let view = match self.open.get(&workspace) {
            Some(view) => Arc::clone(view),
            None => match open() {
                Ok(view) => {
                    self.open.insert(workspace, Arc::clone(&view));
                    view
                }
                // What is wrong with a policy is told by its line; host paths stay out of
                // documents.
                Err(error) => return Err((Some(path.to_text()), self.unusable(&error))),
            },
        };
        Ok(At { view, path })
    }

    fn unusable(&self, error: &anyhow::Error) -> Failure {
        match error.downcast_ref::<crate::policy::PolicyError>() {
            Some(policy) => Failure::new(Code::Usage, policy.to_string()),
            None if self.args.policy.policy.is_some() => Failure::new(
                Code::Usage,
                "the workspace or the policy file cannot be read",
            ),
            None => Failure::new(Code::NotFound, "the workspace cannot be read"),
        }
    }
}
