//! `inspectfs check`: what it finds, and that `--tree` is what the mount lists.

use crate::harness::View;
use crate::policy_commands::command;
use crate::workspace::Workspace;

/// The report of `check --json` with further flags, and whether it succeeded.
fn report(workspace: &Workspace, flags: &[&str]) -> (bool, serde_json::Value) {
    let mut args = vec!["check", "--json"];
    args.extend(flags);
    let done = command(workspace, &args);
    assert_eq!(done.err(), "");
    let report = serde_json::from_str(&done.out()).unwrap();
    (done.code() == Some(0), report)
}

/// The items of a kind, each as path or pattern, and message.
fn items(report: &serde_json::Value, kind: &str) -> Vec<(String, String)> {
    let sections = report["sections"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let found = sections.iter().find(|section| section["kind"] == kind);
    let items = found.map_or(&[][..], |section| section["items"].as_array().unwrap());
    items
        .iter()
        .map(|item| {
            let path = match &item["path"] {
                serde_json::Value::Null => text(&item["rule"]["pattern"]),
                path => text(path),
            };
            (path, text(&item["message"]))
        })
        .collect()
}

fn about<'a>(items: &'a [(String, String)], of: &str) -> &'a str {
    let found = items.iter().find(|(path, _)| path == of);
    &found
        .unwrap_or_else(|| panic!("{of} not among {items:?}"))
        .1
}

#[test]
fn check_of_a_plain_workspace_finds_nothing() {
    let workspace = Workspace::of(&[
        ("src/main.rs", "fn main() {}"),
        (".env", "SECRET"),
        (".git/config", "x"),
    ]);
    let (ok, found) = report(&workspace, &[]);
    assert!(ok, "{found}");
    assert_eq!((&found["ok"], &found["visible"]), (&true.into(), &2.into()));
    assert_eq!(found["hidden"], 2);
    assert_eq!(
        about(&items(&found, "secret-covered"), ".env"),
        "environment file: hidden"
    );
    let words = command(&workspace, &["check"]);
    assert_eq!(
        words.out(),
        "- look like secrets and are covered (1)
    .env: environment file: hidden; .env (built-in): environment file
2 visible, 2 hidden; nothing needs attention
"
    );
}

#[test]
fn check_names_rules_that_match_nothing_and_what_was_meant() {
    let workspace = Workspace::of(&[
        ("app/secrets/data.txt", "x"),
        ("docs/handbook/a.md", "x"),
        ("build", "a file"),
        ("deep/er/.npmtoken", "x"),
        ("private/x", "x"),
        ("here/x", "x"),
    ]);
    let rules = [
        "secrets/**",
        "docs/hanbook/**",
        "build/",
        "/.npmtoken",
        "nowhere/at/all",
        "*.bin",
        "misspelt",
        "here/",
        "**",
        "*.md",
    ];
    let rules = rules.map(|path| format!("[[rule]]\npath = '{path}'\ndeny = ['mutate-content']\n"));
    let mut policy = rules.concat();
    policy +=
        "[[rule]]\npath = 'private/'\nhide = true\n[[rule]]\npath = 'private/x'\ndeny = ['read']\n";
    workspace.file(".inspectfs.toml", policy);
    let (ok, found) = report(&workspace, &[]);
    assert!(!ok);
    let dead = items(&found, "rule-without-match");
    let names: Vec<&str> = dead.iter().map(|(pattern, _)| &**pattern).collect();
    assert_eq!(
        names,
        [
            "secrets/**",
            "docs/hanbook/**",
            "build/",
            "/.npmtoken",
            "nowhere/at/all",
            "misspelt"
        ]
    );
    for (pattern, part) in [
        ("secrets/**", "'app/secrets'; write '**/secrets/**'"),
        ("docs/hanbook/**", "did you mean 'docs/handbook'?"),
        (
            "build/",
            "folders only, and the like of it lies at 'build'; write '**/build'",
        ),
        ("/.npmtoken", "'deep/er/.npmtoken'; write '**/.npmtoken'"),
        ("misspelt", "nothing in the workspace"),
    ] {
        assert!(about(&dead, pattern).contains(part), "{pattern}: {dead:?}");
    }
    let later = items(&found, "rule-for-later");
    assert_eq!(
        later.iter().map(|(p, _)| &**p).collect::<Vec<_>>(),
        ["*.bin"]
    );
    let hidden = items(&found, "rule-on-hidden");
    assert_eq!(
        hidden.iter().map(|(p, _)| &**p).collect::<Vec<_>>(),
        ["private/x"]
    );
}

