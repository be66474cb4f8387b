//! A running session: the serving threads and the thread that tells the kernel what to forget.

use super::{Attached, Protocol};
use crate::view::{Expired, View};
use fuser::{Config, INodeNo, Notifier, Session, SessionACL};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

/// Runs work that may take long, on threads with [`crate::view::JOB_STACK_BYTES`] of stack.
pub trait Executor: Send + Sync {
    /// Takes the work; returns at once.
    fn spawn(&self, work: Box<dyn FnOnce() + Send>);
}

/// A session that serves.
pub struct Served {
    /// Ends when the mount is gone or the connection broke.
    pub ended: JoinHandle<io::Result<()>>,
}

/// Serves `view` on an attached mount point. Returns when the kernel's greeting is answered:
/// from then on requests are served.
///
/// # Errors
/// The connection broke before it began, or a thread cannot be started.
pub fn serve(
    view: Arc<View>,
    attached: &mut Attached,
    threads: usize,
    executor: Arc<dyn Executor>,
) -> io::Result<Served> {
    let device = attached
        .take_device()
        .ok_or_else(|| io::Error::other("the mount is served already"))?;
    let mut config = Config::default();
    config.n_threads = Some(threads);
    config.clone_fd = true;
    let expired = view.take_expired();
    let notifier = Arc::new(OnceLock::new());
    let protocol = Protocol {
        view,
        executor,
        notifier: Arc::clone(&notifier),
    };
    // Who may come in is the kernel's to say, by the mount's `allow_other`.
    let session = Session::from_fd(protocol, device, SessionACL::All, config)?;
    let _first = notifier.set(session.notifier());
    if let Some(expired) = expired {
        let notifier = session.notifier();
        thread::Builder::new()
            .name("forget".to_owned())
            .spawn(move || tell(&notifier, &expired))?;
    }
    let ended = thread::Builder::new()
        .name("session".to_owned())
        .spawn(move || session.run())?;
    Ok(Served { ended })
}

/// Tells the kernel what to forget. It waits for the kernel's locks, which serving
/// threads may need to be released: so it holds none, and runs on a thread of its own.
fn tell(notifier: &Notifier, expired: &Receiver<Expired>) {
    while let Ok(expired) = expired.recv() {
        let told = match expired {
            Expired::Name { parent, name } => {
                notifier.inval_entry(INodeNo(parent.0), OsStr::from_bytes(&name))
            }
            Expired::Content(node) => notifier.inval_inode(INodeNo(node.0), 0, 0),
        };
        if let Err(error) = told {
            tracing::debug!(%error, "the kernel did not take a notice");
        }
    }
}
