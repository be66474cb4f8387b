//! The table of system calls that name a path: one row a call.
//!
//! [`ASKING`] needs the name to exist, [`CHANGING`] would change what it stands for. Rows are
//! data, so a further call costs a line and every test that walks the table asks it too.

use crate::syscalls::{Arg, call};
use Slot::{At, Buffer, Handle, Int, New, Null, Target, Text, Visible, Zeros};
use libc::c_long;
use std::path::Path;

/// What stands at one place of a call's arguments.
#[derive(Clone, Copy)]
pub(crate) enum Slot {
    /// `AT_FDCWD`.
    At,
    /// The path under test.
    Target,
    /// A visible file.
    Visible,
    /// A free name beside it.
    New,
    /// A constant string.
    Text(&'static str),
    /// Room for the answer.
    Buffer,
    /// A `file_handle` with room for 128 bytes.
    Handle,
    /// A structure of zeros.
    Zeros,
    /// A number.
    Int(i64),
    /// No pointer.
    Null,
}

/// A call's name, its number and its arguments.
pub(crate) type Row = (&'static str, c_long, &'static [Slot]);

const fn flags(bits: i32) -> Slot {
    Int(bits as i64)
}

const NOFOLLOW: Slot = flags(libc::AT_SYMLINK_NOFOLLOW);
const BASIC: Slot = Int(libc::STATX_BASIC_STATS as i64);
const ATTRIBUTE: Slot = Text("user.test");

/// Calls that need the name to exist.
pub(crate) const ASKING: &[Row] = &[
    ("stat", libc::SYS_newfstatat, &[At, Target, Buffer, Int(0)]),
    (
        "lstat",
        libc::SYS_newfstatat,
        &[At, Target, Buffer, NOFOLLOW],
    ),
    (
        "statx",
        libc::SYS_statx,
        &[At, Target, Int(0), BASIC, Buffer],
    ),
    (
        "statx unsynchronised",
        libc::SYS_statx,
        &[At, Target, flags(libc::AT_STATX_DONT_SYNC), BASIC, Buffer],
    ),
    (
        "open",
        libc::SYS_openat,
        &[At, Target, flags(libc::O_RDONLY)],
    ),
    (
        "open to write",
        libc::SYS_openat,
        &[At, Target, flags(libc::O_WRONLY)],
    ),
    (
        "open truncating",
        libc::SYS_openat,
        &[At, Target, flags(libc::O_RDWR | libc::O_TRUNC)],
    ),
    (
        "open a path",
        libc::SYS_openat,
        &[At, Target, flags(libc::O_PATH)],
    ),
    (
        "open a path, no follow",
        libc::SYS_openat,
        &[At, Target, flags(libc::O_PATH | libc::O_NOFOLLOW)],
    ),
    (
        "open a folder",
        libc::SYS_openat,
        &[At, Target, flags(libc::O_DIRECTORY)],
    ),
    (
        "open a nameless file",
        libc::SYS_openat,
        &[
            At,
            Target,
            flags(libc::O_RDWR | libc::O_TMPFILE),
            Int(0o600),
        ],
    ),
    ("openat2", libc::SYS_openat2, &[At, Target, Zeros, Int(24)]),
    (
        "access",
        libc::SYS_faccessat,
        &[At, Target, flags(libc::F_OK)],
    ),
    (
        "access to read",
        libc::SYS_faccessat,
        &[At, Target, flags(libc::R_OK)],
    ),
    (
        "access to write",
        libc::SYS_faccessat,
        &[At, Target, flags(libc::W_OK)],
    ),
    (
        "access to execute",
        libc::SYS_faccessat,
        &[At, Target, flags(libc::X_OK)],
    ),
    (
        "readlink",
        libc::SYS_readlinkat,
        &[At, Target, Buffer, Int(512)],
    ),
    (
        "getxattr",
        libc::SYS_getxattr,
        &[Target, ATTRIBUTE, Buffer, Int(512)],
    ),
    (
        "lgetxattr",
        libc::SYS_lgetxattr,
        &[Target, ATTRIBUTE, Buffer, Int(512)],
    ),
    (
        "listxattr",
        libc::SYS_listxattr,
        &[Target, Buffer, Int(512)],
    ),
    (
        "llistxattr",
        libc::SYS_llistxattr,
        &[Target, Buffer, Int(512)],
    ),
    (
        "setxattr",
        libc::SYS_setxattr,
        &[Target, ATTRIBUTE, Buffer, Int(1), Int(0)],
    ),
    ("removexattr", libc::SYS_removexattr, &[Target, ATTRIBUTE]),
    ("chdir", libc::SYS_chdir, &[Target]),
    ("statfs", libc::SYS_statfs, &[Target, Buffer]),
    ("execve", libc::SYS_execve, &[Target, Null, Null]),
    (
        "name_to_handle_at",
        libc::SYS_name_to_handle_at,
        &[At, Target, Handle, Buffer, Int(0)],
    ),
    ("truncate", libc::SYS_truncate, &[Target, Int(0)]),
    (
        "utimensat",
        libc::SYS_utimensat,
        &[At, Target, Null, Int(0)],
    ),
    ("chmod", libc::SYS_fchmodat, &[At, Target, Int(0o600)]),
    (
        "chown",
        libc::SYS_fchownat,
        &[At, Target, Int(-1), Int(-1), Int(0)],
    ),
    ("open_tree", libc::SYS_open_tree, &[At, Target, Int(0)]),
];

/// Calls that would make, remove or move the name.
pub(crate) const CHANGING: &[Row] = &[
    (
        "create",
        libc::SYS_openat,
        &[
            At,
            Target,
            flags(libc::O_WRONLY | libc::O_CREAT),
            Int(0o600),
        ],
    ),
    (
        "create anew",
        libc::SYS_openat,
        &[At, Target, flags(libc::O_CREAT | libc::O_EXCL), Int(0o600)],
    ),
    ("mkdir", libc::SYS_mkdirat, &[At, Target, Int(0o755)]),
    (
        "mknod",
        libc::SYS_mknodat,
        &[At, Target, Int((libc::S_IFREG | 0o600) as i64), Int(0)],
    ),
    ("symlink", libc::SYS_symlinkat, &[Text("text"), At, Target]),
    ("unlink", libc::SYS_unlinkat, &[At, Target, Int(0)]),
    (
        "rmdir",
        libc::SYS_unlinkat,
        &[At, Target, flags(libc::AT_REMOVEDIR)],
    ),
    (
        "link from",
        libc::SYS_linkat,
        &[At, Target, At, New, Int(0)],
    ),
    (
        "link to",
        libc::SYS_linkat,
        &[At, Visible, At, Target, Int(0)],
    ),
    (
        "rename from",
        libc::SYS_renameat2,
        &[At, Target, At, New, Int(0)],
    ),
    (
        "rename to",
        libc::SYS_renameat2,
        &[At, Visible, At, Target, Int(0)],
    ),
    (
        "rename to, no replace",
        libc::SYS_renameat2,
        &[At, Visible, At, Target, Int(libc::RENAME_NOREPLACE as i64)],
    ),
    (
        "exchange",
        libc::SYS_renameat2,
        &[At, Target, At, Visible, Int(libc::RENAME_EXCHANGE as i64)],
    ),
    (
        "exchange back",
        libc::SYS_renameat2,
        &[At, Visible, At, Target, Int(libc::RENAME_EXCHANGE as i64)],
    ),
];

/// Makes the row's call on `target` and gives errno, 0 for success. Descriptors that open
/// stay open: they are few, and none should.
pub(crate) fn errno(row: &Row, target: &Path, visible: &Path, new: &Path) -> i32 {
    let (_, number, slots) = row;
    let mut spaces = vec![[0_u8; 512]; slots.len()];
    let mut args: Vec<Arg> = slots
        .iter()
        .zip(&mut spaces)
        .map(|(slot, space)| match slot {
            At => Arg::Int(libc::AT_FDCWD.into()),
            Target => Arg::Path(target),
            Visible => Arg::Path(visible),
            New => Arg::Path(new),
            Text(text) => Arg::Path(Path::new(text)),
            Buffer | Zeros => Arg::Buffer(space),
            Handle => {
                space[0] = 128;
                Arg::Buffer(space)
            }
            Int(value) => Arg::Int(*value),
            Null => Arg::Null,
        })
        .collect();
    call(*number, &mut args).err().unwrap_or(0)
}
