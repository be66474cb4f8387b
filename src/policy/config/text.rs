//! The shape of a policy file's TOML, as serde reads it: names of keys and types of values.
//!
//! Nothing is checked here but what serde checks; positions are kept for errors.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use toml::Spanned;

use crate::policy::groups::{Group, Groups};
use crate::policy::labels::Label;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileText {
    pub(super) default: Option<Spanned<DefaultText>>,
    pub(super) special: Option<Spanned<String>>,
    pub(super) hardlinks: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) rule: Vec<Spanned<RuleText>>,
    #[serde(default)]
    pub(super) builtin: BuiltInText,
    #[serde(default)]
    pub(super) symlinks: SymlinksText,
    #[serde(default)]
    pub(super) ignore_files: IgnoreFilesText,
    #[serde(default)]
    pub(super) limits: LimitsText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleText {
    pub(super) path: Spanned<String>,
    pub(super) allow: Option<Vec<Group>>,
    pub(super) deny: Option<Vec<Group>>,
    pub(super) hide: Option<Spanned<bool>>,
    pub(super) show: Option<Spanned<bool>>,
    pub(super) label: Option<Label>,
    pub(super) reason: Option<String>,
    pub(super) alternative: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct BuiltInText {
    #[serde(default)]
    pub(super) show: Vec<Spanned<String>>,
    pub(super) enabled: Option<Spanned<bool>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct SymlinksText {
    pub(super) mode: Option<Spanned<String>>,
    pub(super) allow_outside: Option<Vec<Spanned<String>>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct IgnoreFilesText {
    pub(super) names: Option<Vec<Spanned<String>>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsText {
    pub(super) max_file_bytes: Option<u64>,
    pub(super) max_list_entries: Option<u64>,
}

/// `"allow"`, `"deny"` or a list of groups.
pub(super) struct DefaultText(pub(super) Groups);

impl<'de> Deserialize<'de> for DefaultText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DefaultVisitor;
        impl<'de> Visitor<'de> for DefaultVisitor {
            type Value = DefaultText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"allow\", \"deny\" or a list of groups")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<DefaultText, E> {
                match word {
                    "allow" => Ok(DefaultText(Groups::all())),
                    "deny" => Ok(DefaultText(Groups::empty())),
                    _ => Err(E::unknown_variant(word, &["allow", "deny"])),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<DefaultText, A::Error> {
                let mut groups = Groups::empty();
                while let Some(group) = list.next_element::<Group>()? {
                    groups |= group.into();
                }
                Ok(DefaultText(groups))
            }
        }
        deserializer.deserialize_any(DefaultVisitor)
    }
}