#[test]
fn check_finds_what_leaks_and_what_is_covered() {
    let token = format!("key = ghp_{}\n", "x".repeat(36));
    let workspace = Workspace::of(&[
        ("conf/db-password.txt", "x"),
        ("conf/settings.py", &token),
        ("old/id_rsa.bak", "x"),
        ("old/server.pem", "-----BEGIN PRIVATE KEY-----\n"),
        ("old/ca.pem", "-----BEGIN CERTIFICATE-----\n"),
        (".env", "S"),
        (".env.test", "S"),
        (".env.local", "S"),
        ("private/README.md", "x"),
        ("private/y", "x"),
        ("src/secrets.py", "x"),
        (
            ".inspectfs.toml",
            "[builtin]\nshow = ['.env.test']\n\
             [[rule]]\npath = 'private/'\nhide = true\n\
             [[rule]]\npath = 'private/README.md'\nshow = true\n\
             [[rule]]\npath = '.env.local'\nshow = true\n\
             [[rule]]\npath = 'conf/db-password.txt'\ndeny = ['read']\n",
        ),
    ]);
    workspace
        .hard_link("notes.txt", ".env")
        .link("bin/python3", "/usr/bin/python3")
        .link("bin/passwd", "/etc/passwd")
        .link("up", "../elsewhere")
        .link("inside", "src");
    let (ok, found) = report(&workspace, &[]);
    assert!(!ok);
    let in_view = items(&found, "secret-in-view");
    let paths: Vec<&str> = in_view.iter().map(|(path, _)| &**path).collect();
    assert_eq!(paths, ["conf/settings.py", "old/id_rsa.bak"]);
    let covered = items(&found, "secret-covered");
    let paths: Vec<&str> = covered.iter().map(|(path, _)| &**path).collect();
    assert_eq!(
        paths,
        [
            ".env",
            ".env.local",
            "conf/db-password.txt",
            "old/server.pem"
        ]
    );
    let linked = items(&found, "hard-link-to-hidden");
    assert_eq!(
        about(&linked, "notes.txt"),
        "it is the same file as '.env', which is hidden"
    );
    let shown = items(&found, "shown-by-workspace");
    assert!(
        shown[0].1.starts_with("'.env.test' by [builtin] show"),
        "{shown:?}"
    );
    let over = items(&found, "show-over-hide");
    assert_eq!(
        over.iter().map(|(path, _)| &**path).collect::<Vec<_>>(),
        [".env.test", "private/README.md"]
    );
    let vain = items(&found, "show-in-vain");
    assert!(
        about(&vain, ".env.local").contains("[builtin] show"),
        "{vain:?}"
    );
    let out = items(&found, "link-out-refused");
    assert!(
        about(&out, "bin/passwd").contains("'/etc/passwd'"),
        "{out:?}"
    );
    assert_eq!(out.len(), 2, "{out:?}");
    let allowed = items(&found, "link-out-allowed");
    assert_eq!(
        about(&allowed, "bin/python3"),
        "it leads to '/usr/bin/python3'"
    );
}

