//! String literals of import paths, decoded as their languages do.
//!
//! Input is the literal as written, quotes included, and may be broken: what cannot be
//! decoded stays as it is, and bytes or surrogates that make no character become U+FFFD.

use std::iter::Peekable;
use std::str::Chars;

/// A Go string literal: raw between backquotes (carriage returns are dropped), else with
/// escapes, which give bytes (`\x`, octal) or characters (`\u`, `\U`).
pub(super) fn decode_go(literal: &str) -> String {
    if literal.starts_with('`') {
        return unquote(literal).replace('\r', "");
    }
    let mut bytes = Vec::with_capacity(literal.len());
    let mut chars = unquote(literal).chars().peekable();
    let mut utf8 = [0; 4];
    while let Some(char) = chars.next() {
        if char != '\\' {
            bytes.extend_from_slice(char.encode_utf8(&mut utf8).as_bytes());
            continue;
        }
        let Some(escape) = chars.next() else { break };
        let char = match escape {
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'x' => {
                bytes.push(low_byte(digits(&mut chars, 16, 2)));
                continue;
            }
            '0'..='7' => {
                let first = escape.to_digit(8).unwrap_or_default();
                let rest = digits(&mut chars, 8, 2);
                bytes.push(low_byte(first * 64 + rest));
                continue;
            }
            'u' => scalar(digits(&mut chars, 16, 4)),
            'U' => scalar(digits(&mut chars, 16, 8)),
            other => other,
        };
        bytes.extend_from_slice(char.encode_utf8(&mut utf8).as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A JavaScript string literal between single or double quotes; escapes give UTF-16 units.
pub(super) fn decode_javascript(literal: &str) -> String {
    let mut units = Vec::with_capacity(literal.len());
    let mut chars = unquote(literal).chars().peekable();
    let mut utf16 = [0; 2];
    while let Some(char) = chars.next() {
        if char != '\\' {
            units.extend_from_slice(char.encode_utf16(&mut utf16));
            continue;
        }
        let Some(escape) = chars.next() else { break };
        let char = match escape {
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            // A line continuation stands for nothing.
            '\r' => {
                chars.next_if_eq(&'\n');
                continue;
            }
            '\n' | '\u{2028}' | '\u{2029}' => continue,
            'x' => scalar(digits(&mut chars, 16, 2)),
            'u' if chars.next_if_eq(&'{').is_some() => {
                let value = digits(&mut chars, 16, 8);
                chars.next_if_eq(&'}');
                scalar(value)
            }
            'u' => {
                // Half a surrogate pair is a unit of its own until its other half follows.
                let unit = digits(&mut chars, 16, 4);
                units.push(u16::try_from(unit).unwrap_or_default());
                continue;
            }
            '0'..='7' => {
                let first = escape.to_digit(8).unwrap_or_default();
                let more = if first < 4 { 2 } else { 1 };
                scalar(octal(first, &mut chars, more))
            }
            other => other,
        };
        units.extend_from_slice(char.encode_utf16(&mut utf16));
    }
    String::from_utf16_lossy(&units)
}

/// The text between the first and the last character, if the last closes what the first
/// opened.
fn unquote(literal: &str) -> &str {
    let mut chars = literal.chars();
    match (chars.next(), chars.next_back()) {
        (Some(open), Some(close)) if open == close => chars.as_str(),
        _ => literal,
    }
}

fn digits(chars: &mut Peekable<Chars>, radix: u32, most: usize) -> u32 {
    let mut value = 0_u32;
    for _ in 0..most {
        let Some(digit) = chars.next_if(|char| char.is_digit(radix)) else {
            break;
        };
        let digit = digit.to_digit(radix).unwrap_or_default();
        value = value.saturating_mul(radix).saturating_add(digit);
    }
    value
}

fn octal(first: u32, chars: &mut Peekable<Chars>, more: usize) -> u32 {
    let mut value = first;
    for _ in 0..more {
        let Some(digit) = chars.next_if(|char| char.is_digit(8)) else {
            break;
        };
        value = value * 8 + digit.to_digit(8).unwrap_or_default();
    }
    value
}

fn low_byte(value: u32) -> u8 {
    u8::try_from(value & 0xff).unwrap_or_default()
}

fn scalar(value: u32) -> char {
    char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_literals() {
        assert_eq!(decode_go("`a\\n\r\nb`"), "a\\n\nb");
        assert_eq!(decode_go(r#""a\x62\143\u0064\U00000065\"\\""#), "abcde\"\\");
        assert_eq!(decode_go(r#""\xe2\x82\xac""#), "€");
        assert_eq!(decode_go(r#""\xff\ud800\"""#), "\u{fffd}\u{fffd}\"");
        assert_eq!(decode_go("\""), "\"");
        assert_eq!(decode_go(""), "");
    }

    #[test]
    fn javascript_literals() {
        assert_eq!(decode_javascript(r"'./a\'b'"), "./a'b");
        assert_eq!(decode_javascript(r#""\x41\u0042\u{43}\104\0""#), "ABCD\0");
        assert_eq!(decode_javascript("'a\\\r\nb\\\nc'"), "abc");
        assert_eq!(decode_javascript(r"'\ud83d\ude00'"), "😀");
        assert_eq!(
            decode_javascript(r"'\ud83d\u{ffffffff}'"),
            "\u{fffd}\u{fffd}"
        );
        assert_eq!(decode_javascript("'"), "'");
    }
}
