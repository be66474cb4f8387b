//! The commands around the view: what they say when something is wrong, how views begin and
//! end, and the documents without a mount.

use crate::harness::{
    PATIENCE, READY_ON_STDOUT, View, as_ordinary_user, detach, eventually, give_to_ordinary_user,
    inspectfs, is_mounted, mount_line, process_id, public_binary, read_line, require_fuse, run,
    wait,
};
use crate::workspace::Workspace;
use rustix::process::Signal;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs `mount` with a ready descriptor and expects one line that holds all of `words`.
fn refused<S: AsRef<OsStr>>(args: &[S], words: &[&str]) -> String {
    let done = run(Command::new("sh")
        .args(["-c", READY_ON_STDOUT])
        .arg(crate::harness::binary())
        .arg("mount")
        .args(args)
        .args(["--ready-fd", "3"])
        .stdin(Stdio::null()));
    let told = done.err();
    assert_eq!(done.code(), Some(1), "{told}");
    assert!(told.starts_with("inspectfs: "), "{told}");
    assert!(told.ends_with('\n') && told.lines().count() == 1, "{told}");
    for word in words {
        assert!(told.contains(word), "{word:?} is not in: {told}");
    }
    assert_eq!(done.out(), "", "the ready descriptor is closed empty");
    told
}

#[test]
fn what_cannot_be_mounted_is_refused_in_one_line() {
    require_fuse();
    let workspace = Workspace::of(&[("file", "x"), ("full/file", "x")]);
    let (root, view) = (workspace.root(), workspace.mountpoint());
    let base = workspace.base().to_owned();
    let missing = base.join("missing");
    let file = root.join("file");
    let full = base.join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("x"), "x").unwrap();
    let dangling = base.join("dangling");
    std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    refused(&[root, &missing], &[&text(&missing)]);
    refused(&[root, &file], &[&text(&file)]);
    refused(&[root, &full], &[&text(&full), "empty"]);
    refused(&[root, &dangling], &[&text(&dangling)]);
    refused(&[root, &missing.join("below")], &[&text(&missing)]);
    refused(&[&missing, &view], &[&text(&missing)]);
    refused(&[&file, &view], &[&text(&file)]);
    refused(
        &[Path::new("relative/nowhere"), &view],
        &["relative/nowhere"],
    );
    assert!(!is_mounted(&view));
    assert!(!missing.exists(), "nothing is made");
    assert_eq!(workspace.left_behind().unwrap(), Vec::<PathBuf>::new());
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    require_fuse();
    let workspace = Workspace::of(&[("file", "x")]);
    let (root, view) = (workspace.root(), workspace.mountpoint());
    let with = |flags: &[&str]| {
        let mut args = vec![root.as_os_str().to_owned(), view.clone().into_os_string()];
        args.extend(flags.iter().map(Into::into));
        args
    };
    refused(&with(&["--frobnicate"]), &["--frobnicate"]);
    refused(&with(&["--sidecars", "some"]), &["some"]);
    refused(&with(&["--hide", "a["]), &["a["]);
    refused(&with(&["--deny", "raed:x"]), &["raed", "read"]);
    refused(&with(&["--deny", "read"]), &["read"]);
    refused(&with(&["--policy", "no-such.toml"]), &["no-such.toml"]);
    assert!(!is_mounted(&view));
    for flag in ["--help", "--version"] {
        let told = run(inspectfs().arg(flag));
        assert_eq!(told.code(), Some(0));
        assert!(told.out().contains("inspectfs"));
    }
    let help = run(inspectfs().args(["mount", "--help"])).out();
    for flag in [
        "--foreground",
        "--ready-fd",
        "--json",
        "--policy",
        "--hide",
        "--deny",
        "--show",
        "--sidecars",
        "--read-only",
        "--allow-other",
        "--name",
    ] {
        assert!(help.contains(flag), "{flag} is not in the help");
    }
}

