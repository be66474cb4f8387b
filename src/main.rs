//! The `inspectfs` command.

fn main() {}
