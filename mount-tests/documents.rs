//! The documents without a mount: `inspect` and `outline`, their failures, and that hidden
//! answers as missing there too.

use crate::harness::{PATIENCE, read_line};
use crate::processes::{Finished, inspectfs, run, wait};
use crate::workspace::Workspace;
use std::fs;
use std::io::Write;
use std::process::Stdio;

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

/// Runs a document command with `input` on standard input.
fn fed(workspace: &Workspace, args: &[&str], input: &[u8]) -> Finished {
    let mut command = inspectfs();
    command.current_dir(workspace.root()).args(args);
    let list = workspace.base().join("list");
    fs::write(&list, input).unwrap();
    run(command.stdin(fs::File::open(&list).unwrap()))
}

#[test]
fn paths_come_from_standard_input() {
    let workspace = Workspace::of(&[
        (".inspectfs.toml", ""),
        ("a.py", "def f(): 0\n"),
        ("d/line\nend.py", ""),
        ("-", "x"),
        (".env", "SECRET"),
    ]);
    for command in ["inspect", "outline"] {
        let one_by_one = run(inspectfs().current_dir(workspace.root()).args([
            command,
            "./-",
            "a.py",
            ".env",
            "d/line\nend.py",
        ]));
        let listed = fed(
            &workspace,
            &[command, "--null", "./-", "-"],
            b"a.py\0.env\0d/line\nend.py\0",
        );
        assert_eq!(listed.out(), one_by_one.out());
        assert_eq!((listed.code(), listed.out().lines().count()), (Some(1), 4));
        let good = fed(&workspace, &[command, "-"], b"a.py\n\n./-\n");
        assert_eq!((good.code(), good.out().lines().count()), (Some(0), 2));
        let none = fed(&workspace, &[command, "-"], b"");
        assert_eq!((none.code(), none.out()), (Some(0), String::new()));
        let long = fed(&workspace, &[command, "-"], &vec![b'x'; 100_000]);
        assert_eq!(long.code(), Some(1));
        assert!(long.out().contains("\"code\":\"usage\""), "{}", long.out());
    }
}

/// A caller that waits for each document before it asks for the next.
#[test]
fn each_path_is_answered_as_it_comes() {
    let workspace = Workspace::of(&[(".inspectfs.toml", ""), ("a.txt", "x\n"), ("b.txt", "y\n")]);
    let mut child = inspectfs()
        .current_dir(workspace.root())
        .args(["inspect", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = child.stdout.as_mut().unwrap();
    for name in ["a.txt", "b.txt", "a.txt"] {
        writeln!(input, "{name}").unwrap();
        let line = read_line(output, PATIENCE).unwrap();
        assert!(
            line.starts_with(&format!("{{\"path\":\"{name}\",")),
            "{line}"
        );
    }
    drop(input);
    let status = wait(&mut child, PATIENCE).unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn rows_are_found_again() {
    let workspace = Workspace::of(&[
        (
            ".inspectfs.toml",
            "[[rule]]\npath = \"closed\"\ndeny = [\"read\"]\n",
        ),
        ("d/f", "a\nb\nc\n"),
        ("closed", "a\n"),
        (".env", "a\n"),
    ]);
    workspace.link("way", "d");
    let (code, lines) = offline(&workspace, &["row", "d/f", "2:3e23", "1:3e23..2:2e7d"]);
    assert_eq!((code, lines.len()), (Some(0), 2));
    assert_eq!(
        lines[0].to_string(),
        r#"{"data":{"line":2,"line_end":2,"path":"d/f","state":"exact"},"ok":true}"#
    );
    assert_eq!(lines[1]["data"]["line"], 2);
    assert_eq!(lines[1]["data"]["line_end"], 3);
    assert_eq!(lines[1]["data"]["state"], "relocated");
    assert_eq!(offline(&workspace, &["row", "way/f", "1:ca97"]).0, Some(0));
    // Each row has its answer, and one failure fails the whole.
    let (code, lines) = offline(
        &workspace,
        &["row", "d/f", "9:0000", "x", "1:0000", "1:ca97"],
    );
    let codes: Vec<&str> = lines
        .iter()
        .map(|line| line["error"]["code"].as_str().unwrap_or("none"))
        .collect();
    assert_eq!(codes, ["row_missing", "usage", "row_stale", "none"]);
    assert_eq!((code, &lines[0]["path"]), (Some(1), &"d/f".into()));
    for (args, expected) in [
        (&["row", "d/g", "1:ca97"][..], "not_found"),
        (&["row", ".env", "1:ca97"], "not_found"),
        (&["row", "d", "1:ca97"], "not_regular"),
        (&["row", ".", "1:ca97"], "not_regular"),
        (&["row", "way", "1:ca97"], "not_regular"),
        (&["row", "closed", "1:ca97"], "read"),
        (
            &["row", "--workspace", ".", "../x", "1:ca97"],
            "outside_workspace",
        ),
        (&["row", "d/f"], "usage"),
        (&["row"], "usage"),
    ] {
        let (code, lines) = offline(&workspace, args);
        assert_eq!((code, lines.len()), (Some(1), 1), "{args:?}");
        assert_eq!(lines[0]["error"]["code"], expected, "{args:?}");
    }
    // What an outline names is found by its own names.
    workspace.file("s.py", "import os\n\ndef f():\n    pass\n");
    let outline = offline(&workspace, &["outline", "s.py"]).1;
    let entry = &outline[0]["data"]["outline"][1];
    let span = format!(
        "{}..{}",
        entry["line"].as_str().unwrap(),
        entry["line_end"].as_str().unwrap()
    );
    workspace.file("s.py", "# above\nimport os\n\ndef f():\n    pass\n");
    let (_, lines) = offline(&workspace, &["row", "s.py", &span]);
    assert_eq!(lines[0]["data"]["line"], 4);
    assert_eq!(lines[0]["data"]["line_end"], 5);
}

#[test]
fn a_folder_is_summed_over_what_is_visible() {
    let workspace = Workspace::of(&[
        (".inspectfs.toml", ""),
        ("d/a.txt", "0123456789"),
        ("d/.env", "SECRET=0123456789"),
        ("d/.git/config", "hidden"),
        ("d/.fsagent/scratch", "clutter"),
        ("d/e/b.py", "x = 1\n"),
        ("d/e/.aws/credentials", "hidden"),
    ]);
    workspace
        .hard_link("d/again.txt", "d/a.txt")
        .link("d/way", "e")
        .sparse("d/big.bin", 60_000_000);
    let (code, lines) = offline(&workspace, &["inspect", "d"]);
    assert_eq!(code, Some(0));
    let summary = &lines[0];
    // Two names of one file count once, a link as a file of its own size; `e` is the folder.
    assert_eq!(summary["entries"]["files"], 3, "{summary}");
    assert_eq!(summary["subtree_size_bytes"], 10 + 6 + 1 + 60_000_000);
    assert_eq!(summary["max_depth"], 2);
    assert_eq!(summary["tier_3_files"], 1);
    assert!(summary["complete"].is_null(), "{summary}");
    for hidden in ["SECRET", "aws", "scratch", "git"] {
        assert!(!summary.to_string().contains(hidden), "{summary}");
    }
    // Deeper than a walk goes: what it has, and that it is not all.
    fs::create_dir_all(workspace.path(["n"; 600].join("/"))).unwrap();
    let (_, lines) = offline(&workspace, &["inspect", "n"]);
    assert_eq!(lines[0]["complete"], false, "{}", lines[0]);
}
