//! How views are: what a view tells of itself, and the list of all of this user's views.
//!
//! Numbers are of what the view shows; nothing that is hidden has a node, a watch or a request.

use super::control::{self, Request};
use super::registry::{self, Record};
use crate::mount::Requests;
use crate::mountinfo::{self, MountEntry};
use crate::view::{Figures, Opens, View};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// What a view that is served tells of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Live {
    /// What may be done in it: `read-only`.
    pub mode: String,
    /// The highest label that was read, if the policy sets labels and any was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub taint: Option<String>,
    /// Seconds since it was mounted.
    pub uptime_seconds: u64,
    /// Requests since then, by the operation's name in the FUSE protocol.
    pub requests: BTreeMap<String, u64>,
    /// Watches on folders.
    pub watches: Watches,
    /// Files, folders and sidecars that the kernel holds.
    pub nodes: usize,
    /// Resident memory of the serving process in bytes.
    pub memory_bytes: u64,
    /// What the kernel keeps and how it is reached.
    pub caching: Caching,
}

/// Watches on folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watches {
    /// Held now.
    pub held: usize,
    /// How often none was to be had, so that names lived short.
    pub refused: u64,
}

/// What the kernel keeps; each a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caching {
    /// `no-open`: files are read without an open; `strict-open`: each open is asked for.
    pub opens: String,
    /// `kept` until they appear; `asked`: the kernel cannot take them back all at once.
    pub missing_names: String,
    /// `off`: reads go through the serving process; `asked`: the kernel reads open files by
    /// itself, where it lets this user.
    pub passthrough: String,
    /// `on`: watchers inside the view see outside changes; `off`: they do not.
    pub relay: String,
}

/// A view in the list. Paths are text: odd bytes of them are lost, as in every document.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// Whether it is served.
    pub state: State,
    /// Where it is mounted.
    pub mountpoint: String,
    /// What it is a view of; unknown for a view without a record.
    pub workspace: Option<String>,
    /// Its name in the mount table; unknown for a view without a record.
    pub name: Option<String>,
    /// The serving process, while there is one.
    pub pid: Option<u32>,
    /// What it tells of itself, if it answers.
    #[serde(flatten)]
    pub live: Option<Live>,
}

/// Whether a view is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It answers.
    Live,
    /// Its process runs and does not answer.
    Unresponsive,
    /// Its process is gone and the mount is left.
    Dead,
    /// Mounted, and this user has no record of it: somebody else's.
    Foreign,
}

/// What a view is asked for, kept beside it.
pub(super) struct Teller {
    pub(super) view: Arc<View>,
    pub(super) requests: Arc<Requests>,
    pub(super) passthrough: bool,
    pub(super) relays: bool,
    pub(super) since: Instant,
}

impl Teller {
    /// The answer to a request; takes no time to speak of.
    pub(super) fn answer(&self, request: Request) -> Live {
        match request {
            Request::Status => self.status(),
        }
    }

    fn status(&self) -> Live {
        let figures: Figures = self.view.figures();
        let word = |word: &str| word.to_owned();
        Live {
            mode: word("read-only"),
            taint: self.view.taint().map(|label| word(label.name())),
            uptime_seconds: self.since.elapsed().as_secs(),
            requests: self
                .requests
                .counts()
                .map(|(name, count)| (word(name), count))
                .collect(),
            watches: Watches {
                held: figures.watches_held,
                refused: figures.watches_refused,
            },
            nodes: figures.nodes,
            memory_bytes: resident_bytes().unwrap_or(0),
            caching: Caching {
                opens: word(match self.view.opens() {
                    Opens::Unseen => "no-open",
                    Opens::Seen => "strict-open",
                }),
                missing_names: word(if figures.drops_all_names {
                    "kept"
                } else {
                    "asked"
                }),
                passthrough: word(if self.passthrough { "asked" } else { "off" }),
                relay: word(if self.relays { "on" } else { "off" }),
            },
        }
    }
}

/// The resident memory of this process.
fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * u64::try_from(rustix::param::page_size()).ok()?)
}

/// The views of this user, and those of others that are mounted here; sorted by mount point.
///
/// # Errors
/// The runtime folder or the mount table cannot be read.
pub fn status() -> Result<Vec<Listed>> {
    let table = mountinfo::read().context("the mount table cannot be read")?;
    let mounted: Vec<MountEntry> = table.into_iter().filter(MountEntry::is_view).collect();
    let mut views = Vec::new();
    let records = registry::all()?;
    for (device, record) in &records {
        let is_mounted = mounted.iter().any(|entry| entry.device_number() == *device);
        // A view of another mount namespace is served and not in this table.
        if record.is_served() {
            views.push(served(*device, record));
        } else if is_mounted {
            views.push(listed(State::Dead, record, None));
        } else {
            registry::forget(*device, record);
        }
    }
    for entry in mounted {
        let device = entry.device_number();
        if !records.iter().any(|(known, _)| *known == device) {
            views.push(Listed {
                state: State::Foreign,
                mountpoint: entry.mount_point.to_string_lossy().into_owned(),
                workspace: None,
                name: None,
                pid: None,
                live: None,
            });
        }
    }
    views.sort_by(|a, b| a.mountpoint.cmp(&b.mountpoint));
    Ok(views)
}

fn served(device: u64, record: &Record) -> Listed {
    match control::ask::<Live>(device, record.pid, Request::Status) {
        Ok(live) => listed(State::Live, record, Some(live)),
        Err(error) => {
            tracing::debug!("{}: {error:#}", record.mount_point);
            listed(State::Unresponsive, record, None)
        }
    }
}

fn listed(state: State, record: &Record, live: Option<Live>) -> Listed {
    // Records of older versions do not have everything.
    let known = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Listed {
        state,
        mountpoint: record.mount_point.clone(),
        workspace: known(&record.workspace),
        name: known(&record.name),
        pid: (state != State::Dead).then_some(record.pid),
        live,
    }
}
