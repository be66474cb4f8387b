//! Matching one name against one component of a pattern, on bytes.
//!
//! `*` is any run of bytes, `?` one byte, `[a-z]` and `[!a-z]` one byte of a class, `\` takes
//! the next byte literally. Braces are refused rather than taken literally: who writes
//! `*.{pem,key}` means two patterns, and a rule that silently never matches protects nothing.
//! The common shapes (a name, `*.ext`, `prefix*`) are kept apart so that rules can be indexed.

use std::borrow::Cow;

/// What one name must look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NameGlob {
    /// Exactly these bytes.
    Literal(Vec<u8>),
    /// Any name.
    Any,
    /// `*` and then these bytes.
    Suffix(Vec<u8>),
    /// These bytes and then `*`.
    Prefix(Vec<u8>),
    /// Anything else.
    Tokens(Vec<Token>),
    /// A name without an extension (a leading dot starts none); only built-in rules have it.
    NoExtension,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Byte(u8),
    AnyByte,
    AnyRun,
    Class(Box<Class>),
}

/// A set of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    negated: bool,
    ranges: Vec<(u8, u8)>,
}

impl Class {
    fn contains(&self, byte: u8) -> bool {
        let inside = self
            .ranges
            .iter()
            .any(|&(first, last)| (first..=last).contains(&byte));
        inside != self.negated
    }
}

