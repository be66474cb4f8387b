//! Hidden is missing: the same errno for every system call, no byte, name, size or count of
//! hidden content anywhere, and a view that does not differ with and without it.

use crate::calls::{ASKING, CHANGING, Row, errno};
use crate::harness::{View, eventually, mount_line, shell};
use crate::processes::installed;
use crate::workspace::Workspace;
use rustix::fs::inotify;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// In the name or the content of everything hidden, and nowhere else.
pub(crate) const MARKER: &str = "zq7marker";

/// errno of every call in the table, by name.
fn answers(table: &[Row], view: &View, rel: &str) -> Vec<(&'static str, i32)> {
    let (visible, new) = (view.path("readme.md"), view.path("new-name"));
    let target = view.path(rel);
    let mut answers: Vec<_> = table
        .iter()
        .map(|row| (row.0, errno(row, &target, &visible, &new)))
        .collect();
    let inotify = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    let watched = inotify::add_watch(&inotify, &target, inotify::WatchFlags::ALL_EVENTS);
    answers.push((
        "inotify_add_watch",
        watched.err().map_or(0, Errno::raw_os_error),
    ));
    let connected = UnixStream::connect(&target).err();
    answers.push((
        "connect",
        connected.map_or(0, |error| error.raw_os_error().unwrap_or(-1)),
    ));
    answers
}

/// Asks every call of the table about each hidden name and a missing one of the same place;
/// twice, so that the second round meets what the kernel remembers.
pub(crate) fn assert_answers_as_missing(view: &View, pairs: &[(&str, &str)]) {
    for round in 0..2 {
        for (hidden, missing) in pairs {
            let asked = answers(ASKING, view, hidden);
            // A link itself exists.
            if !hidden.starts_with("to-") {
                for (call, errno) in &asked {
                    assert_eq!(*errno, libc::ENOENT, "{call} {hidden}, round {round}");
                }
            }
            assert_eq!(
                asked,
                answers(ASKING, view, missing),
                "{hidden}, round {round}"
            );
            assert_eq!(
                answers(CHANGING, view, hidden),
                answers(CHANGING, view, missing),
                "{hidden}, round {round}"
            );
        }
    }
}

/// A tree of visible files, the same in every call, and hidden ones between if asked.
pub(crate) fn tree(hidden: bool) -> Workspace {
    let workspace = Workspace::of(&[
        ("readme.md", "# Title\n"),
        ("src/main.py", "import os\n"),
        ("src/lib/util.ts", "export const a = 1\n"),
        ("data/table.csv", "a,b\n1,2\n"),
        ("data/cert.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n"),
        ("config/dev.env.example", "KEY=\n"),
        ("private/README.md", "open\n"),
    ]);
    workspace
        .folder("only-hidden")
        .link("to-secret", "src/.env")
        .link("to-missing", "src/nothing");
    if hidden {
        workspace
            .file(".env", MARKER)
            .file("src/.env", MARKER)
            .file(format!(".env.{MARKER}"), MARKER)
            .file(format!(".git/objects/{MARKER}"), MARKER)
            .file(".git/config", MARKER)
            .file("src/lib/id_rsa", MARKER)
            .file("data/big.secret", MARKER.repeat(200_000))
            .file(format!("only-hidden/{MARKER}.env"), MARKER)
            .file(
                format!("private/{MARKER}/deep/x.py"),
                format!("{MARKER} = 1\n"),
            )
            .file("private/plan.txt", MARKER)
            .file("secrets/prod.json", format!("{{\"{MARKER}\":1}}"))
            .hard_link("notes.txt", ".env")
            .hard_link("src/also.py", "src/.env");
        workspace.fifo("private/pipe");
    } else {
        workspace.folder("secrets");
    }
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    for path in [
        "readme.md",
        "src/main.py",
        "src/lib/util.ts",
        "data/table.csv",
        "data/cert.pem",
        "config/dev.env.example",
        "private/README.md",
    ] {
        let file = fs::File::options()
            .write(true)
            .open(workspace.path(path))
            .unwrap();
        file.set_modified(time).unwrap();
    }
    workspace
}

