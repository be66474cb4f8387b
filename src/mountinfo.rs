//! Reads the mount table (`/proc/self/mountinfo`), to tell our own views from other mounts.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The type that a view's mount carries in the mount table.
pub const VIEW_TYPE: &str = "fuse.inspectfs";

/// One line of the mount table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountEntry {
    /// The mount's id, as `statx` gives it.
    pub id: u64,
    /// Major and minor number of the device.
    pub device: (u32, u32),
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// The type with its subtype, such as `fuse.inspectfs`.
    pub kind: String,
}

impl MountEntry {
    /// The device number as `stat` gives it.
    pub fn device_number(&self) -> u64 {
        rustix::fs::makedev(self.device.0, self.device.1)
    }

    /// Whether `inspectfs` serves it.
    pub fn is_view(&self) -> bool {
        self.kind == VIEW_TYPE
    }
}

/// The mount table of this process, in mount order: of several on one point the last is on top.
///
/// # Errors
/// `/proc` is not there.
pub fn read() -> io::Result<Vec<MountEntry>> {
    // Read as bytes: mount points are any bytes.
    let mut table = Vec::new();
    io::Read::read_to_end(&mut File::open("/proc/self/mountinfo")?, &mut table)?;
    Ok(parse(&table))
}

fn parse(table: &[u8]) -> Vec<MountEntry> {
    table
        .split(|&byte| byte == b'\n')
        .filter_map(parse_line)
        .collect()
}

/// `36 35 98:0 /root /point opts [optional...] - type source super`; a line of another shape
/// is skipped.
fn parse_line(line: &[u8]) -> Option<MountEntry> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut fields = line.split(|&byte| byte == b' ');
    let id = text(fields.next()?).parse().ok()?;
    let device = text(fields.nth(1)?);
    let (major, minor) = device.split_once(':')?;
    let device = (major.parse().ok()?, minor.parse().ok()?);
    let mount_point = OsString::from_vec(unescape(fields.nth(1)?)).into();
    let kind = text(fields.skip_while(|field| field != b"-").nth(1)?);
    Some(MountEntry {
        id,
        device,
        mount_point,
        kind,
    })
}

/// Blanks, tabs, newlines and backslashes stand as three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, tail)) = rest.split_first() {
        let octal = tail
            .get(..3)
            .filter(|_| first == b'\\')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(octal.unwrap_or(first));
        rest = if octal.is_some() { &tail[3..] } else { tail };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_fields_and_the_escapes() {
        let table = b"36 35 0:52 / /mnt/a\\040b\\134 rw,nosuid shared:1 master:2 - fuse.inspectfs inspectfs rw\n\
            22 1 8:1 / / rw - ext4 /dev/sda1 rw\nnonsense\n";
        let entries = parse(table);
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].id, 36);
        assert_eq!(entries[0].device, (0, 52));
        assert_eq!(entries[0].mount_point, PathBuf::from("/mnt/a b\\"));
        assert!(entries[0].is_view());
        assert!(!entries[1].is_view());
    }
}
