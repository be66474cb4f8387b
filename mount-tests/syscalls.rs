//! Raw system calls, for what no safe wrapper offers: the errno table of hidden names and
//! mapped reads.
//!
//! The only file of this suite with `unsafe`. A call gets integers, NUL-ended paths and
//! buffers; nothing here interprets what comes back.

use std::ffi::{CString, c_long};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// One argument of a raw system call.
pub(crate) enum Arg<'a> {
    /// A number: a descriptor, flags, a length.
    Int(i64),
    /// A path.
    Path(&'a Path),
    /// A buffer that the kernel may read and write.
    Buffer(&'a mut [u8]),
    /// A null pointer.
    Null,
}

/// Makes the call and gives its result or errno.
pub(crate) fn call(number: c_long, args: &mut [Arg]) -> Result<i64, i32> {
    let mut paths = Vec::new();
    let mut words = [0_i64; 6];
    for (word, arg) in words.iter_mut().zip(args) {
        *word = match arg {
            Arg::Int(value) => *value,
            Arg::Null => 0,
            Arg::Buffer(buffer) => buffer.as_mut_ptr() as i64,
            Arg::Path(path) => {
                paths.push(CString::new(path.as_os_str().as_bytes()).unwrap());
                paths.last().unwrap().as_ptr() as i64
            }
        };
    }
    let [first, second, third, fourth, fifth, sixth] = words;
    // SAFETY: every pointer is a live buffer or a NUL-ended string that outlives the call
    // (`CString` keeps its bytes on the heap while `paths` grows), and callers pass buffers
    // as large as the structure that the call fills.
    let result = unsafe { libc::syscall(number, first, second, third, fourth, fifth, sixth) };
    if result == -1 {
        Err(io::Error::last_os_error().raw_os_error().unwrap_or(0))
    } else {
        Ok(result)
    }
}

/// The whole file through a shared read-only mapping; `EFAULT` where a page is refused.
pub(crate) fn read_mapped(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    if length == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let mut bytes = vec![0_u8; length];
    let local = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: length,
    };
    let remote = libc::iovec {
        iov_base: address,
        iov_len: length,
    };
    // By a system call: a page that is refused is an error of it and not a signal.
    // SAFETY: both ranges are `length` bytes long and live; the mapping is only read.
    let copied = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
    };
    let error = io::Error::last_os_error();
    // SAFETY: the mapping made above, whole, and no reference into it is left.
    unsafe { libc::munmap(address, length) };
    match usize::try_from(copied) {
        Ok(copied) if copied == length => Ok(bytes),
        Ok(_) => Err(io::Error::from_raw_os_error(libc::EFAULT)),
        Err(_) => Err(error),
    }
}

/// The first byte of a file through one shared mapping, read before and after `between`.
pub(crate) fn mapped_across(path: &Path, between: impl FnOnce()) -> io::Result<(u8, u8)> {
    let file = File::open(path)?;
    // SAFETY: as in `read_mapped`.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            1,
            libc::PROT_READ,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let byte = address.cast::<u8>();
    // SAFETY: one byte of a mapping of a file that holds at least one; volatile because
    // another process may change it.
    let before = unsafe { byte.read_volatile() };
    between();
    // SAFETY: as above.
    let after = unsafe { byte.read_volatile() };
    // SAFETY: the mapping made above, whole.
    unsafe { libc::munmap(address, 1) };
    Ok((before, after))
}
