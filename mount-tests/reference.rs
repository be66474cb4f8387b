//! A naive model of the policy: what a view of a small tree must show.
//!
//! Written from the contract alone and for clearness, with recursion and no caching, so that
//! it can be held against the mount. It knows one outside policy (`--policy`) with the four
//! kinds of rule, the few built-in names that the random trees use, and hard links.

use std::collections::{BTreeMap, BTreeSet};

/// What lies at a path of the real tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A folder.
    Folder,
    /// A file; files of the same number are names of one inode.
    File(usize),
    /// A symbolic link and its text.
    Link(String),
}

/// A real tree: paths, `/` between names, none for the root.
pub(crate) type Tree = BTreeMap<String, Node>;

/// What a rule does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Hide,
    Show,
    Allow(BTreeSet<Group>),
    Deny(BTreeSet<Group>),
}

/// The groups that a read-only view can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Read,
    Search,
}

/// One rule of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) pattern: String,
    pub(crate) effect: Effect,
}

impl Rule {
    /// The rule as the policy file has it.
    pub(crate) fn to_toml(&self) -> String {
        let groups = |groups: &BTreeSet<Group>| {
            let names: Vec<&str> = groups
                .iter()
                .map(|group| match group {
                    Group::Read => "\"read\"",
                    Group::Search => "\"search\"",
                })
                .collect();
            names.join(", ")
        };
        let effect = match &self.effect {
            Effect::Hide => "hide = true".to_owned(),
            Effect::Show => "show = true".to_owned(),
            Effect::Allow(given) => format!("allow = [{}]", groups(given)),
            // The mutating groups never show in a read-only view, but a path that has one
            // exists; refusing them here keeps `no group` meaning the same in both.
            Effect::Deny(refused) => format!(
                "deny = [{}, \"mutate-content\", \"mutate-structure\"]",
                groups(refused)
            ),
        };
        format!("[[rule]]\npath = \"{}\"\n{effect}\n", self.pattern)
    }
}

/// Names that built-in rules hide; all others of the random trees are ordinary.
const BUILT_IN: [&str; 3] = [".env", ".git", "id_rsa"];

/// The policy and the tree it is asked about.
pub(crate) struct Model<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) rules: &'a [Rule],
    /// What holds where no rule has an opinion: all groups, or nothing exists.
    pub(crate) default_allow: bool,
}

