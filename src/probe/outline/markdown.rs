//! Markdown: ATX headings and the keys of the frontmatter.
//!
//! `pulldown-cmark` says what is a heading and what only looks like one (in fences, HTML blocks,
//! indented code); names are taken from the source as written, with inline markup. Setext
//! headings are not listed, empty ones neither. The frontmatter is an initial block between two
//! lines `---`; left open, it is text.

mod nesting;

use super::super::entry::{Entry, EntryKind};
use super::super::yaml;
use super::{Parsed, Stopped};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::borrow::Cow;
use std::time::Instant;

/// Block quotes and lists nested deeper than this are nobody's prose.
const MAX_DEPTH: usize = 10_000;

pub(crate) fn parse(source: &str, deadline: Instant) -> Parsed {
    let start = source.len() - source.trim_start_matches('\u{feff}').len();
    let mut parsed = Parsed {
        entries: Vec::new(),
        complete: true,
        stopped: None,
    };
    let mut body_start = start;
    if let Some(block) = frontmatter(source, start) {
        body_start = block.body_start;
        let keys = yaml::top_level_keys(block.yaml, deadline);
        parsed.complete = keys.valid;
        parsed.stopped = keys.out_of_time.then_some(Stopped::Time);
        parsed
            .entries
            .extend(keys.list.into_iter().map(|key| Entry {
                kind: EntryKind::Frontmatter,
                name: key.name,
                start: block.yaml_start + key.start,
                end: block.yaml_start + key.end,
            }));
    }
    headings(source, body_start, deadline, &mut parsed);
    parsed.complete &= parsed.stopped.is_none();
    parsed
}

struct Frontmatter<'a> {
    yaml: &'a str,
    yaml_start: usize,
    body_start: usize,
}

fn frontmatter(source: &str, start: usize) -> Option<Frontmatter<'_>> {
    let is_fence = |line: &str| line.trim_end_matches([' ', '\t']) == "---";
    let mut at = start;
    let mut yaml_start = None;
    while at < source.len() {
        let rest = &source[at..];
        let line_end = memchr::memchr2(b'\r', b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = &rest[..line_end];
        let terminator = &rest[line_end..];
        let next = at
            + line_end
            + match terminator.as_bytes() {
                [b'\r', b'\n', ..] => 2,
                [_, ..] => 1,
                [] => 0,
            };
        match yaml_start {
            None if is_fence(line) => yaml_start = Some(next),
            None => return None,
            Some(yaml_start) if is_fence(line) => {
                return Some(Frontmatter {
                    yaml: &source[yaml_start..at],
                    yaml_start,
                    body_start: next,
                });
            }
            Some(_) => {}
        }
        at = next;
    }
    None
}

fn headings(source: &str, body_start: usize, deadline: Instant, parsed: &mut Parsed) {
    let body = &source[body_start..];
    let text = with_line_feeds(body);
    if nesting::is_costly(&text) {
        parsed.stopped = Some(Stopped::Depth);
        return;
    }
    let events = Parser::new_ext(&text, Options::empty()).into_offset_iter();
    let mut depth = 0_usize;
    for (count, (event, range)) in events.enumerate() {
        if count % 256 == 0 && Instant::now() >= deadline {
            parsed.stopped = Some(Stopped::Time);
            return;
        }
        match event {
            Event::Start(tag) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    parsed.stopped = Some(Stopped::Depth);
                    return;
                }
                if let Tag::Heading { level, .. } = tag
                    && let Some(entry) = heading(body, body_start, range.start, level as usize)
                {
                    parsed.entries.push(entry);
                }
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// The same text with an LF for each lone CR, which not every rule of the parser takes for a
/// line end; offsets stay.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |&at: &usize| bytes.get(at + 1) != Some(&b'\n');
    let mut lone = memchr::memchr_iter(b'\r', bytes).filter(is_lone).peekable();
    if lone.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len());
    let mut from = 0;
    for at in lone {
        replaced.push_str(&text[from..at]);
        replaced.push('\n');
        from = at + 1;
    }
    replaced.push_str(&text[from..]);
    Cow::Owned(replaced)
}

/// The ATX heading of `level` that starts at `start` of `body`; `None` for a Setext one and for
/// one without a name.
fn heading(body: &str, body_start: usize, start: usize, level: usize) -> Option<Entry> {
    let rest = body.get(start..)?;
    let line_end = memchr::memchr2(b'\r', b'\n', rest.as_bytes()).unwrap_or(rest.len());
    let line = rest[..line_end].trim_end_matches(BLANKS);
    let indent = line.len() - line.trim_start_matches(BLANKS).len();
    let marked = &line[indent..];
    let name = marked.trim_start_matches('#');
    if marked.len() - name.len() != level || !(name.is_empty() || name.starts_with(BLANKS)) {
        return None;
    }
    let unclosed = name.trim_end_matches('#');
    let name = if unclosed.is_empty() || unclosed.ends_with(BLANKS) {
        unclosed
    } else {
        name
    };
    let name = name.trim_matches(BLANKS);
    if name.is_empty() {
        return None;
    }
    Some(Entry {
        kind: EntryKind::Heading {
            level: u8::try_from(level).unwrap_or(6),
        },
        name: name.to_owned(),
        start: body_start + start + indent,
        end: body_start + start + line.len(),
    })
}

const BLANKS: [char; 2] = [' ', '\t'];

#[cfg(test)]
mod tests;
