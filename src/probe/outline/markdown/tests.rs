use super::*;
use std::time::Duration;

fn far() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

/// `##2 Name` with the level, or `key` of the frontmatter; and whether all was parsed.
fn outline(source: &str) -> (Vec<String>, bool) {
    let parsed = parse(source, far());
    let entries = parsed.entries.iter().map(|entry| match entry.kind {
        EntryKind::Heading { level } => {
            let spanned = &source[entry.start..entry.end];
            assert!(spanned.starts_with('#'), "{spanned:?}");
            format!("{level} {}", entry.name)
        }
        _ => format!("{}={}", entry.name, &source[entry.start..entry.end]),
    });
    (entries.collect(), parsed.complete)
}

fn lists(source: &str, expected: &[&str]) {
    assert_eq!(
        outline(source),
        (expected.iter().map(|&e| e.to_owned()).collect(), true),
        "{source:?}"
    );
}

#[test]
fn what_is_a_heading() {
    lists("", &[]);
    lists("# A\n## B\n###### F\n####### G\n", &["1 A", "2 B", "6 F"]);
    lists("#A\n#\tB\n   # C\n    # D\n\t# E\n", &["1 B", "1 C"]);
    lists(
        "# A #\n# B ##   \n# C#\n# D \\#\n# #\n#\n## ##\n# E # F\n",
        &["1 A", "1 B", "1 C#", "1 D \\#", "1 E # F"],
    );
    lists(
        "#  `a`  *b* [c](d) <!-- e -->\n",
        &["1 `a`  *b* [c](d) <!-- e -->"],
    );
    lists("A\n===\n\nB\n---\n", &[]);
    lists("#A\n===\n", &[]);
    lists("text\n# A\ntext\n", &["1 A"]);
    lists("# A\\\n# B", &["1 A\\", "1 B"]);
    lists("# né € \u{a0}\n", &["1 né € \u{a0}"]);
}

#[test]
fn what_only_looks_like_one() {
    lists("```\n# A\n```\n# B\n", &["1 B"]);
    lists("~~~ sh\n# A\n```\n# A\n~~~~\n# B\n", &["1 B"]);
    lists("```\n# A\n", &[]);
    lists("<!--\n# A\n-->\n# B\n", &["1 B"]);
    lists("<div>\n# A\n</div>\n\n# B\n", &["1 B"]);
    lists("<pre>\n\n# A\n\n</pre>\n# B\n", &["1 B"]);
    lists("- a\n\n      # A\n", &[]);
}

#[test]
fn quotes_and_lists_count() {
    lists(
        "> # A\n> > ## B\n- # C\n  - ## D ##\n1. # E\n\n   # F\n",
        &["1 A", "2 B", "1 C", "2 D", "1 E", "1 F"],
    );
    lists("> ```\n> # A\n\n# B\n", &["1 B"]);
}

#[test]
fn every_line_end() {
    for end in ["\n", "\r\n", "\r"] {
        let source = [
            "---", "a: 1", "b: x", "---", "# A #", "```", "# no", "```", "text", "## B", "> ### C",
            "",
        ]
        .join(end);
        lists(&source, &["a=a: 1", "b=b: x", "1 A", "2 B", "3 C"]);
    }
    lists("# A\r\r\n# B\n\r# C", &["1 A", "1 B", "1 C"]);
}

#[test]
fn frontmatter_is_closed_and_comes_first() {
    lists("---\na: 1\n--- \n# A\n", &["a=a: 1", "1 A"]);
    lists("\u{feff}---\na: 1\n---\n# A\n", &["a=a: 1", "1 A"]);
    lists("---\n# no heading\na: [1,\n 2]\n---\n", &["a=a: [1,\n 2]"]);
    lists("---\n---\n# A\n", &["1 A"]);
    lists("---\na: 1\n# A\n", &["1 A"]);
    lists("\n---\na: 1\n---\n# A\n", &["1 A"]);
    lists("----\na: 1\n---\n", &[]);
    lists("---\na: 1\n ---\n# A\n", &["1 A"]);
    lists("---\ntext\n---\n", &[]);
}

#[test]
fn frontmatter_that_is_no_yaml_is_incomplete() {
    for source in ["---\na: 1\nb: [\n---\n# A\n", "---\na: 1\na: 2\n---\n# A\n"] {
        let (entries, complete) = outline(source);
        assert!(!complete, "{source:?}");
        assert_eq!(entries.first().map(String::as_str), Some("a=a: 1"));
        assert_eq!(entries.last().map(String::as_str), Some("1 A"));
    }
}

#[test]
fn hostile_texts_end() {
    let deep = 100_000;
    for source in [
        ">".repeat(deep),
        "> ".repeat(deep) + "# A",
        "- ".repeat(deep) + "# A",
        "1. ".repeat(deep),
        "[".repeat(deep),
        "![".repeat(deep),
        "`".repeat(deep),
        (0..450).map(|n| "`".repeat(n) + " ").collect(),
        "*a_ ".repeat(deep),
        "*".repeat(deep),
        "<".repeat(deep),
        "<!--".repeat(deep),
        "<?".repeat(deep),
        "<![CDATA[".repeat(deep),
        "[a](".repeat(deep),
        "[a]: <".repeat(deep),
        "[a](<b".repeat(deep),
        "[a]: b\n".repeat(deep),
        "~~~\n".repeat(deep),
        "&".repeat(deep),
        "\\".repeat(deep),
        "# a\n".repeat(deep),
        "\r".repeat(deep),
        "> \n".repeat(deep),
        "- ".repeat(deep) + "a" + &"\na".repeat(deep),
        "- ".repeat(deep) + "```" + &"\n".repeat(deep),
        "> ".repeat(deep) + "<div>" + &"\n>".repeat(deep),
        (0..1000).map(|n| "  ".repeat(n) + "- a\n").collect(),
        (0..1000).map(|n| ">".repeat(n) + " a\n").collect(),
    ] {
        let start = Instant::now();
        let parsed = parse(&source, far());
        let head = &source[..source.len().min(10)];
        assert!(start.elapsed().as_secs() < 20, "{head:?}");
        assert!(parsed.entries.len() < 100_001, "{head:?}");
    }
}
