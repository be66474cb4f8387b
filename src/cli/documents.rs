//! `inspectfs inspect` and `inspectfs outline`: the sidecars' bytes without a mount. Whatever
//! goes wrong is a failure document on standard output.

use super::paths::{Listed, PathSource};
use super::views::{At, Views, WorkspaceArgs};
use crate::probe::{self, Code, Failure, Limits};
use crate::view::{Document, JOB_STACK_BYTES};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(super) struct DocumentArgs {
    /// Files or folders, one document a line; '-' reads paths from standard input, one a line
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Paths on standard input end with NUL instead of a line end, as find -print0 writes them
    #[arg(short = '0', long)]
    null: bool,
    /// How long parsers may take for one file, at most 2000
    #[arg(
        long,
        value_name = "MILLISECONDS",
        default_value_t = 100,
        value_parser = clap::value_parser!(u64).range(1..=2000)
    )]
    parse_time: u64,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// Prints a document for each path; fails if one of them has none.
pub(super) fn print(args: &DocumentArgs, document: Document) -> ExitCode {
    on_a_large_stack(|out| {
        let limits = Limits {
            time: Duration::from_millis(args.parse_time),
            ..Limits::default()
        };
        let mut views = Views::new(&args.workspace, limits);
        let mut all_good = true;
        for listed in PathSource::new(&args.paths, args.null) {
            let made = match listed {
                Listed::Path(path) => made(&mut views, &path, document),
                Listed::Bad(failure) => Err((None, failure)),
            };
            all_good &= made.is_ok();
            out.write_all(&made.unwrap_or_else(|(path, failure)| {
                probe::failure_document(path.as_deref(), &failure)
            }))?;
        }
        Ok(all_good)
    })
}

/// The document, or the path as documents show it and why there is none.
fn made(
    views: &mut Views<'_>,
    path: &Path,
    document: Document,
) -> Result<Vec<u8>, (Option<String>, Failure)> {
    let At { view, path } = views.at(path)?;
    view.document(&path, document)
        .map_err(|failure| (Some(path.to_text()), failure))
}

/// Runs `print`, which writes documents and says whether all were made, on a thread whose
/// stack suits parsers. Each document goes out with its line end, so that a caller can answer
/// with the next path.
pub(super) fn on_a_large_stack(
    print: impl FnOnce(&mut dyn Write) -> io::Result<bool> + Send,
) -> ExitCode {
    let work = || {
        let mut out = io::stdout().lock();
        let all_good = print(&mut out)?;
        out.flush()?;
        Ok::<bool, io::Error>(all_good)
    };
    let printed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(JOB_STACK_BYTES)
            .spawn_scoped(scope, work);
        thread.map(std::thread::ScopedJoinHandle::join)
    });
    match printed {
        Ok(Ok(Ok(true))) => ExitCode::SUCCESS,
        // Nobody reads on, or a failure is among the documents.
        Ok(Ok(Ok(false) | Err(_))) => ExitCode::FAILURE,
        // No thread, or a panic in it.
        Ok(Err(_)) | Err(_) => fail(&Failure::new(Code::Read, "the document cannot be made")),
    }
}

/// The failure document of a mistake on the command line.
pub(super) fn usage_failure(message: &str) -> ExitCode {
    fail(&Failure::new(Code::Usage, message))
}

fn fail(failure: &Failure) -> ExitCode {
    let bytes = probe::failure_document(None, failure);
    let _nobody_reads = io::stdout().write_all(&bytes);
    ExitCode::FAILURE
}
