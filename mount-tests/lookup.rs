//! Names to attributes: what stat says of visible files, folders and missing names.

use crate::harness::View;
use crate::workspace::Workspace;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

#[test]
fn a_file_is_what_it_is() {
    let workspace = Workspace::of(&[
        ("src/a.txt", "hello\n"),
        ("run.sh", "#!/bin/sh\necho ran\n"),
    ]);
    let path = workspace.path("src/a.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(workspace.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::new(1_234_567_890, 123_456_789);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let view = View::mount(workspace);
    let real = fs::metadata(view.workspace().path("src/a.txt")).unwrap();
    let seen = view.stat("src/a.txt");
    assert_eq!(seen.len(), 6);
    assert_eq!(seen.modified().unwrap(), time, "nanoseconds too");
    assert_eq!(seen.mode() & !0o222, real.mode() & !0o222);
    assert_eq!((seen.uid(), seen.gid()), (real.uid(), real.gid()));
    assert_eq!(seen.nlink(), 1);
    assert_eq!(seen.blocks(), real.blocks());
    let ran = std::process::Command::new(view.path("run.sh"))
        .output()
        .unwrap();
    assert_eq!(ran.stdout, b"ran\n");
}

#[test]
fn a_folder_tells_nothing_of_what_it_holds() {
    let workspace = Workspace::new();
    workspace.folder("few").folder("many/hidden/.git");
    for index in 0..300 {
        workspace.folder(format!("many/folder-{index:03}-{}", "x".repeat(100)));
    }
    let view = View::mount(workspace);
    for folder in ["", "few", "many", "many/hidden"] {
        let seen = view.stat(folder);
        assert!(seen.is_dir());
        assert_eq!(
            (seen.nlink(), seen.len(), seen.blocks()),
            (1, 4096, 8),
            "{folder}"
        );
    }
}

#[test]
fn inode_numbers_are_the_views_own_and_stable() {
    let workspace = Workspace::new();
    for index in 0..40 {
        workspace.file(format!("d{}/f{index}", index % 4), "x");
    }
    let view = View::mount(workspace);
    let mut numbers = std::collections::HashSet::new();
    for index in 0..40 {
        let name = format!("d{}/f{index}", index % 4);
        let seen = view.stat(&name).ino();
        let real = fs::metadata(view.workspace().path(&name)).unwrap().ino();
        assert_ne!(seen, real, "{name} shows the real inode number");
        assert!(seen > 1, "{name} has a reserved number");
        assert!(numbers.insert(seen), "{name} shares its number");
        assert_eq!(
            fs::File::open(view.path(&name))
                .unwrap()
                .metadata()
                .unwrap()
                .ino(),
            seen
        );
    }
    // Dropping dentries sends FORGET; the numbers must survive it. Only root may ask, and
    // elsewhere the second look still has to agree.
    let _ = fs::write("/proc/sys/vm/drop_caches", "2");
    let again: std::collections::HashSet<u64> = (0..40)
        .map(|index| view.stat(format!("d{}/f{index}", index % 4)).ino())
        .collect();
    assert_eq!(numbers, again);
}

#[test]
fn missing_names_and_wrong_types() {
    let view = View::of(&[("a/b.txt", "x")]);
    let errno = |path: &str| {
        fs::symlink_metadata(view.path(path))
            .unwrap_err()
            .raw_os_error()
    };
    assert_eq!(errno("nothing"), Some(libc::ENOENT));
    assert_eq!(errno("a/nothing"), Some(libc::ENOENT));
    assert_eq!(errno("nothing/below"), Some(libc::ENOENT));
    assert_eq!(errno("a/b.txt/below"), Some(libc::ENOTDIR));
    assert!(view.exists("a/../a/./b.txt"));
}

#[test]
fn the_view_cannot_be_changed() {
    let view = View::of(&[("a/b.txt", "x")]);
    let errno = |result: std::io::Result<()>| result.unwrap_err().raw_os_error().unwrap_or(0);
    let file = view.path("a/b.txt");
    let answers = [
        ("write", errno(fs::write(&file, "y"))),
        ("create", errno(fs::write(view.path("new"), "y"))),
        ("mkdir", errno(fs::create_dir(view.path("new")))),
        ("unlink", errno(fs::remove_file(&file))),
        ("rmdir", errno(fs::remove_dir(view.path("a")))),
        ("rename", errno(fs::rename(&file, view.path("c")))),
        ("link", errno(fs::hard_link(&file, view.path("c")))),
        (
            "symlink",
            errno(std::os::unix::fs::symlink("a", view.path("c"))),
        ),
        (
            "chmod",
            errno(fs::set_permissions(
                &file,
                fs::Permissions::from_mode(0o600),
            )),
        ),
        (
            "append",
            errno(fs::File::options().append(true).open(&file).map(drop)),
        ),
    ];
    for (operation, answer) in answers {
        assert_eq!(answer, libc::EROFS, "{operation}");
    }
    assert_eq!(
        rustix::fs::access(&file, rustix::fs::Access::WRITE_OK),
        Err(rustix::io::Errno::ROFS)
    );
    assert_eq!(view.read("a/b.txt"), b"x");
}

#[test]
fn the_file_system_describes_itself() {
    let view = View::of(&[("a", "x")]);
    let seen = rustix::fs::statvfs(view.root()).unwrap();
    let real = rustix::fs::statvfs(view.workspace().root()).unwrap();
    assert_eq!(seen.f_namemax, 255);
    assert_eq!(seen.f_blocks * seen.f_frsize, real.f_blocks * real.f_frsize);
    assert_eq!(view.stat("a").dev(), view.stat("").dev());
    assert_ne!(
        view.stat("a").dev(),
        fs::metadata(view.workspace().root()).unwrap().dev()
    );
}
