//! Several sources: each decided alone, and none gives what another refuses.

use super::*;

const WIDEN: &str = "[[rule]]\npath = 'zone/**'\nallow = ['read', 'search', 'mutate-content', 'mutate-structure']\n\
    [[rule]]\npath = '/zone/very/long/name'\nallow = ['read', 'search', 'mutate-content', 'mutate-structure']\n";

#[test]
fn the_workspace_cannot_widen_what_an_outside_source_refuses() {
    let flag = Setup::workspace(WIDEN).deny("mutate-content:zone/");
    let user = Setup::workspace(WIDEN).user("[[rule]]\npath = 'zone/'\ndeny = ['mutate-content']");
    let list = Setup::workspace(WIDEN)
        .user("[[rule]]\npath = 'zone/'\nallow = ['read', 'search', 'mutate-structure']");
    for policy in [flag.build(), user.build(), list.build()] {
        gives!(
            policy,
            "zone/x" => "read search mutate-structure",
            "zone/very/long/name" => "read search mutate-structure",
            "other" => "all",
        );
    }
}

#[test]
fn an_outside_source_cannot_widen_the_workspace_either() {
    let policy = Setup::workspace("default = ['read', 'search']")
        .user("[[rule]]\npath = '**'\nallow = ['read', 'search', 'mutate-content']")
        .build();
    gives!(policy, "a" => "read search", "./" => "read search");
    let policy = Setup::workspace("default = 'deny'")
        .user("[[rule]]\npath = 'a'\nallow = ['read']")
        .build();
    gives!(policy, "a" => "-");
}

#[test]
fn a_policy_file_replaces_the_workspaces_own() {
    let setup =
        Setup::workspace("this is = not [toml").policy_file("[[rule]]\npath = 'a'\nhide = true");
    hidden!(setup.build(), "a");
    let setup = Setup::workspace("[[rule]]\npath = 'a'\nhide = true").policy_file("");
    visible!(setup.build(), "a");
}

#[test]
fn a_default_belongs_to_the_policy_file() {
    assert_eq!(
        Setup::default().user("\ndefault = 'deny'").fault(),
        "~/.config/inspectfs/policy.toml:2: 'default' belongs to the policy file, not to the user configuration"
    );
}

#[test]
fn which_show_undoes_which_hide() {
    const HIDE: &str = "[[rule]]\npath = 'x'\nhide = true";
    const SHOW: &str = "[[rule]]\npath = 'x'\nshow = true";
    let rows: [(&str, Setup, bool); 12] = [
        (
            "own, own",
            Setup::workspace(&format!("{HIDE}\n{SHOW}")),
            true,
        ),
        ("user, own", Setup::workspace(SHOW).user(HIDE), false),
        ("flag, own", Setup::workspace(SHOW).hide("x"), false),
        ("own, user", Setup::workspace(HIDE).user(SHOW), true),
        (
            "policy, user",
            Setup::default().policy_file(HIDE).user(SHOW),
            true,
        ),
        (
            "user, policy",
            Setup::default().policy_file(SHOW).user(HIDE),
            true,
        ),
        (
            "flag, policy",
            Setup::default().policy_file(SHOW).hide("x"),
            false,
        ),
        ("flag, user", Setup::default().user(SHOW).hide("x"), false),
        ("own, flag", Setup::workspace(HIDE).show("x"), true),
        ("user, flag", Setup::default().user(HIDE).show("x"), true),
        ("flag, flag", Setup::default().hide("x").show("x"), true),
        (
            "flag twice, flag",
            Setup::default().hide("x").hide("x").show("x"),
            true,
        ),
    ];
    for (name, setup, shown) in rows {
        assert_eq!(
            decide(&setup.build(), "a/x").exists(),
            shown,
            "hide, show: {name}"
        );
    }
}

