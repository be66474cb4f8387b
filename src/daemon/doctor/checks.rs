//! The single checks.

use super::Finding;
use crate::daemon::runtime;
use crate::mount::{self, Options};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The first kernel with all that a view needs: `openat2`, mount ids in `statx`.
const NEEDED: (u32, u32) = (5, 8);

/// The first kernel that changes the flags of a mount that lies nowhere.
const MOUNT_SETATTR: (u32, u32) = (5, 12);

/// The first kernel with passthrough of reads.
const PASSTHROUGH: (u32, u32) = (6, 9);

/// The first kernel with the notice that drops every name.
const DROPS_ALL_NAMES: (u32, u32) = (6, 16);

/// Folders that a large workspace has: with fewer watches names live short in some of them.
const MANY_FOLDERS: u64 = 65_536;

/// Descriptors that a view makes use of.
const MANY_DESCRIPTORS: u64 = 4096;

/// `CAP_SYS_ADMIN`, as a bit of the masks in `/proc/self/status`.
const SYS_ADMIN: u64 = 1 << 21;

pub(super) fn kernel() -> Finding {
    let release = release();
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match openat2(CWD, "/", flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(_) if at_least(NEEDED) => Finding::ok("kernel", format!("Linux {release}")),
        Err(error) if error != Errno::NOSYS => Finding::missing(
            "kernel",
            format!("Linux {release} refuses openat2: {error}"),
            "let the sandbox or container profile allow openat2",
        ),
        _ => Finding::missing(
            "kernel",
            format!("Linux {release} is too old"),
            "use Linux 5.8 or newer",
        ),
    }
}

pub(super) fn fuse_device() -> Finding {
    let check = "fuse device";
    match File::options().read(true).write(true).open("/dev/fuse") {
        Ok(_) => Finding::ok(check, "/dev/fuse can be opened"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Finding::missing(
            check,
            "/dev/fuse is not there",
            "run 'modprobe fuse', or start the container with --device /dev/fuse",
        ),
        // The helper opens it by itself; whether that works is the mount's to say.
        Err(error) => Finding::limited(
            check,
            format!("/dev/fuse cannot be opened: {error}"),
            "as root run 'chmod 666 /dev/fuse', or give the container the device",
        ),
    }
}

pub(super) fn fusermount() -> Finding {
    let check = "fusermount3";
    let found = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path)
            .map(|folder| folder.join(check))
            .find(|program| program.is_file())
    });
    let remedy = "install the package fuse3; only ordinary users need it";
    let Some(program) = found else {
        return Finding::limited(check, "not installed", remedy);
    };
    let shown = program.display();
    let is_setuid =
        fs::metadata(&program).is_ok_and(|meta| meta.permissions().mode() & 0o4000 != 0);
    if is_setuid {
        Finding::ok(check, format!("{shown}"))
    } else {
        Finding::limited(check, format!("{shown} is not set-user-id root"), remedy)
    }
}

/// Mounts on a folder of its own and takes it away again: nothing else tells for certain.
pub(super) fn mounting() -> Finding {
    let check = "mounting";
    let point = std::env::temp_dir().join(format!("inspectfs-doctor-{}", std::process::id()));
    let tried = try_mount(&point);
    let _gone_already = fs::remove_dir(&point);
    match tried {
        Ok(()) => Finding::ok(check, "a view can be mounted"),
        Err(error) => Finding::missing(
            check,
            error,
            "see the findings above; a container needs --device /dev/fuse --cap-add SYS_ADMIN, \
             and a security profile that lets it mount",
        ),
    }
}

fn try_mount(point: &PathBuf) -> Result<(), String> {
    let shown = point.display();
    fs::DirBuilder::new()
        .mode(0o700)
        .create(point)
        .map_err(|error| format!("'{shown}' cannot be made: {error}"))?;
    let point = point.canonicalize().map_err(|error| error.to_string())?;
    let options = Options {
        name: "inspectfs-doctor".to_owned(),
        allow_other: false,
    };
    let attached = mount::attach(&point, &options).map_err(|error| error.to_string())?;
    mount::detach(&attached).map_err(|error| format!("'{shown}' cannot be unmounted: {error}"))
}

pub(super) fn runtime_folder() -> Finding {
    let check = "runtime folder";
    match runtime::own_folder() {
        Ok(folder) => Finding::ok(check, folder.display().to_string()),
        Err(error) => Finding::limited(
            check,
            format!("{error:#}"),
            "without it 'status' and 'unmount' do not find the view's process; set \
             XDG_RUNTIME_DIR to a folder of yours",
        ),
    }
}

