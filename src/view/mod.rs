//! What is seen through the policy: nodes, names, listings, content, sidecars.
//!
//! Plain Rust that a test can call without a mount: it knows no kernel protocol. Every
//! operation that turns a name or a node into a file goes through [`door`], which asks the
//! policy first and the real tree afterwards, so that what is hidden is never even looked for.
//! No lock is held over I/O.

mod attributes;
mod check;
mod content;
mod content_rules;
mod contested;
mod door;
mod error;
mod events;
mod expiry;
mod explain;
mod folders;
mod handles;
mod hardlinks;
mod ignore_files;
mod listing;
mod lookup;
mod moved;
mod named_folders;
mod node;
mod offline;
mod sidecar;
mod sweep;
mod symlink;
mod table;
mod taint;
#[cfg(test)]
mod tests;
mod watching;

pub use attributes::{Attributes, Entry};
pub use check::{CheckReport, Finding, FindingKind, Section, Seen};
pub use content::{Bytes, Opened};
pub use error::{Error, Result};
pub use events::{Event, Happened};
pub use expiry::Expired;
pub use explain::{Explained, State, Type, Withheld, Withholding};
pub use handles::Handle;
pub use listing::{Detail, ListedEntry, Listing, Room};
pub use lookup::Looked;
pub use node::{NodeId, ROOT};
pub use sidecar::Document;
pub use watching::{FolderChange, FolderWatch};

pub use crate::workspace::{Capacity, Content, Extent, Kind, Time};

use crate::policy::{PathKind, Policy};
use crate::probe;
use crate::relpath::RelPath;
use crate::workspace::Workspace;

use arc_swap::ArcSwap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// How long the kernel may keep a name or attributes that nobody tells it about. Changes from
/// outside are seen within this time; the bound the view promises is 50 ms.
pub const LIFETIME: Duration = Duration::from_millis(40);

/// Which sidecars listings show. All open by name, whatever is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sidecars {
    /// The root's alone.
    #[default]
    Root,
    /// Every one.
    All,
    /// None.
    None,
}

/// Whether files and folders are opened before they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Opens {
    /// They are not: reads are by node, with [`Handle::NONE`], and the kernel keeps pages and
    /// listings over opens. Most of what reading them again costs is the two requests spared.
    Unseen,
    /// They are.
    #[default]
    Seen,
}

/// What a view is made with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which sidecars listings show.
    pub sidecars: Sidecars,
    /// Whether opens are seen.
    pub opens: Opens,
    /// The bounds of probes.
    pub limits: probe::Limits,
    /// Folder descriptors kept open at most.
    pub folder_descriptors: usize,
    /// Descriptors kept at most of files that are read without an open.
    pub file_descriptors: usize,
    /// Bytes that the sidecars' versions may take before the oldest are given up.
    pub sidecar_bytes: usize,
    /// Whether other users may come in: then a sidecar is readable for whom its file is.
    pub shared: bool,
    /// Paths by which the workspace is also known, absolute, for links that name one.
    pub aliases: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sidecars: Sidecars::default(),
            opens: Opens::default(),
            limits: probe::Limits::default(),
            folder_descriptors: 1024,
            file_descriptors: 1024,
            sidecar_bytes: 64 << 20,
            shared: false,
            aliases: Vec::new(),
        }
    }
}

/// The stack in bytes that a thread must have to do a [`Job`] or make a document.
pub const JOB_STACK_BYTES: usize = probe::STACK_BYTES;

/// Work that may take long, for a thread that serves no other request.
pub type Job<T> = Box<dyn FnOnce() -> Result<T> + Send>;

/// An answer that is there, or the work that gives it.
pub enum Answer<T> {
    /// The answer.
    Now(Result<T>),
    /// Call it where waiting does no harm; it needs [`JOB_STACK_BYTES`] of stack.
    Later(Job<T>),
}

impl<T> Answer<T> {
    /// The answer if it is there; what would take work is as missing.
    ///
    /// # Errors
    /// Those of the request.
    fn now(self) -> Result<T> {
        match self {
            Self::Now(result) => result,
            Self::Later(_) => Err(Error::NotFound),
        }
    }

    /// The answer, worked for on this thread if need be.
    ///
    /// # Errors
    /// Those of the request.
    pub fn wait(self) -> Result<T> {
        match self {
            Self::Now(result) => result,
            Self::Later(job) => job(),
        }
    }
}

