//! `inspectfs explain`: what the view makes of paths, and why.

use super::{PolicyArgs, complain};
use crate::daemon::{self, Place};
use crate::policy::{GroupRuling, LabelRuling, PathKind, Ruling};
use crate::view::{Explained, State, Type, View, Withheld, Withholding};
use anyhow::{Context, Result};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Paths in the workspace, there or not, hidden or not; one that is not there counts as a
    /// file unless it ends with '/'
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The workspace, if not the one around the path
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// Print one JSON object a path
    #[arg(long)]
    json: bool,
}

/// Explains each path; one that cannot be explained is a line on standard error.
pub(super) fn print(args: &ExplainArgs) -> ExitCode {
    let mut views = HashMap::new();
    let mut code = ExitCode::SUCCESS;
    let mut out = std::io::stdout().lock();
    for path in &args.paths {
        let told = explain(path, args, &mut views).and_then(|explained| {
            let text = if args.json {
                serde_json::to_string(&explained)? + "\n"
            } else {
                in_words(&explained)
            };
            Ok(out.write_all(text.as_bytes())?)
        });
        if let Err(error) = told {
            complain(&error);
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn explain(
    path: &Path,
    args: &ExplainArgs,
    views: &mut HashMap<PathBuf, Arc<View>>,
) -> Result<Explained> {
    let shown = path.display();
    let place = daemon::workspace_of(path, args.workspace.as_deref())
        .context("the current folder is gone; name paths from '/'")?;
    let Place {
        workspace,
        path: inside,
    } = place;
    let inside = inside.with_context(|| {
        format!(
            "'{shown}' is no path in the workspace '{}'; name another by --workspace",
            workspace.display()
        )
    })?;
    let view = match views.entry(workspace) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => {
            let view = daemon::offline_view(place.key(), &args.policy.sources())?;
            place.insert(view)
        }
    };
    let kind = if path.as_os_str().as_bytes().ends_with(b"/") {
        PathKind::Folder
    } else {
        PathKind::File
    };
    view.explain(&inside, kind)
        .with_context(|| format!("'{shown}' cannot be looked at"))
}

/// A block of lines: the answer, what decided it, and the groups of what exists.
fn in_words(explained: &Explained) -> String {
    let mut text = plain(&explained.path);
    if let Some(place) = &explained.leads_to {
        let _written = write!(text, " (leads to {})", plain(place));
    }
    text += match explained.state {
        State::Visible => ": visible",
        State::Hidden => ": hidden",
        State::Missing => ": nothing is there",
        State::Outside => ": outside of the workspace",
        State::Refused => ": refused, a link on the way is not followed",
    };
    text += match explained.kind {
        Some(Type::Folder) if explained.leads_down => ", a folder that only leads down",
        Some(Type::Folder) => ", a folder",
        Some(Type::Symlink) => ", a link",
        Some(Type::Other) => ", a special file",
        Some(Type::Sidecar) => ", a document of the view",
        Some(Type::File) | None => "",
    };
    text.push('\n');
    let is_about_another = explained.decided_at != explained.path
        && explained.leads_to.as_ref() != Some(&explained.decided_at);
    if is_about_another && explained.kind != Some(Type::Sidecar) {
        let _written = writeln!(text, "  decided at {}", plain(&explained.decided_at));
    }
    if let Some(rule) = &explained.rule {
        let verb = match explained.state {
            State::Hidden if explained.withheld.is_none() => "hidden by",
            _ if explained.leads_down => "leads past",
            _ => "shown by",
        };
        let _written = writeln!(text, "  {verb} {}", rule_in_words(rule));
    }
    if let Some(withheld) = &explained.withheld {
        let _written = writeln!(text, "  {}", withheld_in_words(withheld));
    }
    if let Some(LabelRuling { label, rule }) = &explained.label {
        let _written = writeln!(
            text,
            "  labelled {} by {}",
            label.name(),
            rule_in_words(rule)
        );
    }
    for note in &explained.notes {
        let _written = writeln!(text, "  {}", plain(note));
    }
    // What hides it refuses all four; where no rule hides it, the groups say why it is not there.
    let hidden_by_rule = explained.rule.is_some() || explained.withheld.is_some();
    if explained.state != State::Hidden || !hidden_by_rule {
        explained
            .groups
            .iter()
            .for_each(|ruling| text += &group_in_words(ruling));
    }
    text
}

fn group_in_words(ruling: &GroupRuling) -> String {
    let given = match (ruling.given, ruling.only_in_new_repository) {
        (true, false) => "yes",
        (true, true) => "only in a repository made in the view",
        (false, _) => "no",
    };
    let rule = ruling.rule.as_ref().map(rule_in_words);
    let rule = rule.map_or_else(String::new, |rule| format!("  {rule}"));
    format!("  {:<17} {given:<3}{rule}\n", ruling.group.name())
        .trim_end()
        .to_owned()
        + "\n"
}

/// The rule, where it stands, why it is there, and what to do instead.
pub(super) fn rule_in_words(rule: &Ruling) -> String {
    let mut text = format!("{} ({})", plain(&rule.pattern), plain(&rule.source));
    if let Some(reason) = &rule.reason {
        let _written = write!(text, ": {}", plain(reason));
    }
    if let Some(alternative) = &rule.alternative {
        let _written = write!(text, "; instead: {}", plain(alternative));
    }
    text
}

fn withheld_in_words(withheld: &Withheld) -> String {
    let rule = withheld.rule.as_ref().map(rule_in_words);
    let rule = rule.map_or_else(String::new, |rule| format!(" {rule}"));
    match withheld.by {
        Withholding::Content => format!("hidden by its content, or as it cannot be read:{rule}"),
        Withholding::OtherName => {
            let name = withheld.name.as_deref().map(plain).unwrap_or_default();
            format!("hidden: it is the same file as {name}, which is hidden by{rule}")
        }
        Withholding::UnknownNames => {
            "hidden: it has more names, and they are not all known".to_owned()
        }
        Withholding::SeveralNames => {
            "hidden: it has several names, and the policy says hardlinks = \"deny\"".to_owned()
        }
        Withholding::OtherView => "hidden: another view is mounted here".to_owned(),
    }
}

/// Text that neither breaks a line nor steers a terminal.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            plain.extend(character.escape_default());
        } else {
            plain.push(character);
        }
    }
    plain
}
