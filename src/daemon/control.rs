//! The control socket of a view, beside its record: a JSON object a line each way.
//!
//! It must neither block nor end the view: each connection is a task of its own with bounds on
//! time, bytes and number, on the thread that also waits for signals, and nothing it does takes
//! long. The folder keeps strangers out; the peer's user is asked for all the same.

use super::registry::socket_name;
use super::runtime::own_folder;
use anyhow::{Context, Result, bail};
use rustix::fs::{AtFlags, Mode, OFlags, open, unlinkat};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream as BlockingStream;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;

/// Bytes of one request with its line end.
const MAX_REQUEST: u64 = 4096;

/// Bytes of an answer that a client reads.
const MAX_ANSWER: u64 = 64 * 1024;

/// Connections served at once; more wait.
const MAX_CONNECTIONS: usize = 8;

/// How long a connection may be without a whole request, or take no answer.
const IDLE: Duration = Duration::from_secs(2);

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub(super) enum Request {
    /// How the view is; the answer is a [`super::status::Live`].
    Status,
}

/// What is answered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer<T> {
    Ok(T),
    Error(String),
}

/// A socket that listens; its name goes with it.
#[derive(Debug)]
pub(super) struct Control {
    folder: OwnedFd,
    name: String,
    listener: UnixListener,
}

impl Drop for Control {
    fn drop(&mut self) {
        let _gone_already = unlinkat(&self.folder, &*self.name, AtFlags::empty());
    }
}

/// Listens for the view of the file system `device`.
///
/// # Errors
/// The runtime folder is not ours, or the socket cannot be made.
pub(super) fn listen(device: u64) -> Result<Control> {
    let folder = folder()?;
    let name = socket_name(device, std::process::id());
    // One of a process that was killed and had this number.
    let _none = unlinkat(&folder, &*name, AtFlags::empty());
    let listener = UnixListener::bind(path_in(&folder, &name)).context("no control socket")?;
    Ok(Control {
        folder,
        name,
        listener,
    })
}

impl Control {
    /// Answers until the future is dropped. `answer` must not take long.
    pub(super) async fn serve<T: Serialize + Send + 'static>(
        &self,
        answer: impl Fn(Request) -> T + Send + Sync + 'static,
    ) {
        let answer = Arc::new(answer);
        let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else {
                return; // never closed
            };
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let answer = Arc::clone(&answer);
                    drop(tokio::spawn(async move {
                        if let Err(error) = converse(stream, &*answer).await {
                            tracing::debug!("a control connection ends: {error:#}");
                        }
                        drop(place);
                    }));
                }
                // No descriptor is free, most likely: not to be asked for in a loop.
                Err(error) => {
                    tracing::warn!(%error, "the control socket takes no connection");
                    tokio::time::sleep(IDLE).await;
                }
            }
        }
    }
}

/// One connection: requests and answers in turn until the client ends it.
async fn converse<T: Serialize + Send>(
    mut stream: UnixStream,
    answer: &(impl Fn(Request) -> T + Send + Sync),
) -> Result<()> {
    let peer = stream.peer_cred().context("no credentials")?.uid();
    if peer != rustix::process::geteuid().as_raw() && peer != 0 {
        bail!("user {peer} has no business here");
    }
    let (reading, mut writing) = stream.split();
    let mut reading = tokio::io::BufReader::new(reading);
    loop {
        let mut line = Vec::new();
        let mut bounded = (&mut reading).take(MAX_REQUEST);
        let read = tokio::time::timeout(IDLE, bounded.read_until(b'\n', &mut line)).await;
        if read.context("idle")?? == 0 {
            return Ok(());
        }
        let whole = line.last() == Some(&b'\n');
        let answered = if whole {
            serde_json::from_slice(&line)
                .map(answer)
                .map_err(|error| format!("not understood: {error}"))
        } else {
            Err(format!(
                "a request is a line of at most {MAX_REQUEST} bytes"
            ))
        };
        let mut out = serde_json::to_vec(&match answered {
            Ok(answer) => Answer::Ok(answer),
            Err(error) => Answer::Error(error),
        })?;
        out.push(b'\n');
        tokio::time::timeout(IDLE, writing.write_all(&out))
            .await
            .context("the answer is not taken")??;
        if !whole {
            return Ok(());
        }
    }
}

/// Asks the view of the file system `device`, served by the process `pid`.
///
/// # Errors
/// There is no socket, nobody answers in time, or the answer is an error.
pub(super) fn ask<T: for<'de> Deserialize<'de>>(
    device: u64,
    pid: u32,
    request: Request,
) -> Result<T> {
    let folder = folder()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let address = SocketAddrUnix::new(path_in(&folder, &socket_name(device, pid)))?;
    // Does not wait: where too many do, that is an answer as well.
    connect(&socket, &address).context("the control socket is not served")?;
    let mut stream = BlockingStream::from(socket);
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = serde_json::to_vec(&request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = Vec::new();
    match BufReader::new(stream.take(MAX_ANSWER)).read_until(b'\n', &mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::WouldBlock => bail!("no answer in time"),
        Err(error) => return Err(error.into()),
    }
    match serde_json::from_slice(&answer).context("no answer that is understood")? {
        Answer::Ok(answer) => Ok(answer),
        Answer::Error(error) => bail!("{error}"),
    }
}

fn folder() -> Result<OwnedFd> {
    let folder = own_folder()?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(open(&folder, flags, Mode::empty())?)
}

/// A name in an open folder as a path: short, where a socket's address holds 107 bytes.
fn path_in(folder: &OwnedFd, name: &str) -> String {
    format!("/proc/self/fd/{}/{name}", folder.as_raw_fd())
}
