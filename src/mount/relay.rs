//! Has watchers inside the view (inotify) see what happens outside: no notice to the kernel
//! raises an event there, but a change through the view does. So a helper process makes the
//! change on the mount, and the daemon swallows the requests of this one process: nothing is
//! written.
//!
//! A name that came is created, one that went is removed, content that changed is truncated to
//! the size it has. Hidden names are never made or named: what is not shown is not created, and
//! only what the kernel knows by name can be removed.

use super::Attached;
use super::helper::{Deed, Helper};
use crate::view::{Event, Happened, Kind, NodeId, View};
use lru::LruCache;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Events told on in a second at most; what comes beyond is left out.
const PER_SECOND: u32 = 500;

/// The change that the helper makes now.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    folder: NodeId,
    name: Box<[u8]>,
    removal: bool,
    sought: Sought,
    /// Whether what went is a folder that is elsewhere now.
    is_elsewhere: bool,
    /// Whether the kernel looked the name up, so that it does not go by what it knew.
    looked_up: bool,
}

/// What the helper finds when it looks a name up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    /// Nothing: it may be created, or nobody can have known it.
    Nothing,
    /// What stands for the file or folder that went.
    Gone(Kind),
}

/// How long the helper usually takes at most.
const PROMPT: Duration = Duration::from_millis(200);

/// How long it may take before it is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Names that watchers were told of, and so may be told that they went.
const TOLD_NAMES: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// Which requests are the relay's own.
#[derive(Debug, Default)]
pub(super) struct Relay {
    /// The helper's process id, as requests carry it; zero while there is none.
    helper: AtomicU32,
    current: Mutex<Option<Change>>,
}

impl Relay {
    /// Whether the request comes from the helper.
    pub(super) fn is_own(&self, caller: u32) -> bool {
        caller != 0 && self.helper.load(Ordering::Acquire) == caller
    }

    /// What the helper is to find under the name that it is about to create or remove;
    /// `None` if the request is another.
    pub(super) fn finds(&self, caller: u32, folder: NodeId, name: &[u8]) -> Option<Sought> {
        if !self.is_own(caller) || !self.is_current(folder, name, None) {
            return None;
        }
        let mut current = lock(&self.current);
        let change = current.as_mut()?;
        change.looked_up = true;
        Some(change.sought)
    }

    /// Whether the request is the creation that is being relayed.
    pub(super) fn creates(&self, caller: u32, folder: NodeId, name: &[u8]) -> bool {
        self.is_own(caller) && self.is_current(folder, name, Some(false))
    }

    /// Whether the request is the removal that is being relayed. A folder that is elsewhere now
    /// must be removed by its stand-in: the kernel would take the folder itself for dead.
    pub(super) fn removes(&self, caller: u32, folder: NodeId, name: &[u8]) -> bool {
        self.is_own(caller)
            && self.is_current(folder, name, Some(true))
            && lock(&self.current)
                .as_ref()
                .is_some_and(|change| change.looked_up || !change.is_elsewhere)
    }

    fn is_current(&self, folder: NodeId, name: &[u8], removal: Option<bool>) -> bool {
        lock(&self.current).as_ref().is_some_and(|change| {
            change.folder == folder
                && *change.name == *name
                && removal.is_none_or(|removal| change.removal == removal)
        })
    }

    /// Starts the thread. It ends with the view.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(super) fn start(
        self: &Arc<Self>,
        view: &Arc<View>,
        events: Receiver<Event>,
        attached: &Attached,
    ) -> std::io::Result<()> {
        let relaying = Relaying {
            relay: Arc::clone(self),
            view: Arc::downgrade(view),
            helper: Helper::new(attached.place()),
            known: LruCache::new(TOLD_NAMES),
            second: Instant::now(),
            told: 0,
        };
        thread::Builder::new()
            .name("relay".to_owned())
            .spawn(move || relaying.follow(&events))?;
        Ok(())
    }
}

struct Relaying {
    relay: Arc<Relay>,
    view: Weak<View>,
    helper: Helper,
    known: LruCache<(NodeId, Box<[u8]>), ()>,
    /// When the second began in which `told` events were told.
    second: Instant,
    told: u32,
}

