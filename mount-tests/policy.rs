//! Rules through the mount: what is visible, listed and readable, and what the built-in rules
//! hide with no policy at all.

use crate::harness::{View, run};
use crate::workspace::Workspace;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

/// A tree with a file at each path.
fn tree(paths: &[&str]) -> Workspace {
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
fn reading(view: &View, rel: &str) -> Option<i32> {
    fs::read(view.path(rel)).err()?.raw_os_error()
}

/// Files that the built-in rules hide.
const HIDDEN: &[&str] = &[
    ".git/config",
    "a/.git/HEAD",
    "b/.GIT/HEAD",
    ".hg/x",
    "sub/.git",
    ".svn/entries",
    ".jj/repo",
    "_trash/x",
    "a/_trash/y",
    ".Trash/x",
    ".Trash-1000/x",
    ".env",
    "a/b/c/.env",
    "up/.ENV",
    ".Env.Local",
    ".env.local",
    ".env.production",
    "prod.env",
    ".envrc",
    ".dev.vars",
    ".dev.vars.x",
    ".flaskenv",
    "id_rsa",
    "a/id_ed25519",
    "id_ecdsa_sk",
    "x.ppk",
    "x.p12",
    "x.PFX",
    "x.jks",
    "x.keystore",
    "x.kdbx",
    "login.keychain-db",
    "x.agekey",
    "secring.gpg",
    ".ssh/config",
    "home/.ssh/known_hosts",
    ".gnupg/x",
    ".aws/credentials",
    ".azure/x",
    ".config/gcloud/x",
    ".kube/config",
    ".password-store/x",
    ".docker/config.json",
    ".dockercfg",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".pypirc",
    ".htpasswd",
    ".s3cfg",
    ".boto",
    ".vault-token",
    ".terraformrc",
    "terraform.rc",
    "credentials",
    "credentials.json",
    "client_secret_1.json",
    "service-account-x.json",
    "service_account.json",
    "my-service-account.json",
    "application_default_credentials.json",
    "kubeconfig",
    "dev.kubeconfig",
    ".cargo/credentials",
    "x/.cargo/credentials.toml",
    ".gem/credentials",
    ".config/gh/hosts.yml",
    ".streamlit/secrets.toml",
    "x.tfstate",
    "x.tfstate.backup",
    "x.auto.tfvars",
    "terraform.tfvars",
    ".vault_pass.txt",
    "config/master.key",
    "deep/config/master.key",
    "config/credentials/production.key",
    "secrets.json",
    "secrets.YAML",
    "secret.toml",
    "x.secret",
    "x.secrets",
    "secrets/prod.yaml",
    "secrets/deep/prod.json",
    ".secrets/token",
    "secrets/noextension",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
];

/// Files that look like them and stay.
const VISIBLE: &[&str] = &[
    ".env.example",
    ".env.sample",
    "a/.env.template",
    ".env.dist",
    ".env.defaults",
    ".env.schema",
    "prod.env.example",
    "example.env",
    "id_rsa.pub",
    "environment",
    "credentials.ts",
    "src/credentials/mod.rs",
    "src/kubeconfig/main.go",
    "secrets.py",
    "auth.rs",
    "keys/a.rs",
    "private/b.py",
    "secrets/loader.py",
    "secrets/index.ts",
    "x.env.ts",
    ".gitignore",
    ".github/workflows/ci.yml",
    ".docker/other.json",
    "config/app.yml",
    "git/config",
    "terraform.tf",
    "secretsmith.json",
    "zone.pub",
    ".inspectfs.toml.bak",
];

#[test]
fn built_in_rules_need_no_policy() {
    let workspace = Workspace::new();
    for path in HIDDEN.iter().chain(VISIBLE) {
        workspace.file(path, "content");
    }
    let view = View::mount(workspace);
    for path in HIDDEN {
        assert!(!view.exists(path), "{path} is visible");
        assert_eq!(reading(&view, path), Some(libc::ENOENT), "{path}");
    }
    for path in VISIBLE {
        assert_eq!(view.read(path), b"content", "{path}");
    }
    let listed = run(Command::new("find")
        .arg(view.root())
        .args(["-type", "f", "-printf", "%P\\n"]));
    let mut listed: Vec<String> = listed.out().lines().map(str::to_owned).collect();
    let mut expected: Vec<String> = VISIBLE.iter().map(|path| (*path).to_owned()).collect();
    expected.push(".inspect.json".to_owned());
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
}

#[test]
fn secrets_are_known_by_their_content() {
    let private = "-----BEGIN PRIVATE KEY-----\nMIIE\n";
    let openssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n";
    let pgp = "-----BEGIN PGP PRIVATE KEY BLOCK-----\n";
    let workspace = Workspace::of(&[
        ("a.pem", private),
        ("b.key", openssh),
        ("c.asc", pgp),
        ("deep/er/d.p8", private),
        (".npmrc", "//registry/:_authToken=abc\n"),
        ("x/.npmrc", "registry=https://user:pass@host/\n"),
        (".yarnrc.yml", "npmAuthToken: x\n"),
        (
            "nuget.config",
            "<add key=\"ClearTextPassword\" value=\"x\"/>",
        ),
        ("pip.conf", "index-url = https://user:pass@host/simple\n"),
        ("gradle.properties", "x_password=1\n"),
        ("cert.pem", "-----BEGIN CERTIFICATE-----\nMIIE\n"),
        ("pub.asc", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"),
        ("y/.npmrc", "save-exact=true\n"),
        ("notes.txt", private),
    ]);
    workspace
        .file(
            "late.pem",
            format!("{}\n{private}", "# comment\n".repeat(2000)),
        )
        .file("raw.key", [7_u8; 32]);
    let view = View::mount(workspace);
    for path in [
        "a.pem",
        "b.key",
        "c.asc",
        "deep/er/d.p8",
        ".npmrc",
        "x/.npmrc",
        ".yarnrc.yml",
        "nuget.config",
        "pip.conf",
        "gradle.properties",
        "late.pem",
        "raw.key",
    ] {
        assert!(!view.exists(path), "{path}");
    }
    assert_eq!(
        view.names(""),
        ["cert.pem", "deep", "notes.txt", "pub.asc", "x", "y"]
    );
    assert_eq!(view.names("y"), [".npmrc"]);
    // A key arrives in a file that was harmless.
    view.workspace().replace("cert.pem", private);
    crate::harness::eventually(
        "the key is hidden",
        std::time::Duration::from_secs(2),
        || {
            let seen = fs::read_to_string(view.path("cert.pem")).unwrap_or_default();
            assert!(!seen.contains("PRIVATE"), "the key was read");
            (!view.exists("cert.pem")).then_some(())
        },
    );
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
fn the_workspaces_own_file_cannot_open_built_ins() {
    let policy = "[[rule]]\npath = \".env\"\nshow = true\n\
                  [[rule]]\npath = \"own/\"\nhide = true\n\
                  [[rule]]\npath = \"own/x\"\nshow = true\n\
                  [builtin]\nshow = [\".env.test\"]\n";
    let workspace = tree(&[".env", ".env.test", "own/x", "own/y", "notes/.env.test"]);
    workspace.file(".inspectfs.toml", policy);
    let view = View::mount(workspace);
    assert!(!view.exists(".env"));
    assert!(view.exists(".env.test") && view.exists("notes/.env.test"));
    assert!(view.exists("own/x") && !view.exists("own/y"));
    assert!(view.log().contains(".env.test"), "what it shows is said");
    drop(view);
    // From outside the same rule works, and the workspace's own file is replaced.
    let workspace = tree(&[".env", ".env.test", "own/y"]);
    workspace.file(".inspectfs.toml", policy);
    let view = View::with_policy(workspace, "[[rule]]\npath = \".env\"\nshow = true\n");
    assert!(view.exists(".env") && view.exists("own/y") && !view.exists(".env.test"));
}

#[test]
fn the_built_ins_can_be_turned_off_from_outside_only() {
    let off = "[builtin]\nenabled = false\n";
    let view = View::with_policy(tree(&[".env", "id_rsa"]), off);
    assert_eq!(view.names(""), [".env", "id_rsa"]);
    drop(view);
    let workspace = tree(&[".env", "id_rsa"]);
    workspace.file(".inspectfs.toml", off);
    let view = workspace.mountpoint();
    let done = run(crate::harness::inspectfs()
        .arg("mount")
        .arg(workspace.root())
        .arg(&view));
    let leaks = view.join(".env").exists();
    if done.status.success() {
        run(crate::harness::inspectfs().arg("unmount").arg(&view));
    }
    crate::harness::detach(&view);
    assert!(
        !leaks,
        "the workspace's own file turned the built-in rules off"
    );
}

#[test]
fn git_is_shown_by_the_command_line() {
    let paths = [
        ".git/HEAD",
        ".git/config",
        ".git/.env",
        "src/.env",
        "sub/.git/HEAD",
    ];
    let view = View::mount_with(tree(&paths), &["--show", ".git"]);
    assert!(view.exists(".git/HEAD") && view.exists(".git/config"));
    assert!(
        !view.exists(".git/.env"),
        "a hide below the shown name stays"
    );
    assert!(!view.exists("src/.env"));
    assert!(view.exists("sub/.git/HEAD"), "a name at any depth");
}

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
        2,
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
        assert_eq!(mapped.unwrap_err().raw_os_error(), Some(libc::EACCES));
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
fn ignore_files_hide_and_never_show() {
    let workspace = tree(&[
        "a.log",
        "keep.log",
        "d/b.log",
        "d/local",
        "d/e/local",
        "build/x",
        "only/x",
        "only/y",
        ".env",
        "d/.env",
    ]);
    workspace
        .file(
            ".agentignore",
            "# comment\n*.log\n!keep.log\n/build/\n!.env\n",
        )
        .file("d/.agentignore", "!*\n/local\n!.env\n!b.log\n")
        .file("only/.agentignore", "*\n!y\n")
        .file("d/.cursorignore", "e/\n");
    let view = View::mount(workspace);
    let visible = [
        "keep.log",
        "d/e/local",
        "only/y",
        "d/.agentignore",
        ".agentignore",
    ];
    let hidden = [
        "a.log", "d/b.log", "d/local", "build", "build/x", "only/x", ".env", "d/.env",
    ];
    for path in visible {
        assert!(view.exists(path), "{path}");
    }
    for path in hidden {
        assert!(!view.exists(path), "{path}");
    }
    drop(view);
    let workspace = tree(&["a", "b", "c"]);
    workspace
        .file(".cursorignore", "a\n")
        .file(".agentignore", "b\n");
    let policy = "[ignore_files]\nnames = [\".cursorignore\"]\n";
    let view = View::with_policy(workspace, policy);
    assert!(!view.exists("a") && view.exists("b") && view.exists("c"));
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

#[test]
fn limits_cap_reading_and_listing() {
    let workspace = Workspace::of(&[("small", "x"), ("large.py", "x = 1\n")]);
    for index in 0..50 {
        workspace.file(format!("many/f{index:02}"), "");
    }
    let policy = "[limits]\nmax_file_bytes = 5\nmax_list_entries = 20\n";
    let view = View::with_policy(workspace, policy);
    assert_eq!(reading(&view, "small"), None);
    assert_eq!(reading(&view, "large.py"), Some(libc::EFBIG));
    assert_eq!(view.summary("large.py")["size_bytes"], 6);
    let names = view.names("many");
    assert_eq!(names.len(), 20);
    assert_eq!(names[19], "f19");
    assert!(view.exists("many/f45"));
    assert!(view.summary("many").get("listed").is_some());
}
