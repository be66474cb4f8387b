//! Reports of file versions: made once, also when many ask at the same time, and kept within a
//! budget of bytes.

use super::{Document, Error, Result, Subject};
use crate::probe::{self, Failure, Outline, Report};
use crate::view::View;
use crate::view::door::{Patience, Sight};
use crate::view::node::lock;
use crate::workspace::{Kind, Meta, Time};
use lru::LruCache;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Bytes that reports may take.
const BUDGET: usize = 32 << 20;

/// How often a file that changes while it is read is read again.
pub(super) const ATTEMPTS: usize = 3;

/// How long a report that ran out of time is kept before the file is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// One version of one file, and what is made of it. The name's extension chooses the format.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    device: u64,
    inode: u64,
    born: Time,
    size: u64,
    modified: Time,
    changed: Time,
    extension: Box<[u8]>,
    document: Document,
}

impl Key {
    fn new(subject: &Subject<'_>, document: Document) -> Self {
        let meta = &subject.found.meta;
        let dot = subject.name.iter().rposition(|&byte| byte == b'.');
        Self {
            device: meta.device,
            inode: meta.inode,
            born: meta.born,
            size: meta.size,
            modified: meta.modified,
            changed: meta.changed,
            extension: dot.map_or(&b""[..], |dot| &subject.name[dot..]).into(),
            document,
        }
    }
}

/// What reading a file version gave.
#[derive(Debug, Clone)]
enum Outcome {
    Report(Arc<Report>),
    Outline(Arc<std::result::Result<Outline, Failure>>),
    /// The file cannot be read.
    Failed(Error),
    /// It changed while it was read.
    Changed,
}

impl Outcome {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Report(report) => report.heap_bytes(),
            Self::Outline(outline) => match &**outline {
                Ok(outline) => outline.heap_bytes(),
                Err(failure) => failure.message.len(),
            },
            Self::Failed(_) | Self::Changed => 0,
        }
    }

    /// Whether another try may say more.
    fn passes(&self) -> bool {
        match self {
            Self::Report(report) => report.timed_out(),
            Self::Outline(outline) => outline.as_ref().as_ref().is_ok_and(Outline::timed_out),
            Self::Failed(_) | Self::Changed => true,
        }
    }
}

#[derive(Debug)]
struct Slot {
    outcome: OnceLock<Outcome>,
    made: Instant,
}

#[derive(Debug)]
struct Kept {
    slots: LruCache<Key, Arc<Slot>>,
    bytes: usize,
}

/// The reports made so far.
#[derive(Debug)]
pub(super) struct Reports {
    kept: Mutex<Kept>,
    /// How many were made in all.
    made: AtomicUsize,
}

impl Default for Reports {
    fn default() -> Self {
        Self {
            kept: Mutex::new(Kept {
                slots: LruCache::unbounded(),
                bytes: 0,
            }),
            made: AtomicUsize::new(0),
        }
    }
}

/// Bytes that a slot takes beside what its outcome holds.
const SLOT_BYTES: usize = 256;

impl Reports {
    #[cfg(test)]
    pub(super) fn probes(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    fn ready(&self, key: &Key) -> Option<Outcome> {
        let slot = lock(&self.kept).slots.get(key).map(Arc::clone)?;
        let outcome = slot.outcome.get()?;
        (!outcome.passes()).then(|| outcome.clone())
    }

    /// The outcome for `key`, made by `make` if nobody has; who asks meanwhile waits.
    fn get_or_make(&self, key: &Key, make: impl FnOnce() -> Outcome) -> Outcome {
        let slot = {
            let mut kept = lock(&self.kept);
            let known = kept.slots.get(key).filter(|slot| {
                let outcome = slot.outcome.get();
                !outcome.is_some_and(Outcome::passes) || slot.made.elapsed() < RETRY_AFTER
            });
            if let Some(slot) = known {
                Arc::clone(slot)
            } else {
                let slot = Arc::new(Slot {
                    outcome: OnceLock::new(),
                    made: Instant::now(),
                });
                kept.forget(key);
                kept.slots.put(key.clone(), Arc::clone(&slot));
                slot
            }
        };
        let mut was_made = false;
        let outcome = slot
            .outcome
            .get_or_init(|| {
                was_made = true;
                make()
            })
            .clone();
        if was_made {
            self.made.fetch_add(1, Ordering::Relaxed);
            lock(&self.kept).account(key, &slot, &outcome);
        }
        outcome
    }
}

impl Kept {
    fn forget(&mut self, key: &Key) {
        if let Some(slot) = self.slots.pop(key) {
            self.bytes = self.bytes.saturating_sub(cost(&slot));
        }
    }

