//! Syntax of TypeScript that its grammar lacks, hidden in a copy before a second parse.
//!
//! Modifiers are overwritten with blanks and blanks with the semicolon that the grammar does
//! not infer, so that offsets stay. The scan knows comments and strings but no regular
//! expressions; a false match does little harm: names are read from the original source, and
//! the second parse counts only if it is the better one.

/// Type parameters are looked through for this many bytes to their end.
const TYPE_PARAMETERS: usize = 4096;

/// Rewrites what is found; answers whether there was any.
pub(super) fn hide_new_syntax(text: &mut [u8]) -> bool {
    let mut changed = false;
    let mut at = 0;
    // The last byte of code, and whether a line ended since.
    let (mut last, mut line_ended) = (0, true);
    while let Some(&byte) = text.get(at) {
        let next = skip_comment_or_string(text, at);
        if next > at {
            if matches!(byte, b'"' | b'\'' | b'`') {
                (last, line_ended) = (byte, false);
            }
            if byte == b'`' {
                changed |= hide_escapes(text, at, next);
            }
            at = next;
            continue;
        }
        match byte {
            b'\n' => line_ended = true,
            b'<' if line_ended && opens_signature(text, at, last) => {
                if let Some(blank) = text.get_mut(at - 1) {
                    *blank = b';';
                    changed = true;
                }
            }
            b'a' if last != b'.' => {
                changed |= hide_accessor(text, at) || rename_property(text, at, b"abstract");
            }
            b'd' | b'g' | b'i' if last != b'.' => {
                changed |= rename_declare(text, at)
                    || hide_import_type(text, at)
                    || rename_property(text, at, b"in");
                if line_ended || matches!(last, b'{' | b'}' | b';') {
                    changed |= label_global(text, at);
                }
            }
            _ => {}
        }
        if matches!(byte, b'<' | b',') {
            changed |= hide_variance(text, at + 1);
        }
        if !byte.is_ascii_whitespace() {
            // In `=>` the arrow is meant, not the end of type arguments.
            last = if byte == b'>' && last == b'=' {
                b'='
            } else {
                byte
            };
            line_ended = false;
        }
        at += 1;
        if is_name(byte) {
            at += name_length(text, at);
        }
    }
    changed
}

/// `in`, `out` or both before a type parameter whose `<` or comma ends at `at`.
fn hide_variance(text: &mut [u8], at: usize) -> bool {
    let mut start = skip_blanks(text, at);
    if let Some(end) = word(text, start, b"const") {
        start = skip_blanks(text, end);
    }
    let mut end = start;
    for modifier in [b"in".as_slice(), b"out"] {
        // A parameter may be called `out` itself; the modifier has a name behind it.
        if let Some(after) = word(text, end, modifier) {
            let next = skip_blanks(text, after);
            if text.get(next).copied().is_some_and(is_name) {
                end = next;
            }
        }
    }
    blank(text, start, end)
}

/// `accessor` before a field's name. The grammar takes it without other modifiers only.
fn hide_accessor(text: &mut [u8], at: usize) -> bool {
    let Some(end) = word(text, at, b"accessor") else {
        return false;
    };
    let next = skip_blanks(text, end);
    let is_modifier = |&byte: &u8| is_name(byte) || matches!(byte, b'#' | b'[' | b'"' | b'\'');
    next > end && text.get(next).is_some_and(is_modifier) && blank(text, at, end)
}

/// A type that is called `declare`, a keyword to the grammar.
fn rename_declare(text: &mut [u8], at: usize) -> bool {
    let end = word(text, at, b"declare");
    let is_type = end.is_some_and(|end| text.get(end) == Some(&b'<'));
    if let Some(first) = text.get_mut(at).filter(|_| is_type) {
        *first = b'D';
    }
    is_type
}

