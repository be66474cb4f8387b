//! Names that are alike: what a mistyped one may have meant.
//!
//! The ratio of Ratcliff and Obershelp, as Python's `difflib` computes it with its `autojunk`
//! off. Bounds that cost a pass over a name (its length and its letters) come first, so that a
//! folder of 100,000 names costs little.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// How many names are suggested.
const SUGGESTED: usize = 3;
/// How many names are compared in full; the bound puts the best of them first.
const COMPARED: usize = 128;
/// More than a file name has; longer ones are not compared.
const MAX_CHARACTERS: usize = 512;

/// Up to three of `names` that are alike enough to `asked` (ratio at least 0.5), best first,
/// equal ones by name.
pub fn similar<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let asked = Asked::new(asked);
    if asked.characters.len() > MAX_CHARACTERS {
        return Vec::new();
    }
    let mut promising: BinaryHeap<Reverse<(Ratio, Reverse<&str>)>> = BinaryHeap::new();
    for name in names {
        let Some(bound) = asked.bound(name).filter(Ratio::is_enough) else {
            continue;
        };
        promising.push(Reverse((bound, Reverse(name))));
        if promising.len() > COMPARED {
            promising.pop();
        }
    }
    let mut best: Vec<(Reverse<Ratio>, &str)> = Vec::new();
    // Highest bound first.
    for Reverse((bound, Reverse(name))) in promising.into_sorted_vec() {
        if let Some((Reverse(worst), _)) = best.get(SUGGESTED - 1)
            && bound < *worst
        {
            break;
        }
        let ratio = asked.ratio(name);
        if ratio.is_enough() {
            best.push((Reverse(ratio), name));
            best.sort_unstable();
            best.truncate(SUGGESTED);
        }
    }
    best.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// `2 * matched / total`, compared exactly.
#[derive(Debug, Clone, Copy)]
struct Ratio {
    matched: u64,
    total: u64,
}

impl Ratio {
    fn new(matched: usize, total: usize) -> Self {
        if total == 0 {
            // Two empty names are the same.
            return Self {
                matched: 1,
                total: 2,
            };
        }
        Self {
            matched: matched as u64,
            total: total as u64,
        }
    }

    fn is_enough(&self) -> bool {
        4 * self.matched >= self.total
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.matched * other.total).cmp(&(other.matched * self.total))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ratio {}

struct Asked {
    characters: Vec<char>,
    /// Where each character stands, in order.
    places: HashMap<char, Vec<usize>>,
    /// How often each ASCII character stands in it: most names need nothing else.
    ascii: [usize; 128],
}

impl Asked {
    fn new(asked: &str) -> Self {
        let characters: Vec<char> = asked.chars().collect();
        let mut places: HashMap<char, Vec<usize>> = HashMap::new();
        for (at, character) in characters.iter().enumerate() {
            places.entry(*character).or_default().push(at);
        }
        let mut ascii = [0; 128];
        for character in &characters {
            if let Some(count) = ascii.get_mut(*character as usize) {
                *count += 1;
            }
        }
        Self {
            characters,
            places,
            ascii,
        }
    }

    /// No ratio is above what lengths and shared letters allow; `None` if that is too little.
    fn bound(&self, name: &str) -> Option<Ratio> {
        let length = name.chars().count();
        let total = length + self.characters.len();
        let by_length = Ratio::new(length.min(self.characters.len()), total);
        if length > MAX_CHARACTERS || !by_length.is_enough() {
            return None;
        }
        let mut left = self.ascii;
        let mut used: HashMap<char, usize> = HashMap::new();
        let mut shared = 0;
        for character in name.chars() {
            if let Some(left) = left.get_mut(character as usize) {
                shared += usize::from(*left > 0);
                *left = left.saturating_sub(1);
            } else if let Some(places) = self.places.get(&character) {
                let used = used.entry(character).or_default();
                *used += 1;
                shared += usize::from(*used <= places.len());
            }
        }
        Some(Ratio::new(shared, total))
    }

    fn ratio(&self, name: &str) -> Ratio {
        let name: Vec<char> = name.chars().collect();
        let mut matched = 0;
        let mut spans = vec![(0, name.len(), 0, self.characters.len())];
        while let Some((a_low, a_high, b_low, b_high)) = spans.pop() {
            let (a, b, length) = self.longest_match(&name, (a_low, a_high), (b_low, b_high));
            if length == 0 {
                continue;
            }
            matched += length;
            if a_low < a && b_low < b {
                spans.push((a_low, a, b_low, b));
            }
            if a + length < a_high && b + length < b_high {
                spans.push((a + length, a_high, b + length, b_high));
            }
        }
        Ratio::new(matched, name.len() + self.characters.len())
    }

    /// The longest run that the two spans share: where it starts in each, and its length. The
    /// first one in the name wins, then the first one in what was asked, as in `difflib`.
    fn longest_match(
        &self,
        name: &[char],
        (a_low, a_high): (usize, usize),
        (b_low, b_high): (usize, usize),
    ) -> (usize, usize, usize) {
        let mut best = (a_low, b_low, 0);
        // Length of the run that ends at each place of what was asked, one past it.
        let mut lengths = vec![0_usize; self.characters.len() + 1];
        let mut touched: Vec<usize> = Vec::new();
        for (a, character) in name.iter().enumerate().take(a_high).skip(a_low) {
            let places = self.places.get(character).map_or(&[][..], Vec::as_slice);
            let mut next: Vec<(usize, usize)> = Vec::with_capacity(places.len());
            for &b in places.iter().filter(|&&b| b_low <= b && b < b_high) {
                let length = lengths[b] + 1;
                next.push((b + 1, length));
                if length > best.2 {
                    best = (a + 1 - length, b + 1 - length, length);
                }
            }
            for place in touched.drain(..) {
                lengths[place] = 0;
            }
            for (place, length) in next {
                lengths[place] = length;
                touched.push(place);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests;
