//! What the kernel keeps never stays wrong: random changes outside while readers inside look,
//! list and read; whenever the changes stop, both sides are soon the same.

use crate::harness::{View, eventually};
use crate::workspace::Workspace;
use proptest::prelude::RngExt as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Changes are seen within a second; the rest is for a busy machine.
const BOUND: Duration = Duration::from_millis(1500);

/// How long the changes go on.
const CHURN: Duration = Duration::from_secs(5);

const FOLDERS: usize = 5;
const NAMES: usize = 10;

/// One entry as both sides must show it.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    size: u64,
    modified: (i64, i64),
    mode: u32,
    content: Vec<u8>,
}

/// Every entry below `root`, by its path there.
fn snapshot(root: &Path) -> io::Result<BTreeMap<PathBuf, Option<Shown>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let meta = fs::symlink_metadata(&path)?;
            let name = path.strip_prefix(root).unwrap().to_owned();
            if meta.is_dir() {
                folders.push(path);
                all.insert(name, None);
            } else if name != Path::new(".inspect.json") {
                let shown = Shown {
                    size: meta.size(),
                    modified: (meta.mtime(), meta.mtime_nsec()),
                    mode: meta.mode(),
                    content: fs::read(&path)?,
                };
                all.insert(name, Some(shown));
            }
        }
    }
    Ok(all)
}

/// One change, as an editor, a build or a version control system makes them. What it meets may
/// be gone: then it changes nothing.
fn change(root: &Path, random: &mut TestRng) -> io::Result<()> {
    let folder = |number: usize| root.join(format!("d{}", number % FOLDERS));
    let (first, second) = (
        random.random_range(0..FOLDERS),
        random.random_range(0..FOLDERS),
    );
    let name = format!("f{}", random.random_range(0..NAMES));
    let file = folder(first).join(&name);
    let size = random.random_range(0..4000);
    let readable = random.random_range(0..2);
    match random.random_range(0..9) {
        0 => fs::write(file, vec![b'w'; size]),
        1 => OpenOptions::new()
            .append(true)
            .open(file)?
            .write_all(b"more"),
        2 => fs::remove_file(file),
        3 => fs::rename(file, folder(second).join("sub").join(name)),
        4 => {
            let scratch = folder(first).join("scratch");
            fs::write(&scratch, vec![b'r'; size])?;
            fs::rename(scratch, file)
        }
        5 => File::options().write(true).open(file)?.set_len(size as u64),
        6 => fs::set_permissions(file, Permissions::from_mode(0o600 + 0o44 * readable)),
        7 => {
            // Two folders change places.
            let (one, other) = (folder(first).join("sub"), folder(first + 1).join("sub"));
            let aside = root.join("aside");
            fs::rename(&one, &aside)?;
            fs::rename(&other, &one)?;
            fs::rename(&aside, &other)
        }
        _ => fs::rename(folder(second).join("sub").join(&name), file),
    }
}

fn read_at_random(view: &Path, seed: u8, stop: &AtomicBool) {
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    while !stop.load(Ordering::Relaxed) {
        let folder = view.join(format!("d{}", random.random_range(0..FOLDERS)));
        let file = folder.join(format!("f{}", random.random_range(0..NAMES)));
        // What they meet may be gone or on its way; only hanging would be wrong.
        match random.random_range(0..5) {
            0 => drop(fs::read_dir(&folder).map(Iterator::count)),
            1 => drop(fs::symlink_metadata(&file)),
            2 => drop(fs::read(&file)),
            3 => drop(fs::read(folder.join("sub").join("f1"))),
            _ => drop(snapshot(view)),
        }
    }
}

/// Readers end however the test ends.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn nothing_the_kernel_keeps_stays_wrong() {
    let workspace = Workspace::new();
    for folder in 0..FOLDERS {
        workspace.folder(format!("d{folder}/sub"));
        for file in 0..NAMES - 2 {
            workspace.file(format!("d{folder}/f{file}"), "first");
        }
    }
    for folder in 0..FOLDERS {
        for file in 0..NAMES {
            workspace.note(format!("d{folder}/f{file}"));
            workspace.note(format!("d{folder}/sub/f{file}"));
        }
    }
    let view = View::mount(workspace);
    let (inside, outside) = (view.root().to_owned(), view.workspace().root().to_owned());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _also_after_a_failure = StopOnDrop(&stop);
        for seed in 0..3 {
            let (inside, stop) = (&inside, &stop);
            scope.spawn(move || read_at_random(inside, seed, stop));
        }
        let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
        let until = Instant::now() + CHURN;
        while Instant::now() < until {
            for _ in 0..random.random_range(1..40) {
                let _gone_meanwhile = change(&outside, &mut random);
            }
            let expected = snapshot(&outside).unwrap();
            eventually("both sides are the same", BOUND, || {
                (snapshot(&inside).ok()? == expected).then_some(())
            });
        }
    });
}
