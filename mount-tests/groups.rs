//! Groups through the mount: what is listed, what is read, which rule decides, and mode bits
//! that tell the truth.

use crate::harness::{View, suite_opens_strictly};
use crate::policy::{reading, tree};
use crate::processes::run;
use crate::workspace::Workspace;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

#[test]
fn read_without_search_is_reachable_and_unlisted() {
    let policy = "[[rule]]\npath = \"node_modules/\"\nallow = [\"read\"]\n";
    let paths = [
        "node_modules/x/index.js",
        "node_modules/.env",
        "src/main.js",
        "lib/node_modules/y",
    ];
    let view = View::with_policy(tree(&paths), policy);
    assert_eq!(view.names(""), ["lib", "src"]);
    assert!(view.names("lib").is_empty());
    assert_eq!(
        view.read("node_modules/x/index.js"),
        b"content of node_modules/x/index.js"
    );
    assert!(view.stat("node_modules/x").is_dir());
    assert!(!view.exists("node_modules/.env"));
    for folder in ["node_modules", "node_modules/x"] {
        let error = view.all_names(folder).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EACCES), "{folder}");
        assert_eq!(view.stat(folder).mode() & 0o444, 0, "{folder}");
    }
    assert_eq!(
        view.summary("node_modules/x/index.js")["permissions"],
        serde_json::json!(["read"])
    );
    let found = run(Command::new("grep")
        .args(["-rl", "content"])
        .arg(view.root()));
    assert_eq!(
        found.out().lines().count(),
        1,
        "{}{}",
        found.out(),
        found.err()
    );
    assert_eq!(found.err(), "");
    let root = view.json(".inspect.json");
    assert!(root["entries"]["dirs"] == 2 || root["entries"]["dirs"] == 3);
}

#[test]
fn search_without_read_is_listed_and_closed_to_root_too() {
    let policy = "[[rule]]\npath = \"data/\"\nallow = [\"search\"]\n";
    let workspace = Workspace::of(&[
        ("data/x.csv", "col_a,col_b\n1,2\n"),
        ("data/run.sh", "#!/bin/sh\n"),
        ("data/mod.py", "def visible_name(): pass\n"),
        ("open.csv", "a\n"),
    ]);
    fs::set_permissions(
        workspace.path("data/run.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let view = View::with_policy(workspace, policy);
    assert_eq!(view.names("data"), ["mod.py", "run.sh", "x.csv"]);
    assert_eq!(view.stat("data/x.csv").len(), 16);
    for name in ["data/x.csv", "data/run.sh", "data/mod.py"] {
        assert_eq!(reading(&view, name), Some(libc::EACCES), "{name}");
        let mapped = crate::syscalls::read_mapped(&view.path(name));
        // Root is refused where the policy first comes to be asked.
        let refusal = if suite_opens_strictly() {
            libc::EACCES
        } else {
            libc::EFAULT
        };
        assert_eq!(mapped.unwrap_err().raw_os_error(), Some(refusal));
        assert_eq!(view.stat(name).mode() & 0o555, 0, "{name}");
    }
    let ran = Command::new(view.path("data/run.sh")).output();
    assert_eq!(ran.unwrap_err().raw_os_error(), Some(libc::EACCES));
    let summary = view.summary("data/x.csv");
    assert_eq!(summary["permissions"], serde_json::json!(["search"]));
    assert_eq!(summary["reason"], "not_readable");
    assert_eq!(summary["size_bytes"], 16);
    assert!(summary.get("structure").is_none());
    assert!(!summary.to_string().contains("col_a"));
    // The outline is structure: none of it, whichever way it is refused.
    match fs::read_to_string(view.path("data/mod.py.outline.json")) {
        Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EACCES)),
        Ok(document) => {
            assert!(!document.contains("visible_name"), "{document}");
            assert!(document.contains("\"ok\":false"), "{document}");
        }
    }
    assert_eq!(view.read("open.csv"), b"a\n");
}

#[test]
fn the_deny_flag_takes_a_group() {
    let view = View::mount_with(
        tree(&["a/x", "b/x"]),
        &["--deny", "read:a/", "--deny", "search:/b"],
    );
    assert_eq!(reading(&view, "a/x"), Some(libc::EACCES));
    assert_eq!(view.names(""), ["a"]);
    assert_eq!(view.read("b/x"), b"content of b/x");
    assert_eq!(
        view.summary("a/x")["permissions"],
        serde_json::json!(["search"])
    );
}

