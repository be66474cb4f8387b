//! What `explain` says is what the mount does: random trees under random policies, every path
//! of the tree and many that are not there.

use crate::harness::View;
use crate::model::cases;
use crate::processes::{inspectfs, run};
use crate::workspace::Workspace;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

const FOLDERS: [&str; 8] = [
    "a",
    "b",
    "c",
    ".git",
    "secrets",
    "node_modules",
    "odd \"x\"",
    ".ssh",
];
const FILES: [&str; 16] = [
    "a",
    "b",
    "x.txt",
    "y.log",
    ".env",
    ".env.example",
    "id_rsa",
    "k.pem",
    "ca.pem",
    "raw.key",
    ".npmrc",
    "new\nline",
    "-n",
    ".agentignore",
    "x.txt.inspect.json",
    "credentials.json",
];
const PATTERNS: [&str; 26] = [
    "a",
    "b/",
    "*.txt",
    "a/*",
    "/b",
    "**/c",
    "a/**",
    "b/**/y.log",
    "[ab]",
    "c/a",
    "/c/",
    "odd*",
    "node_modules/",
    "secrets/**",
    "**/secrets/**",
    "*.pem",
    "a/b/",
    "x.txt",
    "/a/x.txt",
    ".git",
    "-n",
    "a/.git",
    "*",
    "**",
    ".npmrc",
    "c/**/x.txt",
];
const SHOWS: [&str; 10] = [
    "a/b/x.txt",
    ".env",
    "c/.env",
    "b",
    "a/.git",
    ".git/a",
    "k.pem",
    "secrets/x.txt",
    "x.txt",
    "node_modules/a/b",
];
const LINES: [&str; 6] = ["*.log", "x.txt", "/a/", "!x.txt", "b", "*"];
const LINKS: [&str; 9] = [
    "a", "b/x.txt", ".env", "../a", ".git", "/usr", "/etc", "gone", "x.txt",
];
const GROUPS: [&str; 4] = ["read", "search", "mutate-content", "mutate-structure"];

/// What is put at a place, if the place is free.
#[derive(Debug, Clone)]
enum Thing {
    Folder,
    File(usize),
    Link(usize, usize),
    Further(usize, usize),
    Pipe(usize),
}

type Seed = (Vec<usize>, Thing);

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    let folders = prop::collection::vec(0..FOLDERS.len(), 0..4);
    let name = 0..FILES.len();
    let thing = prop_oneof![
        1 => Just(Thing::Folder),
        8 => name.clone().prop_map(Thing::File),
        2 => (name.clone(), 0..LINKS.len()).prop_map(|(name, to)| Thing::Link(name, to)),
        1 => (name.clone(), any::<usize>()).prop_map(|(name, of)| Thing::Further(name, of)),
        1 => name.prop_map(Thing::Pipe),
    ];
    prop::collection::vec((folders, thing), 1..50)
}

fn rule() -> impl Strategy<Value = String> {
    let pattern = prop::sample::select(&PATTERNS[..]);
    let groups = prop::sample::subsequence(&GROUPS[..], 0..=4);
    prop_oneof![
        3 => pattern.clone().prop_map(|path| format!("[[rule]]\npath = '{path}'\nhide = true\n")),
        2 => prop::sample::select(&SHOWS[..])
            .prop_map(|path| format!("[[rule]]\npath = '{path}'\nshow = true\n")),
        3 => (pattern, prop::bool::ANY, groups).prop_map(|(path, allow, groups)| {
            let word = if allow || groups.is_empty() { "allow" } else { "deny" };
            format!("[[rule]]\npath = '{path}'\n{word} = {groups:?}\n")
        }),
    ]
}

fn policy() -> impl Strategy<Value = String> {
    let head = prop_oneof![
        5 => Just(""),
        1 => Just("default = 'deny'\n"),
        1 => Just("default = ['read', 'search']\n"),
        1 => Just("default = ['search', 'mutate-content']\n"),
        1 => Just("hardlinks = 'allow'\n"),
        1 => Just("hardlinks = 'deny'\n"),
    ];
    let tail = prop_oneof![
        5 => Just(""),
        1 => Just("[symlinks]\nmode = 'deny'\n"),
        1 => Just("[builtin]\nenabled = false\n"),
        1 => Just("[builtin]\nshow = ['.env', 'k.pem']\n"),
        1 => Just("[limits]\nmax_file_bytes = 4\n"),
    ];
    (head, prop::collection::vec(rule(), 0..6), tail)
        .prop_map(|(head, rules, tail)| format!("{head}{}{tail}", rules.concat()))
}

