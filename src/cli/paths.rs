//! The paths that a command is given: as arguments, and one a line on standard input where an
//! argument is `-`. Standard input is read as the paths are used, never ahead of them.

use crate::probe::{Code, Failure};
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// No path that a system call takes is as long (`PATH_MAX` is 4,096 bytes).
const MAX_PATH_BYTES: u64 = 64 * 1024;

/// One path, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Path(PathBuf),
    Bad(Failure),
}

/// All paths in order.
pub(super) struct PathSource<'a> {
    arguments: std::slice::Iter<'a, PathBuf>,
    /// Open while a `-` is being read.
    input: Option<Box<dyn BufRead>>,
    separator: u8,
}

impl<'a> PathSource<'a> {
    /// `null`: paths on standard input end with NUL, not LF.
    pub(super) fn new(arguments: &'a [PathBuf], null: bool) -> Self {
        Self {
            arguments: arguments.iter(),
            input: None,
            separator: if null { 0 } else { b'\n' },
        }
    }
}

impl Iterator for PathSource<'_> {
    type Item = Listed;

    fn next(&mut self) -> Option<Listed> {
        loop {
            if let Some(input) = &mut self.input {
                match next_path(&mut **input, self.separator) {
                    Ok(Some(listed)) => return Some(listed),
                    Ok(None) => self.input = None,
                    Err(_) => {
                        self.input = None;
                        let message = "standard input cannot be read";
                        return Some(Listed::Bad(Failure::new(Code::Usage, message)));
                    }
                }
            }
            let argument = self.arguments.next()?;
            if argument == Path::new("-") {
                self.input = Some(Box::new(BufReader::new(io::stdin())));
            } else {
                return Some(Listed::Path(argument.clone()));
            }
        }
    }
}

/// The next path that is not empty; `None` at the end.
fn next_path(input: &mut dyn BufRead, separator: u8) -> io::Result<Option<Listed>> {
    loop {
        let mut bytes = Vec::new();
        let mut limited = input.take(MAX_PATH_BYTES);
        if limited.read_until(separator, &mut bytes)? == 0 {
            return Ok(None);
        }
        let closed = bytes.pop_if(|last| *last == separator).is_some();
        if !closed && bytes.len() as u64 == MAX_PATH_BYTES {
            input.skip_until(separator)?;
            let message = "a path on standard input has more than 65536 bytes; \
                           paths end with a line end, or with NUL after --null";
            return Ok(Some(Listed::Bad(Failure::new(Code::Usage, message))));
        }
        if !bytes.is_empty() {
            let path = PathBuf::from(OsString::from_vec(bytes));
            return Ok(Some(Listed::Path(path)));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
mod tests {
    use super::*;

    fn all(mut input: &[u8], separator: u8) -> Vec<Listed> {
        std::iter::from_fn(|| next_path(&mut input, separator).unwrap()).collect()
    }

    fn paths(input: &[u8], separator: u8) -> Vec<Vec<u8>> {
        let bytes = |listed| match listed {
            Listed::Path(path) => path.into_os_string().into_vec(),
            Listed::Bad(failure) => failure.message.into_bytes(),
        };
        all(input, separator).into_iter().map(bytes).collect()
    }

    #[test]
    fn paths_end_with_the_separator_alone() {
        assert_eq!(
            paths(b"a\n\nb c \r\n-\nd", b'\n'),
            [&b"a"[..], b"b c \r", b"-", b"d"]
        );
        assert_eq!(paths(b"a\nb\0\0\xff\0", 0), [&b"a\nb"[..], b"\xff"]);
        assert_eq!(paths(b"", b'\n'), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn a_path_without_end_is_refused_and_skipped() {
        let mut input = vec![b'x'; 1_000_000];
        input.extend_from_slice(b"\nnext\n");
        let listed = all(&input, b'\n');
        assert!(matches!(&listed[0], Listed::Bad(failure) if failure.code == Code::Usage));
        assert_eq!(listed[1], Listed::Path(PathBuf::from("next")));
        assert_eq!(listed.len(), 2);
        let longest = usize::try_from(MAX_PATH_BYTES).unwrap() - 1;
        let mut input = vec![b'x'; longest];
        input.push(b'\n');
        assert_eq!(paths(&input, b'\n'), [vec![b'x'; longest]]);
    }
}
