//! The scenarios about links, about what steers the view, and about explaining it.

use crate::harness::{PATIENCE, View, eventually, shell};
use crate::hidden::MARKER;
use crate::processes::{inspectfs, run};
use crate::scenarios::hidden_in_every_way;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Duration;

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
