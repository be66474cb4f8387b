//! Opens that the daemon does not see, and `--strict-open`, with which it does: where a refusal
//! comes, and what a descriptor goes on with when the tree changes below it.

use crate::harness::{View, eventually};
use crate::policy::tree;
use crate::processes::{as_ordinary_user, run};
use crate::workspace::Workspace;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CLOSED: &str = "--deny=read:closed";

fn code<T>(result: io::Result<T>) -> Option<i32> {
    result.err().and_then(|error| error.raw_os_error())
}

fn read_all(mut file: &File) -> io::Result<String> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn with_strict_open_root_too_is_refused_at_open() {
    let workspace = tree(&["closed", "unlisted/x", "f"]);
    let flags = ["--strict-open", CLOSED, "--deny=search:unlisted/"];
    let view = View::mount_with(workspace, &flags);
    assert_eq!(code(File::open(view.path("closed"))), Some(libc::EACCES));
    assert_eq!(
        code(fs::read_dir(view.path("unlisted"))),
        Some(libc::EACCES)
    );
    assert_eq!(view.read("f"), b"content of f");
    drop(view);
    let workspace = tree(&["f"]);
    let file = workspace.base().join("limits.toml");
    fs::write(&file, "[limits]\nmax_file_bytes = 5\n").unwrap();
    let view = View::mount_with(
        workspace,
        &["--strict-open", "--policy", file.to_str().unwrap()],
    );
    assert_eq!(code(File::open(view.path("f"))), Some(libc::EFBIG));
}

#[test]
fn without_it_root_is_refused_at_the_first_read_and_others_at_open() {
    let workspace = tree(&["closed", "f"]);
    fs::set_permissions(workspace.base(), fs::Permissions::from_mode(0o755)).unwrap();
    let view = View::mount_with(workspace, &["--allow-other", CLOSED]);
    match File::open(view.path("closed")) {
        Ok(file) => assert_eq!(code(read_all(&file)), Some(libc::EACCES)),
        Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EACCES)),
    }
    if rustix::process::geteuid().is_root() {
        let refused = run(as_ordinary_user("cat").arg(view.path("closed")));
        assert!(!refused.status.success() && refused.err().contains("Permission denied"));
        let read = run(as_ordinary_user("cat").arg(view.path("f")));
        assert_eq!(read.out(), "content of f");
    }
}

/// What is open and was not read yet is not known to the daemon: the file that was looked up
/// must be there all the same.
#[test]
fn a_file_is_read_whole_whatever_became_of_its_name_since_it_was_opened() {
    let names = ["replaced", "removed", "renamed", "moved"];
    for flags in [&[][..], &["--strict-open"][..]] {
        let view = View::mount_with(tree(&[&names[..], &["sub/x"]].concat()), flags);
        let real = |name: &str| view.workspace().path(name);
        let files = names.map(|name| File::open(view.path(name)).unwrap());
        view.workspace().replace("replaced", "new");
        fs::remove_file(real("removed")).unwrap();
        for (from, to) in [("renamed", "new-name"), ("moved", "sub/moved")] {
            view.workspace().note(to);
            fs::rename(real(from), real(to)).unwrap();
        }
        for (name, file) in names.iter().zip(&files) {
            assert_eq!(read_all(file).unwrap(), format!("content of {name}"));
            assert_eq!(file.metadata().unwrap().len(), 11 + name.len() as u64);
        }
    }
}

#[test]
fn a_folder_is_listed_by_who_stands_in_it_after_it_moved() {
    for flags in [&[][..], &["--strict-open"][..]] {
        let view = View::mount_with(tree(&["a/x", "a/y", "b/z"]), flags);
        let folder = File::open(view.path("a")).unwrap();
        for path in ["b/a", "b/a/x", "b/a/y"] {
            view.workspace().note(path);
        }
        let real = |name: &str| view.workspace().path(name);
        fs::rename(real("a"), real("b/a")).unwrap();
        eventually("it is found", Duration::from_secs(2), || {
            match fs::metadata(view.path("b/a/x")) {
                Ok(_) => Some(()),
                // While the old parent is locked by another walk the kernel cannot give the
                // folder its new name, and says so.
                Err(error) if error.raw_os_error() == Some(libc::ESTALE) => None,
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => panic!("{error}"),
            }
        });
        let mut names: Vec<_> = rustix::fs::Dir::read_from(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, [".", "..", "x", "y"]);
    }
}

/// Many readings of one large folder at once, each in small parts, while names come and go.
#[test]
fn readings_of_one_folder_share_nothing_that_could_lose_an_entry() {
    let workspace = Workspace::new();
    for index in 0..3000 {
        workspace.file(format!("d/stays{index}"), "");
    }
    let view = View::mount(workspace);
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let name = view.workspace().path("d/comes-and-goes");
            while !stopped.load(Ordering::Relaxed) {
                fs::write(&name, "").unwrap();
                fs::remove_file(&name).unwrap();
            }
        });
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let mut names = view.names("d");
                        names.retain(|name| name != "comes-and-goes");
                        assert_eq!(names.len(), 3000);
                        names.dedup();
                        assert_eq!(names.len(), 3000, "a name came twice");
                    }
                })
            })
            .collect();
        let ended: Vec<_> = readers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        stopped.store(true, Ordering::Relaxed);
        for reader in ended {
            reader.unwrap();
        }
    });
}

/// Whether the kernel lets this process register files to be read past a daemon.
fn may_pass_through() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let capabilities = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .map(|set| u64::from_str_radix(set.trim(), 16).unwrap());
    let users = fs::read_to_string("/proc/self/uid_map").unwrap();
    let initial = users.split_whitespace().eq(["0", "0", "4294967295"]);
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split('.').map(|part| part.parse().unwrap_or(0));
    let kernel = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    initial && capabilities.is_some_and(|set| set >> 21 & 1 == 1) && kernel >= (6, 9)
}

/// What is passed through is the real file: a write through a mapping outside, which no event
/// tells, is there at once.
#[test]
fn passthrough_reads_the_real_file_and_nothing_that_content_decides_about() {
    let workspace = Workspace::of(&[
        ("f", "before"),
        ("key.pem", "-----BEGIN PRIVATE KEY-----\n"),
    ]);
    let view = View::mount_with(workspace, &["--passthrough"]);
    assert_eq!(view.read("f"), b"before");
    assert!(!view.exists("key.pem"));
    let file = File::open(view.path("f")).unwrap();
    let mut start = [0; 6];
    for round in 0..20_u8 {
        let text = [b'a' + round; 6];
        crate::syscalls::write_mapped(&view.workspace().path("f"), &text).unwrap();
        if may_pass_through() {
            std::os::unix::fs::FileExt::read_exact_at(&file, &mut start, 0).unwrap();
            assert_eq!(start, text, "round {round}");
        }
    }
    assert_eq!(
        crate::syscalls::read_mapped(&view.path("f")).unwrap().len(),
        6
    );
    // Many handles of one file share what the kernel reads from.
    let many: Vec<File> = (0..50)
        .map(|_| File::open(view.path("f")).unwrap())
        .collect();
    drop(file);
    view.workspace().replace("f", "after");
    eventually("the new file", Duration::from_secs(2), || {
        (view.read("f") == b"after").then_some(())
    });
    for old in &many {
        assert_eq!(read_all(old).unwrap().len(), 6, "the old file");
    }
    // However often the name changes hands, a file is read in one way alone.
    for round in 0..300 {
        view.workspace().replace("f", format!("{round:05}"));
        assert_eq!(fs::read(view.path("f")).unwrap().len(), 5, "round {round}");
    }
}
