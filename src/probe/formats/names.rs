//! Lists of names in structures: capped, each name once, and nothing cut without a count.

use super::super::report::{Finding, Reason};
use serde::Serialize;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// How many items a list has at most.
pub(super) const LISTED: usize = 20;
/// How many characters a name has at most.
const NAME_CHARACTERS: usize = 120;

/// Names in the order they came, each once; at most 20 are kept, all are counted.
#[derive(Debug, Default)]
pub(super) struct DistinctNames {
    pub(super) listed: Vec<String>,
    /// Hashes under a random key: 64 bits keep a count honest without keeping every name.
    seen: HashSet<u64>,
    hasher: RandomState,
}

impl DistinctNames {
    pub(super) fn add(&mut self, name: &str) {
        if self.seen.insert(self.hasher.hash_one(name)) && self.listed.len() < LISTED {
            self.listed.push(capped(name));
        }
    }

    pub(super) fn count(&self) -> usize {
        self.seen.len()
    }
}

/// The structure of formats that have keys and lines.
#[derive(Serialize)]
struct KeysAndLines {
    keys: Vec<String>,
    key_count: usize,
    lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_complete: Option<bool>,
}

/// What is said of a text with these top-level `keys`; not `complete` where the parser had to
/// recover or stopped.
pub(super) fn keys_and_lines(
    keys: DistinctNames,
    lines: u64,
    complete: bool,
    reason: Option<Reason>,
) -> Finding {
    let structure = KeysAndLines {
        key_count: keys.count(),
        keys: keys.listed,
        lines,
        parse_complete: (!complete).then_some(false),
    };
    Finding::new(&structure, reason)
}

/// `name` in at most 120 characters; a longer one ends in `…+N`, N being what is left out.
pub(super) fn capped(name: &str) -> String {
    let Some((cut, _)) = name.char_indices().nth(NAME_CHARACTERS) else {
        return name.to_owned();
    };
    let total = NAME_CHARACTERS + name[cut..].chars().count();
    // The mark takes room, and its length depends on the number in it.
    let mut kept = NAME_CHARACTERS;
    loop {
        let mark = format!("…+{}", total - kept);
        if kept + mark.chars().count() <= NAME_CHARACTERS {
            return name.chars().take(kept).chain(mark.chars()).collect();
        }
        kept -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_say_how_much_is_left_out() {
        assert_eq!(capped(&"é".repeat(120)), "é".repeat(120));
        assert_eq!(capped(&"é".repeat(121)), format!("{}…+4", "é".repeat(117)));
        let long = capped(&"é".repeat(1117));
        assert_eq!(long, format!("{}…+1003", "é".repeat(114)));
    }

    #[test]
    fn names_are_listed_once_and_all_are_counted() {
        let mut names = DistinctNames::default();
        for number in 0..100 {
            names.add(&format!("n{}", number % 50));
        }
        assert_eq!((names.listed.len(), names.count()), (20, 50));
        assert_eq!(names.listed.last().map(String::as_str), Some("n19"));
    }
}
