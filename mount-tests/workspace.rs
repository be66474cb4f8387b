//! A temporary workspace that knows what was put into it.
//!
//! Every test builds its own tree. Each name made here is recorded, so that the harness can
//! say after the unmount whether the daemon left anything behind: what is in the tree and not
//! in the record is the daemon's.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// The temporary folder of one test: `workspace`, `view` and the daemon's log lie in it.
pub(crate) struct Workspace {
    base: TempDir,
    root: PathBuf,
    known: Mutex<BTreeSet<PathBuf>>,
}

impl Workspace {
    /// An empty workspace, and an empty folder `view` beside it.
    pub(crate) fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// As [`Workspace::new`], in a given folder.
    pub(crate) fn within(parent: &Path) -> Self {
        let base = tempfile::Builder::new()
            .prefix("inspectfs-test-")
            .tempdir_in(parent.canonicalize().unwrap())
            .unwrap();
        let root = base.path().join("workspace");
        fs::create_dir(&root).unwrap();
        fs::create_dir(base.path().join("view")).unwrap();
        Self {
            base,
            root,
            known: Mutex::default(),
        }
    }

    /// A workspace with the given files (path, content).
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let workspace = Self::new();
        for (path, content) in files {
            workspace.file(path, content);
        }
        workspace
    }

    /// The folder that holds the workspace, the mount point and logs.
    pub(crate) fn base(&self) -> &Path {
        self.base.path()
    }

    /// The workspace's root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The mount point beside the workspace.
    pub(crate) fn mountpoint(&self) -> PathBuf {
        self.base.path().join("view")
    }

    /// The real path of `rel`.
    pub(crate) fn path(&self, rel: impl AsRef<Path>) -> PathBuf {
        self.root.join(rel)
    }

    /// Records `rel` and the folders above it as put here by the test.
    pub(crate) fn note(&self, rel: impl AsRef<Path>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for path in rel.as_ref().ancestors() {
            known.insert(path.to_owned());
        }
    }

    fn place(&self, rel: impl AsRef<Path>) -> PathBuf {
        let path = self.path(&rel);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        self.note(rel);
        path
    }

    /// Writes a file and the folders above it.
    pub(crate) fn file(&self, rel: impl AsRef<Path>, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.place(rel), content).unwrap();
        self
    }

    /// Makes a folder and those above it.
    pub(crate) fn folder(&self, rel: impl AsRef<Path>) -> &Self {
        fs::create_dir_all(self.place(rel)).unwrap();
        self
    }

    /// Makes the link `rel` with the given text.
    pub(crate) fn link(&self, rel: impl AsRef<Path>, text: impl AsRef<OsStr>) -> &Self {
        symlink(text.as_ref(), self.place(rel)).unwrap();
        self
    }

    /// Gives the file `from` the further name `rel`.
    pub(crate) fn hard_link(&self, rel: impl AsRef<Path>, from: impl AsRef<Path>) -> &Self {
        fs::hard_link(self.path(from), self.place(rel)).unwrap();
        self
    }

    /// Makes a FIFO.
    pub(crate) fn fifo(&self, rel: impl AsRef<Path>) -> &Self {
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            self.place(rel),
            rustix::fs::FileType::Fifo,
            mode,
            0,
        )
        .unwrap();
        self
    }

    /// Makes a socket that listens as long as the result lives.
    pub(crate) fn socket(&self, rel: impl AsRef<Path>) -> UnixListener {
        UnixListener::bind(self.place(rel)).unwrap()
    }

    /// Makes a file of `length` bytes that holds no block.
    pub(crate) fn sparse(&self, rel: impl AsRef<Path>, length: u64) -> &Self {
        let file = fs::File::create(self.place(rel)).unwrap();
        file.set_len(length).unwrap();
        self
    }

    /// Replaces a file by renaming a new one over it, as editors save.
    pub(crate) fn replace(&self, rel: impl AsRef<Path>, content: impl AsRef<[u8]>) -> &Self {
        let next = self.base.path().join("next");
        fs::write(&next, content).unwrap();
        fs::rename(next, self.place(rel)).unwrap();
        self
    }

    /// What lies in the workspace and was not put there by the test.
    pub(crate) fn left_behind(&self) -> io::Result<Vec<PathBuf>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut strangers = Vec::new();
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(self.path(&folder))? {
                let entry = entry?;
                let path = folder.join(entry.file_name());
                if !known.contains(&path) {
                    strangers.push(path);
                } else if entry.file_type()?.is_dir() {
                    open.push(path);
                }
            }
        }
        Ok(strangers)
    }
}

/// A name of any bytes.
pub(crate) fn raw(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
