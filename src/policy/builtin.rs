//! The built-in rules: what is hidden, and what is visible but immutable, with no policy at all.
//!
//! A table, one row a pattern, all in lower case because names are folded before they are
//! compared. A pattern that begins with `/` holds at the workspace root only, every other at
//! any depth, also those that hold a slash. A trailing `/` matches folders (and covers what is
//! below), no trailing `/` matches files, unless the family says otherwise. To add a rule, add
//! its row and its row in `tests/builtin.rs`, which a test there demands.

use std::borrow::Cow;

use super::content::ContentRule;
use super::pattern::Kinds;

/// Rows that share a meaning and a reason.
pub(super) struct Family {
    pub(super) reason: &'static str,
    pub(super) effect: Effect,
    pub(super) patterns: &'static [&'static str],
}

/// What a built-in rule does to what it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Hidden.
    Hide,
    /// Hidden, unless the name says that it is a sample ([`is_environment_sample`]).
    HideUnlessSample,
    /// Hidden, folder or file, and `[builtin] show` does not reach it.
    HideRepository,
    /// Hidden, folder or file.
    HideAnyKind,
    /// Hidden, and `[builtin] show` does not reach it.
    HideTrash,
    /// Hidden if its content is what the rule looks for.
    HideByContent(ContentRule),
    /// Visible, whatever its kind, but neither mutate group is given.
    Immutable,
    /// As [`Effect::Immutable`], but only where it is no folder.
    ImmutableUnlessFolder,
    /// As [`Effect::Immutable`], also where built-in rules are turned off: these files decide
    /// what the view shows.
    SteersTheView,
    /// As [`Effect::Immutable`], unless the repository was made in the view.
    ImmutableInOldRepository,
}

impl Effect {
    /// What the content must be for the entry to be hidden.
    pub(super) fn content_rule(self) -> Option<ContentRule> {
        match self {
            Self::HideByContent(rule) => Some(rule),
            _ => None,
        }
    }

    /// Which kinds of entry the pattern matches.
    pub(super) fn kinds(self, pattern: &str) -> Kinds {
        match self {
            // A link or file of that name would be followed or read as the folder is.
            Self::HideRepository
            | Self::HideAnyKind
            | Self::Immutable
            | Self::SteersTheView
            | Self::ImmutableInOldRepository => Kinds::Any,
            Self::Hide | Self::HideUnlessSample | Self::HideTrash => {
                if pattern.ends_with('/') {
                    Kinds::Folders
                } else {
                    Kinds::Files
                }
            }
            Self::ImmutableUnlessFolder | Self::HideByContent(_) => Kinds::Files,
        }
    }

    pub(super) fn hides(self) -> bool {
        match self {
            Self::Hide
            | Self::HideUnlessSample
            | Self::HideRepository
            | Self::HideAnyKind
            | Self::HideTrash => true,
            Self::HideByContent(_)
            | Self::Immutable
            | Self::ImmutableUnlessFolder
            | Self::SteersTheView
            | Self::ImmutableInOldRepository => false,
        }
    }
}

/// The usual name of an ignore file.
pub(super) const IGNORE_FILE_NAME: &str = ".agentignore";

/// Stands in the table for a name without an extension.
pub(super) const NO_EXTENSION: &str = "(no extension)";

