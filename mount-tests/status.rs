//! `status`: what is told of views, living, dead, hung and other people's, and a control socket
//! that nothing sent to it harms.

use crate::harness::{PATIENCE, View, detach, eventually, is_mounted, require_fuse};
use crate::processes::{as_ordinary_user, give_to_ordinary_user, inspectfs, public_binary, run};
use crate::workspace::Workspace;
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The entry of the view on `point` in the answer of a `status --json`.
fn entry_of(status: &mut Command, point: &Path) -> Option<Value> {
    let done = run(status.arg("status").arg("--json"));
    assert_eq!((done.code(), done.err()), (Some(0), String::new()));
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    let views = told["views"].as_array().unwrap();
    let mut found = views
        .iter()
        .filter(|view| view["mountpoint"] == point.to_str().unwrap());
    let entry = found.next().cloned();
    assert!(found.next().is_none(), "listed twice: {told}");
    entry
}

fn entry(view: &View) -> Option<Value> {
    entry_of(&mut inspectfs(), view.root())
}

fn requests(entry: &Value, operation: &str) -> u64 {
    entry["requests"][operation].as_u64().unwrap_or(0)
}

/// The control socket of a view.
fn socket(view: &View) -> PathBuf {
    let uid = rustix::process::geteuid();
    let folder = match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(runtime) if runtime.is_absolute() && runtime.is_dir() => runtime.join("inspectfs"),
        _ if uid.is_root() => PathBuf::from("/run/inspectfs"),
        _ => PathBuf::from(format!("/tmp/inspectfs-{}", uid.as_raw())),
    };
    folder.join(format!("{:x}-{}.sock", view.stat("").dev(), view.pid()))
}

/// Sends bytes and gives the answer's first line; empty if there is none.
fn converse(socket: &Path, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The server may hang up before all is sent.
    let _hung_up = stream.write_all(bytes);
    let _hung_up = stream.shutdown(std::net::Shutdown::Write);
    let mut line = String::new();
    let _hung_up = BufReader::new(stream).read_line(&mut line);
    line
}

#[test]
fn a_live_view_tells_what_it_was_asked() {
    let view = View::mount_with(
        Workspace::of(&[("a", "x"), ("folder/b", "y")]),
        &["--name", "told"],
    );
    let before = entry(&view).unwrap();
    assert_eq!(before["state"], "live");
    assert_eq!(
        before["workspace"],
        view.workspace().root().to_str().unwrap()
    );
    assert_eq!(
        (&before["name"], &before["mode"]),
        (&"told".into(), &"read-only".into())
    );
    assert_eq!(before["pid"], view.pid());
    for number in 0..20 {
        assert!(!view.exists(format!("missing-{number}")));
    }
    assert_eq!(view.read("folder/b"), b"y");
    let after = entry(&view).unwrap();
    assert!(
        requests(&after, "lookup") >= requests(&before, "lookup") + 20,
        "{after}"
    );
    assert!(
        requests(&after, "read") > requests(&before, "read"),
        "{after}"
    );
    assert!(after["nodes"].as_u64() >= Some(2), "{after}");
    assert!(after["memory_bytes"].as_u64() > Some(1 << 20), "{after}");
    assert!(after["watches"]["held"].as_u64() >= Some(1), "{after}");
    for (what, words) in [
        ("opens", &["no-open", "strict-open"][..]),
        ("missing_names", &["kept", "asked"]),
    ] {
        let told = after["caching"][what].as_str().unwrap();
        assert!(words.contains(&told), "{after}");
    }

    let done = run(inspectfs().arg("status"));
    let text = done.out();
    let start = format!("{}: live\n", view.root().display());
    assert!(text.contains(&start), "{text}");
    assert!(text.contains("name       told, process "), "{text}");
}

#[test]
fn a_view_that_ends_is_told_of_no_more() {
    let view = View::of(&[("a", "x")]);
    let (socket, point) = (socket(&view), view.root().to_owned());
    assert!(socket.exists());
    drop(view);
    assert!(!socket.exists());
    assert_eq!(entry_of(&mut inspectfs(), &point), None);
}

#[test]
fn a_dead_view_is_listed_until_it_is_cleared() {
    let mut view = View::of(&[("a", "x")]);
    let left = socket(&view);
    view.kill();
    let told = entry(&view).unwrap();
    assert_eq!(
        (&told["state"], &told["pid"]),
        (&"dead".into(), &Value::Null)
    );
    assert_eq!(told["workspace"], view.workspace().root().to_str().unwrap());
    assert!(told.get("requests").is_none(), "{told}");
    let done = run(inspectfs().arg("unmount").arg(view.root()));
    assert_eq!((done.code(), done.err()), (Some(0), String::new()));
    assert_eq!(entry(&view), None);
    assert!(!left.exists(), "what a view left goes when it is cleared");
}

#[test]
fn a_hung_view_does_not_hang_status() {
    let view = View::of(&[("a", "x")]);
    view.signal(Signal::STOP);
    let told = entry(&view);
    view.signal(Signal::CONT);
    assert_eq!(told.unwrap()["state"], "unresponsive");
    eventually("it answers again", PATIENCE, || {
        (entry(&view)?["state"] == "live").then_some(())
    });
}

