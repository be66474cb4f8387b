//! What a link may say.
//!
//! Text that stays inside the workspace is served as relative text, so that the kernel's own
//! walk meets the filter; text that leads outside is served only below the prefixes that the
//! policy allows, and as absolute text, since relative text would leave from the mount point
//! and not from the workspace.

use super::door::OpenFolder;
use super::{Error, Result, View};
use crate::policy::{Group, PathKind, SymlinkMode};
use crate::relpath::RelPath;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The text that the link `name` in `parent` shows.
pub(super) fn shown_text(view: &View, parent: &OpenFolder, name: &[u8]) -> Result<Vec<u8>> {
    let decision = parent.scope.decide(name, PathKind::File);
    if !decision.may(Group::Read) {
        return Err(Error::Denied);
    }
    if parent.loaded().policy.symlinks().mode() == SymlinkMode::Deny {
        return Err(Error::Denied);
    }
    let text = match parent.folder.read_link(name).map_err(Error::from) {
        // No link any more: the kernel looks again.
        Err(Error::Invalid) => return Err(Error::Stale),
        text => text?,
    };
    let led = lead(&view.workspace_paths(), &parent.path, &text);
    for folder in &led.passed {
        if !view.is_real_folder(folder) {
            return Err(Error::Denied);
        }
    }
    match led.target {
        Target::Inside => Ok(text),
        Target::InsideAs(relative) => Ok(relative),
        Target::Outside(absolute) => {
            let allowed = parent.loaded().policy.symlinks().outside_allowed(&absolute);
            allowed.then_some(absolute).ok_or(Error::Denied)
        }
    }
}

/// Where the link `name` in `parent` leads to outside, and whether the policy allows that;
/// `None` for one that stays inside, or that cannot be read.
pub(super) fn leads_out(view: &View, parent: &OpenFolder, name: &[u8]) -> Option<(Vec<u8>, bool)> {
    let text = parent.folder.read_link(name).ok()?;
    match lead(&view.workspace_paths(), &parent.path, &text).target {
        Target::Inside | Target::InsideAs(_) => None,
        Target::Outside(target) => {
            let allowed = shown_text(view, parent, name).is_ok();
            Some((target, allowed))
        }
    }
}

impl View {
    fn workspace_paths(&self) -> Vec<&Path> {
        let aliases = self.settings.aliases.iter().map(|path| &**path);
        std::iter::once(self.workspace.path())
            .chain(aliases)
            .collect()
    }

    /// Whether `path` is a chain of real folders that the view shows. A hidden one is answered
    /// as a missing one.
    fn is_real_folder(&self, path: &RelPath) -> bool {
        // Below what is hidden nothing exists, so the last folder's decision is that of all.
        let found = self.scope_of(path);
        found.is_ok_and(|(scope, folder)| scope.decision().exists() && folder.is_some())
    }
}

/// Where a link leads by its text alone.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// Inside, by the text as it is.
    Inside,
    /// Inside, by this relative text.
    InsideAs(Vec<u8>),
    /// To this absolute path, without `.` and `..`.
    Outside(Vec<u8>),
}

#[derive(Debug, PartialEq, Eq)]
struct Led {
    target: Target,
    /// Folders of the workspace that a `..` in the text steps out of.
    passed: Vec<RelPath>,
}

