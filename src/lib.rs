//! inspectfs: a policy-filtered FUSE view of a workspace, with a structural summary beside
//! every file.
//!
//! Kernel protocol on the outside, pure matching and pure parsing on the inside, and between
//! them a file system in ordinary Rust that a test can call:
//!
//! | part | what it does | what it must not know |
//! |---|---|---|
//! | [`relpath`] | paths inside the workspace, checked once | all else |
//! | [`mountinfo`] | reads the mount table | all else |
//! | [`policy`] | decides what a path may be used for | files, the view, FUSE |
//! | [`probe`] | makes reports of bytes | paths, policy, files, FUSE |
//! | [`workspace`] | the only code that touches the real tree | policy, probes, the view |
//! | [`view`] | what is seen through the policy | FUSE, the command line |
//! | [`mount`] | translates FUSE requests, mounts and unmounts | policy, probes, the real tree |
//! | [`watch`] | tells when files change | policy, the view, FUSE |
//! | [`daemon`] | puts the parts together and keeps them running | the command line |
//! | [`cli`] | flags and exit codes | FUSE |
//!
//! A read of a sidecar is four hops: `mount` → `View::lookup` → the report cache → `probe`.
//! `scripts/check-layers.sh` holds each part to the table.

pub mod cli;
pub mod daemon;
pub mod mount;
pub mod mountinfo;
pub mod policy;
pub mod probe;
pub mod relpath;
pub mod view;
pub mod watch;
pub mod workspace;
