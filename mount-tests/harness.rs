//! A mounted view as a value: mounts the built binary, waits until it is ready, unmounts on
//! drop and asserts that nothing is left.
//!
//! All waiting is polling with a deadline. A watchdog kills a daemon that hangs, so a blocked
//! system call ends in an error and the test fails in place of standing still. Without
//! /dev/fuse every test fails and says so.

use crate::processes::{binary, run, wait};
use crate::workspace::Workspace;
use rustix::event::{PollFd, PollFlags, poll};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a mount, an unmount or a command may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// After this time a view's daemon is killed, whatever its test is doing.
const WATCHDOG: Duration = Duration::from_mins(2);

/// Asks until the answer is there; fails at the deadline.
pub(crate) fn eventually<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Fails with the way out where no mount can work.
pub(crate) fn require_fuse() {
    assert!(
        Path::new("/dev/fuse").exists(),
        "/dev/fuse is missing: the mount tests need it (modprobe fuse, or give the container \
         --device /dev/fuse --cap-add SYS_ADMIN); they do not pass by skipping"
    );
}

/// Whether something is mounted at `mountpoint`, a canonical path.
pub(crate) fn is_mounted(mountpoint: &Path) -> bool {
    mount_line(mountpoint).is_some()
}

/// The line of /proc/self/mountinfo for `mountpoint`.
pub(crate) fn mount_line(mountpoint: &Path) -> Option<String> {
    let mountinfo = fs::read_to_string("/proc/self/mountinfo").unwrap();
    // The kernel writes these bytes of a path in octal.
    let wanted = mountpoint
        .to_str()
        .unwrap()
        .replace('\\', "\\134")
        .replace(' ', "\\040")
        .replace('\t', "\\011")
        .replace('\n', "\\012");
    mountinfo
        .lines()
        .find(|line| line.split(' ').nth(4) == Some(&*wanted))
        .map(str::to_owned)
}

/// Detaches whatever is mounted at `mountpoint`, so that a failed test leaves the machine
/// clean.
pub(crate) fn detach(mountpoint: &Path) {
    while is_mounted(mountpoint)
        && rustix::mount::unmount(mountpoint, rustix::mount::UnmountFlags::DETACH).is_ok()
    {}
}

/// A mounted view of a workspace, served by a daemon of its own.
pub(crate) struct View {
    workspace: Workspace,
    mountpoint: PathBuf,
    daemon: Child,
    /// The daemon writes its readiness here, and closes it when it ends.
    ready: ChildStdout,
    stderr: PathBuf,
    /// Dropping the sender calls the watchdog off.
    _watchdog: mpsc::Sender<()>,
    expect_clean_exit: bool,
}

impl View {
    /// Mounts a view with no flags.
    pub(crate) fn mount(workspace: Workspace) -> Self {
        Self::mount_with(workspace, &[])
    }

