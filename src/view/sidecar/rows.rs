//! Rows of a file, for the command `row`: found in one version of it, through the same door.

use super::reports::ATTEMPTS;
use super::{Document, Error, Name, Result, Subject};
use crate::policy::Group;
use crate::probe::{self, Failure, Resolved, RowSpec};
use crate::view::View;
use crate::view::door::{OpenFolder, Patience};

impl View {
    /// Where each of `rows` is now in the regular file `name` of `folder`, in their order.
    pub(in crate::view) fn rows_at(
        &self,
        folder: &OpenFolder,
        name: &[u8],
        rows: &[RowSpec],
    ) -> Result<Vec<std::result::Result<Resolved, Failure>>> {
        let parsed = Name {
            base: Some(name),
            document: Document::Outline,
        };
        for attempt in 1..=ATTEMPTS {
            let subject: Subject<'_> = self.subject(folder, &parsed, Patience::of_a_request())?;
            if !subject.found.decision.may(Group::Read) {
                return Err(Error::Denied);
            }
            // A file of that size is not opened for its rows either.
            if self.settings.limits.is_tier_3(subject.found.meta.size) {
                return Err(Error::Os(rustix::io::Errno::FBIG.raw_os_error()));
            }
            let last = attempt == ATTEMPTS;
            let read = subject.read_version(last, |stream| probe::resolve_rows(stream, rows))?;
            if let Some(resolved) = read {
                return Ok(resolved);
            }
        }
        Err(Error::Stale)
    }
}
