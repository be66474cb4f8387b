//! Hidden is missing: the same errno for every system call, no byte, name, size or count of
//! hidden content anywhere, and a view that does not differ with and without it.

use crate::calls::{ASKING, CHANGING, Row, errno};
use crate::harness::{View, eventually, mount_line};
use crate::processes::{installed, run};
use crate::workspace::Workspace;
use rustix::fs::inotify;
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// In the name or the content of everything hidden, and nowhere else.
const MARKER: &str = "zq7marker";

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

/// A tree of visible files, the same in every call, and hidden ones between if asked.
fn tree(hidden: bool) -> Workspace {
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
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{MARKER}\n");
        workspace
            .file(".env", MARKER)
            .file("src/.env", MARKER)
            .file(format!(".env.{MARKER}"), MARKER)
            .file(format!(".git/objects/{MARKER}"), MARKER)
            .file(".git/config", MARKER)
            .file("src/lib/id_rsa", MARKER)
            .file("data/server.pem", &key)
            .file("data/.npmrc", format!("//r/:_authToken={MARKER}\n"))
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

const RULES: &str = "[[rule]]\npath = \"private/**\"\nhide = true\n\
                     [[rule]]\npath = \"private/README.md\"\nshow = true\n";

#[test]
fn the_same_errno_for_every_system_call() {
    let workspace = tree(true);
    let _listening = workspace.socket(".git/socket");
    let view = View::with_policy(workspace, RULES);
    // Hidden names, each with a missing one of the same place; twice, so that the second
    // round meets what the kernel remembers.
    let pairs = [
        (".env", "missing"),
        ("src/.env", "src/missing"),
        ("notes.txt", "missing.txt"),
        ("data/server.pem", "data/missing.pem"),
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
    for round in 0..2 {
        for (hidden, missing) in pairs {
            let asked = answers(ASKING, &view, hidden);
            // A link itself exists.
            if !hidden.starts_with("to-") {
                for (call, errno) in &asked {
                    assert_eq!(*errno, libc::ENOENT, "{call} {hidden}, round {round}");
                }
            }
            assert_eq!(
                asked,
                answers(ASKING, &view, missing),
                "{hidden}, round {round}"
            );
            assert_eq!(
                answers(CHANGING, &view, hidden),
                answers(CHANGING, &view, missing),
                "{hidden}, round {round}"
            );
        }
    }
    assert_eq!(view.read("readme.md"), b"# Title\n");
    assert_eq!(
        fs::read(view.workspace().path(".env")).unwrap(),
        MARKER.as_bytes()
    );
}

/// Runs a shell line in the view and gives all it wrote.
fn shell(view: &View, line: &str) -> String {
    let done = run(Command::new("sh")
        .args(["-c", line])
        .current_dir(view.root()));
    done.out() + &done.err()
}

#[test]
fn no_client_meets_the_marker() {
    let view = View::with_policy(tree(true), RULES);
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
        let told = shell(&view, line);
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
            write!(line, " time {}", stat.mtime()).unwrap();
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
    let see = |hidden| {
        let view = View::with_policy(tree(hidden), RULES);
        let mut seen = BTreeMap::new();
        observe(&view, Path::new(""), &mut seen);
        seen
    };
    let (without, with) = (see(false), see(true));
    assert!(without.len() > 12, "{without:?}");
    for (path, line) in &with {
        assert_eq!(Some(line), without.get(path), "{}", path.display());
    }
    assert_eq!(with.len(), without.len());
}

#[test]
fn a_secret_that_appears_is_hidden_from_the_first_instant() {
    let workspace = Workspace::of(&[("src/a.txt", "x")]);
    for name in [".env.local", "new", "sub", "plain"] {
        workspace.note(name);
    }
    for name in ["new/id_rsa", "sub/.agentignore", "sub/private.txt"] {
        workspace.note(name);
    }
    let view = View::mount(workspace);
    let (stop, tries) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for name in [".env.local", "new/id_rsa", "sub/private.txt"] {
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
        let real = |name: &str| view.workspace().path(name);
        for round in 0..60 {
            fs::write(real("plain"), "x").unwrap();
            fs::write(real(".env.local"), MARKER).unwrap();
            fs::create_dir(real("new")).unwrap();
            fs::write(real("new/id_rsa"), MARKER).unwrap();
            // The folder arrives with its ignore file, as a checkout or a move brings it.
            let ready = view.workspace().base().join("ready");
            fs::create_dir(&ready).unwrap();
            fs::write(ready.join(".agentignore"), "private.txt\n").unwrap();
            fs::write(ready.join("private.txt"), MARKER).unwrap();
            fs::rename(&ready, real("sub")).unwrap();
            if round % 20 == 0 {
                // Changes do arrive: what is asked below is not answered from an old tree.
                for name in ["plain", "new", "sub/.agentignore"] {
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
            fs::remove_file(real("plain")).unwrap();
            fs::remove_file(real(".env.local")).unwrap();
            fs::remove_dir_all(real("new")).unwrap();
            fs::remove_dir_all(real("sub")).unwrap();
        }
    });
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
