//! What was read through the view, as the highest label seen: it decides where writes may go.
//!
//! A read through the view raises it, whoever reads; probes, listings and looks at content by
//! the view itself do not. It never falls while the view lives, whatever becomes of the policy.

use super::View;
use crate::policy::{Decision, Label, PathKind, Policy};
use crate::relpath::RelPath;
use std::sync::atomic::{AtomicU8, Ordering};

/// The highest label read so far.
#[derive(Debug, Default)]
pub(super) struct Taint(AtomicU8);

impl View {
    /// The highest label that was read through the view.
    pub fn taint(&self) -> Option<Label> {
        Label::of_level(self.taint.0.load(Ordering::Acquire))
    }

    /// Whether what was read so far may flow to where `target` holds: to be asked before each
    /// mutation of a path, beside its groups. A refusal is `EACCES`.
    pub fn may_flow_to(&self, target: Decision) -> bool {
        Policy::may_flow(self.taint(), target.label())
    }

    /// Notes that content of a file was given to a reader; to be called before the answer is.
    /// `names` gives its other names, if it has had several.
    pub(super) fn was_read(&self, decision: Decision, names: impl FnOnce() -> Vec<RelPath>) {
        let loaded = self.loaded();
        if !loaded.policy.has_labels() {
            return;
        }
        self.raise_taint(decision.label());
        // Another name of the file may have a higher label: the content is the same.
        for path in names() {
            let decided = self.decide(&path, PathKind::File);
            self.raise_taint(decided.ok().and_then(Decision::label));
        }
    }

    /// The taint as the root's summary shows it: not at all where the policy sets no label.
    pub(super) fn shown_taint(&self) -> Option<&'static str> {
        let has_labels = self.loaded().policy.has_labels();
        match self.taint() {
            Some(label) => Some(label.name()),
            None => has_labels.then_some("none"),
        }
    }

    fn raise_taint(&self, label: Option<Label>) {
        self.taint
            .0
            .fetch_max(Label::level(label), Ordering::AcqRel);
    }
}
