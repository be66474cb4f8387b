//! A view from mounting to unmounting.

use super::reload::Reload;
use super::unmount::{absolute, is_dead, view_on};
use super::{PolicySources, control, find, memory, open_workspace, registry, status, upkeep, warm};
use crate::mount::{self, AttachError, Executor, Options, Serving};
use crate::policy::Policy;
use crate::relpath::RelPath;
use crate::view::{
    FolderChange, FolderWatch, Happened, JOB_STACK_BYTES, Opens, Settings, Sidecars, View,
};
use crate::watch::{Change, FolderEvent, FolderWatches, Was, Watcher};
use crate::workspace::{self, Workspace};
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};

/// Threads for work that may take long.
const LONG_WORK_THREADS: usize = 16;

/// How long clients that still use the view keep the process after unmounting.
const LINGER: Duration = Duration::from_secs(1);

/// How to tell that the view is ready.
#[derive(Debug)]
pub struct Ready {
    /// Where the line goes.
    pub to: File,
    /// A JSON object instead of a word.
    pub json: bool,
}

/// What serving a view may cost and is to gain.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    /// Whether opens are asked for, so that a refusal comes there and not at the first read.
    pub strict_open: bool,
    /// Whether the kernel is to read open files by itself, where it may.
    pub passthrough: bool,
    /// Whether watchers inside the view are to see what happens outside, where that can be.
    pub relay: bool,
    /// Entries that are listed beforehand at most.
    pub warm: usize,
}

/// What `mount` is asked for.
#[derive(Debug)]
pub struct MountRequest {
    /// The workspace.
    pub workspace: PathBuf,
    /// Where the view is to appear.
    pub point: PathBuf,
    /// The policy's sources.
    pub policy: PolicySources,
    /// Which sidecars listings show.
    pub sidecars: Sidecars,
    /// Whether other users may come in.
    pub allow_other: bool,
    /// What it costs and what for.
    pub tuning: Tuning,
    /// The view's name in the mount table.
    pub name: Option<String>,
    /// Whom to tell when it is ready.
    pub ready: Option<Ready>,
    /// Called with the workspace when the view is ready and nobody reads this process's messages
    /// any more.
    pub on_ready: fn(&Path),
}

#[derive(Serialize)]
struct ReadyLine<'a> {
    event: &'a str,
    mountpoint: &'a str,
    workspace: &'a str,
    pid: u32,
}

/// Mounts a view and serves it until it is unmounted or the process is told to end.
///
/// # Errors
/// Anything that keeps the view from being served: one line, and nothing stays mounted.
pub fn serve(request: &MountRequest) -> Result<()> {
    let descriptors = workspace::raise_descriptor_limit().unwrap_or(1024);
    let opened = open_workspace(&request.workspace)?;
    let point = mount_point(&request.point)?;
    let hidden = inside(&opened, &point)?;
    let texts = request.policy.read(&opened, &hidden)?;
    let policy = Policy::new(&texts)?;
    for name in policy.shown_by_workspace() {
        eprintln!("inspectfs: the workspace's policy shows '{name}', which is hidden by default");
    }
    let name = request.name.clone().unwrap_or_else(|| "inspectfs".into());
    ensure!(
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)),
        "--name '{name}' may hold letters, digits, '.', '_' and '-' only"
    );
    let watched = request.policy.files(opened.path());
    let settings = Settings {
        sidecars: request.sidecars,
        shared: request.allow_other,
        opens: if request.tuning.strict_open || request.tuning.passthrough {
            Opens::Seen
        } else {
            Opens::Unseen
        },
        aliases: find::aliases(&request.workspace),
        // A share of what the process may open: the rest is for connections and probes.
        folder_descriptors: usize::try_from(descriptors / 8).map_or(64, |n| n.clamp(64, 1024)),
        file_descriptors: usize::try_from(descriptors.saturating_sub(128) / 4)
            .map_or(8, |n| n.clamp(8, 8192)),
        ..Settings::default()
    };
    let workspace = opened.path().to_owned();
    let view = View::new(opened, policy, settings);

    let runtime = runtime()?;
    let reload = Reload {
        view: Arc::clone(&view),
        sources: request.policy.clone(),
        hidden,
        workspace: workspace.clone(),
        in_force: Mutex::new(texts),
    };
    runtime.block_on(run(
        request, &point, &workspace, &name, view, reload, watched,
    ))?;
    // Work that still runs is for clients who are gone.
    runtime.shutdown_background();
    Ok(())
}

fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(LONG_WORK_THREADS)
        .thread_stack_size(JOB_STACK_BYTES)
        .thread_name("work")
        .build()
        .context("the runtime cannot be started")
}

struct LongWork(Handle);

impl Executor for LongWork {
    fn spawn(&self, work: Box<dyn FnOnce() + Send>) {
        drop(self.0.spawn_blocking(|| {
            work();
            memory::give_back();
        }));
    }
}

async fn run(
    request: &MountRequest,
    point: &Path,
    workspace: &Path,
    name: &str,
    view: Arc<View>,
    reload: Reload,
    watched: Vec<PathBuf>,
) -> Result<()> {
    // Before the mount, so that no signal can leave one behind.
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let shown = request.point.display();
    let options = Options {
        name: name.to_owned(),
        allow_other: request.allow_other,
    };
    let attached = mount::attach(point, &options).map_err(|error| refusal(&shown, &error))?;
    let mut mounted = Mounted(attached);
    let executor = Arc::new(LongWork(Handle::current()));
    watch_folders(&view);
    let serving = Serving {
        threads: serving_threads(),
        passthrough: request.tuning.passthrough,
        relay: request.tuning.relay,
    };
    let served = mount::serve(&view, &mut mounted.0, &serving, executor)
        .with_context(|| format!("'{shown}' cannot be served"))?;
    let registered = registry::register(mounted.0.number(), point, workspace, name)
        .inspect_err(|error| tracing::warn!("the view is not registered: {error:#}"));
    let teller = status::Teller {
        view,
        requests: Arc::clone(&served.requests),
        passthrough: request.tuning.passthrough,
        relays: served.relays,
        since: Instant::now(),
    };
    let control = control::listen(mounted.0.number())
        .inspect_err(|error| tracing::warn!("status cannot ask the view: {error:#}"));
    let (sender, changes) = mpsc::channel(16);
    // What was written between the first reading and now is not told.
    let _has_room = sender.try_send(Change);
    let _watcher = Watcher::new(&watched, sender)
        .inspect_err(|error| tracing::warn!("the policy is not watched: {error}"));
    let (ended_tx, mut ended) = oneshot::channel();
    std::thread::Builder::new()
        .name("end".to_owned())
        .spawn(move || ended_tx.send(served.ended.join()))?;
    if let Some(ready) = &request.ready {
        tell_ready(ready, point, workspace)?;
    }
    (request.on_ready)(workspace);

    upkeep::start(&reload.view)?;
    if request.tuning.warm > 0 {
        warm::start(point, request.tuning.warm);
    }
    let reloading = tokio::spawn(reload.follow(changes));
    let stopped = tokio::select! {
        () = stop(&mut term, &mut int, &mut hangup) => None,
        end = &mut ended => Some(end),
        () = answer_questions(control.as_ref().ok(), teller) => None,
    };
    reloading.abort();
    // While the number of the file system is still this view's.
    drop((registered, control));
    if stopped.is_none() {
        mount::detach(&mounted.0).with_context(|| format!("'{shown}' cannot be unmounted"))?;
        // Who still holds files open gets ENOTCONN when this process ends.
        let _still_used = tokio::time::timeout(LINGER, ended).await;
    }
    Ok(())
}

/// Answers on the control socket, if there is one, and never ends.
async fn answer_questions(control: Option<&control::Control>, teller: status::Teller) {
    if let Some(control) = control {
        control.serve(move |asked| teller.answer(asked)).await;
    }
    std::future::pending::<()>().await;
}

/// Has the view told of changes, if the system has watches to give.
fn watch_folders(view: &Arc<View>) {
    let told = Arc::downgrade(view);
    let watches = FolderWatches::start(move |events| {
        if let Some(view) = told.upgrade() {
            view.folder_changed(events.into_iter().map(folder_change).collect());
        }
    });
    match watches {
        Ok(watches) => view.watch_with(Arc::new(Watching(watches))),
        Err(error) => tracing::warn!("folders are not watched, names live short: {error}"),
    }
}

