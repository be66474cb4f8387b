//! What goes wrong elsewhere for people who want this, one test a scenario, each as its whole
//! kind: several ways to hide, several clients, several places. Views are read-only for now, so
//! every change is refused; that nothing of the workspace moved is looked at all the same.

use crate::harness::{View, shell};
use crate::hidden::{MARKER, assert_answers_as_missing, assert_never_seen};
use crate::processes::{inspectfs, run};
use crate::workspace::Workspace;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every way to hide a file, each with a file under it; `readme.md` is visible.
pub(crate) fn hidden_in_every_way() -> (Workspace, Vec<&'static str>) {
    let key = format!("-----BEGIN PRIVATE KEY-----\n{MARKER}\n");
    let workspace = Workspace::of(&[
        ("readme.md", "# Title\n"),
        ("config/prod.env", MARKER),
        ("config/dev.toml", "a = 1\n"),
        ("a/b/c/.env.local", MARKER),
        (".git/config", MARKER),
        ("by-rule/plan.txt", MARKER),
        ("plans/secret/x.py", MARKER),
        ("ignored/.agentignore", "*.draft\n"),
        ("ignored/a.draft", MARKER),
        ("keys/server.pem", &key),
        ("keys/ca.pem", "-----BEGIN CERTIFICATE-----\n"),
        ("shut/x", MARKER),
        ("by-flag", MARKER),
    ]);
    workspace
        .hard_link("notes.txt", "config/prod.env")
        .hard_link("a/notes.txt", "keys/server.pem");
    let policy = "[[rule]]\npath = 'by-rule/pl*'\nhide = true\n\
                  [[rule]]\npath = '**/secret/**'\nhide = true\n\
                  [[rule]]\npath = 'shut/x'\nallow = []\n";
    workspace.file(".inspectfs.toml", policy);
    let hidden = vec![
        "config/prod.env",
        "a/b/c/.env.local",
        ".git",
        ".git/config",
        "by-rule/plan.txt",
        "plans/secret",
        "plans/secret/x.py",
        "ignored/a.draft",
        "keys/server.pem",
        "shut/x",
        "by-flag",
        "notes.txt",
        "a/notes.txt",
    ];
    (workspace, hidden)
}

fn mounted_with_hidden() -> (View, Vec<&'static str>) {
    let (workspace, hidden) = hidden_in_every_way();
    (View::mount_with(workspace, &["--hide", "by-flag"]), hidden)
}

#[test]
fn scenario_1_no_client_gets_a_byte_a_name_a_size_or_a_count() {
    let (view, hidden) = mounted_with_hidden();
    let copy = view.workspace().base().join("copy");
    let copy = copy.to_str().unwrap();
    // Clients that walk: nothing that they print tells of what is hidden.
    let walking = [
        "grep -ra '' .",
        "grep -rc '' .",
        "find . -exec head -c 999 {} +",
        "find . -ls",
        "ls -laR",
        "rg -uu --hidden '' .",
        "rg -uu --files .",
        "tar -cf - . | tar -tvf -",
        "tar -cf - .",
        "du -a --apparent-size .",
        "echo * .* */* */.* */*/* */*/*/*",
        "wc -c */* 2>/dev/null",
        "python3 -c 'import os\nfor p, d, f in os.walk(\".\"): print(p, d, f)'",
        "python3 -c 'import glob; print(glob.glob(\"**\", recursive=True, include_hidden=True))'",
        &format!("cp -r . {copy}; ls -aR {copy}; grep -ra '' {copy}"),
        &format!("rsync -a ./ {copy}2/; ls -aR {copy}2; grep -ra '' {copy}2"),
        "for f in $(find . -type f) $(find . -type d); do cat $f.inspect.json $f.outline.json; done 2>/dev/null",
    ];
    let names = [
        "prod.env",
        ".env.local",
        ".git\n",
        "plan.txt",
        "x.py",
        "a.draft",
        "server.pem",
        "notes.txt",
    ];
    for line in walking {
        let told = shell(&view, line);
        assert!(!told.is_empty(), "{line} says nothing");
        assert!(!told.contains(MARKER), "{line}:\n{told}");
        for name in names {
            assert!(
                !told.replace('/', "\n").contains(&format!("\n{name}")),
                "{line}: {name}\n{told}"
            );
        }
        assert!(told.len() < 200_000, "{line}");
    }
    // Clients that are told the name: they fail and print no byte.
    for path in hidden {
        for line in [
            format!("cat {path}"),
            format!("cat < {path}"),
            format!("head -c 9 {path}; tail -c 9 {path}"),
            format!("cp -r {path} {copy}3"),
            format!("stat -c %s {path}"),
            format!("ls -la {path}"),
            format!("wc -c {path}"),
            format!("tar -cf - {path} | wc -c | grep -v 10240"),
            format!("test -e {path} && echo there"),
            format!("python3 -c 'print(open(\"{path}\", \"rb\").read())'"),
            format!(
                "python3 -c 'import mmap, os; f = os.open(\"{path}\", 0); print(mmap.mmap(f, 0, prot=1)[:])'"
            ),
            format!("cat {path}.inspect.json {path}.outline.json"),
            format!("cat $PWD/readme.md/../{path}"),
        ] {
            let done = run(Command::new("sh")
                .args(["-c", &line])
                .current_dir(view.root()));
            assert_eq!(done.out(), "", "{line}");
            assert!(!done.err().contains(MARKER), "{line}: {}", done.err());
        }
        assert!(!Path::new(&format!("{copy}3")).exists(), "{path}");
    }
    let root = view.json(".inspect.json");
    assert!(!root.to_string().contains(MARKER));
    assert_eq!(view.json("by-rule/.inspect.json")["entries"]["files"], 0);
    assert_eq!(view.json("by-rule/.inspect.json")["subtree_size_bytes"], 0);
    assert_eq!(view.stat("by-rule").len(), 4096);
    assert!(!view.log().contains(MARKER), "{}", view.log());
}

