//! What is hidden by its content: keys and tokens in files of ordinary names, with all that
//! holds for names hidden otherwise.

use crate::harness::{View, eventually};
use crate::hidden::{
    MARKER, RULES, assert_answers_as_missing, assert_never_seen, assert_no_client_meets_the_marker,
    assert_views_are_the_same, tree,
};
use crate::workspace::Workspace;
use std::fs;
use std::time::Duration;

/// The visible tree of `hidden`, with keys and tokens between.
fn tree_with_keys() -> Workspace {
    let workspace = tree(false);
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{MARKER}\n");
    workspace
        .file("data/server.pem", &key)
        .file("src/lib/signing.key", &key)
        .file(
            "only-hidden/release.asc",
            format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\n{MARKER}"),
        )
        .file("data/.npmrc", format!("//r/:_authToken={MARKER}\n"))
        .file(
            "pip.conf",
            format!("[global]\nindex-url = https://u:{MARKER}@h/simple\n"),
        )
        .hard_link("data/innocent.txt", "data/server.pem");
    workspace
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
    eventually("the key is hidden", Duration::from_secs(2), || {
        let seen = fs::read_to_string(view.path("cert.pem")).unwrap_or_default();
        assert!(!seen.contains("PRIVATE"), "the key was read");
        (!view.exists("cert.pem")).then_some(())
    });
}

#[test]
fn a_key_answers_as_a_missing_file() {
    let view = View::with_policy(tree_with_keys(), RULES);
    let pairs = [
        ("data/server.pem", "data/missing.pem"),
        ("src/lib/signing.key", "src/lib/missing.key"),
        ("data/.npmrc", "data/missing"),
        ("data/innocent.txt", "data/missing.txt"),
        ("data/server.pem.inspect.json", "data/missing.inspect.json"),
    ];
    assert_answers_as_missing(&view, &pairs);
}

#[test]
fn no_client_meets_a_key() {
    assert_no_client_meets_the_marker(&View::with_policy(tree_with_keys(), RULES));
}

#[test]
fn the_view_is_the_same_without_the_keys() {
    assert_views_are_the_same(tree(false), tree_with_keys());
}

#[test]
fn a_key_that_appears_is_hidden_from_the_first_instant() {
    let appear = |workspace: &Workspace| {
        workspace
            .file("plain.pem", "-----BEGIN CERTIFICATE-----\n")
            .replace("new.pem", "-----BEGIN PRIVATE KEY-----\n");
    };
    let go = |workspace: &Workspace| {
        fs::remove_file(workspace.path("plain.pem")).unwrap();
        fs::remove_file(workspace.path("new.pem")).unwrap();
    };
    assert_never_seen(&["new.pem"], &["plain.pem"], appear, go);
}