pub(crate) const RULES: &str = "[[rule]]\npath = \"private/**\"\nhide = true\n\
                     [[rule]]\npath = \"private/README.md\"\nshow = true\n";

#[test]
fn the_same_errno_for_every_system_call() {
    let workspace = tree(true);
    let _listening = workspace.socket(".git/socket");
    let view = View::with_policy(workspace, RULES);
    let pairs = [
        (".env", "missing"),
        ("src/.env", "src/missing"),
        ("notes.txt", "missing.txt"),
        ("private/plan.txt", "private/missing"),
        ("private/pipe", "private/missing"),
        (".git", "missing"),
        (".GIT", "missing"),
        ("secrets/prod.json", "secrets/missing"),
        (".git/config", "missing/config"),
        (".git/nothing", "missing/nothing"),
        (".git/socket", "missing/socket"),
        (".git/objects/x", "missing/objects/x"),
        (".git/", "missing/"),
        (".env/", "missing/"),
        (".env/below", "missing/below"),
        (".git/.", "missing/."),
        (".git/..", "missing/.."),
        (".git/../readme.md", "missing/../readme.md"),
        ("to-secret", "to-missing"),
        (".env.inspect.json", "missing.inspect.json"),
        (".env.outline.json", "missing.outline.json"),
        (".git.inspect.json", "missing.inspect.json"),
        (".git/.inspect.json", "missing/.inspect.json"),
        (".git/config.inspect.json", "missing/config.inspect.json"),
    ];
    assert_answers_as_missing(&view, &pairs);
    assert_eq!(view.read("readme.md"), b"# Title\n");
    assert_eq!(
        fs::read(view.workspace().path(".env")).unwrap(),
        MARKER.as_bytes()
    );
}

#[test]
fn no_client_meets_the_marker() {
    assert_no_client_meets_the_marker(&View::with_policy(tree(true), RULES));
}

/// Walks, greps, copies, packs and describes the whole view.
pub(crate) fn assert_no_client_meets_the_marker(view: &View) {
    let copy = view.workspace().base().join("copy");
    let copy = copy.to_str().unwrap();
    let walk = "python3 -c 'import os\n\
        for p,d,f in os.walk(\".\"):\n  print(p,d,f,os.stat(p))\n  \
        for n in f:\n    q=os.path.join(p,n); print(os.lstat(q))\n    \
        try: print(open(q,\"rb\").read())\n    except OSError as e: print(e)'";
    let copying = format!("cp -r --no-dereference . {copy} && grep -ra '' {copy}; ls -aR {copy}");
    let mut lines = vec![
        "cat .* * */* */.* */*/* 2>&1",
        "grep -ra '' . 2>&1",
        "find . -exec head -c 1000 {} ';' 2>&1",
        "find . -ls",
        "ls -laRi .",
        "du -a --apparent-size .",
        "tar -cf - .",
        "echo .* * */.* */* */*/* */*/*/*",
        "stat .* * */* */.*",
        "wc -c .env* src/.env notes.txt 2>&1",
        "cat < notes.txt",
        walk,
        &copying,
        "cat .inspect.json */.inspect.json *.md.inspect.json src/.env.inspect.json",
        "for f in $(find . -type f); do cat $f.inspect.json $f.outline.json; done",
        "df .; stat -f .; cat /proc/mounts /proc/self/mountinfo",
    ];
    if installed("rg") {
        lines.push("rg -uu --hidden '' .; rg -uu --files .");
    }
    for line in lines {
        let told = shell(view, line);
        assert!(!told.contains(MARKER), "{line}:\n{told}");
        assert!(!told.is_empty(), "{line} says nothing");
    }
    assert!(mount_line(view.root()).is_some_and(|line| !line.contains(MARKER)));
    assert!(!view.log().contains(MARKER), "{}", view.log());
}

