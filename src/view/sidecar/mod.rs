//! The synthetic documents beside every visible file: their names, nodes and bytes.
//!
//! A sidecar's node is one immutable version: the bytes are fixed at lookup, so `st_size` is
//! what a read gives. Names carry no lifetime, so the next lookup finds the next version.

mod name;
mod reports;
mod rows;
mod store;
mod summary;

pub use name::Document;
pub(super) use name::{FOLDER_NAME, Name, names_of};
pub(super) use store::Store;

use super::attributes::{Attributes, Entry};
use super::door::{Found, OpenFolder, Patience, Sight};
use super::node::{Body, Identity, Node, NodeId};
use super::{Error, Generation, Result, View};
use crate::policy::{Decision, Group, Groups};
use crate::probe::{self, Failure, FileFacts, FileKind, Report};
use crate::relpath::RelPath;
use crate::workspace::{Kind, Time};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

/// How long the kernel may keep a version's attributes: a version never changes.
const VERSION_LIFETIME: Duration = Duration::from_hours(1);

/// One version of one sidecar.
#[derive(Debug)]
pub(super) struct Sidecar {
    of: Identity,
    document: Document,
    /// The document; `None` in the placeholder that stands for a version not made yet.
    pub(super) bytes: Arc<[u8]>,
    placeholder: bool,
    pub(super) modified: Time,
    pub(super) mode: u16,
    pub(super) uid: u32,
    pub(super) gid: u32,
    path: RelPath,
    decided: (Generation, Decision),
    /// The folder it was looked up in.
    parent: Arc<Node>,
}

impl Sidecar {
    pub(super) fn hashed(&self) -> impl Hash + use<> {
        let bytes = Arc::clone(&self.bytes);
        (
            self.of,
            self.document,
            self.placeholder,
            self.modified,
            bytes,
        )
    }

    pub(super) fn same_version(&self, other: &Self) -> bool {
        (self.of, self.document, self.placeholder, self.modified)
            == (other.of, other.document, other.placeholder, other.modified)
            && (self.mode, self.uid, self.gid) == (other.mode, other.uid, other.gid)
            && self.decided == other.decided
            && self.path == other.path
            && self.bytes == other.bytes
    }
}

/// How long the kernel may keep the attributes of this version.
pub(super) fn attribute_lifetime(sidecar: &Sidecar) -> Duration {
    if sidecar.placeholder {
        Duration::ZERO
    } else {
        VERSION_LIFETIME
    }
}

/// The file a sidecar is of: where it lies and what it is.
struct Subject<'a> {
    folder: &'a OpenFolder,
    name: &'a [u8],
    path: RelPath,
    found: Found,
}

impl View {
    /// Finds the version of the sidecar `name` that is right now, making its document if need
    /// be, and counts one lookup of it.
    pub(super) fn lookup_sidecar(
        self: &Arc<Self>,
        parent: &Arc<Node>,
        folder: &OpenFolder,
        name: &[u8],
    ) -> Result<Entry> {
        let parsed = Name::parse(name).ok_or(Error::NotFound)?;
        let subject = self.subject(folder, &parsed, Patience::of_a_request())?;
        let (subject, bytes) = self.document_of(subject, parsed.document)?;
        Ok(self.version(parent, name, &subject, parsed.document, bytes))
    }

    /// As [`View::lookup_sidecar`], if it takes no probing; `None` if it does.
    pub(super) fn lookup_ready_sidecar(
        self: &Arc<Self>,
        parent: &Arc<Node>,
        folder: &OpenFolder,
        name: &[u8],
    ) -> Result<Option<Entry>> {
        let parsed = Name::parse(name).ok_or(Error::NotFound)?;
        let Some(subject) = self.settled_subject(folder, &parsed)? else {
            return Ok(None);
        };
        let bytes = self.ready_document(&subject, parsed.document);
        Ok(bytes.map(|bytes| self.version(parent, name, &subject, parsed.document, bytes)))
    }