fn content(name: &str, number: usize) -> String {
    match name {
        "k.pem" => "-----BEGIN PRIVATE KEY-----\nMII\n".to_owned(),
        "ca.pem" => "-----BEGIN CERTIFICATE-----\nMII\n".to_owned(),
        ".npmrc" if number.is_multiple_of(2) => "//r/:_authToken=x\n".to_owned(),
        ".agentignore" => format!("{}\n", LINES[number % LINES.len()]),
        _ => format!("content {number}"),
    }
}

/// Builds the tree; answers its paths.
fn build(seeds: &[Seed]) -> (Workspace, BTreeSet<String>) {
    let workspace = Workspace::new();
    let mut paths = BTreeSet::new();
    let mut files: Vec<String> = Vec::new();
    for (number, (at, thing)) in seeds.iter().enumerate() {
        let mut folder = String::new();
        let fits = at.iter().all(|&index| {
            folder = below(&folder, FOLDERS[index]);
            let real = workspace.path(&folder);
            real.symlink_metadata().is_err() || real.symlink_metadata().unwrap().is_dir()
        });
        if !fits {
            continue;
        }
        if !folder.is_empty() {
            workspace.folder(&folder);
            paths.extend(
                Path::new(&folder)
                    .ancestors()
                    .map(|path| path.to_str().unwrap().to_owned()),
            );
        }
        let name = match thing {
            Thing::Folder => continue,
            Thing::File(name)
            | Thing::Link(name, _)
            | Thing::Further(name, _)
            | Thing::Pipe(name) => FILES[*name],
        };
        let path = below(&folder, name);
        if workspace.path(&path).symlink_metadata().is_ok() {
            continue;
        }
        match thing {
            Thing::Further(_, of) if !files.is_empty() => {
                workspace.hard_link(&path, &files[of % files.len()]);
            }
            Thing::Link(_, to) => {
                workspace.link(&path, LINKS[*to]);
            }
            Thing::Pipe(_) => {
                workspace.fifo(&path);
            }
            _ => {
                workspace.file(&path, content(name, number));
                files.push(path.clone());
            }
        }
        paths.insert(path);
    }
    (workspace, paths)
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// The paths that are asked about: those of the tree, what could lie below and beside them.
fn asked(paths: &BTreeSet<String>) -> Vec<String> {
    let mut asked: BTreeSet<String> = paths.clone();
    for path in paths {
        for name in ["none", ".env", "x.txt", "a"] {
            asked.insert(below(path, name));
        }
        if !path.is_empty() {
            asked.insert(format!("{path}.inspect.json"));
            asked.insert(format!("{path}.outline.json"));
        }
    }
    asked.remove("");
    asked.into_iter().collect()
}

fn explain(workspace: &Workspace, policy: &Path, paths: &[String]) -> Vec<Value> {
    let mut command = inspectfs();
    command
        .current_dir(workspace.root())
        .args(["explain", "--json", "--policy"])
        .arg(policy)
        .arg("--workspace")
        .arg(workspace.root())
        .arg("--")
        .args(paths);
    let done = run(&mut command);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let lines: Vec<Value> = done
        .out()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), paths.len());
    lines
}

