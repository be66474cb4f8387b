//! Sidecars met by programs: listings, walkers and readers of every kind, and what they cost
//! the daemon.

use crate::harness::View;
use crate::processes::{inspectfs, installed, run};
use crate::sidecars::{exact, walk, with_suffix, zoo};
use crate::syscalls;
use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn listings_show_the_roots_summary_alone() {
    let workspace = zoo();
    let real: BTreeSet<PathBuf> = walk(&workspace).into_iter().collect();
    let view = View::mount(workspace);
    // Looking at sidecars must not make them appear.
    for path in &real {
        view.stat(with_suffix(path, ".inspect.json"));
    }
    let found =
        run(Command::new("find")
            .arg(view.root())
            .args(["-mindepth", "1", "-printf", "%P\\n"]));
    let mut found: BTreeSet<PathBuf> = found.out().lines().map(PathBuf::from).collect();
    assert!(found.remove(Path::new(".inspect.json")));
    assert_eq!(found, real);
}

#[test]
fn the_flag_chooses_what_listings_show() {
    let view = View::mount_with(zoo(), &["--sidecars", "none"]);
    assert!(
        !view
            .all_names("")
            .unwrap()
            .contains(&".inspect.json".into())
    );
    exact(&view, Path::new(".inspect.json"));
    exact(&view, Path::new("app.py.outline.json"));
    drop(view);

    let workspace = zoo();
    let long = "l".repeat(245);
    workspace.file(&long, "x");
    let real = walk(&workspace);
    let mut expected: BTreeSet<PathBuf> = BTreeSet::from([".inspect.json".into()]);
    for path in &real {
        expected.insert(path.clone());
        let kind = fs::symlink_metadata(workspace.path(path))
            .unwrap()
            .file_type();
        for (suffix, has) in [(".inspect.json", true), (".outline.json", kind.is_file())] {
            let sidecar = with_suffix(path, suffix);
            if has && sidecar.file_name().unwrap().len() <= 255 {
                expected.insert(sidecar);
            }
        }
        if kind.is_dir() {
            expected.insert(path.join(".inspect.json"));
        }
    }
    let view = View::mount_with(workspace, &["--sidecars", "all"]);
    let found =
        run(Command::new("find")
            .arg(view.root())
            .args(["-mindepth", "1", "-printf", "%P\\n"]));
    assert_eq!(found.err(), "");
    let found: BTreeSet<PathBuf> = found.out().lines().map(PathBuf::from).collect();
    assert_eq!(found, expected);
    for path in found.difference(&real.into_iter().collect()) {
        exact(&view, path);
    }
    let packed = run(Command::new("tar")
        .args(["-cf", "/dev/null", "-C"])
        .arg(view.root())
        .arg("."));
    assert_eq!(
        packed.err().replace("tar: ./pipe: socket ignored\n", ""),
        ""
    );
}

#[test]
fn a_shown_git_folder_keeps_the_root_listing_clean() {
    let workspace = zoo();
    workspace.file(".git/HEAD", "ref: refs/heads/main\n");
    let view = View::mount_with(workspace, &["--show", ".git"]);
    assert_eq!(view.read(".git/HEAD"), b"ref: refs/heads/main\n");
    assert!(
        !view
            .all_names("")
            .unwrap()
            .contains(&".inspect.json".into())
    );
    exact(&view, Path::new(".inspect.json"));
}

#[test]
fn a_listing_probes_nothing() {
    let workspace = Workspace::new();
    for index in 0..40 {
        workspace.file(format!("d/f{index}.py"), "x = 1\n".repeat(20_000));
    }
    let view = View::mount_with(workspace, &["--sidecars", "all"]);
    let before = bytes_read(&view);
    let listed = run(Command::new("ls").arg("-a").arg(view.path("d")));
    assert!(listed.out().lines().count() >= 3 * 40, "{}", listed.out());
    let read = bytes_read(&view) - before;
    assert!(read < 1 << 20, "a listing read {read} bytes of 4.8 MB");
}

/// What the daemon has read so far, requests of the kernel included.
fn bytes_read(view: &View) -> u64 {
    let io = fs::read_to_string(format!("/proc/{}/io", view.pid())).unwrap();
    let line = io.lines().find(|line| line.starts_with("rchar: ")).unwrap();
    line["rchar: ".len()..].parse().unwrap()
}

