//! Tells when files change: a hint, never the truth.
//!
//! [`Watcher`] follows a few named files, such as the policy; [`FolderWatches`] follows folders
//! of the tree, one at a time, for as long as somebody has something of them cached.

mod files;
mod folders;

pub use files::{Change, Watcher};
pub use folders::{FolderEvent, FolderWatches, Was};
