//! Views without a mount: what the kernel would ask, asked by hand.

#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod content_rules;
mod explain;
mod ignore_files;
mod limits;
mod taint;

use super::*;
use crate::policy::{PolicyText, Sources};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::thread;
use tempfile::TempDir;

fn view_with(folder: &Path, rules: &str, settings: Settings) -> Arc<View> {
    let policy = Policy::new(&policy_of(rules)).unwrap();
    View::new(Workspace::open(folder).unwrap(), policy, settings)
}

fn policy_of(rules: &str) -> Sources {
    Sources {
        policy_file: Some(PolicyText {
            label: "policy.toml".to_owned(),
            text: rules.to_owned(),
        }),
        ..Sources::default()
    }
}

fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn view(folder: &TempDir) -> Arc<View> {
    view_with(folder.path(), "", Settings::default())
}

fn find(view: &Arc<View>, path: &str) -> Result<Entry> {
    let mut parent = ROOT;
    let mut entry = Err(Error::Invalid);
    for name in path.split('/') {
        entry = match view.lookup(parent, name.as_bytes()).wait()? {
            Looked::Entry(entry) => Ok(entry),
            Looked::Absent(_) => Err(Error::NotFound),
        };
        parent = entry?.attributes.node;
    }
    entry
}

fn text(view: &Arc<View>, path: &str) -> String {
    let node = find(view, path).unwrap().attributes.node;
    let handle = view.open(node).unwrap().handle;
    let bytes = view.read(node, handle, 0, 1 << 20).unwrap().bytes;
    view.close(handle);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_node_keeps_its_number_over_forget() {
    let folder = tree(&[("a/b.txt", "x")]);
    let view = view(&folder);
    let first = find(&view, "a/b.txt").unwrap().attributes.node;
    let again = find(&view, "a/b.txt").unwrap().attributes.node;
    assert_eq!(first, again);
    view.forget(first, 1);
    assert!(view.attributes(first, None).is_ok(), "one lookup is left");
    view.forget(first, 1);
    assert_eq!(view.attributes(first, None), Err(Error::Stale));
    view.forget(first, 1); // more than there were
    assert_eq!(find(&view, "a/b.txt").unwrap().attributes.node, first);
}

#[test]
fn no_real_inode_number_shows() {
    use std::os::unix::fs::MetadataExt;
    let folder = tree(&[("a", "x")]);
    let view = view(&folder);
    let shown = find(&view, "a").unwrap().attributes.node.0;
    let real = fs::metadata(folder.path().join("a")).unwrap().ino();
    assert_ne!(shown, real);
    assert!(shown > 1);
}

#[test]
fn a_replaced_file_is_another_node_and_the_old_one_is_stale() {
    let folder = tree(&[("f", "old"), ("new", "new")]);
    let view = view(&folder);
    let old = find(&view, "f").unwrap().attributes.node;
    fs::rename(folder.path().join("new"), folder.path().join("f")).unwrap();
    assert_eq!(view.open(old), Err(Error::Stale));
    assert_ne!(find(&view, "f").unwrap().attributes.node, old);
    assert_eq!(text(&view, "f"), "new");
}

#[test]
fn a_contested_name_opens_what_was_looked_up() {
    let folder = tree(&[("f", "one"), ("two", "two"), ("three", "three")]);
    let view = view(&folder);
    let place = |name: &str| fs::rename(folder.path().join(name), folder.path().join("f"));
    let first = find(&view, "f").unwrap().attributes.node;
    place("two").unwrap();
    assert_eq!(
        view.open(first),
        Err(Error::Stale),
        "contested from here on"
    );
    let second = find(&view, "f").unwrap().attributes.node;
    place("three").unwrap();
    let handle = view.open(second).unwrap().handle;
    assert_eq!(view.read(second, handle, 0, 10).unwrap().bytes, b"two");
    // The attributes are those of the open file, which has no name any more.
    assert_eq!(view.attributes(second, None).unwrap().0.size, 3);
}

#[test]
fn an_open_file_is_read_to_its_end_after_it_was_removed() {
    let folder = tree(&[("f", "content")]);
    let view = view(&folder);
    let node = find(&view, "f").unwrap().attributes.node;
    let handle = view.open(node).unwrap().handle;
    fs::remove_file(folder.path().join("f")).unwrap();
    assert_eq!(view.read(node, handle, 3, 10).unwrap().bytes, b"tent");
    assert_eq!(view.attributes(node, None).unwrap().0.links, 0);
    view.close(handle);
    assert_eq!(view.attributes(node, None), Err(Error::Stale));
}

#[test]
fn a_handle_is_good_with_its_own_node_only() {
    let folder = tree(&[("a", "a"), ("b", "b")]);
    let view = view(&folder);
    let a = find(&view, "a").unwrap().attributes.node;
    let b = find(&view, "b").unwrap().attributes.node;
    let handle = view.open(a).unwrap().handle;
    assert!(view.read(b, handle, 0, 1).is_err());
    assert!(view.read(a, Handle(handle.0 + 1), 0, 1).is_err());
}

#[test]
fn a_folder_moved_into_its_former_child_makes_no_circle() {
    let folder = tree(&[("a/b/f", "x")]);
    let view = view(&folder);
    let b = find(&view, "a/b").unwrap().attributes.node;
    let at = |path: &str| folder.path().join(path);
    fs::rename(at("a/b"), at("b")).unwrap();
    fs::rename(at("a"), at("b/a")).unwrap();
    // The kernel may still ask by the old node; whatever it is told, it must end.
    let _either = view.lookup(b, b"a").wait();
    assert!(find(&view, "b/a").is_ok());
    assert_eq!(text(&view, "b/f"), "x");
    fs::rename(at("b/a"), at("a")).unwrap();
    fs::rename(at("b"), at("a/b")).unwrap();
    assert_eq!(text(&view, "a/b/f"), "x");
}

#[test]
fn a_chain_of_folders_deeper_than_the_stack_is_dropped() {
    use crate::policy::PathKind;
    let folder = tree(&[]);
    let workspace = Workspace::open(folder.path()).unwrap();
    let policy = Policy::new(&Sources::default()).unwrap();
    let decision = policy.decide(&RelPath::root(), PathKind::Folder);
    let table = table::Table::new(workspace.meta(), decision, 1);
    let mut meta = *workspace.meta();
    let mut parent = Arc::clone(table.root());
    let mut all = Vec::new();
    for inode in 0..200_000 {
        meta.inode = 1_000_000 + inode;
        let identity = node::Identity::new(&meta, decision);
        parent = table
            .remember_real(identity, (1, decision), &parent, b"d")
            .unwrap();
        all.push(parent.id);
    }
    drop(parent);
    for id in all {
        table.forget(id, 1);
    }
    assert_eq!(table.len(), 0);
}

#[test]
fn many_askers_share_one_probe() {
    let folder = tree(&[("f.csv", "a,b\n1,2\n")]);
    let view = view(&folder);
    let answers = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..32 {
            let work = || {
                assert!(text(&view, "f.csv.inspect.json").contains("\"rows\":1"));
                answers.fetch_add(1, Ordering::Relaxed);
            };
            thread::Builder::new()
                .stack_size(JOB_STACK_BYTES)
                .spawn_scoped(scope, work)
                .unwrap();
        }
    });
    assert_eq!(answers.load(Ordering::Relaxed), 32);
    assert_eq!(view.sidecars.probes(), 1);
    // The next version is another probe, the same one again is none.
    fs::write(folder.path().join("f.csv"), "a,b\n1,2\n3,4\n").unwrap();
    assert!(text(&view, "f.csv.inspect.json").contains("\"rows\":2"));
    assert!(text(&view, "f.csv.inspect.json").contains("\"rows\":2"));
    assert_eq!(view.sidecars.probes(), 2);
}

