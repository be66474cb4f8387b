//! What moves outside while it is open, cached or linked is decided anew where it is.

use crate::harness::{View, eventually};
use crate::processes::{inspectfs, run};
use crate::workspace::Workspace;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// One second, which the view promises, and half of one for a busy machine.
pub(crate) const BOUND: Duration = Duration::from_millis(1500);

const POLICY: &str = "[[rule]]\npath = \"private/**\"\nhide = true\n";

pub(crate) fn read_open(file: &File) -> Result<String, Option<i32>> {
    let mut bytes = [0; 100];
    match file.read_at(&mut bytes, 0) {
        Ok(read) => Ok(String::from_utf8_lossy(&bytes[..read]).into_owned()),
        Err(error) => Err(error.raw_os_error()),
    }
}

#[test]
fn an_open_file_that_is_moved_out_of_sight_is_refused() {
    let files = [
        ("private/x", ""),
        ("a", "open"),
        ("b", "open"),
        ("c", "open"),
        ("d/e", "open"),
    ];
    let view = View::with_policy(Workspace::of(&files), POLICY);
    let place = |name: &str| view.workspace().path(name);
    let outside = view.workspace().base().join("outside");
    let open = |name: &str| {
        let file = File::open(view.path(name)).unwrap();
        assert_eq!(read_open(&file).unwrap(), "open");
        file
    };
    let moves = [
        (
            open("a"),
            place("a"),
            place("private/a"),
            place("private/a"),
        ),
        (open("b"), place("b"), place(".env"), place(".env")),
        (open("c"), place("c"), outside.clone(), outside),
        (
            open("d/e"),
            place("d"),
            place("private/d"),
            place("private/d/e"),
        ),
    ];
    for path in ["private/a", ".env", "private/d", "private/d/e"] {
        view.workspace().note(path);
    }
    for (file, from, to, now) in &moves {
        fs::rename(from, to).unwrap();
        // Grown, so that no read can be content with the pages it had.
        fs::write(now, "SECRET").unwrap();
        eventually("it is refused", BOUND, || {
            (read_open(file) == Err(Some(libc::EACCES))).then_some(())
        });
        fs::write(now, "ANOTHER SECRET").unwrap();
        for _ in 0..20 {
            assert_eq!(read_open(file), Err(Some(libc::EACCES)), "{}", to.display());
        }
        eventually("its size is refused too", BOUND, || {
            file.metadata().is_err().then_some(())
        });
    }
}

#[test]
fn an_open_file_that_is_moved_within_sight_goes_on() {
    let view = View::of(&[("a", "open"), ("sub/x", "")]);
    let file = File::open(view.path("a")).unwrap();
    view.workspace().note("sub/b");
    fs::rename(view.workspace().path("a"), view.workspace().path("sub/b")).unwrap();
    fs::write(view.workspace().path("sub/b"), "more than before").unwrap();
    eventually("the new content", BOUND, || {
        (read_open(&file).unwrap() == "more than before").then_some(())
    });
    assert_eq!(file.metadata().unwrap().len(), 16);
}

#[test]
fn a_hard_link_follows_the_folder_of_its_other_name() {
    for outside_name in [false, true] {
        let workspace = Workspace::of(&[("private/x", ""), ("a/f", "shared"), ("b/x", "")]);
        workspace.hard_link("b/f", "a/f");
        if outside_name {
            fs::hard_link(workspace.path("a/f"), workspace.base().join("outside")).unwrap();
        }
        for path in ["private/b", "private/b/f", "private/b/x"] {
            workspace.note(path);
        }
        let view = View::with_policy(workspace, POLICY);
        let (shown, hidden) = ("b", "private/b");
        let go = |from: &str, to: &str| {
            let real = |path: &str| view.workspace().path(path);
            fs::rename(real(from), real(to)).unwrap();
        };
        assert_eq!(view.names("a"), ["f"]);
        assert_eq!(view.read("a/f"), b"shared");
        for _ in 0..3 {
            go(shown, hidden);
            eventually("a name of it is hidden", BOUND, || {
                (!view.exists("a/f") && view.names("a").is_empty()).then_some(())
            });
            go(hidden, shown);
            eventually("no name of it is hidden", BOUND, || {
                (view.exists("a/f") && view.names("a") == ["f"]).then_some(())
            });
        }
    }
}

