//! One path pattern and the machine that walks it down a path, folder by folder.
//!
//! A pattern is a row of components; where a walk stands in it is a set of positions, one bit
//! each ([`Progress`]), so a folder's progress is all that deciding its entries needs. A
//! pattern without a slash (or beginning with `**/`) is *floating*: it may begin at any depth,
//! and its first two positions are implied everywhere instead of being carried.

use std::borrow::Cow;

use super::glob::NameGlob;
use crate::relpath::RelPath;

/// The positions of a pattern a walk has reached, bit `n` meaning `n` components are behind it.
pub(super) type Progress = u64;

/// Most components a pattern may have: one bit each, and one for the end.
const COMPONENTS_MAX: usize = 62;

/// Which kinds of entry a pattern itself matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kinds {
    Any,
    Folders,
    Files,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Component {
    /// `**`: any number of folders, none too.
    AnyDepth,
    Name(NameGlob),
}

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// As it was written.
    pub(super) text: String,
    components: Vec<Component>,
    pub(super) kinds: Kinds,
    /// Also covers everything below the folder it matches (`zone/`, `zone/**`).
    pub(super) subtree: bool,
    /// `**`: every path, the root too.
    pub(super) whole_tree: bool,
    /// Bytes of the text that are no `*`, `?`, `[` or `]`: what decides between rules.
    pub(super) length: u32,
}

