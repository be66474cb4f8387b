//! What a decision costs: a path from the root, and one name of a folder that is known, under
//! policies of 1, 20 and 200 rules beside the built-in ones.
//!
//!     cargo bench --locked --bench policy

use inspectfs::policy::{FolderScope, PathKind, Policy, PolicyText, Sources};
use inspectfs::relpath::RelPath;
use std::fmt::Write;

/// How many rules the policy file holds.
const RULES: [usize; 3] = [1, 20, 200];

const PATH: &[u8] = b"packages/app17/src/components/button.tsx";

fn main() {
    divan::main();
}

/// Kinds of rules in turn: zones, names at any depth, kinds of file, paths.
fn policy(rules: usize) -> Policy {
    let mut text = String::new();
    for number in 0..rules {
        let (path, effect) = match number % 4 {
            0 => (
                format!("packages/app{number}/**"),
                "deny = ['mutate-structure']",
            ),
            1 => (format!("private{number}"), "hide = true"),
            2 => (format!("*.kind{number}"), "allow = ['read', 'search']"),
            _ => (
                format!("docs/part{number}/*.md"),
                "deny = ['mutate-content']",
            ),
        };
        let _written = write!(text, "[[rule]]\npath = '{path}'\n{effect}\n");
    }
    let policy_file = Some(PolicyText {
        label: "policy.toml".to_owned(),
        text,
    });
    let sources = Sources {
        policy_file,
        ..Sources::default()
    };
    match Policy::new(&sources) {
        Ok(policy) => policy,
        Err(fault) => panic!("{fault}"),
    }
}

fn path() -> RelPath {
    RelPath::parse(PATH).unwrap_or_default()
}

/// As `explain` and the check of a moved file decide: every folder on the way is walked.
#[divan::bench(args = RULES)]
fn path_from_the_root(bencher: divan::Bencher<'_, '_>, rules: usize) {
    let (policy, path) = (policy(rules), path());
    bencher.bench(|| policy.decide(divan::black_box(&path), PathKind::File));
}

fn scope(rules: usize) -> FolderScope {
    policy(rules).folder(&path().parent().unwrap_or_default())
}

/// As a lookup decides: the folder is known.
#[divan::bench(args = RULES)]
fn name_in_a_known_folder(bencher: divan::Bencher<'_, '_>, rules: usize) {
    let scope = scope(rules);
    bencher.bench(|| scope.decide(divan::black_box(b"button.tsx"), PathKind::File));
}

/// As a lookup of a hidden name decides.
#[divan::bench(args = RULES)]
fn hidden_name_in_a_known_folder(bencher: divan::Bencher<'_, '_>, rules: usize) {
    let scope = scope(rules);
    bencher.bench(|| scope.decide(divan::black_box(b".env.local"), PathKind::File));
}

/// As the first look into a folder gathers what deciding below it needs.
#[divan::bench(args = RULES)]
fn step_into_a_folder(bencher: divan::Bencher<'_, '_>, rules: usize) {
    let scope = scope(rules);
    bencher.bench(|| scope.child(divan::black_box(b"icons")));
}

/// As a reload compiles the rules.
#[divan::bench(args = RULES)]
fn compile(bencher: divan::Bencher<'_, '_>, rules: usize) {
    bencher.bench(|| policy(divan::black_box(rules)));
}