#[test]
fn nothing_sent_to_the_socket_harms_the_view() {
    let view = View::of(&[("a", "x")]);
    let socket = socket(&view);
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(socket.parent().unwrap()), 0o700);
    let long = vec![b'x'; 1 << 20];
    let deep = "[".repeat(4000);
    for bytes in [
        &b""[..],
        b"\n",
        b"status\n",
        b"{\"command\":\"status\"",
        b"{\"command\":\"end\"}\n",
        b"{\"command\":7}\n",
        b"\xff\x00\xfe\n",
        &long,
        deep.as_bytes(),
        format!("{deep}\n").as_bytes(),
    ] {
        let answer = converse(&socket, bytes);
        assert!(
            answer.is_empty() == bytes.is_empty() && !answer.contains("\"ok\""),
            "{answer}"
        );
        assert!(
            answer.is_empty() || answer.starts_with("{\"error\":"),
            "{answer}"
        );
    }
    let twice = b"{\"command\":\"status\"}\n{\"command\":\"status\"}\n";
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(twice).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(
        answers
            .lines()
            .filter(|line| line.starts_with("{\"ok\":"))
            .count(),
        2
    );

    // More silent connections than are served at once hold others up for a moment only, and
    // the view not at all.
    let silent: Vec<_> = (0..40).map(|_| UnixStream::connect(&socket)).collect();
    assert_eq!(view.read("a"), b"x");
    eventually("it answers again", Duration::from_mins(1), || {
        (entry(&view)?["state"] == "live").then_some(())
    });
    drop(silent);
    assert_eq!(view.log(), "");
}

#[test]
fn other_users_are_not_answered() {
    if !rustix::process::geteuid().is_root() {
        // This user cannot become another; what keeps those out is tested above.
        return nothing_sent_to_the_socket_harms_the_view();
    }
    require_fuse();
    let workspace = Workspace::of(&[("a", "x")]);
    let (runtime, point) = (workspace.base().join("run"), workspace.mountpoint());
    fs::create_dir(&runtime).unwrap();
    let inspectfs = || {
        let mut command = inspectfs();
        command.env("XDG_RUNTIME_DIR", &runtime);
        command
    };
    let done = run(inspectfs().arg("mount").arg(workspace.root()).arg(&point));
    let told = entry_of(&mut inspectfs(), &point);
    // As if the folder were open to all.
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    let folder = runtime.join("inspectfs");
    let sockets: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .collect();
    for path in [workspace.base(), &runtime, &folder, &sockets[0]] {
        open(path);
    }
    let ask = "import socket, sys\n\
        s = socket.socket(socket.AF_UNIX)\n\
        s.connect(sys.argv[1])\n\
        s.settimeout(20)\n\
        try:\n    s.sendall(b'{\"command\":\"status\"}\\n'); print('got', s.recv(100))\n\
        except (BrokenPipeError, ConnectionResetError):\n    print('got', b'')";
    let stranger = run(as_ordinary_user("env")
        .args(["PATH=/usr/bin:/bin", "python3", "-c", ask])
        .arg(&sockets[0]));
    let refused = run(inspectfs().arg("status"));
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    let ended = run(inspectfs().arg("unmount").arg(&point));
    detach(&point);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert_eq!(told.unwrap()["state"], "live");
    assert_eq!(stranger.out(), "got b''\n", "{}", stranger.err());
    assert_eq!(
        refused.code(),
        Some(1),
        "a folder that is open to others is not used"
    );
    assert!(
        refused.err().contains("not a folder of yours alone"),
        "{}",
        refused.err()
    );
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
    assert!(!is_mounted(&point));
}

#[test]
fn ordinary_users_see_their_own_and_only_that_others_have_some() {
    if !rustix::process::geteuid().is_root() {
        // Then every test here is an ordinary user's.
        return a_live_view_tells_what_it_was_asked();
    }
    require_fuse();
    let workspace = Workspace::of(&[("a", "x")]);
    let (base, point) = (workspace.base().to_owned(), workspace.mountpoint());
    let binary = public_binary(&base);
    for path in [&point, &workspace.root().to_owned()] {
        give_to_ordinary_user(path);
    }
    let theirs = || {
        let mut command = as_ordinary_user(&binary);
        command.env_remove("XDG_RUNTIME_DIR");
        command
    };
    let done = run(theirs().arg("mount").arg(workspace.root()).arg(&point));
    let own = entry_of(&mut theirs(), &point);
    let roots = entry_of(&mut inspectfs(), &point);
    let ended = run(theirs().arg("unmount").arg(&point));
    detach(&point);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert_eq!(own.unwrap()["state"], "live");
    let roots = roots.unwrap();
    assert_eq!(
        (&roots["state"], &roots["workspace"]),
        (&"foreign".into(), &Value::Null)
    );
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
}

#[test]
fn hidden_content_moves_no_figure() {
    let plain = &[("a", "x"), ("folder/b", "y")][..];
    let secret = &[
        ("a", "x"),
        ("folder/b", "y"),
        (".env", "marker-content"),
        (".git/marker-name", "x"),
        ("folder/id_rsa", "marker-content"),
    ][..];
    let told = |files| {
        // Without a first listing of its own, which comes when it likes.
        let view = View::mount_with(Workspace::of(files), &["--warm", "0"]);
        for name in [".env", ".git", ".git/marker-name", "folder/id_rsa", "other"] {
            assert!(!view.exists(name), "{name}");
        }
        view.names("");
        view.names("folder");
        view.read("a");
        view.read("folder/b");
        let text = run(inspectfs().arg("status")).out();
        let mut told = entry(&view).unwrap();
        for words in [&text, &told.to_string()] {
            assert!(
                !words.contains("marker") && !words.contains("id_rsa"),
                "{words}"
            );
        }
        for own in [
            "pid",
            "mountpoint",
            "workspace",
            "memory_bytes",
            "uptime_seconds",
        ] {
            told.as_object_mut().unwrap().remove(own);
        }
        // How often attributes are asked for again is a matter of time.
        told["requests"].as_object_mut().unwrap().remove("getattr");
        told
    };
    assert_eq!(told(plain), told(secret));
}
