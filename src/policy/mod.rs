//! What each path may be used for: visibility and four groups, decided by name, and for some
//! names by what the first bytes are ([`Decision::content`]).
//!
//! Rules come from up to four sources (built-in, the policy file, the user's configuration, the
//! command line). They are compiled once into a [`Policy`], which then decides paths without
//! looking at the tree: it does no I/O, not even of its own files. What a decision means for a
//! system call is the view's business.
//!
//! Ignore files are the tree's, so their text comes from outside, folder by folder
//! ([`FolderScope::add_ignore_file`]): a path decided without its folders' scopes misses them.
//!
//! The parts: `config` reads files, `builtin` is the table of built-in rules, `content` judges
//! bytes, `glob` and `pattern` match, `sources` turns all that was said into rules, `rules` indexes them, `scope`
//! walks them down a path, `ignore` walks ignore files beside them, `look` and `tally` add them up for one
//! entry, `explain` reads off why, `written` and `suspects` serve the check of a policy.

mod builtin;
mod config;
mod content;
mod error;
mod explain;
mod glob;
mod groups;
mod ignore;
mod labels;
mod look;
mod pattern;
mod rules;
mod scope;
mod settings;
mod sources;
mod suspects;
mod tally;
#[cfg(test)]
mod tests;
mod written;

use std::path::PathBuf;
use std::sync::Arc;

pub use content::{CONTENT_HEAD_BYTES, ContentRule};
pub use error::PolicyError;
pub use explain::{Explanation, GroupRuling, LabelRuling, Ruling, Visibility};
pub use groups::{Group, Groups};
pub use ignore::{IGNORE_FILE_MAX, IgnoreFile};
pub use labels::Label;
pub use settings::{Hardlinks, Limits, Special, SymlinkMode, Symlinks};
pub use suspects::{SUSPECT_HEAD_BYTES, suspect_content, suspect_name};
pub use written::{RuleId, WrittenRule};

use crate::relpath::RelPath;
use rules::Rules;
use scope::FolderState;
use sources::{Files, Source};

/// The name of a workspace's own policy file, at its root.
pub const FILE_NAME: &str = ".inspectfs.toml";

/// Whether an entry can hold others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathKind {
    /// A folder.
    Folder,
    /// Anything else: regular files, symbolic links (whatever they lead to), FIFOs, devices.
    File,
}

impl PathKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Folder, Self::File];
}

/// What a path may be used for. The default is a path that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Decision {
    groups: Groups,
    way: bool,
    guarded: Groups,
    content: Option<ContentRule>,
    label: Option<Label>,
}

impl Decision {
    /// Whether the path exists in the view, provided that the tree has it.
    pub fn exists(self) -> bool {
        self.way || !self.groups.is_empty()
    }

    /// Whether the group is given; for the mutate groups see also [`Decision::guarded`].
    pub fn may(self, group: Group) -> bool {
        self.groups.has(group)
    }

    /// The groups given.
    pub fn groups(self) -> Groups {
        self.groups
    }

    /// Whether this is a folder that only leads down to something shown or allowed. It can be
    /// looked up and, if `search` is among its groups, lists those of its entries that exist.
    pub fn is_way(self) -> bool {
        self.way
    }

    /// Those of the groups that hold only if the `.git` folder the path lies in was made in
    /// this view: its hooks and configuration run code outside.
    pub fn guarded(self) -> Groups {
        self.guarded
    }

    /// What the content of a regular file must not be for all this to hold; if it is, the
    /// path does not exist.
    pub fn content(self) -> Option<ContentRule> {
        self.content
    }

    /// How confidential it is, if a rule says so.
    pub fn label(self) -> Option<Label> {
        self.label
    }

    /// Equal for two decisions exactly if they are equal; below 4096.
    pub fn class(self) -> u16 {
        let by_name =
            self.groups.bits() | u8::from(self.way) << 4 | (self.guarded.bits() >> 2) << 5;
        let by_content: u16 = match self.content {
            None => 0,
            Some(ContentRule::PrivateKey) => 1,
            Some(ContentRule::RawKey) => 2,
            Some(ContentRule::Token) => 3,
        };
        u16::from(by_name) | by_content << 7 | u16::from(Label::level(self.label)) << 9
    }

    /// Whether a thing that had the decision `self` would gain something by `other`: existence,
    /// a group, a group without its guard, or a lower label or none.
    pub fn gains_by(self, other: Self) -> bool {
        let free = |decision: Self| decision.groups - decision.guarded;
        (other.exists() && !self.exists())
            || !(other.groups - self.groups).is_empty()
            || !(free(other) - free(self)).is_empty()
            || other.label < self.label
    }
}

/// A policy file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyText {
    /// The file's name as the user wrote it, for errors and explanations.
    pub label: String,
    /// Its content.
    pub text: String,
}

/// The rules of the command line, each as the user wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// `--hide PATTERN`
    pub hide: Vec<String>,
    /// `--deny GROUP:PATTERN`
    pub deny: Vec<String>,
    /// `--show NAME`
    pub show: Vec<String>,
}

/// Everything a policy is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// `.inspectfs.toml` at the workspace root.
    pub workspace: Option<PolicyText>,
    /// `--policy FILE`; the workspace's own file is then not read.
    pub policy_file: Option<PolicyText>,
    /// The user's configuration.
    pub user: Option<PolicyText>,
    /// Flags.
    pub command_line: CommandLine,
    /// Paths that the view hides for itself, such as its mount point; nothing shows them.
    pub hidden_paths: Vec<RelPath>,
    /// Policy files inside the workspace under other names than the usual one: visible, but
    /// immutable.
    pub steering_paths: Vec<RelPath>,
    /// What `~` in `allow_outside` stands for; without it such entries allow nothing.
    pub home: Option<PathBuf>,
}

