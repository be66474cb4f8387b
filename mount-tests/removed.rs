//! Files whose last name is gone: what was shown is read to its end, and nothing that was written
//! under a hidden name.

use crate::harness::{View, eventually};
use crate::moves::{BOUND, read_open};
use crate::workspace::Workspace;
use std::fs::{self, File};

/// Who has a file open must not get what was written to it under a hidden name, when that name
/// was its last and is gone as well.
#[test]
fn a_hidden_file_that_is_removed_stays_closed() {
    for flags in [
        &["--hide=private/"][..],
        &["--hide=private/", "--strict-open"][..],
    ] {
        let workspace = Workspace::of(&[
            ("private/x", ""),
            ("a", "was shown"),
            ("b", "was shown"),
            ("c", "was shown"),
            ("d", "was shown"),
        ]);
        let outside = workspace.base().join("outside");
        let view = View::mount_with(workspace, flags);
        let real = |name: &str| view.workspace().path(name);
        let files = ["a", "b", "c", "d"].map(|name| File::open(view.path(name)).unwrap());
        for file in &files {
            assert_eq!(read_open(file).unwrap(), "was shown");
        }
        // Under a hidden name, out of the workspace, by another hidden name.
        fs::rename(real("a"), real(".env")).unwrap();
        fs::rename(real("b"), &outside).unwrap();
        fs::hard_link(real("c"), real("private/c")).unwrap();
        for path in [&real(".env"), &outside, &real("private/c")] {
            fs::write(path, "SECRET, and more than before").unwrap();
        }
        for path in [&real(".env"), &outside, &real("private/c"), &real("c")] {
            fs::remove_file(path).unwrap();
        }
        // One that was removed as it was is read to its end.
        fs::remove_file(real("d")).unwrap();
        for _ in 0..100 {
            for file in &files[..3] {
                if let Ok(text) = read_open(file) {
                    // What the kernel kept of the time when it was shown.
                    assert_eq!(text, "was shown");
                }
            }
            assert_eq!(read_open(&files[3]).unwrap(), "was shown");
        }
        for file in &files[..3] {
            eventually("it is refused", BOUND, || {
                (read_open(file) == Err(Some(libc::EACCES))).then_some(())
            });
        }
    }
}
