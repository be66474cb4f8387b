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

/// The whole file through a shared read-only mapping.
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
    // SAFETY: the mapping is `length` bytes long and nobody changes the file meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts(address.cast::<u8>(), length) }.to_vec();
    // SAFETY: the mapping made above, whole, and no reference into it is left.
    unsafe { libc::munmap(address, length) };
    Ok(bytes)
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
