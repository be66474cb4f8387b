//! The commands that speak of the policy to the person outside.

use crate::processes::{Finished, inspectfs, run};
use crate::workspace::Workspace;

fn command(workspace: &Workspace, args: &[&str]) -> Finished {
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