#[test]
fn folders_held_open_do_not_outlive_a_move() {
    // A process that keeps every level open and touches one after the other, so that no two
    // are looked at in the same moment.
    let deep = vec!["d"; 30].join("/");
    let view = View::with_policy(
        Workspace::of(&[("private/x", ""), (&format!("{deep}/f"), "")]),
        POLICY,
    );
    let levels: Vec<File> = (1..=30)
        .map(|depth| File::open(view.path(vec!["d"; depth].join("/"))).unwrap())
        .collect();
    view.workspace().note(format!("private/{deep}/secret"));
    view.workspace().note(format!("private/{deep}/f"));
    fs::rename(
        view.workspace().path("d"),
        view.workspace().path("private/d"),
    )
    .unwrap();
    fs::write(view.workspace().path(format!("private/{deep}/secret")), "x").unwrap();
    let flags = rustix::fs::OFlags::PATH;
    let looks_up = |level: &File, name: &str| {
        rustix::fs::openat(level, name, flags, rustix::fs::Mode::empty()).is_ok()
    };
    let mut next = 0;
    eventually("no level leads on", BOUND, || {
        next = (next + 1) % 29;
        let leads_on = looks_up(&levels[next], "d");
        let last = looks_up(&levels[29], "secret");
        (!leads_on && !last).then_some(())
    });
    assert!(!looks_up(&levels[29], "secret"));
}

#[test]
fn a_policy_being_saved_hides_all_the_time() {
    let text = "[[rule]]\npath = \"plan.txt\"\nhide = true\n";
    let view = View::of(&[(".inspectfs.toml", text), ("plan.txt", "the plan")]);
    let policy = view.workspace().path(".inspectfs.toml");
    let aside = view.workspace().path("aside");
    for round in 0..60 {
        match round % 3 {
            0 => fs::write(&policy, text).unwrap(), // truncated first
            1 => {
                fs::rename(&policy, &aside).unwrap();
                fs::write(&policy, text).unwrap();
                fs::remove_file(&aside).unwrap();
            }
            _ => {
                fs::write(&policy, "").unwrap();
                fs::write(&policy, "[[rule]]\npaht = 1\n").unwrap();
            }
        }
        for _ in 0..10 {
            assert!(!view.exists("plan.txt"), "round {round}");
        }
    }
    eventually("the fault is said", Duration::from_secs(5), || {
        view.log().contains("paht").then_some(())
    });
    assert!(!view.exists("plan.txt"), "the old policy stays");
}

#[test]
fn inspect_walks_links_as_the_view_shows_them() {
    let workspace = Workspace::of(&[
        (".inspectfs.toml", POLICY),
        ("d/f.py", "def f(): pass\n"),
        ("private/real/q", "x"),
        ("private/f.py", "x"),
    ]);
    workspace
        .link("to-d", "d")
        .link("to-real", "private/real")
        .link("to-missing", "private/missing")
        .link("private/to-d", "../d")
        .link("etc", "/etc");
    let inspect = |path: &str| {
        let done = run(inspectfs()
            .arg("inspect")
            .arg(path)
            .current_dir(workspace.root()));
        let document: serde_json::Value = serde_json::from_str(&done.out()).unwrap();
        (document["path"].clone(), document["error"]["code"].clone())
    };
    assert_eq!(inspect("to-d/f.py").0, "d/f.py");
    assert_eq!(inspect("to-d").0, "to-d");
    for path in [
        "to-real/q",
        "to-missing/q",
        "private/to-d/f.py",
        "private/none/f.py",
        "etc/passwd",
    ] {
        assert_eq!(inspect(path), (path.into(), "not_found".into()));
    }
}

#[test]
fn a_view_that_cannot_be_told_of_is_ended() {
    let workspace = Workspace::of(&[("f", "x")]);
    let view = workspace.mountpoint();
    for (flags, out) in [(&[][..], "/dev/full"), (&["--json"][..], "/dev/full")] {
        let out = File::options().write(true).open(out).unwrap();
        let done = Command::new(crate::processes::binary())
            .arg("mount")
            .args(flags)
            .args([workspace.root(), &view])
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(!crate::harness::is_mounted(&view));
    }
}

