//! The four groups of operations a path may be used for.
//!
//! A path with no group does not exist in the view; which system calls belong to which group is
//! the view's knowledge, not this module's.

use serde::{Deserialize, Serialize};

/// One group of operations, by the name it has in policy files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Open for reading, map, execute; a sidecar may carry structure.
    Read,
    /// The name appears in listings; a folder may also be listed.
    Search,
    /// Write, truncate, allocate, set times and user attributes.
    MutateContent,
    /// Create, link, unlink, rename, change the mode; asked on the name that appears or goes.
    MutateStructure,
}

impl Group {
    /// Every group, in the order documents and messages use.
    pub const ALL: [Self; 4] = [
        Self::Read,
        Self::Search,
        Self::MutateContent,
        Self::MutateStructure,
    ];

    /// The names of [`Group::ALL`], as policy files have them.
    pub const NAMES: [&'static str; 4] = ["read", "search", "mutate-content", "mutate-structure"];

    /// The name in policy files.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The group of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }
}

bitflags::bitflags! {
    /// A set of groups.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Groups: u8 {
        /// [`Group::Read`]
        const READ = 1;
        /// [`Group::Search`]
        const SEARCH = 1 << 1;
        /// [`Group::MutateContent`]
        const MUTATE_CONTENT = 1 << 2;
        /// [`Group::MutateStructure`]
        const MUTATE_STRUCTURE = 1 << 3;
        /// Both groups that change something.
        const MUTATE = Self::MUTATE_CONTENT.bits() | Self::MUTATE_STRUCTURE.bits();
    }
}

impl From<Group> for Groups {
    fn from(group: Group) -> Self {
        Self::from_bits_truncate(1 << group as u8)
    }
}

impl FromIterator<Group> for Groups {
    fn from_iter<I: IntoIterator<Item = Group>>(groups: I) -> Self {
        groups
            .into_iter()
            .fold(Self::empty(), |set, group| set | group.into())
    }
}

impl Groups {
    /// Whether the set holds the group.
    pub fn has(self, group: Group) -> bool {
        self.contains(group.into())
    }

    /// The groups in the set, in the order of [`Group::ALL`].
    pub fn groups(self) -> impl Iterator<Item = Group> {
        Group::ALL.into_iter().filter(move |&group| self.has(group))
    }

    /// The names of the groups in the set, in the order of [`Group::ALL`].
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.groups().map(Group::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bits_agree_with_the_enum() {
        for group in Group::ALL {
            assert_eq!(Group::from_name(group.name()), Some(group));
            assert_eq!(
                Groups::from(group).names().collect::<Vec<_>>(),
                [group.name()]
            );
            assert_eq!(
                serde_json::to_value(group).ok(),
                Some(group.name().into()),
                "the serde name is the policy name"
            );
        }
        assert_eq!(Groups::all().names().collect::<Vec<_>>(), Group::NAMES);
        assert_eq!(
            Groups::from(Group::MutateStructure),
            Groups::MUTATE_STRUCTURE
        );
        assert_eq!(Group::from_name("write"), None);
    }
}