    /// The file that the sidecar `parsed` is of.
    fn subject<'a>(
        &self,
        folder: &'a OpenFolder,
        parsed: &Name<'a>,
        patience: Patience,
    ) -> Result<Subject<'a>> {
        let found = match parsed.base {
            Some(base) => match self.find(folder, base, patience)? {
                Sight::Seen(found) => *found,
                Sight::Missing | Sight::Withheld | Sight::Unsettled => return Err(Error::NotFound),
            },
            None => Found {
                meta: folder.folder.meta()?,
                decision: folder.decision,
                link: None,
                takes_names: folder.scope.could_gain_names(),
            },
        };
        if parsed.document == Document::Outline && found.meta.kind != Kind::File {
            return Err(Error::NotFound);
        }
        let path = match parsed.base {
            Some(base) => folder.path.child(base).map_err(|_| Error::NotFound)?,
            None => folder.path.clone(),
        };
        Ok(Subject {
            folder,
            name: parsed.base.unwrap_or_default(),
            path,
            found,
        })
    }

    /// As [`View::subject`], but `None` where it would have to wait.
    fn settled_subject<'a>(
        &self,
        folder: &'a OpenFolder,
        parsed: &Name<'a>,
    ) -> Result<Option<Subject<'a>>> {
        if let Some(base) = parsed.base
            && let Sight::Unsettled = self.find(folder, base, Patience::None)?
        {
            return Ok(None);
        }
        self.subject(folder, parsed, Patience::None).map(Some)
    }

    fn version(
        &self,
        parent: &Arc<Node>,
        name: &[u8],
        subject: &Subject<'_>,
        document: Document,
        bytes: Vec<u8>,
    ) -> Entry {
        let sidecar = subject.sidecar(parent, document, Some(bytes), self.settings.shared);
        let node = self
            .sidecars
            .remember(&self.nodes, &self.expiry, (parent.id, name), sidecar);
        entry(&node)
    }

    /// The node of a sidecar in a listing with attributes: the last version made, or a
    /// placeholder. A listing never probes.
    pub(super) fn listed_sidecar(
        &self,
        parent: &Arc<Node>,
        folder: &OpenFolder,
        name: &[u8],
    ) -> Option<Entry> {
        let parsed = Name::parse(name)?;
        let subject = self.subject(folder, &parsed, Patience::None).ok()?;
        let placeholder = subject.sidecar(parent, parsed.document, None, self.settings.shared);
        let node = self.sidecars.last_version(&self.nodes, parent.id, name);
        let node = node.unwrap_or_else(|| self.nodes.remember_sidecar(placeholder).0);
        let mut entry = entry(&node);
        entry.attribute_lifetime = Duration::ZERO;
        Some(entry)
    }

    /// The inode number of a sidecar in a listing without attributes.
    pub(super) fn sidecar_id(
        &self,
        parent: &Arc<Node>,
        folder: &OpenFolder,
        name: &[u8],
    ) -> NodeId {
        let placeholder = Name::parse(name)
            .and_then(|parsed| {
                let subject = self.subject(folder, &parsed, Patience::None).ok()?;
                Some(subject.sidecar(parent, parsed.document, None, self.settings.shared))
            })
            .map(|sidecar| self.nodes.id_of_sidecar(&sidecar));
        self.sidecars
            .last_version_id(parent.id, name)
            .or(placeholder)
            .unwrap_or(NodeId(u64::MAX))
    }

    /// Refuses a version whose file the policy has hidden or closed since.
    pub(super) fn check_sidecar(&self, node: &Node) -> Result<()> {
        let Body::Sidecar(sidecar) = &node.body else {
            return Err(Error::Invalid);
        };
        let (generation, decision) = sidecar.decided;
        let kind = sidecar.of.path_kind();
        let decided = match self.open_folder(&sidecar.parent) {
            Ok(folder) if folder.path == sidecar.path => Ok(folder.decision),
            Ok(folder) => {
                let name = sidecar.path.name().unwrap_or_default();
                Ok(folder.scope.decide(name, kind))
            }
            Err(Error::Stale | Error::NotFolder) => self.decide(&sidecar.path, kind),
            Err(error) => Err(error),
        };
        match decided {
            Ok(now) if now == decision => Ok(()),
            Err(Error::TooManyOpen) if generation == self.loaded().generation => Ok(()),
            _ => Err(Error::Denied),
        }
    }

    /// Notes that the document was given to a reader: its structure is of the file's content.
    pub(super) fn sidecar_was_read(&self, sidecar: &Sidecar) {
        let decision = sidecar.decided.1;
        let is_outline = sidecar.document == Document::Outline && decision.may(Group::Read);
        if is_outline || probe::has_structure(&sidecar.bytes) {
            self.was_read(decision, || self.linked_names_of(&sidecar.of));
        }
    }

    /// The document of the file `base` in `folder`, or of the folder itself, for a command. The
    /// inner error is one that the command prints as it is.
    pub(super) fn document_at(
        self: &Arc<Self>,
        folder: &OpenFolder,
        base: Option<&[u8]>,
        document: Document,
    ) -> Result<std::result::Result<Vec<u8>, Failure>> {
        let parsed = Name { base, document };
        let mut subject = self.subject(folder, &parsed, Patience::of_a_request())?;
        if document == Document::Outline {
            let path = subject.path.to_text();
            let outline = self.outline(&mut subject)?;
            return Ok(match &*outline {
                Ok(outline) => outline.document(&path),
                Err(failure) => Err(failure.clone()),
            });
        }
        Ok(Ok(self.document_of(subject, document)?.1))
    }

    /// The bytes of a document, and its subject as it was when they were made.
    fn document_of<'a>(
        self: &Arc<Self>,
        mut subject: Subject<'a>,
        document: Document,
    ) -> Result<(Subject<'a>, Vec<u8>)> {
        let path = subject.path.to_text();
        if subject.found.meta.kind == Kind::Folder {
            let bytes = self.summary(&subject)?;
            return Ok((subject, bytes));
        }
        let bytes = match document {
            Document::Inspect => {
                let report = self.report(&mut subject)?;
                subject.summary_of_file(&path, report.as_deref())
            }
            Document::Outline => match self.outline(&mut subject) {
                Ok(outline) => reports::outline_bytes(&path, &outline),
                Err(Error::NotFound) => return Err(Error::NotFound),
                Err(error) => refused(&path, error),
            },
        };
        Ok((subject, bytes))
    }

    /// The bytes of a document whose report is known; `None` if it takes work.
    fn ready_document(
        self: &Arc<Self>,
        subject: &Subject<'_>,
        document: Document,
    ) -> Option<Vec<u8>> {
        let path = subject.path.to_text();
        if subject.found.meta.kind == Kind::Folder {
            return self.ready_summary(subject);
        }
        match document {
            Document::Inspect => self
                .ready_report(subject)
                .map(|report| subject.summary_of_file(&path, report.as_deref())),
            Document::Outline => self
                .ready_outline(subject)
                .map(|outline| reports::outline_bytes(&path, &outline)),
        }
    }
}

