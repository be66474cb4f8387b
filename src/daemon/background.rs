//! `mount` without `--foreground`: the same command in a session of its own, which this process
//! leaves when the view is ready.

use anyhow::{Context, Result, bail};
use rustix::pipe::{PipeFlags, pipe_with};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// What the view in the background said when it was ready.
#[derive(Debug)]
pub struct Answered {
    /// Its line, without the line end.
    pub line: String,
}

/// Starts this program again with `arguments`, to which `--foreground`, `--detached` and a
/// `--ready-fd` are added, and waits until it is ready.
///
/// # Errors
/// It ended before that; its own error line.
pub fn in_background(arguments: &[OsString]) -> Result<Answered> {
    // Not close-on-exec: the child writes to it.
    let (reading, writing) = pipe_with(PipeFlags::empty()).context("no pipe can be made")?;
    rustix::io::fcntl_setfd(&reading, rustix::io::FdFlags::CLOEXEC)
        .context("no pipe can be made")?;
    let mut child = Command::new("/proc/self/exe")
        .arg0("inspectfs")
        .args(arguments)
        .args(["--foreground", "--detached", "--ready-fd"])
        .arg(writing.as_raw_fd().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("the view's process cannot be started")?;
    drop(writing);
    let mut line = String::new();
    let ready = BufReader::new(File::from(reading)).read_line(&mut line);
    if ready.is_ok_and(|read| read > 0) {
        return Ok(Answered {
            line: line.trim_end().to_owned(),
        });
    }
    let mut words = String::new();
    if let Some(stderr) = &mut child.stderr {
        let _partial = stderr.take(64 * 1024).read_to_string(&mut words);
    }
    let _status = child.wait();
    let line = words
        .lines()
        .find_map(|line| line.strip_prefix("inspectfs: "));
    match line {
        Some(line) => bail!("{line}"),
        None => bail!("the view ended before it was ready; start it with --foreground to see why"),
    }
}