impl NameGlob {
    /// Reads one component of a pattern.
    ///
    /// # Errors
    /// Why it is no glob, as a clause for an error message.
    pub(super) fn parse(text: &str) -> Result<Self, Cow<'static, str>> {
        let mut tokens = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                // A run of stars inside a name is one: only a whole `**` component crosses folders.
                b'*' if tokens.last() == Some(&Token::AnyRun) => {}
                b'*' => tokens.push(Token::AnyRun),
                b'?' => tokens.push(Token::AnyByte),
                b'[' => {
                    let (class, after) = parse_class(rest, Dialect::Policy)?;
                    tokens.push(Token::Class(Box::new(class)));
                    rest = after;
                }
                b'\\' => {
                    let (&escaped, after) = rest
                        .split_first()
                        .ok_or("it ends in a '\\' that escapes nothing")?;
                    tokens.push(Token::Byte(escaped));
                    rest = after;
                }
                b'{' | b'}' => {
                    return Err(Cow::Owned(format!(
                        "'{0}' is no wildcard here; write one rule for each, or '\\{0}' for the character",
                        char::from(byte)
                    )));
                }
                _ => tokens.push(Token::Byte(byte)),
            }
        }
        Ok(Self::from_tokens(tokens))
    }

    /// Reads one component as git does in an ignore file: braces are plain characters and named
    /// classes are known. What is malformed stands for itself, and the answer is `false`.
    pub(super) fn of_ignore_file(text: &[u8]) -> (Self, bool) {
        let mut well_formed = true;
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'*' if tokens.last() == Some(&Token::AnyRun) => {}
                b'*' => tokens.push(Token::AnyRun),
                b'?' => tokens.push(Token::AnyByte),
                b'[' => match parse_class(rest, Dialect::IgnoreFile) {
                    Ok((class, after)) => {
                        tokens.push(Token::Class(Box::new(class)));
                        rest = after;
                    }
                    Err(_unclosed) => {
                        well_formed = false;
                        tokens.push(Token::Byte(byte));
                    }
                },
                b'\\' => {
                    well_formed &= !rest.is_empty();
                    let (escaped, after) = rest.split_first().unwrap_or((&byte, rest));
                    tokens.push(Token::Byte(*escaped));
                    rest = after;
                }
                _ => tokens.push(Token::Byte(byte)),
            }
        }
        (Self::from_tokens(tokens), well_formed)
    }

    fn from_tokens(tokens: Vec<Token>) -> Self {
        let bytes = |tokens: &[Token]| {
            tokens
                .iter()
                .map(|token| match token {
                    Token::Byte(byte) => Some(*byte),
                    _ => None,
                })
                .collect::<Option<Vec<u8>>>()
        };
        if let Some(literal) = bytes(&tokens) {
            return Self::Literal(literal);
        }
        match tokens.as_slice() {
            [Token::AnyRun] => return Self::Any,
            [Token::AnyRun, rest @ ..] => {
                if let Some(suffix) = bytes(rest) {
                    return Self::Suffix(suffix);
                }
            }
            [rest @ .., Token::AnyRun] => {
                if let Some(prefix) = bytes(rest) {
                    return Self::Prefix(prefix);
                }
            }
            _ => {}
        }
        Self::Tokens(tokens)
    }

    /// The bytes, if the component holds no wildcard.
    pub(super) fn literal(&self) -> Option<&[u8]> {
        match self {
            Self::Literal(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn matches(&self, name: &[u8]) -> bool {
        match self {
            Self::Literal(bytes) => name == bytes,
            Self::Any => true,
            Self::Suffix(suffix) => name.ends_with(suffix),
            Self::Prefix(prefix) => name.starts_with(prefix),
            Self::Tokens(tokens) => tokens_match(tokens, name),
            Self::NoExtension => extension(name).is_none_or(<[u8]>::is_empty),
        }
    }
}

/// The bytes after the last dot; a dot that begins the name starts no extension.
pub(super) fn extension(name: &[u8]) -> Option<&[u8]> {
    match memchr::memrchr(b'.', name) {
        None | Some(0) => None,
        Some(dot) => name.get(dot + 1..),
    }
}

/// Whose patterns are read: a policy refuses what would not mean what it says, an ignore file
/// says what git takes it to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Policy,
    IgnoreFile,
}

/// First and last bytes of ranges.
type Ranges = &'static [(u8, u8)];

/// The classes that have a name, for ASCII.
const NAMED_CLASSES: [(&[u8], Ranges); 12] = [
    (b"alnum", &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
    (b"alpha", &[(b'A', b'Z'), (b'a', b'z')]),
    (b"blank", &[(b' ', b' '), (b'\t', b'\t')]),
    (b"cntrl", &[(0, 31), (127, 127)]),
    (b"digit", &[(b'0', b'9')]),
    (b"graph", &[(b'!', b'~')]),
    (b"lower", &[(b'a', b'z')]),
    (b"print", &[(b' ', b'~')]),
    (
        b"punct",
        &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
    ),
    (b"space", &[(b'\t', b'\r'), (b' ', b' ')]),
    (b"upper", &[(b'A', b'Z')]),
    (b"xdigit", &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
];

/// Reads `[:name:]` at the start of `text`.
fn named_class(text: &[u8]) -> Option<(Ranges, &[u8])> {
    let inner = text.strip_prefix(b"[:")?;
    NAMED_CLASSES.iter().find_map(|(name, ranges)| {
        let after = inner.strip_prefix(*name)?.strip_prefix(b":]")?;
        Some((*ranges, after))
    })
}

/// Reads a class after its `[`; gives what follows its `]`.
fn parse_class(text: &[u8], dialect: Dialect) -> Result<(Class, &[u8]), Cow<'static, str>> {
    const OPEN: &str = "a '[' is not closed; write '\\[' for the character";
    let (negated, mut rest) = match text.split_first() {
        Some((b'!' | b'^', rest)) => (true, rest),
        _ => (false, text),
    };
    let mut ranges = Vec::new();
    loop {
        let (first, after) = match rest.split_first() {
            // A `]` that comes first is a member, as in every shell.
            Some((b']', after)) if !ranges.is_empty() => {
                return Ok((Class { negated, ranges }, after));
            }
            Some((b'[', [b':' | b'.' | b'=', ..])) => {
                if dialect == Dialect::IgnoreFile
                    && let Some((named, after)) = named_class(rest)
                {
                    ranges.extend_from_slice(named);
                    rest = after;
                    continue;
                }
                return Err("named classes such as [:alpha:] are not known here".into());
            }
            Some(_) => class_member(rest, dialect)?.ok_or(OPEN)?,
            None => return Err(OPEN.into()),
        };
        rest = after;
        let mut last = first;
        if let [b'-', upper, ..] = rest
            && *upper != b']'
        {
            (last, rest) = class_member(rest.get(1..).unwrap_or_default(), dialect)?.ok_or(OPEN)?;
            if last < first {
                return Err("a range in '[...]' runs backwards".into());
            }
        }
        ranges.push((first, last));
    }
}

/// One byte of a class, `\` taken as escape; `None` at the end of the text.
fn class_member(text: &[u8], dialect: Dialect) -> Result<Option<(u8, &[u8])>, Cow<'static, str>> {
    let member = match text {
        [b'\\', byte, rest @ ..] | [byte, rest @ ..] => (*byte, rest),
        [] => return Ok(None),
    };
    if member.0.is_ascii() || dialect == Dialect::IgnoreFile {
        Ok(Some(member))
    } else {
        Err("'[...]' matches one byte, so it can hold only ASCII characters".into())
    }
}

/// Matches by going back to the last `*` only: at worst name times pattern steps.
fn tokens_match(tokens: &[Token], name: &[u8]) -> bool {
    let (mut token, mut byte) = (0, 0);
    let mut retry = None;
    loop {
        let step = match (tokens.get(token), name.get(byte)) {
            (None, None) => return true,
            (Some(Token::AnyRun), _) => {
                retry = Some((token + 1, byte));
                token += 1;
                continue;
            }
            (Some(Token::Byte(expected)), Some(found)) => expected == found,
            (Some(Token::AnyByte), Some(_)) => true,
            (Some(Token::Class(class)), Some(&found)) => class.contains(found),
            (_, None) => return false,
            (None, Some(_)) => false,
        };
        if step {
            token += 1;
            byte += 1;
        } else {
            let Some((after_star, resume)) = retry else {
                return false;
            };
            retry = Some((after_star, resume + 1));
            (token, byte) = (after_star, resume + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_names() {
        let rows: [(&str, &[&str], &[&str]); 15] = [
            (".env", &[".env"], &[".env2", "a.env", ".ENV"]),
            ("*", &["a", ".a"], &[]),
            ("*.md", &["a.md", ".md"], &["md", "a.md2", "a.MD"]),
            ("id_*", &["id_", "id_rsa"], &["id"]),
            ("a*b*c", &["abc", "aXbYc", "abbcc"], &["ab", "acb", "abcd"]),
            ("a**b", &["ab", "aXb"], &["a"]),
            ("?", &["a"], &["", "ab", "\u{e9}"]),
            ("??", &["\u{e9}"], &["a"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x"]),
            ("[!a-c]", &["d"], &["a", ""]),
            ("[^a]", &["d"], &["a"]),
            ("[]a-]", &["]", "a", "-"], &["b"]),
            ("[\\]]", &["]"], &["\\"]),
            ("\\*\\{", &["*{"], &["a{"]),
            (
                "*a*a*a*a*b",
                &["aaaab"],
                &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
            ),
        ];
        for (pattern, yes, no) in rows {
            let glob = NameGlob::parse(pattern).unwrap_or(NameGlob::NoExtension);
            for name in yes {
                assert!(glob.matches(name.as_bytes()), "{pattern} {name}");
            }
            for name in no {
                assert!(!glob.matches(name.as_bytes()), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn refuses_what_would_not_mean_what_it_says() {
        for text in [
            "[",
            "[]",
            "[a",
            "[!]",
            "[b-a]",
            "a\\",
            "*.{pem,key}",
            "a}",
            "[[:alpha:]]",
            "[\u{e9}]",
            "[a-",
            "[\\",
        ] {
            assert!(NameGlob::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn extensions() {
        for (name, expected) in [
            ("a.json", Some("json")),
            ("a.tar.gz", Some("gz")),
            (".env", None),
            ("plain", None),
            ("a.", Some("")),
        ] {
            assert_eq!(
                extension(name.as_bytes()),
                expected.map(str::as_bytes),
                "{name}"
            );
        }
    }
}