impl Model<'_> {
    /// The groups of a path in the view; `None` where it does not exist for a client.
    pub(crate) fn groups(&self, path: &str) -> Option<BTreeSet<Group>> {
        self.groups_by_path(path)
            .filter(|_| !self.shares_a_hidden_inode(path))
    }

    /// The groups without a look at a file's other names.
    pub(crate) fn groups_by_path(&self, path: &str) -> Option<BTreeSet<Group>> {
        prefixes(path)
            .map(|prefix| self.groups_by_name(prefix))
            .try_fold(BTreeSet::new(), |_, groups| groups)
    }

    /// Whether the contract says what this path is. It is silent on a folder on the way down
    /// to something visible that rules leave without a group or refuse to list, except where
    /// nothing exists by default.
    pub(crate) fn is_settled(&self, path: &str) -> bool {
        let way = self.is_way_to_a_show(path) || self.is_way_to_an_allow(path);
        if !self.default_allow || !self.is_folder(path) || !way {
            return true;
        }
        if self.is_hidden(path) {
            self.has_group(path, Group::Search)
        } else {
            self.groups_by_name(path).is_some()
        }
    }

    /// The names that a listing of a folder must give; `""` is the root.
    pub(crate) fn listing(&self, folder: &str) -> BTreeSet<String> {
        self.children(folder)
            .filter(|path| {
                self.groups(path)
                    .is_some_and(|groups| groups.contains(&Group::Search))
            })
            .map(|path| last(path).to_owned())
            .collect()
    }

    fn children(&self, folder: &str) -> impl Iterator<Item = &str> {
        self.tree
            .keys()
            .map(String::as_str)
            .filter(move |path| parent(path) == folder)
    }

    /// Whether a further name of the same file is hidden.
    fn shares_a_hidden_inode(&self, path: &str) -> bool {
        let Some(Node::File(inode)) = self.tree.get(path) else {
            return false;
        };
        self.tree
            .iter()
            .filter(|(_, node)| **node == Node::File(*inode))
            .any(|(name, _)| self.is_hidden(name))
    }

    fn is_folder(&self, path: &str) -> bool {
        self.tree.get(path) == Some(&Node::Folder)
    }

    /// Visibility (rule 1) by name alone.
    pub(crate) fn is_hidden(&self, path: &str) -> bool {
        // Each name is a rule of its own: a show that undoes one leaves the others.
        let built_in = BUILT_IN.iter().filter_map(|hidden| {
            prefixes(path).position(|prefix| {
                let folder_too = *hidden == ".git";
                last(prefix).to_lowercase() == *hidden && (folder_too || !self.is_folder(prefix))
            })
        });
        let written = self.rules.iter().filter_map(|rule| {
            let matched =
                || prefixes(path).position(|p| matches(&rule.pattern, p, self.is_folder(p)));
            (rule.effect == Effect::Hide).then(matched).flatten()
        });
        built_in
            .chain(written)
            .any(|outermost| !self.is_shown(path, outermost))
    }

    /// Whether a show undoes, for `path`, a hide whose outermost match is at that depth.
    fn is_shown(&self, path: &str, outermost: usize) -> bool {
        let shows = self.rules.iter().filter(|rule| rule.effect == Effect::Show);
        shows.into_iter().any(|show| {
            prefixes(path).enumerate().any(|(depth, prefix)| {
                let by_name_only = !is_anchored(&show.pattern);
                let reaches = if by_name_only || has_wildcard(&show.pattern) {
                    depth == outermost
                } else {
                    depth >= outermost
                };
                reaches && matches(&show.pattern, prefix, self.is_folder(prefix))
            })
        })
    }

    /// Whether a show's literal path lies below this folder.
    fn is_way_to_a_show(&self, path: &str) -> bool {
        self.is_folder(path)
            && self.rules.iter().any(|rule| {
                rule.effect == Effect::Show
                    && is_anchored(&rule.pattern)
                    && !has_wildcard(&rule.pattern)
                    && rule
                        .pattern
                        .trim_start_matches('/')
                        .starts_with(&format!("{path}/"))
            })
    }

    /// Groups (rule 2) by name alone; `None`: the path does not exist.
    fn groups_by_name(&self, path: &str) -> Option<BTreeSet<Group>> {
        let only_search = || Some(BTreeSet::from([Group::Search]));
        if self.is_hidden(path) {
            return self.is_way_to_a_show(path).then(only_search).flatten();
        }
        let groups: BTreeSet<Group> = [Group::Read, Group::Search]
            .into_iter()
            .filter(|group| self.has_group(path, *group))
            .collect();
        if groups.is_empty() {
            let way = !self.default_allow
                && self.is_folder(path)
                && (self.is_way_to_a_show(path) || self.is_way_to_an_allow(path));
            return way.then(only_search).flatten();
        }
        Some(groups)
    }

    fn has_group(&self, path: &str, group: Group) -> bool {
        let mut best: Option<(usize, bool)> = None;
        for rule in self.rules {
            let given = match &rule.effect {
                Effect::Allow(groups) => groups.contains(&group),
                Effect::Deny(groups) if groups.contains(&group) => false,
                _ => continue,
            };
            if !prefixes(path).any(|p| matches(&rule.pattern, p, self.is_folder(p))) {
                continue;
            }
            let length = rule
                .pattern
                .chars()
                .filter(|c| !"*?[]".contains(*c))
                .count();
            best = match best {
                Some((longest, _)) if longest > length => best,
                Some((longest, before)) if longest == length => Some((length, before && given)),
                _ => Some((length, given)),
            };
        }
        best.map_or(self.default_allow, |(_, given)| given)
    }

    /// Whether some allow could match below this folder, told from the pattern.
    fn is_way_to_an_allow(&self, path: &str) -> bool {
        self.rules
            .iter()
            .filter(|rule| matches!(rule.effect, Effect::Allow(_)))
            .any(|rule| {
                let pattern = rule.pattern.trim_end_matches('/');
                !is_anchored(&rule.pattern)
                    || way(&split(pattern.trim_start_matches('/')), &split(path))
            })
    }
}

