//! How many records follow the header, at the speed of reading them: quotes and line ends are
//! searched for, nothing else is looked at.
//!
//! A quote opens a quoted part only where a field starts; in it only the next quote that is not
//! doubled counts. A record is a line with anything but blanks; the delimiter is no blank.

/// Counts records over chunks.
pub(super) struct Records {
    delimiter: u8,
    count: u64,
    line: Line,
    state: State,
    /// The last byte outside quotes: it tells whether a field starts.
    previous: u8,
}

/// What the current line holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Nothing, or blanks alone.
    Blank,
    Record,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    Quoted,
    /// After a quote in a quoted part: another one is a character, anything else is outside.
    MayBeClosed,
}

impl Records {
    pub(super) fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            count: 0,
            line: Line::Blank,
            state: State::Plain,
            previous: b'\n',
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Ends the last record; false if it ends within quotes.
    pub(super) fn finish(&mut self) -> bool {
        self.end_line();
        self.state != State::Quoted
    }

    pub(super) fn feed(&mut self, mut chunk: &[u8]) {
        if self.state == State::Plain && memchr::memchr(b'"', chunk).is_none() {
            self.feed_unquoted(chunk);
            return;
        }
        while let Some(&first) = chunk.first() {
            chunk = match self.state {
                State::Plain => self.plain(chunk),
                State::Quoted => match memchr::memchr(b'"', chunk) {
                    Some(at) => {
                        self.state = State::MayBeClosed;
                        chunk.get(at + 1..).unwrap_or_default()
                    }
                    None => &[],
                },
                State::MayBeClosed if first == b'"' => {
                    self.state = State::Quoted;
                    chunk.get(1..).unwrap_or_default()
                }
                State::MayBeClosed => {
                    self.state = State::Plain;
                    chunk
                }
            };
        }
    }

    /// Goes on to the next quote or line end; gives what follows.
    fn plain<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let Some(at) = memchr::memchr3(b'"', b'\r', b'\n', chunk) else {
            self.extend_line(chunk);
            return &[];
        };
        let (before, rest) = chunk.split_at(at);
        self.extend_line(before);
        let starts_field =
            self.previous == self.delimiter || matches!(self.previous, b'\r' | b'\n');
        let Some((&met, rest)) = rest.split_first() else {
            return &[];
        };
        if met == b'"' {
            self.line = Line::Record;
            if starts_field {
                self.state = State::Quoted;
            }
        } else {
            self.end_line();
        }
        self.previous = met;
        rest
    }

    /// A chunk without quotes: lines are counted many at a time.
    fn feed_unquoted(&mut self, chunk: &[u8]) {
        let ends = memchr::memchr2(b'\r', b'\n', chunk).zip(memchr::memrchr2(b'\r', b'\n', chunk));
        let Some((first, last)) = ends else {
            self.extend_line(chunk);
            return;
        };
        self.extend_line(chunk.get(..first).unwrap_or_default());
        self.end_line();
        // From line end to line end.
        let lines = chunk.get(first..=last).unwrap_or_default();
        let (starts, blank) = line_starts(lines);
        if blank == 0 {
            self.count += starts;
        } else {
            for line in lines.split(|&byte| is_end(byte)) {
                self.extend_line(line);
                self.end_line();
            }
        }
        self.previous = b'\n';
        self.extend_line(chunk.get(last + 1..).unwrap_or_default());
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        self.previous = last;
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t') && *byte != self.delimiter;
        if self.line == Line::Blank && !bytes.iter().all(is_blank) {
            self.line = Line::Record;
        }
    }

    fn end_line(&mut self) {
        self.count += u64::from(self.line == Line::Record);
        self.line = Line::Blank;
    }
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// How many lines that are not empty start after a line end, and how many of those with a
/// blank. Blocks whose sums fit a byte are what compilers turn into vector code.
fn line_starts(lines: &[u8]) -> (u64, u64) {
    const BLOCK: usize = 128;
    let next = lines.get(1..).unwrap_or_default().chunks(BLOCK);
    let (mut starts, mut blanks) = (0, 0);
    for (before, after) in lines.chunks(BLOCK).zip(next) {
        let (mut starting, mut blank) = (0_u8, 0_u8);
        for (&before, &after) in before.iter().zip(after) {
            starting += u8::from(is_end(before) && !is_end(after));
            blank += u8::from(is_end(before) && matches!(after, b' ' | b'\t'));
        }
        starts += u64::from(starting);
        blanks += u64::from(blank);
    }
    (starts, blanks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(delimiter: u8, chunks: &[&[u8]]) -> (u64, bool) {
        let mut records = Records::new(delimiter);
        for chunk in chunks {
            records.feed(chunk);
        }
        let closed = records.finish();
        (records.count(), closed)
    }

    #[test]
    fn blank_lines_are_no_records() {
        assert_eq!(counted(b',', &[b"a\n\n \t\nb\r\n\r\rc"]), (3, true));
        assert_eq!(counted(b'\t', &[b" \n\t\na\tb\n"]), (2, true));
        assert_eq!(counted(b',', &[b"\"\"\n,\n\" \"\n"]), (3, true));
        assert_eq!(counted(b',', &[b""]), (0, true));
    }

    #[test]
    fn line_ends_in_quotes_are_none() {
        assert_eq!(counted(b',', &[b"a,\"x\ny\"\"\n\",b\nc\n"]), (2, true));
        assert_eq!(
            counted(b',', &[b"a\"b\nc\n"]),
            (2, true),
            "not at a field's start"
        );
        assert_eq!(
            counted(b',', &[b"\"a\"b\"\nc\n"]),
            (2, true),
            "closed, then a field"
        );
        assert_eq!(counted(b',', &[b"a,\"b\nc\n"]), (1, false));
        assert_eq!(counted(b';', &[b"a,\"b\nc;\"d\n\"\n"]), (2, true));
    }

    proptest! {
        /// As the csv crate reads it, but for lines of blanks, however the input is cut.
        #[test]
        fn as_many_as_csv_reads(
            text in prop_oneof!["[a,\"\r\n]{0,40}", "[a\r\n]{0,400}"],
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(text.as_bytes());
            let expected = reader.byte_records().count() as u64;
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            places.sort_unstable();
            places.push(text.len());
            let mut chunks = Vec::new();
            let mut start = 0;
            for place in places {
                chunks.push(&text.as_bytes()[start..place]);
                start = place;
            }
            prop_assert_eq!(counted(b',', &chunks).0, expected, "{:?}", chunks);
        }
    }
}
