//! Bytes to reports: what a file looks like, without a byte of its content.
//!
//! Pure: it reads from a stream it is given, knows no paths, no policy and no file system, and
//! answers broken input with a value that says what is wrong, never with an error.

pub mod code;
pub mod entry;
pub mod lines;
