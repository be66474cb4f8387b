//! How views begin and end: readiness, background and foreground, signals, unmount, killed
//! daemons and odd mount points.

use crate::harness::{
    PATIENCE, View, detach, eventually, is_mounted, mount_line, process_id, read_line, require_fuse,
};
use crate::processes::{binary, inspectfs, run, wait};
use crate::workspace::Workspace;
use rustix::process::Signal;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[test]
fn two_views_of_one_workspace() {
    let view = View::of(&[("file", "x"), ("extra", "x")]);
    let second = view.workspace().base().join("second");
    fs::create_dir(&second).unwrap();
    let done = run(inspectfs()
        .arg("mount")
        .arg(view.workspace().root())
        .arg(&second)
        .args(["--hide", "extra"]));
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert!(second.join("file").exists() && !second.join("extra").exists());
    assert!(view.exists("extra"));
    let done = run(inspectfs().arg("unmount").arg(&second));
    detach(&second);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert_eq!(view.read("file"), b"x");
}

#[test]
fn in_the_background_until_unmount() {
    require_fuse();
    let workspace = Workspace::of(&[("file", "x")]);
    let view = workspace.mountpoint();
    let mount = |flags: &[&str]| {
        let mut command = inspectfs();
        command
            .arg("mount")
            .arg(workspace.root())
            .arg(&view)
            .args(flags);
        run(&mut command)
    };
    let done = mount(&[]);
    assert_eq!((done.code(), done.err()), (Some(0), String::new()));
    assert_eq!(done.out().lines().count(), 1, "{}", done.out());
    assert_eq!(
        fs::read(view.join("file")).unwrap(),
        b"x",
        "ready on return"
    );
    let done = run(inspectfs().arg("unmount").arg(&view));
    assert_eq!((done.code(), done.err()), (Some(0), String::new()));
    assert!(!is_mounted(&view));

    let done = mount(&["--json"]);
    let told: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(told["event"], "ready");
    assert_eq!(told["mountpoint"], view.to_str().unwrap());
    assert_eq!(told["workspace"], workspace.root().to_str().unwrap());
    let pid = u32::try_from(told["pid"].as_u64().unwrap()).unwrap();
    let alive = || rustix::process::test_kill_process(process_id(pid)).is_ok();
    assert!(alive() && is_mounted(&view));
    rustix::process::kill_process(process_id(pid), Signal::TERM).unwrap();
    eventually("the daemon ends", PATIENCE, || (!alive()).then_some(()));
    assert!(!is_mounted(&view));
    assert_eq!(workspace.left_behind().unwrap(), Vec::<PathBuf>::new());
}

#[test]
fn the_ready_descriptor_speaks_json_too() {
    require_fuse();
    let workspace = Workspace::of(&[("file", "x")]);
    let mut daemon = Command::new("sh")
        .args(["-c", r#"exec "$0" "$@" 7>&1 >&2"#])
        .arg(binary())
        .arg("mount")
        .arg(workspace.root())
        .arg(workspace.mountpoint())
        .args(["--json", "--foreground", "--ready-fd", "7"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let line = read_line(daemon.stdout.as_mut().unwrap(), PATIENCE);
    let mounted = is_mounted(&workspace.mountpoint());
    rustix::process::kill_process(process_id(daemon.id()), Signal::INT).unwrap();
    let status = wait(&mut daemon, PATIENCE);
    let left = is_mounted(&workspace.mountpoint());
    detach(&workspace.mountpoint());
    let told: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
    assert_eq!(told["event"], "ready");
    assert_eq!(told["pid"], daemon.id());
    assert!(mounted && !left);
    assert_eq!(status.and_then(|status| status.code()), Some(0));
}

#[test]
fn both_signals_unmount_with_files_open() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut view = View::of(&[("file", "x")]);
        let open = fs::File::open(view.path("file")).unwrap();
        view.signal(signal);
        assert_eq!(view.wait().code(), Some(0), "{}", view.log());
        assert!(!is_mounted(view.root()));
        assert_eq!(view.log(), "");
        drop(open);
    }
}

#[test]
fn a_killed_daemon_leaves_a_mount_that_unmount_clears() {
    let mut view = View::of(&[("file", "x")]);
    view.kill();
    assert!(is_mounted(view.root()));
    let error = fs::read(view.path("file")).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOTCONN));
    let done = run(inspectfs().arg("unmount").arg(view.root()));
    assert_eq!((done.code(), done.err()), (Some(0), String::new()));
    assert!(!is_mounted(view.root()));
    assert!(fs::read_dir(view.root()).unwrap().next().is_none());
}

#[test]
fn a_new_view_heals_a_dead_mount_point() {
    let mut view = View::of(&[("file", "x")]);
    // Killed under load: readers get an error, none waits.
    let root = view.root().to_owned();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| while fs::read(root.join("file")).is_ok() {});
        }
        view.kill();
    });
    let workspace = Workspace::of(&[("file", "again")]);
    let healed = View::mount_at(workspace, view.root().to_owned(), &[]);
    assert_eq!(healed.read("file"), b"again");
    drop(healed);
    assert!(!is_mounted(view.root()), "nothing is left below it");
}

#[test]
fn the_mount_point_may_lie_inside_the_workspace() {
    let workspace = Workspace::of(&[("file", "x"), ("mnt/sibling", "y")]);
    workspace.folder("mnt/view");
    let mountpoint = workspace.path("mnt/view");
    let view = View::mount_at(workspace, mountpoint, &[]);
    assert_eq!(view.names(""), ["file", "mnt"]);
    assert_eq!(view.names("mnt"), ["sibling"]);
    for name in ["mnt/view", "mnt/view/file", "mnt/view.inspect.json"] {
        assert!(!view.exists(name), "{name}");
    }
    assert_eq!(view.summary("mnt")["entries"]["dirs"], 0);
    for side in [view.root(), view.workspace().root()] {
        let found = run(Command::new("find").arg(side).args(["-name", "file"]));
        assert!(found.status.success(), "{}", found.err());
    }
}

#[test]
fn the_workspace_is_found_from_the_current_folder() {
    require_fuse();
    let workspace = Workspace::of(&[(".git/HEAD", "x"), ("a/b/file", "x"), ("top", "x")]);
    let view = workspace.mountpoint();
    let done = run(inspectfs()
        .current_dir(workspace.path("a/b"))
        .arg("mount")
        .arg(&view));
    let found = view.join("top").exists();
    let ended = run(inspectfs().arg("unmount").arg(&view));
    detach(&view);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert!(found, "the nearest folder with .git is the workspace");
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
}

#[test]
fn odd_places_inject_no_mount_options() {
    let base = tempfile::tempdir().unwrap();
    let odd = base.path().join("a b,suid,dev,rw,allow_other\\x");
    fs::create_dir(&odd).unwrap();
    let workspace = Workspace::within(&odd);
    workspace.file("file", "x");
    let view = View::mount(workspace);
    assert_eq!(view.read("file"), b"x");
    let line = mount_line(view.root()).unwrap();
    let fields: Vec<&str> = line.split(' ').collect();
    let (options, rest) = (fields[5], line.split_once(" - ").unwrap().1);
    for option in ["ro", "nosuid", "nodev"] {
        assert!(options.split(',').any(|given| given == option), "{line}");
    }
    assert!(rest.starts_with("fuse"), "{line}");
    let superblock = rest.split(' ').next_back().unwrap();
    assert!(!superblock.contains("allow_other"), "{line}");
}
