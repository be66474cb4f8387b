//! Changes from outside: seen within the bound, whole, also by a file's sidecar and by open
//! and mapped files; a policy change reaches what is cached.

use crate::harness::{View, eventually};
use crate::syscalls;
use crate::workspace::Workspace;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// One second, which the view promises, and half of one for a busy machine.
const BOUND: Duration = Duration::from_millis(1500);

#[test]
fn creations_and_removals_are_seen() {
    let view = View::of(&[("d/old", "x")]);
    let workspace = view.workspace();
    // The kernel now holds the listing and a negative entry.
    assert_eq!(view.names("d"), ["old"]);
    assert!(!view.exists("d/new") && !view.exists("d/new.inspect.json"));
    workspace.file("d/new", "fresh");
    eventually("the file appears", BOUND, || {
        view.exists("d/new").then_some(())
    });
    assert_eq!(view.read("d/new"), b"fresh");
    assert_eq!(view.summary("d/new")["size_bytes"], 5);
    eventually("the listing grows", BOUND, || {
        (view.names("d") == ["new", "old"]).then_some(())
    });
    fs::remove_file(workspace.path("d/old")).unwrap();
    eventually("the file goes", BOUND, || {
        (!view.exists("d/old")).then_some(())
    });
    eventually("the listing shrinks", BOUND, || {
        (view.names("d") == ["new"]).then_some(())
    });
    assert!(!view.exists("d/old.inspect.json"));
    workspace.file("e/f/g", "deep");
    eventually("the folders appear", BOUND, || {
        fs::read(view.path("e/f/g"))
            .ok()
            .filter(|bytes| bytes == b"deep")
    });
    fs::rename(workspace.path("e"), workspace.path("moved")).unwrap();
    for path in ["moved", "moved/f", "moved/f/g"] {
        workspace.note(path);
    }
    eventually("the folder moved", BOUND, || {
        (view.exists("moved/f/g") && !view.exists("e")).then_some(())
    });
}

#[test]
fn content_and_size_change_together() {
    let view = View::of(&[("f", "a")]);
    let path = view.path("f");
    let letters = *b"abcdefgh";
    let real = view.workspace().path("f");
    let mut current = (b'a', 1);
    for (step, &letter) in letters.iter().enumerate().skip(1) {
        // Growing, shrinking and equal sizes; written in place and replaced in turn.
        let length = [70_000, 3, 3, 9000, 200_000, 1, 4096][step - 1];
        let content = vec![letter; length];
        if step % 2 == 0 {
            view.workspace().replace("f", &content);
        } else {
            fs::write(&real, &content).unwrap();
        }
        eventually("the new content", BOUND, || {
            let size = fs::metadata(&path).unwrap().len();
            let seen = fs::read(&path).unwrap();
            // Mixtures would be new bytes cut at the old size, or zeros to the new one.
            let first = *seen.first().unwrap_or(&letter);
            assert!(seen.iter().all(|&byte| byte == first), "mixed content");
            // Empty is what the file was for a moment while it was written in place.
            assert!(
                seen.is_empty()
                    || (first, seen.len()) == current
                    || (first, seen.len()) == (letter, length),
                "{} bytes of {first} after {length} of {letter}",
                seen.len()
            );
            (seen == content && size == length as u64).then_some(())
        });
        current = (letter, length);
    }
}

#[test]
fn an_open_file_keeps_the_bytes_it_was_opened_on() {
    let old = "old ".repeat(50_000);
    let view = View::of(&[("f", &old)]);
    let mut open = File::open(view.path("f")).unwrap();
    let mut start = [0; 4];
    open.read_exact(&mut start).unwrap();
    view.workspace().replace("f", "new");
    eventually("the name leads to the new file", BOUND, || {
        (view.read("f") == b"new").then_some(())
    });
    let mut rest = String::new();
    open.read_to_string(&mut rest).unwrap();
    assert!(start == *b"old " && rest == old[4..], "the old file, whole");
    fs::remove_file(view.workspace().path("f")).unwrap();
    let gone = File::open(view.path("f"));
    eventually("the name goes", BOUND, || (!view.exists("f")).then_some(()));
    if let Ok(mut still) = gone {
        let mut text = String::new();
        still.read_to_string(&mut text).unwrap();
        assert_eq!(text, "new");
    }
    assert_eq!(open.metadata().unwrap().len(), old.len() as u64);
}

#[test]
fn open_and_mapped_readers_see_writes_in_place() {
    let view = View::of(&[("f", "a line\n")]);
    let open = File::open(view.path("f")).unwrap();
    let mut buffer = [0; 100];
    assert_eq!(open.read_at(&mut buffer, 0).unwrap(), 7);
    let real = File::options()
        .write(true)
        .open(view.workspace().path("f"))
        .unwrap();
    real.write_all_at(b"and more\n", 7).unwrap();
    // As `tail -f` does.
    eventually("the appended line", BOUND, || {
        let count = open.read_at(&mut buffer, 7).unwrap();
        (&buffer[..count] == b"and more\n").then_some(())
    });
    assert_eq!(open.metadata().unwrap().len(), 16);
    let path = view.path("f");
    let (before, after) = syscalls::mapped_across(&path, || {
        real.write_all_at(b"A", 0).unwrap();
        eventually("the change under the mapping", BOUND, || {
            (view.read("f")[0] == b'A').then_some(())
        });
    })
    .unwrap();
    assert_eq!((before, after), (b'a', b'A'));
    real.set_len(0).unwrap();
    eventually("the truncation", BOUND, || {
        (open.read_at(&mut buffer, 0).unwrap() == 0).then_some(())
    });
}