#[test]
fn the_longest_pattern_decides_and_deny_wins_a_tie() {
    let mut rules = [
        "path = \"docs/**\"\ndeny = [\"read\"]",
        "path = \"docs/public/**\"\nallow = [\"read\", \"search\"]",
        "path = \"docs/public/*.tmp\"\ndeny = [\"read\"]",
        "path = \"same/\"\nallow = [\"read\", \"search\"]",
        "path = \"same/**\"\ndeny = [\"read\"]",
    ];
    for _ in 0..2 {
        rules.reverse();
        let policy = rules.map(|rule| format!("[[rule]]\n{rule}\n")).concat();
        let paths = ["docs/a", "docs/public/b", "docs/public/c.tmp", "same/d"];
        let view = View::with_policy(tree(&paths), &policy);
        assert_eq!(reading(&view, "docs/a"), Some(libc::EACCES));
        assert_eq!(reading(&view, "docs/public/b"), None);
        assert_eq!(reading(&view, "docs/public/c.tmp"), Some(libc::EACCES));
        assert_eq!(reading(&view, "same/d"), Some(libc::EACCES));
    }
}

#[test]
fn every_source_must_agree() {
    let workspace = tree(&["a/x", "b/x", "c/x"]);
    workspace.file(
        ".inspectfs.toml",
        "[[rule]]\npath = \"a/\"\ndeny = [\"read\"]\n\
         [[rule]]\npath = \"b/\"\nallow = [\"read\", \"search\"]\n",
    );
    let view = View::mount_with(workspace, &["--deny", "read:b/"]);
    assert_eq!(reading(&view, "a/x"), Some(libc::EACCES));
    assert_eq!(reading(&view, "b/x"), Some(libc::EACCES));
    assert_eq!(reading(&view, "c/x"), None);
}

#[test]
fn with_nothing_by_default_only_allows_exist() {
    let read = "allow = [\"read\", \"search\"]\n";
    let policy = format!("default = \"deny\"\n[[rule]]\npath = \"docs/**/*.md\"\n{read}");
    let paths = [
        "docs/a.md",
        "docs/deep/er/b.md",
        "docs/c.txt",
        "docs/deep/d.txt",
        "src/e.md",
        "f.md",
        "docs/.env",
        "docs/.git/g.md",
    ];
    let view = View::with_policy(tree(&paths), &policy);
    assert_eq!(view.names(""), ["docs"]);
    assert_eq!(view.names("docs"), ["a.md", "deep"]);
    assert_eq!(view.names("docs/deep"), ["er"]);
    assert_eq!(
        view.read("docs/deep/er/b.md"),
        b"content of docs/deep/er/b.md"
    );
    for path in [
        "docs/c.txt",
        "docs/deep/d.txt",
        "src",
        "src/e.md",
        "f.md",
        "docs/.git/g.md",
    ] {
        assert!(!view.exists(path), "{path}");
    }
    assert_eq!(
        view.summary("docs")["permissions"],
        serde_json::json!(["search"])
    );
    assert_eq!(
        view.summary("docs")["entries"],
        serde_json::json!({"files": 1, "dirs": 1})
    );
    assert!(view.stat("").is_dir());
    drop(view);
    // A name at any depth makes every folder a way, also one that leads nowhere: by pattern
    // alone, never by looking.
    let policy = format!("default = \"deny\"\n[[rule]]\npath = \"*.md\"\n{read}");
    let workspace = tree(&paths);
    workspace.folder("empty/er");
    let view = View::with_policy(workspace, &policy);
    assert_eq!(view.names(""), ["docs", "empty", "f.md", "src"]);
    assert_eq!(view.names("empty"), ["er"]);
    assert_eq!(view.names("docs/deep"), ["er"]);
    drop(view);
    // Nothing at all but the root.
    let view = View::with_policy(tree(&paths), "default = \"deny\"\n");
    assert!(view.names("").is_empty());
    assert!(!view.exists("docs"));
    assert_eq!(view.json(".inspect.json")["path"], ".");
    drop(view);
    let policy = "default = [\"search\"]\n";
    let view = View::with_policy(tree(&["a/x"]), policy);
    assert_eq!(view.names("a"), ["x"]);
    assert_eq!(reading(&view, "a/x"), Some(libc::EACCES));
}

#[test]
fn refused_bits_are_masked_and_set_id_bits_gone() {
    let workspace = tree(&["plain", "locked/x", "set-id"]);
    for (path, mode) in [("plain", 0o755), ("locked/x", 0o666), ("set-id", 0o6755)] {
        fs::set_permissions(workspace.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    let policy =
        "[[rule]]\npath = \"locked/\"\ndeny = [\"mutate-content\", \"mutate-structure\"]\n";
    let view = View::with_policy(workspace, policy);
    assert_eq!(view.stat("plain").mode() & 0o555, 0o555);
    assert_eq!(view.stat("locked/x").mode() & 0o777, 0o444);
    assert_eq!(view.stat("locked").mode() & 0o222, 0);
    assert_eq!(view.stat("set-id").mode() & 0o7000, 0);
}
