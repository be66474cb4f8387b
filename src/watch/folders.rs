//! Watches single folders for changes of their entries.
//!
//! By inotify with a mask of its own (`notify` asks for opens as well, and the daemon's own
//! reads would fill the queue), through the folder's descriptor, so that no path is resolved.
//! Writes through a mapping raise no event.

use inotify::{EventMask, Inotify, WatchDescriptor, WatchMask, Watches};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Room for the events of one read.
const BUFFER_BYTES: usize = 64 * 1024;

/// A change, told by the key that the folder was watched under.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FolderEvent {
    /// A name came or went, or leads elsewhere.
    Name(u64, Box<[u8]>),
    /// A folder of that name was moved away, with all below it.
    FolderMoved(u64, Box<[u8]>),
    /// The content or the attributes of an entry changed.
    Entry(u64, Box<[u8]>),
    /// The folder's own attributes changed.
    Itself(u64),
    /// Events were lost.
    Overflow,
}

/// Who is watched under which descriptor. One folder may be watched under several keys.
#[derive(Default)]
struct Watched {
    by_key: HashMap<u64, WatchDescriptor>,
    keys: HashMap<WatchDescriptor, SmallVec<[u64; 1]>>,
}

/// Folders being watched.
pub struct FolderWatches {
    calls: Mutex<Watches>,
    watched: Arc<Mutex<Watched>>,
}

impl FolderWatches {
    /// Starts a thread that gives each burst of events to `on_events`, without doubles.
    ///
    /// # Errors
    /// The system gives no inotify instance or no thread.
    pub fn start(on_events: impl Fn(Vec<FolderEvent>) + Send + 'static) -> io::Result<Self> {
        let inotify = Inotify::init()?;
        let calls = Mutex::new(inotify.watches());
        let watched: Arc<Mutex<Watched>> = Arc::default();
        let known = Arc::clone(&watched);
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || follow(inotify, &known, &on_events))?;
        Ok(Self { calls, watched })
    }

    /// Watches `folder` under `key`; whether that was to be had.
    pub fn watch(&self, key: u64, folder: BorrowedFd<'_>) -> bool {
        let mask = WatchMask::MODIFY
            | WatchMask::ATTRIB
            | WatchMask::CREATE
            | WatchMask::DELETE
            | WatchMask::MOVED_FROM
            | WatchMask::MOVED_TO
            | WatchMask::ONLYDIR;
        let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
        // Held over both, so that the last key of a folder cannot go while another comes.
        let mut watched = lock(&self.watched);
        let Ok(descriptor) = lock(&self.calls).add(path, mask) else {
            return false;
        };
        watched
            .keys
            .entry(descriptor.clone())
            .or_default()
            .push(key);
        watched.by_key.insert(key, descriptor);
        true
    }

    /// Ends what [`FolderWatches::watch`] began.
    pub fn unwatch(&self, key: u64) {
        let mut watched = lock(&self.watched);
        let Some(descriptor) = watched.by_key.remove(&key) else {
            return;
        };
        if let Some(keys) = watched.keys.get_mut(&descriptor) {
            keys.retain(|other| *other != key);
            if keys.is_empty() {
                watched.keys.remove(&descriptor);
                let _gone_with_its_folder = lock(&self.calls).remove(descriptor);
            }
        }
    }

    /// How many folders are watched.
    pub fn count(&self) -> usize {
        lock(&self.watched).keys.len()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn follow(mut inotify: Inotify, watched: &Mutex<Watched>, on_events: &impl Fn(Vec<FolderEvent>)) {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let events = match inotify.read_events_blocking(&mut buffer) {
            Ok(events) => events,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::error!(%error, "folders are watched no longer");
                on_events(vec![FolderEvent::Overflow]);
                return;
            }
        };
        let mut seen = HashSet::new();
        let mut burst = Vec::new();
        {
            let watched = lock(watched);
            for event in events {
                if event.mask.contains(EventMask::Q_OVERFLOW) {
                    burst.push(FolderEvent::Overflow);
                    continue;
                }
                for &key in watched.keys.get(&event.wd).into_iter().flatten() {
                    let told = event_of(key, event.mask, event.name.map(OsString::from));
                    if let Some(told) = told.filter(|told| seen.insert(told.clone())) {
                        burst.push(told);
                    }
                }
            }
        }
        if !burst.is_empty() {
            on_events(burst);
        }
    }
}

fn event_of(key: u64, mask: EventMask, name: Option<OsString>) -> Option<FolderEvent> {
    let names = EventMask::CREATE | EventMask::DELETE | EventMask::MOVED_FROM | EventMask::MOVED_TO;
    let Some(name) = name else {
        return mask
            .contains(EventMask::ATTRIB)
            .then_some(FolderEvent::Itself(key));
    };
    let name = name.into_vec().into_boxed_slice();
    if mask.contains(EventMask::MOVED_FROM | EventMask::ISDIR) {
        Some(FolderEvent::FolderMoved(key, name))
    } else if mask.intersects(names) {
        Some(FolderEvent::Name(key, name))
    } else if mask.intersects(EventMask::MODIFY | EventMask::ATTRIB) {
        Some(FolderEvent::Entry(key, name))
    } else {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::os::fd::AsFd;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    fn until(events: &Receiver<Vec<FolderEvent>>, wanted: &FolderEvent) {
        loop {
            let burst = events.recv_timeout(Duration::from_secs(5)).unwrap();
            if burst.contains(wanted) {
                return;
            }
        }
    }

    #[test]
    fn a_watched_folder_tells_what_happens_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (sender, events) = channel();
        let watches = FolderWatches::start(move |burst| drop(sender.send(burst))).unwrap();
        let open = File::open(folder.path()).unwrap();
        assert!(watches.watch(7, open.as_fd()));
        assert!(watches.watch(8, open.as_fd()), "under a second key");
        assert_eq!(watches.count(), 1);
        let name = |key, name: &str| FolderEvent::Name(key, name.as_bytes().into());
        let entry = |key, name: &str| FolderEvent::Entry(key, name.as_bytes().into());
        fs::write(at("a"), "x").unwrap();
        until(&events, &name(7, "a"));
        fs::write(at("a"), "y").unwrap();
        until(&events, &entry(8, "a"));
        watches.unwatch(8);
        fs::rename(at("a"), at("b")).unwrap();
        until(&events, &name(7, "b"));
        fs::remove_file(at("b")).unwrap();
        until(&events, &name(7, "b"));
        watches.unwatch(7);
        assert_eq!(watches.count(), 0);
        fs::write(at("c"), "x").unwrap();
        assert!(watches.watch(9, open.as_fd()));
        fs::write(at("d"), "x").unwrap();
        let burst = events.recv_timeout(Duration::from_secs(5)).unwrap();
        assert_eq!(burst[0], name(9, "d"), "nothing of the time between");
    }
}
