//! What a view does without being asked: follows its ignore files, looks again at what the
//! kernel keeps, gives memory back.

use super::memory;
use crate::view::View;
use anyhow::{Context, Result};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How often; a change of an ignore file acts within three of these.
const INTERVAL: Duration = Duration::from_millis(250);

/// How long each time what the kernel keeps is looked at again: a bound on what an idle view
/// costs.
const LOOK_AGAIN_TIME: Duration = Duration::from_millis(1);

/// Nodes of which half must have gone before their memory is worth giving back.
const MANY_NODES: usize = 8192;

/// Starts the thread, which ends with the view. One of its own: the pool may be busy with probes
/// for longer than a change may take to act.
///
/// # Errors
/// The system gives no thread.
pub(super) fn start(view: &Arc<View>) -> Result<()> {
    let view = Arc::downgrade(view);
    thread::Builder::new()
        .name("upkeep".to_owned())
        .spawn(move || {
            let (mut most, mut before) = (0, 0);
            while let Some(view) = view.upgrade() {
                view.follow_ignore_files();
                view.look_again(LOOK_AGAIN_TIME);
                let known = view.known_nodes();
                most = known.max(most);
                // Once no more go: what is given back while they go is a part of it.
                let fell = most > MANY_NODES && known < most / 2;
                if fell && known >= before && memory::give_back() {
                    most = known;
                }
                before = known;
                drop(view);
                thread::sleep(INTERVAL);
            }
        })
        .context("the thread that keeps the view up cannot be started")?;
    Ok(())
}
