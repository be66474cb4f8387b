//! inspectfs: a policy-filtered FUSE view of a workspace, with a structural summary beside
//! every file.
//!
//! `docs/ARCHITECTURE.md` has the map; `scripts/check-layers.sh` holds each part to what it
//! may know.

pub mod policy;
pub mod probe;
pub mod relpath;