pub(super) const FAMILIES: &[Family] = &[
    Family {
        reason: "version control data",
        effect: Effect::HideRepository,
        patterns: &[".git"],
    },
    Family {
        reason: "version control data",
        effect: Effect::HideAnyKind,
        patterns: &[".hg", ".svn", ".jj"],
    },
    Family {
        reason: "trash",
        effect: Effect::HideTrash,
        patterns: &["_trash/", ".trash/", ".trash-*/"],
    },
    Family {
        reason: "environment file",
        effect: Effect::HideUnlessSample,
        patterns: &[
            ".env",
            ".env.*",
            "*.env",
            ".envrc",
            ".dev.vars",
            ".dev.vars.*",
            ".flaskenv",
        ],
    },
    Family {
        reason: "private key or key store",
        effect: Effect::Hide,
        patterns: &[
            "id_rsa",
            "id_dsa",
            "id_ecdsa",
            "id_ecdsa_sk",
            "id_ed25519",
            "id_ed25519_sk",
            "*.ppk",
            "*.p12",
            "*.pfx",
            "*.jks",
            "*.keystore",
            "*.kdbx",
            "*.keychain",
            "*.keychain-db",
            "*.agekey",
            "secring.*",
        ],
    },
    Family {
        reason: "folder of credentials",
        effect: Effect::Hide,
        patterns: &[
            ".ssh/",
            ".gnupg/",
            ".aws/",
            ".azure/",
            ".gcloud/",
            ".config/gcloud/",
            ".kube/",
            ".password-store/",
        ],
    },
    Family {
        reason: "credentials",
        effect: Effect::Hide,
        patterns: &[
            ".docker/config.json",
            ".dockercfg",
            ".netrc",
            "_netrc",
            ".git-credentials",
            ".pgpass",
            ".my.cnf",
            ".mylogin.cnf",
            ".pypirc",
            ".htpasswd",
            ".s3cfg",
            ".boto",
            ".vault-token",
            ".terraformrc",
            "terraform.rc",
            "credentials",
            "credentials.json",
            "client_secret*.json",
            "service-account*.json",
            "service_account*.json",
            "*-service-account.json",
            "application_default_credentials.json",
            "kubeconfig",
            "*.kubeconfig",
            ".cargo/credentials",
            ".cargo/credentials.toml",
            ".gem/credentials",
            ".config/gh/hosts.yml",
            ".streamlit/secrets.toml",
            "http-client.private.env.json",
        ],
    },
    Family {
        reason: "deployment state or variables",
        effect: Effect::Hide,
        patterns: &[
            "*.tfstate",
            "*.tfstate.*",
            "*.auto.tfvars",
            "terraform.tfvars",
        ],
    },
    Family {
        reason: "secret",
        effect: Effect::Hide,
        patterns: &[
            ".vault_pass*",
            "config/master.key",
            "config/credentials/*.key",
            "secrets.json",
            "secrets.yml",
            "secrets.yaml",
            "secrets.toml",
            "secrets.ini",
            "secret.json",
            "secret.yml",
            "secret.yaml",
            "secret.toml",
            "*.secret",
            "*.secrets",
        ],
    },
    Family {
        reason: "data in a folder of secrets",
        effect: Effect::Hide,
        patterns: &[
            "secrets/**/*.json",
            "secrets/**/*.yml",
            "secrets/**/*.yaml",
            "secrets/**/*.toml",
            "secrets/**/*.ini",
            "secrets/**/*.env",
            "secrets/**/*.txt",
            "secrets/**/*.pem",
            "secrets/**/*.key",
            "secrets/**/*.enc",
            "secrets/**/(no extension)",
            ".secrets/**/*.json",
            ".secrets/**/*.yml",
            ".secrets/**/*.yaml",
            ".secrets/**/*.toml",
            ".secrets/**/*.ini",
            ".secrets/**/*.env",
            ".secrets/**/*.txt",
            ".secrets/**/*.pem",
            ".secrets/**/*.key",
            ".secrets/**/*.enc",
            ".secrets/**/(no extension)",
        ],
    },
    Family {
        reason: "command history",
        effect: Effect::Hide,
        patterns: &[
            ".bash_history",
            ".zsh_history",
            ".psql_history",
            ".python_history",
            ".node_repl_history",
        ],
    },
    Family {
        reason: "a private key by its content",
        effect: Effect::HideByContent(ContentRule::PrivateKey),
        patterns: &["*.pem", "*.p8", "*.asc"],
    },
    Family {
        reason: "a private key by its content",
        effect: Effect::HideByContent(ContentRule::RawKey),
        patterns: &["*.key"],
    },
    Family {
        reason: "it holds a token or a password",
        effect: Effect::HideByContent(ContentRule::Token),
        patterns: &[
            ".npmrc",
            ".yarnrc.yml",
            "nuget.config",
            "pip.conf",
            "gradle.properties",
        ],
    },
    Family {
        reason: "it decides what this view shows",
        effect: Effect::SteersTheView,
        patterns: &[super::FILE_NAME, IGNORE_FILE_NAME],
    },
    Family {
        reason: "it runs code outside the view",
        effect: Effect::Immutable,
        patterns: &[
            "/.gitmodules",
            "/.vscode/",
            "/.idea/",
            "/.claude/",
            "/.cursor/",
            "/.codex/",
            "/.agents/",
            "/.mcp.json",
            "/.github/workflows/",
            "/.husky/",
            "/.pre-commit-config.yaml",
        ],
    },
    // A link in the folder's place would bring other workflows with it.
    Family {
        reason: "it runs code outside the view",
        effect: Effect::ImmutableUnlessFolder,
        patterns: &["/.github"],
    },
    Family {
        reason: "it runs code outside the view",
        effect: Effect::ImmutableInOldRepository,
        patterns: &[".git/hooks/", ".git/config"],
    },
];

/// What of the environment files stays visible.
const SAMPLE_ENDINGS: [&str; 6] = [
    "example", "sample", "template", "dist", "defaults", "schema",
];

/// Whether a folded name is that of a sample environment file: `.env.example` and its like,
/// `*.env.example`, `example.env`.
pub(super) fn is_environment_sample(name: &[u8]) -> bool {
    name == b"example.env"
        || name.ends_with(b".env.example")
        || name.strip_prefix(b".env.").is_some_and(|ending| {
            SAMPLE_ENDINGS
                .iter()
                .any(|sample| sample.as_bytes() == ending)
        })
}

/// A name as built-in patterns compare it.
///
/// Their own names are ASCII, so beside ASCII letters only the two other characters that fold
/// to one matter: a case-insensitive tree would open `.ssh` by either.
pub(super) fn fold(name: &[u8]) -> Cow<'_, [u8]> {
    const LONG_S: &[u8] = "\u{17f}".as_bytes();
    const KELVIN: &[u8] = "\u{212a}".as_bytes();
    if name.is_ascii() {
        return if name.iter().any(u8::is_ascii_uppercase) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        };
    }
    let mut folded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(LONG_S) {
            folded.push(b's');
            rest = after;
        } else if let Some(after) = rest.strip_prefix(KELVIN) {
            folded.push(b'k');
            rest = after;
        } else {
            folded.push(byte.to_ascii_lowercase());
            rest = after;
        }
    }
    Cow::Owned(folded)
}