#[test]
fn sidecars_follow_their_file() {
    let view = View::of(&[("f.py", "def one(): pass\n"), ("t.csv", "a\n1\n")]);
    assert_eq!(view.summary("t.csv")["structure"]["rows"], 1);
    for rows in [2, 50, 3] {
        view.workspace()
            .file("t.csv", "a\n".to_owned() + &"1\n".repeat(rows));
        eventually("the new count", BOUND, || {
            let size = view.stat("t.csv.inspect.json").len();
            let bytes = view.read("t.csv.inspect.json");
            // Between stat and read the version may change, but no read may give half.
            let summary: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            (summary["structure"]["rows"] == rows && size == bytes.len() as u64).then_some(())
        });
    }
    assert_eq!(view.outline("f.py")["data"]["outline"][0]["name"], "one");
    view.workspace().replace("f.py", "def two(): pass\n");
    eventually("the new outline", BOUND, || {
        (view.outline("f.py")["data"]["outline"][0]["name"] == "two").then_some(())
    });
    // A file that was not looked at before the change has no old answer to give.
    view.workspace().file("late.csv", "x,y\n1,2\n");
    eventually("the new file", BOUND, || {
        view.exists("late.csv").then_some(())
    });
    assert_eq!(view.summary("late.csv")["structure"]["rows"], 1);
    fs::remove_file(view.workspace().path("f.py")).unwrap();
    eventually("the sidecars go with the file", BOUND, || {
        (!view.exists("f.py.inspect.json") && !view.exists("f.py.outline.json")).then_some(())
    });
    // A real file of the name takes over.
    view.workspace().file("t.csv.inspect.json", "mine");
    eventually("the real file wins", BOUND, || {
        (view.read("t.csv.inspect.json") == b"mine").then_some(())
    });
}

#[test]
fn an_open_sidecar_stays_as_it_was() {
    let view = View::of(&[("t.csv", "a\n1\n")]);
    let mut open = File::open(view.path("t.csv.inspect.json")).unwrap();
    let expected = view.read("t.csv.inspect.json");
    view.workspace().file("t.csv", "a,b,c,d,e\n1\n2\n");
    eventually("the new version", BOUND, || {
        (view.read("t.csv.inspect.json") != expected).then_some(())
    });
    let mut seen = Vec::new();
    open.read_to_end(&mut seen).unwrap();
    assert_eq!(seen, expected);
}

#[test]
fn atomic_replacement_is_never_seen_half_done() {
    let view = View::of(&[("f", "00000000")]);
    // Looked up by name: what was only listed before may be gone at its first read.
    assert_eq!(view.read("f"), b"00000000");
    let (stop, path) = (AtomicBool::new(false), view.path("f"));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut reads = 0_u32;
                while !stop.load(Ordering::Relaxed) || reads < 10 {
                    let seen = fs::read(&path).unwrap_or_else(|error| panic!("{error}"));
                    let first = seen.first().copied();
                    assert_eq!(seen.len() % 8, 0, "{} bytes", seen.len());
                    assert!(
                        seen.iter().all(|byte| Some(*byte) == first),
                        "mixed content"
                    );
                    reads += 1;
                }
            });
        }
        for step in 0..400_usize {
            let letter = b'0' + u8::try_from(step % 10).unwrap();
            view.workspace()
                .replace("f", vec![letter; 8 * (1 + step % 700)]);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_policy_edit_reaches_what_is_cached_and_open() {
    let workspace = Workspace::of(&[
        (".inspectfs.toml", ""),
        ("a/plan.txt", "the plan"),
        ("b/notes.txt", "the notes"),
    ]);
    let view = View::mount(workspace);
    let open = File::open(view.path("a/plan.txt")).unwrap();
    let mut buffer = [0; 8];
    assert_eq!(open.read_at(&mut buffer, 0).unwrap(), 8);
    assert_eq!(view.names("a"), ["plan.txt"]);
    view.workspace().replace(
        ".inspectfs.toml",
        "[[rule]]\npath = \"plan.txt\"\nhide = true\n\
         [[rule]]\npath = \"b/\"\nallow = [\"search\"]\n",
    );
    eventually("the plan is hidden", BOUND, || {
        (!view.exists("a/plan.txt") && view.names("a").is_empty()).then_some(())
    });
    eventually("the open plan is closed", BOUND, || {
        let read = open.read_at(&mut buffer, 0);
        (read.err()?.raw_os_error() == Some(libc::EACCES)).then_some(())
    });
    eventually("the notes are closed", BOUND, || {
        let read = fs::read(view.path("b/notes.txt"));
        (read.err()?.raw_os_error() == Some(libc::EACCES)).then_some(())
    });
    assert!(view.summary("b/notes.txt").get("structure").is_none());
    // A faulty edit changes nothing and is said.
    view.workspace()
        .replace(".inspectfs.toml", "[[rule]]\npaht = \"x\"\n");
    eventually("the fault is logged", BOUND, || {
        view.log().contains(".inspectfs.toml").then_some(())
    });
    assert!(!view.exists("a/plan.txt"), "the old policy stays");
    view.workspace().replace(".inspectfs.toml", "");
    eventually("the plan is back", BOUND, || {
        view.exists("a/plan.txt").then_some(())
    });
}
