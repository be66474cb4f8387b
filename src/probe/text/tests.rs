#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::*;

/// What a text turned out to be, read to its end.
struct Seen {
    text: String,
    encoding: Option<&'static str>,
    bom: bool,
    eol: Option<&'static str>,
    lines: u64,
}

fn see_with(raw: &[u8], parser_bytes: usize) -> Option<Seen> {
    let limits = Limits {
        parser_bytes,
        ..Limits::default()
    };
    let mut content = raw;
    let opened = Text::open(&mut content, &limits, Clock::start(&limits)).unwrap();
    let Opened::Text(mut text) = opened else {
        return None;
    };
    let mut all = text.head().as_bytes().to_vec();
    while let Some(chunk) = text.next_chunk().unwrap() {
        all.extend_from_slice(chunk);
    }
    Some(Seen {
        text: String::from_utf8_lossy(&all).into_owned(),
        encoding: text.encoding(),
        bom: text.has_bom(),
        eol: text.eol(),
        lines: text.count_lines().unwrap().unwrap(),
    })
}

fn see(raw: &[u8]) -> Seen {
    see_with(raw, 1 << 20).unwrap()
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    format!("\u{feff}{text}")
        .encode_utf16()
        .flat_map(bytes)
        .collect()
}

#[test]
fn encodings_are_told_apart() {
    for (raw, encoding, bom, text) in [
        (&b""[..], None, false, ""),
        (b"plain\n", None, false, "plain\n"),
        ("größer\n".as_bytes(), None, false, "größer\n"),
        (b"\xef\xbb\xbfx\n", None, true, "x\n"),
        (
            b"gr\xf6\xdfer und \xe9t\xe9\n",
            Some("latin-1"),
            false,
            "größer und été\n",
        ),
        (
            b"\x93quoted\x94\n",
            Some("unknown"),
            false,
            "\u{fffd}quoted\u{fffd}\n",
        ),
        (
            b"\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7\n",
            Some("unknown"),
            false,
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\n",
        ),
        (
            b"un \xc3\xa9t\xc3\xa9 damaged \xff\n",
            Some("unknown"),
            false,
            "",
        ),
        (b"gr\xf6\xdfer", Some("latin-1"), false, "größer"),
        (b"cut \xc3", Some("latin-1"), false, "cut \u{c3}"),
    ] {
        let seen = see(raw);
        assert_eq!((seen.encoding, seen.bom), (encoding, bom), "{raw:?}");
        if encoding == Some("unknown") {
            assert!(seen.text.contains('\u{fffd}'));
        } else {
            assert_eq!(seen.text, text);
        }
    }
}

#[test]
fn utf_16_needs_its_mark_and_is_decoded() {
    let text = "größer\r\n𝄞\r\n";
    for (raw, encoding) in [
        (utf_16(text, u16::to_le_bytes), "utf-16le"),
        (utf_16(text, u16::to_be_bytes), "utf-16be"),
    ] {
        for cap in [3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 1000] {
            let seen = see_with(&raw, cap).unwrap();
            assert_eq!(seen.text, text, "cap {cap}");
            assert_eq!(seen.encoding, Some(encoding));
            assert_eq!((seen.lines, seen.eol, seen.bom), (2, Some("crlf"), true));
        }
        assert!(
            see_with(&raw[2..], 1000).is_none(),
            "without mark it is binary"
        );
    }
    assert!(see_with(b"\xff\xfe\0\0a\0\0\0", 1000).is_none(), "UTF-32");
    assert_eq!(see(b"\xff\xfea").text, "\u{fffd}", "half a unit");
}

#[test]
fn a_nul_among_the_first_8192_bytes_is_binary() {
    let mut raw = vec![b'a'; 8191];
    raw.push(0);
    assert!(see_with(&raw, 1 << 20).is_none());
    raw.insert(0, b'a');
    assert!(see_with(&raw, 1 << 20).is_some());
    assert!(see_with(b"a\0", 3).is_none());
}

#[test]
fn line_ends_are_named_where_they_are_unusual() {
    for (raw, eol, lines) in [
        (&b""[..], None, 0),
        (b"a", None, 1),
        (b"a\nb\n", None, 2),
        (b"a\r\nb", Some("crlf"), 2),
        (b"a\rb\r", Some("cr"), 2),
        (b"a\r\nb\n", Some("mixed"), 2),
        (b"a\rb\n", Some("mixed"), 2),
        (b"a\r", Some("cr"), 1),
    ] {
        let seen = see(raw);
        assert_eq!((seen.eol, seen.lines), (eol, lines), "{raw:?}");
        assert_eq!(see_with(raw, 3).unwrap().lines, lines);
    }
}

#[test]
fn a_text_past_the_cap_reads_the_same_wherever_it_is_cut() {
    let text = "aé€𝄞\r\nzé\n".repeat(3);
    for cap in 3..text.len() + 2 {
        let seen = see_with(text.as_bytes(), cap).unwrap();
        assert_eq!(seen.text, text, "cap {cap}");
        assert_eq!((seen.encoding, seen.lines), (None, 6), "cap {cap}");
    }
}

#[test]
fn an_encoding_error_past_the_cap_is_seen() {
    let mut raw = vec![b'a'; 200_000];
    raw.extend_from_slice(b"\xe9 ");
    assert_eq!(see_with(&raw, 10).unwrap().encoding, Some("latin-1"));
    raw.extend_from_slice(b"\x80");
    assert_eq!(see_with(&raw, 10).unwrap().encoding, Some("unknown"));
}

mod tally {
    use super::*;
    use crate::probe::lines::{LineStream, LineTable, Piece, Terminator};
    use proptest::prelude::*;

    proptest! {
        /// However the text is cut, as the one line table and the stream have it.
        #[test]
        fn lines_are_counted_as_the_table_counts_them(
            chunks in prop::collection::vec("[a\r\n]{0,6}", 0..6),
        ) {
            let text = chunks.concat();
            let mut tally = LineTally::default();
            for chunk in &chunks {
                tally.feed(chunk.as_bytes());
            }
            tally.finish();
            prop_assert_eq!(tally.count, LineTable::new(text.as_bytes()).count() as u64);
            let mut ends = Vec::new();
            let mut take = |piece: Piece<'_>| if let Piece::End(end) = piece { ends.push(end) };
            let mut stream = LineStream::default();
            stream.feed(text.as_bytes(), &mut take);
            stream.finish(take);
            let has = |end| ends.contains(&end);
            let expected = match (has(Terminator::Lf), has(Terminator::Cr), has(Terminator::CrLf)) {
                (_, false, false) => None,
                (false, true, false) => Some("cr"),
                (false, false, true) => Some("crlf"),
                _ => Some("mixed"),
            };
            prop_assert_eq!(tally.eol(), expected);
        }
    }
}