#[test]
fn scenario_2_every_call_answers_hidden_as_missing() {
    let (view, hidden) = mounted_with_hidden();
    let pairs: Vec<(&str, String)> = hidden
        .iter()
        .map(|path| (*path, format!("{path}-none")))
        .collect();
    let mut pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(hidden, missing)| (*hidden, missing.as_str()))
        .collect();
    pairs.push(("config/prod.env/below", "config/none/below"));
    pairs.push(("plans/secret/none", "plans/none/none"));
    pairs.push(("plans/secret/../../readme.md", "plans/none/../../readme.md"));
    assert_answers_as_missing(&view, &pairs);
    assert_eq!(
        fs::read(view.workspace().path("by-flag")).unwrap(),
        MARKER.as_bytes()
    );
}

#[test]
fn scenario_3_patterns_work_everywhere_or_fail_loudly() {
    let paths = [
        ".mine",
        "a/b/c/.mine",
        "vault/x",
        "a/b/c/vault/x",
        "k.pemx",
        "a/b/c/k.pemx",
        "free",
    ];
    let at_root: &[&str] = &[".mine"];
    let everywhere: &[&str] = &[".mine", "a/b/c/.mine"];
    let rows: [(&str, &[&str]); 8] = [
        ("**/.mine", everywhere),
        (".mine", everywhere),
        ("/.mine", at_root),
        ("vault/**", &["vault/x"]),
        ("**/vault/**", &["vault/x", "a/b/c/vault/x"]),
        ("vault/", &["vault/x", "a/b/c/vault/x"]),
        ("*.pemx", &["k.pemx", "a/b/c/k.pemx"]),
        ("**/*.pemx", &["k.pemx", "a/b/c/k.pemx"]),
    ];
    for (pattern, hidden) in rows {
        let files: Vec<_> = paths.iter().map(|path| (*path, "x")).collect();
        let workspace = Workspace::of(&files);
        workspace.file(
            ".inspectfs.toml",
            format!("[[rule]]\npath = '{pattern}'\nhide = true\n"),
        );
        let checked = run(inspectfs().current_dir(workspace.root()).arg("check"));
        assert!(
            !checked.out().contains("match nothing"),
            "{pattern}: {}",
            checked.out()
        );
        let view = View::mount(workspace);
        for path in paths {
            assert_eq!(
                view.exists(path),
                !hidden.contains(&path),
                "{path} under {pattern}"
            );
        }
    }
    // What cannot mean what it says starts nothing, and says where and why.
    for (text, words) in [
        (
            "[[rule]]\npath = 'a'\nhidden = true\n",
            "did you mean 'hide'?",
        ),
        ("[[rules]]\npath = 'a'\n", "did you mean 'rule'?"),
        ("[[rule]]\npath = 'a['\nhide = true\n", "'a['"),
        ("[[rule]]\npath = '../a'\nhide = true\n", "'..'"),
        ("[[rule]]\npath = '!a'\nhide = true\n", "'!'"),
        ("[[rule]]\npath = ''\nhide = true\n", "empty"),
        ("[[rule]]\npath = 'a'\n", "does nothing"),
        (
            "[[rule]]\npath = 'a'\ndeny = ['raed']\n",
            "did you mean 'read'?",
        ),
        ("[[rule]]\npath = 'a'\nlabel = 'SECRET'\n", "CONFIDENTIAL"),
        ("hide = ['a']\n", "unknown field 'hide'"),
        ("[[rule]\n", ":1:"),
    ] {
        let workspace = Workspace::of(&[(".inspectfs.toml", text), ("a", "x")]);
        for command in [&["mount", "../view"][..], &["check"], &["explain", "a"]] {
            let done = run(inspectfs().current_dir(workspace.root()).args(command));
            assert_eq!(done.code(), Some(1), "{command:?}: {text}");
            assert_eq!(done.err().lines().count(), 1, "{command:?}: {}", done.err());
            assert!(done.err().contains(".inspectfs.toml:"), "{}", done.err());
            assert!(done.err().contains(words), "{text}: {}", done.err());
        }
    }
    // A rule that never matches is named, with the way out.
    let workspace = Workspace::of(&[
        (
            ".inspectfs.toml",
            "[[rule]]\npath = 'vault/**'\nhide = true\n",
        ),
        ("app/vault/x", "x"),
    ]);
    let checked = run(inspectfs().current_dir(workspace.root()).arg("check"));
    assert_eq!(checked.code(), Some(1));
    assert!(
        checked.out().contains("vault/** (.inspectfs.toml:1)")
            && checked.out().contains("'**/vault/**'"),
        "{}",
        checked.out()
    );
}

