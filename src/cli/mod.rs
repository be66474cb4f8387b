//! The command line: flags to requests, results to exit codes. clap lives here only.

mod check;
mod doctor;
mod documents;
mod explain;
mod init;
mod mount;
mod paths;
mod rows;
mod status;
mod views;

use crate::view::Document;
use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A policy-filtered view of a workspace, with a structural summary beside every file.
#[derive(Debug, Parser)]
#[command(name = "inspectfs", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Mount a filtered view of a workspace; returns when the view is ready
    Mount(mount::MountArgs),
    /// End the view on a mount point, also a dead one
    Unmount {
        /// Where the view is mounted
        mountpoint: PathBuf,
    },
    /// Show the views there are, living and dead
    Status(status::StatusArgs),
    /// Tell what this machine allows, and what to do about what it does not
    Doctor(doctor::DoctorArgs),
    /// Print the structural summary of files or folders, as `PATH.inspect.json` in a view
    Inspect(documents::DocumentArgs),
    /// Print the symbols of files with their lines, as `PATH.outline.json` in a view
    Outline(documents::DocumentArgs),
    /// Say what the policy makes of paths and which rule decides, also for hidden ones
    Explain(explain::ExplainArgs),
    /// Hold the policy against the tree; fails if something needs attention
    Check(check::CheckArgs),
    /// Write a commented policy file to begin with
    Init(init::InitArgs),
    /// What a view has done on itself by another process
    #[command(subcommand, hide = true)]
    Helper(Helper),
    /// Print where the lines that an outline names as LINE:HASH are now
    Row(rows::RowArgs),
}

#[derive(Debug, Subcommand)]
enum Helper {
    /// Make changes that the daemon swallows
    Relay { mountpoint: PathBuf, number: u64 },
    /// List what is there
    List { mountpoint: PathBuf, entries: usize },
}

/// Runs the command that `arguments` name, the program's own name first.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => return usage(arguments, &error),
    };
    let result = match command {
        Command::Mount(args) => mount::mount(args, arguments),
        Command::Unmount { mountpoint } => crate::daemon::unmount(&mountpoint),
        Command::Status(args) => status::status(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Inspect(args) => return documents::print(&args, Document::Inspect),
        Command::Outline(args) => return documents::print(&args, Document::Outline),
        Command::Explain(args) => return explain::print(&args),
        Command::Init(args) => init::init(&args),
        Command::Check(args) => match check::check(&args) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::FAILURE,
            Err(error) => Err(error),
        },
        Command::Helper(Helper::Relay { mountpoint, number }) => {
            crate::daemon::relay(&mountpoint, number)
        }
        Command::Helper(Helper::List {
            mountpoint,
            entries,
        }) => crate::daemon::list_view(&mountpoint, entries).map_err(anyhow::Error::from),
        Command::Row(args) => return rows::print(&args),
    };
    exit_code(result)
}

fn exit_code(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// One line on standard error, whatever the parts say.
fn complain(error: &anyhow::Error) {
    let line = format!("{error:#}").replace('\n', " ");
    eprintln!("inspectfs: {line}");
}

/// Help and version go out as they are; a mistake is one line, or the failure document where
/// the command prints documents.
fn usage(arguments: &[OsString], error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_nobody_reads) => ExitCode::FAILURE,
        };
    }
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("unknown arguments");
    let first = first.strip_prefix("error: ").unwrap_or(first);
    // A tip to pass a flag as a path helps nobody who misspelt it.
    let tip = lines
        .find_map(|line| line.strip_prefix("tip: "))
        .filter(|tip| !tip.contains("'-- "));
    let command = arguments.get(1).map(|name| name.to_string_lossy());
    let way_out = match (tip, &command) {
        (Some(tip), _) => tip.to_owned(),
        (None, Some(name)) if !name.starts_with('-') && is_command(name) => {
            format!("see 'inspectfs {name} --help'")
        }
        _ => "see 'inspectfs --help'".to_owned(),
    };
    let missing: Vec<&str> = text
        .lines()
        .skip(1)
        .map(str::trim)
        .take_while(|line| line.starts_with('<'))
        .collect();
    let message = format!("{first} {}", missing.join(" "));
    let message = format!("{}; {way_out}", message.trim_end().trim_end_matches(':'));
    if matches!(command.as_deref(), Some("inspect" | "outline" | "row")) {
        return documents::usage_failure(&message);
    }
    eprintln!("inspectfs: {message}");
    ExitCode::FAILURE
}

fn is_command(name: &str) -> bool {
    use clap::CommandFactory;
    Cli::command()
        .get_subcommands()
        .any(|command| command.get_name() == name)
}

/// The workspace that was named, else the one around the current folder.
fn workspace_or_here(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let current = std::env::current_dir().context("the current folder is gone")?;
    Ok(crate::daemon::workspace_above(&current).unwrap_or(current))
}

/// Where the policy comes from, for every command that has one.
#[derive(Debug, Clone, clap::Args)]
struct PolicyArgs {
    /// Policy that takes the place of the workspace's own .inspectfs.toml
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Hide what the pattern matches; no rule shows it again, only --show
    #[arg(long, value_name = "PATTERN")]
    hide: Vec<String>,
    /// Refuse a group (read, search, mutate-content, mutate-structure) where the pattern matches
    #[arg(long, value_name = "GROUP:PATTERN")]
    deny: Vec<String>,
    /// Show a name or path that is hidden by default, such as .env.test
    #[arg(long, value_name = "NAME")]
    show: Vec<String>,
}

impl PolicyArgs {
    fn sources(&self) -> crate::daemon::PolicySources {
        crate::daemon::PolicySources {
            file: self.policy.clone(),
            command_line: crate::policy::CommandLine {
                hide: self.hide.clone(),
                deny: self.deny.clone(),
                show: self.show.clone(),
            },
        }
    }
}
