//! `inspectfs inspect` and `inspectfs outline`: the sidecars' bytes without a mount. Whatever
//! goes wrong is a failure document on standard output.

use super::PolicyArgs;
use crate::daemon::{self, Place};
use crate::probe::{self, Code, Failure};
use crate::view::{Document, JOB_STACK_BYTES, View};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct DocumentArgs {
    /// Files or folders; one document a line
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The workspace, if not the one around each path
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Prints a document for each path; fails if one of them has none.
pub(super) fn print(args: &DocumentArgs, document: Document) -> ExitCode {
    let printed = std::thread::scope(|scope| {
        let work = std::thread::Builder::new()
            .stack_size(JOB_STACK_BYTES)
            .spawn_scoped(scope, || print_all(args, document));
        work.map(std::thread::ScopedJoinHandle::join)
    });
    match printed {
        Ok(Ok(Ok(true))) => ExitCode::SUCCESS,
        Ok(Ok(Ok(false) | Err(_))) => ExitCode::FAILURE,
        // No thread, or a panic in it.
        Ok(Err(_)) | Err(_) => fail(&Failure::new(Code::Read, "the document cannot be made")),
    }
}

fn print_all(args: &DocumentArgs, document: Document) -> std::io::Result<bool> {
    let mut views: HashMap<PathBuf, Arc<View>> = HashMap::new();
    let mut all_good = true;
    let mut out = std::io::stdout().lock();
    for path in &args.paths {
        let (place, made) = match made(path, args, document, &mut views) {
            Ok((place, made)) => (Some(place), made),
            Err(failure) => (None, Err(failure)),
        };
        let bytes = made.unwrap_or_else(|failure| {
            all_good = false;
            probe::failure_document(place.as_deref(), &failure)
        });
        out.write_all(&bytes)?;
    }
    out.flush()?;
    Ok(all_good)
}

type Made = (String, Result<Vec<u8>, Failure>);

/// The path as documents show it and its document; an error for a path outside of everything.
fn made(
    path: &Path,
    args: &DocumentArgs,
    document: Document,
    views: &mut HashMap<PathBuf, Arc<View>>,
) -> Result<Made, Failure> {
    let place = daemon::workspace_of(path, args.workspace.as_deref());
    let Ok(Place { workspace, path }) = place else {
        return Err(Failure::new(Code::Read, "the current folder is gone"));
    };
    let Some(path) = path else {
        let message = "the path lies outside the workspace; name it with --workspace";
        return Err(Failure::new(Code::OutsideWorkspace, message));
    };
    let text = path.to_text();
    let view = match views.get(&workspace) {
        Some(view) => Arc::clone(view),
        None => match daemon::offline_view(&workspace, &args.policy.sources()) {
            Ok(view) => {
                views.insert(workspace, Arc::clone(&view));
                view
            }
            // What is wrong with a policy is told by its line; host paths stay out of documents.
            Err(error) => return Ok((text, Err(unusable(&error, args)))),
        },
    };
    let made = view.document(&path, document);
    Ok((text, made))
}

fn unusable(error: &anyhow::Error, args: &DocumentArgs) -> Failure {
    match error.downcast_ref::<crate::policy::PolicyError>() {
        Some(policy) => Failure::new(Code::Usage, policy.to_string()),
        None if args.policy.policy.is_some() => Failure::new(
            Code::Usage,
            "the workspace or the policy file cannot be read",
        ),
        None => Failure::new(Code::NotFound, "the workspace cannot be read"),
    }
}

/// The failure document of a mistake on the command line.
pub(super) fn usage_failure(message: &str) -> ExitCode {
    fail(&Failure::new(Code::Usage, message))
}

fn fail(failure: &Failure) -> ExitCode {
    let bytes = probe::failure_document(None, failure);
    let _nobody_reads = std::io::stdout().write_all(&bytes);
    ExitCode::FAILURE
}
