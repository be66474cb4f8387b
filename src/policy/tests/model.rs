//! A model of rules that follows their description word by word, without any of the engine's
//! structure: slow, and only for the few names and kinds of pattern that it makes paths of.

use std::fmt::Write as _;

use super::*;

/// Names that the patterns below can meet.
pub(super) const NAMES: [&str; 4] = ["a", "b", "ab", "c"];

#[derive(Debug, Clone)]
pub(super) struct ModelRule {
    /// 0 the main file, 1 the user's, 2 the command line
    pub(super) seat: usize,
    pub(super) pattern: String,
    pub(super) allow: Option<Groups>,
    pub(super) deny: Groups,
    pub(super) hide: bool,
    pub(super) show: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Model {
    /// The main file is `--policy`, not the workspace's own.
    pub(super) main_is_outside: bool,
    pub(super) default: Groups,
    pub(super) rules: Vec<ModelRule>,
}

// What patterns mean.

fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            name_matches(rest, name) || (!name.is_empty() && name_matches(pattern, &name[1..]))
        }
        ([b'?', rest @ ..], [_, name @ ..]) => name_matches(rest, name),
        ([b'[', b'a', b'b', b']', rest @ ..], [byte, name @ ..]) => {
            (*byte == b'a' || *byte == b'b') && name_matches(rest, name)
        }
        ([b'[', b'!', b'a', b']', rest @ ..], [byte, name @ ..]) => {
            *byte != b'a' && name_matches(rest, name)
        }
        ([byte, rest @ ..], [other, name @ ..]) => byte == other && name_matches(rest, name),
        _ => false,
    }
}

fn parts_match(parts: &[&str], path: &[&str]) -> bool {
    match (parts, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            parts_match(rest, path) || (!path.is_empty() && parts_match(parts, &path[1..]))
        }
        ([part, rest @ ..], [name, path @ ..]) => {
            name_matches(part.as_bytes(), name.as_bytes()) && parts_match(rest, path)
        }
        _ => false,
    }
}

/// The components, and whether the pattern is of folders and all below them.
fn read(pattern: &str) -> (Vec<&str>, bool) {
    let mut body = pattern.strip_prefix('/').unwrap_or(pattern);
    let mut zone = false;
    while let Some(folder) = body.strip_suffix("/**").or(body.strip_suffix('/')) {
        body = folder;
        zone = true;
    }
    let mut parts: Vec<&str> = body.split('/').collect();
    let slash = pattern.find('/');
    if slash.is_none() || slash == Some(pattern.len() - 1) {
        parts.insert(0, "**");
    }
    (parts, zone)
}

fn is_everything(pattern: &str) -> bool {
    read(pattern).0.iter().all(|part| *part == "**")
}

/// The pattern matches this path itself.
fn matches(pattern: &str, path: &[&str], kind: PathKind) -> bool {
    let (parts, zone) = read(pattern);
    is_everything(pattern) || (parts_match(&parts, path) && (!zone || kind == PathKind::Folder))
}

/// The pattern matches this path or covers it from above.
fn covers(pattern: &str, path: &[&str], kind: PathKind) -> bool {
    let (_, zone) = read(pattern);
    matches(pattern, path, kind)
        || (zone && (1..path.len()).any(|end| matches(pattern, &path[..end], PathKind::Folder)))
}

fn length(pattern: &str) -> usize {
    pattern.replace(['*', '?', '[', ']'], "").len()
}

/// The pattern names one path: it begins at the root and has no wildcard.
fn literal_path(pattern: &str) -> Option<Vec<&str>> {
    let (parts, _) = read(pattern);
    let plain = parts.iter().all(|part| !part.contains(['*', '?', '[']));
    plain.then_some(parts)
}

fn kind_at(level: usize, path: &[&str], kind: PathKind) -> PathKind {
    if level == path.len() {
        kind
    } else {
        PathKind::Folder
    }
}

// What rules mean.

impl Model {
    fn reaches(&self, show: &ModelRule, hide: &ModelRule) -> bool {
        match show.seat {
            2 => true,
            0 if !self.main_is_outside => hide.seat == 0,
            _ => hide.seat != 2,
        }
    }

    fn is_hidden(&self, path: &[&str], kind: PathKind) -> bool {
        self.rules.iter().filter(|rule| rule.hide).any(|hide| {
            let outermost = (1..=path.len())
                .find(|&level| matches(&hide.pattern, &path[..level], kind_at(level, path, kind)));
            outermost.is_some_and(|outermost| {
                !self.rules.iter().filter(|rule| rule.show).any(|show| {
                    (outermost..=path.len()).any(|level| {
                        matches(&show.pattern, &path[..level], kind_at(level, path, kind))
                            && (level == outermost || literal_path(&show.pattern).is_some())
                            && self.reaches(show, hide)
                    })
                })
            })
        })
    }

    fn opinion(rule: &ModelRule, group: Group) -> Option<bool> {
        if rule.deny.has(group) {
            return Some(false);
        }
        rule.allow.map(|allow| allow.has(group))
    }

    /// The opinion of one seat: the longest pattern's, and that length.
    fn vote(
        &self,
        seat: usize,
        group: Group,
        covering: impl Fn(&ModelRule) -> bool,
    ) -> Option<(usize, bool)> {
        let opinions: Vec<(usize, bool)> = self
            .rules
            .iter()
            .filter(|rule| rule.seat == seat && covering(rule))
            .filter_map(|rule| Some((length(&rule.pattern), Self::opinion(rule, group)?)))
            .collect();
        let longest = opinions.iter().map(|(length, _)| *length).max()?;
        let refused = opinions.contains(&(longest, false));
        Some((longest, !refused))
    }

