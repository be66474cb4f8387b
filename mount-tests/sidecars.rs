//! What sidecars say and are: one for each visible node, read-only, with the contract's
//! content, real files winning over them.

use crate::harness::View;
use crate::processes::{inspectfs, run};
use crate::workspace::{Workspace, raw};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const GO: &str = "package p\nfunc Visible() {\n\tsecret := \"body-secret\"\n}\n";

/// One of each kind of file.
pub(crate) fn zoo() -> Workspace {
    let workspace = Workspace::of(&[
        ("sample.go", GO),
        (
            "app.py",
            "import os\n\nclass A:\n    def m(self):\n        pass\n",
        ),
        (
            "data/sales.csv",
            "date,region\n2026-01-01,north\n2026-01-02,south\n",
        ),
        ("data/config.json", "{\"a\":1,\"b\":[1,2]}\n"),
        ("doc.md", "# One\n\ntext\n\n## Two\n"),
        ("empty", ""),
        ("empty.py", ""),
        ("no-extension", "text\n"),
        ("bad.json", "{\"a\": "),
    ]);
    workspace
        .file("binary.bin", [0, 1, 2, 255, 0, 9])
        .file("latin1.py", b"# caf\xe9\nx = 1\n")
        .folder("hollow")
        .link("link", "app.py")
        .link("dangling", "nowhere")
        .link("folder-link", "data")
        .fifo("pipe");
    workspace
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().as_bytes().to_vec();
    name.extend_from_slice(suffix.as_bytes());
    PathBuf::from(OsString::from_vec(name))
}

/// Reads a sidecar and checks that its size was told right beforehand.
pub(crate) fn exact(view: &View, rel: &Path) -> Vec<u8> {
    let size = view.stat(rel).len();
    let bytes = view.read(rel);
    assert_eq!(size, bytes.len() as u64, "{}", rel.display());
    assert_eq!(view.stat(rel).len(), size, "{}", rel.display());
    assert_eq!(bytes.last(), Some(&b'\n'), "{}", rel.display());
    serde_json::from_slice::<serde_json::Value>(&bytes).unwrap();
    bytes
}