impl<T> From<Result<T>> for Answer<T> {
    fn from(result: Result<T>) -> Self {
        Self::Now(result)
    }
}

/// The number of a policy in force; a policy is not loaded four thousand million times.
type Generation = u32;

/// A policy and its number: what was decided under another number is decided again.
#[derive(Debug)]
struct Loaded {
    policy: Policy,
    generation: Generation,
}

/// How large a view is, in numbers of what it shows alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Nodes that the kernel holds beside the root.
    pub nodes: usize,
    /// Folders that are watched.
    pub watches_held: usize,
    /// How often a folder was to be watched and no watch was to be had.
    pub watches_refused: u64,
    /// Whether the kernel takes the notice that drops every name, so that missing ones are kept.
    pub drops_all_names: bool,
}

/// A filtered view of a workspace.
#[derive(Debug)]
pub struct View {
    /// For the threads that it starts.
    itself: Weak<Self>,
    workspace: Workspace,
    loaded: ArcSwap<Loaded>,
    settings: Settings,
    nodes: table::Table,
    folders: folders::Folders,
    hardlinks: hardlinks::HardLinks,
    sidecars: sidecar::Store,
    handles: handles::Handles,
    held: handles::Held,
    contested: contested::Contested,
    expiry: expiry::Expiry,
    events: events::Events,
    watching: watching::Watching,
    ignore_files: ignore_files::IgnoreFiles,
    verdicts: content_rules::Verdicts,
    taint: taint::Taint,
    sweep: sweep::Sweep,
    next_generation: AtomicU32,
}

impl View {
    /// A view of `workspace` under `policy`.
    pub fn new(workspace: Workspace, policy: Policy, settings: Settings) -> Arc<Self> {
        let generation = 1;
        let decision = policy.decide(&RelPath::root(), PathKind::Folder);
        Arc::new_cyclic(|itself| Self {
            itself: Weak::clone(itself),
            nodes: table::Table::new(workspace.meta(), decision, generation),
            folders: folders::Folders::new(settings.folder_descriptors),
            hardlinks: hardlinks::HardLinks::default(),
            sidecars: sidecar::Store::new(settings.sidecar_bytes),
            handles: handles::Handles::default(),
            held: handles::Held::new(settings.file_descriptors),
            contested: contested::Contested::default(),
            expiry: expiry::Expiry::default(),
            events: events::Events::default(),
            watching: watching::Watching::default(),
            ignore_files: ignore_files::IgnoreFiles::default(),
            verdicts: content_rules::Verdicts::default(),
            taint: taint::Taint::default(),
            sweep: sweep::Sweep::default(),
            loaded: ArcSwap::from_pointee(Loaded { policy, generation }),
            next_generation: AtomicU32::new(generation + 1),
            workspace,
            settings,
        })
    }

    /// Puts another policy in force. Decisions made by the old one hold for no further request,
    /// and what the kernel cached under it is dropped. May wait for the kernel.
    pub fn replace_policy(&self, policy: Policy) {
        let generation = self.next_generation.fetch_add(1, Ordering::Relaxed);
        self.loaded.store(Arc::new(Loaded { policy, generation }));
        self.drop_everything();
    }

    /// How many files and folders the kernel knows.
    pub fn known_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Whether opens are seen.
    pub fn opens(&self) -> Opens {
        self.settings.opens
    }

    /// How large the view is at the moment.
    pub fn figures(&self) -> Figures {
        let (watches_held, watches_refused) = self.watching.figures();
        Figures {
            nodes: self.nodes.len(),
            watches_held,
            watches_refused,
            drops_all_names: self.expiry.reaches_all(),
        }
    }

    fn itself(&self) -> Weak<Self> {
        Weak::clone(&self.itself)
    }

    /// What the kernel should forget, as it comes; can be taken once, by whoever tells it.
    pub fn take_expired(&self) -> Option<Receiver<Expired>> {
        self.expiry.take()
    }

    /// Says that the kernel takes [`Expired::AllNames`], so that missing names may be kept.
    pub fn reaches_all_names(&self) {
        self.expiry.reaches_all_names();
    }

    /// The free and total room on the file system below the workspace.
    ///
    /// # Errors
    /// The operating system's.
    pub fn capacity(&self) -> Result<Capacity> {
        Ok(self.workspace.capacity()?)
    }
}
