//! Content rules: what the first bytes of a file say of it, where its name alone does not.
//!
//! Which names are asked about stands in the table of built-in rules; here is what is looked
//! for. Bytes in, verdict out: who reads the file is no business of this module. Shapes are
//! taken widely: a false alarm costs a file that a show brings back, a miss shows a key.

/// How much of a file a rule wants to see, in bytes.
pub const CONTENT_HEAD_BYTES: usize = 64 << 10;

/// A `*.key` file below this size that is no text is a raw key; above it is a presentation.
const RAW_KEY_BYTES: u64 = 16 << 10;

/// The longest header line of a key that is looked at, in bytes.
const HEADER_BYTES: usize = 128;

/// What a file must hold to be hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContentRule {
    /// The header of a private key.
    PrivateKey,
    /// The same, or few bytes and no header of any kind.
    RawKey,
    /// A token or a password in a tool's configuration.
    Token,
}

impl ContentRule {
    /// Whether a file is hidden whose first bytes (up to [`CONTENT_HEAD_BYTES`]) are `head`, and
    /// which has `size` bytes.
    pub fn hides(self, head: &[u8], size: u64) -> bool {
        let head = &narrowed(head);
        match self {
            Self::PrivateKey => has_private_key(head),
            Self::RawKey => {
                has_private_key(head)
                    || (size < RAW_KEY_BYTES
                        && memchr::memmem::find(head, b"-----BEGIN ").is_none())
            }
            Self::Token => has_token(head),
        }
    }
}

/// UTF-16 as the bytes of its ASCII part: some tools write configuration so.
fn narrowed(head: &[u8]) -> Vec<u8> {
    let is_wide = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let keep = |byte: &u8| !is_wide || *byte != 0;
    head.iter().copied().filter(keep).collect()
}

/// `-----BEGIN ... PRIVATE KEY-----` of every kind, OpenSSH's, PGP's and SSH2's, and `PuTTY`'s.
fn has_private_key(head: &[u8]) -> bool {
    let header = |begin: usize| {
        let rest = head.get(begin..).unwrap_or_default();
        let line = rest.get(..HEADER_BYTES).unwrap_or(rest);
        let end = memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
        memchr::memmem::find(&line[..end], b"PRIVATE KEY").is_some()
    };
    memchr::memmem::find_iter(head, b"BEGIN ").any(header)
        || memchr::memmem::find(head, b"PuTTY-User-Key-File").is_some()
}

/// Words that stand before a token, in lower case.
const TOKEN_WORDS: [&[u8]; 4] = [
    b"_authtoken",
    b"_password",
    b"npmauthtoken",
    b"cleartextpassword",
];

fn has_token(head: &[u8]) -> bool {
    let lower = head.to_ascii_lowercase();
    TOKEN_WORDS
        .iter()
        .any(|word| memchr::memmem::find(&lower, word).is_some())
        || memchr::memmem::find_iter(&lower, b"_auth").any(|at| is_assigned(&lower, at + 5))
        || memchr::memmem::find_iter(head, b"//").any(|at| has_credentials(head, at + 2))
}

/// Whether a `=` follows, blanks before it or not. The bound keeps a file of blanks linear.
fn is_assigned(text: &[u8], after: usize) -> bool {
    let rest = text.get(after..).unwrap_or_default();
    let next = rest.iter().take(16).find(|byte| !b" \t".contains(byte));
    next == Some(&b'=')
}

