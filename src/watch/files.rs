//! Follows a few named files: a hint, never the truth.
//!
//! A watched file is watched through its folder, since editors replace files and a file may
//! not exist yet. A half-written file is no matter here: who reads it decides whether it counts.

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::HashSet;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// One of the files may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change;

/// Watches files until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    _kept: RecommendedWatcher,
}

impl Watcher {
    /// Watches `files`, which need not exist, and sends a [`Change`] for each that changes. A
    /// folder that does not exist is not watched.
    ///
    /// # Errors
    /// The system has no watches to give.
    pub fn new(files: &[PathBuf], changed: mpsc::Sender<Change>) -> notify::Result<Self> {
        let names: HashSet<PathBuf> = files.iter().cloned().collect();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| concerns(&event, &names)) {
                // A full queue holds a change already, and one is as good as many.
                let _full = changed.try_send(Change);
            }
        })?;
        let folders: HashSet<PathBuf> = files
            .iter()
            .filter_map(|file| Some(file.parent()?.to_owned()))
            .filter(|folder| folder.is_dir())
            .collect();
        for folder in folders {
            watcher.watch(&folder, RecursiveMode::NonRecursive)?;
        }
        Ok(Self { _kept: watcher })
    }
}

/// Whether the event may be a change of one of the files; lost events may be.
fn concerns(event: &Event, names: &HashSet<PathBuf>) -> bool {
    let about_content = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    };
    event.need_rescan() || about_content && event.paths.iter().any(|path| names.contains(path))
}