#[test]
fn five_sparse_gigabytes_are_described_unread() {
    let workspace = Workspace::new();
    workspace
        .sparse("big.csv", 5 << 30)
        .sparse("big.py", 5 << 30)
        .sparse("big.bin", 5 << 30);
    let view = View::mount(workspace);
    let (before, start) = (bytes_read(&view), Instant::now());
    for name in ["big.csv", "big.py", "big.bin"] {
        let summary = view.summary(name);
        assert_eq!(summary["size_bytes"], 5_u64 << 30);
        assert_eq!(summary["tier"], 3);
        assert!(summary.get("structure").is_none());
        exact(&view, Path::new(&format!("{name}.inspect.json")));
        exact(&view, Path::new(&format!("{name}.outline.json")));
    }
    assert_eq!(view.summary("big.py")["reason"], "too_large");
    assert_eq!(view.json(".inspect.json")["tier_3_files"], 3);
    let read = bytes_read(&view) - before;
    assert!(read < 4 << 20, "{read} bytes read");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    for name in ["big.csv", "big.py", "big.bin"] {
        let original = fs::metadata(view.workspace().path(name)).unwrap();
        assert_eq!(original.blocks(), 0);
    }
}

#[test]
fn the_commands_print_the_same_bytes() {
    let view = View::mount(zoo());
    for path in walk(view.workspace()) {
        let offline = |command: &str| {
            run(inspectfs()
                .current_dir(view.workspace().root())
                .arg(command)
                .arg(&path))
        };
        let inspected = offline("inspect");
        assert_eq!(inspected.err(), "");
        assert_eq!(
            inspected.out(),
            String::from_utf8_lossy(&view.read(with_suffix(&path, ".inspect.json")))
        );
        let outlined = offline("outline");
        assert_eq!(outlined.err(), "");
        if view.stat(&path).is_file() {
            let served = view.read(with_suffix(&path, ".outline.json"));
            assert_eq!(outlined.out(), String::from_utf8_lossy(&served));
        } else if !view.stat(&path).is_symlink() {
            let answer: serde_json::Value = serde_json::from_slice(&outlined.stdout).unwrap();
            assert_eq!(answer["error"]["code"], "not_regular", "{}", path.display());
            assert_eq!(outlined.code(), Some(1));
        }
    }
    // Several paths: one document each, in the order asked.
    let two = run(inspectfs().current_dir(view.workspace().root()).args([
        "inspect",
        "sample.go",
        "data/sales.csv",
    ]));
    let mut expected = view.read("sample.go.inspect.json");
    expected.extend(view.read("data/sales.csv.inspect.json"));
    assert_eq!(two.stdout, expected);
}

#[test]
fn real_clients_read_them_whole() {
    let view = View::mount(zoo());
    let names = [
        "sample.go.inspect.json",
        "sample.go.outline.json",
        "data/.inspect.json",
        "empty.inspect.json",
        ".inspect.json",
    ];
    let python = "import sys,os,mmap\n\
        p=sys.argv[1]; f=open(p,'rb'); b=f.read(); assert len(b)==os.stat(p).st_size\n\
        assert mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ)[:]==b\n\
        sys.stdout.buffer.write(b)";
    for name in names {
        let path = view.path(name);
        let expected = view.read(name);
        assert_eq!(run(Command::new("cat").arg(&path)).stdout, expected);
        assert_eq!(syscalls::read_mapped(&path).unwrap(), expected);
        let counted = run(Command::new("wc").arg("-c").arg(&path)).out();
        assert_eq!(
            counted.split(' ').next(),
            Some(&*expected.len().to_string())
        );
        let copy = view.workspace().base().join("copy");
        let copied = run(Command::new("cp")
            .args(["--no-preserve=mode", "-f"])
            .arg(&path)
            .arg(&copy));
        assert_eq!(copied.err(), "");
        assert_eq!(fs::read(&copy).unwrap(), expected);
        let packed = run(Command::new("tar")
            .args(["-cf", "-", "-C"])
            .arg(view.root())
            .arg(name));
        assert_eq!(packed.err(), "", "the file shrank or grew");
        assert!(memchr::memmem::find(&packed.stdout, &expected).is_some());
        let head = run(Command::new("head").args(["-c", "10"]).arg(&path));
        assert_eq!(head.stdout, expected[..10]);
        let scripted = run(Command::new("python3").args(["-c", python]).arg(&path));
        assert_eq!(scripted.stdout, expected, "{}", scripted.err());
        if installed("node") {
            let script = "process.stdout.write(require('fs').readFileSync(process.argv[1]))";
            let scripted = run(Command::new("node").args(["-e", script]).arg(&path));
            assert_eq!(scripted.stdout, expected, "{}", scripted.err());
        }
        if installed("rsync") {
            let synced = run(Command::new("rsync").arg(&path).arg(&copy));
            assert_eq!(synced.err(), "");
            assert_eq!(fs::read(&copy).unwrap(), expected);
        }
    }
}
