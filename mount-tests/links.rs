//! Symbolic and hard links: none leads to a hidden byte or out of the workspace, and those
//! that stay inside work as everywhere.

use crate::harness::View;
use crate::processes::run;
use crate::workspace::Workspace;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

fn text(view: &View, rel: &str) -> Result<String, Option<i32>> {
    fs::read_link(view.path(rel))
        .map(|text| text.to_str().unwrap().to_owned())
        .map_err(|error| error.raw_os_error())
}

fn errno(view: &View, rel: &str) -> Option<i32> {
    fs::read(view.path(rel)).err()?.raw_os_error()
}

#[test]
fn links_inside_work() {
    let workspace = Workspace::of(&[("a/f.txt", "f"), ("a/b/g.txt", "g"), ("top.txt", "t")]);
    let rows = [
        ("l1", "a/f.txt"),
        ("a/l2", "f.txt"),
        ("a/l3", "../top.txt"),
        ("a/b/l4", "../../a/f.txt"),
        ("l5", "./a//f.txt"),
        ("l6", "a/b/../f.txt"),
        ("l7", "a"),
        ("l8", "a/b/"),
        ("chain", "l1"),
    ];
    for (link, to) in rows {
        workspace.link(link, to);
    }
    let view = View::mount(workspace);
    for (link, to) in rows {
        assert_eq!(text(&view, link).as_deref(), Ok(to), "{link}");
        assert_eq!(view.stat(link).len(), to.len() as u64, "{link}");
        let target = fs::canonicalize(view.workspace().path(link)).unwrap();
        let rel = target.strip_prefix(view.workspace().root()).unwrap();
        assert_eq!(
            fs::canonicalize(view.path(link)).unwrap(),
            view.path(rel),
            "{link}"
        );
    }
    assert_eq!(view.read("chain"), b"f");
    assert_eq!(view.read("l7/b/g.txt"), b"g");
    assert_eq!(view.read("l8/g.txt"), b"g");
    assert!(view.exists("l7/f.txt.inspect.json"));
}

#[test]
fn absolute_text_inside_becomes_relative() {
    let workspace = Workspace::of(&[("a/f.txt", "f"), ("a/b/g.txt", "g")]);
    let absolute = |rel: &str| workspace.path(rel).to_str().unwrap().to_owned();
    let rows = [
        ("l1", absolute("a/f.txt"), "a/f.txt"),
        ("a/l2", absolute("a/f.txt"), "f.txt"),
        ("a/b/l3", absolute("a/f.txt"), "../f.txt"),
        ("c/d/l4", absolute("a/b"), "../../a/b"),
        ("a/l5", absolute("nowhere"), "../nowhere"),
    ];
    for (link, to, _) in &rows {
        workspace.link(link, to);
    }
    workspace.link("c/root", workspace.root());
    let base = workspace.base().to_str().unwrap().to_owned();
    let view = View::mount(workspace);
    for (link, to, relative) in &rows {
        let served = text(&view, link).unwrap();
        assert!(!served.starts_with('/'), "{link} -> {to}: {served}");
        assert_eq!(view.stat(link).len(), served.len() as u64, "{link}");
        assert_eq!(view.summary(link)["size_bytes"], served.len(), "{link}");
        // The equal relative text, shortest or not: both lead to the same place.
        let folder = view.path(link).parent().unwrap().to_owned();
        let place = |text: &str| fs::canonicalize(folder.join(text)).ok();
        assert_eq!(place(&served), place(relative), "{link} -> {to}: {served}");
    }
    assert_eq!(view.read("l1"), b"f");
    assert_eq!(view.read("c/d/l4/g.txt"), b"g");
    assert_eq!(view.read("c/root/a/f.txt"), b"f");
    let listed = run(Command::new("ls").arg("-laR").arg(view.root()));
    assert!(
        !listed
            .out()
            .replace(view.root().to_str().unwrap(), "")
            .contains(&base)
    );
}

