//! Every row of the built-in table: a path it decides, and a near one that it leaves alone.

use std::collections::BTreeSet;

use super::super::builtin::{FAMILIES, fold, is_environment_sample};
use super::super::pattern::Pattern;
use super::*;

/// Pattern, a path that it hides, one like it that stays visible.
const HIDES: &[(&str, &str, &str)] = &[
    (".git", ".GIT/config", ".github/x"),
    (".hg", "a/.hg", ".hgignore"),
    (".svn", ".svn/", ".svnx/"),
    (".jj", "b/.jj/repo", "jj"),
    ("_trash/", "sub/_trash/x", "_trash"),
    (".trash/", ".Trash/", ".Trash"),
    (".trash-*/", ".Trash-1000/f", ".Trash1000/"),
    (".env", "a/b/.Env", ".env/"),
    (".env.*", ".env.local", ".environment"),
    ("*.env", "prod.env", "env"),
    (".envrc", "x/.envrc", "envrc"),
    (".dev.vars", ".dev.vars", "dev.vars"),
    (".dev.vars.*", ".dev.vars.prod", ".dev.varsx"),
    (".flaskenv", ".flaskenv", "flaskenv"),
    ("id_rsa", "home/id_rsa", "id_rsa.pub"),
    ("id_dsa", "id_dsa", "id_dsa.pub"),
    ("id_ecdsa", "id_ecdsa", "id_ecdsa.pub"),
    ("id_ecdsa_sk", "id_ecdsa_sk", "id_ecdsa_sk.pub"),
    ("id_ed25519", "ID_ED25519", "id_ed25519.pub"),
    ("id_ed25519_sk", "id_ed25519_sk", "id_ed25519_sk.pub"),
    ("*.ppk", "k.PPK", "ppk"),
    ("*.p12", "a/b/c/k.p12", "p12.rs"),
    ("*.pfx", "k.pfx", "k.pfx/"),
    ("*.jks", "k.jks", "jks"),
    ("*.keystore", "debug.keystore", "keystore.rs"),
    ("*.kdbx", "p.kdbx", "kdbx.py"),
    ("*.keychain", "l.keychain", "keychain"),
    ("*.keychain-db", "l.keychain-db", "keychain-db.c"),
    ("*.agekey", "k.agekey", "agekey"),
    ("secring.*", "secring.gpg", "secring"),
    (".ssh/", "x/.ssh/known_hosts", "ssh/"),
    (".gnupg/", ".gnupg/", ".gnupg"),
    (".aws/", ".aws/config", "aws/config"),
    (".azure/", ".azure/x", "azure/x"),
    (".gcloud/", ".gcloud/x", "gcloud/x"),
    (".config/gcloud/", "a/.config/gcloud/x", ".config/other/x"),
    (".kube/", ".kube/config", "kube/config"),
    (
        ".password-store/",
        ".password-store/a.gpg",
        "password-store/a",
    ),
    (
        ".docker/config.json",
        "a/b/.docker/config.json",
        ".docker/daemon.json",
    ),
    (".dockercfg", ".dockercfg", ".dockerignore"),
    (".netrc", ".netrc", "netrc"),
    ("_netrc", "_netrc", "_netrc/"),
    (".git-credentials", ".git-credentials", ".gitignore"),
    (".pgpass", ".pgpass", "pgpass"),
    (".my.cnf", ".my.cnf", "my.cnf"),
    (".mylogin.cnf", ".mylogin.cnf", "mylogin.cnf"),
    (".pypirc", ".pypirc", "pypirc"),
    (".htpasswd", ".htpasswd", ".htaccess"),
    (".s3cfg", ".s3cfg", "s3cfg"),
    (".boto", ".boto", "boto"),
    (".vault-token", ".vault-token", "vault-token"),
    (".terraformrc", ".terraformrc", "terraformrc"),
    ("terraform.rc", "terraform.rc", "terraform.rs"),
    ("credentials", "deep/er/credentials", "credentials/"),
    ("credentials.json", "credentials.json", "credentials.ts"),
    (
        "client_secret*.json",
        "client_secret_1.json",
        "client_secret.py",
    ),
    (
        "service-account*.json",
        "service-account-x.json",
        "service-account.md",
    ),
    (
        "service_account*.json",
        "service_account.json",
        "service_account.py",
    ),
    (
        "*-service-account.json",
        "prod-service-account.json",
        "prod-service-account.go",
    ),
    (
        "application_default_credentials.json",
        "application_default_credentials.json",
        "application_default.json",
    ),
    ("kubeconfig", "kubeconfig", "kubeconfig/"),
    ("*.kubeconfig", "prod.kubeconfig", "kubeconfig.go"),
    (
        ".cargo/credentials",
        "x/.cargo/credentials",
        ".cargo/config",
    ),
    (
        ".cargo/credentials.toml",
        ".cargo/credentials.toml",
        ".cargo/config.toml",
    ),
    (".gem/credentials", ".gem/credentials", ".gem/specs"),
    (
        ".config/gh/hosts.yml",
        ".config/gh/hosts.yml",
        ".config/gh/config.yml",
    ),
    (
        ".streamlit/secrets.toml",
        ".streamlit/secrets.toml",
        ".streamlit/config.toml",
    ),
    (
        "http-client.private.env.json",
        "http-client.private.env.json",
        "http-client.env.json",
    ),
    ("*.tfstate", "terraform.tfstate", "tfstate.go"),
    (
        "*.tfstate.*",
        "terraform.tfstate.backup",
        "terraform.tfstatex",
    ),
    ("*.auto.tfvars", "prod.auto.tfvars", "variables.tf"),
    ("terraform.tfvars", "terraform.tfvars", "example.tfvars"),
    (".vault_pass*", ".vault_pass.txt", "vault_pass.txt"),
    (
        "config/master.key",
        "app/config/master.key",
        "config/routes.rb",
    ),
    (
        "config/credentials/*.key",
        "config/credentials/p.key",
        "config/credentials/p.yml.enc",
    ),
    ("secrets.json", "secrets.json", "secrets.rs"),
    ("secrets.yml", "secrets.yml", "secrets.py"),
    ("secrets.yaml", "k8s/secrets.yaml", "k8s/secrets.yaml.md"),
    ("secrets.toml", "secrets.toml", "secrets.ts"),
    ("secrets.ini", "secrets.ini", "secrets.go"),
    ("secret.json", "secret.json", "secret.js"),
    ("secret.yml", "secret.yml", "secret.rb"),
    ("secret.yaml", "secret.yaml", "secretary.yaml"),
    ("secret.toml", "secret.toml", "secret.c"),
    ("*.secret", "db.secret", "secret"),
    ("*.secrets", "db.secrets", "secrets.md"),
    ("secrets/**/*.json", "secrets/db.json", "secrets/db.ts"),
    (
        "secrets/**/*.yml",
        "a/secrets/prod/db.yml",
        "a/secrets/prod/",
    ),
    ("secrets/**/*.yaml", "SECRETS/db.yaml", "secrets/"),
    ("secrets/**/*.toml", "secrets/db.toml", "db.toml"),
    ("secrets/**/*.ini", "secrets/db.ini", "secretsx/db.ini"),
    ("secrets/**/*.env", "secrets/example.env", "secrets/env.go"),
    ("secrets/**/*.txt", "secrets/db.txt", "secrets/db.md"),
    ("secrets/**/*.pem", "secrets/db.pem", "ca/db.pem"),
    ("secrets/**/*.key", "secrets/db.KEY", "secrets/key.rs"),
    ("secrets/**/*.enc", "secrets/db.enc", "secrets/enc.py"),
    (
        "secrets/**/(no extension)",
        "secrets/password",
        "secrets/x.d/",
    ),
    (".secrets/**/*.json", ".secrets/db.json", ".secrets/db.ts"),
    (".secrets/**/*.yml", ".secrets/db.yml", ".secrets/"),
    (".secrets/**/*.yaml", ".secrets/db.yaml", ".secrets/db.go"),
    (".secrets/**/*.toml", ".secrets/db.toml", ".secrets/db.rs"),
    (".secrets/**/*.ini", ".secrets/db.ini", ".secrets/db.py"),
    (
        ".secrets/**/*.env",
        ".secrets/example.env",
        ".secrets/db.js",
    ),
    (".secrets/**/*.txt", ".secrets/db.txt", ".secrets/db.rb"),
    (".secrets/**/*.pem", ".secrets/db.pem", ".secrets/db.c"),
    (".secrets/**/*.key", ".secrets/db.key", ".secrets/db.h"),
    (".secrets/**/*.enc", ".secrets/db.enc", ".secrets/db.sh"),
    (
        ".secrets/**/(no extension)",
        ".secrets/.token",
        ".secrets/token.go",
    ),
    (".bash_history", ".bash_history", ".bashrc"),
    (".zsh_history", ".zsh_history", ".zshrc"),
    (".psql_history", ".psql_history", ".psqlrc"),
    (".python_history", ".python_history", ".python-version"),
    (".node_repl_history", ".node_repl_history", ".node-version"),
];

