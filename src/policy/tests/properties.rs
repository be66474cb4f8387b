//! Random policies against the model, and what must hold whatever the rules.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::model::{Model, ModelRule, NAMES};
use super::*;

const PARTS: [&str; 11] = [
    "a", "b", "ab", "c", "*", "**", "a*", "*b", "?", "[ab]", "[!a]",
];

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