/// Every path of the real tree.
pub(crate) fn walk(workspace: &Workspace) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(workspace.path(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                open.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

#[test]
fn every_node_has_a_summary_and_every_file_an_outline() {
    let view = View::mount(zoo());
    for path in walk(view.workspace()) {
        let summary: serde_json::Value =
            serde_json::from_slice(&exact(&view, &with_suffix(&path, ".inspect.json"))).unwrap();
        let kind = view.stat(&path).file_type();
        let expected = if kind.is_dir() {
            "folder"
        } else if kind.is_symlink() {
            "symlink"
        } else if kind.is_file() {
            "file"
        } else {
            "other"
        };
        assert_eq!(summary["type"], expected, "{}", path.display());
        assert_eq!(summary["path"], path.to_str().unwrap());
        let outline = with_suffix(&path, ".outline.json");
        if kind.is_file() {
            exact(&view, &outline);
        } else {
            assert!(!view.exists(&outline), "{}", outline.display());
        }
    }
    exact(&view, Path::new(".inspect.json"));
}

#[test]
fn a_sidecar_is_a_read_only_file_of_its_own() {
    let view = View::mount(zoo());
    let file = view.stat("sample.go");
    let mut numbers = BTreeSet::from([file.ino()]);
    for name in ["sample.go.inspect.json", "sample.go.outline.json"] {
        let seen = view.stat(name);
        assert!(seen.is_file());
        assert_eq!(seen.mode() & 0o7777, 0o444);
        assert_eq!(
            (seen.mtime(), seen.mtime_nsec()),
            (file.mtime(), file.mtime_nsec())
        );
        assert!(numbers.insert(seen.ino()), "{name} shares a number");
        for options in [
            fs::File::options().write(true),
            fs::File::options().append(true),
            fs::File::options().read(true).write(true),
        ] {
            let errno = options.open(view.path(name)).unwrap_err().raw_os_error();
            assert!(
                [Some(libc::EACCES), Some(libc::EROFS)].contains(&errno),
                "{errno:?}"
            );
        }
        assert_eq!(view.stat(name).ino(), seen.ino(), "the same version");
    }
}

#[test]
fn the_golden_outline() {
    let view = View::mount(zoo());
    let bytes = view.read("sample.go.outline.json");
    assert_eq!(bytes.len(), 244);
    let sum = run(Command::new("sha256sum").arg(view.path("sample.go.outline.json")));
    assert!(
        sum.out()
            .starts_with("d60867ea8b7a1cabbffd48b94764e1ef96944ca38b7b173de2b0cc8aad167930"),
        "{}",
        sum.out()
    );
}

#[test]
fn summaries_say_what_the_contract_says() {
    let view = View::mount(zoo());
    let csv = view.summary("data/sales.csv");
    assert_eq!(
        csv["structure"]["headers"],
        serde_json::json!(["date", "region"])
    );
    assert_eq!(csv["structure"]["rows"], 2);
    assert_eq!(csv["tier"], 1);
    assert_eq!(csv["size_bytes"], 46);
    assert_eq!(csv["permissions"], serde_json::json!(["read", "search"]));
    let keys: Vec<_> =
        serde_json::from_slice::<serde_json::Map<_, _>>(&view.read("data/sales.csv.inspect.json"))
            .unwrap()
            .into_iter()
            .map(|(key, _)| key)
            .collect();
    let mut sorted = keys.clone();
    sorted.sort();
    let mut expected = [
        "path",
        "type",
        "format",
        "size_bytes",
        "tier",
        "permissions",
        "structure",
        "mtime",
    ];
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let binary = view.summary("binary.bin");
    assert_eq!(
        (&binary["tier"], &binary["reason"]),
        (&2.into(), &"binary".into())
    );
    assert!(binary.get("structure").is_none());
    assert_eq!(view.summary("link")["size_bytes"], 6);
    let text = String::from_utf8(view.read("data/sales.csv.inspect.json")).unwrap();
    assert!(text.starts_with("{\"path\":\"data/sales.csv\",\"type\":\"file\",\"format\":\"csv\","));
    assert_eq!(text.lines().count(), 1);
    assert_eq!(view.outline("latin1.py")["error"]["code"], "not_utf8");
    assert_eq!(view.outline("bad.json")["data"]["parse_complete"], false);
    for name in ["sample.go.inspect.json", "sample.go.outline.json"] {
        let text = String::from_utf8(view.read(name)).unwrap();
        assert!(!text.contains("body-secret") && !text.contains("secret :="));
    }
}

#[test]
fn a_folders_summary_counts_what_is_visible() {
    let workspace = zoo();
    workspace
        .file("data/.env", "SECRET=1")
        .file("data/deep/er/x.csv", "a,b\n")
        .folder("data/.git/objects")
        .file(".fsagent/notes.txt", "scratch");
    let view = View::mount(workspace);
    let data = view.summary("data");
    assert_eq!(data["entries"], serde_json::json!({"files": 2, "dirs": 1}));
    assert_eq!(data["subtree_size_bytes"], 46 + 18 + 4);
    assert_eq!(data["max_depth"], 3);
    assert_eq!(data["by_extension"]["csv"], 2);
    let hollow = view.summary("hollow");
    assert_eq!(hollow["max_depth"], 0);
    assert_eq!(
        hollow["entries"],
        serde_json::json!({"files": 0, "dirs": 0})
    );
    let root = view.json(".inspect.json");
    assert_eq!(root["path"], ".");
    assert!(root["view"]["sidecars"].is_string());
    assert_eq!(root["view"]["mode"], "read-only");
    assert_eq!(
        root["entries"]["dirs"], 2,
        "the scratch folder does not count"
    );
    assert!(root["by_extension"].get("txt").is_none());
}

#[test]
fn both_names_of_a_folders_summary_are_the_same_document() {
    let view = View::mount(zoo());
    for folder in ["data", "hollow"] {
        let outside = exact(&view, Path::new(&format!("{folder}.inspect.json")));
        let inside = exact(&view, &Path::new(folder).join(".inspect.json"));
        assert_eq!(outside, inside);
    }
}

#[test]
fn no_sidecar_of_a_sidecar_or_of_nothing() {
    let view = View::mount(zoo());
    for name in [
        "app.py.inspect.json.inspect.json",
        "app.py.inspect.json.outline.json",
        "app.py.outline.json.inspect.json",
        "app.py.outline.json.outline.json",
        ".inspect.json.inspect.json",
        ".inspect.json.outline.json",
        "data/.inspect.json.inspect.json",
        "data.inspect.json.inspect.json",
        "missing.py.inspect.json",
        "missing.py.outline.json",
        "missing/.inspect.json",
        "data.outline.json",
        "data/.outline.json",
        ".outline.json",
        "link.outline.json",
    ] {
        assert!(!view.exists(name), "{name}");
    }
    let errno = fs::metadata(view.path("app.py/.inspect.json"))
        .unwrap_err()
        .raw_os_error();
    assert_eq!(errno, Some(libc::ENOTDIR));
}

#[test]
fn a_real_file_wins() {
    let workspace = Workspace::of(&[
        ("a.py", "x = 1\n"),
        ("a.py.inspect.json", "{\"mine\":true}"),
        ("d/.inspect.json", "{\"mine\":2}"),
        (".inspect.json", "{\"mine\":3}"),
        ("b.py", "y = 1\n"),
    ]);
    workspace.folder("b.py.outline.json");
    let view = View::mount(workspace);
    assert_eq!(view.read("a.py.inspect.json"), b"{\"mine\":true}");
    assert_eq!(view.read("d/.inspect.json"), b"{\"mine\":2}");
    assert_eq!(view.read(".inspect.json"), b"{\"mine\":3}");
    assert!(view.stat("b.py.outline.json").is_dir());
    // An ordinary file, with sidecars of its own, and listed as one.
    assert_eq!(view.summary("a.py.inspect.json")["format"], "json");
    assert_eq!(view.outline("a.py.inspect.json")["ok"], true);
    assert_eq!(view.summary("d/.inspect.json")["path"], "d/.inspect.json");
    assert!(view.names("").contains(&"a.py.inspect.json".into()));
    assert_eq!(view.names("d"), [".inspect.json"]);
    assert_eq!(view.summary("d")["type"], "folder");
}

#[test]
fn odd_names_have_sidecars_where_they_fit() {
    let workspace = Workspace::new();
    let names: [&[u8]; 6] = [
        b"new\nline.py",
        b"quote\"s'.py",
        b"\xff\xfe.py",
        b" .py",
        "h\u{e9}\u{1f600}.py".as_bytes(),
        b"-rf.py",
    ];
    for name in names {
        workspace.file(raw(name), "x = 1\n");
    }
    let fits = "f".repeat(255 - ".inspect.json".len());
    let long = "g".repeat(255 - ".inspect.json".len() + 1);
    workspace.file(&fits, "x").file(&long, "x");
    let view = View::mount(workspace);
    for name in names {
        for suffix in [".inspect.json", ".outline.json"] {
            exact(&view, &with_suffix(raw(name), suffix));
        }
    }
    exact(&view, Path::new(&format!("{fits}.inspect.json")));
    let errno = fs::metadata(view.path(format!("{long}.inspect.json")))
        .unwrap_err()
        .raw_os_error();
    assert_eq!(errno, Some(libc::ENAMETOOLONG));
    let told = run(inspectfs()
        .current_dir(view.workspace().root())
        .arg("inspect")
        .arg(&long));
    assert_eq!(told.code(), Some(0), "the command gives it: {}", told.out());
    assert_eq!(
        String::from_utf8_lossy(&view.read(raw(b"\xff\xfe.py.inspect.json")))
            .matches('\u{fffd}')
            .count(),
        2
    );
}