/// Pattern, a path that it makes immutable, one like it that it leaves alone.
const GUARDS: &[(&str, &str, &str)] = &[
    (".inspectfs.toml", "a/b/.inspectfs.toml", "inspectfs.toml"),
    (".agentignore", "a/.agentignore", "agentignore"),
    ("/.gitmodules", ".gitmodules", "a/.gitmodules"),
    ("/.vscode/", ".vscode/tasks.json", "a/.vscode/tasks.json"),
    ("/.idea/", ".idea/", "a/.idea/"),
    ("/.claude/", ".claude", "a/.claude/x"),
    ("/.cursor/", ".cursor/rules/x", "cursor/x"),
    ("/.codex/", ".codex/x", "a/.codex/x"),
    ("/.agents/", ".agents/x", "a/.agents/x"),
    ("/.mcp.json", ".mcp.json", "a/.mcp.json"),
    (
        "/.github/workflows/",
        ".github/workflows/ci.yml",
        "a/.github/workflows/ci.yml",
    ),
    ("/.github", ".github", ".github/"),
    ("/.husky/", ".husky/pre-commit", "vendor/.husky/pre-commit"),
    (
        "/.pre-commit-config.yaml",
        ".pre-commit-config.yaml",
        "a/.pre-commit-config.yaml",
    ),
];