#[test]
fn versions_of_a_sidecar_are_given_up_past_the_budget() {
    let names: Vec<String> = (0..50).map(|index| format!("f{index}.csv")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "a\n1\n")).collect();
    let folder = tree(&files);
    let settings = Settings {
        sidecar_bytes: 2000,
        ..Settings::default()
    };
    let view = view_with(folder.path(), "", settings);
    let expired = view.take_expired().unwrap();
    assert!(view.take_expired().is_none(), "for one teller");
    for name in &names {
        find(&view, &format!("{name}.inspect.json")).unwrap();
    }
    let told: Vec<Expired> = expired.try_iter().collect();
    assert!(told.len() > 30, "{} were given up", told.len());
    let first = Expired::Name {
        parent: ROOT,
        name: b"f0.csv.inspect.json"[..].into(),
    };
    assert_eq!(told[0], first, "the oldest first");
}

#[test]
fn a_hard_link_to_a_hidden_file_is_hidden() {
    let folder = tree(&[(".env", "SECRET"), ("one", "x"), ("deep/er/z", "y")]);
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at(".env"), at("notes.txt")).unwrap();
    fs::hard_link(at("one"), at("deep/er/two")).unwrap();
    let view = view(&folder);
    assert_eq!(find(&view, "notes.txt").err(), Some(Error::NotFound));
    let one = find(&view, "one").unwrap().attributes;
    let two = find(&view, "deep/er/two").unwrap().attributes;
    assert_eq!((one.node, one.links), (two.node, 2));
    // A name that appears later is found as well, by the change of the link count.
    fs::hard_link(at("one"), at(".envrc")).unwrap();
    assert_eq!(find(&view, "one").err(), Some(Error::NotFound));
    fs::remove_file(at(".envrc")).unwrap();
    assert_eq!(find(&view, "one").unwrap().attributes.links, 2);
    // And one that comes to be hidden by the move of a folder that holds it.
    fs::rename(at("deep"), at(".ssh")).unwrap();
    assert_eq!(find(&view, "one").err(), Some(Error::NotFound));
}

