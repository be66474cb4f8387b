//! A policy held against its tree, for the person outside: what it shows, what it hides, and
//! where the two are not what was meant.
//!
//! One walk over the tree, hidden folders only where a rule leads into them; nothing is kept
//! but counts and the first findings of each kind. It names what is hidden, so nothing of it
//! may be shown in a view.

mod report;
mod rules;
mod secrets;
mod tree;

pub use report::{CheckReport, Finding, FindingKind, Section};
pub use tree::Seen;

use super::door::{OpenFolder, Patience, Sight};
use super::explain::Withholding;
use super::{Error, Result, View, symlink};
use crate::policy::{Explanation, FolderScope, Group, PathKind, Policy, Sources};
use crate::relpath::RelPath;
use crate::workspace::{Folder, Kind};
use report::Findings;
use rules::Usage;
use std::time::{Duration, Instant};

/// Levels of folders that are walked; each holds a descriptor.
const DEPTH_MAX: usize = 512;

impl View {
    /// Holds the policy against the tree.
    ///
    /// # Errors
    /// The root cannot be read, or no descriptor is left.
    pub fn check(&self) -> Result<CheckReport> {
        let policy = self.loaded().policy.clone();
        let mut walk = Walk {
            view: self,
            usage: Usage::new(&policy),
            findings: Findings::default(),
            visible: 0,
            hidden: 0,
            scanning: Scanning::default(),
            // Nothing is given, so nothing can be wrong with it.
            plain: Policy::new(&Sources::default()).map_err(|_| Error::Invalid)?,
        };
        walk.tree()?;
        let Walk {
            usage,
            mut findings,
            visible,
            hidden,
            ..
        } = walk;
        for name in policy.shown_by_workspace() {
            findings.add(FindingKind::ShownByWorkspace, || Finding {
                path: None,
                rule: None,
                message: format!("'{name}' by [builtin] show; to agree, write it in your own configuration or give --show"),
            });
        }
        usage.report(self, &mut findings);
        let sections = findings.into_sections();
        Ok(CheckReport {
            ok: !sections.iter().any(|section| section.attention),
            visible,
            hidden,
            sections,
        })
    }
}

/// How long a whole walk waits for scans for the other names of files: where they cannot all be
/// known, each file would ask for another scan.
const SCAN_TIME: Duration = Duration::from_secs(10);

/// The time for scans, which begins with the first.
#[derive(Debug, Default)]
struct Scanning(Option<Instant>);

impl Scanning {
    fn begin(&mut self) -> Patience {
        let deadline = self.0.get_or_insert_with(|| Instant::now() + SCAN_TIME);
        Patience::Until(*deadline)
    }
}

/// A folder being walked, what built-in rules alone make of it, and its folders still to come.
struct Level {
    folder: OpenFolder,
    plain: FolderScope,
    below: Vec<Box<[u8]>>,
}

struct Walk<'a> {
    view: &'a View,
    usage: Usage,
    findings: Findings,
    visible: u64,
    hidden: u64,
    scanning: Scanning,
    /// The built-in rules alone: what looks like a secret to them.
    plain: Policy,
}

/// One entry of a folder being walked.
struct Entry<'a> {
    folder: &'a OpenFolder,
    plain: &'a FolderScope,
    name: &'a [u8],
    kind: Kind,
}

impl Entry<'_> {
    fn path(&self) -> RelPath {
        // The name came out of a listing, so it is one component.
        self.folder.path.child(self.name).unwrap_or_default()
    }

    fn path_kind(&self) -> PathKind {
        match self.kind {
            Kind::Folder => PathKind::Folder,
            _ => PathKind::File,
        }
    }

    fn explain(&self) -> Explanation {
        self.folder.scope.explain(self.name, self.path_kind())
    }

    fn finding(&self, rule: Option<crate::policy::Ruling>, message: impl Into<String>) -> Finding {
        Finding {
            path: Some(self.path().to_text()),
            rule,
            message: message.into(),
        }
    }
}

