//! What an agent sees: every listed path with its groups, as listings show them.

use super::Scanning;
use crate::policy::Groups;
use crate::relpath::RelPath;
use crate::view::door::{OpenFolder, Patience};
use crate::view::explain::Type;
use crate::view::listing::Visible;
use crate::view::{Error, Result, View};
use crate::workspace::Kind;
use serde::{Serialize, Serializer};
use std::cmp::Reverse;

/// A path that listings show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The path from the root.
    pub path: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Its groups.
    #[serde(serialize_with = "names")]
    pub permissions: Groups,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn names<S: Serializer>(groups: &Groups, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(groups.names())
}

/// An entry still to be told: its name, what it is, its groups.
type Waiting = (Box<[u8]>, Kind, Groups);

impl View {
    /// Gives every path that listings show to `take`, folders before what is in them, names in
    /// their order, until it answers `false`. The documents beside files are left out.
    ///
    /// # Errors
    /// The root cannot be read, or no descriptor is left.
    pub fn seen(&self, mut take: impl FnMut(&Seen) -> bool) -> Result<()> {
        let root = self.folder_at(&RelPath::root())?;
        let mut scanning = Scanning::default();
        let waiting = self.waiting(&root, &mut scanning)?;
        let mut levels = vec![(OpenFolder::clone(&root), waiting)];
        while let Some((folder, waiting)) = levels.last_mut() {
            let Some((name, kind, permissions)) = waiting.pop() else {
                levels.pop();
                continue;
            };
            let path = folder.path.child(&name).map_err(|_| Error::Invalid)?;
            let seen = Seen {
                path: path.to_text(),
                kind: kind.into(),
                permissions,
            };
            if !take(&seen) {
                return Ok(());
            }
            if kind != Kind::Folder {
                continue;
            }
            let opened = self.open_below(folder, &name).and_then(|folder| {
                let waiting = self.waiting(&folder, &mut scanning)?;
                Ok((folder, waiting))
            });
            match opened {
                Ok(level) => levels.push(level),
                Err(Error::TooManyOpen) => return Err(Error::TooManyOpen),
                Err(_) => {} // not listed, closed to us, or gone
            }
        }
        Ok(())
    }

    fn waiting(&self, folder: &OpenFolder, scanning: &mut Scanning) -> Result<Vec<Waiting>> {
        let visible = match self.visible(folder, Patience::None)? {
            Some(visible) => Some(visible),
            None => self.visible(folder, scanning.begin())?,
        };
        let Some(Visible { mut seen, .. }) = visible else {
            return Ok(Vec::new());
        };
        // The listing is cut by name; the last of the list is told first.
        seen.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        if let Some(most) = folder.listing_cut(seen.len()) {
            seen.truncate(most);
        }
        let mut waiting: Vec<Waiting> = seen
            .into_iter()
            .map(|(name, found)| (name, found.meta.kind, found.decision.groups()))
            .collect();
        waiting.sort_unstable_by(|one, other| Reverse(&one.0).cmp(&Reverse(&other.0)));
        Ok(waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_these_fields() {
        let seen = Seen {
            path: "a/b".to_owned(),
            kind: Type::File,
            permissions: Groups::READ | Groups::SEARCH,
        };
        assert_eq!(
            serde_json::to_string(&seen).ok().as_deref(),
            Some(r#"{"path":"a/b","type":"file","permissions":["read","search"]}"#)
        );
    }
}
