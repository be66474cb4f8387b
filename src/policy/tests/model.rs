//! Random policies against a model that follows the description of rules word by word, without
//! any of the engine's structure, and the properties that must hold whatever the rules.

use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::*;

/// Names that the patterns below can meet.
const NAMES: [&str; 4] = ["a", "b", "ab", "c"];

const PARTS: [&str; 11] = [
    "a", "b", "ab", "c", "*", "**", "a*", "*b", "?", "[ab]", "[!a]",
];

#[derive(Debug, Clone)]
struct ModelRule {
    /// 0 the main file, 1 the user's, 2 the command line
    seat: usize,
    pattern: String,
    allow: Option<Groups>,
    deny: Groups,
    hide: bool,
    show: bool,
}

#[derive(Debug, Clone)]
struct Model {
    /// The main file is `--policy`, not the workspace's own.
    main_is_outside: bool,
    default: Groups,
    rules: Vec<ModelRule>,
}

// What patterns mean.

fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            name_matches(rest, name) || (!name.is_empty() && name_matches(pattern, &name[1..]))
        }
        ([b'?', rest @ ..], [_, name @ ..]) => name_matches(rest, name),
        ([b'[', b'a', b'b', b']', rest @ ..], [byte, name @ ..]) => {
            (*byte == b'a' || *byte == b'b') && name_matches(rest, name)
        }
        ([b'[', b'!', b'a', b']', rest @ ..], [byte, name @ ..]) => {
            *byte != b'a' && name_matches(rest, name)
        }
        ([byte, rest @ ..], [other, name @ ..]) => byte == other && name_matches(rest, name),
        _ => false,
    }
}

fn parts_match(parts: &[&str], path: &[&str]) -> bool {
    match (parts, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            parts_match(rest, path) || (!path.is_empty() && parts_match(parts, &path[1..]))
        }
        ([part, rest @ ..], [name, path @ ..]) => {
            name_matches(part.as_bytes(), name.as_bytes()) && parts_match(rest, path)
        }
        _ => false,
    }
}

/// The components, and whether the pattern is of folders and all below them.
fn read(pattern: &str) -> (Vec<&str>, bool) {
    let mut body = pattern.strip_prefix('/').unwrap_or(pattern);
    let mut zone = false;
    while let Some(folder) = body.strip_suffix("/**").or(body.strip_suffix('/')) {
        body = folder;
        zone = true;
    }
    let mut parts: Vec<&str> = body.split('/').collect();
    let slash = pattern.find('/');
    if slash.is_none() || slash == Some(pattern.len() - 1) {
        parts.insert(0, "**");
    }
    (parts, zone)
}

fn is_everything(pattern: &str) -> bool {
    read(pattern).0.iter().all(|part| *part == "**")
}

/// The pattern matches this path itself.
fn matches(pattern: &str, path: &[&str], kind: PathKind) -> bool {
    let (parts, zone) = read(pattern);
    is_everything(pattern) || (parts_match(&parts, path) && (!zone || kind == PathKind::Folder))
}

/// The pattern matches this path or covers it from above.
fn covers(pattern: &str, path: &[&str], kind: PathKind) -> bool {
    let (_, zone) = read(pattern);
    matches(pattern, path, kind)
        || (zone && (1..path.len()).any(|end| matches(pattern, &path[..end], PathKind::Folder)))
}

fn length(pattern: &str) -> usize {
    pattern.replace(['*', '?', '[', ']'], "").len()
}

/// The pattern names one path: it begins at the root and has no wildcard.
fn literal_path(pattern: &str) -> Option<Vec<&str>> {
    let (parts, _) = read(pattern);
    let plain = parts.iter().all(|part| !part.contains(['*', '?', '[']));
    plain.then_some(parts)
}

fn kind_at(level: usize, path: &[&str], kind: PathKind) -> PathKind {
    if level == path.len() {
        kind
    } else {
        PathKind::Folder
    }
}

// What rules mean.

impl Model {
    fn reaches(&self, show: &ModelRule, hide: &ModelRule) -> bool {
        match show.seat {
            2 => true,
            0 if !self.main_is_outside => hide.seat == 0,
            _ => hide.seat != 2,
        }
    }

    fn is_hidden(&self, path: &[&str], kind: PathKind) -> bool {
        self.rules.iter().filter(|rule| rule.hide).any(|hide| {
            let outermost = (1..=path.len())
                .find(|&level| matches(&hide.pattern, &path[..level], kind_at(level, path, kind)));
            outermost.is_some_and(|outermost| {
                !self.rules.iter().filter(|rule| rule.show).any(|show| {
                    (outermost..=path.len()).any(|level| {
                        matches(&show.pattern, &path[..level], kind_at(level, path, kind))
                            && (level == outermost || literal_path(&show.pattern).is_some())
                            && self.reaches(show, hide)
                    })
                })
            })
        })
    }

