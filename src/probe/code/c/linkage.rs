//! `extern "C" {` between `#ifdef __cplusplus` and `#endif`, and its closing brace between
//! another such pair: half a block each, for which the grammars have no rule. Nearly every
//! header of a C library has them.

/// Lines that such a group may have between its first and its last.
const MAX_LINES: usize = 4;

/// Overwrites each such group with blanks; answers whether there was any.
pub(in super::super) fn hide_linkage_blocks(text: &mut [u8]) -> bool {
    let mut groups = Vec::new();
    let mut opened: Option<(usize, usize, bool)> = None;
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let end = start + line.len();
        let code = line.trim_ascii();
        if is_opening(code) {
            opened = Some((start, 0, false));
        } else if let Some((group, lines, half)) = &mut opened {
            *lines += 1;
            if code.starts_with(b"#") && directive(code).starts_with(b"endif") {
                if *half {
                    groups.push(*group..end);
                }
                opened = None;
            } else if *lines > MAX_LINES || !(code.is_empty() || is_half(code)) {
                opened = None;
            } else {
                *half |= is_half(code);
            }
        }
        start = end;
    }
    let found = !groups.is_empty();
    for group in groups {
        for byte in text.get_mut(group).unwrap_or_default() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    found
}

/// What follows the `#`.
fn directive(code: &[u8]) -> &[u8] {
    code.strip_prefix(b"#").unwrap_or(code).trim_ascii_start()
}

/// `#ifdef __cplusplus`, `#if defined(__cplusplus)`.
fn is_opening(code: &[u8]) -> bool {
    if !code.starts_with(b"#") || !directive(code).starts_with(b"if") {
        return false;
    }
    let mut words = code
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| !word.is_empty());
    words.all(|word| matches!(word, b"if" | b"ifdef" | b"defined" | b"__cplusplus"))
        && memchr::memmem::find(code, b"__cplusplus").is_some()
}

/// `extern "C" {` or `}`, also with a comment behind it.
fn is_half(code: &[u8]) -> bool {
    let code = [&b"//"[..], b"/*"].iter().fold(code, |code, comment| {
        match memchr::memmem::find(code, comment) {
            Some(at) => code[..at].trim_ascii_end(),
            None => code,
        }
    });
    let squeezed: Vec<u8> = code
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    matches!(
        &squeezed[..],
        b"extern\"C\"{" | b"extern\"C\"" | b"{" | b"}" | b"};"
    )
}
