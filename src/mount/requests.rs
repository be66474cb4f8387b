//! How many requests of each operation the kernel made: what a workload costs is mostly how
//! many requests it makes. Relaxed counters, read by who asks for the view's state.

use std::sync::atomic::{AtomicU64, Ordering};

/// The operations that are counted, as [`Requests::counts`] names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Lookup,
    Forget,
    Getattr,
    Readlink,
    Open,
    Read,
    Release,
    Opendir,
    Readdir,
    Readdirplus,
    Releasedir,
    Statfs,
    Lseek,
    Ioctl,
    Flush,
    Access,
    /// Whatever would change something.
    Mutation,
}

/// The names, in the order of the variants.
const NAMES: [&str; Operation::Mutation as usize + 1] = [
    "lookup",
    "forget",
    "getattr",
    "readlink",
    "open",
    "read",
    "release",
    "opendir",
    "readdir",
    "readdirplus",
    "releasedir",
    "statfs",
    "lseek",
    "ioctl",
    "flush",
    "access",
    "mutation",
];

/// Requests since the mount, by operation.
#[derive(Debug, Default)]
pub struct Requests {
    counts: [AtomicU64; NAMES.len()],
}

impl Requests {
    /// Counts one more.
    pub(super) fn count(&self, operation: Operation) {
        self.counts[operation as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The operations that were asked for, by their names in the protocol, and how often.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        NAMES
            .into_iter()
            .zip(&self.counts)
            .map(|(name, count)| (name, count.load(Ordering::Relaxed)))
            .filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_counts_under_its_own_name() {
        let requests = Requests::default();
        requests.count(Operation::Lookup);
        requests.count(Operation::Readdirplus);
        requests.count(Operation::Readdirplus);
        requests.count(Operation::Mutation);
        let counts: Vec<_> = requests.counts().collect();
        assert_eq!(counts, [("lookup", 1), ("readdirplus", 2), ("mutation", 1)]);
    }
}
