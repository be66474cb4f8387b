//! Visibility through the mount: hide and show rules in every form, and which source
//! may undo what.

use crate::harness::View;
use crate::workspace::Workspace;
use std::fs;

/// A tree with a file at each path.
pub(crate) fn tree(paths: &[&str]) -> Workspace {
    let workspace = Workspace::new();
    for path in paths {
        workspace.file(path, format!("content of {path}"));
    }
    workspace
}

/// A view of a tree that is `paths` of which, under the policy, exactly `visible` can be
/// looked up.
fn shows(policy: &str, paths: &[&str], visible: &[&str]) {
    let view = View::with_policy(tree(paths), policy);
    for path in paths {
        assert_eq!(
            view.exists(path),
            visible.contains(path),
            "{path} under:\n{policy}"
        );
    }
}

/// errno of reading a file to its end: at the open, or at the first read where opens are not
/// seen.
pub(crate) fn reading(view: &View, rel: &str) -> Option<i32> {
    fs::read(view.path(rel)).err()?.raw_os_error()
}

#[test]
fn hide_rules_in_every_form() {
    let paths = [
        "a",
        "d/a",
        "d/e/a",
        "d/b",
        "zone/x",
        "zone/y/z",
        "zone2/x",
        "k.pem",
        "d/e/k.pem",
    ];
    let hide = |pattern: &str| format!("[[rule]]\npath = \"{pattern}\"\nhide = true\n");
    let rows: [(&str, &[&str]); 13] = [
        ("a", &["a", "d/a", "d/e/a"]),
        ("/a", &["a"]),
        ("**/a", &["a", "d/a", "d/e/a"]),
        ("d/a", &["d/a"]),
        ("d/*", &["d/a", "d/b", "d/e/a", "d/e/k.pem"]),
        ("d/*/a", &["d/e/a"]),
        ("d/**", &["d/a", "d/b", "d/e/a", "d/e/k.pem"]),
        ("zone/", &["zone/x", "zone/y/z"]),
        ("zone/**", &["zone/x", "zone/y/z"]),
        ("a/", &[]),
        ("*.pem", &["k.pem", "d/e/k.pem"]),
        (
            "?",
            &[
                "a",
                "d/a",
                "d/e/a",
                "d/b",
                "zone/x",
                "zone/y/z",
                "zone2/x",
                "d/e/k.pem",
            ],
        ),
        ("[ab]", &["a", "d/a", "d/e/a", "d/b"]),
    ];
    for (pattern, hidden) in rows {
        let visible: Vec<&str> = paths
            .into_iter()
            .filter(|path| !hidden.contains(path))
            .collect();
        shows(&hide(pattern), &paths, &visible);
    }
}

#[test]
fn patterns_hold_at_the_root_and_deep_below() {
    let paths = [
        "mine",
        "a/b/c/mine",
        "zone/x",
        "a/b/c/zone/x",
        "a/b/c/zone/y/z",
        "k.crt",
        "a/b/c/k.crt",
        "free",
    ];
    let rows: [(&str, &[&str]); 7] = [
        ("mine", &["mine", "a/b/c/mine"]),
        ("**/mine", &["mine", "a/b/c/mine"]),
        ("/mine", &["mine"]),
        ("zone/", &["zone/x", "a/b/c/zone/x", "a/b/c/zone/y/z"]),
        ("zone/**", &["zone/x"]),
        ("**/zone/**", &["zone/x", "a/b/c/zone/x", "a/b/c/zone/y/z"]),
        ("*.crt", &["k.crt", "a/b/c/k.crt"]),
    ];
    for (pattern, hidden) in rows {
        let visible: Vec<&str> = paths
            .into_iter()
            .filter(|path| !hidden.contains(path))
            .collect();
        shows(
            &format!("[[rule]]\npath = \"{pattern}\"\nhide = true\n"),
            &paths,
            &visible,
        );
    }
}

#[test]
fn the_flag_hides_and_beats_rules() {
    let policy = "[[rule]]\npath = \"d/keep\"\nshow = true\n";
    let workspace = tree(&["a.log", "d/b.log", "d/keep"]);
    workspace.file(".inspectfs.toml", policy);
    let view = View::mount_with(workspace, &["--hide", "*.log", "--hide", "d/keep"]);
    assert_eq!(view.names(""), [".inspectfs.toml", "d"]);
    assert!(view.names("d").is_empty());
    drop(view);
    let flags = ["--hide", "*.log", "--show", "a.log"];
    let view = View::mount_with(tree(&["a.log", "d/b.log"]), &flags);
    assert!(view.exists("a.log"), "the command line's own show");
    assert!(!view.exists("d/b.log"));
}

#[test]
fn a_show_opens_the_way_and_nothing_else() {
    let policy = "[[rule]]\npath = \"private/**\"\nhide = true\n\
                  [[rule]]\npath = \"private/a/b/README.md\"\nshow = true\n";
    let paths = [
        "private/a/b/README.md",
        "private/a/b/other",
        "private/a/x",
        "private/y",
        "private/a/b/.env",
        "open",
    ];
    let view = View::with_policy(tree(&paths), policy);
    assert_eq!(view.names(""), ["open", "private"]);
    assert_eq!(view.names("private"), ["a"]);
    assert_eq!(view.names("private/a"), ["b"]);
    assert_eq!(view.names("private/a/b"), ["README.md"]);
    assert_eq!(
        view.read("private/a/b/README.md"),
        b"content of private/a/b/README.md"
    );
    for path in [
        "private/a/b/other",
        "private/a/x",
        "private/y",
        "private/a/b/.env",
    ] {
        assert_eq!(reading(&view, path), Some(libc::ENOENT), "{path}");
    }
    assert_eq!(
        view.summary("private")["entries"],
        serde_json::json!({"files": 0, "dirs": 1})
    );
}

#[test]
fn a_show_names_what_it_shows() {
    let hide = "[[rule]]\npath = \"private/\"\nhide = true\n";
    let paths = [
        ".env",
        "work/.env",
        "private/a",
        "private/.env",
        "private/d/a",
    ];
    let rows: [(&str, &[&str]); 6] = [
        // A name without a slash undoes hides of the name itself.
        (".env", &[".env", "work/.env"]),
        ("a", &[]),
        ("work/.env", &["work/.env"]),
        ("private/a", &["private/a"]),
        ("private/.env", &["private/.env"]),
        // All below what is shown, but not what is hidden there for itself.
        ("/private", &["private/a", "private/d/a"]),
    ];
    for (show, visible) in rows {
        let policy = format!("{hide}[[rule]]\npath = \"{show}\"\nshow = true\n");
        shows(&policy, &paths, visible);
    }
    // Wildcards, allows and defaults reach nothing hidden.
    let policy = format!("{hide}[[rule]]\npath = \"private/**\"\nallow = [\"read\", \"search\"]\n");
    shows(&policy, &paths, &[]);
}

#[test]
fn the_policy_itself_is_visible() {
    let workspace = tree(&["a"]);
    let text = "[[rule]]\npath = \"nothing\"\nhide = true\n";
    workspace
        .file(".inspectfs.toml", text)
        .file(".agentignore", "x\n");
    let view = View::mount(workspace);
    assert_eq!(view.names(""), [".agentignore", ".inspectfs.toml", "a"]);
    assert_eq!(view.read(".inspectfs.toml"), text.as_bytes());
}