    fn opinion(rule: &ModelRule, group: Group) -> Option<bool> {
        if rule.deny.has(group) {
            return Some(false);
        }
        rule.allow.map(|allow| allow.has(group))
    }

    /// The opinion of one seat: the longest pattern's, and that length.
    fn vote(
        &self,
        seat: usize,
        group: Group,
        covering: impl Fn(&ModelRule) -> bool,
    ) -> Option<(usize, bool)> {
        let opinions: Vec<(usize, bool)> = self
            .rules
            .iter()
            .filter(|rule| rule.seat == seat && covering(rule))
            .filter_map(|rule| Some((length(&rule.pattern), Self::opinion(rule, group)?)))
            .collect();
        let longest = opinions.iter().map(|(length, _)| *length).max()?;
        let refused = opinions.contains(&(longest, false));
        Some((longest, !refused))
    }

    fn seat_gives(&self, seat: usize, path: &[&str], kind: PathKind, group: Group) -> bool {
        let covering = |rule: &ModelRule| covers(&rule.pattern, path, kind);
        match self.vote(seat, group, covering) {
            Some((_, given)) => given,
            None => seat != 0 || self.default.has(group),
        }
    }

    fn groups(&self, path: &[&str], kind: PathKind) -> Groups {
        Group::ALL
            .into_iter()
            .filter(|&group| (0..3).all(|seat| self.seat_gives(seat, path, kind, group)))
            .collect()
    }

    /// Some allow of the seat could decide below the folder, by its pattern.
    fn could_allow_below(&self, seat: usize, folder: &[&str]) -> bool {
        // What covers the folder in such a way that it covers everything below it, too.
        let throughout = |rule: &ModelRule| {
            is_everything(&rule.pattern) && folder.is_empty()
                || read(&rule.pattern).1 && covers(&rule.pattern, folder, PathKind::Folder)
        };
        Group::ALL.into_iter().any(|group| {
            let covering = self.vote(seat, group, |rule| {
                read(&rule.pattern).1 && !is_everything(&rule.pattern) && throughout(rule)
            });
            let reaching = self
                .rules
                .iter()
                .filter(|rule| rule.seat == seat && Self::opinion(rule, group) == Some(true))
                .filter(|rule| could_match_below(&rule.pattern, folder))
                .map(|rule| length(&rule.pattern))
                .max();
            match covering {
                Some((_, true)) => true,
                Some((length, false)) => reaching.is_some_and(|reaching| reaching > length),
                None => reaching.is_some(),
            }
        })
    }

    fn shows_below(&self, folder: &[&str]) -> bool {
        self.rules.iter().filter(|rule| rule.show).any(|show| {
            literal_path(&show.pattern).is_some_and(|named| {
                named.len() > folder.len()
                    && named.starts_with(folder)
                    && PathKind::ALL
                        .iter()
                        .any(|&kind| !self.is_hidden(&named, kind))
            })
        })
    }

    /// The groups, and whether it only leads on; `None` for what does not exist.
    fn own(&self, path: &[&str], kind: PathKind) -> Option<(Groups, bool)> {
        let hidden = !path.is_empty() && self.is_hidden(path, kind);
        let groups = self.groups(path, kind);
        if !hidden && !groups.is_empty() {
            return Some((groups, false));
        }
        let allowed = !hidden
            && (0..3).any(|seat| self.could_allow_below(seat, path))
            && (0..3).all(|seat| {
                self.could_allow_below(seat, path)
                    || Group::ALL
                        .iter()
                        .any(|&group| self.seat_gives(seat, path, kind, group))
            });
        if kind == PathKind::Folder && (allowed || self.shows_below(path)) {
            let bare = Self {
                default: if self.default.is_empty() {
                    Groups::all()
                } else {
                    self.default
                },
                ..self.clone()
            };
            let listed = bare.groups(path, kind) & Groups::SEARCH;
            return Some((listed, true));
        }
        path.is_empty().then_some((Groups::empty(), true))
    }

    fn decide(&self, path: &[&str], kind: PathKind) -> Option<(Groups, bool)> {
        for end in 1..path.len() {
            self.own(&path[..end], PathKind::Folder)?;
        }
        self.own(path, kind)
    }