#[test]
fn which_show_undoes_a_built_in_hide() {
    let rule = |name: &str| format!("[[rule]]\npath = '{name}'\nshow = true");
    let list = |name: &str| format!("[builtin]\nshow = ['{name}']");
    for name in [".env.test", "id_rsa"] {
        for setup in [
            Setup::default().show(name),
            Setup::default().policy_file(&rule(name)),
            Setup::default().user(&rule(name)),
            Setup::workspace(&list(name)),
            Setup::default().policy_file(&list(name)),
            Setup::default().user(&list(name)),
        ] {
            visible!(setup.build(), name, &format!("a/{name}"));
            hidden!(setup.build(), ".env", ".git/", &format!(".ssh/{name}"));
        }
        hidden!(Setup::workspace(&rule(name)).build(), name);
    }
    for name in [
        ".git",
        ".GIT",
        "_trash",
        ".Trash-7",
        "_trash/a",
        "a/.git/config",
    ] {
        for setup in [
            Setup::workspace(&list(name)),
            Setup::default().policy_file(&list(name)),
        ] {
            let fault = setup.fault();
            assert!(fault.contains("never reaches .git or a trash"), "{fault}");
        }
        hidden!(Setup::workspace(&rule(name)).build(), ".git/", "_trash/");
    }
    visible!(
        Setup::default().policy_file(&rule(".git")).build(),
        ".git/",
        ".git/HEAD"
    );
    visible!(Setup::default().show(".git").build(), ".git/", ".git/HEAD");
}

#[test]
fn the_built_in_list_undoes_built_in_hides_only() {
    let both = Setup::workspace(
        "[[rule]]\npath = '.env'\nhide = true\n[builtin]\nshow = ['.env', '.aws/config', 'lone']",
    );
    let policy = both.build();
    hidden!(policy, ".env", "a/.env");
    gives!(policy, ".aws/" => "way search", ".aws/config" => "all", ".aws/x" => "-");
    assert_eq!(policy.shown_by_workspace(), [".env", ".aws/config", "lone"]);
    let outside = Setup::default()
        .policy_file("[builtin]\nshow = ['.env']")
        .build();
    assert_eq!(outside.shown_by_workspace(), [""; 0]);
    hidden!(
        Setup::workspace("[builtin]\nshow = ['.env']")
            .hide("*.env")
            .build(),
        ".env"
    );
}

#[test]
fn immutability_yields_only_to_an_outside_rule_that_names_the_path() {
    let allow = |path: &str, groups: &str| {
        format!("[[rule]]\npath = '{path}'\nallow = ['read', 'search', {groups}]")
    };
    let both = "'mutate-content', 'mutate-structure'";
    let outside = |path: &str| Setup::default().policy_file(&allow(path, both)).build();
    for (rule, path, expected) in [
        (".vscode/", ".vscode/tasks.json", "all"),
        (".vscode/**", ".vscode/tasks.json", "all"),
        (".vscode/tasks.json", ".vscode/tasks.json", "all"),
        (".vscode/tasks.json", ".vscode/launch.json", "read search"),
        (".vscode/tasks.json", ".vscode/", "read search"),
        ("**", ".vscode/tasks.json", "read search"),
        (".vscode/*", ".vscode/tasks.json", "read search"),
        (".vsc*/", ".vscode/tasks.json", "read search"),
        (".github/", ".github/workflows/ci.yml", "read search"),
        (".github/workflows/", ".github/workflows/ci.yml", "all"),
        (".mcp.json", ".mcp.json", "all"),
        (".inspectfs.toml", "a/.inspectfs.toml", "all"),
        ("/.inspectfs.toml", "a/.inspectfs.toml", "read search"),
        (".vscode/", ".vscode/.agentignore", "read search"),
    ] {
        assert_eq!(outcome(&outside(rule), path), expected, "{rule} {path}");
    }
    let own = Setup::workspace(&allow(".vscode/", both)).build();
    gives!(own, ".vscode/tasks.json" => "read search");
    let user = Setup::default()
        .user(&allow(".vscode/", "'mutate-content'"))
        .build();
    gives!(user, ".vscode/tasks.json" => "read search mutate-content");
    // A refusal of any source stays a refusal.
    let refused = Setup::default()
        .user(&allow(".vscode/", both))
        .deny("mutate-content:.vscode/");
    gives!(refused.build(), ".vscode/tasks.json" => "read search mutate-structure");
    let git = Setup::default()
        .show(".git")
        .user(&allow(".git/hooks/", "'mutate-content'"))
        .build();
    assert_eq!(decide(&git, ".git/hooks/x").guarded(), Groups::empty());
    assert_eq!(decide(&git, ".git/config").guarded(), Groups::MUTATE);
}
