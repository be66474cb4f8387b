//! Other users: an ordinary user's own view, and who may enter somebody's view.

use crate::harness::{
    PATIENCE, READY_ON_STDOUT, View, detach, is_mounted, process_id, read_line, require_fuse,
};
use crate::processes::{as_ordinary_user, give_to_ordinary_user, public_binary, run, wait};
use crate::workspace::Workspace;
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

#[test]
fn other_users_only_where_the_flag_lets_them() {
    if !rustix::process::geteuid().is_root() {
        // An ordinary user's view is checked against root in the test below.
        return ordinary_user_round_trip();
    }
    let tree = || {
        let workspace = Workspace::of(&[("open", "x"), ("closed", "x"), (".env", "x")]);
        let mode = fs::Permissions::from_mode;
        fs::set_permissions(workspace.base(), mode(0o755)).unwrap();
        fs::set_permissions(workspace.path("closed"), mode(0o600)).unwrap();
        workspace
    };
    let reads = |view: &View, name: &str| {
        let done = run(as_ordinary_user("cat").arg(view.path(name)));
        done.status.success()
    };
    let view = View::mount_with(tree(), &["--allow-other"]);
    assert!(reads(&view, "open"));
    assert!(!reads(&view, "closed"), "modes hold for other users");
    assert!(reads(&view, "open.inspect.json"));
    for sidecar in ["closed.inspect.json", "closed.outline.json"] {
        assert!(
            !reads(&view, sidecar),
            "a structure is a part of the content"
        );
    }
    assert!(!reads(&view, ".env"));
    drop(view);
    let view = View::mount(tree());
    assert!(!reads(&view, "open"));
}

#[test]
fn an_ordinary_user_mounts_and_is_told_what_is_not_allowed() {
    ordinary_user_round_trip();
}

fn ordinary_user_round_trip() {
    require_fuse();
    let workspace = Workspace::of(&[("file", "x"), (".env", "s"), ("shut/inner", "x")]);
    let (base, view) = (workspace.base().to_owned(), workspace.mountpoint());
    let binary = public_binary(&base);
    for path in [&view, &workspace.root().to_owned(), &workspace.path("file")] {
        give_to_ordinary_user(path);
    }
    fs::set_permissions(workspace.path("shut"), fs::Permissions::from_mode(0o000)).unwrap();
    if !run(as_ordinary_user("test").args(["-w", "/dev/fuse"]))
        .status
        .success()
    {
        // Not as distributions have it (mode 0666): then the refusal must say so.
        return refused(&binary, workspace.root(), &view, "/dev/fuse");
    }
    let mut daemon = as_ordinary_user("sh")
        .args(["-c", READY_ON_STDOUT])
        .arg(&binary)
        .arg("mount")
        .arg(workspace.root())
        .arg(&view)
        .args(["--foreground", "--ready-fd", "3"])
        .stdout(Stdio::piped())
        .stderr(fs::File::create(base.join("stderr")).unwrap())
        .spawn()
        .unwrap();
    let line = read_line(daemon.stdout.as_mut().unwrap(), PATIENCE);
    let listed = run(as_ordinary_user("ls").arg("-a").arg(&view)).out();
    let content = run(as_ordinary_user("cat").arg(view.join("file"))).out();
    let shut = run(as_ordinary_user("cat").arg(view.join("shut/inner")));
    let summary = run(as_ordinary_user("cat").arg(view.join("shut.inspect.json")));
    let gone = rustix::process::kill_process(process_id(daemon.id()), Signal::TERM);
    let status = wait(&mut daemon, PATIENCE);
    let left = is_mounted(&view);
    detach(&view);
    let log = fs::read_to_string(base.join("stderr")).unwrap();
    assert_eq!(line.as_deref(), Ok("ready"), "{log}");
    assert_eq!(listed, ".\n..\n.inspect.json\nfile\nshut\n");
    assert_eq!(content, "x");
    assert!(shut.err().contains("Permission denied"), "{}", shut.err());
    assert!(summary.status.success(), "{}", summary.err());
    assert!(
        gone.is_ok() && status.is_some_and(|status| status.success()),
        "{log}"
    );
    assert!(!left);

    // A mount point that is not the user's, and a workspace that cannot be read.
    let foreign = base.join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o555)).unwrap();
    let shut = workspace.path("shut");
    for (from, to, at_fault) in [
        (workspace.root(), &foreign, &foreign),
        (&shut, &view, &shut),
    ] {
        refused(&binary, from, to, at_fault.to_str().unwrap());
    }
}

/// An ordinary user's mount that fails with one line which names what is at fault.
fn refused(binary: &Path, workspace: &Path, mountpoint: &Path, at_fault: &str) {
    let mut command = as_ordinary_user(binary);
    let done = run(command.arg("mount").arg(workspace).arg(mountpoint));
    let left = is_mounted(mountpoint);
    detach(mountpoint);
    assert!(!left);
    let told = done.err();
    assert_eq!(done.code(), Some(1), "{told}");
    assert!(
        told.starts_with("inspectfs: ") && told.lines().count() == 1,
        "{told}"
    );
    assert!(told.contains(at_fault), "{told}");
}
