//! `inspectfs row`: where the rows that an outline named are now. One answer a line, in the
//! order of the rows; whatever goes wrong is a failure document on standard output.

use super::documents::on_a_large_stack;
use super::views::{At, Views, WorkspaceArgs};
use crate::probe::{self, Failure, Limits, RowSpec};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct RowArgs {
    /// The file that the rows are of
    file: PathBuf,
    /// LINE:HASH or LINE:HASH..LINE:HASH, as outlines give them
    #[arg(required = true, value_name = "ROW")]
    rows: Vec<String>,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// Prints an answer for each row; fails if one of them is nowhere.
pub(super) fn print(args: &RowArgs) -> ExitCode {
    on_a_large_stack(|out| {
        let (path, answers) = answers(args);
        let mut all_good = true;
        for answer in answers {
            all_good &= answer.is_ok();
            out.write_all(&match answer {
                Ok(resolved) => probe::row_document(path.as_deref().unwrap_or_default(), &resolved),
                Err(failure) => probe::failure_document(path.as_deref(), &failure),
            })?;
        }
        Ok(all_good)
    })
}

type Answers = Vec<Result<probe::Resolved, Failure>>;

/// The path as documents show it, if there is one, and an answer a row; a single failure where
/// the file itself is the matter.
fn answers(args: &RowArgs) -> (Option<String>, Answers) {
    let At { view, path } = match Views::new(&args.workspace, Limits::default()).at(&args.file) {
        Ok(at) => at,
        Err((path, failure)) => return (path, vec![Err(failure)]),
    };
    let text = Some(path.to_text());
    let specs: Vec<Result<RowSpec, Failure>> = args.rows.iter().map(|row| row.parse()).collect();
    let rows: Vec<RowSpec> = specs.iter().flatten().copied().collect();
    let mut found: VecDeque<_> = match view.rows(&path, &rows) {
        Ok(found) => found.into(),
        Err(failure) => return (text, vec![Err(failure)]),
    };
    let answers = specs.into_iter().filter_map(|spec| match spec {
        Ok(_) => found.pop_front(),
        Err(failure) => Some(Err(failure)),
    });
    (text, answers.collect())
}