impl Pattern {
    /// Reads a pattern of a policy file or the command line.
    ///
    /// # Errors
    /// Why it is none, as a clause for an error message.
    pub(super) fn parse(text: &str) -> Result<Self, Cow<'static, str>> {
        let unrooted = text.strip_prefix('/').unwrap_or(text);
        let anchored = text.strip_suffix('/').unwrap_or(text).contains('/');
        if unrooted.trim_matches('/').is_empty() {
            return Err("the pattern is empty; '**' is everything".into());
        }
        if text.contains('\0') {
            return Err("no path holds a NUL byte".into());
        }
        if text.starts_with('!') {
            return Err(
                "'!' takes nothing back here; write a rule with show = true, or '\\!' for the character"
                    .into(),
            );
        }
        if text == "~" || text.starts_with("~/") {
            return Err("patterns begin at the workspace root, not at home".into());
        }
        let mut body = unrooted;
        let mut subtree = false;
        if let Some(folder) = body.strip_suffix('/') {
            (body, subtree) = (folder, true);
        }
        while let Some(folder) = body.strip_suffix("/**") {
            (body, subtree) = (folder, true);
        }
        let length = text.bytes().filter(|byte| !b"*?[]".contains(byte)).count();
        let mut pattern = Self {
            text: text.to_owned(),
            components: Vec::new(),
            kinds: if subtree { Kinds::Folders } else { Kinds::Any },
            subtree,
            whole_tree: body == "**",
            length: u32::try_from(length).unwrap_or(u32::MAX),
        };
        if pattern.whole_tree {
            pattern.components = vec![Component::AnyDepth, Component::Name(NameGlob::Any)];
            pattern.kinds = Kinds::Any;
            pattern.subtree = false;
            return Ok(pattern);
        }
        if !anchored {
            pattern.components.push(Component::AnyDepth);
        }
        for part in body.split('/') {
            match part {
                "" => return Err("it holds an empty name ('//')".into()),
                "." | ".." => {
                    return Err(Cow::Owned(format!(
                        "patterns begin at the workspace root and hold no '{part}'"
                    )));
                }
                "**" if pattern.components.last() == Some(&Component::AnyDepth) => {}
                "**" => pattern.components.push(Component::AnyDepth),
                name => pattern
                    .components
                    .push(Component::Name(NameGlob::parse(name)?)),
            }
        }
        if pattern.components.len() > COMPONENTS_MAX {
            return Err(Cow::Owned(format!(
                "it holds more than {COMPONENTS_MAX} names"
            )));
        }
        Ok(pattern)
    }

    /// Reads a pattern of an ignore file, as git takes it: a line without its `!`. `None` for
    /// one that can match nothing. To git that is every malformed one; here such a line still
    /// hides the name it looks like, and takes nothing back.
    ///
    /// # Errors
    /// Why it cannot be followed, as a clause for a message.
    pub(super) fn of_ignore_line(line: &[u8], takes_back: bool) -> Result<Option<Self>, String> {
        let (body, kinds) = match line.strip_suffix(b"/") {
            Some(folder) => (folder, Kinds::Folders),
            None => (line, Kinds::Any),
        };
        let mut components = Vec::new();
        if !body.contains(&b'/') {
            components.push(Component::AnyDepth);
        }
        for part in body
            .strip_prefix(b"/")
            .unwrap_or(body)
            .split(|&byte| byte == b'/')
        {
            match part {
                b"" => return Ok(None),
                b"**" if components.last() == Some(&Component::AnyDepth) => {}
                b"**" => components.push(Component::AnyDepth),
                name => {
                    let (glob, well_formed) = NameGlob::of_ignore_file(name);
                    if takes_back && !well_formed {
                        return Ok(None);
                    }
                    components.push(Component::Name(glob));
                }
            }
        }
        // `a/**` is everything inside, and not the folder itself.
        if components.last() == Some(&Component::AnyDepth) {
            components.push(Component::Name(NameGlob::Any));
        }
        if components.len() > COMPONENTS_MAX {
            return Err(format!("a pattern holds more than {COMPONENTS_MAX} names"));
        }
        Ok(Some(Self {
            text: String::from_utf8_lossy(line).into_owned(),
            components,
            kinds,
            subtree: false,
            whole_tree: false,
            length: 0,
        }))
    }

    /// The pattern of this name at any depth.
    pub(super) fn of_name(name: &str) -> Self {
        Self {
            text: name.to_owned(),
            components: vec![
                Component::AnyDepth,
                Component::Name(NameGlob::Literal(name.as_bytes().to_vec())),
            ],
            kinds: Kinds::Any,
            subtree: false,
            whole_tree: false,
            length: u32::try_from(name.len()).unwrap_or(u32::MAX),
        }
    }

    /// The pattern of exactly this path and, where it is a folder, all below it; `None` for the
    /// root and for paths with more names than a pattern may have.
    pub(super) fn of_path(path: &RelPath) -> Option<Self> {
        let components: Vec<_> = path
            .components()
            .map(|name| Component::Name(NameGlob::Literal(name.to_vec())))
            .collect();
        if components.is_empty() || components.len() > COMPONENTS_MAX {
            return None;
        }
        Some(Self {
            text: format!("/{}", path.to_text()),
            components,
            kinds: Kinds::Any,
            subtree: true,
            whole_tree: false,
            length: u32::try_from(path.as_bytes().len()).unwrap_or(u32::MAX),
        })
    }

    /// The same pattern as a row of the built-in table: its text is the row's, it matches these
    /// kinds, and if its last name is `no_extension` it matches names without one.
    pub(super) fn built_in(mut self, row: &str, kinds: Kinds, no_extension: &str) -> Self {
        row.clone_into(&mut self.text);
        self.kinds = kinds;
        if let Some(Component::Name(name)) = self.components.last_mut()
            && name.literal() == Some(no_extension.as_bytes())
        {
            *name = NameGlob::NoExtension;
        }
        self
    }

    /// Whether it may begin at any depth.
    pub(super) fn is_floating(&self) -> bool {
        self.components.first() == Some(&Component::AnyDepth)
    }

    /// The names, if no component is a wildcard; a floating pattern's leading `**` is left out.
    pub(super) fn literal_names(&self) -> Option<impl DoubleEndedIterator<Item = &[u8]>> {
        let names = &self.components[usize::from(self.is_floating())..];
        let literal = |component: &Component| match component {
            Component::Name(name) => name.literal().is_some(),
            Component::AnyDepth => false,
        };
        names.iter().all(literal).then(|| {
            names.iter().filter_map(|component| match component {
                Component::Name(name) => name.literal(),
                Component::AnyDepth => None,
            })
        })
    }

    /// Whether the pattern is one name without wildcard, at any depth.
    pub(super) fn is_plain_name(&self) -> bool {
        self.is_floating() && self.components.len() == 2 && self.literal_names().is_some()
    }

    /// Whether the pattern begins at the root and holds no wildcard: it names one path.
    pub(super) fn is_literal_path(&self) -> bool {
        !self.is_floating() && self.literal_names().is_some()
    }

    /// Whether the last component, as written, holds no wildcard.
    pub(super) fn names_its_last(&self) -> bool {
        let written = self.text.strip_suffix('/').unwrap_or(&self.text);
        !written.ends_with("/**")
            && matches!(
                self.components.last(),
                Some(Component::Name(NameGlob::Literal(_)))
            )
    }

    /// The name a floating pattern begins with; `None` for an anchored one.
    pub(super) fn first_name(&self) -> Option<&NameGlob> {
        match self.components.as_slice() {
            [Component::AnyDepth, Component::Name(name), ..] => Some(name),
            _ => None,
        }
    }

    /// Where a walk stands after a floating pattern's first name.
    pub(super) fn after_first_name(&self) -> Progress {
        self.closure(1 << 2)
    }

    /// Where a walk stands at its beginning, whatever the pattern.
    pub(super) fn start(&self) -> Progress {
        self.closure(1)
    }

    /// Where a walk stands at the root; nothing for floating patterns, whose beginning is implied.
    pub(super) fn at_root(&self) -> Progress {
        if self.is_floating() {
            0
        } else {
            self.closure(1)
        }
    }

    /// Where a walk stands one name further down.
    pub(super) fn step(&self, progress: Progress, name: &[u8]) -> Progress {
        let mut next = 0;
        let mut left = progress;
        while left != 0 {
            let position = left.trailing_zeros();
            left &= left - 1;
            match self.components.get(position as usize) {
                Some(Component::AnyDepth) => next |= 1 << position,
                Some(Component::Name(glob)) if glob.matches(name) => next |= 1 << (position + 1),
                _ => {}
            }
        }
        self.closure(next)
    }

    /// The name that alone can take this progress further, if that is so.
    pub(super) fn only_next(&self, progress: Progress) -> Option<&[u8]> {
        if !progress.is_power_of_two() {
            return None;
        }
        match self.components.get(progress.trailing_zeros() as usize) {
            Some(Component::Name(name)) => name.literal(),
            _ => None,
        }
    }

    /// A `**` may stand for nothing: who is before it is also behind it.
    fn closure(&self, mut progress: Progress) -> Progress {
        let mut left = progress;
        while left != 0 {
            let position = left.trailing_zeros();
            left &= left - 1;
            if self.components.get(position as usize) == Some(&Component::AnyDepth) {
                progress |= 1 << (position + 1);
                left |= 1 << (position + 1);
            }
        }
        progress
    }

    fn end(&self) -> Progress {
        1 << self.components.len()
    }

    /// Whether the walk has reached the end: the path so far matches.
    pub(super) fn is_complete(&self, progress: Progress) -> bool {
        progress & self.end() != 0
    }

    /// What of the progress can still lead to a match further down.
    pub(super) fn further(&self, progress: Progress) -> Progress {
        progress & !self.end()
    }
}
