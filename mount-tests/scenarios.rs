//! What goes wrong elsewhere for people who want this, one test a scenario, each as its whole
//! kind: several ways to hide, several clients, several places. Views are read-only for now, so
//! every change is refused; that nothing of the workspace moved is looked at all the same.

use crate::harness::{PATIENCE, View, eventually};
use crate::hidden::{MARKER, assert_answers_as_missing, assert_never_seen};
use crate::processes::{inspectfs, run};
use crate::workspace::Workspace;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Every way to hide a file, each with a file under it; `readme.md` is visible.
fn hidden_in_every_way() -> (Workspace, Vec<&'static str>) {
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

fn shell(view: &View, line: &str) -> String {
    let done = run(Command::new("sh")
        .args(["-c", line])
        .current_dir(view.root()));
    done.out() + &done.err()
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

#[test]
fn scenario_6_a_hard_link_to_a_secret_is_a_secret() {
    let (workspace, _) = hidden_in_every_way();
    workspace
        .hard_link("copies/one.txt", "config/prod.env")
        .hard_link("copies/two.md", "ignored/a.draft")
        .hard_link("copies/three.py", "plans/secret/x.py")
        .hard_link("copies/four", "shut/x")
        .hard_link("copies/five", ".git/config")
        .hard_link("copies/free", "config/dev.toml");
    let view = View::mount_with(workspace, &["--hide", "by-flag"]);
    for name in ["one.txt", "two.md", "three.py", "four", "five"] {
        let path = format!("copies/{name}");
        assert!(!view.exists(&path), "{path}");
        assert!(!view.exists(format!("{path}.inspect.json")), "{path}");
        let explained = run(inspectfs()
            .current_dir(view.workspace().root())
            .args(["explain", "--hide", "by-flag", &path]));
        assert!(
            explained.out().contains("the same file as"),
            "{}",
            explained.out()
        );
    }
    assert_eq!(view.names("copies"), ["free"]);
    assert_eq!(view.json("copies/.inspect.json")["entries"]["files"], 1);
    // A link made inside is refused, whatever it is of.
    for line in [
        "ln config/prod.env here.txt",
        "ln config/dev.toml here.txt",
        "ln readme.md .env",
    ] {
        let done = run(Command::new("sh")
            .args(["-c", line])
            .current_dir(view.root()));
        assert_ne!(done.code(), Some(0), "{line}");
    }
    assert!(!view.workspace().path("here.txt").exists());
    // One that is made outside while the view is mounted closes the other name.
    view.workspace().file("free.txt", "x");
    eventually("the new file", PATIENCE, || {
        view.exists("free.txt").then_some(())
    });
    view.workspace().hard_link("new.env", "free.txt");
    eventually("it is hidden with its other name", PATIENCE, || {
        (!view.exists("free.txt")).then_some(())
    });
}

#[test]
fn scenario_7_no_link_leads_to_a_secret() {
    let (workspace, hidden) = hidden_in_every_way();
    let mut links = Vec::new();
    for (number, path) in hidden.iter().enumerate() {
        let absolute = workspace.path(path).to_str().unwrap().to_owned();
        for (kind, text) in [
            ("plain", (*path).to_owned()),
            ("up", format!("../links/../{path}")),
            ("absolute", absolute),
            ("dotted", format!("./{path}")),
        ] {
            let at = if kind == "up" { "links/" } else { "" };
            let link = format!("{at}{kind}{number}");
            workspace.link(&link, &text).link(
                format!("{at}chain-{kind}{number}"),
                format!("{kind}{number}"),
            );
            links.push(format!("{at}chain-{kind}{number}"));
            links.push(link);
        }
    }
    workspace
        .link("folder", "plans/secret")
        .link("outer", "plans")
        .link("out", "/etc/passwd")
        .link("out-up", "../../../../../../../etc/passwd")
        .link("moving", "none")
        .link("around", "around");
    let python = run(Command::new("python3")
        .args(["-m", "venv", "--without-pip", "--symlinks"])
        .arg(workspace.path("venv")));
    assert!(python.status.success(), "{}", python.err());
    while let Some(path) = workspace.left_behind().unwrap().pop() {
        workspace.note(path);
    }
    let view = View::mount_with(workspace, &["--hide", "by-flag"]);
    for link in &links {
        let read = fs::read(view.path(link)).map_err(|error| error.raw_os_error());
        assert!(matches!(read, Err(Some(libc::ENOENT))), "{link}: {read:?}");
        assert!(view.stat(link).is_symlink(), "{link}");
    }
    for path in ["folder/x.py", "outer/secret/x.py", "folder"] {
        assert!(fs::metadata(view.path(path)).is_err(), "{path}");
    }
    for path in ["out", "out-up"] {
        let read = fs::read(view.path(path)).map_err(|error| error.raw_os_error());
        assert_eq!(read, Err(Some(libc::EACCES)), "{path}");
    }
    assert_eq!(
        fs::read(view.path("around")).map_err(|error| error.raw_os_error()),
        Err(Some(libc::ELOOP))
    );
    // Dangling first, then led to a visible file, then to a secret.
    let lead = |text: &str| {
        fs::remove_file(view.workspace().path("moving")).unwrap();
        view.workspace().link("moving", text);
    };
    assert!(fs::read(view.path("moving")).is_err());
    lead("config/dev.toml");
    eventually("the link leads on", PATIENCE, || {
        fs::read(view.path("moving")).ok()
    });
    lead("config/prod.env");
    eventually("the link leads nowhere", PATIENCE, || {
        fs::read(view.path("moving")).is_err().then_some(())
    });
    for _ in 0..100 {
        assert!(fs::read(view.path("moving")).is_err());
    }
    assert!(!shell(&view, "grep -rRa '' . 2>/dev/null; ls -laRL 2>/dev/null").contains(MARKER));
    // The environment whose links lead out works.
    let ran = run(Command::new(view.path("venv/bin/python")).args(["-c", "print(6 * 7)"]));
    assert_eq!(ran.out(), "42\n", "{}", ran.err());
}

#[test]
fn scenario_9_what_steers_the_view_is_read_and_never_changed_from_inside() {
    let text = "[[rule]]\npath = 'plan.txt'\nhide = true\n";
    let view = View::of(&[
        (".inspectfs.toml", text),
        (".agentignore", "*.draft\n"),
        ("sub/.agentignore", "x.md\n"),
        ("sub/x.md", "x"),
        ("plan.txt", "x"),
        ("a.draft", "x"),
        ("other", "x"),
    ]);
    assert_eq!(view.read(".inspectfs.toml"), text.as_bytes());
    for line in [
        "echo >.inspectfs.toml",
        "echo >>.inspectfs.toml",
        "mv other .inspectfs.toml",
        "mv .inspectfs.toml gone",
        "rm -f .inspectfs.toml && ! test -e .inspectfs.toml",
        "cp other .inspectfs.toml",
        "ln -f other .inspectfs.toml",
        "ln -sf other .inspectfs.toml",
        "truncate -s 0 .inspectfs.toml",
        "touch .inspectfs.toml",
        "chmod 0 .inspectfs.toml",
        "mkdir new && echo '!*' >new/.agentignore",
        "echo '!*' >sub/.agentignore",
        "mv other .agentignore",
        "mv other sub/.agentignore",
        "rm -f sub/.agentignore && ! test -e sub/.agentignore",
        "sed -i d .agentignore",
        "mv sub gone",
    ] {
        let done = run(Command::new("sh")
            .args(["-c", line])
            .current_dir(view.root()));
        assert_ne!(done.code(), Some(0), "{line}");
    }
    for path in ["plan.txt", "a.draft", "sub/x.md"] {
        assert!(!view.exists(path), "{path}");
    }
    assert_eq!(
        fs::read(view.workspace().path(".inspectfs.toml")).unwrap(),
        text.as_bytes()
    );
    // It says so by its bits, too.
    for path in [".inspectfs.toml", ".agentignore", "sub/.agentignore"] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(view.stat(path).permissions().mode() & 0o222, 0, "{path}");
    }
    // An edit from outside acts, whole.
    let bound = Duration::from_secs(2);
    view.workspace()
        .replace(".inspectfs.toml", "[[rule]]\npath = 'other'\nhide = true\n");
    eventually("the new rule", bound, || {
        (!view.exists("other")).then_some(())
    });
    assert!(
        view.exists("plan.txt"),
        "the old rule is gone with the old text"
    );
    view.workspace().replace("sub/.agentignore", "none\n");
    eventually("the new line", bound, || {
        view.exists("sub/x.md").then_some(())
    });
    // One that is broken changes nothing.
    view.workspace()
        .file(".inspectfs.toml", "[[rule]]\npath = 'other'\nhid = true\n");
    eventually("the fault is said", PATIENCE, || {
        view.log().contains("did you mean 'hide'?").then_some(())
    });
    assert!(!view.exists("other"));
}

#[test]
fn scenario_20_explain_names_the_rule_of_every_refusal() {
    let (workspace, hidden) = hidden_in_every_way();
    let mut policy = fs::read_to_string(workspace.path(".inspectfs.toml")).unwrap();
    let _written = write!(
        policy,
        "[[rule]]\npath = 'closed/**'\ndeny = ['read']\nreason = 'not for machines'\nalternative = 'ask'\n\
         [[rule]]\npath = 'unlisted/'\nallow = ['read']\n[limits]\nmax_file_bytes = 100\n"
    );
    workspace
        .file(".inspectfs.toml", policy)
        .file("closed/a", "x")
        .file("unlisted/a", "x")
        .file("large", [b'x'; 200])
        .link("out", "/etc/passwd");
    let explain = |path: &str| {
        let done = run(inspectfs()
            .current_dir(workspace.root())
            .args(["explain", "--hide", "by-flag", path]));
        assert_eq!((done.code(), &*done.err()), (Some(0), ""), "{path}");
        done.out()
    };
    let sources = [
        ".env (built-in)",
        "*.env (built-in)",
        ".env.* (built-in)",
        ".git (built-in)",
        "by-rule/pl* (.inspectfs.toml:1)",
        "**/secret/** (.inspectfs.toml:4)",
        "*.draft (ignored/.agentignore:1)",
        "*.pem (built-in)",
        "shut/x (.inspectfs.toml:7)",
        "by-flag (--hide by-flag)",
    ];
    for path in hidden {
        let told = explain(path);
        assert!(told.starts_with(&format!("{path}: hidden")), "{told}");
        assert!(sources.iter().any(|source| told.contains(source)), "{told}");
    }
    for (path, part) in [
        (
            "closed/a",
            "read              no   closed/** (.inspectfs.toml:10): not for machines; instead: ask",
        ),
        (
            "unlisted/a",
            "search            no   unlisted/ (.inspectfs.toml:15)",
        ),
        (
            ".inspectfs.toml",
            "mutate-content    no   .inspectfs.toml (built-in): it decides what this view shows",
        ),
        (
            "large",
            "max_file_bytes = 100; reading it is refused (EFBIG)",
        ),
        ("out", "out of the workspace"),
    ] {
        let told = explain(path);
        assert!(told.contains(part), "{path}: {told}");
    }
    let view = View::mount_with(workspace, &["--hide", "by-flag"]);
    for (path, errno) in [
        ("closed/a", libc::EACCES),
        ("large", libc::EFBIG),
        ("out", libc::EACCES),
    ] {
        let read = fs::read(view.path(path)).map_err(|error| error.raw_os_error());
        assert_eq!(read, Err(Some(errno)), "{path}");
    }
    assert!(
        fs::read_dir(view.path("unlisted"))
            .and_then(|mut all| all.next().transpose())
            .is_err()
    );
}
