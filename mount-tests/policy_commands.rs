//! The commands that speak of the policy to the person outside.

use crate::harness::View;
use crate::processes::{Finished, inspectfs, run};
use crate::workspace::Workspace;

/// Runs a command in the workspace's root.
pub(crate) fn command(workspace: &Workspace, args: &[&str]) -> Finished {
    run(inspectfs().current_dir(workspace.root()).args(args))
}

#[test]
fn explain_names_the_rules_in_words() {
    let workspace = Workspace::of(&[
        (
            ".inspectfs.toml",
            "[[rule]]\npath = 'originals/**'\ndeny = ['mutate-content', 'mutate-structure']\n\
             reason = 'source material'\nalternative = 'copy it to work/'\n\
             [[rule]]\npath = 'private/**'\nhide = true\n\
             [[rule]]\npath = 'private/README.md'\nshow = true\n",
        ),
        ("originals/a.csv", "x"),
        ("private/b", "x"),
        ("private/README.md", "x"),
        (".env", "x"),
    ]);
    let absolute = workspace.path("private/b");
    let done = command(
        &workspace,
        &[
            "explain",
            "originals/a.csv",
            "private/README.md",
            absolute.to_str().unwrap(),
            "private",
            ".env",
            "tmp/none",
        ],
    );
    assert_eq!((done.code(), &*done.err()), (Some(0), ""));
    let source = ".inspectfs.toml";
    assert_eq!(
        done.out(),
        format!(
            "originals/a.csv: visible
  read              yes
  search            yes
  mutate-content    no   originals/** ({source}:1): source material; instead: copy it to work/
  mutate-structure  no   originals/** ({source}:1): source material; instead: copy it to work/
private/README.md: visible
  shown by private/README.md ({source}:9)
  read              yes
  search            yes
  mutate-content    yes
  mutate-structure  yes
private/b: hidden
  hidden by private/** ({source}:6)
private: visible, a folder that only leads down
  leads past private/** ({source}:6)
  read              no   private/** ({source}:6)
  search            yes
  mutate-content    no   private/** ({source}:6)
  mutate-structure  no   private/** ({source}:6)
.env: hidden
  hidden by .env (built-in): environment file
tmp/none: nothing is there
  nothing lies at 'tmp'
  read              yes
  search            yes
  mutate-content    yes
  mutate-structure  yes
"
        )
    );
}

#[test]
fn faults_are_one_line_and_the_rest_is_explained() {
    let workspace = Workspace::of(&[("a", "x")]);
    let outside = workspace.base().join("elsewhere");
    let root = workspace.root().to_str().unwrap();
    let done = command(
        &workspace,
        &[
            "explain",
            "--json",
            "--workspace",
            root,
            outside.to_str().unwrap(),
            "a",
        ],
    );
    assert_eq!(done.code(), Some(1));
    assert_eq!(done.out().lines().count(), 1, "{}", done.out());
    assert!(done.out().starts_with(r#"{"path":"a","state":"visible""#));
    assert_eq!(done.err().lines().count(), 1, "{}", done.err());
    assert!(
        done.err()
            .contains("elsewhere' is no path in the workspace")
    );
    // A broken policy is told as mount tells it.
    workspace.file(".inspectfs.toml", "[[rule]]\npath = 'a'\nhidden = true\n");
    let explained = command(&workspace, &["explain", "a"]);
    let mounted = command(&workspace, &["mount", "../view"]);
    assert_eq!(explained.code(), Some(1));
    assert_eq!(explained.err(), mounted.err());
    assert!(
        explained.err().contains("did you mean 'hide'?"),
        "{}",
        explained.err()
    );
}

#[test]
fn init_writes_a_file_that_changes_nothing_and_never_over_another() {
    let workspace = Workspace::of(&[("old/id_rsa.bak", "x"), ("sub/a.txt", "x"), (".git/x", "x")]);
    let before = command(
        &workspace,
        &["explain", "--json", "sub/a.txt", "old/id_rsa.bak"],
    );
    let done = run(inspectfs()
        .current_dir(workspace.path("sub"))
        .args(["init", "--json"]));
    assert_eq!((done.code(), &*done.err()), (Some(0), ""));
    let started: serde_json::Value = serde_json::from_str(&done.out()).unwrap();
    assert_eq!(started["workspace"], workspace.root().to_str().unwrap());
    assert_eq!(started["worth_a_rule"], 1);
    assert_eq!(started["first"][0]["path"], "old/id_rsa.bak");
    workspace.note(".inspectfs.toml");
    let written = std::fs::read(workspace.path(".inspectfs.toml")).unwrap();
    let after = command(
        &workspace,
        &["explain", "--json", "sub/a.txt", "old/id_rsa.bak"],
    );
    assert_eq!(after.out(), before.out());
    let again = command(&workspace, &["init"]);
    assert_eq!((again.code(), again.out()), (Some(1), String::new()));
    assert!(again.err().contains("already; edit it"), "{}", again.err());
    assert_eq!(
        std::fs::read(workspace.path(".inspectfs.toml")).unwrap(),
        written
    );
    // Not through a link either.
    let other = Workspace::new();
    other.link(".inspectfs.toml", "../made-by-a-link");
    assert_eq!(command(&other, &["init"]).code(), Some(1));
    assert!(!other.base().join("made-by-a-link").exists());
    let view = View::mount(workspace);
    assert!(view.exists("sub/a.txt"));
}

/// The manual's transcripts: each command after `$`, and all that it prints.
#[test]
fn the_manual_shows_what_the_commands_print() {
    let workspace = Workspace::of(&[
        (
            ".inspectfs.toml",
            "[[rule]]\npath = 'originals/**'\ndeny = ['mutate-content', 'mutate-structure']\n\
             reason = 'source material'\nalternative = 'copy it to work/'\n\n\
             [[rule]]\npath = 'secrets/**'\nhide = true\n",
        ),
        ("originals/a.csv", "a,b\n"),
        ("app/secrets/load.py", "x = 1\n"),
        ("old/id_rsa.bak", "x"),
        (".env", "S"),
    ]);
    workspace.hard_link("notes.txt", ".env");
    let manual = include_str!("../docs/POLICY.md");
    let mut commands = 0;
    for block in manual.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for transcript in block.split("$ inspectfs ").skip(1) {
            let (line, expected) = transcript.split_once('\n').unwrap();
            let done = command(&workspace, &line.split(' ').collect::<Vec<_>>());
            assert_eq!(done.out(), expected, "inspectfs {line}");
            assert_eq!(done.err(), "", "inspectfs {line}");
            commands += 1;
        }
    }
    assert_eq!(commands, 2);
}
