//! Views without a mount.