/// How the mount answers to one path, in the words of explanations, and what differs.
fn differs(view: &View, listings: &mut Listings, path: &str, told: &Value) -> Option<String> {
    let state = told["state"].as_str().unwrap();
    let found = fs::symlink_metadata(view.path(path));
    let expected: &[&str] = match found.as_ref().map_err(std::io::Error::raw_os_error) {
        Ok(_) => &["visible", "outside"],
        Err(Some(libc::ENOENT)) => &["hidden", "missing", "outside"],
        Err(Some(libc::ENOTDIR)) => &["missing", "hidden"],
        Err(Some(libc::EACCES | libc::ELOOP)) => &["refused"],
        Err(other) => return Some(format!("lstat fails with {other:?}")),
    };
    if !expected.contains(&state) {
        return Some(format!("lstat gives {found:?}"));
    }
    let Ok(meta) = found else {
        let given = told["groups"]
            .as_array()
            .unwrap()
            .iter()
            .any(|group| group["given"] == true);
        return (state == "hidden" && given).then(|| "hidden and given a group".to_owned());
    };
    if state == "outside" {
        return None;
    }
    let given = |name: &str| {
        let groups = told["groups"].as_array().unwrap();
        groups
            .iter()
            .any(|group| group["group"] == name && group["given"] == true)
    };
    let kind = told["type"].as_str().unwrap();
    let type_is = match kind {
        "folder" => meta.is_dir(),
        "file" | "sidecar" => meta.is_file(),
        "symlink" => meta.is_symlink(),
        _ => meta.file_type().is_fifo(),
    };
    if !type_is {
        return Some(format!("it is {:?}", meta.file_type()));
    }
    let place = told["leads_to"].as_str().unwrap_or(path);
    if kind != "sidecar"
        && let Some(listed) = listings.listed(view, place)
        && listed != given("search")
    {
        return Some(format!("listed: {listed}"));
    }
    let mode = meta.mode();
    let notes = told["notes"].to_string();
    let refused = |result: std::io::Result<()>| match result.map_err(|error| error.raw_os_error()) {
        Ok(()) => Ok(false),
        Err(Some(libc::EACCES)) => Ok(true),
        Err(other) => Err(format!("reading fails with {other:?}")),
    };
    let at = view.path(path);
    let (what, is, says) = match kind {
        "folder" => ("listing", refused(list(&at)), !given("search")),
        "symlink" => (
            "the link",
            refused(fs::read_link(at).map(drop)),
            !given("read") || notes.contains("(EACCES)"),
        ),
        "file" if notes.contains("(EFBIG)") && given("read") => {
            let error = fs::read(at).err().and_then(|error| error.raw_os_error());
            ("size", Ok(error == Some(libc::EFBIG)), true)
        }
        "file" | "sidecar" => ("reading", refused(fs::read(at).map(drop)), !given("read")),
        // A pipe has no writer: only its bits are looked at.
        _ => ("bits", Ok(mode & 0o444 == 0), !given("read")),
    };
    match is {
        Err(fault) => return Some(fault),
        Ok(is) if is != says => return Some(format!("{what} is refused: {is}")),
        Ok(_) => {}
    }
    let bits = match kind {
        "folder" => (mode & 0o444 != 0) == given("search"),
        "symlink" => true,
        "sidecar" => mode & 0o777 == 0o444,
        _ => (mode & 0o444 != 0) == given("read") && (mode & 0o200 != 0) == given("mutate-content"),
    };
    (!bits).then(|| format!("the mode is {mode:o}"))
}

/// Lists a folder: where opens are not asked for, the listing itself is refused.
fn list(folder: &Path) -> std::io::Result<()> {
    fs::read_dir(folder)?.try_for_each(|entry| entry.map(drop))
}

/// The listings of the mount, each taken once.
#[derive(Default)]
struct Listings(BTreeMap<String, Option<BTreeSet<String>>>);

impl Listings {
    /// Whether the folder above lists the path; `None` if it lists nothing at all.
    fn listed(&mut self, view: &View, path: &str) -> Option<bool> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let names = self.0.entry(folder.to_owned()).or_insert_with(|| {
            let names = view.all_names(folder).ok()?;
            Some(
                names
                    .into_iter()
                    .map(|name| name.into_string().unwrap())
                    .collect(),
            )
        });
        names.as_ref().map(|names| names.contains(name))
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn explain_says_what_the_mount_does(seeds in seeds(), policy in policy()) {
        let (workspace, paths) = build(&seeds);
        let file = workspace.base().join("policy.toml");
        fs::write(&file, &policy).unwrap();
        let asked = asked(&paths);
        let told = explain(&workspace, &file, &asked);
        let view = View::mount_with(workspace, &["--policy", file.to_str().unwrap()]);
        let mut listings = Listings::default();
        let mut faults = String::new();
        for (path, told) in asked.iter().zip(&told) {
            if let Some(fault) = differs(&view, &mut listings, path, told) {
                let _written = writeln!(faults, "{path:?}: {fault}, and explain says {told}");
            }
        }
        prop_assert!(faults.is_empty(), "{faults}under:\n{policy}");
    }
}
