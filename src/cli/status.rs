//! `inspectfs status`.

use crate::daemon::{self, Listed, Live, State};
use anyhow::Result;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;

#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    views: &'a [Listed],
}

pub(super) fn status(args: &StatusArgs) -> Result<()> {
    let views = daemon::status()?;
    let text = if args.json {
        format!("{}\n", serde_json::to_string(&Document { views: &views })?)
    } else if views.is_empty() {
        "no views\n".to_owned()
    } else {
        views.iter().map(described).collect()
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// A view as a few lines, the mount point first.
fn described(view: &Listed) -> String {
    let state = match view.state {
        State::Live => "live",
        State::Unresponsive => "does not answer; 'inspectfs unmount' ends it",
        State::Dead => "dead; 'inspectfs unmount' clears it",
        State::Foreign => "not yours, or mounted by an older inspectfs",
    };
    let mut text = format!("{}: {state}\n", shown(&view.mountpoint));
    if let Some(workspace) = &view.workspace {
        let _to_string = writeln!(text, "  workspace  {}", shown(workspace));
    }
    if let (Some(name), Some(pid)) = (&view.name, view.pid) {
        let _to_string = writeln!(text, "  name       {name}, process {pid}");
    }
    if let Some(live) = &view.live {
        figures(&mut text, live);
    }
    text
}

fn figures(text: &mut String, live: &Live) {
    let total: u64 = live.requests.values().sum();
    let mut by_operation: Vec<_> = live.requests.iter().collect();
    by_operation.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let by_operation: Vec<_> = by_operation
        .into_iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    let caching = &live.caching;
    if let Some(taint) = &live.taint {
        let _to_string = writeln!(text, "  taint      {taint}");
    }
    let _to_string = write!(
        text,
        "  mode       {}, up {} s\n  requests   {total}: {}\n  watches    {} held, {} refused\n  \
         memory     {:.1} MiB, {} nodes\n  caching    {}, missing names {}, passthrough {}, relay \
         {}\n",
        live.mode,
        live.uptime_seconds,
        by_operation.join(", "),
        live.watches.held,
        live.watches.refused,
        mebibytes(live.memory_bytes),
        live.nodes,
        caching.opens,
        caching.missing_names,
        caching.passthrough,
        caching.relay,
    );
}

#[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// A path on one line, whatever it is made of.
fn shown(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_on_its_line() {
        assert_eq!(shown("/a b/ü\n\x1b[31m"), "/a b/ü\\n\\u{1b}[31m");
    }
}
