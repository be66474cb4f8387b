//! Memory that parsers took and gave back goes back to the system: glibc keeps it otherwise, in
//! a heap for every thread that ever parsed.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Not more often than this: it walks the heaps.
const INTERVAL: Duration = Duration::from_secs(1);

static LAST: Mutex<Option<Instant>> = Mutex::new(None);

/// Gives free memory back, if that was not done a moment ago; whether it did.
pub(super) fn give_back() -> bool {
    let Ok(mut last) = LAST.try_lock() else {
        return false; // somebody does it
    };
    if last.is_some_and(|last| last.elapsed() < INTERVAL) {
        return false;
    }
    *last = Some(Instant::now());
    #[cfg(target_env = "gnu")]
    // SAFETY: `malloc_trim` takes the allocator's own locks and touches free memory only.
    unsafe {
        libc::malloc_trim(0);
    }
    true
}
