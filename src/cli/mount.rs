//! `inspectfs mount`.

use super::{PolicyArgs, workspace_or_here};
use crate::daemon::{self, MountRequest, Ready, Tuning};
use crate::view::Sidecars;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Entries that are listed beforehand unless the user says otherwise: some tenths of a second
/// in the background.
const WARM_ENTRIES: usize = 10_000;

/// Bytes after which the file of messages is begun anew.
const MAX_MESSAGES: u64 = 1 << 20;

#[derive(Debug, clap::Args)]
#[command(override_usage = "inspectfs mount [OPTIONS] [WORKSPACE] MOUNTPOINT")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct MountArgs {
    /// The workspace, if not the one around the current folder, and an empty folder to mount on
    #[arg(value_name = "PATH", num_args = 1..=2, required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Which sidecars listings show; all of them open by name in any case
    #[arg(long, value_enum, default_value = "root")]
    sidecars: ListedSidecars,
    /// Read-only, as views are for now
    #[arg(long)]
    read_only: bool,
    /// Let other users into the view
    #[arg(long)]
    allow_other: bool,
    /// Refuse at open what may not be read, to root too; slower: each open is asked for
    #[arg(long, overrides_with = "strict_open")]
    strict_open: bool,
    /// Have the kernel read open files by itself, as root: fast for large files, slower for many
    /// small ones, and what is open stays readable whatever the policy becomes
    #[arg(long, overrides_with = "passthrough")]
    passthrough: bool,
    /// Let watchers inside the view (inotify) hear nothing of changes outside
    #[arg(long)]
    no_relay: bool,
    /// List up to so many entries beforehand, so that the first walk is a fast one; 0 for none
    #[arg(long, value_name = "ENTRIES", default_value_t = WARM_ENTRIES)]
    warm: usize,
    /// The view's name in the mount table
    #[arg(long)]
    name: Option<String>,
    /// Stay in the foreground until the view is unmounted
    #[arg(long)]
    foreground: bool,
    /// Write a line to this open descriptor when the view is ready
    #[arg(long, value_name = "N")]
    ready_fd: Option<RawFd>,
    /// Say that the view is ready as a JSON object
    #[arg(long)]
    json: bool,
    /// Set by the background start: messages end when the view is ready
    #[arg(long, hide = true)]
    detached: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ListedSidecars {
    /// That of the view's root
    Root,
    /// Every one
    All,
    /// None
    None,
}

/// Mounts; without `--foreground` in a process of its own.
pub(super) fn mount(mut args: MountArgs, arguments: &[OsString]) -> Result<()> {
    let point = args.paths.pop().context("no mount point given")?;
    let named = args.paths.pop();
    let ready_to = args.ready_fd.map(ready_file).transpose()?;
    if !args.foreground {
        return in_background(&args, arguments, ready_to, &point);
    }
    if args.detached {
        rustix::process::setsid().context("no session of its own")?;
    }
    let workspace = workspace_or_here(named.as_deref())?;
    let ready_to = match (ready_to, args.json) {
        (Some(file), _) => Some(file),
        (None, true) => Some(File::from(rustix::io::dup(rustix::stdio::stdout())?)),
        (None, false) => None,
    };
    daemon::serve(&MountRequest {
        workspace,
        point,
        policy: args.policy.sources(),
        sidecars: match args.sidecars {
            ListedSidecars::Root => Sidecars::Root,
            ListedSidecars::All => Sidecars::All,
            ListedSidecars::None => Sidecars::None,
        },
        allow_other: args.allow_other,
        tuning: Tuning {
            strict_open: args.strict_open,
            passthrough: args.passthrough,
            relay: !args.no_relay,
            warm: args.warm,
        },
        name: args.name,
        ready: ready_to.map(|to| Ready {
            to,
            json: args.json,
        }),
        on_ready: if args.detached { silence } else { |_| {} },
    })
}

fn in_background(
    args: &MountArgs,
    arguments: &[OsString],
    ready_to: Option<File>,
    point: &Path,
) -> Result<()> {
    let passed_on = without_ready_fd(arguments.get(1..).unwrap_or_default());
    let answered = daemon::in_background(&passed_on)?;
    let mut out = std::io::stdout();
    let told = match ready_to {
        Some(mut file) => writeln!(file, "{}", answered.line),
        None if args.json => writeln!(out, "{}", answered.line),
        None => writeln!(out, "ready: {}", point.display()),
    };
    if told.is_err() {
        // A view that nobody knows of is nobody's to end.
        daemon::unmount(point)?;
    }
    told.context("nobody reads the line that says the view is ready; the view was ended")
}

/// The arguments without `--ready-fd`, whose descriptor stays here.
fn without_ready_fd(arguments: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            kept.push(argument.clone());
            kept.extend(rest.cloned());
            return kept;
        }
        if argument == "--ready-fd" {
            rest.next();
        } else if !argument.to_string_lossy().starts_with("--ready-fd=") {
            kept.push(argument.clone());
        }
    }
    kept
}

/// A copy of the descriptor the caller opened for us.
fn ready_file(number: RawFd) -> Result<File> {
    if number < 0 {
        bail!("--ready-fd {number} is no descriptor; give the number of an open one");
    }
    // SAFETY: the number is only looked at by `dup`, which fails if nothing is open under it.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    let copy = rustix::io::fcntl_dupfd_cloexec(borrowed, 3)
        .with_context(|| format!("--ready-fd {number} is not open; open it for writing"))?;
    if number > 2 {
        // SAFETY: the descriptor was given to this process for this use alone; closing it here
        // lets the reader see the end when the copy closes.
        drop(unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(number) });
    }
    Ok(File::from(copy))
}

/// Nobody reads the messages of a view in the background once it is ready: they go to a file
/// among the user's state, never into the workspace.
fn silence(workspace: &Path) {
    if let Ok(null) = File::options().write(true).open("/dev/null") {
        let _kept_open = rustix::stdio::dup2_stdout(&null);
        let messages = messages_file(workspace).unwrap_or(null);
        let _kept_open = rustix::stdio::dup2_stderr(&messages);
    }
    // The view must not hold the folder that it was started in.
    let _stays = std::env::set_current_dir("/");
}

/// `inspectfs/messages.log` in `$XDG_STATE_HOME`, begun anew once it is large.
fn messages_file(workspace: &Path) -> Option<File> {
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    let folder = state.join("inspectfs");
    std::fs::create_dir_all(&folder).ok()?;
    let folder = folder.canonicalize().ok()?;
    if folder.starts_with(workspace) {
        return None;
    }
    let path = folder.join("messages.log");
    let large = path.metadata().is_ok_and(|meta| meta.len() > MAX_MESSAGES);
    File::options()
        .create(true)
        .append(!large)
        .write(true)
        .truncate(large)
        .mode(0o600)
        .open(path)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_descriptor_is_not_passed_on() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let kept = |text| without_ready_fd(&words(text));
        assert_eq!(kept("mount --ready-fd 5 a b"), words("mount a b"));
        assert_eq!(kept("mount --ready-fd=5 a"), words("mount a"));
        assert_eq!(
            kept("mount -- --ready-fd a"),
            words("mount -- --ready-fd a")
        );
    }
}