#[test]
fn an_ignore_file_that_cannot_be_followed_needs_attention() {
    let workspace = Workspace::of(&[("a/x", "x"), ("a/y", "x"), ("b", "x")]);
    workspace.link("a/.agentignore", "../b");
    let done = command(&workspace, &["check", "--json"]);
    assert_eq!(done.code(), Some(1));
    assert_eq!(done.err().lines().count(), 1, "said once: {}", done.err());
    let found: serde_json::Value = serde_json::from_str(&done.out()).unwrap();
    let faults = items(&found, "ignore-file-fault");
    assert_eq!(about(&faults, "a/.agentignore"), "it is no regular file");
    let explained = command(&workspace, &["explain", "a/x"]);
    assert!(
        explained
            .out()
            .contains("hides all beside it: it is no regular file"),
        "{}",
        explained.out()
    );
}

#[test]
fn check_sees_secrets_where_built_in_rules_are_off() {
    let workspace = Workspace::of(&[
        (".env", "S"),
        ("a.pem", "-----BEGIN PRIVATE KEY-----\n"),
        ("b.pem", "-----BEGIN CERTIFICATE-----\n"),
    ]);
    let policy = workspace.base().join("policy.toml");
    std::fs::write(&policy, "[builtin]\nenabled = false\n").unwrap();
    let (ok, found) = report(&workspace, &["--policy", policy.to_str().unwrap()]);
    assert!(!ok);
    let in_view = items(&found, "secret-in-view");
    let paths: Vec<&str> = in_view.iter().map(|(path, _)| &**path).collect();
    assert_eq!(paths, [".env", "a.pem"]);
}

#[test]
fn check_tells_a_broken_policy_as_mount_does() {
    let workspace = Workspace::of(&[(".inspectfs.toml", "[[rule]]\npath = 'a['\nhide = true\n")]);
    let checked = command(&workspace, &["check"]);
    let mounted = command(&workspace, &["mount", "../view"]);
    assert_eq!((checked.code(), checked.out()), (Some(1), String::new()));
    assert_eq!(checked.err(), mounted.err());
    assert_eq!(checked.err().lines().count(), 1);
}

#[test]
fn check_tree_is_what_the_mount_lists() {
    let workspace = Workspace::of(&[
        ("a/b.txt", "x"),
        ("a/.env", "x"),
        ("c/d/e", "x"),
        ("node_modules/x/index.js", "x"),
        ("odd\nname", "x"),
        (
            ".inspectfs.toml",
            "[[rule]]\npath = 'node_modules/'\nallow = ['read']\n[[rule]]\npath = 'c/d/'\nallow = ['search']\n",
        ),
    ]);
    let done = command(&workspace, &["check", "--tree", "--json"]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let mut lines: Vec<serde_json::Value> = done
        .out()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.pop().unwrap()["ok"], true);
    let words = command(&workspace, &["check", "--tree"]);
    assert!(
        words.out().starts_with("read,search  .inspectfs.toml\n"),
        "{}",
        words.out()
    );
    assert!(words.out().contains("search  c/d/\n"), "{}", words.out());
    assert!(words.out().contains("  odd\\nname\n"), "{}", words.out());
    let view = View::mount(workspace);
    let mut listed = Vec::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        let Ok(names) = view.all_names(&folder) else {
            continue;
        };
        for name in names {
            let path = std::path::Path::new(&folder).join(name);
            let path = path.to_str().unwrap().to_owned();
            if path == ".inspect.json" {
                continue;
            }
            let mut permissions = view.summary(&path)["permissions"].take();
            permissions
                .as_array_mut()
                .unwrap()
                .retain(|group| group == "read" || group == "search");
            if view.stat(&path).is_dir() {
                open.push(path.clone());
            }
            listed.push((path, permissions));
        }
    }
    listed.sort_by(|one, other| one.0.cmp(&other.0));
    let mut told: Vec<_> = lines
        .into_iter()
        .map(|mut line| {
            line["permissions"]
                .as_array_mut()
                .unwrap()
                .retain(|group| group == "read" || group == "search");
            (
                line["path"].as_str().unwrap().to_owned(),
                line["permissions"].take(),
            )
        })
        .collect();
    told.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(told, listed);
}
