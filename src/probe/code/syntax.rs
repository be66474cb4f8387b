//! Source to syntax tree, within bounds: time by the parser's own progress call, depth by a
//! scan of brackets before it.
//!
//! The grammar may be given a copy of the source in which single bytes were replaced. Every
//! copy has the length of the source, so offsets in the tree are offsets in the source.

use super::{Language, LoneCr, Rewrite, Stop};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Instant;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Open brackets that may stand unclosed at once. The parser keeps its own stack on the
/// heap, but costs grow faster than the depth; nobody writes a hundredth of this.
const MAX_DEPTH: usize = 20_000;

/// Angle brackets of one statement that may be operators as well. The parser keeps all
/// readings until the statement ends; each may cost it a frame of the stack, and settling
/// them, which the clock cannot interrupt, takes quadratic time.
const MAX_AMBIGUOUS: usize = 5_000;

/// Parses `source`; where the grammar had to recover, once more with the syntax hidden that
/// it is known to lack.
pub(super) fn parse(language: &Language, source: &[u8], deadline: Instant) -> Result<Tree, Stop> {
    let ambiguous = language.generics && ambiguity(source) > MAX_AMBIGUOUS;
    if ambiguous || bracket_depth(source) > MAX_DEPTH {
        return Err(Stop::Depth);
    }
    let mut text = with_line_feeds(source, language.lone_cr);
    if let Rewrite::Before(rewrite) = language.rewrite {
        rewrite(text.to_mut());
    }
    let grammar = (language.grammar)();
    let tree = parse_once(&grammar, &text, deadline)?;
    let Rewrite::AfterErrors(rewrite) = language.rewrite else {
        return Ok(tree);
    };
    if !tree.root_node().has_error() {
        return Ok(tree);
    }
    let mut copy = text.into_owned();
    if !rewrite(&mut copy) {
        return Ok(tree);
    }
    // Running out of time here must not lose what the first parse found.
    match parse_once(&grammar, &copy, deadline) {
        Ok(second) if !second.root_node().has_error() => Ok(second),
        Ok(second) if error_bytes(&second) < error_bytes(&tree) => Ok(second),
        _ => Ok(tree),
    }
}

fn parse_once(
    grammar: &tree_sitter::Language,
    text: &[u8],
    deadline: Instant,
) -> Result<Tree, Stop> {
    let mut parser = Parser::new();
    // The one error is a grammar of another ABI, which a test on the table rules out.
    if parser.set_language(grammar).is_err() {
        return Err(Stop::Time);
    }
    let mut late = |_: &ParseState| {
        if Instant::now() >= deadline {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut late);
    let mut read = |offset: usize, _| text.get(offset..).unwrap_or_default();
    parser
        .parse_with_options(&mut read, None, Some(options))
        .ok_or(Stop::Time)
}

/// How much of the source lies in error nodes of the top level.
fn error_bytes(tree: &Tree) -> usize {
    let root = tree.root_node();
    if root.is_error() {
        return usize::MAX;
    }
    super::walk::children(root)
        .filter(tree_sitter::Node::has_error)
        .map(|node| node.byte_range().len())
        .sum()
}

/// The most brackets open at once, by a scan that knows no strings or comments: it may count
/// too many, which only a file of thousands of stray brackets would notice.
fn bracket_depth(source: &[u8]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for byte in source {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The most `<` between two bytes that settle what they meant.
fn ambiguity(source: &[u8]) -> usize {
    let between = source.split(|byte| matches!(byte, b';' | b'}'));
    let counts = between.map(|part| memchr::memchr_iter(b'<', part).count());
    counts.max().unwrap_or_default()
}

/// The source with every lone CR that ends a line as LF. A CR in a string or comment is
/// replaced too, rightly: Python reads files with universal newlines, and in JavaScript CR
/// ends a line comment and is a line end in a template. Go alone takes it for a blank that
/// ends no comment, so there only a file without any LF is treated so.
fn with_line_feeds(source: &[u8], lone_cr: LoneCr) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\r', source).is_none()
        || (lone_cr == LoneCr::Blank && memchr::memchr(b'\n', source).is_some())
    {
        return Cow::Borrowed(source);
    }
    let mut copy = Cow::Borrowed(source);
    for at in memchr::memchr_iter(b'\r', source) {
        if source.get(at + 1) != Some(&b'\n')
            && let Some(byte) = copy.to_mut().get_mut(at)
        {
            *byte = b'\n';
        }
    }
    copy
}
