//! Why a path is what the view makes of it: the policy's reasons, and what only the view knows,
//! which is content, other names of a file, links on the way, limits.
//!
//! For the person outside: it names what is hidden, so nothing of it may be shown in a view.

mod document;

pub use document::{Explained, State, Type, Withheld, Withholding};

use super::door::{OpenFolder, Patience, Sight};
use super::offline::Walked;
use super::{Error, Result, View, sidecar};
use crate::policy::{
    Explanation, Group, GroupRuling, Hardlinks, IgnoreFile, PathKind, Policy, Ruling,
};
use crate::relpath::RelPath;
use crate::workspace::{Kind, Meta};
use std::sync::Arc;

impl View {
    /// Says what the view makes of `path` and why. `kind` is what a missing path would be.
    ///
    /// # Errors
    /// The operating system's, or no descriptor is left.
    pub fn explain(&self, path: &RelPath, kind: PathKind) -> Result<Explained> {
        let mut explained = match self.walk(path) {
            Walked::To(place) => {
                let explained = self.explain_place(&place, kind)?;
                Explained {
                    leads_to: (place != *path).then(|| explained.path.clone()),
                    ..explained
                }
            }
            Walked::Outside(link) => self.explain_stop(&link, State::Outside)?,
            Walked::Refused(link) => self.explain_stop(&link, State::Refused)?,
        };
        explained.path = path.to_text();
        Ok(explained)
    }

    /// Explains a path whose way ends at a link.
    fn explain_stop(&self, link: &RelPath, state: State) -> Result<Explained> {
        let mut explained = self.explain_place(link, PathKind::File)?;
        explained.state = state;
        explained.groups.clear();
        Ok(explained)
    }

    /// Explains a path with no link above its last name.
    fn explain_place(&self, path: &RelPath, kind: PathKind) -> Result<Explained> {
        let policy = &self.loaded().policy;
        let meta = self.real_meta(path)?;
        let kind = meta.as_ref().map_or(kind, |meta| path_kind(meta.kind));
        let explanation = self.reasons(policy, path, kind);
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            return Ok(explained(explanation, State::Visible, Some(Type::Folder)));
        };
        let mut answer = explained(
            explanation.clone(),
            State::Hidden,
            meta.map(|m| m.kind.into()),
        );
        let folder = match self.folder_at(&parent) {
            Ok(folder) => folder,
            Err(Error::TooManyOpen) => return Err(Error::TooManyOpen),
            // Hidden by its name, missing, or no folder.
            Err(_) => {
                if explanation.exists {
                    answer.state = State::Missing;
                    answer.kind = None;
                    answer.notes.extend(self.why_closed(&parent)?);
                }
                return Ok(answer);
            }
        };
        match self.find(&folder, name, Patience::of_a_request())? {
            Sight::Seen(found) => {
                answer.state = State::Visible;
                answer.kind = Some(found.meta.kind.into());
                answer.notes = notes(policy, &found.meta, found.link.as_ref());
            }
            Sight::Missing | Sight::Withheld | Sight::Unsettled => {
                if let Some(name) = sidecar::Name::parse(name)
                    && let Some(sidecar) = self.explain_sidecar(&folder, path, &name)?
                {
                    return Ok(sidecar);
                }
                match (&meta, explanation.exists) {
                    (None, true) => answer.state = State::Missing,
                    (Some(meta), true) => {
                        answer.withheld = self.withholding(&folder, name, meta, &explanation)?;
                        for group in &mut answer.groups {
                            group.given = false;
                            group.only_in_new_repository = false;
                            group.rule = answer.withheld.as_ref().and_then(|it| it.rule.clone());
                        }
                    }
                    (_, false) => {}
                }
            }
        }
        Ok(answer)
    }

    /// The policy's reasons, with the ignore files on the way.
    pub(super) fn reasons(&self, policy: &Policy, path: &RelPath, kind: PathKind) -> Explanation {
        policy.explain(path, kind, |folder| self.ignore_files_at(policy, folder))
    }

    fn ignore_files_at(&self, policy: &Policy, path: &RelPath) -> Vec<(String, Arc<IgnoreFile>)> {
        let Ok(folder) = self.workspace.folder(path) else {
            return Vec::new();
        };
        let present = self.ignore_files(policy, &folder, path, &[]);
        let labelled = |one: super::ignore_files::Present| {
            let (name, file) = one.into_parts();
            (path.child(&name).unwrap_or_default().to_text(), file)
        };
        present.into_iter().map(labelled).collect()
    }

    /// What lies at a path of the real tree, hidden or not; no link is followed.
    fn real_meta(&self, path: &RelPath) -> Result<Option<Meta>> {
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            return Ok(Some(*self.workspace.meta()));
        };
        let found = self
            .workspace
            .folder(&parent)
            .and_then(|folder| folder.meta_of(name));
        match found.map_err(Error::from) {
            Ok(meta) => Ok(Some(meta)),
            Err(Error::TooManyOpen) => Err(Error::TooManyOpen),
            Err(_) => Ok(None),
        }
    }

    /// What stands in the place of a folder that cannot be entered.
    fn why_closed(&self, path: &RelPath) -> Result<Option<String>> {
        let mut above = RelPath::root();
        for name in path.components() {
            above = above.child(name).map_err(|_| Error::Invalid)?;
            match self.real_meta(&above)? {
                None => return Ok(Some(format!("nothing lies at '{}'", above.to_text()))),
                Some(meta) if meta.kind != Kind::Folder => {
                    return Ok(Some(format!("'{}' is no folder", above.to_text())));
                }
                Some(meta) if crate::workspace::is_view(meta.mount).unwrap_or(true) => {
                    return Ok(Some(format!("'{}' is another view", above.to_text())));
                }
                Some(_) => {}
            }
        }
        Ok(None)
    }

    /// Explains `name` as the document of a file beside it, if the view has it.
    fn explain_sidecar(
        &self,
        folder: &OpenFolder,
        path: &RelPath,
        name: &sidecar::Name<'_>,
    ) -> Result<Option<Explained>> {
        let base = match name.base {
            None => folder.path.clone(),
            Some(base) => match self.find(folder, base, Patience::of_a_request())? {
                Sight::Seen(found)
                    if name.document == sidecar::Document::Inspect
                        || found.meta.kind == Kind::File =>
                {
                    folder.path.child(base).map_err(|_| Error::Invalid)?
                }
                _ => return Ok(None),
            },
        };
        let rule = Ruling {
            source: "the view".to_owned(),
            pattern: path.to_text(),
            reason: Some(format!("it describes '{}'", base.to_text())),
            alternative: None,
        };
        let groups = Group::ALL.into_iter().map(|group| GroupRuling {
            group,
            given: group == Group::Read,
            only_in_new_repository: false,
            rule: Some(rule.clone()),
        });
        Ok(Some(Explained {
            path: path.to_text(),
            leads_to: None,
            state: State::Visible,
            kind: Some(Type::Sidecar),
            decided_at: base.to_text(),
            leads_down: false,
            rule: Some(rule.clone()),
            withheld: None,
            groups: groups.collect(),
            label: None,
            notes: Vec::new(),
        }))
    }

    /// Why a file that the rules show by its name is not found in the view; `None` if it went
    /// or came meanwhile.
    pub(super) fn withholding(
        &self,
        folder: &OpenFolder,
        name: &[u8],
        meta: &Meta,
        explanation: &Explanation,
    ) -> Result<Option<Withheld>> {
        let policy = &self.loaded().policy;
        let because = |by, name, rule| Ok(Some(Withheld { by, name, rule }));
        if super::door::is_foreign_view(folder.mount, meta) {
            return because(Withholding::OtherView, None, None);
        }
        if self.is_hidden_by_content(explanation.decision, &folder.folder, name, meta)? {
            let rule = explanation.visibility.by_content.clone();
            return because(Withholding::Content, None, rule);
        }
        if meta.kind != Kind::File || meta.links < 2 {
            return Ok(None);
        }
        if policy.hardlinks() == Hardlinks::Deny {
            return because(Withholding::SeveralNames, None, None);
        }
        for path in self.linked_names(meta) {
            let other = self.reasons(policy, &path, PathKind::File);
            let rule = if !other.exists {
                other.visibility.rule
            } else if self.hides_content_at(&path, meta, &other)? {
                other.visibility.by_content
            } else {
                continue;
            };
            return because(Withholding::OtherName, Some(path.to_text()), rule);
        }
        because(Withholding::UnknownNames, None, None)
    }

    fn hides_content_at(&self, path: &RelPath, meta: &Meta, other: &Explanation) -> Result<bool> {
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            return Ok(false);
        };
        match self.workspace.folder(&parent) {
            Ok(folder) => self.is_hidden_by_content(other.decision, &folder, name, meta),
            Err(_) => Ok(false),
        }
    }
}

