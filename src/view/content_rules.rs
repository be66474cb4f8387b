//! Files hidden by what they hold: the first bytes are read and judged once per version.
//!
//! A verdict belongs to a version of the content, so it is asked for where a name is looked up,
//! again where a file is opened, and again after each read. What cannot be read is hidden.

use super::ignore_files::is_settled;
use super::node::lock;
use super::{Error, Result, View};
use crate::policy::{CONTENT_HEAD_BYTES, ContentRule, Decision};
use crate::workspace::{Content, Folder, Kind, Meta, Time};
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::Mutex;

/// Verdicts kept at once.
const VERDICTS: NonZeroUsize = NonZeroUsize::new(16 << 10).unwrap();

/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;

/// A version of a file's content and what is looked for in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    device: u64,
    inode: u64,
    born: Time,
    size: u64,
    modified: Time,
    changed: Time,
    rule: ContentRule,
}

impl Key {
    fn new(meta: &Meta, rule: ContentRule) -> Self {
        Self {
            device: meta.device,
            inode: meta.inode,
            born: meta.born,
            size: meta.size,
            modified: meta.modified,
            changed: meta.changed,
            rule,
        }
    }
}

/// Whether versions of files are hidden by their content.
#[derive(Debug)]
pub(super) struct Verdicts(Mutex<LruCache<Key, bool>>);

impl Default for Verdicts {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(VERDICTS)))
    }
}

impl View {
    /// Whether the decision, made by name, is undone by what the file `name` in `folder` holds.
    /// `meta` are the attributes that the name was found with.
    pub(super) fn is_hidden_by_content(
        &self,
        decision: Decision,
        folder: &Folder,
        name: &[u8],
        meta: &Meta,
    ) -> Result<bool> {
        let Some(rule) = decision.content() else {
            return Ok(false);
        };
        if meta.kind != Kind::File {
            return Ok(false); // a link is judged where it leads
        }
        if let Some(&hidden) = lock(&self.verdicts.0).get(&Key::new(meta, rule)) {
            return Ok(hidden);
        }
        match folder.open_content(name).map_err(Error::from) {
            Ok(content) => Ok(self.judge_content(rule, &content)),
            // Nothing is said of the file, and the name is not taken for missing.
            Err(Error::TooManyOpen) => Err(Error::TooManyOpen),
            Err(_unreadable) => Ok(true),
        }
    }

    /// Refuses an open file whose content hides it by now.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does.
    pub(super) fn check_content(&self, decision: Decision, content: &Content) -> Result<()> {
        match decision.content() {
            Some(rule) if self.judge_content(rule, content) => Err(Error::NotFound),
            _ => Ok(()),
        }
    }

    /// Always by the bytes, never by a verdict that was kept: a write through a mapping need not
    /// move any time of the file.
    fn judge_content(&self, rule: ContentRule, content: &Content) -> bool {
        for _ in 0..ATTEMPTS {
            let Ok(before) = content.meta() else {
                return true;
            };
            let key = Key::new(&before, rule);
            let Ok(head) = content.read_at(0, CONTENT_HEAD_BYTES) else {
                return true;
            };
            let Ok(after) = content.meta() else {
                return true;
            };
            if !after.same_version(&before) {
                continue;
            }
            let hidden = rule.hides(&head, before.size);
            // Another change may still come to bear the same times.
            if is_settled(&before) {
                lock(&self.verdicts.0).put(key, hidden);
            }
            return hidden;
        }
        true
    }
}
