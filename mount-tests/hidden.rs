//! Hidden is missing: the same errno for every system call, no byte, name, size or count of
//! hidden content anywhere, and a view that does not differ with and without it.

use crate::harness::{View, eventually, installed, mount_line, run};
use crate::syscalls::{Arg, CWD, call};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// In the name or the content of everything hidden, and nowhere else.
const MARKER: &str = "zq7marker";

fn path_call(number: libc::c_long, path: &Path, rest: &mut [Arg]) -> i32 {
    let mut args = vec![Arg::Path(path)];
    args.extend(rest.iter_mut().map(|arg| std::mem::replace(arg, Arg::Null)));
    call(number, &mut args).err().unwrap_or(0)
}

fn at_call(number: libc::c_long, path: &Path, rest: &mut [Arg]) -> i32 {
    let mut args = vec![CWD, Arg::Path(path)];
    args.extend(rest.iter_mut().map(|arg| std::mem::replace(arg, Arg::Null)));
    call(number, &mut args).err().unwrap_or(0)
}

fn open(path: &Path, flags: i32) -> i32 {
    let args = &mut [Arg::Int(flags.into()), Arg::Int(0o644)];
    at_call(libc::SYS_openat, path, args)
}

fn access(path: &Path, mode: i32) -> i32 {
    at_call(libc::SYS_faccessat, path, &mut [Arg::Int(mode.into())])
}

fn two_paths(number: libc::c_long, from: &Path, to: &Path, flags: u32) -> i32 {
    let mut args = [
        CWD,
        Arg::Path(from),
        CWD,
        Arg::Path(to),
        Arg::Int(flags.into()),
    ];
    call(number, &mut args).err().unwrap_or(0)
}

/// System calls that need the name to exist; errno, 0 for success.
fn asking(path: &Path) -> Vec<(&'static str, i32)> {
    let buffer = &mut [0_u8; 512];
    let name = Path::new("user.test");
    let mut handle = [0_u8; 136];
    handle[0] = 128;
    let mut how = [0_u8; 24];
    let inotify = rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::CLOEXEC).unwrap();
    let watched =
        rustix::fs::inotify::add_watch(&inotify, path, rustix::fs::inotify::WatchFlags::ALL_EVENTS);
    vec![
        (
            "stat",
            at_call(
                libc::SYS_newfstatat,
                path,
                &mut [Arg::Buffer(buffer), Arg::Int(0)],
            ),
        ),
        (
            "lstat",
            at_call(
                libc::SYS_newfstatat,
                path,
                &mut [
                    Arg::Buffer(buffer),
                    Arg::Int(libc::AT_SYMLINK_NOFOLLOW.into()),
                ],
            ),
        ),
        (
            "statx",
            at_call(
                libc::SYS_statx,
                path,
                &mut [
                    Arg::Int(0),
                    Arg::Int(libc::STATX_BASIC_STATS.into()),
                    Arg::Buffer(buffer),
                ],
            ),
        ),
        (
            "statx unsynchronised",
            at_call(
                libc::SYS_statx,
                path,
                &mut [
                    Arg::Int(libc::AT_STATX_DONT_SYNC.into()),
                    Arg::Int(libc::STATX_BASIC_STATS.into()),
                    Arg::Buffer(buffer),
                ],
            ),
        ),
        ("open", open(path, libc::O_RDONLY)),
        ("open for writing", open(path, libc::O_WRONLY)),
        ("open truncating", open(path, libc::O_RDWR | libc::O_TRUNC)),
        ("open a path", open(path, libc::O_PATH)),
        (
            "open a path, no follow",
            open(path, libc::O_PATH | libc::O_NOFOLLOW),
        ),
        (
            "open a folder",
            open(path, libc::O_RDONLY | libc::O_DIRECTORY),
        ),
        (
            "open a nameless file",
            open(path, libc::O_RDWR | libc::O_TMPFILE),
        ),
        (
            "openat2",
            at_call(
                libc::SYS_openat2,
                path,
                &mut [Arg::Buffer(&mut how), Arg::Int(24)],
            ),
        ),
        ("access", access(path, libc::F_OK)),
        ("access for reading", access(path, libc::R_OK)),
        ("access for writing", access(path, libc::W_OK)),
        ("access for execution", access(path, libc::X_OK)),
        (
            "readlink",
            at_call(
                libc::SYS_readlinkat,
                path,
                &mut [Arg::Buffer(buffer), Arg::Int(512)],
            ),
        ),
        (
            "getxattr",
            path_call(
                libc::SYS_getxattr,
                path,
                &mut [Arg::Path(name), Arg::Buffer(buffer), Arg::Int(512)],
            ),
        ),
        (
            "lgetxattr",
            path_call(
                libc::SYS_lgetxattr,
                path,
                &mut [Arg::Path(name), Arg::Buffer(buffer), Arg::Int(512)],
            ),
        ),
        (
            "listxattr",
            path_call(
                libc::SYS_listxattr,
                path,
                &mut [Arg::Buffer(buffer), Arg::Int(512)],
            ),
        ),
        (
            "setxattr",
            path_call(
                libc::SYS_setxattr,
                path,
                &mut [
                    Arg::Path(name),
                    Arg::Buffer(buffer),
                    Arg::Int(1),
                    Arg::Int(0),
                ],
            ),
        ),
        (
            "removexattr",
            path_call(libc::SYS_removexattr, path, &mut [Arg::Path(name)]),
        ),
        ("chdir", path_call(libc::SYS_chdir, path, &mut [])),
        (
            "statfs",
            path_call(libc::SYS_statfs, path, &mut [Arg::Buffer(buffer)]),
        ),
        (
            "execve",
            path_call(libc::SYS_execve, path, &mut [Arg::Null, Arg::Null]),
        ),
        (
            "name_to_handle_at",
            at_call(
                libc::SYS_name_to_handle_at,
                path,
                &mut [Arg::Buffer(&mut handle), Arg::Buffer(buffer), Arg::Int(0)],
            ),
        ),
        (
            "inotify_add_watch",
            watched.err().map_or(0, rustix::io::Errno::raw_os_error),
        ),
        (
            "truncate",
            path_call(libc::SYS_truncate, path, &mut [Arg::Int(0)]),
        ),
        (
            "utimensat",
            at_call(libc::SYS_utimensat, path, &mut [Arg::Null, Arg::Int(0)]),
        ),
        (
            "chmod",
            at_call(libc::SYS_fchmodat, path, &mut [Arg::Int(0o600)]),
        ),
        (
            "chown",
            at_call(
                libc::SYS_fchownat,
                path,
                &mut [Arg::Int(-1), Arg::Int(-1), Arg::Int(0)],
            ),
        ),
        (
            "open_tree",
            at_call(libc::SYS_open_tree, path, &mut [Arg::Int(0)]),
        ),
        (
            "connect",
            UnixStream::connect(path)
                .err()
                .map_or(0, |error| error.raw_os_error().unwrap_or(-1)),
        ),
    ]
}

