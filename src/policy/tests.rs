//! The policy by one-line rows, and against a model written from the rules' description alone.
//!
//! A path that ends in `/` is a folder, every other is none.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]

mod builtin;
mod document;
mod errors;
mod explain;
mod groups;
mod ignore;
mod labels;
mod model;
mod properties;
mod settings;
mod sources;
mod visibility;

use super::*;

/// A policy of these sources.
#[derive(Default)]
struct Setup(Sources);

impl Setup {
    fn workspace(text: &str) -> Self {
        Self::default().and_workspace(text)
    }

    fn and_workspace(mut self, text: &str) -> Self {
        self.0.workspace = Some(file(".inspectfs.toml", text));
        self
    }

    fn policy_file(mut self, text: &str) -> Self {
        self.0.policy_file = Some(file("policy.toml", text));
        self
    }

    fn user(mut self, text: &str) -> Self {
        self.0.user = Some(file("~/.config/inspectfs/policy.toml", text));
        self
    }

    fn hide(mut self, pattern: &str) -> Self {
        self.0.command_line.hide.push(pattern.to_owned());
        self
    }

    fn show(mut self, pattern: &str) -> Self {
        self.0.command_line.show.push(pattern.to_owned());
        self
    }

    fn deny(mut self, rule: &str) -> Self {
        self.0.command_line.deny.push(rule.to_owned());
        self
    }

    fn build(&self) -> Policy {
        Policy::new(&self.0).expect("the policy is valid")
    }

    fn fault(&self) -> String {
        Policy::new(&self.0)
            .expect_err("the policy is faulty")
            .to_string()
    }
}

fn file(label: &str, text: &str) -> PolicyText {
    PolicyText {
        label: label.to_owned(),
        text: text.to_owned(),
    }
}

fn split(path: &str) -> (RelPath, PathKind) {
    let kind = if path.ends_with('/') {
        PathKind::Folder
    } else {
        PathKind::File
    };
    (RelPath::parse(path.as_bytes()).unwrap(), kind)
}

/// The decision, asked in each way there is.
fn decide(policy: &Policy, path: &str) -> Decision {
    let (path, kind) = split(path);
    let decision = policy.decide(&path, kind);
    if let (Some(parent), Some(name)) = (path.parent(), path.name()) {
        let warm = policy.folder(&parent);
        assert_eq!(warm.decide(name, kind), decision, "{path}: from its folder");
    }
    let explained = policy.explain(&path, kind, |_| Vec::new());
    assert_eq!(explained.decision, decision, "{path}: explained");
    assert_eq!(explained.exists, decision.exists(), "{path}: explained");
    for ruling in explained.groups {
        let given = decision.exists() && decision.may(ruling.group);
        assert_eq!(ruling.given, given, "{path}: explained");
    }
    decision
}

/// The names of the groups, `-` for a path that does not exist, `way` before a folder's that
/// only leads on.
fn outcome(policy: &Policy, path: &str) -> String {
    let decision = decide(policy, path);
    if !decision.exists() {
        return "-".to_owned();
    }
    let mut words: Vec<&str> = Vec::new();
    if decision.is_way() {
        words.push("way");
    }
    if decision.groups() == Groups::all() {
        words.push("all");
    } else {
        words.extend(decision.groups().names());
    }
    words.join(" ")
}

macro_rules! visible {
    ($policy:expr, $($path:expr),+ $(,)?) => {$(
        assert!($crate::policy::tests::decide(&$policy, $path).exists(), "{} is hidden", $path);
    )+};
}

macro_rules! hidden {
    ($policy:expr, $($path:expr),+ $(,)?) => {$(
        assert!(!$crate::policy::tests::decide(&$policy, $path).exists(), "{} is visible", $path);
    )+};
}

macro_rules! gives {
    ($policy:expr, $($path:expr => $groups:expr),+ $(,)?) => {$(
        assert_eq!($crate::policy::tests::outcome(&$policy, $path), $groups, "{}", $path);
    )+};
}

use {gives, hidden, visible};
