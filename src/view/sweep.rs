//! Looking again at what the kernel keeps, a share at a time: for what no event tells.
//!
//! A hidden name of a file may be made where nothing is watched, and a write through a mapping
//! raises no event. So every file that the kernel keeps is looked at in turn, at a cost that
//! does not grow with their number: the time of one round does.

use super::expiry::Expired;
use super::node::{Node, NodeId, lock};
use super::table::SHARDS;
use super::{Error, Result, View};
use crate::policy::Group;
use crate::workspace::Kind;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often one round begins at most.
const ROUND: Duration = Duration::from_millis(400);

/// The round under way.
#[derive(Debug, Default)]
pub(super) struct Sweep(Mutex<Round>);

#[derive(Debug, Default)]
struct Round {
    /// Of the shard that is looked at.
    left: Vec<NodeId>,
    /// The shards after it.
    shards: Range<usize>,
    began: Option<Instant>,
}

impl View {
    /// Looks again at files that the kernel keeps, for about `budget`, and has it drop what is
    /// not so any more. To be called several times a second, by a thread that the kernel does
    /// not wait for.
    pub fn look_again(&self, budget: Duration) {
        self.held.drop_old_listings();
        let began = Instant::now();
        while began.elapsed() < budget {
            let Some(id) = self.next_to_look_at() else {
                return;
            };
            if let Some(node) = self.nodes.get(id) {
                self.look_at(&node);
            }
        }
    }

    fn next_to_look_at(&self) -> Option<NodeId> {
        let mut round = lock(&self.sweep.0);
        loop {
            if let Some(id) = round.left.pop() {
                return Some(id);
            }
            if let Some(shard) = round.shards.next() {
                round.left = self.files_of(shard);
            } else if round.began.is_some_and(|began| began.elapsed() < ROUND) {
                return None;
            } else {
                round.shards = 0..SHARDS;
                round.began = Some(Instant::now());
            }
        }
    }

    /// Those of one folder after each other, so that its descriptor is found open.
    fn files_of(&self, shard: usize) -> Vec<NodeId> {
        let mut files: Vec<(Option<NodeId>, NodeId)> = self
            .nodes
            .some(shard)
            .iter()
            .filter(|node| {
                node.real()
                    .is_some_and(|real| real.identity.kind() == Kind::File)
            })
            .map(|node| (node.place().map(|place| place.parent.id), node.id))
            .collect();
        files.sort_unstable();
        files.into_iter().map(|(_, id)| id).collect()
    }

    fn look_at(&self, node: &Arc<Node>) {
        let as_given = match self.is_as_given(node) {
            Err(Error::NotFound | Error::Stale | Error::NotFolder) => false,
            // Nothing can be said: no descriptor is left, or the disk fails.
            Err(_) => true,
            Ok(as_given) => as_given,
        };
        if !as_given && node.forget_given() {
            let names = node.places().into_iter().flat_map(|place| {
                let parent = place.parent.id;
                let name = place.name;
                [Expired::Name { parent, name }, Expired::Content(parent)]
            });
            self.expiry.tell_all(names.collect::<Vec<_>>());
            self.expiry.tell_all([Expired::Content(node.id)]);
        } else if self.may_not_be_read(node) {
            self.expiry.tell_all([Expired::Content(node.id)]);
        }
    }

    /// Whether the name that the kernel was given still leads to the file, as it was given. What
    /// else could hide it moves its times, or is told.
    fn is_as_given(&self, node: &Arc<Node>) -> Result<bool> {
        let (Some(place), Some(real)) = (node.place(), node.real()) else {
            return Ok(true);
        };
        let folder = self.open_folder(&place.parent)?;
        let decision = folder.scope.decide(&place.name, real.identity.path_kind());
        if !decision.exists() {
            return Ok(false);
        }
        let meta = folder.folder.meta_of(&place.name)?;
        Ok(real.identity.is_of(&meta) && node.was_given(&meta))
    }

    /// Whether the file is held open and must not be read any more.
    fn may_not_be_read(&self, node: &Arc<Node>) -> bool {
        let Some(content) = node.open_content() else {
            return false;
        };
        let may_be_read = self.require(node, Group::Read).and_then(|decision| {
            self.check_place(node, &content)?;
            self.check_content(decision, &content)
        });
        may_be_read.is_err()
    }
}
