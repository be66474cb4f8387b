//! Ignore files: git's syntax by rows, and how they stand beside rules.

use super::*;

/// Decides a path with ignore files, each given by its folder and its text.
fn decide(policy: &Policy, files: &[(&str, &str)], path: &str) -> Decision {
    let (path, kind) = split(path);
    let mut above = RelPath::root();
    let mut scope = policy.folder(&above);
    let add = |scope: &mut FolderScope, above: &RelPath| {
        for (folder, text) in files {
            if above.as_bytes() == folder.as_bytes() {
                let file = IgnoreFile::parse(text.as_bytes()).unwrap();
                let place = above.child(b".agentignore").unwrap();
                assert!(scope.add_ignore_file(&place, Arc::new(file)));
            }
        }
    };
    add(&mut scope, &above);
    let (folders, name) = path.split_last().unwrap();
    for folder in folders {
        above = above.child(folder).unwrap();
        scope = scope.child(folder);
        add(&mut scope, &above);
    }
    scope.decide(name, kind)
}

/// Text at the root, paths it hides, paths it leaves.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const SYNTAX: &[Row] = &[
    ("a", &["a", "a/", "d/a", "a/x", "d/a/x/y"], &["ab", "A"]),
    ("a/", &["a/", "d/a/x"], &["a", "d/a"]),
    ("/a", &["a", "a/x"], &["d/a"]),
    ("d/a", &["d/a", "d/a/x"], &["a", "e/d/a", "d/"]),
    ("*.log", &["x.log", "d/.log"], &["log", "x.log2"]),
    ("d/*", &["d/x", "d/y/z"], &["d/", "e/d/x"]),
    ("d/**", &["d/x", "d/y/z"], &["d/", "d"]),
    ("**/a/b", &["a/b", "x/y/a/b"], &["b"]),
    ("a/**/b", &["a/b", "a/x/b", "a/x/y/b/z"], &["b", "x/a/b"]),
    ("**", &["a", "a/b"], &[]),
    ("**/", &["a/", "a/b"], &["a"]),
    ("a**b", &["ab", "axb"], &["a/b"]),
    ("?.[a-c]", &["x.a", "y.c"], &["x.d", "xy.a"]),
    ("[!a]", &["b"], &["a"]),
    ("[[:digit:]x].t", &["0.t", "x.t"], &["a.t"]),
    ("x{a,b}", &["x{a,b}"], &["xa", "xb"]),
    ("[a", &["[a"], &["a"]),
    // What is malformed hides the name it looks like, and takes nothing back.
    ("*\n![a", &["[a", "a"], &[]),
    ("\\#a\n\\!b\nc\\ ", &["#a", "!b", "c "], &["a", "b", "c"]),
    ("# a\n\na  \n", &["a"], &["# a", "a  "]),
    ("\u{feff}a\r\nb\r\n", &["a", "b"], &["c"]),
    ("*\n!a", &["b", "d/a"], &["a"]),
    ("*.log\n!keep.log", &["a.log"], &["keep.log", "d/keep.log"]),
    ("!a\na", &["a"], &[]),
    ("d/\n!d/a", &["d/", "d/a"], &[]),
    ("d/*\n!d/a", &["d/b"], &["d/a"]),
    ("a//b\n/\n!\n./a\n../a", &[], &["a", "a/b", "b"]),
    ("caf\u{e9}", &["caf\u{e9}"], &["cafe"]),
];

#[test]
fn lines_mean_what_they_mean_to_git() {
    let policy = Setup::default().build();
    for (text, hidden, visible) in SYNTAX {
        for path in *hidden {
            let decided = decide(&policy, &[("", text)], path);
            assert!(!decided.exists(), "{text:?} hides {path}");
        }
        for path in *visible {
            let decided = decide(&policy, &[("", text)], path);
            assert!(decided.exists(), "{text:?} leaves {path}");
        }
    }
}

#[test]
fn a_file_holds_from_its_folder_down_and_takes_back_its_own_lines_only() {
    let policy = Setup::default().hide("tmp").build();
    let files = [
        ("", "*.log\n/top\n"),
        ("d", "!*\n/a\n!tmp\n!.env\n!b.log\n"),
        ("d/e", "!a\n/x\n"),
    ];
    for path in ["b.log", "d/b.log", "top", "d/a", "d/tmp", "d/.env", "d/e/x"] {
        assert!(!decide(&policy, &files, path).exists(), "{path}");
    }
    for path in ["a", "d/top", "d/e/a", "x", "d/x", "d/e/", "d/e/d/x"] {
        assert!(decide(&policy, &files, path).exists(), "{path}");
    }
}

