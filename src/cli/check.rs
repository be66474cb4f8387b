//! `inspectfs check`: the policy held against the tree.

use super::explain::{plain, rule_in_words};
use super::{PolicyArgs, workspace_or_here};
use crate::daemon;
use crate::view::{CheckReport, Finding, Seen, Type};
use anyhow::{Context, Result};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// The workspace, if not the one around the current folder
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    #[command(flatten)]
    policy: PolicyArgs,
    /// First print what an agent will see: each listed path with its groups
    #[arg(long)]
    tree: bool,
    /// Print JSON: with --tree one object a path, then the report, one object a line
    #[arg(long)]
    json: bool,
}

/// Prints the report; whether nothing needs attention.
pub(super) fn check(args: &CheckArgs) -> Result<bool> {
    let workspace = workspace_or_here(args.workspace.as_deref())?;
    let view = daemon::offline_view(&workspace, &args.policy.sources())?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let shown = workspace.display();
    if args.tree {
        let mut written = Ok(());
        view.seen(|seen| {
            written = write_seen(&mut out, seen, args.json);
            written.is_ok()
        })
        .with_context(|| format!("workspace '{shown}' cannot be walked"))?;
        written?;
    }
    let report = view
        .check()
        .with_context(|| format!("workspace '{shown}' cannot be walked"))?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        write_report(&mut out, &report)?;
    }
    out.flush()?;
    Ok(report.ok)
}

fn write_seen(out: &mut impl Write, seen: &Seen, json: bool) -> Result<()> {
    if json {
        writeln!(out, "{}", serde_json::to_string(seen)?)?;
        return Ok(());
    }
    let slash = if seen.kind == Type::Folder { "/" } else { "" };
    let groups: Vec<_> = seen.permissions.names().collect();
    let path = plain(&seen.path);
    writeln!(out, "{}  {path}{slash}", groups.join(","))?;
    Ok(())
}

fn write_report(out: &mut impl Write, report: &CheckReport) -> Result<()> {
    for section in &report.sections {
        let mark = if section.attention { "!" } else { "-" };
        writeln!(out, "{mark} {} ({})", section.kind.title(), section.count)?;
        for item in &section.items {
            writeln!(out, "    {}", finding_in_words(item))?;
        }
        let more = section.count.saturating_sub(section.items.len() as u64);
        if more > 0 {
            writeln!(out, "    and {more} more")?;
        }
    }
    let attention = report.sections.iter().filter(|section| section.attention);
    let needs: u64 = attention.map(|section| section.count).sum();
    let needs = match needs {
        0 => "nothing needs attention".to_owned(),
        1 => "1 thing needs attention (!)".to_owned(),
        more => format!("{more} things need attention (!)"),
    };
    writeln!(
        out,
        "{} visible, {} hidden; {needs}",
        report.visible, report.hidden
    )?;
    Ok(())
}

/// What was found, on one line.
pub(super) fn finding_in_words(item: &Finding) -> String {
    let rule = item.rule.as_ref().map(rule_in_words);
    match (&item.path, rule) {
        (Some(path), Some(rule)) => {
            format!("{}: {}; {rule}", plain(path), plain(&item.message))
        }
        (Some(path), None) => format!("{}: {}", plain(path), plain(&item.message)),
        (None, Some(rule)) => format!("{rule}: {}", plain(&item.message)),
        (None, None) => plain(&item.message),
    }
}
