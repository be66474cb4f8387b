//! A policy file to begin with.

use super::{PolicySources, offline_view, open_workspace};
use crate::policy::FILE_NAME;
use crate::view::{Finding, FindingKind};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io;
use std::path::Path;

/// All comment: it changes nothing until someone edits it.
const STARTER: &str = include_str!("starter.toml");

/// What [`init`] did: the JSON of `inspectfs init --json`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Started {
    /// The workspace.
    pub workspace: String,
    /// The file that was written, from the workspace's root.
    pub path: &'static str,
    /// Files that look like secrets and that no rule is about.
    pub worth_a_rule: u64,
    /// The first of them.
    pub first: Vec<Finding>,
}

/// Writes the starter as the workspace's policy file, never over one that is there.
///
/// # Errors
/// There is one already, or it cannot be written, or the workspace cannot be read.
pub fn init(workspace: &Path) -> Result<Started> {
    let opened = open_workspace(workspace)?;
    let shown = opened.path().display().to_string();
    match opened
        .root()
        .create_file(FILE_NAME.as_bytes(), STARTER.as_bytes())
    {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("'{shown}' has a {FILE_NAME} already; edit it, and see 'inspectfs check'")
        }
        Err(error) => {
            return Err(error).with_context(|| {
                format!("{FILE_NAME} cannot be written in '{shown}'; make the folder writable")
            });
        }
    }
    let report = offline_view(workspace, &PolicySources::default())?
        .check()
        .with_context(|| format!("workspace '{shown}' cannot be walked"))?;
    let found = report
        .sections
        .into_iter()
        .find(|section| section.kind == FindingKind::SecretInView);
    let (worth_a_rule, first) =
        found.map_or((0, Vec::new()), |section| (section.count, section.items));
    Ok(Started {
        workspace: shown,
        path: FILE_NAME,
        worth_a_rule,
        first,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
mod tests {
    use super::*;
    use crate::policy::{Policy, PolicyText, Sources};

    fn policy(text: &str) -> Policy {
        let workspace = Some(PolicyText {
            label: FILE_NAME.to_owned(),
            text: text.to_owned(),
        });
        Policy::new(&Sources {
            workspace,
            ..Sources::default()
        })
        .unwrap()
    }

    #[test]
    fn the_starter_changes_nothing_and_its_examples_load() {
        assert!(
            STARTER
                .lines()
                .all(|line| line.is_empty() || line.starts_with('#'))
        );
        assert!(policy(STARTER).written_rules().is_empty());
        let examples: Vec<&str> = STARTER
            .lines()
            .filter_map(|line| line.strip_prefix('#'))
            .filter(|line| !line.starts_with(' '))
            .collect();
        let policy = policy(&examples.join("\n"));
        assert!(policy.written_rules().len() >= 5);
        assert!(policy.has_labels());
        assert_eq!(policy.limits().max_list_entries, Some(5000));
    }

    #[test]
    fn the_document_has_these_fields() {
        let started = Started {
            workspace: "/w".to_owned(),
            path: FILE_NAME,
            worth_a_rule: 1,
            first: Vec::new(),
        };
        assert_eq!(
            serde_json::to_string(&started).unwrap(),
            r#"{"workspace":"/w","path":".inspectfs.toml","worth_a_rule":1,"first":[]}"#
        );
    }
}