    /// Mounts a view of a workspace with the given files (path, content).
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self::mount(Workspace::of(files))
    }

    /// Mounts a view under the policy text, given by `--policy` from outside the workspace.
    pub(crate) fn with_policy(workspace: Workspace, policy: &str) -> Self {
        let file = workspace.base().join("policy.toml");
        fs::write(&file, policy).unwrap();
        let file = file.to_str().unwrap().to_owned();
        Self::mount_with(workspace, &["--policy", &file])
    }

    /// Mounts a view with further flags.
    pub(crate) fn mount_with(workspace: Workspace, flags: &[&str]) -> Self {
        let mountpoint = workspace.mountpoint();
        Self::mount_at(workspace, mountpoint, flags)
    }

    /// Mounts a view at a place of the caller's.
    pub(crate) fn mount_at(workspace: Workspace, mountpoint: PathBuf, flags: &[&str]) -> Self {
        require_fuse();
        let stderr = workspace.base().join("stderr");
        let mut daemon = daemon_command(workspace.root(), &mountpoint, flags)
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        let mut ready = daemon.stdout.take().unwrap();
        let line = read_line(&mut ready, PATIENCE);
        let view = Self {
            workspace,
            mountpoint,
            _watchdog: watch(daemon.id()),
            daemon,
            ready,
            stderr,
            expect_clean_exit: line.is_ok(),
        };
        assert_eq!(
            line.as_deref(),
            Ok("ready"),
            "the daemon is not ready; it says: {}",
            view.log()
        );
        assert!(
            is_mounted(&view.mountpoint),
            "the daemon says ready and nothing is mounted"
        );
        view
    }

    /// The real tree.
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The mount point.
    pub(crate) fn root(&self) -> &Path {
        &self.mountpoint
    }

    /// The path of `rel` in the view.
    pub(crate) fn path(&self, rel: impl AsRef<Path>) -> PathBuf {
        self.mountpoint.join(rel)
    }

    /// The daemon's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.daemon.id()
    }

    /// What the daemon wrote to standard error.
    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.stderr).unwrap_or_default()).into_owned()
    }

    /// The bytes of a file in the view; fails with its path.
    pub(crate) fn read(&self, rel: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(rel);
        fs::read(&path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()))
    }

    /// Attributes of `rel` itself; fails with its path.
    pub(crate) fn stat(&self, rel: impl AsRef<Path>) -> fs::Metadata {
        let path = self.path(rel);
        fs::symlink_metadata(&path)
            .unwrap_or_else(|error| panic!("lstat {}: {error}", path.display()))
    }

    /// Whether lstat finds `rel`; any answer but yes and ENOENT fails.
    pub(crate) fn exists(&self, rel: impl AsRef<Path>) -> bool {
        let path = self.path(rel);
        match fs::symlink_metadata(&path) {
            Ok(_) => true,
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => false,
            Err(error) => panic!("lstat {}: {error}", path.display()),
        }
    }

    /// The sorted names that a listing of `rel` gives, without the root's own sidecar.
    pub(crate) fn names(&self, rel: impl AsRef<Path>) -> Vec<OsString> {
        let is_root = rel.as_ref().as_os_str().is_empty();
        let mut names = self.all_names(rel).unwrap();
        names.retain(|name| !(is_root && name == ".inspect.json"));
        names
    }

    /// The sorted names that a listing of `rel` gives.
    pub(crate) fn all_names(&self, rel: impl AsRef<Path>) -> io::Result<Vec<OsString>> {
        let mut names = fs::read_dir(self.path(rel))?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    /// The summary beside `rel`, parsed.
    pub(crate) fn summary(&self, rel: &str) -> serde_json::Value {
        self.json(&format!("{rel}.inspect.json"))
    }

    /// The outline beside `rel`, parsed.
    pub(crate) fn outline(&self, rel: &str) -> serde_json::Value {
        self.json(&format!("{rel}.outline.json"))
    }

    /// A document of the view, parsed.
    pub(crate) fn json(&self, rel: &str) -> serde_json::Value {
        let bytes = self.read(rel);
        serde_json::from_slice(&bytes)
            .unwrap_or_else(|error| panic!("{rel}: {error}: {}", String::from_utf8_lossy(&bytes)))
    }

    /// Sends the daemon a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(process_id(self.pid()), signal).unwrap();
    }

    /// Waits until the daemon has ended.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.expect_clean_exit = false;
        wait(&mut self.daemon, PATIENCE)
            .unwrap_or_else(|| panic!("the daemon does not end; it says: {}", self.log()))
    }

    /// Kills the daemon without a chance to clean up; the dead mount stays.
    pub(crate) fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        self.wait();
    }

    fn end(&mut self) -> Result<(), String> {
        let mut faults = Vec::new();
        if self.expect_clean_exit {
            let _ = rustix::process::kill_process(
                process_id(self.pid()),
                rustix::process::Signal::TERM,
            );
            match wait(&mut self.daemon, PATIENCE) {
                None => faults.push("SIGTERM does not end the daemon".to_owned()),
                Some(status) if !status.success() => {
                    faults.push(format!("SIGTERM ends the daemon with {status}"));
                }
                Some(_) => {}
            }
            if is_mounted(&self.mountpoint) {
                faults.push("the view is still mounted".to_owned());
            }
        } else {
            let _ = wait(&mut self.daemon, PATIENCE);
        }
        detach(&self.mountpoint);
        match self.workspace.left_behind() {
            Ok(strangers) if strangers.is_empty() => {}
            Ok(strangers) => faults.push(format!("left in the workspace: {strangers:?}")),
            Err(error) => faults.push(format!("the workspace cannot be read: {error}")),
        }
        let mut rest = Vec::new();
        if self.ready.read_to_end(&mut rest).is_err() || !rest.is_empty() {
            faults.push("more than one line on the ready descriptor".to_owned());
        }
        if self.log().contains("panicked") {
            faults.push("the daemon panicked".to_owned());
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults.join("; "))
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let failing = std::thread::panicking();
        let ended = self.end();
        if failing || ended.is_err() {
            eprintln!("--- the daemon's standard error:\n{}---", self.log());
        }
        if let Err(faults) = ended {
            // A second panic would abort and hide the first.
            assert!(failing, "{faults}");
            eprintln!("{faults}");
        }
    }
}

