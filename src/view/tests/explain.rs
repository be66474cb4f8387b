//! Explanations agree with lookups, and say why where the rules alone would not.

use super::*;

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIE\n";

fn explain(view: &View, path: &str) -> Explained {
    let kind = if path.ends_with('/') {
        PathKind::Folder
    } else {
        PathKind::File
    };
    view.explain(&RelPath::parse(path.as_bytes()).unwrap(), kind)
        .unwrap()
}

fn document(view: &View, path: &str) -> String {
    serde_json::to_string(&explain(view, path)).unwrap()
}

#[test]
fn the_document_has_these_fields() {
    let folder = tree(&[("d/a.txt", "x"), ("server.pem", KEY), (".env", "S")]);
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at(".env"), at("notes.txt")).unwrap();
    std::os::unix::fs::symlink("d", at("link")).unwrap();
    let view = view_with(
        folder.path(),
        "default = ['read', 'search']\n[[rule]]\npath='d/'\ndeny=['read']\nreason='why'\nalternative='ask'",
        Settings::default(),
    );
    let given = |name: &str, given: bool, rule: &str| {
        format!(r#"{{"group":"{name}","given":{given},"rule":{rule}}}"#)
    };
    let default = r#"{"source":"policy.toml:1","pattern":"default"}"#;
    let rule = r#"{"source":"policy.toml:2","pattern":"d/","reason":"why","alternative":"ask"}"#;
    let expected = format!(
        r#"{{"path":"link/a.txt","leads_to":"d/a.txt","state":"visible","type":"file","decided_at":"d/a.txt","leads_down":false,"rule":null,"groups":[{},{},{},{}]}}"#,
        given("read", false, rule),
        given("search", true, default),
        given("mutate-content", false, default),
        given("mutate-structure", false, default),
    );
    assert_eq!(document(&view, "link/a.txt"), expected);
    let hide = r#"{"source":"built-in","pattern":".env","reason":"environment file"}"#;
    let all_refused = |rule: &str| {
        crate::policy::Group::ALL
            .map(|group| given(group.name(), false, rule))
            .join(",")
    };
    let expected = format!(
        r#"{{"path":"notes.txt","state":"hidden","type":"file","decided_at":"notes.txt","leads_down":false,"rule":null,"withheld":{{"by":"other-name","name":".env","rule":{hide}}},"groups":[{}]}}"#,
        all_refused(hide)
    );
    assert_eq!(document(&view, "notes.txt"), expected);
    let content =
        r#"{"source":"built-in","pattern":"*.pem","reason":"a private key by its content"}"#;
    let expected = format!(
        r#"{{"path":"server.pem","state":"hidden","type":"file","decided_at":"server.pem","leads_down":false,"rule":null,"withheld":{{"by":"content","rule":{content}}},"groups":[{}]}}"#,
        all_refused(content)
    );
    assert_eq!(document(&view, "server.pem"), expected);
    let expected = format!(
        r#"{{"path":"d/x/y","state":"missing","type":null,"decided_at":"d/x/y","leads_down":false,"rule":null,"groups":[{},{},{},{}],"notes":["nothing lies at 'd/x'"]}}"#,
        given("read", false, rule),
        given("search", true, default),
        given("mutate-content", false, default),
        given("mutate-structure", false, default),
    );
    assert_eq!(document(&view, "d/x/y"), expected);
}

#[test]
fn states_are_what_a_lookup_finds() {
    let folder = tree(&[
        ("a/b.txt", "x"),
        ("a/.git/HEAD", "x"),
        (".env/x", "x"),
        ("a/id_rsa", "x"),
        ("z/.agentignore", "*.log\n"),
        ("z/x.log", ""),
    ]);
    let link = |text: &str, path: &str| {
        std::os::unix::fs::symlink(text, folder.path().join(path)).unwrap();
    };
    link("a", "to-a");
    link("a/.git", "to-git");
    link("/usr", "to-usr");
    link("/etc", "to-etc");
    link("to-loop", "to-loop");
    link("gone", "to-gone");
    let view = view(&folder);
    for (path, state) in [
        ("", State::Visible),
        ("a", State::Visible),
        ("a/b.txt", State::Visible),
        ("a/b.txt/c", State::Missing),
        ("a/none", State::Missing),
        ("none/", State::Missing),
        ("a/.git", State::Hidden),
        ("a/.git/HEAD", State::Hidden),
        ("a/.git/none", State::Hidden),
        ("none/.git/none", State::Hidden),
        // A folder of that name is not what the built-in rule means.
        (".env", State::Visible),
        (".env/x", State::Visible),
        ("a/id_rsa", State::Hidden),
        ("z/x.log", State::Hidden),
        ("z/y.log", State::Hidden),
        ("to-a/b.txt", State::Visible),
        ("to-a/.git/HEAD", State::Hidden),
        ("to-git", State::Visible),
        ("to-git/HEAD", State::Hidden),
        ("to-usr/bin", State::Outside),
        ("to-etc/passwd", State::Refused),
        ("to-loop/x", State::Refused),
        ("to-gone/x", State::Missing),
        ("a/b.txt.inspect.json", State::Visible),
        ("a/b.txt.outline.json", State::Visible),
        ("a.outline.json", State::Missing),
        ("a/id_rsa.inspect.json", State::Missing),
    ] {
        assert_eq!(explain(&view, path).state, state, "{path}");
    }
    assert_eq!(
        explain(&view, "a/b.txt.inspect.json").kind,
        Some(Type::Sidecar)
    );
    let rule = explain(&view, "z/x.log").rule.unwrap();
    assert_eq!(
        (&*rule.source, &*rule.pattern),
        ("z/.agentignore:1", "*.log")
    );
}

#[test]
fn a_shown_path_without_a_group_is_hidden_by_the_rule_that_took_them() {
    let folder = tree(&[("private/x", "x")]);
    let rules =
        "[[rule]]\npath='private/'\nhide=true\n[[rule]]\npath='private/x'\nshow=true\nallow=[]\n";
    let explained = explain(
        &view_with(folder.path(), rules, Settings::default()),
        "private/x",
    );
    assert_eq!((explained.state, explained.rule), (State::Hidden, None));
    for group in explained.groups {
        assert_eq!(group.rule.unwrap().pattern, "private/x");
    }
}

#[test]
fn an_ignore_file_that_cannot_be_followed_says_so() {
    let folder = tree(&[("a/x", "x")]);
    std::os::unix::fs::symlink("x", folder.path().join("a/.agentignore")).unwrap();
    let view = view(&folder);
    let explained = explain(&view, "a/x");
    assert_eq!(explained.state, State::Hidden);
    let rule = explained.rule.unwrap();
    assert_eq!((&*rule.source, &*rule.pattern), ("a/.agentignore", "*"));
    assert!(rule.reason.unwrap().contains("cannot be followed"));
}
