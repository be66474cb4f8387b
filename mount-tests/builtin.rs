//! The built-in rules by name: what is hidden with no policy at all, and who may show it.

use crate::harness::View;
use crate::policy::{reading, tree};
use crate::processes::run;
use crate::workspace::Workspace;
use std::process::Command;

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
    let done = run(crate::processes::inspectfs()
        .arg("mount")
        .arg(workspace.root())
        .arg(&view));
    let leaks = view.join(".env").exists();
    if done.status.success() {
        run(crate::processes::inspectfs().arg("unmount").arg(&view));
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
