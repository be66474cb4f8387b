//! `doctor`: what this machine allows a view to do. Each finding was tried where trying does no
//! harm, and read from the kernel's own word otherwise; each that falls short has its remedy.

mod checks;

pub use checks::has_user_namespaces;

use serde::Serialize;

/// What was found out about one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// How it is.
    pub verdict: Verdict,
    /// What was found, in words.
    pub detail: String,
    /// What to do about it; there unless all is well.
    pub remedy: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Views work, slower or with less.
    Limited,
    /// Views cannot be mounted.
    Missing,
}

impl Finding {
    fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Self {
            check,
            verdict: Verdict::Ok,
            detail: detail.into(),
            remedy: None,
        }
    }

    fn limited(check: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            check,
            verdict: Verdict::Limited,
            detail: detail.into(),
            remedy: Some(remedy.into()),
        }
    }

    fn missing(check: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Missing,
            ..Self::limited(check, detail, remedy)
        }
    }
}

/// Looks at everything, the most needed first. Mounts for a moment on a folder of its own.
pub fn examine() -> Vec<Finding> {
    vec![
        checks::kernel(),
        checks::fuse_device(),
        checks::fusermount(),
        checks::mounting(),
        checks::runtime_folder(),
        checks::user_namespaces(),
        checks::passthrough(),
        checks::relay(),
        checks::watches(),
        checks::watch_instances(),
        checks::dropping_names(),
        checks::descriptors(),
    ]
}
