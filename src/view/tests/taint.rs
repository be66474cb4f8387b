//! Labels: what raises the taint, what does not, and what may follow.

use super::*;
use crate::policy::Label;

const RULES: &str = "[[rule]]\npath = 'internal/'\nlabel = 'INTERNAL'\n\
    [[rule]]\npath = 'secret/'\nlabel = 'CONFIDENTIAL'\n\
    [[rule]]\npath = 'top'\nlabel = 'RESTRICTED'\n\
    [[rule]]\npath = 'public/'\nlabel = 'PUBLIC'\n\
    [[rule]]\npath = 'secret/closed/'\ndeny = ['read']\n";

fn labelled() -> (TempDir, Arc<View>) {
    let folder = tree(&[
        ("plain.py", "a = 1\n"),
        ("internal/a.py", "a = 1\n"),
        ("secret/b.py", "b = 1\n"),
        ("secret/b.bin", "\0\0\0"),
        ("secret/closed/c.py", "c = 1\n"),
        ("public/p", "x"),
        ("top", "x"),
    ]);
    let view = view_with(folder.path(), RULES, Settings::default());
    (folder, view)
}

fn decided(view: &View, path: &str) -> crate::policy::Decision {
    let path = RelPath::parse(path.as_bytes()).unwrap();
    view.decide(&path, PathKind::File).unwrap()
}

#[test]
fn reading_raises_the_taint_and_nothing_lowers_it() {
    let (folder, view) = labelled();
    assert_eq!(view.taint(), None);
    text(&view, "plain.py");
    assert_eq!(view.taint(), None);
    text(&view, "internal/a.py");
    assert_eq!(view.taint(), Some(Label::Internal));
    text(&view, "secret/b.py");
    text(&view, "public/p");
    text(&view, "internal/a.py");
    assert_eq!(view.taint(), Some(Label::Confidential));
    view.replace_policy(Policy::new(&policy_of("")).unwrap());
    text(&view, "top");
    assert_eq!(view.taint(), Some(Label::Confidential));
    drop(folder);
}

#[test]
fn looking_listing_and_probing_do_not_raise_it() {
    let (_folder, view) = labelled();
    // A lookup makes the document, and so probes.
    for path in [
        "secret",
        "secret/b.py",
        "secret/b.py.inspect.json",
        "secret/b.py.outline.json",
    ] {
        assert!(find(&view, path).is_ok());
    }
    let node = find(&view, "secret").unwrap().attributes.node;
    let handle = view.open_listing(node).unwrap().handle;
    assert!(view.listing(node, handle, 0).wait().is_ok());
    let node = find(&view, "secret/b.py").unwrap().attributes.node;
    view.open(node).unwrap(); // nothing was read yet
    text(&view, "secret/.inspect.json");
    text(&view, "secret/b.bin.inspect.json");
    text(&view, "secret/closed/c.py.inspect.json");
    text(&view, "secret/closed/c.py.outline.json");
    let path = RelPath::parse(b"secret/b.py").unwrap();
    assert!(view.document(&path, Document::Inspect).is_ok());
    assert_eq!(view.taint(), None);
}

#[test]
fn a_structure_is_content() {
    for path in ["secret/b.py.inspect.json", "secret/b.py.outline.json"] {
        let (_folder, view) = labelled();
        text(&view, path);
        assert_eq!(view.taint(), Some(Label::Confidential), "{path}");
    }
}

#[test]
fn every_name_of_a_file_counts() {
    let (folder, view) = labelled();
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at("secret/b.py"), at("alias.py")).unwrap();
    text(&view, "alias.py");
    assert_eq!(view.taint(), Some(Label::Confidential));
    let again = view_with(folder.path(), RULES, Settings::default());
    text(&again, "alias.py.inspect.json");
    assert_eq!(again.taint(), Some(Label::Confidential));
}

#[test]
fn what_was_read_may_follow_upwards_only() {
    let (_folder, view) = labelled();
    let follows = |path: &str| view.may_flow_to(decided(&view, path));
    let all = ["plain.py", "public/p", "internal/new", "secret/new", "top"];
    assert!(all.into_iter().all(follows));
    text(&view, "internal/a.py");
    assert_eq!(all.map(follows), [true, false, true, true, true]);
    text(&view, "top");
    assert_eq!(all.map(follows), [true, false, false, false, true]);
}

#[test]
fn the_root_summary_shows_the_taint_where_labels_are_set() {
    let (_folder, view) = labelled();
    let shown = |view: &Arc<View>| text(view, ".inspect.json");
    assert!(
        shown(&view).contains(r#","taint":"none"}}"#),
        "{}",
        shown(&view)
    );
    text(&view, "top");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !shown(&view).contains(r#","taint":"RESTRICTED"}}"#) {
        assert!(std::time::Instant::now() < deadline, "{}", shown(&view));
        thread::sleep(std::time::Duration::from_millis(20));
    }
    let folder = tree(&[("a", "x")]);
    let unlabelled = view_with(folder.path(), "", Settings::default());
    assert!(!shown(&unlabelled).contains("taint"));
}