/// Whether the authority of a URL that begins here holds `user:password@`.
fn has_credentials(text: &[u8], start: usize) -> bool {
    let rest = text.get(start..).unwrap_or_default();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'<>".contains(byte);
    let end = rest.iter().position(ends).unwrap_or(rest.len());
    let authority = &rest[..end];
    let Some(at) = memchr::memrchr(b'@', authority) else {
        return false;
    };
    memchr::memchr(b':', &authority[..at]).is_some_and(|colon| at > 1 && colon < at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hides(rule: ContentRule, text: &str) -> bool {
        rule.hides(text.as_bytes(), text.len() as u64)
    }

    #[test]
    fn private_keys_of_every_kind() {
        for kind in [
            "PRIVATE KEY",
            "ENCRYPTED PRIVATE KEY",
            "RSA PRIVATE KEY",
            "EC PRIVATE KEY",
            "DSA PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
        ] {
            let key = format!("Bag Attributes\r\n-----BEGIN {kind}-----\r\nMIIE\r\n");
            assert!(hides(ContentRule::PrivateKey, &key), "{kind}");
            assert!(hides(ContentRule::RawKey, &key), "{kind}");
            let wide: Vec<u8> = key.bytes().flat_map(|byte| [byte, 0]).collect();
            let wide = [&b"\xff\xfe"[..], &wide].concat();
            assert!(ContentRule::PrivateKey.hides(&wide, 1), "{kind} in UTF-16");
        }
        assert!(hides(
            ContentRule::PrivateKey,
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
        ));
        assert!(hides(
            ContentRule::PrivateKey,
            "PuTTY-User-Key-File-3: ssh-ed25519\n"
        ));
        // A certificate and its key in one file.
        assert!(hides(
            ContentRule::PrivateKey,
            "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----"
        ));
    }

    #[test]
    fn what_is_public_stays() {
        for text in [
            "",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n",
            "-----BEGIN PUBLIC KEY-----\nMIIE\n",
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n",
            "-----BEGIN PGP SIGNATURE-----\n",
            "-----BEGIN CERTIFICATE-----\nPRIVATE KEY\n",
        ] {
            assert!(!hides(ContentRule::PrivateKey, text), "{text}");
        }
        let public = "-----BEGIN PUBLIC KEY-----\nMIIE\n";
        assert!(!hides(ContentRule::RawKey, public));
    }

    #[test]
    fn a_key_without_header_is_small() {
        assert!(ContentRule::RawKey.hides(&[7; 32], 32));
        assert!(ContentRule::RawKey.hides(b"", 0));
        assert!(ContentRule::RawKey.hides(&[0x30; 100], (16 << 10) - 1));
        assert!(!ContentRule::RawKey.hides(b"PK\x03\x04", 16 << 10));
    }

    #[test]
    fn tokens_of_tools() {
        for text in [
            "//registry.example.org/:_authToken=npm_x",
            "//r/:_authToken = ${NPM_TOKEN}",
            "_auth=eDp5",
            "_auth = eDp5",
            "//r/:_password=eA==",
            "npmAuthToken: x",
            "<add key=\"ClearTextPassword\" value=\"x\" />",
            "index-url = https://user:pass@host/simple",
            "extra-index-url=https://:token@host/",
            "https://user:p@ss@host/",
            "repoUrl=\"http://u:p@h\"",
            "x_password=1",
        ] {
            assert!(hides(ContentRule::Token, text), "{text}");
        }
        for text in [
            "",
            "save-exact=true",
            "registry=https://registry.example.org/",
            "_author=me",
            "_auth",
            "git+ssh://git@github.com/x",
            "https://host:8080/a@b",
            "https://host:8080 me@home",
            "// a comment: mail me@home",
            "org.gradle.jvmargs=-Xmx2g",
        ] {
            assert!(!hides(ContentRule::Token, text), "{text}");
        }
    }

    #[test]
    fn hostile_heads_take_linear_time() {
        let start = std::time::Instant::now();
        for unit in ["BEGIN ", "//", "//a:", "_auth ", "_auth    ", "/", " "] {
            let text = unit.repeat(CONTENT_HEAD_BYTES / unit.len());
            for rule in [
                ContentRule::PrivateKey,
                ContentRule::RawKey,
                ContentRule::Token,
            ] {
                let _either = hides(rule, &text);
            }
        }
        assert!(start.elapsed() < std::time::Duration::from_secs(2));
    }
}