#[test]
fn links_that_lead_out_are_listed_and_closed() {
    let workspace = Workspace::of(&[("a/f.txt", "f")]);
    let outside = workspace.base().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.txt"), "OUTSIDE").unwrap();
    let sibling = format!("{}-twin", workspace.root().to_str().unwrap());
    let rows = [
        ("passwd", "/etc/passwd".to_owned()),
        ("up", "../outside/secret.txt".to_owned()),
        ("a/up", "../../outside".to_owned()),
        ("far", "../../../../../../../../etc/passwd".to_owned()),
        ("a/mixed", "./.././../outside/secret.txt".to_owned()),
        (
            "abs",
            outside.join("secret.txt").to_str().unwrap().to_owned(),
        ),
        ("parent", "..".to_owned()),
        ("slash", "/".to_owned()),
        ("proc", "/proc/self/root/etc/passwd".to_owned()),
        ("twin", sibling),
        ("usr-up", "/usr/../etc/passwd".to_owned()),
        ("usrlocal", "/usrlocal".to_owned()),
        (
            "inside-up",
            format!(
                "{}/../outside/secret.txt",
                workspace.root().to_str().unwrap()
            ),
        ),
    ];
    for (link, to) in &rows {
        workspace.link(link, to);
    }
    let view = View::mount(workspace);
    for (link, to) in &rows {
        assert_eq!(text(&view, link), Err(Some(libc::EACCES)), "{link} -> {to}");
        assert_eq!(errno(&view, link), Some(libc::EACCES), "{link} -> {to}");
        assert!(view.stat(link).is_symlink());
        let link = Path::new(link);
        let name = link.file_name().unwrap().to_owned();
        assert!(view.names(link.parent().unwrap()).contains(&name));
        let document = view.summary(link.to_str().unwrap());
        assert_eq!(document["type"], "symlink");
        assert!(!document.to_string().contains("outside"));
    }
    assert_eq!(errno(&view, "a/up/secret.txt"), Some(libc::EACCES));
    let grepped = run(Command::new("grep")
        .args(["-ra", "OUTSIDE"])
        .arg(view.root()));
    assert_eq!(grepped.out(), "");
}

#[test]
fn the_system_folders_stay_reachable() {
    let workspace = Workspace::of(&[("venv/pyvenv.cfg", "home = /usr/bin\n")]);
    workspace
        .link("venv/bin/sh", "/bin/sh")
        .link("venv/bin/env", "/usr/bin/env")
        .link("venv/bin/python", "env")
        .link("null", "/dev/null")
        .link("zero", "/dev/zero");
    let view = View::mount(workspace);
    assert_eq!(text(&view, "venv/bin/env").as_deref(), Ok("/usr/bin/env"));
    assert_eq!(text(&view, "null").as_deref(), Ok("/dev/null"));
    assert_eq!(text(&view, "zero"), Err(Some(libc::EACCES)));
    let ran = run(Command::new(view.path("venv/bin/sh")).args(["-c", "echo ran"]));
    assert_eq!(ran.out(), "ran\n");
    let through = run(Command::new(view.path("venv/bin/env")).args(["echo", "ran"]));
    assert_eq!(through.out(), "ran\n");
}

#[test]
fn a_virtual_environment_runs() {
    let workspace = Workspace::of(&[("app.py", "import sys; print(sys.prefix)\n")]);
    let made = run(Command::new("python3")
        .args(["-m", "venv", "--without-pip", "--symlinks"])
        .arg(workspace.path("venv")));
    assert!(made.status.success(), "{}", made.err());
    // All that the tool made is the test's.
    while let Some(path) = workspace.left_behind().unwrap().pop() {
        workspace.note(path);
    }
    let view = View::mount(workspace);
    let listed = run(Command::new("ls").arg("-lR").arg(view.path("venv")));
    assert!(listed.status.success(), "{}", listed.err());
    let ran = run(Command::new(view.path("venv/bin/python")).arg(view.path("app.py")));
    assert_eq!(
        ran.out().trim_end(),
        view.path("venv").to_str().unwrap(),
        "{}",
        ran.err()
    );
}

