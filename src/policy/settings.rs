//! Settings that are no rules: links, special files, files with several names, limits.
//!
//! Each is ordered from lax to strict, and of several sources the strictest word holds. What
//! they mean for a call is the view's; here is only the decision where a link may lead outside,
//! on a path that someone else has made absolute and free of `..`.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::config::PolicyFile;

/// Whether symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymlinkMode {
    /// Links that stay inside or lead to an allowed place outside are followed.
    Inside,
    /// Links are listed and described, never followed.
    Deny,
}

/// What becomes of device nodes and of set-uid and set-gid bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Special {
    /// They are made and kept.
    Pass,
    /// Devices are neither made nor opened, the bits are stripped.
    Strip,
}

/// What is done about files with several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hardlinks {
    /// They are files like any other.
    Allow,
    /// They are visible only if no name in the workspace is hidden.
    Check,
    /// They are never visible.
    Deny,
}

/// Bounds on what the view gives. `None` is no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The size in bytes of the largest file that may be read.
    pub max_file_bytes: Option<u64>,
    /// How many entries a listing shows.
    pub max_list_entries: Option<u64>,
}

impl Limits {
    /// The tighter bounds of both.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        let tighter = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Self {
            max_file_bytes: tighter(self.max_file_bytes, other.max_file_bytes),
            max_list_entries: tighter(self.max_list_entries, other.max_list_entries),
        }
    }
}

/// What makes virtual environments and tool chains work.
const DEFAULT_OUTSIDE: &[&str] = &[
    "/usr/",
    "/bin/",
    "/lib/",
    "/lib64/",
    "/opt/",
    "/nix/store/",
    "/etc/alternatives/",
    "/dev/null",
    "~/.local/share/uv/",
    "~/.pyenv/",
    "~/.rustup/",
    "~/.nvm/",
];

/// How symbolic links are served.
#[derive(Debug, Clone)]
pub struct Symlinks {
    mode: SymlinkMode,
    /// One list for each source that gives one; a path must be in all of them.
    lists: Vec<Vec<Outside>>,
}

#[derive(Debug, Clone)]
struct Outside {
    /// Absolute, without a `/` at the end.
    path: Vec<u8>,
    /// It stands for all that lies below, too.
    folder: bool,
}

impl Symlinks {
    pub(super) fn new<'a>(
        files: impl Iterator<Item = &'a PolicyFile>,
        home: Option<&Path>,
    ) -> Self {
        let mut mode = SymlinkMode::Inside;
        let mut lists = Vec::new();
        let read = |text: &str| Outside::new(text, home);
        for file in files {
            mode = mode.max(file.symlinks.unwrap_or(SymlinkMode::Inside));
            if let Some(list) = &file.allow_outside {
                lists.push(list.iter().filter_map(|text| read(text)).collect());
            }
        }
        if lists.is_empty() {
            lists.push(DEFAULT_OUTSIDE.iter().copied().filter_map(read).collect());
        }
        Self { mode, lists }
    }

    /// Whether links are followed at all.
    pub fn mode(&self) -> SymlinkMode {
        self.mode
    }

    /// Whether a link may lead to this place outside: an absolute path without `.`, `..` and
    /// repeated slashes. A path that is not of this form is never allowed.
    pub fn outside_allowed(&self, path: &[u8]) -> bool {
        let path = match path {
            [b'/', .., b'/'] => &path[..path.len() - 1],
            [b'/', ..] => path,
            _ => return false,
        };
        let lexical = path == b"/"
            || path
                .split(|&byte| byte == b'/')
                .skip(1)
                .all(|name| !matches!(name, b"" | b"." | b".."));
        lexical
            && self
                .lists
                .iter()
                .all(|list| list.iter().any(|outside| outside.covers(path)))
    }
}

impl Outside {
    /// `None` for a path below a home that is not known.
    fn new(text: &str, home: Option<&Path>) -> Option<Self> {
        let folder = text.ends_with('/');
        let text = text.strip_suffix('/').unwrap_or(text);
        let path = match text.strip_prefix('~') {
            None => text.as_bytes().to_vec(),
            Some(rest) => {
                let home = home?.as_os_str().as_bytes();
                let home = home.strip_suffix(b"/").unwrap_or(home);
                if !home.starts_with(b"/") {
                    return None;
                }
                [home, rest.as_bytes()].concat()
            }
        };
        Some(Self { path, folder })
    }

    fn covers(&self, path: &[u8]) -> bool {
        match path.strip_prefix(self.path.as_slice()) {
            Some([]) => true,
            Some([b'/', ..]) => self.folder,
            _ => false,
        }
    }
}
