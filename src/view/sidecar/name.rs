//! The names of sidecars.

use crate::relpath::NAME_MAX;
use crate::workspace::Kind;

/// Which document a sidecar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Document {
    /// `.inspect.json`: the structural summary.
    Inspect,
    /// `.outline.json`: symbols with their lines.
    Outline,
}

/// A folder's own sidecar, inside it.
pub(in crate::view) const FOLDER_NAME: &[u8] = b".inspect.json";
const OUTLINE_SUFFIX: &[u8] = b".outline.json";

/// A name that a sidecar could have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::view) struct Name<'a> {
    /// The file it is of; `None` for the folder it lies in.
    pub(in crate::view) base: Option<&'a [u8]>,
    /// Which document.
    pub(in crate::view) document: Document,
}

impl<'a> Name<'a> {
    /// `None` for a name that no sidecar has.
    pub(in crate::view) fn parse(name: &'a [u8]) -> Option<Self> {
        if name.len() > NAME_MAX {
            return None;
        }
        if let Some(base) = name.strip_suffix(FOLDER_NAME) {
            let base = (!base.is_empty()).then_some(base);
            return Some(Self {
                base,
                document: Document::Inspect,
            });
        }
        let base = name.strip_suffix(OUTLINE_SUFFIX)?;
        (!base.is_empty()).then_some(Self {
            base: Some(base),
            document: Document::Outline,
        })
    }
}

/// The names of the sidecars of the file `name`; one too long for a name is none.
pub(in crate::view) fn names_of(name: &[u8], kind: Kind) -> impl Iterator<Item = Box<[u8]>> + '_ {
    let outline = (kind == Kind::File).then_some(OUTLINE_SUFFIX);
    std::iter::once(FOLDER_NAME)
        .chain(outline)
        .map(move |suffix| [name, suffix].concat().into_boxed_slice())
        .filter(|name| name.len() <= NAME_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_their_end() {
        type Row = (&'static str, Option<(Option<&'static str>, Document)>);
        let rows: [Row; 7] = [
            ("a.py.inspect.json", Some((Some("a.py"), Document::Inspect))),
            ("a.outline.json", Some((Some("a"), Document::Outline))),
            (".inspect.json", Some((None, Document::Inspect))),
            (".outline.json", None),
            ("inspect.json", None),
            ("a.inspect.jsonx", None),
            (
                ".inspect.json.inspect.json",
                Some((Some(".inspect.json"), Document::Inspect)),
            ),
        ];
        for (name, expected) in rows {
            let found = Name::parse(name.as_bytes());
            let expected = expected.map(|(base, document)| Name {
                base: base.map(str::as_bytes),
                document,
            });
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_sidecar_whose_name_is_too_long_is_not() {
        assert_eq!(names_of(&[b'x'; 250], Kind::File).count(), 0);
        assert_eq!(names_of(&[b'x'; 242], Kind::File).count(), 2);
        assert_eq!(names_of(b"d", Kind::Folder).count(), 1);
    }
}
