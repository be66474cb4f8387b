//! Tests on real mounts with the built binary.
