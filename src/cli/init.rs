//! `inspectfs init`: a policy file to begin with.

use super::check::finding_in_words;
use super::workspace_or_here;
use crate::daemon;
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// The workspace, if not the one around the current folder
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Writes the file and says what it found worth a rule.
pub(super) fn init(args: &InitArgs) -> Result<()> {
    let started = daemon::init(&workspace_or_here(args.workspace.as_deref())?)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&started)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "wrote {}/{}; it changes nothing until you edit it",
        started.workspace, started.path
    )?;
    if started.worth_a_rule > 0 {
        writeln!(out, "worth a rule ({}):", started.worth_a_rule)?;
        for item in &started.first {
            writeln!(out, "    {}", finding_in_words(item))?;
        }
    }
    Ok(())
}
