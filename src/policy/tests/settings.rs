//! Settings that are no rules: symbolic links, special files, hard links, and the whole.

use super::*;

fn outside(policy: &Policy, path: &str) -> bool {
    policy.symlinks().outside_allowed(path.as_bytes())
}

#[test]
fn links_may_lead_to_tool_chains_by_default() {
    let mut setup = Setup::default();
    setup.0.home = Some("/home/me".into());
    let policy = setup.build();
    assert_eq!(policy.symlinks().mode(), SymlinkMode::Inside);
    for path in [
        "/usr",
        "/usr/",
        "/usr/bin/python3",
        "/bin/sh",
        "/lib/x",
        "/lib64/x",
        "/opt/x",
        "/nix/store/a",
        "/etc/alternatives/java",
        "/dev/null",
        "/home/me/.local/share/uv/python/x",
        "/home/me/.pyenv/x",
        "/home/me/.rustup/x",
        "/home/me/.nvm/x",
    ] {
        assert!(outside(&policy, path), "{path}");
    }
    for path in [
        "/",
        "",
        "usr/bin",
        "/usr2/x",
        "/etc/passwd",
        "/etc/alternatives2",
        "/dev/null/x",
        "/dev/zero",
        "/home/me/.ssh/id_rsa",
        "/home/me",
        "/home/you/.nvm/x",
        "/usr/../etc/passwd",
        "/usr//bin",
        "/usr/./bin",
        "//usr/bin",
        "~/.nvm/x",
    ] {
        assert!(!outside(&policy, path), "{path}");
    }
    let homeless = Setup::default().build();
    assert!(!outside(&homeless, "/.nvm/x") && outside(&homeless, "/usr/bin"));
}

#[test]
fn a_list_replaces_the_default_and_two_must_agree() {
    let list = |paths: &str| format!("[symlinks]\nallow_outside = [{paths}]");
    let policy = Setup::workspace(&list("'/srv/', '/etc/hosts', '~/x/'")).build();
    assert!(outside(&policy, "/srv/a") && outside(&policy, "/etc/hosts"));
    assert!(!outside(&policy, "/usr/bin") && !outside(&policy, "/etc/hosts/x"));
    assert!(!outside(&policy, "/x/a"));
    let both = Setup::workspace(&list("'/srv/', '/home/'")).user(&list("'/srv/a/', '/usr/'"));
    let policy = both.build();
    assert!(outside(&policy, "/srv/a/b"));
    assert!(!outside(&policy, "/srv/b") && !outside(&policy, "/usr/b"));
    assert!(!outside(&Setup::workspace(&list("")).build(), "/usr/bin"));
}

#[test]
fn the_strictest_source_settles_a_setting() {
    let policy = Setup::default().build();
    assert_eq!(
        (policy.special(), policy.hardlinks()),
        (Special::Strip, Hardlinks::Check)
    );
    let policy = Setup::workspace("special = 'pass'\nhardlinks = 'allow'").build();
    assert_eq!(
        (policy.special(), policy.hardlinks()),
        (Special::Pass, Hardlinks::Allow)
    );
    let policy =
        Setup::workspace("special = 'pass'\nhardlinks = 'allow'\nsymlinks.mode = 'inside'")
            .user("special = 'strip'\nhardlinks = 'deny'\nsymlinks.mode = 'deny'")
            .build();
    assert_eq!(
        (policy.special(), policy.hardlinks()),
        (Special::Strip, Hardlinks::Deny)
    );
    assert_eq!(policy.symlinks().mode(), SymlinkMode::Deny);
}

#[test]
fn only_a_policy_that_can_hide_nothing_says_so() {
    let off = || Setup::default().user("builtin.enabled = false\nignore_files.names = []");
    assert!(off().build().hides_nothing());
    assert!(off().deny("mutate-content:**").build().hides_nothing());
    assert!(
        off()
            .and_workspace("default = ['search']")
            .build()
            .hides_nothing()
    );
    for setup in [
        Setup::default(),
        // A file that hides could appear at any time.
        Setup::default().user("builtin.enabled = false"),
        off().hide("a"),
        off().deny("search:a"),
        off().and_workspace("default = ['read']"),
        off().and_workspace("[[rule]]\npath = 'a'\nallow = ['read']"),
        off().and_workspace("[[rule]]\npath = 'a'\nhide = true"),
    ] {
        assert!(!setup.build().hides_nothing());
    }
}

#[test]
fn deep_paths_and_huge_policies_stay_cheap() {
    let deep = vec!["a"; 2000].join("/");
    let rule = |number| format!("[[rule]]\npath = 'zone{number}/**/x'\nhide = true\n");
    let many = (0..9_000).map(rule).collect::<Vec<_>>().concat();
    let policy = Setup::workspace(&many).hide("**/a/**/a/**/a/b").build();
    visible!(policy, &deep);
    hidden!(policy, &format!("{deep}/b"), "zone8999/x");
    let more = format!("{many}{many}");
    let fault = Setup::workspace(&more).fault();
    assert_eq!(
        fault,
        ".inspectfs.toml:30001: more than 10000 rules in one file"
    );
}

#[test]
fn of_several_limits_the_tightest_holds() {
    assert_eq!(Setup::default().build().limits(), Limits::default());
    let policy = Setup::workspace("limits.max_file_bytes = 5\nlimits.max_list_entries = 0")
        .user("limits.max_file_bytes = 7\nlimits.max_list_entries = 9")
        .build();
    let limits = policy.limits();
    assert_eq!(limits.max_file_bytes, Some(5));
    assert_eq!(limits.max_list_entries, Some(0));
}