    fn file_text(&self, seat: usize) -> String {
        let list = |groups: Groups| format!("{:?}", groups.names().collect::<Vec<_>>());
        let mut text = String::new();
        if seat == 0 {
            writeln!(text, "default = {}", list(self.default)).unwrap();
        }
        for rule in self.rules.iter().filter(|rule| rule.seat == seat) {
            writeln!(text, "[[rule]]\npath = {:?}", rule.pattern).unwrap();
            if let Some(allow) = rule.allow {
                writeln!(text, "allow = {}", list(allow)).unwrap();
            }
            if !rule.deny.is_empty() {
                writeln!(text, "deny = {}", list(rule.deny)).unwrap();
            }
            if rule.hide {
                writeln!(text, "hide = true").unwrap();
            }
            if rule.show {
                writeln!(text, "show = true").unwrap();
            }
        }
        text
    }

    fn build(&self) -> Policy {
        let main = self.file_text(0);
        let mut setup = Setup::default().user(&format!(
            "{}\n[builtin]\nenabled = false",
            self.file_text(1)
        ));
        setup = if self.main_is_outside {
            setup.policy_file(&main)
        } else {
            setup.and_workspace(&main)
        };
        for rule in self.rules.iter().filter(|rule| rule.seat == 2) {
            if rule.hide {
                setup = setup.hide(&rule.pattern);
            }
            if rule.show {
                setup = setup.show(&rule.pattern);
            }
            for name in rule.deny.names() {
                setup = setup.deny(&format!("{name}:{}", rule.pattern));
            }
        }
        setup.build()
    }
}

/// Some path below the folder is matched: tried with every path that is not longer than the
/// patterns made here.
fn could_match_below(pattern: &str, folder: &[&str]) -> bool {
    let mut paths = vec![folder.to_vec()];
    for _ in 0..3 {
        paths = paths
            .iter()
            .flat_map(|path| NAMES.map(|name| [path.as_slice(), &[name]].concat()))
            .collect();
        if paths.iter().any(|path| {
            PathKind::ALL
                .iter()
                .any(|&kind| matches(pattern, path, kind))
        }) {
            return true;
        }
    }
    false
}

// Random rules and paths.

fn patterns() -> impl Strategy<Value = String> {
    let parts = prop::collection::vec(select(&PARTS[..]), 1..4);
    (any::<bool>(), parts, select(&["", "", "/", "/**"][..])).prop_map(|(rooted, parts, end)| {
        format!("{}{}{end}", if rooted { "/" } else { "" }, parts.join("/"))
    })
}

fn shown_patterns() -> impl Strategy<Value = String> {
    let parts = prop::collection::vec(
        prop_oneof![4 => select(&NAMES[..]), 1 => select(&PARTS[..])],
        0..3,
    );
    let ends = select(&["", "", "/"][..]);
    (any::<bool>(), parts, select(&NAMES[..]), ends).prop_map(|(rooted, mut parts, name, end)| {
        parts.push(name);
        format!("{}{}{end}", if rooted { "/" } else { "" }, parts.join("/"))
    })
}

fn group_sets() -> impl Strategy<Value = Groups> {
    subsequence(Group::ALL.to_vec(), 0..=4).prop_map(|groups| groups.into_iter().collect())
}

fn some_groups() -> impl Strategy<Value = Groups> {
    subsequence(Group::ALL.to_vec(), 1..=4).prop_map(|groups| groups.into_iter().collect())
}

fn rule(seat: usize, pattern: String) -> ModelRule {
    ModelRule {
        seat,
        pattern,
        allow: None,
        deny: Groups::empty(),
        hide: false,
        show: false,
    }
}

fn hides() -> impl Strategy<Value = ModelRule> {
    (0..3usize, patterns()).prop_map(|(seat, pattern)| ModelRule {
        hide: true,
        ..rule(seat, pattern)
    })
}

fn denies() -> impl Strategy<Value = ModelRule> {
    (0..3usize, patterns(), some_groups()).prop_map(|(seat, pattern, deny)| ModelRule {
        deny,
        ..rule(seat, pattern)
    })
}

fn rules() -> impl Strategy<Value = ModelRule> {
    let shows = (0..3usize, shown_patterns()).prop_map(|(seat, pattern)| ModelRule {
        show: true,
        ..rule(seat, pattern)
    });
    let allows = (0..2usize, patterns(), group_sets(), group_sets()).prop_map(
        |(seat, pattern, allow, deny)| ModelRule {
            allow: Some(allow),
            deny,
            ..rule(seat, pattern)
        },
    );
    prop_oneof![hides(), denies(), shows, allows]
}

