//! Explanations name the rule that decided.

use super::*;

fn explain(policy: &Policy, path: &str) -> Explanation {
    let (path, kind) = split(path);
    policy.explain(&path, kind, |_| Vec::new())
}

/// Source and pattern of the rule that decides a group.
fn deciding(policy: &Policy, path: &str, group: Group) -> Option<(String, String)> {
    let explained = explain(policy, path);
    let ruling = explained
        .groups
        .into_iter()
        .find(|ruling| ruling.group == group)?;
    ruling.rule.map(|rule| (rule.source, rule.pattern))
}

fn pair(source: &str, pattern: &str) -> (String, String) {
    (source.to_owned(), pattern.to_owned())
}

#[test]
fn names_the_hide_and_where_it_holds() {
    let policy = Setup::workspace(
        "[[rule]]\npath = 'private/**'\nhide = true\nreason = 'personal'\nalternative = 'ask'",
    )
    .hide("tmp")
    .build();
    for (path, at, source, pattern, reason) in [
        (
            "a/.env",
            "a/.env",
            "built-in",
            ".env",
            Some("environment file"),
        ),
        (
            ".git/x/y",
            ".git",
            "built-in",
            ".git",
            Some("version control data"),
        ),
        (
            "private/x/y",
            "private",
            ".inspectfs.toml:1",
            "private/**",
            Some("personal"),
        ),
        ("b/tmp", "b/tmp", "--hide tmp", "tmp", None),
    ] {
        let explained = explain(&policy, path);
        let rule = explained.visibility.rule.unwrap();
        assert!(!explained.exists && !explained.visibility.visible);
        assert_eq!(explained.decided_at, at);
        assert_eq!((&*rule.source, &*rule.pattern), (source, pattern));
        assert_eq!(rule.reason.as_deref(), reason);
    }
    let rule = explain(&policy, "private/").visibility.rule.unwrap();
    assert_eq!(rule.alternative.as_deref(), Some("ask"));
}

#[test]
fn names_the_show_that_undid_a_hide_also_below() {
    let policy = Setup::default().show(".git").build();
    for path in [".git/", ".git/HEAD", ".git/a/b"] {
        let explained = explain(&policy, path);
        let rule = explained.visibility.rule.unwrap();
        assert!(explained.exists && explained.visibility.visible);
        assert_eq!((&*rule.source, &*rule.pattern), ("--show .git", ".git"));
    }
    assert_eq!(explain(&policy, "a").visibility.rule, None);
}

#[test]
fn names_the_rule_of_each_group() {
    let policy = Setup::workspace(
        "default = ['read', 'search', 'mutate-content']\n\
         [[rule]]\npath = 'docs/**'\nallow = ['read', 'search', 'mutate-content', 'mutate-structure']\n\
         [[rule]]\npath = 'docs/old/**'\ndeny = ['mutate-content']\nreason = 'done'\n",
    )
    .user("\n[[rule]]\npath = 'docs/old/**'\nallow = ['read', 'search']")
    .deny("read:docs/x")
    .build();
    let user = "~/.config/inspectfs/policy.toml:2";
    for (path, group, expected) in [
        ("docs/a", Group::Read, pair(".inspectfs.toml:2", "docs/**")),
        (
            "docs/a",
            Group::MutateStructure,
            pair(".inspectfs.toml:2", "docs/**"),
        ),
        (
            "docs/old/a",
            Group::MutateContent,
            pair(user, "docs/old/**"),
        ),
        (
            "docs/old/a",
            Group::MutateStructure,
            pair(user, "docs/old/**"),
        ),
        ("docs/x", Group::Read, pair("--deny read:docs/x", "docs/x")),
        (
            "b",
            Group::MutateStructure,
            pair(".inspectfs.toml:1", "default"),
        ),
        ("b", Group::Read, pair(".inspectfs.toml:1", "default")),
        (
            ".vscode/x",
            Group::MutateContent,
            pair("built-in", "/.vscode/"),
        ),
        (
            "./",
            Group::MutateStructure,
            pair(".inspectfs.toml:1", "default"),
        ),
    ] {
        assert_eq!(deciding(&policy, path, group), Some(expected), "{path}");
    }
    assert_eq!(deciding(&Setup::default().build(), "a", Group::Read), None);
}

#[test]
fn a_missing_parent_is_what_is_explained() {
    let policy = Setup::workspace("[[rule]]\npath = 'shut'\nallow = []").build();
    let explained = explain(&policy, "a/shut/b/c");
    assert_eq!(
        (&*explained.path, &*explained.decided_at),
        ("a/shut/b/c", "a/shut")
    );
    assert!(!explained.exists && explained.visibility.visible);
    assert_eq!(
        deciding(&policy, "a/shut/b/c", Group::Read),
        Some(pair(".inspectfs.toml:1", "shut"))
    );
}
