#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::*;

/// A line per entry, its kind by the first letter: `c` class, `t` type, `f` function, `v`
/// variable, `k` constant, `m` method, `i` import.
fn structure(source: &str, max_names: usize) -> String {
    let mut entries = Vec::new();
    let mut start = 0;
    for line in source.lines() {
        let kind = match line.as_bytes().first() {
            Some(b'c') => EntryKind::Class,
            Some(b't') => EntryKind::Type,
            Some(b'f') => EntryKind::Function,
            Some(b'v') => EntryKind::Variable,
            Some(b'k') => EntryKind::Constant,
            Some(b'i') => EntryKind::Import,
            _ => EntryKind::Method {
                receiver: "c1".to_owned(),
            },
        };
        entries.push(Entry {
            kind,
            name: line.to_owned(),
            start,
            end: start + line.len(),
        });
        start += line.len() + 1;
    }
    let lines = LineTable::new(source.as_bytes());
    serde_json::to_string(&structure_of(&entries, &lines, max_names, true)).unwrap()
}

#[test]
fn counts_always_and_lists_where_they_hold_something() {
    assert_eq!(
        structure("", 8),
        r#"{"lines":0,"imports":0,"symbols":0,"methods":0}"#
    );
    assert_eq!(
        structure("i1\ni2\nk1\nc1\nm1\nm2\nt1\nf1\nv1\n", 8),
        "{\"lines\":9,\"imports\":2,\"symbols\":5,\"methods\":2,\"classes\":[\"c1:4\"],\"types\":[\"t1:7\"],\
         \"functions\":[\"f1:8\"],\"variables\":[\"k1:3\",\"v1:9\"]}"
    );
}

#[test]
fn a_name_is_listed_once_and_counted_each_time() {
    assert_eq!(
        structure("f1\nf1\nf2\n", 8),
        r#"{"lines":3,"imports":0,"symbols":3,"methods":0,"functions":["f1:1","f2:3"]}"#
    );
}

#[test]
fn eight_places_and_what_becomes_of_those_left_over() {
    for (wanted, given) in [
        ([9, 9, 9, 9], [5, 0, 3, 0]),
        ([2, 9, 9, 9], [2, 3, 3, 0]),
        ([9, 9, 1, 9], [5, 0, 1, 2]),
        ([9, 9, 1, 1], [6, 0, 1, 1]),
        ([9, 9, 0, 0], [8, 0, 0, 0]),
        ([4, 9, 1, 0], [4, 3, 1, 0]),
        ([0, 0, 9, 9], [0, 0, 8, 0]),
        ([0, 0, 2, 9], [0, 0, 2, 6]),
        ([1, 1, 1, 1], [1, 1, 1, 1]),
        ([0, 0, 0, 0], [0, 0, 0, 0]),
    ] {
        assert_eq!(places(wanted, 8), given, "{wanted:?}");
    }
    assert_eq!(places([9, 9, 9, 9], 20), [5, 0, 9, 6]);
    assert_eq!(places([9, 9, 2, 2], 20), [9, 7, 2, 2]);
    assert_eq!(places([9, 9, 9, 9], 3), [3, 0, 0, 0]);
    assert_eq!(places([9, 9, 9, 9], 0), [0, 0, 0, 0]);
}