#[test]
fn shows_reach_ignore_files_and_built_in_shows_do_not() {
    let files = [("", "private/\n*.log\n.ssh/\n")];
    let show = |path: &str| format!("[[rule]]\npath = '{path}'\nshow = true");
    for policy in [
        Setup::workspace(&show("private/a")).build(),
        Setup::default().policy_file(&show("private/a")).build(),
        Setup::default().user(&show("private/a")).build(),
        Setup::default().show("/private/a").build(),
    ] {
        assert!(decide(&policy, &files, "private/a").may(Group::Read));
        assert!(decide(&policy, &files, "private/").is_way());
        assert!(!decide(&policy, &files, "private/b").exists());
    }
    let policy = Setup::workspace(&show("keep.log")).build();
    assert!(decide(&policy, &files, "d/keep.log").may(Group::Read));
    assert!(!decide(&policy, &files, "private/keep.log").exists());
    // What matches first below the shown folder stays hidden.
    let policy = Setup::workspace(&show("/private/")).build();
    assert!(decide(&policy, &files, "private/a").may(Group::Read));
    assert!(!decide(&policy, &files, "private/a.log").exists());
    let policy = Setup::workspace("builtin.show = ['/.ssh/config', 'a.log']").build();
    assert!(decide(&policy, &[], ".ssh/config").exists());
    for path in [".ssh/config", ".ssh/", "a.log"] {
        assert!(!decide(&policy, &files, path).exists(), "{path}");
    }
}

#[test]
fn configured_names_replace_the_usual_one_and_are_immutable() {
    let names = |names: &str| format!("ignore_files.names = {names}");
    let none = Setup::workspace(&names("[]"));
    assert_eq!(
        Setup::default().build().ignore_file_names(),
        [".agentignore"]
    );
    assert_eq!(none.build().ignore_file_names(), [""; 0]);
    let policy = none.user(&names("['.AIignore', 'b']")).build();
    assert_eq!(policy.ignore_file_names(), [".AIignore", "b"]);
    gives!(policy, "d/.AIignore" => "read search", "d/.aiignore" => "read search");
    gives!(policy, "b" => "read search", "d/.agentignore" => "read search", "c" => "all");
}

#[test]
fn what_cannot_be_followed_is_refused_whole_and_hides_all() {
    let deep = format!("{}a", "a/".repeat(100));
    for (text, why) in [
        (&b"a\0"[..], "NUL"),
        (&b"x".repeat(70_000), "larger"),
        (&b"a\n".repeat(5000), "more than 4096 patterns"),
        (
            deep.as_bytes(),
            "line 1: a pattern holds more than 62 names",
        ),
    ] {
        let fault = IgnoreFile::parse(text).unwrap_err();
        assert!(fault.contains(why), "{fault}");
    }
    let policy = Setup::default().build();
    let mut scope = policy.folder(&RelPath::root());
    assert!(scope.add_ignore_file(&RelPath::root(), Arc::new(IgnoreFile::hide_all("why"))));
    assert!(!scope.decide(b"a", PathKind::File).exists());
    assert!(!scope.decide(b".agentignore", PathKind::File).exists());
}

#[test]
fn patterns_that_add_up_on_the_way_hide_all_past_the_bound() {
    let text = b"a\n".repeat(3000);
    let file = Arc::new(IgnoreFile::parse(&text).unwrap());
    let mut scope = Setup::default().build().folder(&RelPath::root());
    assert!(scope.add_ignore_file(&RelPath::root(), Arc::clone(&file)));
    let mut below = scope.child(b"d");
    assert!(below.decide(b"b", PathKind::File).exists());
    assert!(!below.add_ignore_file(&RelPath::root(), file));
    assert!(!below.decide(b"b", PathKind::File).exists());
}

#[test]
fn subtrees_under_different_ignore_files_are_not_alike() {
    let policy = Setup::default().build();
    let plain = policy.folder(&RelPath::root());
    let mut ignoring = plain.clone();
    let file = IgnoreFile::parse(b"/d/x").unwrap();
    ignoring.add_ignore_file(&RelPath::root(), Arc::new(file));
    assert!(plain.child(b"d").decides_alike_below(&plain.child(b"e")));
    assert!(!ignoring.child(b"d").decides_alike_below(&plain.child(b"d")));
    assert!(
        !ignoring
            .child(b"d")
            .decides_alike_below(&ignoring.child(b"e"))
    );
    assert!(
        ignoring
            .child(b"e")
            .decides_alike_below(&ignoring.child(b"f"))
    );
}

#[test]
fn explanations_name_file_and_line() {
    let policy = Setup::default().build();
    let (path, kind) = split("d/x/y");
    let file = Arc::new(IgnoreFile::parse(b"# why\n/x/\n").unwrap());
    let explained = policy.explain(&path, kind, |folder| {
        if folder.as_bytes() == b"d" {
            vec![("d/.agentignore".to_owned(), Arc::clone(&file))]
        } else {
            Vec::new()
        }
    });
    let rule = explained.visibility.rule.unwrap();
    assert_eq!((&*rule.source, &*rule.pattern), ("d/.agentignore:2", "/x/"));
    assert_eq!(explained.decided_at, "d/x");
    assert!(!explained.exists);
}