/// Everything that can be seen of `rel` and below, but inode numbers and times of folders.
fn observe(view: &View, rel: &Path, seen: &mut BTreeMap<PathBuf, String>) {
    for name in view.all_names(rel).unwrap() {
        let path = rel.join(&name);
        let stat = view.stat(&path);
        let mut line = format!(
            "mode {:o} links {} size {} blocks {} owner {}:{} device {}",
            stat.mode(),
            stat.nlink(),
            stat.size(),
            stat.blocks(),
            stat.uid(),
            stat.gid(),
            stat.rdev()
        );
        if stat.is_symlink() {
            write!(line, " text {:?}", fs::read_link(view.path(&path))).unwrap();
        } else if stat.is_file() {
            write!(
                line,
                " content {:?}",
                String::from_utf8_lossy(&view.read(&path))
            )
            .unwrap();
            // A folder's time is its own, and its summary has it: the two trees are made one
            // after the other.
            if name != ".inspect.json" {
                write!(line, " time {}", stat.mtime()).unwrap();
            }
        }
        if name != ".inspect.json" {
            for suffix in [".inspect.json", ".outline.json"] {
                let sidecar = format!("{}{suffix}", path.to_str().unwrap());
                if view.exists(&sidecar) {
                    let mut document = view.json(&sidecar);
                    // The links are made at another time in each tree.
                    if let Some(object) = document.as_object_mut().filter(|_| stat.is_symlink()) {
                        object.remove("mtime");
                    }
                    write!(line, " {suffix} {document}").unwrap();
                }
            }
        }
        seen.insert(path.clone(), line);
        if stat.is_dir() {
            observe(view, &path, seen);
        }
    }
}

#[test]
fn the_view_is_the_same_without_the_hidden_content() {
    assert_views_are_the_same(tree(false), tree(true));
}

/// Compares all that can be seen of two workspaces under the same rules.
pub(crate) fn assert_views_are_the_same(without: Workspace, with: Workspace) {
    let see = |workspace| {
        let view = View::with_policy(workspace, RULES);
        let mut seen = BTreeMap::new();
        observe(&view, Path::new(""), &mut seen);
        seen
    };
    let (without, with) = (see(without), see(with));
    assert!(without.len() > 12, "{without:?}");
    for (path, line) in &with {
        assert_eq!(Some(line), without.get(path), "{}", path.display());
    }
    assert_eq!(with.len(), without.len());
}

#[test]
fn a_secret_that_appears_is_hidden_from_the_first_instant() {
    let appear = |workspace: &Workspace| {
        workspace
            .file("plain", "x")
            .file(".env.local", MARKER)
            .file("new/id_rsa", MARKER);
    };
    let go = |workspace: &Workspace| {
        fs::remove_file(workspace.path("plain")).unwrap();
        fs::remove_file(workspace.path(".env.local")).unwrap();
        fs::remove_dir_all(workspace.path("new")).unwrap();
    };
    let secrets = [".env.local", "new/id_rsa"];
    assert_never_seen(&secrets, &["plain", "new"], appear, go);
}

/// Opens and stats `secrets` in tight loops while they appear and go, again and again.
/// `controls` come with them and are seen.
pub(crate) fn assert_never_seen(
    secrets: &[&str],
    controls: &[&str],
    appear: impl Fn(&Workspace),
    go: impl Fn(&Workspace),
) {
    let view = View::of(&[("src/a.txt", "x")]);
    let (stop, tries) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for name in secrets {
            let (view, stop, tries) = (&view, &stop, &tries);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let opened = fs::read(view.path(name));
                    assert!(opened.is_err(), "{name} opens");
                    assert!(fs::symlink_metadata(view.path(name)).is_err(), "{name}");
                    tries.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // Also when this thread fails, or the scope would wait for the readers for ever.
        let _stop = StopOnDrop(&stop);
        for round in 0..60 {
            appear(view.workspace());
            if round % 20 == 0 {
                // Changes do arrive: what is asked below is not answered from an old tree.
                for name in controls {
                    eventually(name, Duration::from_secs(2), || {
                        view.exists(name).then_some(())
                    });
                }
            }
            let _ = fs::read_dir(view.root()).map(Iterator::count);
            let seen = tries.load(Ordering::Relaxed);
            eventually("readers try", Duration::from_secs(10), || {
                (tries.load(Ordering::Relaxed) > seen + 6).then_some(())
            });
            go(view.workspace());
        }
    });
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
