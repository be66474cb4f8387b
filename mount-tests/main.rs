//! Tests on real mounts with the built binary.
//!
//! Each theme has a file; `harness` mounts, waits and cleans up; `reference` is a naive model
//! that `model` compares random trees and rules with. The suite checks what the view promises
//! from outside, as its clients meet it, and knows nothing of the code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod bounds;
mod builtin;
mod calls;
mod check_command;
mod churn;
mod coherence;
mod commands;
mod content_rules;
mod doctor;
mod documents;
mod explained;
mod groups;
mod harness;
mod hidden;
mod hostile;
mod ignore_files;
mod labels;
mod limits;
mod links;
mod lookup;
mod model;
mod moves;
mod names;
mod opens;
mod policy;
mod policy_commands;
mod processes;
mod read;
mod readdir;
mod reference;
mod refusals;
mod removed;
mod scenarios;
mod scenarios_links;
mod sidecar_clients;
mod sidecars;
mod status;
mod syscalls;
mod users;
mod watchers;
mod workspace;
