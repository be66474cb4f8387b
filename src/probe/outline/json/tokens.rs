//! The tokens of a JSON text, and of what people write in its place.
//!
//! Comments are skipped, strings end at the end of their line at the latest, and anything else
//! that is no token of JSON becomes a word; all of these count as recovered.

use super::Container;
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    OpenArray,
    CloseArray,
    OpenObject,
    CloseObject,
    Comma,
    Colon,
    String,
    Number,
    Boolean,
    Null,
    /// Neither; a name without quotes, or nothing known.
    Word,
}

impl TokenKind {
    pub(super) fn opens(self) -> Option<Container> {
        match self {
            Self::OpenArray => Some(Container::Array),
            Self::OpenObject => Some(Container::Object),
            _ => None,
        }
    }

    /// `None` for what is no value.
    pub(super) fn value_type(self) -> Option<&'static str> {
        match self {
            Self::OpenArray => Some("array"),
            Self::OpenObject => Some("object"),
            Self::String => Some("string"),
            Self::Number => Some("number"),
            Self::Boolean => Some("boolean"),
            Self::Null => Some("null"),
            Self::CloseArray | Self::CloseObject | Self::Comma | Self::Colon | Self::Word => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    /// After the last byte.
    pub(super) end: usize,
}

impl Token {
    /// The token as a key: a string without quotes and escapes, anything else as it stands.
    pub(super) fn text<'a>(&self, source: &'a str) -> Cow<'a, str> {
        let raw = source.get(self.start..self.end).unwrap_or_default();
        let Some(quote @ ('"' | '\'')) = raw.chars().next() else {
            return Cow::Borrowed(raw);
        };
        let inner = &raw[1..];
        let inner = inner.strip_suffix(quote).unwrap_or(inner);
        if inner.contains('\\') {
            Cow::Owned(unescaped(inner))
        } else {
            Cow::Borrowed(inner)
        }
    }
}

fn unescaped(inner: &str) -> String {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escape) = rest.chars().next() else {
            break;
        };
        rest = &rest[escape.len_utf8()..];
        match escape {
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => {
                let mut units = Vec::new();
                let unit = take_unit(&mut rest);
                units.extend(unit);
                if unit.is_some_and(|unit| (0xd800..0xdc00).contains(&unit)) {
                    let mut ahead = rest.strip_prefix("\\u").unwrap_or_default();
                    let low = take_unit(&mut ahead);
                    if low.is_some_and(|low| (0xdc00..0xe000).contains(&low)) {
                        units.extend(low);
                        rest = ahead;
                    }
                }
                // Half a pair is no character; U+FFFD stands for it.
                text.push_str(&String::from_utf16_lossy(&units));
            }
            other => text.push(other),
        }
    }
    text.push_str(rest);
    text
}

fn take_unit(rest: &mut &str) -> Option<u16> {
    let digits = rest.get(..4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    *rest = &rest[4..];
    u16::from_str_radix(digits, 16).ok()
}

pub(super) struct Tokens<'a> {
    source: &'a [u8],
    at: usize,
    /// Something that is not JSON was skipped or mended.
    pub(super) recovered: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let source = source.as_bytes();
        Self {
            source,
            at: if source.starts_with(b"\xef\xbb\xbf") {
                3
            } else {
                0
            },
            recovered: false,
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks_and_comments();
        let start = self.at;
        let first = *self.source.get(start)?;
        self.at += 1;
        let kind = match first {
            b'[' => TokenKind::OpenArray,
            b']' => TokenKind::CloseArray,
            b'{' => TokenKind::OpenObject,
            b'}' => TokenKind::CloseObject,
            b',' => TokenKind::Comma,
            b':' => TokenKind::Colon,
            b'"' | b'\'' => self.string(first),
            _ => self.word(start),
        };
        Some(Token {
            kind,
            start,
            end: self.at,
        })
    }
}

impl Tokens<'_> {
    fn skip_blanks_and_comments(&mut self) {
        loop {
            let rest = self.source.get(self.at..).unwrap_or_default();
            let length = match rest {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => {
                    self.at += 1;
                    continue;
                }
                [b'/', b'/', ..] => memchr::memchr2(b'\r', b'\n', rest),
                [b'/', b'*', body @ ..] => {
                    memchr::memmem::find(body, b"*/").map(|length| length + 4)
                }
                _ => return,
            };
            self.recovered = true;
            self.at += length.unwrap_or(rest.len());
        }
    }

    /// After the opening `quote`; a line end ends a string that its writer did not.
    fn string(&mut self, quote: u8) -> TokenKind {
        self.recovered |= quote != b'"';
        loop {
            let Some(&byte) = self.source.get(self.at) else {
                self.recovered = true;
                break;
            };
            match byte {
                b'\r' | b'\n' => {
                    self.recovered = true;
                    break;
                }
                b'\\' => {
                    self.at += 1;
                    self.escape();
                }
                _ => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                    self.recovered |= byte < 0x20;
                }
            }
        }
        TokenKind::String
    }

    fn escape(&mut self) {
        let rest = self.source.get(self.at..).unwrap_or_default();
        match rest {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => self.at += 1,
            [b'u', digits @ ..] => {
                let count = digits
                    .iter()
                    .take(4)
                    .take_while(|digit| digit.is_ascii_hexdigit())
                    .count();
                self.recovered |= count < 4;
                self.at += 1 + count;
            }
            // The end of the line or text is left to the string.
            [b'\r' | b'\n', ..] | [] => self.recovered = true,
            [first, ..] => {
                self.recovered = true;
                self.at += usize::from(first.is_ascii());
            }
        }
    }

    fn word(&mut self, start: usize) -> TokenKind {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| {
            matches!(
                byte,
                b' ' | b'\t'
                    | b'\r'
                    | b'\n'
                    | b'['
                    | b']'
                    | b'{'
                    | b'}'
                    | b','
                    | b':'
                    | b'"'
                    | b'/'
            )
        };
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
        let word = self.source.get(start..self.at).unwrap_or_default();
        match word {
            b"true" | b"false" => TokenKind::Boolean,
            b"null" => TokenKind::Null,
            _ if is_number(word) => TokenKind::Number,
            [b'0'..=b'9', ..] | [b'-' | b'+' | b'.', b'0'..=b'9' | b'.', ..] => {
                self.recovered = true;
                TokenKind::Number
            }
            _ => {
                self.recovered = true;
                TokenKind::Word
            }
        }
    }
}

/// Strictly as RFC 8259 has it.
fn is_number(word: &[u8]) -> bool {
    let digits = |bytes: &[u8]| {
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut rest = word.strip_prefix(b"-").unwrap_or(word);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.first() == Some(&b'0')) {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', unsigned @ ..] => unsigned,
            _ => exponent,
        };
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}
