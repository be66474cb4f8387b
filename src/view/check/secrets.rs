//! Files that look like secrets: those in the view, and what covers the others.

use super::{Entry, FindingKind, Walk};
use crate::policy::{PathKind, Ruling, SUSPECT_HEAD_BYTES, suspect_content, suspect_name};
use crate::view::door::Found;

/// Larger files are not looked into: keys and tokens lie in small ones.
const SIZE_MAX: u64 = 1 << 20;

impl Walk<'_> {
    /// Why the entry looks like a secret by its name.
    fn suspect(entry: &Entry<'_>) -> Option<String> {
        if let Some(reason) = entry.plain.built_in_secret(entry.name, entry.path_kind()) {
            return Some(reason.to_owned());
        }
        let is_secret = |name: &[u8]| {
            let decision = entry.plain.decide(name, PathKind::File);
            decision.content().is_some()
                || entry.plain.built_in_secret(name, PathKind::File).is_some()
        };
        match entry.path_kind() {
            PathKind::File => suspect_name(entry.name, is_secret).map(str::to_owned),
            PathKind::Folder => None,
        }
    }

    /// A visible file: a finding if it looks like a secret and no rule is about that.
    pub(super) fn secret_in_view(&mut self, entry: &Entry<'_>, found: &Found) {
        let reason = match Self::suspect(entry) {
            Some(reason) => Some(reason),
            None => self.suspect_content(entry, found),
        };
        let Some(reason) = reason else { return };
        let explanation = entry.explain();
        if !Self::may_read(entry) {
            let read = explanation.groups.into_iter().next();
            let rule = read.and_then(|ruling| ruling.rule);
            return self.findings.add(FindingKind::SecretCovered, || {
                entry.finding(rule, format!("{reason}: listed and not readable"))
            });
        }
        // Someone showed it by its name, which the report says elsewhere.
        if explanation.visibility.rule.is_some() {
            return;
        }
        self.findings.add(FindingKind::SecretInView, || {
            entry.finding(None, format!("{reason}; hide it by a rule if it is one"))
        });
    }

    fn suspect_content(&self, entry: &Entry<'_>, found: &Found) -> Option<String> {
        let meta = &found.meta;
        if meta.size == 0 || meta.size > SIZE_MAX {
            return None;
        }
        // Where built-in rules are turned off, what they would look for is.
        let plain = entry.plain.decide(entry.name, PathKind::File);
        if plain.content() != found.decision.content()
            && self
                .view
                .is_hidden_by_content(plain, &entry.folder.folder, entry.name, meta)
                .unwrap_or(false)
        {
            return Some("a private key or a token by its content".to_owned());
        }
        let content = entry.folder.folder.open_content(entry.name).ok()?;
        let head = content.read_at(0, SUSPECT_HEAD_BYTES).ok()?;
        suspect_content(&head).map(str::to_owned)
    }

    /// A hidden entry: says what covers it if it looks like a secret. `by` is what decided, if
    /// not its name.
    pub(super) fn covered(&mut self, entry: &Entry<'_>, by: Option<Ruling>) {
        let reason = match (&by, Self::suspect(entry)) {
            (Some(rule), _) => rule.reason.clone().unwrap_or_default(),
            (None, Some(reason)) => reason,
            (None, None) => return,
        };
        self.findings.add(FindingKind::SecretCovered, || {
            let rule = by.or_else(|| entry.explain().visibility.rule);
            entry.finding(rule, format!("{reason}: hidden"))
        });
    }
}