impl Relaying {
    fn follow(mut self, events: &Receiver<Event>) {
        while let Ok(event) = events.recv() {
            let Some(view) = self.view.upgrade() else {
                return;
            };
            if self.has_leave()
                && let Err(error) = self.tell_on(&view, &event, events)
            {
                tracing::debug!(%error, "a change is not told on");
                self.relay.helper.store(0, Ordering::Release);
                self.helper.stop();
            }
            *lock(&self.relay.current) = None;
            let_go(&view, &event);
        }
    }

    /// Waits for the helper. Where it takes long, somebody holds the folder's lock or stopped
    /// it: what goes meanwhile is not held back, and is not told on.
    fn wait(&mut self, view: &View, event: &Event, events: &Receiver<Event>) -> io::Result<()> {
        if self.helper.has_done(PROMPT)? {
            return Ok(());
        }
        let_go(view, event);
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if self.helper.has_done(PROMPT)? {
                return Ok(());
            }
            for late in events.try_iter() {
                let_go(view, &late);
            }
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// Whether one more may be told on in this second.
    fn has_leave(&mut self) -> bool {
        if self.second.elapsed() > Duration::from_secs(1) {
            self.second = Instant::now();
            self.told = 0;
        }
        self.told += 1;
        self.told <= PER_SECOND
    }

    fn tell_on(&mut self, view: &View, event: &Event, events: &Receiver<Event>) -> io::Result<()> {
        let Ok(folder) = view.path_of_folder(event.folder) else {
            return Ok(()); // the kernel forgot it, and with it whoever watched
        };
        let path = folder.child(&event.name).map_err(io::Error::other)?;
        let shown = view.shown_kind(event.folder, &event.name);
        let removal = is_removal(event.happened);
        if removal == shown.is_ok() {
            return Ok(()); // it came back, or is not shown
        }
        let key = (event.folder, event.name.clone());
        let sought = if removal {
            let told = self.known.pop(&key).is_some();
            match event.happened {
                Happened::FolderMoved { known: true } => Sought::Gone(Kind::Folder),
                _ if !told => Sought::Nothing, // unless the kernel knows it
                Happened::FileWent => Sought::Gone(Kind::File),
                _ => Sought::Gone(Kind::Folder),
            }
        } else {
            self.known.put(key, ());
            Sought::Nothing
        };
        let is_elsewhere = matches!(event.happened, Happened::FolderMoved { .. });
        let deed = match (event.happened, shown) {
            (Happened::FileWent, _) => Deed::RemoveFile,
            (Happened::FolderWent | Happened::FolderMoved { .. }, _) => Deed::RemoveFolder,
            (Happened::Came, Ok(Kind::File)) => Deed::CreateFile,
            (Happened::Came, Ok(Kind::Folder)) => Deed::CreateFolder,
            (Happened::Came, Ok(Kind::Symlink)) => Deed::CreateLink,
            (Happened::Came, Ok(Kind::Fifo | Kind::Socket)) => Deed::CreatePipe,
            (Happened::Modified, Ok(Kind::File)) => Deed::Modify,
            (Happened::Attributes, Ok(Kind::File | Kind::Folder)) => Deed::ChangeMode,
            _ => return Ok(()),
        };
        self.relay
            .helper
            .store(self.helper.start()?, Ordering::Release);
        *lock(&self.relay.current) =
            (event.happened == Happened::Came || removal).then(|| Change {
                folder: event.folder,
                name: event.name.clone(),
                removal,
                sought,
                is_elsewhere,
                looked_up: false,
            });
        self.helper.tell(deed, path.as_bytes())?;
        self.wait(view, event, events)
    }
}

/// Has the kernel forget a name that went.
fn let_go(view: &View, event: &Event) {
    if is_removal(event.happened) {
        view.name_went(event.folder, &event.name);
    }
}

fn is_removal(happened: Happened) -> bool {
    match happened {
        Happened::FileWent | Happened::FolderWent | Happened::FolderMoved { .. } => true,
        Happened::Came | Happened::Modified | Happened::Attributes => false,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
