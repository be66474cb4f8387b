//! Running programs with deadlines, as oneself or as an ordinary user.

use crate::harness::PATIENCE;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The command under test.
pub(crate) fn inspectfs() -> Command {
    let mut command = Command::new(binary());
    command.stdin(Stdio::null());
    command
}

/// The built binary.
pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_inspectfs"))
}

/// What a finished command gave.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Finished {
    /// The exit status; `None` if a signal ended it.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Standard output as text.
    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Runs a command to its end. Output goes to files, so a daemon that stays behind and keeps
/// the descriptors open does not hold the test up.
pub(crate) fn run(command: &mut Command) -> Finished {
    let mut stdout = tempfile::tempfile().unwrap();
    let mut stderr = tempfile::tempfile().unwrap();
    let mut child = command
        .stdout(stdout.try_clone().unwrap())
        .stderr(stderr.try_clone().unwrap())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let status = wait(&mut child, PATIENCE * 2)
        .unwrap_or_else(|| panic!("{command:?} does not end: {}", slurp(&mut stderr)));
    Finished {
        status,
        stdout: slurp_bytes(&mut stdout),
        stderr: slurp_bytes(&mut stderr),
    }
}

/// Waits for the end of a child; kills it at the limit.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn slurp_bytes(file: &mut fs::File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

fn slurp(file: &mut fs::File) -> String {
    String::from_utf8_lossy(&slurp_bytes(file)).into_owned()
}

/// A command that runs as an ordinary user: the caller, or `nobody` where that is root.
pub(crate) fn as_ordinary_user(program: impl AsRef<OsStr>) -> Command {
    let mut command;
    if rustix::process::geteuid().is_root() {
        command = Command::new("setpriv");
        command
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(program);
    } else {
        command = Command::new(program);
    }
    command.stdin(Stdio::null()).env("HOME", "/nonexistent");
    command
}

/// Gives a path to the user of [`as_ordinary_user`].
pub(crate) fn give_to_ordinary_user(path: &Path) {
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::lchown(path, Some(65534), Some(65534)).unwrap();
    }
}

/// A copy of the binary that other users may run, wherever the build folder lies.
pub(crate) fn public_binary(base: &Path) -> PathBuf {
    let copy = base.join("inspectfs");
    fs::set_permissions(base, fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(binary(), &copy).unwrap();
    copy
}

/// Whether `program` is installed.
pub(crate) fn installed(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    })
}