/// Whether names below `path` could match the components of `pattern`.
fn way(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        (["**", ..], _) | ([_, ..], []) => true,
        ([first, rest @ ..], [name, below @ ..]) => {
            component(first.as_bytes(), name.as_bytes()) && way(rest, below)
        }
        ([], _) => false,
    }
}

/// Whether the pattern matches this very path (a folder it covers is asked for itself).
pub(crate) fn matches(pattern: &str, path: &str, is_folder: bool) -> bool {
    let (body, folders_only) = if let Some(zone) = pattern.strip_suffix("/**") {
        (zone.to_owned() + "/", true)
    } else {
        (pattern.to_owned(), pattern.ends_with('/'))
    };
    if folders_only && !is_folder {
        return false;
    }
    let anchored = is_anchored(pattern);
    let body = body.trim_start_matches('/').trim_end_matches('/');
    if anchored {
        components(&split(body), &split(path))
    } else {
        component(body.as_bytes(), last(path).as_bytes())
    }
}

fn components(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            components(rest, path) || (!path.is_empty() && components(pattern, &path[1..]))
        }
        ([first, rest @ ..], [name, below @ ..]) => {
            component(first.as_bytes(), name.as_bytes()) && components(rest, below)
        }
        _ => false,
    }
}

/// One component: `*`, `?` and `[ab]`.
fn component(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            component(rest, name) || (!name.is_empty() && component(pattern, &name[1..]))
        }
        ([b'?', rest @ ..], [_, below @ ..]) => component(rest, below),
        ([b'[', rest @ ..], [byte, below @ ..]) => {
            let end = rest.iter().position(|&b| b == b']').unwrap();
            rest[..end].contains(byte) && component(&rest[end + 1..], below)
        }
        ([first, rest @ ..], [byte, below @ ..]) => first == byte && component(rest, below),
        _ => false,
    }
}

/// A `/` other than a trailing one anchors.
fn is_anchored(pattern: &str) -> bool {
    pattern.trim_end_matches('/').contains('/')
}

fn has_wildcard(pattern: &str) -> bool {
    pattern.contains(['*', '?', '['])
}

fn split(path: &str) -> Vec<&str> {
    path.split('/').collect()
}

/// The path's folders from the outermost, then the path itself.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .map(|(end, _)| &path[..end])
        .chain(std::iter::once(path))
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[test]
fn the_matcher_knows_the_patterns_of_the_contract() {
    let rows = [
        ("a", "x/a", true),
        ("/a", "x/a", false),
        ("/a", "a", true),
        ("**/a", "a", true),
        ("**/a", "x/y/a", true),
        ("d/**/*.md", "d/a.md", true),
        ("d/**/*.md", "d/x/y/a.md", true),
        ("d/*", "d/x/y", false),
        ("*.txt", "x/a.txt", true),
        ("?", "x/ab", false),
        ("[ab]", "x/b", true),
        ("a/b", "x/a/b", false),
    ];
    for (pattern, path, expected) in rows {
        assert_eq!(matches(pattern, path, false), expected, "{pattern} {path}");
    }
    for pattern in ["zone/", "/zone/", "zone/**"] {
        assert!(matches(pattern, "zone", true) && !matches(pattern, "zone", false));
        assert!(!matches(pattern, "zone2", true));
    }
}
