//! The JSON of `inspectfs explain --json`: its fields, their order and presence. A test in
//! `view/tests/explain.rs` pins them.

use crate::policy::{GroupRuling, LabelRuling, Ruling};
use crate::workspace::Kind;
use serde::Serialize;

/// What the view makes of a path, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The path as it was asked for, from the root; `.` for the root.
    pub path: String,
    /// Where links on the way lead to; the rest is about that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
    /// What the view answers.
    pub state: State,
    /// What is there in the real tree, hidden or not; `null` for nothing.
    #[serde(rename = "type")]
    pub kind: Option<Type>,
    /// Where it was decided: the path, or the first folder above it that does not exist.
    pub decided_at: String,
    /// A folder that only leads down to something shown or allowed.
    pub leads_down: bool,
    /// The rule that hides it or that undid a hide; `null` where no rule has a say.
    pub rule: Option<Ruling>,
    /// Why the view does not show what the rules alone would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
    /// The four groups, in the order of [`crate::policy::Group::ALL`]; none where a link ends the way.
    pub groups: Vec<GroupRuling>,
    /// How confidential it is, if a rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelRuling>,
    /// What else holds, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a mounted view answers to a look at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It exists.
    Visible,
    /// It does not exist, and would not if something were there.
    Hidden,
    /// Nothing is there.
    Missing,
    /// A link on the way leads out of the workspace, where the policy allows that.
    Outside,
    /// A link on the way leads where the view does not follow.
    Refused,
}

/// What lies at a path of the real tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link.
    Symlink,
    /// A pipe, socket or device.
    Other,
    /// A document of the view beside a file.
    Sidecar,
}

impl From<Kind> for Type {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Folder => Self::Folder,
            Kind::File => Self::File,
            Kind::Symlink => Self::Symlink,
            Kind::Fifo | Kind::Socket | Kind::CharDevice | Kind::BlockDevice => Self::Other,
        }
    }
}

/// Why a file is not shown that no rule hides by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Withheld {
    /// What decides.
    pub by: Withholding,
    /// Another name of the file, which is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The rule that decides, or that hides the other name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Ruling>,
}

/// What the view decides by, beside names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withholding {
    /// The file's content, or that it cannot be read.
    Content,
    /// Another name of the file is hidden.
    OtherName,
    /// Other names of the file are not known: some folder cannot be looked into.
    UnknownNames,
    /// The setting `hardlinks = "deny"`.
    SeveralNames,
    /// Another view is mounted here.
    OtherView,
}