/// Maps a file, says so, and on each line it is given tells what the mapping begins with.
const MAPPED_READER: &str = "
import mmap, sys
file = open(sys.argv[1], 'rb')
view = mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
print(view[:4].decode(), flush=True)
for line in sys.stdin:
    print(view[:4].decode(), flush=True)
";

#[test]
fn a_hidden_hard_link_made_outside_closes_what_is_cached_open_and_mapped() {
    let files = [
        ("private/x", ""),
        ("q/a", "MARK"),
        ("q/b", "MARK"),
        ("q/c", "MARK"),
    ];
    let view = View::with_policy(Workspace::of(&files), POLICY);
    assert_eq!(view.stat("q/a").len(), 4);
    let open = File::open(view.path("q/b")).unwrap();
    assert_eq!(read_open(&open).unwrap(), "MARK");
    let mut mapped = Command::new("python3")
        .args(["-c", MAPPED_READER])
        .arg(view.path("q/c"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(mapped.stdout.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert_eq!(line, "MARK\n");
    for name in ["a", "b", "c"] {
        let hidden = view.workspace().path(format!("private/{name}"));
        fs::hard_link(view.workspace().path(format!("q/{name}")), hidden).unwrap();
        view.workspace().note(format!("private/{name}"));
    }
    // Nobody asks for these again: what is kept must go by itself.
    eventually("the open file is refused", BOUND, || {
        (read_open(&open) == Err(Some(libc::EACCES))).then_some(())
    });
    eventually("the names are gone", BOUND, || {
        ["q/a", "q/b", "q/c"]
            .iter()
            .all(|name| !view.exists(name))
            .then_some(())
    });
    let mut asking = mapped.stdin.take().unwrap();
    eventually("the mapping is taken away", BOUND, || {
        let _it_may_be_dead = asking.write_all(b"\n");
        let mut line = String::new();
        (told.read_line(&mut line).unwrap() == 0).then_some(())
    });
    drop(asking);
    assert!(!mapped.wait().unwrap().success(), "by a bus error");
}

#[test]
fn a_removed_ignore_file_ends_without_being_looked_at() {
    let view = View::of(&[(".agentignore", "plan\n"), ("plan", "x"), ("other", "x")]);
    assert!(!view.exists("plan"));
    fs::remove_file(view.workspace().path(".agentignore")).unwrap();
    // The bound passes without a request; a fixed time is what is promised.
    std::thread::sleep(Duration::from_secs(1));
    assert!(view.exists("plan"));
}

#[test]
fn a_key_written_through_a_dirty_mapping_is_not_opened() {
    let key = "-----BEGIN PRIVATE KEY-----\nMARK\n";
    let certificate = format!("-----BEGIN CERTIFICATE-----\n{}", "A".repeat(100));
    let view = View::of(&[("a.pem", &certificate)]);
    let script = "
import mmap, sys
file = open(sys.argv[1], 'r+b')
view = mmap.mmap(file.fileno(), 0)
view[90:91] = b'B'
print('dirty', flush=True)
sys.stdin.readline()
key = sys.argv[2].encode()
view[:len(key)] = key
print('written', flush=True)
sys.stdin.readline()
";
    let mut writer = Command::new("python3")
        .args(["-c", script])
        .arg(view.workspace().path("a.pem"))
        .arg(key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(writer.stdout.take().unwrap());
    let mut asking = writer.stdin.take().unwrap();
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    // Long enough for a verdict to be worth keeping.
    std::thread::sleep(Duration::from_millis(500));
    assert!(view.exists("a.pem"));
    asking.write_all(b"\n").unwrap();
    told.read_line(&mut line).unwrap();
    assert_eq!(line, "dirty\nwritten\n");
    let read = fs::read(view.path("a.pem"));
    assert!(read.is_err(), "{read:?}");
    drop(asking);
    writer.wait().unwrap();
}
