//! A running session: the serving threads and the thread that tells the kernel what to forget.

use super::relay::Relay;
use super::{Attached, Protocol, Requests};
use crate::view::{Expired, View};
use fuser::{Config, INodeNo, Notifier, Session, SessionACL};
use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Runs work that may take long, on threads with [`crate::view::JOB_STACK_BYTES`] of stack.
pub trait Executor: Send + Sync {
    /// Takes the work; returns at once.
    fn spawn(&self, work: Box<dyn FnOnce() + Send>);
}

/// How to serve.
#[derive(Debug, Clone, Copy)]
pub struct Serving {
    /// Threads that read requests.
    pub threads: usize,
    /// Whether the kernel is to read open files by itself, where it may.
    pub passthrough: bool,
    /// Whether watchers inside the view are to see what happens outside, where that can be.
    pub relay: bool,
}

/// A session that serves.
pub struct Served {
    /// Ends when the mount is gone or the connection broke.
    pub ended: JoinHandle<io::Result<()>>,
    /// Whether watchers inside the view see what happens outside.
    pub relays: bool,
    /// What it was asked.
    pub requests: Arc<Requests>,
}

/// Serves `view` on an attached mount point. Returns when the kernel's greeting is answered:
/// from then on requests are served.
///
/// # Errors
/// The connection broke before it began, or a thread cannot be started.
pub fn serve(
    view: &Arc<View>,
    attached: &mut Attached,
    serving: &Serving,
    executor: Arc<dyn Executor>,
) -> io::Result<Served> {
    let device = attached
        .take_device()
        .ok_or_else(|| io::Error::other("the mount is served already"))?;
    let mut config = Config::default();
    config.n_threads = Some(serving.threads);
    config.clone_fd = true;
    // The relay opens files, and the kernel reads an open file in one way alone; it would also
    // open the real one for writing.
    let relays = serving.relay && !serving.passthrough && attached.takes_writes();
    let relay = relays.then(|| Arc::new(Relay::default()));
    let expired = view.take_expired();
    let notifier = Arc::new(OnceLock::new());
    let requests = Arc::new(Requests::default());
    let protocol = Protocol {
        view: Arc::clone(view),
        executor,
        relay: relay.clone(),
        passthrough: serving.passthrough.then(Arc::default),
        requests: Arc::clone(&requests),
        notifier: Arc::clone(&notifier),
    };
    // Who may come in is the kernel's to say, by the mount's `allow_other`.
    let session = Session::from_fd(protocol, device, SessionACL::All, config)?;
    let _first = notifier.set(session.notifier());
    if let Some(expired) = expired {
        let teller = Teller {
            notifier: session.notifier(),
            device: File::from(session.as_fd().try_clone_to_owned()?),
        };
        if teller.drop_all_names().is_ok() {
            view.reaches_all_names();
        }
        thread::Builder::new()
            .name("forget".to_owned())
            .spawn(move || teller.follow(&expired))?;
    }
    if let Some(relay) = relay
        && let Some(events) = view.take_events()
    {
        relay.start(view, events, attached)?;
    }
    let ended = thread::Builder::new()
        .name("session".to_owned())
        .spawn(move || session.run())?;
    Ok(Served {
        ended,
        relays,
        requests,
    })
}

/// How long after a notice it is told again: an answer that was on its way to the kernel when
/// the first came may have brought back what it took away.
const AGAIN_AFTER: Duration = Duration::from_millis(50);

/// How long after a node's attributes its pages are dropped. A read that found the size good and
/// then no pages would cut new content at the old size; so the old pages stay for who began with
/// the old size, and who comes later asks for the size first.
const PAGES_AFTER: Duration = Duration::from_millis(1);

/// Notices that are due later, each once, in the order in which they came.
struct Later {
    after: Duration,
    queue: VecDeque<(Instant, Expired)>,
    waiting: HashSet<Expired>,
}

impl Later {
    fn new(after: Duration) -> Self {
        Self {
            after,
            queue: VecDeque::new(),
            waiting: HashSet::new(),
        }
    }

    fn add(&mut self, expired: Expired) {
        if self.waiting.insert(expired.clone()) {
            self.queue.push_back((Instant::now() + self.after, expired));
        }
    }

    fn due(&self) -> Option<Instant> {
        self.queue.front().map(|(due, _)| *due)
    }

    fn next_due(&mut self) -> Option<Expired> {
        if self.due()? > Instant::now() {
            return None;
        }
        let (_, expired) = self.queue.pop_front()?;
        self.waiting.remove(&expired);
        Some(expired)
    }
}

/// Tells the kernel what to forget. It waits for the kernel's locks, which serving threads may
/// need to be released: so it holds none, and runs on a thread of its own.
struct Teller {
    notifier: Notifier,
    /// The connection itself, for the notice that fuser does not know.
    device: File,
}

impl Teller {
    fn follow(&self, expired: &Receiver<Expired>) {
        let mut pages = Later::new(PAGES_AFTER);
        let mut again = Later::new(AGAIN_AFTER);
        loop {
            let due = pages.due().into_iter().chain(again.due()).min();
            let next = match due {
                None => expired.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => expired.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match next {
                Ok(Expired::Content(node)) => {
                    let attributes_alone = self.notifier.inval_inode(INodeNo(node.0), -1, 0);
                    taken(attributes_alone);
                    pages.add(Expired::Content(node));
                }
                Ok(expired) => {
                    self.tell(&expired);
                    again.add(expired);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Some(expired) = pages.next_due() {
                self.tell(&expired);
                again.add(expired);
            }
            while let Some(expired) = again.next_due() {
                self.tell(&expired);
            }
        }
    }

    fn tell(&self, expired: &Expired) {
        let told = match expired {
            Expired::Name { parent, name } => self
                .notifier
                .inval_entry(INodeNo(parent.0), OsStr::from_bytes(name)),
            Expired::Content(node) => self.notifier.inval_inode(INodeNo(node.0), 0, 0),
            Expired::AllNames => self.drop_all_names(),
        };
        taken(told);
    }

    /// `FUSE_NOTIFY_INC_EPOCH` (Linux 6.16): every name is looked up again before it is used.
    fn drop_all_names(&self) -> io::Result<()> {
        const INC_EPOCH: u32 = 8;
        const HEADER_BYTES: u32 = 16;
        let mut notice = [0; HEADER_BYTES as usize];
        notice[0..4].copy_from_slice(&HEADER_BYTES.to_ne_bytes());
        notice[4..8].copy_from_slice(&INC_EPOCH.to_ne_bytes());
        (&self.device).write_all(&notice)
    }
}

fn taken(told: io::Result<()>) {
    if let Err(error) = told {
        tracing::debug!(%error, "the kernel did not take a notice");
    }
}