#[test]
fn scenario_4_a_hide_in_what_is_allowed_and_a_show_in_what_is_hidden() {
    let files = [
        ("open/a", "x"),
        ("open/b/c", "x"),
        ("open/b/secret", "x"),
        ("open/b/d/secret", "x"),
        ("shut/a", "x"),
        ("shut/b/a", "x"),
        ("shut/b/c/shown", "s"),
        ("shut/b/c/other", "x"),
        ("shut/e/f", "x"),
        ("else", "x"),
    ];
    let rows = [
        // By default all, by default nothing.
        "[[rule]]\npath = 'shut/'\nhide = true\n".to_owned(),
        "default = 'deny'\n[[rule]]\npath = 'open/**'\nallow = ['read', 'search']\n\
         [[rule]]\npath = 'else'\nallow = ['read', 'search']\n\
         [[rule]]\npath = 'shut/**'\nhide = true\n\
         [[rule]]\npath = 'shut/b/c/shown'\nallow = ['read', 'search']\n"
            .to_owned(),
    ];
    for head in rows {
        let policy = format!(
            "{head}[[rule]]\npath = 'open/b/secret'\nhide = true\n\
             [[rule]]\npath = 'shut/b/c/shown'\nshow = true\n"
        );
        let view = View::with_policy(Workspace::of(&files), &policy);
        assert_eq!(view.names(""), ["else", "open", "shut"], "{policy}");
        assert_eq!(view.names("open"), ["a", "b"]);
        assert_eq!(view.names("open/b"), ["c", "d"]);
        assert!(view.exists("open/b/d/secret") && !view.exists("open/b/secret"));
        assert_eq!(view.names("shut"), ["b"]);
        assert_eq!(view.names("shut/b"), ["c"]);
        assert_eq!(view.names("shut/b/c"), ["shown"]);
        assert_eq!(view.read("shut/b/c/shown"), b"s");
        for path in ["shut/a", "shut/b/a", "shut/b/c/other", "shut/e", "shut/e/f"] {
            assert!(!view.exists(path), "{path}");
        }
        let told = shell(&view, "find . | sort");
        assert!(
            !told.contains("other") && !told.contains("shut/e"),
            "{told}"
        );
    }
}

#[test]
fn scenario_5_a_secret_that_comes_later_is_never_seen() {
    let appear = |workspace: &Workspace| {
        workspace
            .file("plain", "x")
            .file(".env.local", MARKER)
            .file("src/.env.local", MARKER)
            .file("new/id_rsa", MARKER)
            .file("new/deep/credentials.json", MARKER);
        // Complete, as a move or a checkout brings it.
        let ready = workspace.base().join("ready");
        fs::create_dir_all(&ready).unwrap();
        fs::write(ready.join(".agentignore"), "plan.txt\n").unwrap();
        fs::write(ready.join("plan.txt"), MARKER).unwrap();
        // An empty file is no key yet, so this one comes with its content.
        let key = format!("-----BEGIN PRIVATE KEY-----\n{MARKER}");
        fs::write(ready.join("k.pem"), key).unwrap();
        for name in ["sub", "sub/.agentignore", "sub/plan.txt", "sub/k.pem"] {
            workspace.note(name);
        }
        fs::rename(&ready, workspace.path("sub")).unwrap();
    };
    let go = |workspace: &Workspace| {
        for file in ["plain", ".env.local", "src/.env.local"] {
            fs::remove_file(workspace.path(file)).unwrap();
        }
        for folder in ["new", "sub"] {
            // Away at once: a folder without its ignore file is another folder.
            let gone = workspace.base().join("gone");
            fs::rename(workspace.path(folder), &gone).unwrap();
            fs::remove_dir_all(gone).unwrap();
        }
    };
    let secrets = [
        ".env.local",
        "src/.env.local",
        "new/id_rsa",
        "new/deep/credentials.json",
        "sub/k.pem",
        "sub/plan.txt",
    ];
    assert_never_seen(&secrets, &["plain", "new", "sub/.agentignore"], appear, go);
    // From inside nothing can be made.
    let view = View::of(&[("a/b", "x")]);
    for line in [
        "echo x >.env.local",
        "mkdir new",
        "echo '*' >a/.agentignore",
        "ln a/b id_rsa",
        "mkfifo .env",
    ] {
        let done = run(Command::new("sh")
            .args(["-c", line])
            .current_dir(view.root()));
        assert_ne!(done.code(), Some(0), "{line}");
    }
}