    /// Counts what was made, drops what says nothing lasting, and keeps to the budget.
    fn account(&mut self, key: &Key, slot: &Arc<Slot>, outcome: &Outcome) {
        let still_kept = self
            .slots
            .peek(key)
            .is_some_and(|kept| Arc::ptr_eq(kept, slot));
        if !still_kept {
            return;
        }
        if matches!(outcome, Outcome::Failed(_) | Outcome::Changed) {
            self.slots.pop(key);
            return;
        }
        self.bytes += cost(slot);
        while self.bytes > BUDGET {
            let Some((_, oldest)) = self.slots.pop_lru() else {
                return;
            };
            self.bytes = self.bytes.saturating_sub(cost(&oldest));
        }
    }
}

fn cost(slot: &Slot) -> usize {
    match slot.outcome.get() {
        Some(outcome) => SLOT_BYTES + outcome.heap_bytes(),
        None => 0, // not counted before it is made
    }
}

/// The document of an outline, or of why there is none.
pub(super) fn outline_bytes(
    path: &str,
    outline: &std::result::Result<Outline, Failure>,
) -> Vec<u8> {
    let document = outline
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|outline| outline.document(path));
    document.unwrap_or_else(|failure| probe::failure_document(Some(path), &failure))
}

impl View {
    /// The report of a regular file; `None` for what has none. `subject` is brought up to the
    /// version that was read.
    pub(super) fn report(&self, subject: &mut Subject<'_>) -> Result<Option<Arc<Report>>> {
        if subject.found.meta.kind != Kind::File {
            return Ok(None);
        }
        if let Some(report) = self.report_by_size(subject) {
            return Ok(Some(report));
        }
        match self.outcome(subject, Document::Inspect)? {
            Outcome::Report(report) => Ok(Some(report)),
            // For the moment; the file itself can be read.
            Outcome::Failed(Error::TooManyOpen) => Err(Error::TooManyOpen),
            // Described all the same: the document says that it could not be read.
            _ => Ok(None),
        }
    }

    /// As [`View::report`], if it takes no reading.
    #[allow(clippy::option_option, reason = "known to have none is not unknown")]
    pub(super) fn ready_report(&self, subject: &Subject<'_>) -> Option<Option<Arc<Report>>> {
        if subject.found.meta.kind != Kind::File {
            return Some(None);
        }
        if let Some(report) = self.report_by_size(subject) {
            return Some(Some(report));
        }
        match self
            .sidecars
            .reports
            .ready(&Key::new(subject, Document::Inspect))?
        {
            Outcome::Report(report) => Some(Some(report)),
            _ => None,
        }
    }

    /// A file above the size limit is never opened.
    fn report_by_size(&self, subject: &Subject<'_>) -> Option<Arc<Report>> {
        let size = subject.found.meta.size;
        let too_large = self.settings.limits.is_tier_3(size);
        too_large.then(|| Arc::new(Report::too_large(subject.name)))
    }

    /// The outline of a regular file that the policy lets be read.
    pub(super) fn outline(
        &self,
        subject: &mut Subject<'_>,
    ) -> Result<Arc<std::result::Result<Outline, Failure>>> {
        if !subject.found.decision.may(crate::policy::Group::Read) {
            return Err(Error::Denied);
        }
        if let Some(outline) = self.outline_by_size(subject) {
            return Ok(outline);
        }
        match self.outcome(subject, Document::Outline)? {
            Outcome::Outline(outline) => Ok(outline),
            Outcome::Failed(error) => Err(error),
            Outcome::Report(_) | Outcome::Changed => Err(Error::Stale),
        }
    }

