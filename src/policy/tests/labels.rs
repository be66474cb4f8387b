//! Labels: which rule decides, and that no name loses one.

use super::*;

fn label(policy: &Policy, path: &str) -> Option<&'static str> {
    decide(policy, path).label().map(Label::name)
}

const RULES: &str = "[[rule]]\npath = 'docs/**'\nlabel = 'INTERNAL'\n\
    [[rule]]\npath = 'docs/contracts/**'\nlabel = 'CONFIDENTIAL'\n\
    [[rule]]\npath = 'docs/contracts/press/'\nlabel = 'PUBLIC'\n\
    [[rule]]\npath = 'key'\nlabel = 'RESTRICTED'\n";

#[test]
fn the_most_specific_rule_decides() {
    let policy = Setup::workspace(RULES).build();
    for (path, expected) in [
        ("a", None),
        ("./", None),
        ("docs/", Some("INTERNAL")),
        ("docs/a/b", Some("INTERNAL")),
        ("docs/contracts/x", Some("CONFIDENTIAL")),
        ("docs/contracts/press/x", Some("PUBLIC")),
        ("key", Some("RESTRICTED")),
        // The longer pattern, though the other has the higher label.
        ("docs/key", Some("INTERNAL")),
        // A name says nothing of what lies below it.
        ("key/", Some("RESTRICTED")),
        ("key/x", None),
        ("x/docs/a", None),
    ] {
        assert_eq!(label(&policy, path), expected, "{path}");
    }
    assert!(policy.has_labels() && !Setup::default().build().has_labels());
}

#[test]
fn the_higher_label_wins_a_tie_and_among_sources() {
    let policy = Setup::workspace(
        "[[rule]]\npath = 'a/*'\nlabel = 'INTERNAL'\n[[rule]]\npath = 'a/**'\nlabel = 'RESTRICTED'\n\
         [[rule]]\npath = 'inside/longer/'\nlabel = 'PUBLIC'\n",
    )
    .user("[[rule]]\npath = 'inside/'\nlabel = 'CONFIDENTIAL'\n")
    .build();
    assert_eq!(label(&policy, "a/x"), Some("RESTRICTED"));
    // The workspace's own file cannot take a label away.
    assert_eq!(label(&policy, "inside/longer/x"), Some("CONFIDENTIAL"));
}

#[test]
fn a_label_gives_and_takes_no_group() {
    let policy = Setup::workspace(&format!(
        "default = 'deny'\n{RULES}[[rule]]\npath = 'docs/a'\nallow = ['read']\nlabel = 'RESTRICTED'\n"
    ))
    .build();
    gives!(policy, "docs/" => "way search", "docs/a" => "read", "docs/b" => "-", "key" => "-");
    assert_eq!(label(&policy, "docs/a"), Some("RESTRICTED"));
    let policy = Setup::workspace("[[rule]]\npath = 'x'\nlabel = 'PUBLIC'\n").build();
    gives!(policy, "x" => "all");
}

#[test]
fn a_name_that_loses_a_label_gains() {
    let policy = Setup::workspace(RULES).build();
    let gains = |from: &str, to: &str| decide(&policy, from).gains_by(decide(&policy, to));
    assert!(gains("docs/contracts/x", "docs/x"));
    assert!(gains("docs/x", "x"));
    assert!(!gains("x", "docs/x"));
    assert!(!gains("docs/x", "docs/contracts/x"));
    assert!(!gains("docs/x", "docs/y"));
    let scope = policy.folder(&RelPath::root());
    assert!(
        !scope
            .child(b"docs")
            .decides_alike_below(&scope.child(b"other"))
    );
}

#[test]
fn explanations_name_the_rule_of_the_label() {
    let policy = Setup::workspace(RULES).build();
    let (path, kind) = split("docs/contracts/x");
    let explained = policy.explain(&path, kind, |_| Vec::new()).label.unwrap();
    assert_eq!(explained.label, Label::Confidential);
    assert_eq!(
        (&*explained.rule.source, &*explained.rule.pattern),
        (".inspectfs.toml:4", "docs/contracts/**")
    );
}
