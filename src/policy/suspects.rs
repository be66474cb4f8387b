//! What looks like a secret beyond the built-in rules: too vague to be hidden unasked, worth a
//! word to the person who writes the policy.

use super::builtin::fold;

/// How much of a file [`suspect_content`] wants to see, in bytes.
pub const SUSPECT_HEAD_BYTES: usize = 4 << 10;

/// What a copy of a file has behind its name.
const COPY_ENDINGS: [&str; 9] = [
    "~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".copy", ".tmp",
];

/// Names of configuration that holds passwords by custom.
const NAMES: [&str; 10] = [
    "wp-config.php",
    "htpasswd",
    "shadow",
    "pip.ini",
    ".yarnrc",
    "sftp-config.json",
    ".ftpconfig",
    ".remote-sync.json",
    "pgpass.conf",
    "filezilla.xml",
];

/// Kinds of file that hold keys or variables by custom.
const ENDINGS: [&str; 7] = [
    ".ovpn",
    ".pkcs12",
    ".jceks",
    ".bks",
    ".kdb",
    ".tfvars",
    ".tfvars.json",
];

/// Extensions of data, where a telling name is more than a topic; none counts too.
const DATA: [&str; 15] = [
    "json",
    "yml",
    "yaml",
    "toml",
    "ini",
    "env",
    "txt",
    "cfg",
    "conf",
    "properties",
    "xml",
    "csv",
    "key",
    "enc",
    "asc",
];

/// Words that say what a data file holds, one or two.
const WORDS: [&[&str]; 15] = [
    &["secret"],
    &["secrets"],
    &["password"],
    &["passwords"],
    &["passwd"],
    &["credential"],
    &["credentials"],
    &["creds"],
    &["apikey"],
    &["apikeys"],
    &["api", "key"],
    &["api", "keys"],
    &["private", "key"],
    &["access", "key"],
    &["access", "token"],
];

/// What a token begins with, and how many letters, digits, `-` and `_` follow at least.
const TOKENS: [(&[u8], usize, &str); 10] = [
    (b"AKIA", 16, "a cloud access key"),
    (b"ASIA", 16, "a cloud access key"),
    (b"AIza", 35, "a cloud API key"),
    (b"ghp_", 36, "a token of a code host"),
    (b"gho_", 36, "a token of a code host"),
    (b"github_pat_", 50, "a token of a code host"),
    (b"glpat-", 20, "a token of a code host"),
    (b"npm_", 36, "a token of a package registry"),
    (b"sk_live_", 20, "a key for payments"),
    (b"xoxb-", 20, "a token of a chat service"),
];

/// Why a file of this name looks like one with a secret in it. `is_secret` says whether the
/// built-in rules hide a file of another name in its place as one.
pub fn suspect_name(name: &[u8], is_secret: impl Fn(&[u8]) -> bool) -> Option<&'static str> {
    let name = &*fold(name);
    let copied = COPY_ENDINGS
        .iter()
        .filter_map(|ending| name.strip_suffix(ending.as_bytes()));
    if copied.into_iter().any(|of| !of.is_empty() && is_secret(of)) {
        return Some("a copy of what the built-in rules hide");
    }
    let text = std::str::from_utf8(name).ok()?;
    if [".env-", ".env_"]
        .iter()
        .any(|start| text.starts_with(start))
    {
        return Some("an environment file by its name");
    }
    if NAMES.contains(&text) || ENDINGS.iter().any(|ending| text.ends_with(ending)) {
        return Some("a kind of file that holds passwords or keys");
    }
    let (stem, extension) = match text.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, Some(extension)),
        _ => (text, None),
    };
    if extension.is_some_and(|extension| !DATA.contains(&extension)) {
        return None;
    }
    let words: Vec<&str> = stem
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let telling = |row: &&[&str]| words.windows(row.len()).any(|found| found == *row);
    WORDS
        .iter()
        .any(telling)
        .then_some("data with a telling name")
}

/// Why a file whose first bytes (up to [`SUSPECT_HEAD_BYTES`]) are `head` looks like one with a
/// secret in it.
pub fn suspect_content(head: &[u8]) -> Option<&'static str> {
    if super::ContentRule::PrivateKey.hides(head, head.len() as u64) {
        return Some("a private key by its content");
    }
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let found = TOKENS.iter().find(|(start, length, _)| {
        memchr::memmem::find_iter(head, start).any(|at| {
            let begins = at == 0 || !head.get(at - 1).is_some_and(is_token);
            let rest = head.get(at + start.len()..).unwrap_or_default();
            begins && rest.iter().take_while(|byte| is_token(byte)).count() >= *length
        })
    });
    found.map(|(_, _, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_tell() {
        let hidden = |name: &[u8]| matches!(name, b".env" | b"id_rsa" | b".npmrc");
        for name in [
            "id_rsa.bak",
            ".env~",
            ".NPMRC.old",
            ".env-prod",
            ".env_local",
            "wp-config.php",
            "prod.tfvars",
            "client.ovpn",
            "db-password.txt",
            "Secrets.prod.yaml",
            "api_key.json",
            "API-Keys",
            "my credentials.csv",
            "creds",
            "access-token.txt",
        ] {
            assert!(suspect_name(name.as_bytes(), hidden).is_some(), "{name}");
        }
        for name in [
            "secrets.py",
            "password.rs",
            "tokenizer.json",
            "tokens.json",
            "keyboard.json",
            "a.bak",
            ".environment",
            "secretary.txt",
            "readme.md",
            "monkey.txt",
            "keys",
            "~",
            ".bak",
            "private.key.rs",
        ] {
            assert_eq!(suspect_name(name.as_bytes(), hidden), None, "{name}");
        }
    }

    #[test]
    fn contents_that_tell() {
        let long = "x".repeat(60);
        for (text, expected) in [
            ("-----BEGIN RSA PRIVATE KEY-----\n".to_owned(), true),
            ("key = AKIAIOSFODNN7EXAMPLE\n".to_owned(), true),
            (format!("token: ghp_{long}"), true),
            (format!("a_ghp_{long}"), false),
            ("AKIA".to_owned(), false),
            (format!("sha512-AKIA{long}"), false),
            ("an npm_package_name here".to_owned(), false),
        ] {
            assert_eq!(
                suspect_content(text.as_bytes()).is_some(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_hostile_head_takes_linear_time() {
        let start = std::time::Instant::now();
        for unit in ["AKIA", "ghp_", "npm_", "xoxb-", "AIza"] {
            let head = unit.repeat(SUSPECT_HEAD_BYTES / unit.len());
            let _either = suspect_content(head.as_bytes());
        }
        assert!(start.elapsed() < std::time::Duration::from_secs(1));
    }
}