/// The outline document of a file that cannot be read, which says so.
fn refused(path: &str, error: Error) -> Vec<u8> {
    let failure = Failure::new(
        probe::Code::Read,
        format!("'{path}' cannot be read: {error}"),
    );
    probe::failure_document(Some(path), &failure)
}

fn entry(node: &Arc<Node>) -> Entry {
    let Body::Sidecar(sidecar) = &node.body else {
        unreachable!("the table keeps sidecars and real files apart")
    };
    Entry {
        attributes: Attributes::of_sidecar(node.id, sidecar),
        name_lifetime: Duration::ZERO,
        attribute_lifetime: attribute_lifetime(sidecar),
    }
}

/// The groups as documents show them. The view is read-only: nothing can be changed through it.
fn permissions(decision: Decision) -> Vec<&'static str> {
    let shown = decision.groups() - Groups::MUTATE;
    shown.names().collect()
}

impl Subject<'_> {
    /// The summary of a file, link or special file.
    fn summary_of_file(&self, path: &str, report: Option<&Report>) -> Vec<u8> {
        let Found {
            meta,
            decision,
            link,
            ..
        } = &self.found;
        let facts = FileFacts {
            path,
            kind: match meta.kind {
                Kind::File => FileKind::File,
                Kind::Symlink => FileKind::Symlink,
                _ => FileKind::Other,
            },
            size: match link {
                Some(Ok(text)) => text.len() as u64,
                _ => meta.size,
            },
            permissions: &permissions(*decision),
            readable: decision.may(Group::Read),
            mtime_seconds: meta.modified.seconds,
        };
        probe::file_document(&facts, report)
    }

    /// A version with these bytes, or the placeholder.
    fn sidecar(
        &self,
        parent: &Arc<Node>,
        document: Document,
        bytes: Option<Vec<u8>>,
        shared: bool,
    ) -> Sidecar {
        let meta = &self.found.meta;
        Sidecar {
            of: self.found.identity(),
            document,
            placeholder: bytes.is_none(),
            bytes: bytes.unwrap_or_default().into(),
            modified: meta.modified,
            mode: if shared { 0o444 & meta.mode } else { 0o444 },
            uid: meta.uid,
            gid: meta.gid,
            path: self.path.clone(),
            decided: (self.folder.loaded().generation, self.found.decision),
            parent: Arc::clone(parent),
        }
    }
}