struct Watching(FolderWatches);

impl FolderWatch for Watching {
    fn watch(&self, key: u64, folder: BorrowedFd<'_>) -> bool {
        self.0.watch(key, folder)
    }

    fn unwatch(&self, key: u64) {
        self.0.unwatch(key);
    }
}

fn folder_change(event: FolderEvent) -> FolderChange {
    let (key, name, happened) = match event {
        FolderEvent::Came(key, name) => (key, name, Happened::Came),
        FolderEvent::Went(key, name, Was::File) => (key, name, Happened::FileWent),
        FolderEvent::Went(key, name, Was::Folder) => (key, name, Happened::FolderWent),
        FolderEvent::Modified(key, name) => (key, name, Happened::Modified),
        FolderEvent::Attributes(key, name) => (key, name, Happened::Attributes),
        FolderEvent::FolderMoved(key, name) => return FolderChange::FolderMoved(key, name),
        FolderEvent::Itself(key) => return FolderChange::Itself(key),
        FolderEvent::Overflow => return FolderChange::Anything,
    };
    FolderChange::Name(key, name, happened)
}

async fn stop(term: &mut Signal, int: &mut Signal, hangup: &mut Signal) {
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
        _ = hangup.recv() => {}
    }
}

/// A mount that does not outlive its server, however serving ends.
struct Mounted(mount::Attached);

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Err(error) = mount::detach(&self.0) {
            tracing::warn!("the view stays mounted: {error}");
        }
    }
}

/// Two a core: one works while the other waits for the disk.
fn serving_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (2 * cores).clamp(2, 8)
}

fn tell_ready(ready: &Ready, point: &Path, workspace: &Path) -> Result<()> {
    let mut line = if ready.json {
        serde_json::to_string(&ReadyLine {
            event: "ready",
            mountpoint: &point.to_string_lossy(),
            workspace: &workspace.to_string_lossy(),
            pid: std::process::id(),
        })?
    } else {
        "ready".to_owned()
    };
    line.push('\n');
    (&ready.to)
        .write_all(line.as_bytes())
        .context("nobody reads the line that says the view is ready")
}

/// Checks the mount point, and clears a dead view from it.
fn mount_point(path: &Path) -> Result<PathBuf> {
    let shown = path.display();
    let absolute = absolute(path)?;
    if let Some(view) = view_on(&absolute)? {
        ensure!(
            is_dead(&absolute, &view),
            "'{shown}' is a view already; end it with 'inspectfs unmount {shown}'"
        );
        tracing::warn!(device = view.device_number(), "a dead view is cleared away");
        mount::unmount_at(&absolute)
            .with_context(|| format!("the dead view on '{shown}' cannot be cleared"))?;
    }
    let in_a_view = workspace::mount_of(&absolute).and_then(workspace::is_view);
    ensure!(
        !in_a_view.unwrap_or(false),
        "mount point '{shown}' lies in a view; name a folder outside of it"
    );
    let found = std::fs::metadata(&absolute).with_context(|| {
        format!("mount point '{shown}' cannot be used; make an empty folder there")
    })?;
    ensure!(
        found.is_dir(),
        "mount point '{shown}' is a file; name an empty folder"
    );
    let mut entries = absolute
        .read_dir()
        .with_context(|| format!("mount point '{shown}' cannot be read"))?;
    ensure!(
        entries.next().is_none(),
        "mount point '{shown}' is not empty; name an empty folder"
    );
    Ok(absolute)
}

/// The mount point as a path of the workspace, if it lies in it: the view does not show itself.
fn inside(workspace: &Workspace, point: &Path) -> Result<Vec<RelPath>> {
    match point.strip_prefix(workspace.path()) {
        Ok(inside) => Ok(vec![RelPath::parse(inside.as_os_str().as_bytes())?]),
        Err(_outside) => Ok(Vec::new()),
    }
}

fn refusal(shown: &dyn std::fmt::Display, error: &AttachError) -> anyhow::Error {
    anyhow::anyhow!("'{shown}' cannot be mounted: {error}")
}
