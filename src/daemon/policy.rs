//! Gathers the policy from its sources: the workspace's file, `--policy`, the user's
//! configuration and the command line.

use crate::policy::{CommandLine, FILE_NAME, PolicyText, Sources};
use crate::relpath::RelPath;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A policy larger than this is a mistake.
const MAX_POLICY_BYTES: u64 = 1 << 20;

/// Where the policy comes from, beside the workspace's own file.
#[derive(Debug, Clone, Default)]
pub struct PolicySources {
    /// Takes the place of the workspace's own file.
    pub file: Option<PathBuf>,
    /// Rules given on the command line.
    pub command_line: CommandLine,
}

impl PolicySources {
    /// Reads what the policy is made of. `hidden` are paths of the view's own, such as a mount
    /// point inside the workspace.
    ///
    /// # Errors
    /// A source cannot be read; one line that names it.
    pub fn read(&self, workspace: &Workspace, hidden: &[RelPath]) -> Result<Sources> {
        let file = match &self.file {
            Some(path) => Some(read_named(path)?),
            None => None,
        };
        let own = match file {
            Some(_) => None,
            None => read_own(workspace)?,
        };
        let user = match user_file() {
            Some(path) if path.exists() => Some(read_named(&path)?),
            _ => None,
        };
        Ok(Sources {
            workspace: own,
            policy_file: file,
            user,
            command_line: self.command_line.clone(),
            hidden_paths: hidden.to_vec(),
            steering_paths: self.inside(workspace),
            home: home(),
        })
    }

    /// The policy files that lie in the workspace: they steer the view, so it must not change
    /// them.
    fn inside(&self, workspace: &Workspace) -> Vec<RelPath> {
        self.files(workspace.path())
            .into_iter()
            .filter_map(|file| file.canonicalize().ok())
            .filter_map(|file| {
                let inside = file.strip_prefix(workspace.path()).ok()?;
                RelPath::parse(inside.as_os_str().as_bytes()).ok()
            })
            .collect()
    }

    /// The files that the policy is made from, for watching. They need not exist.
    pub fn files(&self, workspace: &Path) -> Vec<PathBuf> {
        let own = self.file.clone();
        let own = own.unwrap_or_else(|| workspace.join(FILE_NAME));
        std::iter::once(own).chain(user_file()).collect()
    }
}

/// The workspace's own file, through the door, so that a link in its place is not followed.
fn read_own(workspace: &Workspace) -> Result<Option<PolicyText>> {
    let content = match workspace.root().open_content(FILE_NAME.as_bytes()) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            bail!("{FILE_NAME} is a link; a workspace's policy must be a file of its own")
        }
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            bail!("{FILE_NAME} is no file; a workspace's policy is a file of rules")
        }
        Err(error) => return Err(error).context(format!("{FILE_NAME} cannot be read")),
    };
    let size = content.meta()?.size;
    let text = read_text(FILE_NAME, size, content.stream(size))?;
    Ok(Some(text))
}

fn read_named(path: &Path) -> Result<PolicyText> {
    let label = path.display().to_string();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .with_context(|| format!("policy '{label}' cannot be read"))?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        bail!("policy '{label}' is no file; name a file of rules");
    }
    read_text(&label, meta.len(), file)
}

fn read_text(label: &str, size: u64, file: impl Read) -> Result<PolicyText> {
    if size > MAX_POLICY_BYTES {
        bail!("policy '{label}' is larger than 1 MiB");
    }
    let mut text = String::new();
    file.take(MAX_POLICY_BYTES)
        .read_to_string(&mut text)
        .with_context(|| format!("policy '{label}' cannot be read"))?;
    Ok(PolicyText {
        label: label.to_owned(),
        text,
    })
}

fn user_file() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| home().map(|home| home.join(".config")))?;
    Some(base.join("inspectfs/policy.toml"))
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
