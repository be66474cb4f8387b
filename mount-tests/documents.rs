//! The documents without a mount: `inspect` and `outline`, their failures, and that hidden
//! answers as missing there too.

use crate::processes::{inspectfs, run};
use crate::workspace::Workspace;
use std::fs;

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
            assert_eq!(
                failure(&[command, "--workspace", ".", outside]).0,
                "outside_workspace"
            );
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
