//! `inspectfs doctor`.

use crate::daemon::{self, Finding, Verdict};
use anyhow::{Result, bail};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    /// Set by the command itself, to try in a process of its own
    #[arg(long, hide = true)]
    enter_user_namespace: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    /// Whether views can be mounted.
    mounts: bool,
    findings: &'a [Finding],
}

pub(super) fn doctor(args: &DoctorArgs) -> Result<()> {
    if args.enter_user_namespace {
        return Ok(daemon::has_user_namespaces()?);
    }
    let findings = daemon::examine();
    let missing: Vec<_> = findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::Missing)
        .map(|finding| finding.check)
        .collect();
    let mounts = missing.is_empty();
    let text = if args.json {
        let findings = &findings;
        format!(
            "{}\n",
            serde_json::to_string(&Document { mounts, findings })?
        )
    } else {
        findings.iter().map(described).collect()
    };
    std::io::stdout().write_all(text.as_bytes())?;
    if !mounts {
        bail!("views cannot be mounted here: {}", missing.join(", "));
    }
    Ok(())
}

fn described(finding: &Finding) -> String {
    let verdict = match finding.verdict {
        Verdict::Ok => "ok",
        Verdict::Limited => "limited",
        Verdict::Missing => "MISSING",
    };
    let mut text = format!("{verdict:<8} {:<19} {}\n", finding.check, finding.detail);
    if let Some(remedy) = &finding.remedy {
        let _to_string = writeln!(text, "{:28} {remedy}", "");
    }
    text
}
