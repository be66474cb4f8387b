//! Random trees under random rules: the mount against the naive model.

use crate::harness::View;
use crate::reference::{Effect, Group, Model, Node, Rule, Tree};
use crate::workspace::Workspace;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const FOLDERS: [&str; 6] = ["a", "b", "c", ".git", "odd \"x\"", "\u{e9}t\u{e9}"];
const FILES: [&str; 9] = [
    "a",
    "b",
    "x.txt",
    "y.log",
    ".env",
    "id_rsa",
    "new\nline",
    "-n",
    "\u{1f600}.txt",
];
const HIDES: [&str; 14] = [
    "a",
    "b/",
    "*.txt",
    "a/*",
    "/b",
    "**/c",
    "a/**",
    "?",
    "b/**/y.log",
    "[ab]",
    "A",
    "c/a",
    "/c/",
    "odd*",
];
const SHOWS: [&str; 9] = [
    "a/b/x.txt",
    ".env",
    "c/.env",
    "b",
    "a/x.txt",
    "/b",
    "b/.git",
    "*/y.log",
    "x.txt",
];
// A pattern that names a folder without a trailing `/` says nothing of what is below it, so
// group rules are zones or kinds of file.
const ZONES: [&str; 8] = [
    "a/", "b/**", "*.txt", "*.log", "c/", "a/b/", "/c/**", "b/*.txt",
];

/// A place in the tree, and what is put there if the place is free.
#[derive(Debug, Clone)]
enum Seed {
    Folder(Vec<usize>),
    File(Vec<usize>, usize),
    Link(Vec<usize>, usize, usize),
    /// A further name for one of the files made so far.
    HardLink(Vec<usize>, usize, usize),
}

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    let folders = || prop::collection::vec(0..FOLDERS.len(), 0..4);
    let seed = prop_oneof![
        2 => folders().prop_map(Seed::Folder),
        6 => (folders(), 0..FILES.len()).prop_map(|(at, name)| Seed::File(at, name)),
        1 => (folders(), 0..FILES.len(), 0..FILES.len())
            .prop_map(|(at, name, to)| Seed::Link(at, name, to)),
        1 => (folders(), 0..FILES.len(), any::<usize>())
            .prop_map(|(at, name, of)| Seed::HardLink(at, name, of)),
    ];
    prop::collection::vec(seed, 1..40)
}

fn plant(seeds: &[Seed]) -> Tree {
    let mut tree = Tree::new();
    let mut files = 0;
    for seed in seeds {
        let (Seed::Folder(at) | Seed::File(at, _) | Seed::Link(at, ..) | Seed::HardLink(at, ..)) =
            seed;
        let mut folder = String::new();
        let mut blocked = false;
        for &index in at {
            let path = below(&folder, FOLDERS[index]);
            blocked |= *tree.entry(path.clone()).or_insert(Node::Folder) != Node::Folder;
            if blocked {
                break;
            }
            folder = path;
        }
        let (name, node) = match seed {
            _ if blocked => continue,
            Seed::Folder(_) => continue,
            Seed::File(_, name) => (*name, Node::File(files)),
            Seed::Link(_, name, to) => (*name, Node::Link(FILES[*to].to_owned())),
            Seed::HardLink(..) if files == 0 => continue,
            Seed::HardLink(_, name, of) => (*name, Node::File(of % files)),
        };
        let path = below(&folder, FILES[name]);
        if let std::collections::btree_map::Entry::Vacant(place) = tree.entry(path) {
            files += usize::from(node == Node::File(files));
            place.insert(node);
        }
    }
    tree
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let groups = prop_oneof![
        Just(BTreeSet::from([Group::Read])),
        Just(BTreeSet::from([Group::Search])),
        Just(BTreeSet::from([Group::Read, Group::Search])),
    ];
    let rule = prop_oneof![
        3 => prop::sample::select(&HIDES[..]).prop_map(|pattern| (pattern, Effect::Hide)),
        2 => prop::sample::select(&SHOWS[..]).prop_map(|pattern| (pattern, Effect::Show)),
        2 => (prop::sample::select(&ZONES[..]), groups.clone())
            .prop_map(|(pattern, groups)| (pattern, Effect::Allow(groups))),
        2 => (prop::sample::select(&ZONES[..]), groups)
            .prop_map(|(pattern, groups)| (pattern, Effect::Deny(groups))),
    ];
    let rule = rule.prop_map(|(pattern, effect)| Rule {
        pattern: pattern.to_owned(),
        effect,
    });
    prop::collection::vec(rule, 0..6)
}