/// Tried in a process of its own: this one would stay in the namespace.
pub(super) fn user_namespaces() -> Finding {
    let check = "user namespaces";
    let tried = Command::new("/proc/self/exe")
        .args(["doctor", "--enter-user-namespace"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if tried.is_ok_and(|status| status.success()) {
        return Finding::ok(check, "can be made");
    }
    let setting = |path: &str, refuses: &str| {
        fs::read_to_string(path).is_ok_and(|value| value.trim() == refuses)
    };
    let remedy = if setting("/proc/sys/user/max_user_namespaces", "0") {
        "as root run 'sysctl user.max_user_namespaces=10000'"
    } else if setting("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        "as root run 'sysctl kernel.unprivileged_userns_clone=1'"
    } else if setting(
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
    ) {
        "as root run 'sysctl kernel.apparmor_restrict_unprivileged_userns=0', or give inspectfs \
         an AppArmor profile with 'userns'"
    } else {
        "let the container's security profile allow unshare(CLONE_NEWUSER)"
    };
    Finding::limited(check, "cannot be made; sandboxes need them", remedy)
}

/// Moves this process into a user and a mount namespace of its own, for [`user_namespaces`]: the
/// process must do nothing else afterwards.
///
/// # Errors
/// The system refuses.
pub fn has_user_namespaces() -> io::Result<()> {
    // SAFETY: `unshare` touches no memory of this process; with one thread it changes the
    // namespaces of the whole of it.
    match unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub(super) fn passthrough() -> Finding {
    let check = "passthrough";
    if !at_least(PASSTHROUGH) {
        return Finding::limited(
            check,
            format!("Linux {} does not have it", release()),
            "use Linux 6.9 or newer; until then large files are read through the view's process",
        );
    }
    if has_sys_admin() && in_first_namespace() {
        return Finding::ok(check, "this user and this kernel may use it");
    }
    Finding::limited(
        check,
        "needs CAP_SYS_ADMIN outside of any user namespace",
        "run as root, or 'setcap cap_sys_admin+ep' the program; without it large files are read \
         through the view's process",
    )
}

/// What is told to watchers inside a view (inotify).
pub(super) fn relay() -> Finding {
    let check = "relay";
    let never = "a watch on a single file, the two ends of a rename as one, and more than 500 \
                 changes a second are not relayed";
    if !at_least(MOUNT_SETATTR) {
        return Finding::limited(
            check,
            format!(
                "Linux {} cannot mount a view twice, so watchers inside hear nothing",
                release()
            ),
            "use Linux 5.12 or newer, or have watchers poll",
        );
    }
    if has_sys_admin() {
        return Finding::ok(
            check,
            format!("watchers inside hear of changes outside; {never}"),
        );
    }
    Finding::limited(
        check,
        "watchers inside hear nothing of changes outside where fusermount3 mounts",
        "run as root, or have watchers poll (CHOKIDAR_USEPOLLING=1, tsc --watchFile, \
         cargo watch --poll)",
    )
}

fn has_sys_admin() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & SYS_ADMIN != 0)
}

/// The first user namespace maps every id to itself.
fn in_first_namespace() -> bool {
    fs::read_to_string("/proc/self/uid_map")
        .is_ok_and(|map| map.split_ascii_whitespace().eq(["0", "0", "4294967295"]))
}

pub(super) fn watches() -> Finding {
    let check = "watches";
    let path = "/proc/sys/fs/inotify/max_user_watches";
    let most = fs::read_to_string(path)
        .ok()
        .and_then(|value| value.trim().parse::<u64>().ok());
    let remedy = "as root run 'sysctl fs.inotify.max_user_watches=524288'; what is not watched is \
                  asked for again every 40 ms";
    match most {
        Some(most) if most >= MANY_FOLDERS => {
            Finding::ok(check, format!("{most} folders of this user can be watched"))
        }
        Some(most) => Finding::limited(
            check,
            format!("only {most} folders of this user can be watched"),
            remedy,
        ),
        None => Finding::limited(check, format!("{path} cannot be read"), remedy),
    }
}

/// Every view takes two instances: one for folders, one for the policy's files.
pub(super) fn watch_instances() -> Finding {
    let check = "watch instances";
    let flags = rustix::fs::inotify::CreateFlags::CLOEXEC;
    let tried = rustix::fs::inotify::init(flags)
        .and_then(|first| rustix::fs::inotify::init(flags).map(|second| (first, second)));
    match tried {
        Ok(_) => Finding::ok(check, "there are some left for another view"),
        Err(error) => Finding::limited(
            check,
            format!("none left for another view: {error}"),
            "as root run 'sysctl fs.inotify.max_user_instances=1024'",
        ),
    }
}

pub(super) fn dropping_names() -> Finding {
    let check = "dropping all names";
    if at_least(DROPS_ALL_NAMES) {
        return Finding::ok(check, "the kernel takes the notice (FUSE_NOTIFY_INC_EPOCH)");
    }
    Finding::limited(
        check,
        format!("Linux {} does not take the notice", release()),
        "use Linux 6.16 or newer; until then missing names are asked for every time",
    )
}

pub(super) fn descriptors() -> Finding {
    let check = "descriptors";
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    match limit.maximum {
        Some(most) if most < MANY_DESCRIPTORS => Finding::limited(
            check,
            format!("a process may open {most} files"),
            "raise the hard limit: 'ulimit -Hn 65536', or LimitNOFILE= of the unit",
        ),
        Some(most) => Finding::ok(check, format!("a process may open {most} files")),
        None => Finding::ok(check, "a process may open any number of files"),
    }
}

fn release() -> String {
    rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned()
}

fn at_least(needed: (u32, u32)) -> bool {
    version(&release()).is_some_and(|version| version >= needed)
}

/// Major and minor number at the start of a release's name.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_number() {
        assert_eq!(version("6.18.44-fc-v669"), Some((6, 18)));
        assert_eq!(version("5.8.0"), Some((5, 8)));
        assert_eq!(version("6.9-rc1"), Some((6, 9)));
        assert_eq!(version("odd"), None);
        assert!(version("6.10.1") > version("6.9.3"));
    }
}
