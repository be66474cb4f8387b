//! Why the view refuses a request.
//!
//! There is no variant for *hidden*: what the policy hides is [`Error::NotFound`], as a name
//! that does not exist, so no caller can answer differently.

use rustix::io::Errno;
use std::io;

/// Why a request is refused. `mount` turns each into its errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No such name, as far as the view goes.
    #[error("no such file or folder")]
    NotFound,
    /// The policy refuses the group that the request needs.
    #[error("the policy does not allow it")]
    Denied,
    /// The view is read-only.
    #[error("the view is read-only")]
    ReadOnly,
    /// A folder was needed.
    #[error("not a folder")]
    NotFolder,
    /// A folder is not read as a file.
    #[error("is a folder")]
    IsFolder,
    /// The request does not fit the kind of file.
    #[error("invalid argument")]
    Invalid,
    /// The name is longer than 255 bytes.
    #[error("name too long")]
    NameTooLong,
    /// The node's name leads to another file by now; the kernel looks it up again.
    #[error("stale node")]
    Stale,
    /// The file is larger than the policy lets be read.
    #[error("larger than the policy lets be read")]
    TooLarge,
    /// The daemon has no descriptor left.
    #[error("too many open files")]
    TooManyOpen,
    /// No such data or hole after the offset.
    #[error("no such extent")]
    NoExtent,
    /// Another error of the real file system, by its code.
    #[error("{}", io::Error::from_raw_os_error(*.0))]
    Os(i32),
}

/// What the view answers.
pub type Result<T> = std::result::Result<T, Error>;

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOENT) => Self::NotFound,
            Some(Errno::NOTDIR) => Self::NotFolder,
            Some(Errno::ISDIR) => Self::IsFolder,
            Some(Errno::INVAL) => Self::Invalid,
            Some(Errno::NAMETOOLONG) => Self::NameTooLong,
            Some(Errno::STALE) => Self::Stale,
            Some(Errno::MFILE | Errno::NFILE) => Self::TooManyOpen,
            Some(Errno::NXIO) => Self::NoExtent,
            Some(other) => Self::Os(other.raw_os_error()),
            None => Self::Os(Errno::IO.raw_os_error()),
        }
    }
}