/// System calls that change what the name stands for.
fn changing(path: &Path, visible: &Path, new: &Path) -> Vec<(&'static str, i32)> {
    let exchange = libc::RENAME_EXCHANGE;
    let text = &mut [CWD, Arg::Null];
    vec![
        ("create", open(path, libc::O_WRONLY | libc::O_CREAT)),
        (
            "create anew",
            open(path, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL),
        ),
        (
            "mkdir",
            at_call(libc::SYS_mkdirat, path, &mut [Arg::Int(0o755)]),
        ),
        (
            "mknod",
            at_call(
                libc::SYS_mknodat,
                path,
                &mut [Arg::Int((libc::S_IFREG | 0o644).into()), Arg::Int(0)],
            ),
        ),
        ("symlink", {
            text[1] = Arg::Path(path);
            let [cwd, link] = text;
            let mut args = [
                Arg::Path(Path::new("text")),
                std::mem::replace(cwd, Arg::Null),
                std::mem::replace(link, Arg::Null),
            ];
            call(libc::SYS_symlinkat, &mut args).err().unwrap_or(0)
        }),
        (
            "unlink",
            at_call(libc::SYS_unlinkat, path, &mut [Arg::Int(0)]),
        ),
        (
            "rmdir",
            at_call(
                libc::SYS_unlinkat,
                path,
                &mut [Arg::Int(libc::AT_REMOVEDIR.into())],
            ),
        ),
        ("link from", two_paths(libc::SYS_linkat, path, new, 0)),
        ("link to", two_paths(libc::SYS_linkat, visible, path, 0)),
        ("rename from", two_paths(libc::SYS_renameat2, path, new, 0)),
        (
            "rename to",
            two_paths(libc::SYS_renameat2, visible, path, 0),
        ),
        (
            "rename to, no replace",
            two_paths(libc::SYS_renameat2, visible, path, libc::RENAME_NOREPLACE),
        ),
        (
            "exchange",
            two_paths(libc::SYS_renameat2, path, visible, exchange),
        ),
        (
            "exchange back",
            two_paths(libc::SYS_renameat2, visible, path, exchange),
        ),
    ]
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
    let visible = view.path("readme.md");
    let new = view.path("new-name");
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
            let (hidden_path, missing_path) = (view.path(hidden), view.path(missing));
            let found = asking(&hidden_path);
            for (call, errno) in &found {
                // A link itself exists, and so do creating calls' parents.
                if !hidden.starts_with("to-") && *call != "open a nameless file" {
                    assert_eq!(*errno, libc::ENOENT, "{call} {hidden}, round {round}");
                }
            }
            assert_eq!(found, asking(&missing_path), "{hidden}, round {round}");
            assert_eq!(
                changing(&hidden_path, &visible, &new),
                changing(&missing_path, &visible, &new),
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
            line += &format!(" text {:?}", fs::read_link(view.path(&path)));
        } else if stat.is_file() {
            line += &format!(" content {:?}", String::from_utf8_lossy(&view.read(&path)));
            line += &format!(" time {}", stat.mtime());
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
                    line += &format!(" {suffix} {document}");
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