const OLD_REPOSITORY: &[(&str, &str, &str)] = &[
    (
        ".git/hooks/",
        "sub/.git/hooks/pre-commit",
        ".git/info/exclude",
    ),
    (".git/config", ".git/config", ".git/config.lock"),
];

/// Pattern, a path whose content it asks about, one like it that it does not.
const BY_CONTENT: &[(&str, &str, &str)] = &[
    ("*.pem", "certs/Server.PEM", "certs.pem/"),
    ("*.p8", "AuthKey.p8", "p8"),
    ("*.asc", "d/release.asc", "release.ascii"),
    ("*.key", "d/tls.key", "tls.key.pub"),
    (".npmrc", "pkg/.npmrc", "npmrc"),
    (".yarnrc.yml", ".yarnrc.yml", ".yarnrc"),
    ("nuget.config", "src/NuGet.Config", "web.config"),
    ("pip.conf", "pip.conf", "pip.config"),
    (
        "gradle.properties",
        "app/gradle.properties",
        "local.properties",
    ),
];

#[test]
fn every_row_has_a_sample_and_no_sample_lacks_its_row() {
    let rows: Vec<&str> = FAMILIES
        .iter()
        .flat_map(|family| family.patterns)
        .copied()
        .collect();
    let samples = [HIDES, BY_CONTENT, GUARDS, OLD_REPOSITORY].concat();
    let shown_rows: BTreeSet<&str> = samples.iter().map(|(pattern, ..)| *pattern).collect();
    assert_eq!(rows.iter().copied().collect::<BTreeSet<_>>(), shown_rows);
    assert_eq!(rows.len(), shown_rows.len(), "a row is there twice");
    for row in rows {
        assert_eq!(
            row,
            row.to_lowercase(),
            "names are folded before they meet a row"
        );
        Pattern::parse(row).expect("every row is a pattern");
    }
}

#[test]
fn some_names_are_hidden_by_their_content() {
    let asked = |policy: &Policy, path: &str| {
        let (path, kind) = split(path);
        policy.decide(&path, kind).content().is_some()
    };
    let policy = Setup::default().build();
    for (pattern, path, other) in BY_CONTENT {
        gives!(policy, path => "all", other => "all");
        assert!(asked(&policy, path) && !asked(&policy, other), "{pattern}");
        let (path, kind) = split(path);
        let explained = policy.explain(&path, kind, |_| Vec::new()).visibility;
        assert_eq!(explained.by_content.unwrap().pattern, *pattern);
    }
    // Shows undo them as other built-ins.
    let show = "[[rule]]\npath = 'x/a.pem'\nshow = true";
    for (policy, a, b) in [
        (Setup::default().show("a.pem").build(), true, true),
        (Setup::default().policy_file(show).build(), true, false),
        (Setup::default().user(show).build(), true, false),
        (
            Setup::workspace("builtin.show = ['a.pem']").build(),
            true,
            true,
        ),
        (
            Setup::default().user("builtin.enabled = false").build(),
            true,
            true,
        ),
        (Setup::workspace(show).build(), false, false),
        (Setup::default().show("x/").build(), false, false),
    ] {
        assert_eq!(asked(&policy, "x/a.pem"), !a);
        assert_eq!(asked(&policy, "a.pem"), !b);
    }
    let policy = Setup::default().hide("*.pem").build();
    hidden!(policy, "a.pem");
    let policy = Setup::default().deny("read:*.pem").build();
    assert!(asked(&policy, "a.pem"), "listed only if it is no key");
}