#[test]
fn a_hard_link_from_outside_is_shown_once_the_tree_was_searched() {
    let folder = tree(&[("ws/f", "x")]);
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at("ws/f"), at("outside")).unwrap();
    let view = view_with(&at("ws"), "", Settings::default());
    assert_eq!(find(&view, "f").unwrap().attributes.links, 2);
    let strict = view_with(&at("ws"), "hardlinks = \"deny\"", Settings::default());
    assert_eq!(find(&strict, "f").err(), Some(Error::NotFound));
}

#[test]
fn another_policy_holds_from_the_next_request_on() {
    let folder = tree(&[("plan.txt", "x"), ("notes.txt", "y")]);
    let view = view(&folder);
    let plan = find(&view, "plan.txt").unwrap().attributes.node;
    let open = view.open(plan).unwrap().handle;
    let sidecar = find(&view, "plan.txt.inspect.json")
        .unwrap()
        .attributes
        .node;
    let open_sidecar = view.open(sidecar).unwrap().handle;
    let rules = "[[rule]]\npath = \"plan.txt\"\nhide = true\n";
    view.replace_policy(Policy::new(&policy_of(rules)).unwrap());
    assert_eq!(find(&view, "plan.txt").err(), Some(Error::NotFound));
    assert_eq!(view.read(plan, open, 0, 1), Err(Error::Denied));
    assert_eq!(view.read(sidecar, open_sidecar, 0, 1), Err(Error::Denied));
    assert_eq!(view.open(plan), Err(Error::NotFound));
    assert_eq!(text(&view, "notes.txt"), "y");
}

#[test]
fn documents_without_a_mount_are_those_of_the_view() {
    let folder = tree(&[
        ("d/a.py", "def f(): pass\n"),
        ("d/.env", "S"),
        ("x.md", "# T\n"),
    ]);
    let view = view(&folder);
    let document = |path: &str, document| {
        let path = RelPath::parse(path.as_bytes()).unwrap();
        view.document(&path, document)
            .map(|bytes| String::from_utf8(bytes).unwrap())
    };
    for path in ["d/a.py", "x.md", "d"] {
        let printed = document(path, Document::Inspect).unwrap();
        assert_eq!(printed, text(&view, &format!("{path}.inspect.json")));
    }
    let printed = document("d/a.py", Document::Outline).unwrap();
    assert_eq!(printed, text(&view, "d/a.py.outline.json"));
    let root = document("", Document::Inspect).unwrap();
    assert_eq!(root, text(&view, ".inspect.json"));
    let failed = |path: &str, kind| document(path, kind).unwrap_err();
    let hidden = failed("d/.env", Document::Inspect);
    assert_eq!(hidden.code, probe::Code::NotFound);
    assert_eq!(hidden.message, "'d/.env' not found");
    let missing = failed("d/a.pyi", Document::Inspect);
    assert_eq!(
        missing.message,
        "'d/a.pyi' not found; similar paths: d/a.py"
    );
    assert_eq!(failed("d", Document::Outline).code, probe::Code::NotRegular);
}

#[test]
fn a_folder_whose_name_would_hide_a_file_is_found_as_it_comes_and_goes() {
    let folder = tree(&[("d/x", "x"), ("d/.env", "SECRET")]);
    let at = |path: &str| folder.path().join(path);
    let view = view(&folder);
    for _ in 0..3 {
        for name in ["d/credentials", "d/.env"] {
            assert_eq!(find(&view, name).err(), Some(Error::NotFound), "{name}");
        }
        fs::create_dir(at("d/credentials")).unwrap();
        assert!(find(&view, "d/credentials").is_ok());
        fs::remove_dir(at("d/credentials")).unwrap();
        fs::write(at("d/credentials"), "SECRET").unwrap();
        assert_eq!(find(&view, "d/credentials").err(), Some(Error::NotFound));
        fs::remove_file(at("d/credentials")).unwrap();
        // What was listed counts again once the folder stood still.
        thread::sleep(std::time::Duration::from_millis(150));
    }
    fs::remove_file(at("d/.env")).unwrap();
    fs::create_dir(at("d/.env")).unwrap();
    assert!(find(&view, "d/.env").is_ok());
}