#[test]
fn the_list_of_outside_folders_is_a_setting() {
    let workspace = Workspace::new();
    let shared = workspace.base().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::write(shared.join("x"), "shared").unwrap();
    workspace
        .link("shared", shared.join("x"))
        .link("env", "/usr/bin/env");
    let policy = format!(
        "[symlinks]\nallow_outside = [\"{}/\"]\n",
        shared.to_str().unwrap()
    );
    let view = View::with_policy(workspace, &policy);
    assert_eq!(view.read("shared"), b"shared");
    assert_eq!(text(&view, "env"), Err(Some(libc::EACCES)), "replaced");
    drop(view);
    let workspace = Workspace::of(&[("f", "x")]);
    workspace.link("inside", "f").link("env", "/usr/bin/env");
    let view = View::with_policy(workspace, "[symlinks]\nmode = \"deny\"\n");
    for link in ["inside", "env"] {
        assert_eq!(errno(&view, link), Some(libc::EACCES), "{link}");
        assert!(view.stat(link).is_symlink());
        assert_eq!(view.summary(link)["type"], "symlink");
    }
    assert_eq!(view.names(""), ["env", "f", "inside"]);
}

#[test]
fn going_up_after_a_name_needs_real_folders() {
    let workspace = Workspace::of(&[("a/b/f.txt", "f"), ("x.txt", "x"), (".git/config", "s")]);
    workspace
        .link("to-b", "a/b")
        .link("served", "a/b/../../x.txt")
        .link("through-link", "to-b/../x.txt")
        .link("through-file", "x.txt/../x.txt")
        .link("through-missing", "nothing/../x.txt")
        .link("through-hidden", ".git/../x.txt");
    let view = View::mount(workspace);
    assert_eq!(view.read("served"), b"x");
    // Followed textually it would be ./x.txt, followed by the kernel a/x.txt.
    assert_eq!(text(&view, "through-link"), Err(Some(libc::EACCES)));
    assert_eq!(text(&view, "through-file"), Err(Some(libc::EACCES)));
    // A hidden prefix is a missing one.
    assert_eq!(
        text(&view, "through-hidden").map(|_| "served"),
        text(&view, "through-missing").map(|_| "served")
    );
    assert_eq!(
        errno(&view, "through-hidden"),
        errno(&view, "through-missing")
    );
}

#[test]
fn links_to_hidden_names_are_dangling() {
    let workspace = Workspace::of(&[
        (".env", "SECRET"),
        (".git/config", "SECRET"),
        ("d/.env", "SECRET"),
        ("f", "x"),
    ]);
    workspace
        .link("plain", ".env")
        .link("case", ".ENV")
        .link("below", ".git/config")
        .link("folder", ".git")
        .link("d/up", "../.env")
        .link("chain", "plain")
        .link("absolute", workspace.path("d/.env"))
        .link("dangling", "nowhere")
        .link("d/to-link", "../folder/config");
    let view = View::mount(workspace);
    for link in [
        "plain",
        "case",
        "below",
        "folder",
        "d/up",
        "chain",
        "absolute",
        "dangling",
        "d/to-link",
    ] {
        assert_eq!(errno(&view, link), Some(libc::ENOENT), "{link}");
        assert!(view.stat(link).is_symlink());
    }
    assert_eq!(text(&view, "plain").as_deref(), Ok(".env"));
    // Dangling, then led to a secret.
    let workspace = view.workspace();
    fs::remove_file(workspace.path("dangling")).unwrap();
    workspace.link("dangling", ".git/config");
    assert_eq!(errno(&view, "dangling"), Some(libc::ENOENT));
    // A visible file, its name then led to a secret.
    assert_eq!(view.read("f"), b"x");
    fs::remove_file(workspace.path("f")).unwrap();
    workspace.link("f", ".env");
    crate::harness::eventually(
        "the name is a link",
        std::time::Duration::from_secs(2),
        || {
            let read = fs::read(view.path("f"));
            assert!(read.as_deref().unwrap_or(b"x") == b"x");
            view.stat("f").is_symlink().then_some(())
        },
    );
    assert_eq!(errno(&view, "f"), Some(libc::ENOENT));
}

