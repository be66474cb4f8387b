//! Listings: every visible name once, no hidden one, whatever the buffer and wherever a
//! reader goes on; inode numbers agree with stat, offsets reveal nothing.

use crate::harness::View;
use crate::workspace::Workspace;
use rustix::fs::{Mode, OFlags, RawDir, SeekFrom, openat, seek};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// One entry as getdents64 gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Dirent {
    name: String,
    ino: u64,
    /// Where the reader goes on after this entry.
    next: u64,
}

fn open(path: &Path) -> OwnedFd {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    openat(rustix::fs::CWD, path, flags, Mode::empty()).unwrap()
}

/// Reads from the descriptor's place to the end, without `.`, `..` and the root's sidecar.
fn entries(folder: &OwnedFd, buffer: usize) -> Vec<Dirent> {
    let mut space = vec![MaybeUninit::uninit(); buffer];
    let mut reader = RawDir::new(folder, &mut space);
    let mut found = Vec::new();
    while let Some(entry) = reader.next() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if ![".", "..", ".inspect.json"].contains(&name.as_str()) {
            found.push(Dirent {
                name,
                ino: entry.ino(),
                next: entry.next_entry_cookie(),
            });
        }
    }
    found
}

/// 3,000 visible names of mixed length; hidden ones between them if asked.
fn crowd(hidden: bool) -> (Workspace, BTreeSet<String>) {
    let workspace = Workspace::new();
    let mut visible = BTreeSet::new();
    for index in 0..3000 {
        let name = format!("file-{index}-{}", "n".repeat(index * 7 % 180));
        workspace.file(format!("big/{name}"), "");
        visible.insert(name);
        if hidden && index % 2 == 0 {
            workspace.file(format!("big/{index}.env"), "");
            workspace.file(format!("big/.env.{index}"), "");
        }
    }
    (workspace, visible)
}

#[test]
fn each_visible_name_once_with_any_buffer() {
    let (workspace, visible) = crowd(true);
    let view = View::mount(workspace);
    for buffer in [280, 512, 1000, 4096, 32_768] {
        let found = entries(&open(&view.path("big")), buffer);
        let names: BTreeSet<String> = found.iter().map(|entry| entry.name.clone()).collect();
        assert_eq!(found.len(), visible.len(), "buffer of {buffer}");
        assert!(names == visible, "buffer of {buffer}: other names");
    }
}

#[test]
fn readers_go_on_where_they_were() {
    let (workspace, _) = crowd(true);
    let view = View::mount(workspace);
    let folder = open(&view.path("big"));
    let all = entries(&folder, 4096);
    for index in [0, 1, 7, 499, 1500, 2998, 2999] {
        seek(&folder, SeekFrom::Start(all[index].next)).unwrap();
        assert!(
            entries(&folder, 700) == all[index + 1..],
            "going on after entry {index}"
        );
    }
    // rewinddir, in the middle of a reading and at its end.
    for _ in 0..2 {
        seek(&folder, SeekFrom::Start(0)).unwrap();
        assert!(entries(&folder, 32_768) == all, "after a rewind");
    }
    // Two readers of one folder do not disturb each other.
    let (first, second) = (open(&view.path("big")), open(&view.path("big")));
    seek(&first, SeekFrom::Start(all[2000].next)).unwrap();
    assert_eq!(entries(&second, 4096).len(), 3000);
    assert_eq!(entries(&first, 4096).len(), 999);
}

#[test]
fn a_saved_offset_holds_after_other_entries_went() {
    let (workspace, _) = crowd(false);
    let view = View::mount(workspace);
    let folder = open(&view.path("big"));
    let all = entries(&folder, 4096);
    // Removing what was already read must not skip or repeat what was not: `rm -rf` with a
    // small buffer outside while a reader inside is half way.
    let half = open(&view.path("big"));
    seek(&half, SeekFrom::Start(all[1499].next)).unwrap();
    for entry in &all[..1000] {
        fs::remove_file(view.workspace().path("big").join(&entry.name)).unwrap();
    }
    let rest: Vec<String> = entries(&half, 512).into_iter().map(|e| e.name).collect();
    let expected: Vec<String> = all[1500..].iter().map(|e| e.name.clone()).collect();
    assert!(rest == expected, "{} entries follow", rest.len());
}

#[test]
fn numbers_agree_with_stat() {
    let (workspace, _) = crowd(true);
    workspace.folder("d/e").link("d/l", "e").fifo("d/p");
    let view = View::mount(workspace);
    for folder in ["big", "d"] {
        for entry in entries(&open(&view.path(folder)), 4096) {
            let seen = view.stat(Path::new(folder).join(&entry.name));
            assert_eq!(entry.ino, seen.ino(), "{folder}/{}", entry.name);
        }
    }
    let types: BTreeMap<_, _> = fs::read_dir(view.path("d"))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name(), entry.file_type().unwrap())
        })
        .collect();
    for (name, kind) in types {
        assert_eq!(kind, view.stat(Path::new("d").join(name)).file_type());
    }
}

#[test]
fn offsets_reveal_nothing() {
    let trace = |hidden| {
        let view = View::mount(crowd(hidden).0);
        let found = entries(&open(&view.path("big")), 4096);
        let trace: Vec<(String, u64)> = found.into_iter().map(|e| (e.name, e.next)).collect();
        trace
    };
    assert!(
        trace(false) == trace(true),
        "order or offsets differ with hidden names between"
    );
}

#[test]
fn empty_and_all_hidden_folders_list_alike() {
    let workspace = Workspace::of(&[("secret/.env", "x"), ("secret/.git/config", "x")]);
    workspace.folder("empty");
    let view = View::mount(workspace);
    for folder in ["secret", "empty"] {
        assert!(view.names(folder).is_empty());
        let listed: Vec<_> = fs::read_dir(view.path(folder)).unwrap().collect();
        assert!(listed.is_empty());
        let mut space = vec![MaybeUninit::uninit(); 4096];
        let descriptor = open(&view.path(folder));
        let mut reader = RawDir::new(&descriptor, &mut space);
        let mut dots = Vec::new();
        while let Some(entry) = reader.next() {
            dots.push(entry.unwrap().file_name().to_string_lossy().into_owned());
        }
        assert_eq!(dots, [".", ".."]);
    }
}

#[test]
fn files_have_no_listing() {
    let view = View::of(&[("a", "x")]);
    let error = fs::read_dir(view.path("a")).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOTDIR));
}