fn models() -> impl Strategy<Value = Model> {
    let defaults = prop_oneof![
        2 => Just(Groups::all()),
        2 => Just(Groups::empty()),
        1 => group_sets(),
    ];
    (
        any::<bool>(),
        defaults,
        prop::collection::vec(rules(), 0..7),
    )
        .prop_map(|(main_is_outside, default, rules)| Model {
            main_is_outside,
            default,
            rules,
        })
}

fn paths() -> impl Strategy<Value = (Vec<&'static str>, PathKind)> {
    (
        prop::collection::vec(select(&NAMES[..]), 0..5),
        select(&PathKind::ALL[..]),
    )
        .prop_map(|(names, kind)| {
            let kind = if names.is_empty() {
                PathKind::Folder
            } else {
                kind
            };
            (names, kind)
        })
}

fn ask(policy: &Policy, names: &[&str], kind: PathKind) -> Decision {
    let slash = if kind == PathKind::Folder { "/" } else { "" };
    decide(policy, &format!("./{}{slash}", names.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn decides_as_described(
        model in models(),
        paths in prop::collection::vec(paths(), 8),
    ) {
        let policy = model.build();
        for (path, kind) in paths {
            let decision = ask(&policy, &path, kind);
            let found = decision.exists().then(|| (decision.groups(), decision.is_way()));
            prop_assert_eq!(found, model.decide(&path, kind), "{:?} {:?}", path, kind);
        }
    }

    #[test]
    fn a_missing_parent_misses_all_below(
        model in models(),
        (path, kind) in paths(),
    ) {
        let policy = model.build();
        if ask(&policy, &path, kind).exists() {
            for end in 0..path.len() {
                prop_assert!(ask(&policy, &path[..end], PathKind::Folder).exists());
            }
        }
    }

    #[test]
    fn a_hide_or_deny_more_never_shows_or_gives(
        model in models(),
        more in prop_oneof![hides(), denies()],
        paths in prop::collection::vec(paths(), 8),
    ) {
        let before = model.build();
        let mut stricter = model.clone();
        stricter.rules.push(more);
        let after = stricter.build();
        for (path, kind) in paths {
            let (before, after) = (ask(&before, &path, kind), ask(&after, &path, kind));
            prop_assert!(!before.gains_by(after), "{:?} {:?}: {:?} {:?}", path, kind, before, after);
        }
    }

    #[test]
    fn folders_that_decide_alike_do(
        model in models(),
        (one, _) in paths(),
        (other, _) in paths(),
        (below, kind) in paths(),
    ) {
        let policy = model.build();
        let scope = |names: &[&str]| policy.folder(&RelPath::parse(names.join("/").as_bytes()).unwrap());
        if !below.is_empty() && scope(&one).decides_alike_below(&scope(&other)) {
            prop_assert_eq!(
                ask(&policy, &[one, below.clone()].concat(), kind),
                ask(&policy, &[other, below].concat(), kind)
            );
        }
    }

    #[test]
    fn a_folder_that_could_gain_no_names_gains_none(
        model in models(),
        (folder, _) in paths(),
        name in select(&NAMES[..]),
        kind in select(&PathKind::ALL[..]),
    ) {
        let policy = model.build();
        let scope = policy.folder(&RelPath::parse(folder.join("/").as_bytes()).unwrap());
        if !scope.could_gain_names() {
            prop_assert!(!scope.decide(name.as_bytes(), kind).may(Group::MutateStructure));
        }
    }

    #[test]
    fn what_can_hide_nothing_does_not(
        model in models(),
        (path, kind) in paths(),
    ) {
        let policy = model.build();
        if policy.hides_nothing() {
            prop_assert!(ask(&policy, &path, kind).may(Group::Search));
        }
    }

    #[test]
    fn classes_tell_decisions_apart(
        model in models(),
        (one, kind) in paths(),
        (other, other_kind) in paths(),
    ) {
        let policy = model.build();
        let (one, other) = (ask(&policy, &one, kind), ask(&policy, &other, other_kind));
        prop_assert_eq!(one == other, one.class() == other.class());
    }

    #[test]
    fn any_bytes_are_a_name_and_any_text_a_pattern_or_a_fault(
        text in "\\PC{0,12}",
        name in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let policies = [
            Policy::new(&Setup::default().hide(&text).0),
            Policy::new(&Setup::default().show(&text).0),
            Policy::new(&Setup::default().deny(&text).0),
            Policy::new(&Setup::workspace(&text).0),
        ];
        for policy in policies {
            match policy {
                Ok(policy) => {
                    policy.folder(&RelPath::root()).decide(&name, PathKind::File);
                }
                Err(fault) => prop_assert!(!fault.to_string().contains('\n')),
            }
        }
    }
}
