//! Names and trees that break naive code: any bytes, the longest names and paths, deep
//! folders, special files and loops.

use crate::harness::View;
use crate::processes::run;
use crate::workspace::{Workspace, raw};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn any_bytes_make_a_name() {
    let workspace = Workspace::new();
    let names: Vec<Vec<u8>> = (1..=255_u8)
        .filter(|&byte| byte != b'/')
        .map(|byte| vec![byte, b'x', byte])
        .chain([
            b"\xff\xfe\xfd".to_vec(),
            b"new\nline".to_vec(),
            b"a\\b".to_vec(),
            b"'quote\"".to_vec(),
            b"*?[a]{b}".to_vec(),
            b" ".to_vec(),
            b"...".to_vec(),
            b"-rf".to_vec(),
            b"trailing ".to_vec(),
            b"trailing.".to_vec(),
            "e\u{301}".as_bytes().to_vec(),
            "\u{e9}".as_bytes().to_vec(),
            b"\x1b[31m".to_vec(),
        ])
        .collect();
    for name in &names {
        let path = PathBuf::from("odd").join(raw(name));
        workspace.file(path, name);
    }
    workspace.file(raw(b"dir\xff/in\nner/f\x01"), "deep");
    let view = View::mount(workspace);
    let mut expected = names.clone();
    expected.sort();
    let listed: Vec<Vec<u8>> = view
        .names("odd")
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    assert_eq!(listed, expected);
    for name in &names {
        let path = PathBuf::from("odd").join(raw(name));
        assert_eq!(&view.read(path), name, "{}", name.escape_ascii());
    }
    assert_eq!(view.read(raw(b"dir\xff/in\nner/f\x01")), b"deep");
}

#[test]
fn the_longest_names() {
    let workspace = Workspace::new();
    let longest = "n".repeat(255);
    workspace.file(&longest, "long").folder("d".repeat(255));
    let view = View::mount(workspace);
    assert_eq!(view.read(&longest), b"long");
    assert!(view.stat("d".repeat(255)).is_dir());
    for name in [
        "n".repeat(256),
        "n".repeat(1000),
        format!("{}/x", "d".repeat(256)),
        format!("{}.inspect.json", "m".repeat(250)),
    ] {
        let error = fs::symlink_metadata(view.path(&name)).unwrap_err();
        assert_eq!(
            error.raw_os_error(),
            Some(libc::ENAMETOOLONG),
            "{} bytes",
            name.len()
        );
    }
}

#[test]
fn sixty_folders_deep() {
    let workspace = Workspace::new();
    let deep: PathBuf = (0..60).map(|level| format!("level-{level}")).collect();
    workspace
        .file(deep.join("bottom.py"), "x = 1\n")
        .file(deep.join(".env"), "SECRET=1");
    let view = View::mount(workspace);
    assert_eq!(view.read(deep.join("bottom.py")), b"x = 1\n");
    assert_eq!(view.names(&deep), ["bottom.py"]);
    assert!(!view.exists(deep.join(".env")));
    assert_eq!(view.summary("level-0")["max_depth"], 60);
    assert_eq!(view.json(".inspect.json")["max_depth"], 61);
    let found = run(Command::new("find")
        .arg(view.root())
        .args(["-name", "bottom.py"]));
    assert_eq!(found.out().lines().count(), 1);
}

fn folder(at: &OwnedFd, name: &str) -> OwnedFd {
    mkdirat(at, name, Mode::from_raw_mode(0o755)).unwrap();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    openat(at, name, flags, Mode::empty()).unwrap()
}