#[test]
fn a_faulty_policy_starts_no_view() {
    require_fuse();
    // Policy, the line at fault, the word that must be named.
    let rows = [
        ("[[rule]]\npaht = \"x\"\nhide = true\n", 2, "path"),
        ("\n\n[[rule]]\npath = \"x\"\ndeny = [\"raed\"]\n", 5, "read"),
        (
            "[[rule]]\npath = \"x\"\nallow = [\"mutate-contents\"]\n",
            3,
            "mutate-content",
        ),
        ("[[rule]]\npath = \"a[\"\nhide = true\n", 2, "a["),
        (
            "[[rule]]\npath = \"ok\"\nhide = true\n\n[[rule]]\n",
            5,
            "path",
        ),
        ("[[rule]]\npath = \"x\"\n", 1, "x"),
        ("[[rules]]\npath = \"x\"\nhide = true\n", 1, "rule"),
        ("[symlinks]\nmod = \"deny\"\n", 2, "mode"),
        ("defualt = \"deny\"\n", 1, "default"),
        ("specail = \"strip\"\n", 1, "special"),
        ("[[rule]\n", 1, ""),
    ];
    for (policy, line, word) in rows {
        let workspace = Workspace::of(&[("file", "x")]);
        let file = workspace.base().join("policy.toml");
        fs::write(&file, policy).unwrap();
        let (root, view) = (workspace.root().as_os_str(), workspace.mountpoint());
        let outside = refused(
            &[
                root,
                view.as_os_str(),
                "--policy".as_ref(),
                file.as_os_str(),
            ],
            &["policy.toml", word],
        );
        workspace.file(".inspectfs.toml", policy);
        let inside = refused(&[root, view.as_os_str()], &[".inspectfs.toml", word]);
        for told in [outside, inside] {
            assert!(
                told.contains(&format!(":{line}")) || told.contains(&format!("line {line}")),
                "line {line} of {policy:?} is not named: {told}"
            );
        }
        assert!(!is_mounted(&view));
    }
}

#[test]
fn a_second_view_on_the_same_mount_point_is_refused() {
    let view = View::of(&[("file", "x")]);
    let other = Workspace::of(&[("other", "y")]);
    refused(
        &[other.root(), view.root()],
        &[view.root().to_str().unwrap()],
    );
    assert_eq!(view.read("file"), b"x");
    assert_eq!(view.names(""), ["file"]);
}

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
        .arg(crate::harness::binary())
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
fn unmount_says_what_is_no_view() {
    let workspace = Workspace::of(&[("file", "x")]);
    for path in [workspace.mountpoint(), workspace.base().join("missing")] {
        let done = run(inspectfs().arg("unmount").arg(&path));
        assert_eq!(done.code(), Some(1));
        let told = done.err();
        assert!(
            told.starts_with("inspectfs: ") && told.lines().count() == 1,
            "{told}"
        );
        assert!(told.contains(path.to_str().unwrap()), "{told}");
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
        let done = run(as_ordinary_user(&binary).arg("mount").arg(from).arg(to));
        let left = is_mounted(to);
        detach(to);
        assert!(!left);
        assert_eq!(done.code(), Some(1), "{}", done.err());
        let told = done.err();
        assert!(
            told.starts_with("inspectfs: ") && told.lines().count() == 1,
            "{told}"
        );
        assert!(told.contains(at_fault.to_str().unwrap()), "{told}");
    }
}

/// Runs a document command in the workspace and gives status and the parsed lines.
fn offline(workspace: &Workspace, args: &[&str]) -> (Option<i32>, Vec<serde_json::Value>) {
    let done = run(inspectfs().current_dir(workspace.root()).args(args));
    assert_eq!(done.err(), "", "{args:?}");
    let lines = done
        .out()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    (done.code(), lines)
}