    fn seat_gives(&self, seat: usize, path: &[&str], kind: PathKind, group: Group) -> bool {
        let covering = |rule: &ModelRule| covers(&rule.pattern, path, kind);
        match self.vote(seat, group, covering) {
            Some((_, given)) => given,
            None => seat != 0 || self.default.has(group),
        }
    }

    fn groups(&self, path: &[&str], kind: PathKind) -> Groups {
        Group::ALL
            .into_iter()
            .filter(|&group| (0..3).all(|seat| self.seat_gives(seat, path, kind, group)))
            .collect()
    }

    /// Some allow of the seat could decide below the folder, by its pattern.
    fn could_allow_below(&self, seat: usize, folder: &[&str]) -> bool {
        // What covers the folder in such a way that it covers everything below it, too.
        let throughout = |rule: &ModelRule| {
            is_everything(&rule.pattern) && folder.is_empty()
                || read(&rule.pattern).1 && covers(&rule.pattern, folder, PathKind::Folder)
        };
        Group::ALL.into_iter().any(|group| {
            let covering = self.vote(seat, group, |rule| {
                read(&rule.pattern).1 && !is_everything(&rule.pattern) && throughout(rule)
            });
            let reaching = self
                .rules
                .iter()
                .filter(|rule| rule.seat == seat && Self::opinion(rule, group) == Some(true))
                .filter(|rule| could_match_below(&rule.pattern, folder))
                .map(|rule| length(&rule.pattern))
                .max();
            match covering {
                Some((_, true)) => true,
                Some((length, false)) => reaching.is_some_and(|reaching| reaching > length),
                None => reaching.is_some(),
            }
        })
    }

    fn shows_below(&self, folder: &[&str]) -> bool {
        self.rules.iter().filter(|rule| rule.show).any(|show| {
            literal_path(&show.pattern).is_some_and(|named| {
                named.len() > folder.len()
                    && named.starts_with(folder)
                    && PathKind::ALL
                        .iter()
                        .any(|&kind| !self.is_hidden(&named, kind))
            })
        })
    }

    /// The groups, and whether it only leads on; `None` for what does not exist.
    fn own(&self, path: &[&str], kind: PathKind) -> Option<(Groups, bool)> {
        let hidden = !path.is_empty() && self.is_hidden(path, kind);
        let groups = self.groups(path, kind);
        if !hidden && !groups.is_empty() {
            return Some((groups, false));
        }
        let allowed = !hidden
            && (0..3).any(|seat| self.could_allow_below(seat, path))
            && (0..3).all(|seat| {
                self.could_allow_below(seat, path)
                    || Group::ALL
                        .iter()
                        .any(|&group| self.seat_gives(seat, path, kind, group))
            });
        let is_root = path.is_empty();
        if kind == PathKind::Folder && (is_root || allowed || self.shows_below(path)) {
            let bare = Self {
                default: if self.default.is_empty() {
                    Groups::all()
                } else {
                    self.default
                },
                ..self.clone()
            };
            let listed = bare.groups(path, kind) & Groups::SEARCH;
            return Some((listed, true));
        }
        None
    }

    pub(super) fn decide(&self, path: &[&str], kind: PathKind) -> Option<(Groups, bool)> {
        for end in 1..path.len() {
            self.own(&path[..end], PathKind::Folder)?;
        }
        self.own(path, kind)
    }

    fn file_text(&self, seat: usize) -> String {
        let list = |groups: Groups| format!("{:?}", groups.names().collect::<Vec<_>>());
        let mut text = String::new();
        if seat == 0 {
            writeln!(text, "default = {}", list(self.default)).unwrap();
        }
        for rule in self.rules.iter().filter(|rule| rule.seat == seat) {
            writeln!(text, "[[rule]]\npath = {:?}", rule.pattern).unwrap();
            if let Some(allow) = rule.allow {
                writeln!(text, "allow = {}", list(allow)).unwrap();
            }
            if !rule.deny.is_empty() {
                writeln!(text, "deny = {}", list(rule.deny)).unwrap();
            }
            if rule.hide {
                writeln!(text, "hide = true").unwrap();
            }
            if rule.show {
                writeln!(text, "show = true").unwrap();
            }
        }
        text
    }

    pub(super) fn build(&self) -> Policy {
        let main = self.file_text(0);
        let mut setup = Setup::default().user(&format!(
            "{}\n[builtin]\nenabled = false",
            self.file_text(1)
        ));
        setup = if self.main_is_outside {
            setup.policy_file(&main)
        } else {
            setup.and_workspace(&main)
        };
        for rule in self.rules.iter().filter(|rule| rule.seat == 2) {
            if rule.hide {
                setup = setup.hide(&rule.pattern);
            }
            if rule.show {
                setup = setup.show(&rule.pattern);
            }
            for name in rule.deny.names() {
                setup = setup.deny(&format!("{name}:{}", rule.pattern));
            }
        }
        setup.build()
    }
}

/// Some path below the folder is matched: tried with every path that is not longer than the
/// patterns made here.
fn could_match_below(pattern: &str, folder: &[&str]) -> bool {
    let mut paths = vec![folder.to_vec()];
    for _ in 0..3 {
        paths = paths
            .iter()
            .flat_map(|path| NAMES.map(|name| [path.as_slice(), &[name]].concat()))
            .collect();
        if paths.iter().any(|path| {
            PathKind::ALL
                .iter()
                .any(|&kind| matches(pattern, path, kind))
        }) {
            return true;
        }
    }
    false
}