/// A property that is called `abstract`, a modifier to the grammar, or `in`, an operator that
/// goes on with the line before.
fn rename_property(text: &mut [u8], at: usize, keyword: &[u8]) -> bool {
    let end = word(text, at, keyword);
    let is_property = end.is_some_and(|end| matches!(text.get(end), Some(b':' | b'?')));
    if let Some(first) = text.get_mut(at).filter(|_| is_property) {
        first.make_ascii_uppercase();
    }
    is_property
}

/// `import("module").` before the name of a type: the grammar allows it no type arguments.
fn hide_import_type(text: &mut [u8], at: usize) -> bool {
    let end = word(text, at, b"import").and_then(|end| {
        let open = skip_blanks(text, end);
        let string = skip_blanks(text, open + 1);
        let close = skip_blanks(text, skip_comment_or_string(text, string));
        let dot = skip_blanks(text, close + 1);
        let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
        (is(open, b'(') && close > string && is(close, b')') && is(dot, b'.')).then_some(dot + 1)
    });
    end.is_some_and(|end| blank(text, at, end))
}

/// `global { }` inside `declare module`, turned into a labelled block, which the walk tells
/// from a true one by the original source.
fn label_global(text: &mut [u8], at: usize) -> bool {
    let end = word(text, at, b"global");
    let opens = end.is_some_and(|end| text.get(skip_blanks(text, end)) == Some(&b'{'));
    if let Some(last) = text.get_mut(at + 5).filter(|_| opens) {
        *last = b':';
    }
    opens
}

/// Escapes in a template: the grammar takes none in a template literal type.
fn hide_escapes(text: &mut [u8], start: usize, end: usize) -> bool {
    let mut found = false;
    let mut escaped = false;
    for byte in text.get_mut(start..end).unwrap_or_default() {
        let starts = !escaped && *byte == b'\\';
        // A character of several bytes stays whole.
        if starts || (escaped && byte.is_ascii() && *byte != b'\n') {
            *byte = b' ';
            found = true;
        }
        escaped = starts;
    }
    found
}

/// Whether the `<` at `at`, the first of its line, opens a call signature: the grammar takes
/// it for the arguments of the type that ends the line before.
fn opens_signature(text: &[u8], at: usize, last: u8) -> bool {
    let blank_before = at
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    let ends_type =
        is_name(last) || matches!(last, b'>' | b']' | b')' | b'}' | b'"' | b'\'' | b'`');
    if !blank_before || !ends_type {
        return false;
    }
    let mut depth = 0_usize;
    let mut previous = 0;
    for (offset, &byte) in text.iter().enumerate().skip(at).take(TYPE_PARAMETERS) {
        match byte {
            b'<' => depth += 1,
            b'>' if previous != b'=' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(skip_blanks(text, offset + 1)) == Some(&b'(');
                }
            }
            _ => {}
        }
        previous = byte;
    }
    false
}

/// The offset behind a comment or string that starts at `at`; `at` where none does.
fn skip_comment_or_string(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = match rest {
        [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
        [b'/', b'*', inner @ ..] => memchr::memmem::find(inner, b"*/").map(|end| end + 4),
        [quote @ (b'"' | b'\'' | b'`'), inner @ ..] => {
            let mut escaped = false;
            let end = inner.iter().position(|&byte| {
                let ends = !escaped && (byte == *quote || (byte == b'\n' && *quote != b'`'));
                escaped = !escaped && byte == b'\\';
                ends
            });
            end.map(|end| end + 2)
        }
        _ => return at,
    };
    length.map_or(text.len(), |length| at + length)
}

fn blank(text: &mut [u8], start: usize, end: usize) -> bool {
    for byte in text.get_mut(start..end).unwrap_or_default() {
        if !byte.is_ascii_whitespace() {
            *byte = b' ';
        }
    }
    start < end
}

fn skip_blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
    at + rest.iter().take_while(is_blank).count()
}

fn name_length(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().take_while(|&&byte| is_name(byte)).count()
}

/// The offset after `word` at `at`, if that very word stands there.
fn word(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text.get(at..)?.strip_prefix(word)?;
    let end = at + word.len();
    (name_length(text, end) == 0).then_some(end)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}