fn path_kind(kind: Kind) -> PathKind {
    match kind {
        Kind::Folder => PathKind::Folder,
        _ => PathKind::File,
    }
}

fn explained(explanation: Explanation, state: State, kind: Option<Type>) -> Explained {
    Explained {
        path: explanation.path,
        leads_to: None,
        state,
        kind,
        decided_at: explanation.decided_at,
        leads_down: explanation.visibility.leads_down,
        // A show says nothing of why a path without a group does not exist.
        rule: explanation
            .visibility
            .rule
            .filter(|_| explanation.exists || !explanation.visibility.visible),
        withheld: None,
        groups: explanation.groups,
        label: explanation.label,
        notes: Vec::new(),
    }
}

/// What calls on a visible file meet beside its groups.
fn notes(policy: &Policy, meta: &Meta, link: Option<&Result<Vec<u8>>>) -> Vec<String> {
    let mut notes = Vec::new();
    match link {
        Some(Ok(text)) => notes.push(format!("a link to '{}'", text.escape_ascii())),
        Some(Err(_)) => notes.push(
            "the view does not say where the link leads (EACCES): out of the workspace, through \
             what is no visible folder, or links are not followed"
                .to_owned(),
        ),
        None => {}
    }
    match meta.kind {
        Kind::CharDevice | Kind::BlockDevice => {
            notes.push("a device; opening it is refused (EACCES)".to_owned());
        }
        Kind::File => {
            if let Some(most) = policy
                .limits()
                .max_file_bytes
                .filter(|&most| meta.size > most)
            {
                notes.push(format!(
                    "larger than limits.max_file_bytes = {most}; reading it is refused (EFBIG)"
                ));
            }
        }
        Kind::Folder | Kind::Symlink | Kind::Fifo | Kind::Socket => {}
    }
    notes
}
