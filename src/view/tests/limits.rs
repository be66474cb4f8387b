//! Limits on reading and listing.

use super::super::door::Patience;
use super::*;

const RULES: &str = "[limits]\nmax_file_bytes = 4\nmax_list_entries = 3\n";

#[test]
fn a_file_past_the_limit_is_described_and_not_read() {
    let folder = tree(&[("four", "1234"), ("five.md", "# T\n\n"), ("grows", "1")]);
    let view = view_with(folder.path(), RULES, Settings::default());
    assert_eq!(text(&view, "four"), "1234");
    let five = find(&view, "five.md").unwrap().attributes;
    assert_eq!(view.open(five.node), Err(Error::TooLarge));
    assert_eq!(five.size, 5);
    assert!(text(&view, "five.md.inspect.json").contains("\"size_bytes\":5,"));
    assert!(text(&view, "five.md.outline.json").contains("\"T\""));
    let grows = find(&view, "grows").unwrap().attributes.node;
    let open = view.open(grows).unwrap().handle;
    fs::write(folder.path().join("grows"), "12345").unwrap();
    assert_eq!(view.read(grows, open, 0, 1), Err(Error::TooLarge));
}

#[test]
fn a_long_listing_is_cut_by_name_and_says_so() {
    let folder = tree(&[
        ("d/c", ""),
        ("d/b", ""),
        ("d/a", ""),
        ("d/.env", ""),
        ("d/e", ""),
        ("three/a", ""),
        ("three/b", ""),
        ("three/c", ""),
        ("three/.env", ""),
    ]);
    let view = view_with(folder.path(), RULES, Settings::default());
    let listed = |path: &str| {
        let node = find(&view, path).unwrap().attributes.node;
        let listing = view.list(node, Patience::of_a_request()).unwrap().unwrap();
        let mut names = Vec::new();
        view.fill(node, Handle::NONE, &listing, 2, Detail::Names, |entry| {
            names.push(String::from_utf8(entry.name.to_vec()).unwrap());
            Room::Left
        })
        .unwrap();
        names.sort();
        names
    };
    assert_eq!(listed("d"), ["a", "b", "c"]);
    assert_eq!(listed("three"), ["a", "b", "c"]);
    assert!(find(&view, "d/e").is_ok(), "what is not listed is there");
    let summary = text(&view, "d/.inspect.json");
    assert!(summary.contains("\"files\":4,"), "{summary}");
    assert!(summary.contains("\"listed\":3"), "{summary}");
    let summary = text(&view, "three/.inspect.json");
    assert!(!summary.contains("listed"), "hidden entries do not count");
}