/// A compiled policy. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Policy {
    rules: Arc<Rules>,
    symlinks: Symlinks,
    special: Special,
    hardlinks: Hardlinks,
    limits: Limits,
    shown_by_workspace: Vec<String>,
    ignore_file_names: Arc<[String]>,
}

/// A folder as the policy sees it: what deciding its entries needs, gathered once.
///
/// It stays right for as long as the policy is in force and no ignore file on the way changes,
/// so it may be kept with the folder.
#[derive(Debug, Clone)]
pub struct FolderScope {
    rules: Arc<Rules>,
    state: FolderState,
}

impl Policy {
    /// Compiles the rules of all sources.
    ///
    /// # Errors
    /// The first fault found, on one line with its file and line or its flag.
    pub fn new(sources: &Sources) -> Result<Self, PolicyError> {
        let files = Files::read(sources)?;
        let strictest_special = files.iter().filter_map(|(_, file)| file.special).max();
        let strictest_hardlinks = files.iter().filter_map(|(_, file)| file.hardlinks).max();
        let ignore_file_names = files.ignore_file_names();
        Ok(Self {
            rules: Arc::new(Rules::compile(sources, &files, &ignore_file_names)?),
            ignore_file_names: ignore_file_names.into(),
            symlinks: Symlinks::new(files.iter().map(|(_, file)| file), sources.home.as_deref()),
            special: strictest_special.unwrap_or(Special::Strip),
            hardlinks: strictest_hardlinks.unwrap_or(Hardlinks::Check),
            limits: files.iter().fold(Limits::default(), |limits, (_, file)| {
                limits.and(file.limits)
            }),
            shown_by_workspace: files
                .iter()
                .filter(|(source, _)| *source == Source::Workspace)
                .flat_map(|(_, file)| &file.builtin_show)
                .map(|(pattern, _)| pattern.text.clone())
                .collect(),
        })
    }

    /// Decides a path, ignore files aside; the folders above it count as folders.
    pub fn decide(&self, path: &RelPath, kind: PathKind) -> Decision {
        match path.split_last() {
            None => self.rules.root.decision,
            Some((folders, name)) => {
                let folder = self.state(folders);
                folder
                    .look(&self.rules, name, kind)
                    .decide(&self.rules, &folder)
            }
        }
    }

    /// What deciding the entries of a folder needs, ignore files aside.
    pub fn folder(&self, path: &RelPath) -> FolderScope {
        FolderScope {
            rules: Arc::clone(&self.rules),
            state: self.state(path.components()),
        }
    }

    fn state<'a>(&self, folders: impl Iterator<Item = &'a [u8]>) -> FolderState {
        folders.fold(self.rules.root.clone(), |state, name| {
            state.enter(&self.rules, name)
        })
    }

    /// Whether some rule sets a label.
    pub fn has_labels(&self) -> bool {
        self.rules.set_labels
    }

    /// Whether nothing can ever be hidden or left out of a listing, whatever its name.
    pub fn hides_nothing(&self) -> bool {
        self.ignore_file_names.is_empty() && self.rules.hide_nothing()
    }

    /// The names that ignore files have. Each folder may hold one of each.
    pub fn ignore_file_names(&self) -> &[String] {
        &self.ignore_file_names
    }

    /// The names and paths that the workspace's own file takes back from the built-in rules.
    pub fn shown_by_workspace(&self) -> &[String] {
        &self.shown_by_workspace
    }

    /// How symbolic links are served.
    pub fn symlinks(&self) -> &Symlinks {
        &self.symlinks
    }

    /// What becomes of devices and set-id bits.
    pub fn special(&self) -> Special {
        self.special
    }

    /// Bounds on reading and listing: of each the tightest that a source sets.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// What is done about files with several names.
    pub fn hardlinks(&self) -> Hardlinks {
        self.hardlinks
    }
}

impl FolderScope {
    /// Decides the entry of this name; the same as [`Policy::decide`] on its path.
    pub fn decide(&self, name: &[u8], kind: PathKind) -> Decision {
        self.state
            .look(&self.rules, name, kind)
            .decide(&self.rules, &self.state)
    }

    /// Adds an ignore file that lies in the folder. `path` is the file's own, for explanations.
    /// Answers `false` where too many patterns would hold: then everything in it is hidden.
    pub fn add_ignore_file(&mut self, path: &RelPath, file: Arc<IgnoreFile>) -> bool {
        self.state.ignoring.add(&path.to_text(), file)
    }

    /// The scope of the folder of this name, its own ignore files aside.
    #[must_use]
    pub fn child(&self, name: &[u8]) -> Self {
        Self {
            rules: Arc::clone(&self.rules),
            state: self.state.enter(&self.rules, name),
        }
    }

    /// The decision for the folder itself.
    pub fn decision(&self) -> Decision {
        self.state.decision
    }

    /// Whether some rule could allow a new name in the folder: only if not is its write bit
    /// a lie.
    pub fn could_gain_names(&self) -> bool {
        self.state.could_gain_names(&self.rules)
    }

    /// Whether everything below this folder is decided as below `other` (a scope of the same
    /// policy), so that a subtree may move from one to the other without a look at it. May say
    /// no where it is so all the same.
    pub fn decides_alike_below(&self, other: &Self) -> bool {
        self.state.same_below(&other.state)
    }
}
