//! How much work nested quotes and lists make, before the parser is given them.
//!
//! The parser looks at every open container for each line, and cannot be stopped while it does:
//! 2 MB can hold a hundred thousand containers and a million lines. This adds up an upper bound.

/// Containers looked at, over all lines; prose stays far below.
const MAX_WORK: usize = 20_000_000;

/// Whether `text`, its lines ended by LF or CRLF, is too much.
pub(super) fn is_costly(text: &str) -> bool {
    let (mut open, mut after_blank, mut work) = (0_usize, true, 0_usize);
    for line in text.as_bytes().split(|&byte| byte == b'\n') {
        let (containers, is_blank) = possible_containers(line);
        // A line without marks goes on lazily with a paragraph in all that is open; only after
        // a blank line does it close what it is not indented for.
        if is_blank {
            after_blank = true;
        } else if std::mem::take(&mut after_blank) {
            open = containers;
        } else {
            open = open.max(containers);
        }
        work = work.saturating_add(open);
        if work > MAX_WORK {
            return true;
        }
    }
    false
}

/// How many containers a line may be in by its indentation and opens by its marks, at most;
/// and whether it is blank.
fn possible_containers(line: &[u8]) -> (usize, bool) {
    let (mut columns, mut marks) = (0, 0);
    let mut rest = line;
    loop {
        rest = match rest {
            [b' ' | b'\r', after @ ..] => {
                columns += 1;
                after
            }
            [b'\t', after @ ..] => {
                columns += 4;
                after
            }
            [b'>', after @ ..] => {
                marks += 1;
                after
            }
            [b'-' | b'+' | b'*', after @ ..] if ends_mark(after) => {
                marks += 1;
                after
            }
            [b'0'..=b'9', ..] => {
                let digits = rest.iter().take(9).take_while(|byte| byte.is_ascii_digit());
                match rest.get(digits.count()..).unwrap_or_default() {
                    [b'.' | b')', after @ ..] if ends_mark(after) => {
                        marks += 1;
                        after
                    }
                    _ => break,
                }
            }
            _ => break,
        }
    }
    (columns / 2 + marks, rest.is_empty() && marks == 0)
}

fn ends_mark(after: &[u8]) -> bool {
    matches!(after, [b' ' | b'\t' | b'\r', ..] | [])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_indentation() {
        for (line, expected) in [
            ("", (0, true)),
            (" \t", (2, true)),
            ("text", (0, false)),
            ("# a", (0, false)),
            ("> a", (1, false)),
            (">>> a", (3, false)),
            ("- * + a", (4, false)),
            ("1. 23) a", (3, false)),
            ("-", (1, false)),
            ("--- 1.5 *a*", (0, false)),
            ("    - a", (3, false)),
        ] {
            assert_eq!(possible_containers(line.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn prose_is_cheap_and_deep_nests_under_many_lines_are_not() {
        let prose = "- a\n  - b\n\n    > quoted text\n    > that goes on\n\nText\n";
        assert!(!is_costly(&prose.repeat(40_000)));
        let code = format!("{}x = 1;\n", " ".repeat(40));
        assert!(!is_costly(&code.repeat(40_000)));
        let nest = "> ".repeat(100_000);
        assert!(!is_costly(&nest));
        assert!(is_costly(&(nest + &"\na".repeat(1000))));
        assert!(is_costly(
            &("- ".repeat(10_000) + "```" + &"\n".repeat(10_000))
        ));
    }
}