impl Walk<'_> {
    fn tree(&mut self) -> Result<()> {
        let root = self.view.folder_at(&RelPath::root())?;
        let plain = self.plain.folder(&RelPath::root());
        let mut levels = Vec::new();
        let top = self.level(OpenFolder::clone(&root), plain)?;
        levels.push(top);
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.below.pop() else {
                levels.pop();
                continue;
            };
            let plain = level.plain.child(&name);
            let path = level.folder.path.child(&name).unwrap_or_default();
            let opened = self.view.open_regardless(&level.folder, &name);
            if levels.len() >= DEPTH_MAX {
                self.unreadable(&path, "it lies too deep");
                continue;
            }
            match opened.and_then(|folder| self.level(folder, plain)) {
                Ok(level) => levels.push(level),
                Err(Error::NotFound | Error::NotFolder) => {} // went, or another view
                Err(error) => self.unreadable(&path, &error.to_string()),
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, path: &RelPath, why: &str) {
        self.findings
            .add(FindingKind::UnreadableFolder, || Finding {
                path: Some(path.to_text()),
                rule: None,
                message: format!("not checked: {why}"),
            });
    }

    /// Looks at the entries of one folder.
    fn level(&mut self, folder: OpenFolder, plain: FolderScope) -> Result<Level> {
        let faults = folder
            .ignored
            .iter()
            .filter_map(super::ignore_files::Present::fault);
        for (name, fault) in faults {
            self.findings.add(FindingKind::IgnoreFileFault, || Finding {
                path: Some(folder.path.child(name).unwrap_or_default().to_text()),
                rule: None,
                message: fault.to_owned(),
            });
        }
        let mut below = Vec::new();
        // The listing's own handle, so that looking at entries does not hold the walk up.
        let listed: Folder = folder.folder.clone();
        listed.for_each(|raw| {
            let kind = match raw.kind {
                Some(kind) => kind,
                None => match folder.folder.meta_of(raw.name) {
                    Ok(meta) => meta.kind,
                    Err(_gone) => return true,
                },
            };
            let entry = Entry {
                folder: &folder,
                plain: &plain,
                name: raw.name,
                kind,
            };
            if self.entry(&entry) {
                below.push(raw.name.into());
            }
            true
        })?;
        Ok(Level {
            folder,
            plain,
            below,
        })
    }

    /// Looks at one entry; whether the walk goes down into it.
    fn entry(&mut self, entry: &Entry<'_>) -> bool {
        let decision = entry.folder.scope.decide(entry.name, entry.path_kind());
        let shows = self.usage.note(entry, decision);
        if !decision.exists() {
            // What lies in a folder that is hidden was hidden with it.
            if entry.folder.decision.exists() {
                self.hidden += 1;
                self.covered(entry, None);
            }
            if shows {
                self.in_vain(entry);
            }
            return entry.kind == Kind::Folder
                && entry.folder.scope.child(entry.name).written_rules_lead_on();
        }
        if shows {
            self.over_a_hide(entry);
        }
        match self.find(entry) {
            Ok(Sight::Seen(found)) => {
                self.visible += 1;
                if found.meta.kind == Kind::Symlink {
                    self.link(entry);
                }
                if found.meta.kind == Kind::File {
                    self.secret_in_view(entry, &found);
                }
                found.meta.kind == Kind::Folder
            }
            Ok(Sight::Missing | Sight::Withheld | Sight::Unsettled) => {
                self.withheld(entry);
                false
            }
            Err(error) => {
                self.unreadable(&entry.path(), &error.to_string());
                false
            }
        }
    }

    fn find(&mut self, entry: &Entry<'_>) -> Result<Sight> {
        match self.view.find(entry.folder, entry.name, Patience::None)? {
            Sight::Unsettled => {
                let patience = self.scanning.begin();
                self.view.find(entry.folder, entry.name, patience)
            }
            settled => Ok(settled),
        }
    }

    /// An entry that its name shows and the view does not.
    fn withheld(&mut self, entry: &Entry<'_>) {
        let Ok(meta) = entry.folder.folder.meta_of(entry.name) else {
            return;
        };
        let explanation = entry.explain();
        let withheld = self
            .view
            .withholding(entry.folder, entry.name, &meta, &explanation);
        let Ok(Some(withheld)) = withheld else { return };
        self.hidden += 1;
        let message = match withheld.by {
            Withholding::OtherView => return,
            Withholding::Content => return self.covered(entry, withheld.rule),
            Withholding::OtherName => format!(
                "it is the same file as '{}', which is hidden",
                withheld.name.as_deref().unwrap_or_default()
            ),
            Withholding::UnknownNames => "it has more names, and they are not all known".to_owned(),
            Withholding::SeveralNames => {
                "it has several names, and the policy says hardlinks = \"deny\"".to_owned()
            }
        };
        let rule = withheld.rule;
        self.findings.add(FindingKind::HardLinkToHidden, || {
            entry.finding(rule, message)
        });
    }

    fn link(&mut self, entry: &Entry<'_>) {
        let Some((target, allowed)) = symlink::leads_out(self.view, entry.folder, entry.name)
        else {
            return;
        };
        let kind = if allowed {
            FindingKind::LinkOutAllowed
        } else {
            FindingKind::LinkOutRefused
        };
        let way_out = if allowed {
            ""
        } else {
            "; to allow it, add it to [symlinks] allow_outside"
        };
        self.findings.add(kind, || {
            entry.finding(
                None,
                format!("it leads to '{}'{way_out}", target.escape_ascii()),
            )
        });
    }

    fn over_a_hide(&mut self, entry: &Entry<'_>) {
        let visibility = entry.explain().visibility;
        if !visibility.visible {
            return self.in_vain(entry); // it only leads down
        }
        let (Some(rule), Some(undone)) = (visibility.rule, visibility.undone) else {
            return; // nothing to undo here
        };
        self.findings.add(FindingKind::ShowOverHide, || {
            let hide = format!("{} ({})", undone.pattern, undone.source);
            entry.finding(Some(rule), format!("it is shown over the hide {hide}"))
        });
    }

    fn in_vain(&mut self, entry: &Entry<'_>) {
        let Some(hide) = entry.explain().visibility.rule else {
            return;
        };
        let way_out = match (&*hide.source, &*hide.pattern) {
            ("the view", _) => "nothing shows what the view needs for itself",
            (source, _) if source.starts_with("--hide") => "only --show goes over --hide",
            ("built-in", pattern) if pattern == ".git" || pattern.contains("trash") => {
                "give --show, or the rule in a --policy file"
            }
            ("built-in", _) => "name it in [builtin] show, or give --show",
            _ => "show the hidden folder's path, each name written out, or give --show",
        };
        self.findings.add(FindingKind::ShowInVain, || {
            entry.finding(
                Some(hide),
                format!("a show matches it and does not reach over this hide; {way_out}"),
            )
        });
    }

    /// Whether the entry may be read in the view, its content aside.
    fn may_read(entry: &Entry<'_>) -> bool {
        let decision = entry.folder.scope.decide(entry.name, entry.path_kind());
        decision.may(Group::Read)
    }
}
