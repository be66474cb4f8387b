use super::*;

fn far() -> Instant {
    Instant::now() + std::time::Duration::from_mins(1)
}

/// `name=spanned text`, a key each, and whether the text is valid.
fn keys(text: &str) -> (Vec<String>, bool) {
    let found = top_level_keys(text, far());
    let show = |key: &Key| format!("{}={}", key.name, &text[key.start..key.end]);
    (found.list.iter().map(show).collect(), found.valid)
}

fn valid(text: &str, expected: &[&str]) {
    let (found, valid) = keys(text);
    assert_eq!(found, expected, "{text:?}");
    assert!(valid, "{text:?}");
}

#[test]
fn keys_and_the_reach_of_their_values() {
    valid("", &[]);
    valid("just text\n", &[]);
    valid("- a\n- b: 1\n", &[]);
    valid("a: 1\nb:\n", &["a=a: 1", "b=b"]);
    // Within its line the end may reach over a comment; rows are the same.
    valid(
        "a: 'x' # note\nb: \"y\"\n",
        &["a=a: 'x' # note", "b=b: \"y\""],
    );
    valid(
        "a: 'x'\n# note\nb: \"y\"\n\n# note\n",
        &["a=a: 'x'", "b=b: \"y\""],
    );
    valid(
        "a: 'x\n\n  y'\n\nb: y\n  z\n# note\n",
        &["a=a: 'x\n\n  y'", "b=b: y\n  z"],
    );
    valid(
        "a: {x: 1, # }\n  # }\n } # n\n\nb: [x,\n ]\nc: {x: 1, y,\n}\n",
        &[
            "a=a: {x: 1, # }\n  # }\n }",
            "b=b: [x,\n ]",
            "c=c: {x: 1, y,\n}",
        ],
    );
    valid("a:\n\nb: 1\nc:\n# n\n", &["a=a", "b=b: 1", "c=c"]);
    valid(
        "a: ~\nb:\n  - x\n  - c:\n\nc: 1\n",
        &["a=a: ~", "b=b:\n  - x\n  - c", "c=c: 1"],
    );
    valid("{a: 1}: 2\n", &[]);
    valid(
        "a: [x]\n# note\nb: {}\n\n# note\n",
        &["a=a: [x]", "b=b: {}"],
    );
    valid(
        "a:\n  - 1\n  - 2\n\n# note\nb: x\n",
        &["a=a:\n  - 1\n  - 2", "b=b: x"],
    );
    valid(
        "a:\n  b:\n    c: 1\nd: 2\n",
        &["a=a:\n  b:\n    c: 1", "d=d: 2"],
    );
    valid(
        "a: [1,\n  2\n ]\nb: {x: 1,\n }\n",
        &["a=a: [1,\n  2\n ]", "b=b: {x: 1,\n }"],
    );
    valid(
        "a: |\n  x\n\n  y\n\nb: >-\n  z\n",
        &["a=a: |\n  x\n\n  y", "b=b: >-\n  z"],
    );
    valid("{a: 1, b: 2}\n", &["a=a: 1", "b=b: 2"]);
    valid("é: ü\nß: 𝄞\n", &["é=é: ü", "ß=ß: 𝄞"]);
    valid("a: &x 1\nb: *x\n", &["a=a: &x 1", "b=b: *x"]);
    valid("a: 1\r\nb: 2\r\n", &["a=a: 1", "b=b: 2"]);
    valid("? a\n: 1\n? [x, y]\n: 2\n", &["a=a\n: 1"]);
    valid("a: 1\n---\n- x\n- {y: z}\n", &["a=a: 1"]);
    valid("a: 1\n---\nb: 2\n", &["a=a: 1", "b=b: 2"]);
    valid("1: a\n'1': b\n", &["1=1: a", "1='1': b"]);
}

#[test]
fn what_is_broken_is_invalid_and_gives_what_came_before() {
    for text in [
        "a: 1\nb: [\n",
        "a: 1\nb: 2\n c: 3\n",
        "a: 1\nb: 'x\n",
        "a: 1\nb: *nowhere\n",
        "a: 1\n\tb: 2\n",
        "a: 1\na: 2\n",
        "a: 1\nb: {x: 1, x: 2}\n",
        "a: 1\nb:\n  - c: 1\n    c: 2\n",
    ] {
        let (found, valid) = keys(text);
        assert!(!valid, "{text:?}");
        assert!(
            found.first().is_some_and(|key| key.starts_with("a=a")),
            "{text:?}"
        );
    }
}

fn lines(count: usize, line: fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn hostile_texts_end() {
    for text in [
        "[".repeat(100_000),
        "{".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        "a: ".repeat(100_000),
        "&a ".repeat(100_000),
        "!".repeat(100_000),
        lines(20_000, |n| " ".repeat(n % 300) + "a:\n"),
        lines(400, |n| " ".repeat(n) + "a:\n"),
    ] {
        let start = Instant::now();
        top_level_keys(&text, far());
        assert!(start.elapsed().as_secs() < 20, "{:?}", &text[..10]);
    }
}
