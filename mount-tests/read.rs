//! Content: any offset, any way of reading, many readers, large files.

use crate::harness::View;
use crate::processes::run;
use crate::syscalls;
use crate::workspace::Workspace;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::Command;

/// Bytes in which no two neighbouring blocks are alike.
fn pattern(length: usize) -> Vec<u8> {
    (0..length)
        .map(|index| (index ^ (index >> 8) ^ (index >> 16)).to_le_bytes()[0])
        .collect()
}

#[test]
fn any_offset_and_past_the_end() {
    let content = pattern(300_001);
    let workspace = Workspace::new();
    workspace.file("data.bin", &content);
    let view = View::mount(workspace);
    let file = File::open(view.path("data.bin")).unwrap();
    for offset in [0, 1, 4095, 4096, 4097, 131_071, 131_073, 299_999, 300_000] {
        for length in [1, 3, 4096, 5000, 131_072] {
            let mut buffer = vec![0; length];
            let mut filled = 0;
            while filled < length {
                let at = u64::try_from(offset + filled).unwrap();
                match file.read_at(&mut buffer[filled..], at).unwrap() {
                    0 => break,
                    count => filled += count,
                }
            }
            let end = content.len().min(offset + length);
            assert!(
                buffer[..filled] == content[offset..end],
                "{length} bytes at {offset}"
            );
        }
    }
    for offset in [300_001, 300_002, 1 << 20, 1 << 40] {
        assert_eq!(file.read_at(&mut [0; 100], offset).unwrap(), 0, "{offset}");
    }
}

#[test]
fn empty_files_and_exact_pages() {
    let workspace = Workspace::new();
    for length in [0, 1, 4095, 4096, 4097, 8192] {
        workspace.file(format!("f{length}"), pattern(length));
    }
    let view = View::mount(workspace);
    for length in [0, 1, 4095, 4096, 4097, 8192] {
        let name = format!("f{length}");
        assert!(view.read(&name) == pattern(length), "{name}");
        assert!(
            syscalls::read_mapped(&view.path(&name)).unwrap() == pattern(length),
            "{name} mapped"
        );
    }
}

#[test]
fn mapped_equals_read() {
    let content = pattern(3_000_017);
    let workspace = Workspace::new();
    workspace.file("big.bin", &content);
    let view = View::mount(workspace);
    assert!(syscalls::read_mapped(&view.path("big.bin")).unwrap() == content);
    assert!(view.read("big.bin") == content);
}

#[test]
fn a_large_file_and_its_holes() {
    let length = 200 << 20;
    let workspace = Workspace::new();
    workspace.sparse("large", length);
    let file = File::options()
        .write(true)
        .open(workspace.path("large"))
        .unwrap();
    let marks = [0, 1_048_575, (100 << 20) + 3, length - 5];
    for mark in marks {
        file.write_all_at(b"MARK!", mark).unwrap();
    }
    let view = View::mount(workspace);
    let seen = File::open(view.path("large")).unwrap();
    assert_eq!(seen.metadata().unwrap().len(), length);
    for mark in marks {
        let mut buffer = [0; 5];
        seen.read_exact_at(&mut buffer, mark).unwrap();
        assert_eq!(&buffer, b"MARK!", "at {mark}");
    }
    let digest = |path: std::path::PathBuf| {
        let sum = run(Command::new("sha256sum").stdin(File::open(path).unwrap()));
        assert!(sum.status.success(), "{}", sum.err());
        sum.out()
    };
    assert_eq!(
        digest(view.path("large")),
        digest(view.workspace().path("large"))
    );
}

#[test]
fn a_thousand_readers_at_once() {
    let workspace = Workspace::new();
    let contents: Vec<Vec<u8>> = (0..20)
        .map(|index| pattern(10_000 + index * 3001))
        .collect();
    for (index, content) in contents.iter().enumerate() {
        workspace.file(format!("d{}/f{index}", index % 3), content);
    }
    let view = View::mount(workspace);
    std::thread::scope(|scope| {
        for reader in 0..1000 {
            let (view, contents) = (&view, &contents);
            let work = move || {
                let index = reader % contents.len();
                let path = view.path(format!("d{}/f{index}", index % 3));
                if reader % 4 == 0 {
                    assert!(syscalls::read_mapped(&path).unwrap() == contents[index]);
                } else {
                    assert!(fs::read(&path).unwrap() == contents[index]);
                }
                assert!(view.exists(format!("d{}", index % 3)));
                assert!(!view.exists(format!("missing-{reader}")));
            };
            std::thread::Builder::new()
                .stack_size(128 << 10)
                .spawn_scoped(scope, work)
                .unwrap();
        }
    });
}

#[test]
fn many_open_files() {
    let workspace = Workspace::new();
    for index in 0..900 {
        workspace.file(format!("many/f{index}"), index.to_string());
    }
    let view = View::mount(workspace);
    let open: Vec<File> = (0..900)
        .map(|index| File::open(view.path(format!("many/f{index}"))).unwrap())
        .collect();
    for (index, file) in open.iter().enumerate() {
        let mut buffer = [0; 8];
        let count = file.read_at(&mut buffer, 0).unwrap();
        assert_eq!(&buffer[..count], index.to_string().as_bytes());
    }
}

#[test]
fn ordinary_programs_read_the_same_tree() {
    let workspace = Workspace::new();
    for index in 0..50 {
        workspace.file(
            format!("tree/d{}/f{index}.txt", index % 7),
            pattern(index * 997),
        );
    }
    workspace.link("tree/l", "d1/f1.txt").folder("tree/empty");
    let view = View::mount(workspace);
    let same = run(Command::new("diff")
        .arg("-r")
        .arg("--no-dereference")
        .arg(view.path("tree"))
        .arg(view.workspace().path("tree")));
    assert!(same.status.success(), "{}{}", same.out(), same.err());
    let copy = view.workspace().base().join("copy");
    let copied = run(Command::new("cp")
        .arg("-a")
        .arg(view.path("tree"))
        .arg(&copy));
    assert!(copied.status.success(), "{}", copied.err());
    let packed = run(Command::new("tar")
        .args(["-cf", "-", "-C"])
        .arg(view.root())
        .arg("tree"));
    assert!(packed.status.success(), "{}", packed.err());
    assert_eq!(packed.err(), "");
    let same = run(Command::new("diff")
        .arg("-r")
        .arg("--no-dereference")
        .arg(copy)
        .arg(view.workspace().path("tree")));
    assert!(same.status.success(), "{}", same.out());
}