/// The daemon meets the workspace by a longer path than a client the view: it must not build
/// path strings.
#[test]
fn paths_up_to_the_limit() {
    const PATH_MAX: usize = 4096; // with the final NUL
    let workspace = Workspace::new();
    let mountpoint = workspace.mountpoint();
    let left = PATH_MAX - 1 - mountpoint.as_os_str().len();
    let mut rel = PathBuf::new();
    let mut at = openat(
        CWD,
        workspace.root(),
        OFlags::RDONLY | OFlags::DIRECTORY,
        Mode::empty(),
    )
    .unwrap();
    while left - rel.as_os_str().len() > 300 {
        let name = "p".repeat(200);
        at = folder(&at, &name);
        rel.push(name);
        workspace.note(&rel);
    }
    let last = "f".repeat(left - rel.as_os_str().len() - 2);
    let create = OFlags::WRONLY | OFlags::CREATE;
    let file = openat(&at, &last, create, Mode::from_raw_mode(0o644)).unwrap();
    fs::File::from(file).write_all(b"far").unwrap();
    let view = View::mount(workspace);
    let path = view.path(rel.join(&last));
    assert_eq!(path.as_os_str().len(), PATH_MAX - 1);
    assert_eq!(fs::read(&path).unwrap(), b"far");
    assert_eq!(view.names(&rel), [last.as_str()]);
    let error = fs::read(view.path(rel.join(last + "g"))).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENAMETOOLONG));
    // The workspace walker of the harness goes by path and would not get so far.
    drop(at);
    let first = view.workspace().path(rel.iter().next().unwrap());
    let removed = run(Command::new("rm").arg("-rf").arg(first));
    assert!(removed.status.success(), "{}", removed.err());
}

#[test]
fn special_files_stop_nobody() {
    let workspace = Workspace::of(&[("plain", "x")]);
    workspace.fifo("pipe").fifo("d/pipe.py").fifo("d/pipe.json");
    let listener = workspace.socket("socket");
    let view = View::mount(workspace);
    assert!(view.stat("pipe").file_type().is_fifo());
    assert!(view.stat("socket").file_type().is_socket());
    for path in ["pipe", "socket", "d/pipe.py", "d/pipe.json"] {
        assert_eq!(view.summary(path)["type"], "other");
        assert!(!view.exists(format!("{path}.outline.json")));
    }
    assert_eq!(view.summary("d")["entries"]["files"], 2);
    let told = run(Command::new("find")
        .arg(view.root())
        .args(["-exec", "stat", "{}", "+"]));
    assert!(told.status.success(), "{}", told.err());
    let listed = run(Command::new("ls").arg("-laR").arg(view.root()));
    assert!(listed.status.success(), "{}", listed.err());
    // They work as special files: the kernel joins the two ends within the view.
    let path = view.path("pipe");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut end = fs::File::options().write(true).open(&path).unwrap();
            end.write_all(b"through").unwrap();
        });
        let mut text = String::new();
        fs::File::open(&path)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "through");
    });
    let error = UnixStream::connect(view.path("socket")).unwrap_err();
    assert_ne!(error.raw_os_error(), Some(libc::ENOENT), "the name exists");
    drop(listener);
}

#[test]
fn loops_end() {
    let workspace = Workspace::of(&[("d/f.py", "x = 1\n")]);
    workspace
        .link("self", "self")
        .link("a", "b")
        .link("b", "a")
        .link("d/up", "..")
        .link("d/up2", "../d")
        .link("d/here", ".");
    let view = View::mount(workspace);
    for name in ["self", "a", "b"] {
        let error = fs::metadata(view.path(name)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ELOOP), "{name}");
        assert_eq!(view.summary(name)["type"], "symlink");
    }
    assert_eq!(view.read("d/up2/f.py"), b"x = 1\n");
    assert_eq!(view.read("d/here/here/f.py"), b"x = 1\n");
    assert_eq!(view.read("d/up/d/up/d/f.py"), b"x = 1\n");
    assert_eq!(view.summary("d")["entries"]["files"], 4);
    let found = run(Command::new("find")
        .arg(view.root())
        .args(["-name", "f.py"]));
    assert_eq!(found.out().lines().count(), 1);
    let followed = run(Command::new("find")
        .arg("-L")
        .arg(view.root())
        .args(["-name", "f.py"]));
    assert_eq!(followed.out().lines().count(), 1, "{}", followed.err());
}

#[test]
fn a_deep_link_chain() {
    let workspace = Workspace::of(&[("target", "end")]);
    for index in 0..30 {
        let text = if index == 0 {
            "target".to_owned()
        } else {
            format!("l{}", index - 1)
        };
        workspace.link(format!("l{index}"), text);
    }
    let view = View::mount(workspace);
    assert_eq!(view.read("l29"), b"end");
    assert_eq!(
        fs::canonicalize(view.path("l29")).unwrap(),
        view.path("target")
    );
    assert_eq!(fs::read_link(view.path("l7")).unwrap(), Path::new("l6"));
}
