//! The `inspectfs` command.

use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    // Messages of the daemon itself; `INSPECTFS_LOG=debug` says more. They go to the terminal
    // that started it, never into a view. fuser calls it an error when a client gives up.
    let filter = EnvFilter::try_from_env("INSPECTFS_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,fuser=off"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    let arguments: Vec<_> = std::env::args_os().collect();
    inspectfs::cli::run(&arguments)
}
