//! JSON, leniently: every value with its pointer, however broken the text.
//!
//! A tokenizer and a stack of its own, without recursion: the libraries stop at the first
//! error, and an outline goes on. An array's index is the number of commas seen; a closing
//! bracket closes what stands open inside; a key without quotes is a key. Only the first root
//! counts. Every recovery makes the outline incomplete. Values are never kept, only their type.

mod tokens;

use super::super::entry::{Entry, EntryKind};
use super::{Parsed, Stopped};
use std::time::Instant;
use tokens::{Token, TokenKind, Tokens};

/// What the entries of one document may add up to: past that, none can be shown. Each counts
/// its pointer and less than what stands around it.
const RECORDED_BYTES: usize = 65_536;
const ENTRY_BYTES: usize = 64;

pub(crate) fn parse(source: &str, deadline: Instant) -> Parsed {
    let mut outline = Outline::new(source);
    let mut stopped = None;
    let mut tokens = Tokens::new(source);
    let mut count = 0_usize;
    while outline.state != State::AfterRoot
        && let Some(token) = tokens.next()
    {
        outline.take(&token);
        outline.end = token.end;
        count += 1;
        if count.is_multiple_of(4096) && Instant::now() >= deadline {
            stopped = Some(Stopped::Time);
            break;
        }
    }
    // Whatever follows the first root is not JSON.
    let only_root = stopped.is_none() && tokens.next().is_none();
    let complete = only_root && outline.open.is_empty() && !outline.recovered && !tokens.recovered;
    Parsed {
        entries: outline.finish(),
        complete,
        stopped,
    }
}

/// Hands over the keys of the root, if that is an object, however broken the text; answers
/// whether it is one. `None` if the time was up first.
pub(crate) fn root_keys(
    source: &str,
    deadline: Instant,
    mut on_key: impl FnMut(&str),
) -> Option<bool> {
    let mut outline = Outline::new(source);
    outline.recorded_bytes = usize::MAX; // nothing is recorded
    let mut is_object = false;
    for (count, token) in (1_usize..).zip(Tokens::new(source)) {
        outline.take(&token);
        if outline.open[..] == [Container::Object] {
            is_object = true;
            if let Some(key) = outline.key.take_if(|_| outline.state == State::Colon) {
                on_key(&key.text(source));
            }
        }
        if outline.state == State::AfterRoot {
            break;
        }
        if count.is_multiple_of(4096) && Instant::now() >= deadline {
            return None;
        }
    }
    Some(is_object)
}

/// What the innermost open value waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Root,
    AfterRoot,
    /// Right after an opening bracket.
    First,
    /// After a comma: an element or a key.
    Next,
    Colon,
    /// After a colon.
    Value,
    /// After a value.
    Comma,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// An open value with an entry of its own.
struct Frame {
    entry: usize,
    pointer_length: usize,
    commas: usize,
}

struct Outline<'a> {
    source: &'a str,
    state: State,
    /// One byte a level, as a hostile text has a level a byte.
    open: Vec<Container>,
    open_arrays: usize,
    /// The outermost levels, while entries are recorded there.
    frames: Vec<Frame>,
    /// The last key read.
    key: Option<Token>,
    /// The pointer of the innermost frame, and room for its children's.
    pointer: String,
    entries: Vec<Entry>,
    recorded_bytes: usize,
    recovered: bool,
    /// The end of the last token.
    end: usize,
}

