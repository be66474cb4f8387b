//! What `mount` refuses: one line that names the path as written, exit status 1, nothing
//! mounted and nothing made.

use crate::harness::{READY_ON_STDOUT, View, is_mounted, require_fuse};
use crate::processes::{binary, inspectfs, run};
use crate::workspace::Workspace;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs `mount` with a ready descriptor and expects one line that holds all of `words`.
fn refused<S: AsRef<OsStr>>(args: &[S], words: &[&str]) -> String {
    let done = run(Command::new("sh")
        .args(["-c", READY_ON_STDOUT])
        .arg(binary())
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
fn a_view_is_no_workspace() {
    let view = View::of(&[("folder/file", "x")]);
    let elsewhere = Workspace::new();
    let inside = view.path("folder");
    let words = ["view already", inside.to_str().unwrap()];
    refused(&[&inside, &elsewhere.mountpoint()], &words);
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
        ("[[rule]]\npath = \"x\"\n", 1, "hide"),
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
