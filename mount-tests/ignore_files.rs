//! Ignore files: at any depth they hide, they never show, and they act as soon as they are
//! there.

use crate::harness::{View, eventually};
use crate::hidden::{MARKER, assert_never_seen};
use crate::policy::tree;
use crate::workspace::Workspace;
use std::fs;
use std::os::unix::fs::FileExt;
use std::time::Duration;

#[test]
fn ignore_files_hide_and_never_show() {
    let workspace = tree(&[
        "a.log",
        "keep.log",
        "d/b.log",
        "d/local",
        "d/e/local",
        "build/x",
        "only/x",
        "only/y",
        ".env",
        "d/.env",
    ]);
    workspace
        .file(
            ".agentignore",
            "# comment\n*.log\n!keep.log\n/build/\n!.env\n",
        )
        .file("d/.agentignore", "!*\n/local\n!.env\n!b.log\n")
        .file("only/.agentignore", "*\n!y\n")
        .file("d/.cursorignore", "e/\n");
    let view = View::mount(workspace);
    let visible = [
        "keep.log",
        "d/e/local",
        "only/y",
        "d/.agentignore",
        ".agentignore",
    ];
    let hidden = [
        "a.log", "d/b.log", "d/local", "build", "build/x", "only/x", ".env", "d/.env",
    ];
    for path in visible {
        assert!(view.exists(path), "{path}");
    }
    for path in hidden {
        assert!(!view.exists(path), "{path}");
    }
    drop(view);
    let workspace = tree(&["a", "b", "c"]);
    workspace
        .file(".cursorignore", "a\n")
        .file(".agentignore", "b\n");
    let policy = "[ignore_files]\nnames = [\".cursorignore\"]\n";
    let view = View::with_policy(workspace, policy);
    assert!(!view.exists("a") && view.exists("b") && view.exists("c"));
}

#[test]
fn an_ignore_file_acts_within_the_bound() {
    let view = View::of(&[("a/plan.txt", "x"), ("a/other", "x")]);
    assert_eq!(view.read("a/plan.txt"), b"x");
    assert_eq!(view.names("a"), ["other", "plan.txt"]);
    let bound = Duration::from_millis(1500);
    view.workspace().file("a/.agentignore", "plan.txt\n");
    eventually("the plan is hidden", bound, || {
        (!view.exists("a/plan.txt") && view.names("a") == [".agentignore", "other"]).then_some(())
    });
    view.workspace().replace("a/.agentignore", "other\n");
    eventually("the other is hidden in its place", bound, || {
        (view.exists("a/plan.txt") && !view.exists("a/other")).then_some(())
    });
    fs::remove_file(view.workspace().path("a/.agentignore")).unwrap();
    eventually("nothing is hidden", bound, || {
        (view.names("a") == ["other", "plan.txt"]).then_some(())
    });
}

#[test]
fn an_ignore_file_acts_on_what_is_open() {
    let view = View::of(&[("a/b/plan.txt", "the plan"), ("a/b/other", "x")]);
    let plan = fs::File::open(view.path("a/b/plan.txt")).unwrap();
    let other = fs::File::open(view.path("a/b/other")).unwrap();
    let read = |file: &fs::File| {
        let mut bytes = [0; 64];
        let read = file.read_at(&mut bytes, 0);
        read.map_err(|error| error.raw_os_error())
    };
    assert_eq!(read(&plan), Ok(8));
    view.workspace().file("a/.agentignore", "plan.txt\n");
    let bound = Duration::from_secs(1);
    eventually("the open plan is refused", bound, || {
        (read(&plan) == Err(Some(libc::EACCES))).then_some(())
    });
    assert_eq!(read(&other), Ok(1));
}

#[test]
fn a_folder_that_arrives_with_its_ignore_file_shows_nothing_of_it() {
    // As a checkout or a move brings it: complete, at once.
    let appear = |workspace: &Workspace| {
        for name in ["sub", "sub/.agentignore", "sub/private.txt"] {
            workspace.note(name);
        }
        let ready = workspace.base().join("ready");
        fs::create_dir(&ready).unwrap();
        fs::write(ready.join(".agentignore"), "private.txt\n").unwrap();
        fs::write(ready.join("private.txt"), MARKER).unwrap();
        fs::rename(&ready, workspace.path("sub")).unwrap();
    };
    let go = |workspace: &Workspace| {
        let gone = workspace.base().join("gone");
        fs::rename(workspace.path("sub"), &gone).unwrap();
        fs::remove_dir_all(&gone).unwrap();
    };
    assert_never_seen(&["sub/private.txt"], &["sub/.agentignore"], appear, go);
}
