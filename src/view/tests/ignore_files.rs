//! Ignore files as they come, change and go, and every way by which a path is decided.

use super::*;
use std::time::{Duration, Instant};

/// Asks until the answer is there; what changed outside acts within a second.
fn within_a_second(what: &str, mut ask: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(1);
    while !ask() {
        assert!(Instant::now() < deadline, "not within a second: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn missing(view: &Arc<View>, path: &str) -> bool {
    find(view, path).err() == Some(Error::NotFound)
}

#[test]
fn whatever_cannot_be_followed_hides_all_beside_it() {
    let folder = tree(&[
        ("link/x", ""),
        ("pipe/x", ""),
        ("folder/x", ""),
        ("large/x", ""),
        ("large/.agentignore", &"#\n".repeat(50_000)),
        ("nul/x", ""),
        ("nul/.agentignore", "x\0"),
        ("many/x", ""),
        ("many/.agentignore", &"y\n".repeat(5_000)),
        ("fine/x", ""),
        ("fine/.agentignore", "y\n"),
        ("elsewhere", "y\n"),
    ]);
    let at = |path: &str| folder.path().join(path);
    std::os::unix::fs::symlink("../elsewhere", at("link/.agentignore")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe/.agentignore"), fifo, mode, 0).unwrap();
    fs::create_dir(at("folder/.agentignore")).unwrap();
    let view = view(&folder);
    for name in ["link", "pipe", "folder", "large", "nul", "many"] {
        assert!(missing(&view, &format!("{name}/x")), "{name}");
        assert!(find(&view, name).is_ok(), "{name}");
    }
    assert!(find(&view, "fine/x").is_ok());
}

#[test]
fn a_change_acts_within_a_second_on_what_lies_below_and_is_open() {
    let folder = tree(&[("a/b/c/plan.txt", "x"), ("a/b/c/notes.txt", "y")]);
    let at = |path: &str| folder.path().join(path);
    let view = view(&folder);
    let plan = find(&view, "a/b/c/plan.txt").unwrap().attributes.node;
    let open = view.open(plan).unwrap().handle;
    let sidecar = find(&view, "a/b/c/plan.txt.inspect.json").unwrap();
    let sidecar = sidecar.attributes.node;
    let open_sidecar = view.open(sidecar).unwrap().handle;
    assert!(view.read(plan, open, 0, 1).is_ok());
    assert!(view.read(sidecar, open_sidecar, 0, 1).is_ok());
    fs::write(at("a/.agentignore"), "b/c/plan.txt\n").unwrap();
    within_a_second("open files are refused", || {
        view.read(plan, open, 0, 1) == Err(Error::Denied)
            && view.read(sidecar, open_sidecar, 0, 1) == Err(Error::Denied)
            && view.attributes(plan, Some(open)).err() == Some(Error::Denied)
    });
    assert!(missing(&view, "a/b/c/plan.txt"));
    assert!(missing(&view, "a/b/c/plan.txt.inspect.json"));
    assert_eq!(text(&view, "a/b/c/notes.txt"), "y");
    fs::write(at("a/.agentignore"), "notes.txt\n").unwrap();
    within_a_second("the other is hidden in its place", || {
        missing(&view, "a/b/c/notes.txt") && find(&view, "a/b/c/plan.txt").is_ok()
    });
    fs::remove_file(at("a/.agentignore")).unwrap();
    within_a_second("nothing is hidden", || {
        find(&view, "a/b/c/notes.txt").is_ok()
    });
}

#[test]
fn a_change_is_told_to_the_kernel_without_a_request() {
    let folder = tree(&[("a/b/plan.txt", "x")]);
    let view = view(&folder);
    let expired = view.take_expired().unwrap();
    let plan = find(&view, "a/b/plan.txt").unwrap().attributes.node;
    view.follow_ignore_files();
    assert!(expired.try_recv().is_err(), "nothing changed");
    fs::write(folder.path().join(".agentignore"), "plan.txt\n").unwrap();
    view.follow_ignore_files();
    let told: Vec<Expired> = expired.try_iter().collect();
    assert!(told.contains(&Expired::Content(plan)), "{told:?}");
    let is_name =
        |told: &Expired| matches!(told, Expired::Name { name, .. } if **name == *b"plan.txt");
    assert!(told.iter().any(is_name), "{told:?}");
    assert!(missing(&view, "a/b/plan.txt"));
}

#[test]
fn a_file_being_replaced_hides_what_the_old_one_hid() {
    let folder = tree(&[("old", ""), ("new", ""), (".agentignore", "old\n")]);
    let at = |path: &str| folder.path().join(path);
    let view = view(&folder);
    assert!(missing(&view, "old"));
    let wait = || thread::sleep(Duration::from_millis(220));
    // Emptied, and not written yet.
    wait();
    fs::write(at(".agentignore"), "").unwrap();
    assert!(missing(&view, "old"));
    fs::write(at(".agentignore"), "new\n").unwrap();
    within_a_second("the new one alone holds", || {
        missing(&view, "new") && find(&view, "old").is_ok()
    });
    // Gone, and not there again yet.
    wait();
    fs::remove_file(at(".agentignore")).unwrap();
    assert!(missing(&view, "new"));
    fs::write(at(".agentignore"), "new\n").unwrap();
    for _ in 0..50 {
        assert!(missing(&view, "new"));
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_edit_that_keeps_size_and_times_of_the_clock_is_seen() {
    let folder = tree(&[("a", ""), ("b", ""), (".agentignore", "a\n")]);
    let view = view(&folder);
    assert!(missing(&view, "a"));
    fs::write(folder.path().join(".agentignore"), "b\n").unwrap();
    within_a_second("the edit acts", || {
        missing(&view, "b") && find(&view, "a").is_ok()
    });
}

#[test]
fn every_way_to_decide_a_path_follows_ignore_files() {
    let folder = tree(&[
        ("d/.agentignore", "secret/\nplan.txt\n"),
        ("d/secret/x", "1"),
        ("d/plan.txt", "22"),
        ("d/open", "333"),
        ("d/e/plan.txt", "4444"),
    ]);
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at("d/plan.txt"), at("innocent.txt")).unwrap();
    std::os::unix::fs::symlink("d/secret/../open", at("through")).unwrap();
    let view = view(&folder);
    assert!(missing(&view, "innocent.txt"), "another name is hidden");
    let link = find(&view, "through").unwrap().attributes.node;
    assert_eq!(view.read_link(link), Err(Error::Denied));
    for path in [
        "d/secret.inspect.json",
        "d/plan.txt.outline.json",
        "d/e/plan.txt",
    ] {
        assert!(missing(&view, path), "{path}");
    }
    let summary = text(&view, ".inspect.json");
    // The visible files: d/.agentignore, d/open, and the link by its text.
    let bytes = "secret/\nplan.txt\n".len() + 3 + "d/secret/../open".len();
    assert!(
        summary.contains(&format!("\"subtree_size_bytes\":{bytes},")),
        "{summary}"
    );
    let path = RelPath::parse(b"d/plan.txt").unwrap();
    let failure = view.document(&path, Document::Inspect).unwrap_err();
    assert_eq!(failure.code, probe::Code::NotFound);
}