    /// As [`View::outline`], if it takes no reading.
    pub(super) fn ready_outline(
        &self,
        subject: &Subject<'_>,
    ) -> Option<Arc<std::result::Result<Outline, Failure>>> {
        if !subject.found.decision.may(crate::policy::Group::Read) {
            return None;
        }
        if let Some(outline) = self.outline_by_size(subject) {
            return Some(outline);
        }
        match self
            .sidecars
            .reports
            .ready(&Key::new(subject, Document::Outline))?
        {
            Outcome::Outline(outline) => Some(outline),
            _ => None,
        }
    }

    /// The outline of a file that is not opened for it, by its name or its size.
    fn outline_by_size(
        &self,
        subject: &Subject<'_>,
    ) -> Option<Arc<std::result::Result<Outline, Failure>>> {
        let size = subject.found.meta.size;
        let outline = if !probe::needs_content(subject.name) {
            Outline::none(size)
        } else if self.settings.limits.is_tier_3(size) {
            Outline::too_large(subject.name, size)
        } else {
            return None;
        };
        Some(Arc::new(Ok(outline)))
    }

    /// Reads until a version stood still, a bounded number of times.
    fn outcome(&self, subject: &mut Subject<'_>, document: Document) -> Result<Outcome> {
        for attempt in 1..=ATTEMPTS {
            let last = attempt == ATTEMPTS;
            let key = Key::new(subject, document);
            let outcome = self
                .sidecars
                .reports
                .get_or_make(&key, || self.read_subject(subject, document, last));
            if !matches!(outcome, Outcome::Changed) {
                return Ok(outcome);
            }
            match self.find(subject.folder, subject.name, Patience::of_a_request())? {
                Sight::Seen(found) if found.meta.kind == Kind::File => subject.found = *found,
                _ => return Err(Error::NotFound),
            }
        }
        Ok(Outcome::Changed)
    }

    /// Reads and probes one version. A panic costs this answer.
    fn read_subject(&self, subject: &Subject<'_>, document: Document, last: bool) -> Outcome {
        let limits = &self.settings.limits;
        let (name, size) = (subject.name, subject.found.meta.size);
        let read = || {
            subject.read_version(last, |stream| match document {
                Document::Inspect => {
                    let report = probe::inspect(name, size, stream, limits)?;
                    Ok(Outcome::Report(Arc::new(report)))
                }
                Document::Outline => {
                    let outline = probe::outline(name, size, stream, limits)?;
                    Ok(Outcome::Outline(Arc::new(outline)))
                }
            })
        };
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(Ok(outcome)) => outcome.unwrap_or(Outcome::Changed),
            Ok(Err(error)) => Outcome::Failed(error.into()),
            Err(_panic) => {
                tracing::error!(path = %subject.path, "a probe panicked");
                Outcome::Failed(Error::Os(rustix::io::Errno::IO.raw_os_error()))
            }
        }
    }
}

impl Subject<'_> {
    /// What `read` makes of the version of the file that was found; `None` if the file has
    /// changed since. The `last` attempt takes another version of the same file too.
    pub(super) fn read_version<T>(
        &self,
        last: bool,
        read: impl FnOnce(&mut dyn io::Read) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        let found = &self.found;
        let content = self.folder.folder.open_content(self.name)?;
        // What is judged by its content is described in the version that was judged.
        let exact = found.decision.content().is_some();
        let unchanged = |now: &Meta| {
            now.same_version(&found.meta) || (last && !exact && now.same_file(&found.meta))
        };
        if !unchanged(&content.meta()?) {
            return Ok(None);
        }
        let made = read(&mut content.stream(found.meta.size))?;
        Ok(unchanged(&content.meta()?).then_some(made))
    }
}