impl<'a> Outline<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            state: State::Root,
            open: Vec::new(),
            open_arrays: 0,
            frames: Vec::new(),
            key: None,
            pointer: String::new(),
            entries: Vec::new(),
            recorded_bytes: 0,
            recovered: false,
            end: 0,
        }
    }

    fn finish(mut self) -> Vec<Entry> {
        while !self.open.is_empty() {
            self.close_innermost(self.end);
        }
        self.entries
    }

    fn take(&mut self, token: &Token) {
        match token.kind {
            TokenKind::Comma => self.comma(),
            TokenKind::Colon => {
                self.recovered |= self.state != State::Colon;
                if self.state == State::Colon {
                    self.state = State::Value;
                }
            }
            TokenKind::CloseArray => self.close(Container::Array, token.end),
            TokenKind::CloseObject => self.close(Container::Object, token.end),
            _ if self.takes_key() => self.take_key(token),
            _ => self.take_value(token),
        }
    }

    fn takes_key(&self) -> bool {
        self.open.last() == Some(&Container::Object)
            && matches!(self.state, State::First | State::Next | State::Comma)
    }

    fn take_key(&mut self, token: &Token) {
        self.recovered |= self.state == State::Comma || token.kind != TokenKind::String;
        if let Some(container) = token.kind.opens() {
            // A value without a key has no pointer; nor has anything in it.
            self.open(container);
        } else {
            self.key = Some(*token);
            self.state = State::Colon;
        }
    }

    fn take_value(&mut self, token: &Token) {
        self.recovered |= match self.state {
            State::Comma | State::Colon => true,
            State::Root | State::First | State::Next | State::Value | State::AfterRoot => false,
        };
        let Some(value_type) = token.kind.value_type() else {
            self.recovered = true;
            if self.state != State::Root {
                self.state = State::Comma;
            }
            return;
        };
        let recorded = self.record(token, value_type);
        if let Some(container) = token.kind.opens() {
            if let Some(entry) = recorded {
                self.frames.push(Frame {
                    entry,
                    pointer_length: self.pointer.len(),
                    commas: 0,
                });
            }
            self.open(container);
        } else {
            self.after_value();
        }
    }

    fn comma(&mut self) {
        if self.open.is_empty() {
            self.recovered = true;
            return;
        }
        self.recovered |= self.state != State::Comma;
        self.state = State::Next;
        if self.frames.len() == self.open.len()
            && let Some(frame) = self.frames.last_mut()
        {
            frame.commas += 1;
        }
    }

    fn open(&mut self, container: Container) {
        self.open.push(container);
        self.open_arrays += usize::from(container == Container::Array);
        self.state = State::First;
    }

    /// Closes the innermost `container` and what stands open in it; ignored if there is none.
    fn close(&mut self, container: Container, end: usize) {
        let of_kind = match container {
            Container::Array => self.open_arrays,
            Container::Object => self.open.len() - self.open_arrays,
        };
        self.recovered |= self.open.last() != Some(&container)
            || !matches!(self.state, State::First | State::Comma);
        if of_kind == 0 {
            return;
        }
        while let Some(innermost) = self.open.last().copied() {
            if innermost == container {
                self.close_innermost(end);
                return;
            }
            self.close_innermost(self.end);
        }
    }

    fn close_innermost(&mut self, end: usize) {
        let Some(container) = self.open.pop() else {
            return;
        };
        self.open_arrays -= usize::from(container == Container::Array);
        if self.frames.len() > self.open.len()
            && let Some(frame) = self.frames.pop()
            && let Some(entry) = self.entries.get_mut(frame.entry)
        {
            entry.end = end.max(entry.end);
        }
        self.after_value();
    }

    fn after_value(&mut self) {
        self.state = if self.open.is_empty() {
            State::AfterRoot
        } else {
            State::Comma
        };
    }

    /// Records a value and leaves its pointer in place; gives the entry's index.
    fn record(&mut self, token: &Token, value_type: &'static str) -> Option<usize> {
        let key = self.key.take();
        // Once too much is recorded for any document, the rest is checked only.
        if self.frames.len() != self.open.len() || self.recorded_bytes > RECORDED_BYTES {
            return None;
        }
        if let Some(frame) = self.frames.last() {
            self.pointer.truncate(frame.pointer_length);
            self.pointer.push('/');
            match self.open.last() {
                Some(Container::Object) => {
                    let key = key.map(|key| key.text(self.source)).unwrap_or_default();
                    for character in key.chars() {
                        match character {
                            '~' => self.pointer.push_str("~0"),
                            '/' => self.pointer.push_str("~1"),
                            other => self.pointer.push(other),
                        }
                    }
                }
                _ => self.pointer.push_str(&frame.commas.to_string()),
            }
        }
        self.recorded_bytes += self.pointer.len() + ENTRY_BYTES;
        self.entries.push(Entry {
            kind: EntryKind::Json { value_type },
            name: self.pointer.clone(),
            start: token.start,
            end: token.end,
        });
        Some(self.entries.len() - 1)
    }
}

#[cfg(test)]
mod tests;
