//! The sidecars' bytes without a mount, for the commands `inspect` and `outline`.

use super::door::{OpenFolder, Patience, Sight};
use super::listing::Visible;
use super::sidecar::Document;
use super::{Error, Result, View};
use crate::probe::{self, Code, Failure};
use crate::relpath::RelPath;
use crate::workspace::Kind;
use std::sync::Arc;

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
        let missing = |similar: &[String]| Failure::not_found(&text, similar);
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            let root = self
                .folder_at(path)
                .map_err(|error| unreadable(&text, error))?;
            return match document {
                Document::Inspect => self.made(&root, None, document, &text),
                Document::Outline => Err(not_regular(&text)),
            };
        };
        let folder = match self.folder_at(&parent) {
            Ok(folder) => folder,
            Err(Error::TooManyOpen) => return Err(unreadable(&text, Error::TooManyOpen)),
            Err(_) => return Err(missing(&[])),
        };
        match self.find(&folder, name, Patience::of_a_request()) {
            Ok(Sight::Seen(found)) => {
                if document == Document::Outline && found.meta.kind != Kind::File {
                    return Err(not_regular(&text));
                }
                self.made(&folder, Some(name), document, &text)
            }
            Ok(Sight::Missing | Sight::Withheld | Sight::Unsettled) | Err(Error::NameTooLong) => {
                Err(missing(&self.similar_paths(&folder, name)))
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

    fn made(
        self: &Arc<Self>,
        folder: &OpenFolder,
        base: Option<&[u8]>,
        document: Document,
        text: &str,
    ) -> std::result::Result<Vec<u8>, Failure> {
        match self.document_at(folder, base, document) {
            Ok(made) => made,
            Err(Error::NotFound) => Err(Failure::not_found(text, &[])),
            Err(error) => Err(unreadable(text, error)),
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

fn not_regular(text: &str) -> Failure {
    Failure::new(
        Code::NotRegular,
        format!("'{text}' is no regular file; only those have an outline"),
    )
}
