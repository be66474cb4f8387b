//! Paths relative to the workspace root, checked once when they are made.
//!
//! A [`RelPath`] holds no `..`, no `.`, no empty component, no NUL and no leading or trailing
//! slash, so no later code has to ask. Names are bytes, as the kernel has them; text is made
//! of them only at the edges ([`RelPath::to_text`] for documents, [`std::fmt::Display`] with
//! escapes for logs and messages).

use std::fmt;

/// The longest name a component may have, in bytes (`NAME_MAX`).
pub const NAME_MAX: usize = 255;

/// Why a string of bytes is no path inside the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RelPathError {
    /// A component is `..`.
    #[error("the path holds '..'")]
    ParentComponent,
    /// The path is absolute.
    #[error("the path is absolute")]
    Absolute,
    /// A component holds a NUL byte or a slash.
    #[error("the path holds a byte that no name can have")]
    InvalidByte,
    /// A component is empty, or longer than [`NAME_MAX`] bytes.
    #[error("a name in the path is empty or longer than 255 bytes")]
    InvalidName,
}

/// A path below the workspace root; the root itself is the empty path.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RelPath(Vec<u8>);

impl RelPath {
    /// The workspace root.
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// Reads a path as a person writes it: `.` and repeated slashes are dropped.
    ///
    /// # Errors
    /// An absolute path, a `..`, a NUL byte or a name over 255 bytes.
    pub fn parse(text: &[u8]) -> Result<Self, RelPathError> {
        if text.first() == Some(&b'/') {
            return Err(RelPathError::Absolute);
        }
        let mut path = Self::root();
        for part in text.split(|&byte| byte == b'/') {
            match part {
                b"" | b"." => {}
                name => path.push(name)?,
            }
        }
        Ok(path)
    }

    /// The path of `name` in this folder.
    ///
    /// # Errors
    /// `name` is no single valid component.
    pub fn child(&self, name: &[u8]) -> Result<Self, RelPathError> {
        let mut path = Self(Vec::with_capacity(self.0.len() + name.len() + 1));
        path.0.extend_from_slice(&self.0);
        path.push(name)?;
        Ok(path)
    }

    fn push(&mut self, name: &[u8]) -> Result<(), RelPathError> {
        match name {
            b".." => return Err(RelPathError::ParentComponent),
            b"" | b"." => return Err(RelPathError::InvalidName),
            _ if name.len() > NAME_MAX => return Err(RelPathError::InvalidName),
            _ if name.iter().any(|&byte| byte == 0 || byte == b'/') => {
                return Err(RelPathError::InvalidByte);
            }
            _ => {}
        }
        if !self.0.is_empty() {
            self.0.push(b'/');
        }
        self.0.extend_from_slice(name);
        Ok(())
    }

    /// Whether this is the workspace root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes, components joined by `/`; empty for the root.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The last component; `None` for the root.
    pub fn name(&self) -> Option<&[u8]> {
        self.components().next_back()
    }

    /// The folder this path lies in; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let end = self.0.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        Some(Self(self.0[..end].to_vec()))
    }

    /// The names from the root downwards.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0
            .split(|&byte| byte == b'/')
            .filter(|part| !part.is_empty())
    }

    /// The names of the folders above, and the last component; `None` for the root.
    pub fn split_last(&self) -> Option<(impl Iterator<Item = &[u8]>, &[u8])> {
        let mut components = self.components();
        let name = components.next_back()?;
        Some((components, name))
    }

    /// Whether this path is `folder` or lies below it.
    pub fn is_within(&self, folder: &Self) -> bool {
        match self.0.strip_prefix(folder.as_bytes()) {
            Some(rest) => folder.is_root() || rest.is_empty() || rest[0] == b'/',
            None => false,
        }
    }

    /// The path as documents show it: `.` for the root, invalid UTF-8 replaced by U+FFFD.
    pub fn to_text(&self) -> String {
        if self.is_root() {
            ".".to_owned()
        } else {
            String::from_utf8_lossy(&self.0).into_owned()
        }
    }
}

/// The path for logs and messages: control bytes and invalid UTF-8 escaped.
impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            f.write_str(".")
        } else {
            write!(f, "{}", self.0.escape_ascii())
        }
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RelPath({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_what_people_write() {
        type Row = (&'static [u8], Result<&'static [u8], RelPathError>);
        let rows: [Row; 9] = [
            (b"", Ok(b"")),
            (b".", Ok(b"")),
            (b"./a//b/", Ok(b"a/b")),
            (b"a/./b", Ok(b"a/b")),
            (b"\xff\n", Ok(b"\xff\n")),
            (b"/a", Err(RelPathError::Absolute)),
            (b"a/../b", Err(RelPathError::ParentComponent)),
            (b"a\0b", Err(RelPathError::InvalidByte)),
            (b"a/...", Ok(b"a/...")),
        ];
        for (text, expected) in rows {
            let parsed = RelPath::parse(text);
            assert_eq!(
                parsed
                    .as_ref()
                    .map(RelPath::as_bytes)
                    .map_err(|error| *error),
                expected,
                "{}",
                text.escape_ascii()
            );
        }
    }

    #[test]
    fn refuses_names_that_are_no_component() {
        let root = RelPath::root();
        assert!(root.child(b"a/b").is_err());
        assert!(root.child(b"..").is_err());
        assert!(root.child(b"").is_err());
        assert!(root.child(&[b'x'; 256]).is_err());
        assert!(root.child(&[b'x'; 255]).is_ok());
    }

    #[test]
    fn within_stops_at_component_borders() {
        let path = |text: &[u8]| RelPath::parse(text).unwrap_or_default();
        assert!(path(b"zone/x").is_within(&path(b"zone")));
        assert!(path(b"zone").is_within(&path(b"zone")));
        assert!(!path(b"zone2").is_within(&path(b"zone")));
        assert!(path(b"zone2").is_within(&RelPath::root()));
    }

    #[test]
    fn parents_and_names() {
        let path = RelPath::parse(b"a/b").unwrap_or_default();
        assert_eq!(path.name(), Some(&b"b"[..]));
        assert_eq!(path.parent(), RelPath::parse(b"a").ok());
        assert_eq!(RelPath::root().parent(), None);
        assert_eq!(RelPath::root().to_text(), ".");
    }
}
