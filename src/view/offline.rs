//! The sidecars' bytes without a mount, for the commands `inspect` and `outline`, and the
//! rows of files for `row`.

use super::door::{OpenFolder, Patience, Sight};
use super::listing::Visible;
use super::sidecar::Document;
use super::{Error, Result, View};
use crate::probe::{self, Code, Failure, Resolved, RowSpec};
use crate::relpath::RelPath;
use crate::workspace::Kind;
use std::sync::Arc;

/// What a path leads to.
enum Place<'a> {
    /// The workspace itself.
    Root(Arc<OpenFolder>),
    /// A name of this kind in a folder.
    Below(Arc<OpenFolder>, &'a [u8], Kind),
}

/// Links that one path may lead through, as in the kernel.
const MAX_LINKS: usize = 40;

/// Where a path leads in a mounted view.
#[derive(Debug)]
pub(super) enum Walked {
    /// To this place in the workspace; nothing need be there.
    To(RelPath),
    /// Out of the workspace, through this link, which the policy allows.
    Outside(RelPath),
    /// Nowhere: the view does not say where this link leads, or there are too many.
    Refused(RelPath),
}

impl View {
    /// The document of the file at `path`, as a mounted view serves it. A hidden file fails as
    /// a missing one does. Needs [`super::JOB_STACK_BYTES`] of stack.
    ///
    /// # Errors
    /// The failure that the command prints.
    pub fn document(
        self: &Arc<Self>,
        path: &RelPath,
        document: Document,
    ) -> std::result::Result<Vec<u8>, Failure> {
        let path = &self.without_links(path);
        let text = path.to_text();
        let made = match self.visible_at(path)? {
            Place::Root(_) if document == Document::Outline => return Err(no_outline(&text)),
            Place::Root(root) => self.document_at(&root, None, document),
            Place::Below(_, _, kind) if document == Document::Outline && kind != Kind::File => {
                return Err(no_outline(&text));
            }
            Place::Below(folder, name, _) => self.document_at(&folder, Some(name), document),
        };
        made.unwrap_or_else(|error| Err(failed(&text, error)))
    }

    /// Where each of `rows` is now in the file at `path`, in their order. A hidden file fails as
    /// a missing one does.
    ///
    /// # Errors
    /// The failure that the command prints; the inner ones are those of single rows.
    pub fn rows(
        &self,
        path: &RelPath,
        rows: &[RowSpec],
    ) -> std::result::Result<Vec<std::result::Result<Resolved, Failure>>, Failure> {
        let path = &self.without_links(path);
        let text = path.to_text();
        match self.visible_at(path)? {
            Place::Below(folder, name, Kind::File) => self
                .rows_at(&folder, name, rows)
                .map_err(|error| failed(&text, error)),
            _ => Err(not_regular(&text, "lines")),
        }
    }

    /// What the view shows at `path`, which leads through no link.
    fn visible_at<'a>(&self, path: &'a RelPath) -> std::result::Result<Place<'a>, Failure> {
        let text = path.to_text();
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            let root = self.folder_at(path);
            return root
                .map(Place::Root)
                .map_err(|error| unreadable(&text, error));
        };
        let folder = match self.folder_at(&parent) {
            Ok(folder) => folder,
            Err(Error::TooManyOpen) => return Err(unreadable(&text, Error::TooManyOpen)),
            Err(_) => return Err(Failure::not_found(&text, &[])),
        };
        match self.find(&folder, name, Patience::of_a_request()) {
            Ok(Sight::Seen(found)) => Ok(Place::Below(folder, name, found.meta.kind)),
            Ok(Sight::Missing | Sight::Withheld | Sight::Unsettled) | Err(Error::NameTooLong) => {
                let similar = self.similar_paths(&folder, name);
                Err(Failure::not_found(&text, &similar))
            }
            Err(error) => Err(unreadable(&text, error)),
        }
    }

    /// The path as the kernel would walk it in a mounted view; one that cannot be walked is
    /// answered as it was asked.
    fn without_links(&self, path: &RelPath) -> RelPath {
        match self.walk(path) {
            Walked::To(walked) => walked,
            Walked::Outside(_) | Walked::Refused(_) => path.clone(),
        }
    }

    /// Walks a path as the kernel does in a mounted view: links on the way are followed by the
    /// text that the view shows, the last name is left as it is.
    pub(super) fn walk(&self, path: &RelPath) -> Walked {
        let mut steps: Vec<Vec<u8>> = path.components().rev().map(<[u8]>::to_vec).collect();
        let mut walked = RelPath::root();
        let mut links = 0;
        while let Some(name) = steps.pop() {
            let next = match &*name {
                b"." => continue,
                b".." => walked.parent(),
                name if steps.is_empty() => walked.child(name).ok(),
                name => {
                    let Ok(here) = walked.child(name) else {
                        return Walked::Refused(walked);
                    };
                    match self.link_text(&walked, name) {
                        None => Some(here),
                        Some(Err(_)) => return Walked::Refused(here),
                        Some(Ok(text)) if text.first() == Some(&b'/') => {
                            return Walked::Outside(here);
                        }
                        Some(Ok(_)) if links >= MAX_LINKS => return Walked::Refused(here),
                        Some(Ok(text)) => {
                            links += 1;
                            let parts = text.split(|&byte| byte == b'/');
                            let parts = parts.filter(|part| !part.is_empty());
                            steps.extend(parts.rev().map(<[u8]>::to_vec));
                            continue;
                        }
                    }
                }
            };
            let Some(next) = next else {
                return Walked::Refused(walked);
            };
            walked = next;
        }
        Walked::To(walked)
    }

    /// The text of the link `name` in the folder at `path`, where the view shows one, or why
    /// it does not say where it leads.
    fn link_text(&self, path: &RelPath, name: &[u8]) -> Option<Result<Vec<u8>>> {
        let folder = self.folder_at(path).ok()?;
        match self.find(&folder, name, Patience::None).ok()? {
            Sight::Seen(found) => found.link,
            Sight::Missing | Sight::Withheld | Sight::Unsettled => None,
        }
    }

    /// Up to three visible names beside a missing one that are much like it, as paths.
    fn similar_paths(&self, folder: &OpenFolder, name: &[u8]) -> Vec<String> {
        let Ok(Some(Visible { seen, .. })) = self.visible(folder, Patience::of_a_request()) else {
            return Vec::new();
        };
        let asked = String::from_utf8_lossy(name);
        let names: Vec<String> = seen
            .iter()
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect();
        let names = probe::similar(&asked, names.iter().map(String::as_str));
        names
            .into_iter()
            .map(|name| {
                if folder.path.is_root() {
                    name
                } else {
                    format!("{}/{name}", folder.path.to_text())
                }
            })
            .collect()
    }
}

fn unreadable(text: &str, error: Error) -> Failure {
    Failure::new(Code::Read, format!("'{text}' cannot be read: {error}"))
}

fn failed(text: &str, error: Error) -> Failure {
    match error {
        Error::NotFound => Failure::not_found(text, &[]),
        error => unreadable(text, error),
    }
}

fn no_outline(text: &str) -> Failure {
    not_regular(text, "an outline")
}

fn not_regular(text: &str, what: &str) -> Failure {
    Failure::new(
        Code::NotRegular,
        format!("'{text}' is no regular file; only those have {what}"),
    )
}