/// The rules for `default = "deny"`, where the contract is silent on what a folder on the way
/// down is if some rule refuses it: allows give all, nothing is denied.
fn allowing(rules: Vec<Rule>) -> Vec<Rule> {
    let all = BTreeSet::from([Group::Read, Group::Search]);
    rules
        .into_iter()
        .filter(|rule| !matches!(rule.effect, Effect::Deny(_)))
        .map(|rule| match rule.effect {
            Effect::Allow(_) => Rule {
                effect: Effect::Allow(all.clone()),
                ..rule
            },
            _ => rule,
        })
        .collect()
}

fn build(tree: &Tree) -> Workspace {
    let workspace = Workspace::new();
    let mut first_names: BTreeMap<usize, &str> = BTreeMap::new();
    for (path, node) in tree {
        match node {
            Node::Folder => workspace.folder(path),
            Node::Link(text) => workspace.link(path, text),
            Node::File(inode) => {
                if let Some(first) = first_names.get(inode) {
                    workspace.hard_link(path, first)
                } else {
                    first_names.insert(*inode, path);
                    workspace.file(path, format!("content {inode}"))
                }
            }
        };
    }
    workspace
}

fn listed(view: &View, folder: &str) -> Result<BTreeSet<String>, Option<i32>> {
    let names = view
        .all_names(folder)
        .map_err(|error| error.raw_os_error())?;
    Ok(names
        .into_iter()
        .map(|name| name.into_string().unwrap())
        .filter(|name| !(folder.is_empty() && name == ".inspect.json"))
        .collect())
}

/// Compares every path of the real tree, seen or not, with what the model says of it.
fn compare(view: &View, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(
        listed(view, ""),
        Ok(model.listing("")),
        "the root's listing"
    );
    for (path, node) in model.tree {
        let groups = model.groups(path);
        prop_assert_eq!(
            view.exists(path),
            groups.is_some(),
            "existence of {:?}",
            path
        );
        let summary = format!("{path}.inspect.json");
        prop_assert_eq!(view.exists(&summary), groups.is_some(), "{:?}", summary);
        let Some(groups) = groups else { continue };
        let readable = groups.contains(&Group::Read);
        let mut told = view.json(&summary)["permissions"].clone();
        let told: BTreeSet<String> = serde_json::from_value(told.take()).unwrap();
        let expected: BTreeSet<String> = groups
            .iter()
            .map(|group| format!("{group:?}").to_lowercase())
            .collect();
        prop_assert_eq!(told, expected, "permissions of {:?}", path);
        match node {
            Node::Folder if groups.contains(&Group::Search) => {
                let names = model.listing(path);
                prop_assert_eq!(listed(view, path), Ok(names), "listing of {:?}", path);
            }
            Node::Folder => {
                let refused = Err(Some(libc::EACCES));
                prop_assert_eq!(listed(view, path), refused, "listing of {:?}", path);
            }
            Node::Link(text) => {
                prop_assert!(view.stat(path).is_symlink());
                if readable {
                    let seen = fs::read_link(view.path(path)).unwrap();
                    prop_assert_eq!(seen.to_str(), Some(&**text));
                }
            }
            Node::File(inode) => {
                let seen = fs::read(view.path(path)).map_err(|error| error.raw_os_error());
                let expected = if readable {
                    Ok(format!("content {inode}").into_bytes())
                } else {
                    Err(Some(libc::EACCES))
                };
                prop_assert_eq!(seen, expected, "content of {:?}", path);
            }
        }
    }
    Ok(())
}

/// 24, or as many as `PROPTEST_CASES` asks for.
pub(crate) fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(24)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_mount_shows_what_the_model_says(
        seeds in seeds(),
        rules in rules(),
        default_allow in prop::bool::weighted(0.8),
    ) {
        let tree = plant(&seeds);
        let rules = if default_allow { rules } else { allowing(rules) };
        let model = Model { tree: &tree, rules: &rules, default_allow };
        // Twins of one file that lack groups without being hidden: the contract speaks of
        // hidden names only, so such trees say nothing.
        let settled = tree.iter().all(|(path, node)| match node {
            Node::File(_) => {
                model.is_hidden(path)
                    || model.groups_by_path(path).is_some()
                    || !has_twin(&tree, path)
            }
            _ => model.is_settled(path),
        });
        prop_assume!(settled);
        let mut policy = if default_allow { String::new() } else { "default = \"deny\"\n".into() };
        policy.extend(rules.iter().map(Rule::to_toml));
        let view = View::with_policy(build(&tree), &policy);
        compare(&view, &model).map_err(|error| {
            TestCaseError::fail(format!("{error}\nunder:\n{policy}"))
        })?;
    }
}

fn has_twin(tree: &Tree, path: &str) -> bool {
    let node = tree.get(path);
    tree.iter()
        .any(|(other, twin)| other != path && Some(twin) == node)
}
