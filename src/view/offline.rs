//! The sidecars' bytes without a mount, for the commands `inspect` and `outline`.

use super::door::{OpenFolder, Patience, Sight};
use super::sidecar::Document;
use super::{Error, View};
use crate::probe::{self, Code, Failure};
use crate::relpath::RelPath;
use crate::workspace::Kind;
use std::sync::Arc;

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
        let text = path.to_text();
        let root = self
            .open_folder(self.nodes.root())
            .map_err(|error| unreadable(&text, error))?;
        let Some(name) = path.name() else {
            return match document {
                Document::Inspect => self.made(&root, None, document, &text),
                Document::Outline => Err(not_regular(&text)),
            };
        };
        let missing = |similar: &[String]| Failure::not_found(&text, similar);
        let mut folder: Arc<OpenFolder> = root;
        for part in path.parent().unwrap_or_default().components() {
            folder = match self.open_below(&folder, part) {
                Ok(below) => Arc::new(below),
                Err(Error::TooManyOpen) => return Err(unreadable(&text, Error::TooManyOpen)),
                Err(_) => return Err(missing(&[])),
            };
        }
        match self.find(&folder, name, Patience::of_a_request()) {
            Ok(Sight::Seen(found)) => {
                if document == Document::Outline && found.meta.kind != Kind::File {
                    return Err(not_regular(&text));
                }
                self.made(&folder, Some(name), document, &text)
            }
            Ok(Sight::Missing | Sight::Unsettled) | Err(Error::NameTooLong) => {
                Err(missing(&self.similar_paths(&folder, name)))
            }
            Err(error) => Err(unreadable(&text, error)),
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
        let Ok(Some(seen)) = self.visible(folder, Patience::of_a_request()) else {
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