#[test]
fn a_hard_link_to_a_hidden_file_is_hidden() {
    let workspace = Workspace::of(&[
        (".env", "SECRET"),
        (".git/objects/ab", "SECRET"),
        ("private/x", "SECRET"),
        ("visible", "x"),
    ]);
    workspace
        .hard_link("notes.txt", ".env")
        .hard_link("deep/er/notes.txt", ".env")
        .hard_link("object", ".git/objects/ab")
        .hard_link("open.txt", "private/x");
    let view = View::with_policy(workspace, "[[rule]]\npath = \"private/\"\nhide = true\n");
    for name in ["notes.txt", "deep/er/notes.txt", "object", "open.txt"] {
        assert!(!view.exists(name), "{name}");
        assert_eq!(errno(&view, name), Some(libc::ENOENT), "{name}");
        for suffix in ["inspect", "outline"] {
            assert!(!view.exists(format!("{name}.{suffix}.json")), "{name}");
        }
    }
    assert_eq!(view.names(""), ["deep", "visible"]);
    assert!(view.names("deep/er").is_empty());
    assert_eq!(view.summary("deep/er")["entries"]["files"], 0);
    assert_eq!(view.json(".inspect.json")["subtree_size_bytes"], 1);
}

#[test]
fn visible_hard_links_are_one_inode() {
    let workspace = Workspace::of(&[("a/one", "same"), ("single", "x")]);
    workspace
        .hard_link("b/two", "a/one")
        .hard_link("three", "a/one");
    let view = View::mount(workspace);
    let stats = ["a/one", "b/two", "three"].map(|name| view.stat(name));
    for stat in &stats {
        assert_eq!((stat.ino(), stat.nlink()), (stats[0].ino(), 3));
    }
    assert_ne!(view.stat("single").ino(), stats[0].ino());
    for name in ["a/one", "b/two", "three"] {
        assert_eq!(view.read(name), b"same");
        assert_eq!(view.summary(name)["path"], name, "each by its own name");
    }
    assert_eq!(
        view.json(".inspect.json")["subtree_size_bytes"],
        "same".len() + "x".len(),
        "one inode counts once"
    );
}

#[test]
fn names_outside_the_workspace_leave_a_file_readable() {
    let workspace = Workspace::of(&[("lib/f.js", "code")]);
    fs::hard_link(
        workspace.path("lib/f.js"),
        workspace.base().join("store-file"),
    )
    .unwrap();
    let view = View::mount(workspace);
    assert_eq!(view.names("lib"), ["f.js"]);
    assert_eq!(view.read("lib/f.js"), b"code");
    assert_eq!(view.summary("lib/f.js")["permissions"][0], "read");
}

#[test]
fn the_hard_link_check_is_a_setting() {
    let workspace = Workspace::of(&[(".env", "SECRET"), ("a", "x")]);
    workspace.hard_link("notes.txt", ".env").hard_link("b", "a");
    let view = View::with_policy(workspace, "hardlinks = \"allow\"\n");
    assert_eq!(view.read("notes.txt"), b"SECRET");
    assert!(!view.exists(".env"));
    assert_eq!(view.read("b"), b"x");
}

#[test]
fn a_link_made_outside_to_a_hidden_file_never_opens() {
    let workspace = Workspace::of(&[(".env", "SECRET"), ("a.txt", "x")]);
    workspace.note("late.txt");
    let view = View::mount(workspace);
    assert_eq!(view.read("a.txt"), b"x");
    for _ in 0..20 {
        fs::hard_link(
            view.workspace().path(".env"),
            view.workspace().path("late.txt"),
        )
        .unwrap();
        assert_eq!(errno(&view, "late.txt"), Some(libc::ENOENT));
        assert!(!view.names("").contains(&"late.txt".into()));
        fs::remove_file(view.workspace().path("late.txt")).unwrap();
    }
}