#[test]
fn hides_with_no_policy_at_all() {
    let policy = Setup::default().build();
    for (pattern, hidden, visible) in HIDES {
        hidden!(policy, hidden);
        visible!(policy, visible);
        // The sample is this row's, not another's: hidden samples are so by the row named.
        let (path, kind) = split(hidden);
        let ruling = policy
            .explain(&path, kind, |_| Vec::new())
            .visibility
            .rule
            .unwrap();
        assert_eq!(ruling.source, "built-in");
        assert_eq!(ruling.pattern, *pattern, "{hidden}");
    }
}

#[test]
fn source_samples_and_public_parts_stay() {
    let policy = Setup::default().build();
    for path in [
        ".env.example",
        "a/.env.sample",
        ".env.template",
        ".env.dist",
        ".env.defaults",
        ".env.schema",
        ".ENV.Example",
        "prod.env.example",
        "example.env",
        "credentials.ts",
        "secrets.py",
        "auth.rs",
        "keys/",
        "keys/a.rs",
        "private/",
        "private/x",
        "credentials/",
        "credentials/mod.rs",
        "kubeconfig/",
        "kubeconfig/load.go",
        "id_rsa.pub",
        "ca-bundle.crt",
        "secrets/",
        "secrets/mod.rs",
        ".secrets/lib.ts",
        "server.pem",
        "x.key",
        ".npmrc",
        ".cargo/",
        ".config/",
        ".docker/",
        "config/",
        ".env.d/",
        "a.env/",
        ".git2",
        "trash/",
    ] {
        gives!(policy, path => "all");
    }
    for path in [
        ".env.examples",
        ".env.prod.sample",
        "prod.env.sample.env",
        "x.example.env",
    ] {
        hidden!(policy, path);
    }
    assert!(!is_environment_sample(b"example.env.local"));
}

#[test]
fn immutable_is_visible_and_readable() {
    let policy = Setup::default().build();
    for (_, guarded, free) in GUARDS {
        gives!(policy, guarded => "read search", free => "all");
    }
    gives!(policy, ".github/" => "all", ".github/dependabot.yml" => "all");
    gives!(policy, "node_modules/x/.husky/" => "all", ".VSCode/" => "read search");
}

#[test]
fn an_old_repository_keeps_its_hooks_and_configuration() {
    let policy = Setup::default().show(".git").build();
    for (_, guarded, free) in OLD_REPOSITORY {
        let decision = decide(&policy, guarded);
        assert_eq!(decision.groups(), Groups::all(), "{guarded}");
        assert_eq!(decision.guarded(), Groups::MUTATE, "{guarded}");
        assert_eq!(decide(&policy, free).guarded(), Groups::empty(), "{free}");
    }
    let guarded = decide(&policy, ".git/config");
    let free = decide(&policy, ".git/index");
    assert!(guarded.gains_by(free) && !free.gains_by(guarded));
    assert_ne!(guarded.class(), free.class());
}

#[test]
fn names_fold_as_a_case_insensitive_tree_folds_them() {
    for (name, folded) in [
        (".GIT", ".git"),
        (".\u{17f}\u{17f}h", ".ssh"),
        (".\u{212a}ube", ".kube"),
        ("\u{c4}B", "\u{c4}b"),
    ] {
        assert_eq!(&*fold(name.as_bytes()), folded.as_bytes(), "{name}");
    }
    assert_eq!(&*fold(b"\xffA\xc5"), b"\xffa\xc5");
    hidden!(
        Setup::default().build(),
        ".\u{17f}\u{17f}h/x",
        ".\u{212a}UBE/config"
    );
}

#[test]
fn turned_off_only_from_outside_and_all_but_what_steers() {
    let off = "builtin.enabled = false";
    for policy in [
        Setup::default().user(off).build(),
        Setup::default().policy_file(off).build(),
    ] {
        for (_, path, _) in HIDES {
            gives!(policy, path => "all");
        }
        gives!(policy, ".git/hooks/x" => "all", ".vscode/x" => "all");
        gives!(policy, ".inspectfs.toml" => "read search", "a/.agentignore" => "read search");
    }
    let on = Setup::default()
        .user("builtin.enabled = true")
        .policy_file(off);
    hidden!(on.build(), ".env");
    let fault = Setup::workspace("\n[builtin]\nenabled = false").fault();
    assert_eq!(
        fault,
        ".inspectfs.toml:3: 'enabled' is taken only from --policy or the user configuration"
    );
}
