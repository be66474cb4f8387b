//! Which folder is the workspace when none is named.

use crate::relpath::RelPath;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What marks the root of a workspace.
const MARKS: [&str; 2] = [crate::policy::FILE_NAME, ".git"];

/// A path inside a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The workspace.
    pub workspace: PathBuf,
    /// The path in it; `None` for a path that leads outside.
    pub path: Option<RelPath>,
}

/// The nearest folder at or above `folder` that carries a mark, never across a mount point.
pub fn workspace_above(folder: &Path) -> Option<PathBuf> {
    let device = folder.metadata().ok()?.dev();
    folder
        .ancestors()
        .take_while(|ancestor| ancestor.metadata().is_ok_and(|meta| meta.dev() == device))
        .find(|ancestor| {
            MARKS
                .iter()
                .any(|mark| ancestor.join(mark).symlink_metadata().is_ok())
        })
        .map(Path::to_owned)
}

/// The workspace that `path` belongs to and its place there. `named` is the workspace the user
/// named, if any.
///
/// # Errors
/// The current folder is gone.
pub fn workspace_of(path: &Path, named: Option<&Path>) -> io::Result<Place> {
    let current = std::env::current_dir()?;
    // By name alone: what a path leads through inside the workspace is for the view to say,
    // which asks the policy first.
    let absolute = lexical(&current.join(path));
    let folder = absolute.parent().unwrap_or(&absolute);
    let start = match absolute.symlink_metadata() {
        Ok(meta) if meta.is_dir() => &*absolute,
        _ => folder,
    };
    let written = match named {
        Some(named) => lexical(&current.join(named)),
        None => existing(start)
            .and_then(workspace_above)
            .or_else(|| absolute.starts_with(&current).then(|| current.clone()))
            .unwrap_or_else(|| folder.to_owned()),
    };
    let workspace = written.canonicalize().unwrap_or_else(|_| written.clone());
    let inside = absolute
        .strip_prefix(&written)
        .or_else(|_| absolute.strip_prefix(&workspace))
        .ok();
    let path = inside.and_then(|inside| RelPath::parse(inside.as_os_str().as_bytes()).ok());
    Ok(Place { workspace, path })
}

/// The paths by which the folder `path` is also known: as the user wrote it.
pub(super) fn aliases(path: &Path) -> Vec<PathBuf> {
    let written = std::env::current_dir().map(|current| lexical(&current.join(path)));
    written.into_iter().collect()
}

fn existing(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| ancestor.is_dir())
}

/// The path without `.` and `..`, by name alone.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part.as_os_str() {
            part if part == OsStr::new("..") => {
                plain.pop();
            }
            part if part == OsStr::new(".") => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_marked_folder_is_the_workspace() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("outer/inner/deep")).unwrap();
        fs::create_dir(top.join("outer/.git")).unwrap();
        fs::write(top.join("outer/inner/.inspectfs.toml"), "").unwrap();
        let above = |path: &str| workspace_above(&top.join(path));
        assert_eq!(above("outer/inner/deep"), Some(top.join("outer/inner")));
        assert_eq!(above("outer"), Some(top.join("outer")));
    }

    #[test]
    fn a_path_is_placed_in_its_workspace() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("ws/.git")).unwrap();
        fs::create_dir_all(top.join("ws/a")).unwrap();
        fs::write(top.join("ws/a/f"), "").unwrap();
        let place = |path: &str| workspace_of(&top.join(path), None).unwrap();
        let inside = |path: &str| RelPath::parse(path.as_bytes()).ok();
        assert_eq!(place("ws/a/f").workspace, top.join("ws"));
        assert_eq!(place("ws/a/f").path, inside("a/f"));
        assert_eq!(place("ws/a/../a/./f").path, inside("a/f"));
        assert_eq!(place("ws/gone/f").path, inside("gone/f"));
        assert_eq!(place("ws").path, inside(""));
        let named = workspace_of(&top.join("other"), Some(&top.join("ws"))).unwrap();
        assert_eq!(named.path, None);
    }
}