/// Follows `text` from `folder` by name. `workspace` are the absolute paths of the root.
fn lead(workspace: &[&Path], folder: &RelPath, text: &[u8]) -> Led {
    let roots: Vec<Vec<&[u8]>> = workspace
        .iter()
        .map(|path| parts(path.as_os_str().as_bytes()).collect())
        .collect();
    let absolute = text.first() == Some(&b'/');
    let mut at: Vec<&[u8]> = Vec::new();
    if !absolute {
        at.extend(roots.first().into_iter().flatten());
        at.extend(folder.components());
    }
    // How many components at the end of `at` came from the text.
    let mut from_text = 0_usize;
    let mut passed = Vec::new();
    let mut left = absolute;
    let mut turned = false;
    for part in parts(text) {
        if part != b".." {
            at.push(part);
            from_text += 1;
            continue;
        }
        if from_text > 0 {
            turned = true;
            if let Some(inside) = within(&roots, &at).and_then(joined) {
                passed.push(inside);
            }
            from_text -= 1;
        }
        at.pop();
        left |= within(&roots, &at).is_none();
    }
    let target = match within(&roots, &at) {
        Some(_) if !left => Target::Inside,
        Some(inside) => Target::InsideAs(relative(folder, inside)),
        None if absolute && !turned => Target::Outside(text.to_vec()),
        None if at.is_empty() => Target::Outside(b"/".to_vec()),
        None => Target::Outside(
            at.iter()
                .flat_map(|part| [b"/", *part].concat())
                .collect::<Vec<u8>>(),
        ),
    };
    Led { target, passed }
}

fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
}

/// The part of `at` below one of the roots.
fn within<'a, 'b>(roots: &[Vec<&'a [u8]>], at: &'b [&'a [u8]]) -> Option<&'b [&'a [u8]]> {
    roots.iter().find_map(|root| at.strip_prefix(&root[..]))
}

fn joined(parts: &[&[u8]]) -> Option<RelPath> {
    RelPath::parse(&parts.join(&b'/')).ok()
}

/// The text that leads from `folder` to `target`, both below the root.
fn relative(folder: &RelPath, target: &[&[u8]]) -> Vec<u8> {
    let from: Vec<&[u8]> = folder.components().collect();
    let shared = from.iter().zip(target).take_while(|(a, b)| a == b).count();
    let ups = from[shared..].iter().map(|_| &b".."[..]);
    let text: Vec<&[u8]> = ups.chain(target[shared..].iter().copied()).collect();
    if text.is_empty() {
        b".".to_vec()
    } else {
        text.join(&b'/')
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
mod tests {
    use super::*;

    fn led(folder: &str, text: &str) -> (Target, Vec<String>) {
        let roots = [Path::new("/home/u/ws"), Path::new("/alias")];
        let folder = RelPath::parse(folder.as_bytes()).unwrap();
        let led = lead(&roots, &folder, text.as_bytes());
        let passed = led.passed.iter().map(RelPath::to_text).collect();
        (led.target, passed)
    }

    fn inside_as(text: &str) -> Target {
        Target::InsideAs(text.into())
    }

    fn outside(text: &str) -> Target {
        Target::Outside(text.into())
    }

    #[test]
    fn text_is_followed_by_name() {
        let rows = [
            ("", "a", Target::Inside),
            ("a/b", "../../c", Target::Inside),
            ("a", "./x//y/", Target::Inside),
            ("a/b", "/home/u/ws/c/d", inside_as("../../c/d")),
            ("", "/home/u/ws", inside_as(".")),
            ("a", "/alias/x", inside_as("../x")),
            ("a/b", "/alias/a/c", inside_as("../c")),
            ("a", "/alias/a", inside_as(".")),
            ("", "../ws/x", inside_as("x")),
            ("a", "../../other/x", outside("/home/u/other/x")),
            ("", "..", outside("/home/u")),
            ("", "/usr/bin/python3", outside("/usr/bin/python3")),
            ("", "/usr/../etc/shadow", outside("/etc/shadow")),
            ("", "/home/u/ws2/x", outside("/home/u/ws2/x")),
            ("", "../../../../../etc", outside("/etc")),
            ("", "/home/u/ws/../x", outside("/home/u/x")),
        ];
        for (folder, text, target) in rows {
            assert_eq!(led(folder, text).0, target, "{folder} -> {text}");
        }
    }

    #[test]
    fn folders_that_are_stepped_out_of_are_told() {
        assert_eq!(led("a", "b/c/../d").1, ["a/b/c"]);
        assert_eq!(led("a/b", "../x").1, [""; 0]);
        assert_eq!(led("", "/home/u/ws/x/../y").1, ["x"]);
        assert_eq!(led("", "x/../../ws/y").1, ["x"]);
    }
}