/// Runs a shell line in the view and gives all it wrote.
pub(crate) fn shell(view: &View, line: &str) -> String {
    let done = run(Command::new("sh")
        .args(["-c", line])
        .current_dir(view.root()));
    done.out() + &done.err()
}

/// `mount --foreground --ready-fd 3` with descriptor 3 on the caller's standard output and
/// the daemon's own output on standard error. The shell replaces itself: the child's id is
/// the daemon's.
fn daemon_command(workspace: &Path, mountpoint: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", READY_ON_STDOUT])
        .arg(binary())
        .arg("mount")
        .arg(workspace)
        .arg(mountpoint)
        .args(["--foreground", "--ready-fd", "3"])
        .args(flags)
        .args(suite_flags())
        .stdin(Stdio::null());
    command
}

/// Flags that every view of this run of the suite is mounted with, by the environment: the
/// promises are the same with each of them.
fn suite_flags() -> Vec<String> {
    let flags = std::env::var("INSPECTFS_SUITE_FLAGS").unwrap_or_default();
    flags.split_whitespace().map(str::to_owned).collect()
}

/// Whether every view of this run refuses at open.
pub(crate) fn suite_opens_strictly() -> bool {
    suite_flags().iter().any(|flag| flag == "--strict-open")
}

/// A shell line that becomes the command in its arguments, descriptor 3 going to standard
/// output and standard output to standard error.
pub(crate) const READY_ON_STDOUT: &str = r#"exec "$0" "$@" 3>&1 >&2"#;

/// Reads up to the first LF; the error holds what came instead.
pub(crate) fn read_line(pipe: &mut ChildStdout, limit: Duration) -> Result<String, String> {
    let deadline = Instant::now() + limit;
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = rustix::event::Timespec::try_from(left).unwrap();
        let mut wanted = [PollFd::new(pipe, PollFlags::IN)];
        if poll(&mut wanted, Some(&left)).unwrap() == 0 {
            return Err(format!("nothing within {limit:?}"));
        }
        let mut byte = [0];
        if pipe.read(&mut byte).unwrap() == 0 {
            return Err(format!("closed after {:?}", String::from_utf8_lossy(&line)));
        }
        line.push(byte[0]);
    }
    line.pop();
    Ok(String::from_utf8_lossy(&line).into_owned())
}

fn watch(pid: u32) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if receiver.recv_timeout(WATCHDOG) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("the watchdog ends daemon {pid}");
            let _ = rustix::process::kill_process(process_id(pid), rustix::process::Signal::KILL);
        }
    });
    sender
}

pub(crate) fn process_id(pid: u32) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}