#[test]
fn documents_that_cannot_be_made_say_why() {
    let workspace = Workspace::of(&[
        ("sales_2024.csv", "a,b\n"),
        ("mains.rs", ""),
        ("Main.rs", ""),
        ("main.rs.bak", ""),
        ("unlike", ""),
        (".env", "SECRET"),
        ("d/.env.local", "SECRET"),
        ("latin1.py", "x"),
        ("private/x", "y"),
    ]);
    workspace
        .file("latin1.py", b"# \xe9\n")
        .link("out", "../outside");
    fs::write(workspace.base().join("outside"), "x").unwrap();
    let failure = |args: &[&str]| {
        let (code, lines) = offline(&workspace, args);
        assert_eq!(code, Some(1), "{args:?}");
        assert_eq!(lines.len(), 1, "{args:?}");
        assert_eq!(lines[0]["ok"], false, "{args:?}");
        let error = &lines[0]["error"];
        let message = error["message"].as_str().unwrap().to_owned();
        assert!(
            !message.contains(workspace.base().to_str().unwrap()),
            "{message}"
        );
        (error["code"].as_str().unwrap().to_owned(), message)
    };
    for command in ["inspect", "outline"] {
        assert_eq!(
            failure(&[command, "sales2024.csv"]),
            (
                "not_found".to_owned(),
                "'sales2024.csv' not found; similar paths: sales_2024.csv".to_owned()
            )
        );
        let (_, message) = failure(&[command, "main.rs"]);
        assert!(
            message.ends_with("similar paths: mains.rs, Main.rs, main.rs.bak"),
            "{message}"
        );
        for outside in ["../outside", "/etc/passwd"] {
            assert_eq!(failure(&[command, outside]).0, "outside_workspace");
        }
        assert_eq!(failure(&[command]).0, "usage");
        assert_eq!(failure(&[command, "--frobnicate"]).0, "usage");
        // Hidden answers as missing and is never suggested.
        for hidden in [".env", "d/.env.local", ".git/config"] {
            let (code, message) = failure(&[command, hidden]);
            assert_eq!(code, "not_found");
            assert!(!message.contains("similar paths: .env"), "{message}");
        }
        assert!(!failure(&[command, ".envi"]).1.contains("similar"));
    }
    assert_eq!(failure(&["outline", "d"]).0, "not_regular");
    assert_eq!(failure(&["outline", "latin1.py"]).0, "not_utf8");
    let document = offline(&workspace, &["outline", "sales2024.csv"]).1;
    assert_eq!(document[0]["path"], "sales2024.csv");
    // One failure among several fails the whole, and the others are there.
    let (code, lines) = offline(&workspace, &["inspect", "Main.rs", "nothing", "unlike"]);
    assert_eq!((code, lines.len()), (Some(1), 3));
    assert_eq!(lines[0]["path"], "Main.rs");
    assert_eq!(lines[1]["error"]["code"], "not_found");
    assert_eq!(lines[2]["path"], "unlike");
}

#[test]
fn hidden_and_missing_documents_are_the_same_bytes() {
    let told = |hidden: bool| {
        let workspace = Workspace::of(&[("env", "x"), ("d/x", "x")]);
        if hidden {
            workspace
                .file(".env", "s")
                .file("d/id_rsa", "s")
                .file(".git/config", "s");
        }
        let ask = |command: &str, path: &str| {
            run(inspectfs()
                .current_dir(workspace.root())
                .args([command, path]))
            .out()
        };
        // The workspace must be the same folder with and without `.git` in it.
        workspace.file(".inspectfs.toml", "");
        ["inspect", "outline"].map(|command| {
            [
                ".env",
                "d/id_rsa",
                ".git",
                ".git/config",
                ".git/nothing",
                "d/id_rsb",
            ]
            .map(|path| ask(command, path))
        })
    };
    assert_eq!(told(false), told(true));
}

#[test]
fn absolute_paths_inside_are_fine() {
    let workspace = Workspace::of(&[(".inspectfs.toml", ""), ("a/x.py", "import os\n")]);
    let from_inside = run(inspectfs()
        .current_dir(workspace.path("a"))
        .args(["inspect", "x.py"]));
    let absolute = run(inspectfs().arg("inspect").arg(workspace.path("a/x.py")));
    assert_eq!(from_inside.out(), absolute.out());
    assert!(
        absolute.out().starts_with("{\"path\":\"a/x.py\","),
        "{}",
        absolute.out()
    );
    assert_eq!(absolute.code(), Some(0));
}
