//! System calls in a loop, timed in place: what Python would blur by its own cost. Built with
//! `rustc`, prints one line: nanoseconds, operations, bytes.
//!
//!   storm lstat ROOT LIST THREADS    lstat of every path, shared out among threads
//!   storm read ROOT LIST             open, read to the end, close of every path
//!   storm sequential FILE            reads of 1 MiB to the end
//!   storm random FILE COUNT          preads of 4 KiB at places of a fixed random order
//!
//! LIST holds paths relative to ROOT, one a line.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::{Duration, Instant};

struct Done {
    elapsed: Duration,
    operations: u64,
    bytes: u64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["lstat", root, list, threads] => {
            let threads = threads.parse().expect("a number of threads");
            paths(root, list).and_then(|paths| lstat(&paths, threads))
        }
        ["read", root, list] => paths(root, list).and_then(|paths| read(&paths)),
        ["sequential", file] => sequential(Path::new(file)),
        ["random", file, count] => random(Path::new(file), count.parse().expect("a count")),
        _ => Err(io::Error::other("see the head of storm.rs")),
    };
    match done {
        Ok(done) => println!("{} {} {}", done.elapsed.as_nanos(), done.operations, done.bytes),
        Err(error) => {
            eprintln!("storm: {error}");
            std::process::exit(1);
        }
    }
}

fn paths(root: &str, list: &str) -> io::Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(list)?;
    Ok(text.lines().map(|line| Path::new(root).join(line)).collect())
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Each thread takes every n-th path; the time is from the first thread's start to the last
/// one's end.
fn lstat(paths: &[PathBuf], threads: usize) -> io::Result<Done> {
    let barrier = Barrier::new(threads);
    let pass = |first: usize| -> io::Result<(Instant, Instant, u64)> {
        barrier.wait();
        let start = Instant::now();
        let mut bytes = 0;
        for path in paths.iter().skip(first).step_by(threads) {
            let meta = path.symlink_metadata().map_err(|error| named(path, error))?;
            bytes += meta.len();
        }
        Ok((start, Instant::now(), bytes))
    };
    let passes: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                let pass = &pass;
                scope.spawn(move || pass(first))
            })
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join().expect("a worker panicked"));
        joined.collect::<io::Result<_>>()
    })?;
    let start = passes.iter().map(|pass| pass.0).min().expect("a thread");
    let end = passes.iter().map(|pass| pass.1).max().expect("a thread");
    Ok(Done {
        elapsed: end - start,
        operations: paths.len() as u64,
        bytes: passes.iter().map(|pass| pass.2).sum(),
    })
}

fn read(paths: &[PathBuf]) -> io::Result<Done> {
    let mut buffer = vec![0; 1 << 17];
    let mut bytes = 0;
    let start = Instant::now();
    for path in paths {
        let mut file = File::open(path).map_err(|error| named(path, error))?;
        loop {
            match file.read(&mut buffer).map_err(|error| named(path, error))? {
                0 => break,
                read => bytes += read as u64,
            }
        }
    }
    Ok(Done {
        elapsed: start.elapsed(),
        operations: paths.len() as u64,
        bytes,
    })
}

fn sequential(path: &Path) -> io::Result<Done> {
    let mut buffer = vec![0; 1 << 20];
    let (mut operations, mut bytes) = (0, 0);
    let start = Instant::now();
    let mut file = File::open(path)?;
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => {
                operations += 1;
                bytes += read as u64;
            }
        }
    }
    Ok(Done {
        elapsed: start.elapsed(),
        operations,
        bytes,
    })
}

fn random(path: &Path, count: u64) -> io::Result<Done> {
    let file = File::open(path)?;
    let pages = file.metadata()?.len() / 4096;
    let mut buffer = [0; 4096];
    // A full period of a linear congruence would do; xorshift is as short and has no pattern.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let start = Instant::now();
    for _ in 0..count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        file.read_exact_at(&mut buffer, state % pages * 4096)?;
    }
    Ok(Done {
        elapsed: start.elapsed(),
        operations: count,
        bytes: count * 4096,
    })
}
