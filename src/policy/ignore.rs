//! Ignore files: what a person's `.agentignore` says, in git's syntax, walked down a path.
//!
//! They only hide. The last matching line of a file decides, `!` takes back a line of the same
//! file and nothing else, and each file is asked on its own. Text comes in, a matcher goes out;
//! who reads the files, and when, is no business of this module. What cannot be followed to
//! the letter is refused as a whole, and [`IgnoreFile::hide_all`] stands in for it: a hide that
//! was half understood would show what it was written to hide.

use std::sync::Arc;

use super::PathKind;
use super::explain::Ruling;
use super::pattern::{Kinds, Pattern, Progress};

/// The largest ignore file that is followed, in bytes.
pub const IGNORE_FILE_MAX: u64 = 64 << 10;

/// The most patterns that may hold in one folder: each costs a step for every name below.
const PATTERNS_MAX: usize = 4096;

/// One ignore file, compiled.
#[derive(Debug, PartialEq, Eq)]
pub struct IgnoreFile {
    lines: Vec<Line>,
    /// Why it cannot be followed; then its one line hides everything.
    fault: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    pattern: Pattern,
    /// It began with `!`.
    takes_back: bool,
    /// Counted from 1.
    number: usize,
}

impl IgnoreFile {
    /// Reads the file's text.
    ///
    /// # Errors
    /// Why it cannot be followed, as a clause for a message.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        if text.len() as u64 > IGNORE_FILE_MAX {
            return Err(format!("it is larger than {IGNORE_FILE_MAX} bytes"));
        }
        // Text of another encoding would match nothing, and so hide nothing.
        if text.contains(&0) {
            return Err("it holds NUL bytes; save it as UTF-8".to_owned());
        }
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let mut lines = Vec::new();
        for (raw, number) in text.split(|&byte| byte == b'\n').zip(1..) {
            let line = trim(raw);
            let (takes_back, body) = match line.split_first() {
                None | Some((b'#', _)) => continue,
                Some((b'!', rest)) => (true, rest),
                Some(_) => (false, line),
            };
            let fault = |message: String| format!("line {number}: {message}");
            if let Some(pattern) = Pattern::of_ignore_line(body, takes_back).map_err(fault)? {
                lines.push(Line {
                    pattern,
                    takes_back,
                    number,
                });
            }
            if lines.len() > PATTERNS_MAX {
                return Err(format!("it holds more than {PATTERNS_MAX} patterns"));
            }
        }
        Ok(Self { lines, fault: None })
    }

    /// How many patterns it holds; each takes some hundred bytes of memory.
    pub fn patterns(&self) -> usize {
        self.lines.len()
    }

    /// Hides everything in its folder: for a file that is there and cannot be followed, and why.
    pub fn hide_all(fault: impl Into<String>) -> Self {
        let pattern = Pattern::of_ignore_line(b"*", false).ok().flatten();
        Self {
            lines: pattern
                .into_iter()
                .map(|pattern| Line {
                    pattern,
                    takes_back: false,
                    number: 1,
                })
                .collect(),
            fault: Some(fault.into()),
        }
    }

    /// Why the file cannot be followed, if so.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

/// The line without its end and without the spaces before it that no `\` keeps.
fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut end = 0;
    let mut bytes = line.iter().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                end = bytes.next().map_or(index + 1, |(escaped, _)| escaped + 1);
            }
            b' ' => {}
            _ => end = index + 1,
        }
    }
    line.get(..end).unwrap_or(line)
}

/// The line of an ignore file that hides something: the file by its number on the way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IgnoreHide {
    file: usize,
    line: usize,
}

/// An ignore file on the way down, and how far its patterns have come.
#[derive(Debug, Clone)]
struct Walked {
    file: Arc<IgnoreFile>,
    /// The file's path, for explanations.
    label: Arc<str>,
    progress: Vec<Progress>,
}

/// The ignore files of a folder and of those above it.
#[derive(Debug, Clone, Default)]
pub(super) struct Ignoring(Vec<Walked>);

impl Ignoring {
    /// Adds a file that lies in the folder the walk stands in. If that makes too many patterns,
    /// everything is hidden in its place, and the answer is `false`.
    pub(super) fn add(&mut self, label: &str, file: Arc<IgnoreFile>) -> bool {
        let before: usize = self.0.iter().map(|walked| walked.progress.len()).sum();
        let fits = before + file.lines.len() <= PATTERNS_MAX;
        let file = if fits {
            file
        } else {
            Arc::new(IgnoreFile::hide_all(format!(
                "more than {PATTERNS_MAX} patterns would hold here"
            )))
        };
        self.0.push(Walked {
            progress: file.lines.iter().map(|line| line.pattern.start()).collect(),
            label: label.into(),
            file,
        });
        fits
    }

    /// The same files from the folder of this name.
    pub(super) fn enter(&self, name: &[u8]) -> Self {
        let walk = |walked: &Walked| Walked {
            file: Arc::clone(&walked.file),
            label: Arc::clone(&walked.label),
            progress: walked.steps(name).collect(),
        };
        Self(self.0.iter().map(walk).collect())
    }

    /// The line of each file that hides the entry of this name.
    pub(super) fn hides(&self, name: &[u8], kind: PathKind) -> impl Iterator<Item = IgnoreHide> {
        let decide = move |(file, walked): (usize, &Walked)| {
            let line = walked.last_match(name, kind)?;
            let takes_back = walked.file.lines.get(line)?.takes_back;
            (!takes_back).then_some(IgnoreHide { file, line })
        };
        self.0.iter().enumerate().filter_map(decide)
    }

    /// The line with where it stands: file and number.
    pub(super) fn ruling(&self, hide: IgnoreHide) -> Option<Ruling> {
        let walked = self.0.get(hide.file)?;
        let line = walked.file.lines.get(hide.line)?;
        let label = &walked.label;
        Some(match &walked.file.fault {
            None => Ruling {
                source: format!("{label}:{}", line.number),
                pattern: line.pattern.text.clone(),
                reason: None,
                alternative: None,
            },
            Some(fault) => Ruling {
                source: label.to_string(),
                pattern: line.pattern.text.clone(),
                reason: Some(format!(
                    "the file cannot be followed, so it hides all beside it: {fault}"
                )),
                alternative: None,
            },
        })
    }

    /// Whether both hide the same below.
    pub(super) fn same_below(&self, other: &Self) -> bool {
        let same = |(one, other): (&Walked, &Walked)| {
            Arc::ptr_eq(&one.file, &other.file) && one.progress == other.progress
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

impl Walked {
    fn steps<'a>(
        &'a self,
        name: &'a [u8],
    ) -> impl DoubleEndedIterator<Item = Progress> + ExactSizeIterator + 'a {
        let lines = self.file.lines.iter().zip(&self.progress);
        lines.map(move |(line, &progress)| match progress {
            0 => 0,
            _ => line.pattern.step(progress, name),
        })
    }

    fn last_match(&self, name: &[u8], kind: PathKind) -> Option<usize> {
        let fits = |line: &Line| line.pattern.kinds == Kinds::Any || kind == PathKind::Folder;
        let lines = self.file.lines.iter().zip(&self.progress).enumerate();
        lines.rev().find_map(|(index, (line, &progress))| {
            let reached = fits(line) && progress != 0;
            let matches = reached && line.pattern.is_complete(line.pattern.step(progress, name));
            matches.then_some(index)
        })
    }
}
