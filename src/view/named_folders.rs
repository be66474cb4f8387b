//! Names that are hidden as files and visible as folders, as most built-in rules have it: of
//! such a name the view has to know whether a folder has it, without asking the tree for the
//! name. A lookup of a name that is there takes another time than of one that is not, and that
//! would tell of a hidden file. So the folder is listed, for all such names at once, and listed
//! again when its times have moved.

use super::View;
use super::door::OpenFolder;
use super::ignore_files::is_settled;
use super::node::lock;
use crate::policy::PathKind;
use crate::workspace::{Kind, Time};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// The folders in a folder whose names would hide a file; shared by all who hold it open.
#[derive(Debug, Clone, Default)]
pub(super) struct NamedFolders(Arc<Mutex<Option<Listed>>>);

#[derive(Debug)]
struct Listed {
    /// Modification and change time of the folder before it was listed.
    times: (Time, Time),
    names: HashSet<Box<[u8]>>,
}

impl View {
    /// Whether a folder may have this name, which is hidden as a file's and visible as a
    /// folder's. Where times do not tell of changes, or the folder cannot be listed, it may.
    pub(super) fn may_be_folder(&self, parent: &OpenFolder, name: &[u8]) -> bool {
        if !self.workspace.is_local() {
            return true;
        }
        let Ok(meta) = parent.folder.meta() else {
            return true;
        };
        let times = (meta.modified, meta.changed);
        if let Some(listed) = &*lock(&parent.named_folders.0)
            && listed.times == times
        {
            return listed.names.contains(name);
        }
        let mut names = HashSet::new();
        let listed = parent.folder.for_each(|entry| {
            let decide = |kind| parent.scope.decide(entry.name, kind).exists();
            if entry.kind.is_none_or(|kind| kind == Kind::Folder)
                && decide(PathKind::Folder)
                && !decide(PathKind::File)
            {
                names.insert(entry.name.into());
            }
            true
        });
        if listed.is_err() {
            return true;
        }
        let found = names.contains(name);
        // A change that is still to come may bear the same times.
        if is_settled(&meta) {
            *lock(&parent.named_folders.0) = Some(Listed { times, names });
        }
        found
    }
}
