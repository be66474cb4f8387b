use super::*;
use std::time::Duration;

fn far() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

/// `pointer type text` for each entry, and whether all was parsed.
fn outline(source: &str) -> (Vec<String>, bool) {
    let parsed = parse(source, far());
    let show = |entry: &Entry| {
        let EntryKind::Json { value_type } = entry.kind else {
            return "no JSON".to_owned();
        };
        format!(
            "{} {value_type} {}",
            entry.name,
            &source[entry.start..entry.end]
        )
    };
    (parsed.entries.iter().map(show).collect(), parsed.complete)
}

fn complete(source: &str, expected: &[&str]) {
    assert_eq!(
        outline(source),
        (expected.iter().map(|&e| e.to_owned()).collect(), true),
        "{source}"
    );
}

fn recovered(source: &str, expected: &[&str]) {
    assert_eq!(
        outline(source),
        (expected.iter().map(|&e| e.to_owned()).collect(), false),
        "{source}"
    );
}

#[test]
fn valid_texts() {
    complete("", &[]);
    complete(" \r\n\t", &[]);
    complete("null", &[" null null"]);
    complete("\u{feff}true", &[" boolean true"]);
    complete("[]", &[" array []"]);
    complete(
        r#" {"a":[1,"x"],"b":{"c":null}} "#,
        &[
            r#" object {"a":[1,"x"],"b":{"c":null}}"#,
            r#"/a array [1,"x"]"#,
            "/a/0 number 1",
            r#"/a/1 string "x""#,
            r#"/b object {"c":null}"#,
            "/b/c null null",
        ],
    );
    complete(
        r#"{"a/b~c":1,"":2,"\u00e9\ud834\udd1e\n\/":3,"a/b~c":4}"#,
        &[
            r#" object {"a/b~c":1,"":2,"\u00e9\ud834\udd1e\n\/":3,"a/b~c":4}"#,
            "/a~1b~0c number 1",
            "/ number 2",
            "/é𝄞\n~1 number 3",
            "/a~1b~0c number 4",
        ],
    );
    complete(
        "[-0,1.5e+3,0.1E-2,10]",
        &[
            " array [-0,1.5e+3,0.1E-2,10]",
            "/0 number -0",
            "/1 number 1.5e+3",
            "/2 number 0.1E-2",
            "/3 number 10",
        ],
    );
    complete(
        r#"{"\ud800":1}"#,
        &[r#" object {"\ud800":1}"#, "/\u{fffd} number 1"],
    );
}

#[test]
fn commas_are_the_index() {
    recovered("[1,,2]", &[" array [1,,2]", "/0 number 1", "/2 number 2"]);
    recovered("[,1]", &[" array [,1]", "/1 number 1"]);
    recovered("[1,]", &[" array [1,]", "/0 number 1"]);
    recovered(
        "[1 2,3]",
        &[
            " array [1 2,3]",
            "/0 number 1",
            "/0 number 2",
            "/1 number 3",
        ],
    );
    recovered(
        "[x,[y,1]]",
        &[" array [x,[y,1]]", "/1 array [y,1]", "/1/1 number 1"],
    );
}

#[test]
fn broken_objects() {
    recovered(r#"{"a":1,}"#, &[r#" object {"a":1,}"#, "/a number 1"]);
    recovered(r#"{"a" 1}"#, &[r#" object {"a" 1}"#, "/a number 1"]);
    recovered(
        r#"{"a":,"b":2}"#,
        &[r#" object {"a":,"b":2}"#, "/b number 2"],
    );
    recovered(r#"{"a","b":2}"#, &[r#" object {"a","b":2}"#, "/b number 2"]);
    recovered(
        r#"{"a":1 "b":2}"#,
        &[r#" object {"a":1 "b":2}"#, "/a number 1", "/b number 2"],
    );
    recovered(
        "{a:1,'b':'x',2:3}",
        &[
            " object {a:1,'b':'x',2:3}",
            "/a number 1",
            "/b string 'x'",
            "/2 number 3",
        ],
    );
    recovered(r#"{"a"::1}"#, &[r#" object {"a"::1}"#, "/a number 1"]);
    recovered(
        r#"{"a":undefined,"b":1}"#,
        &[r#" object {"a":undefined,"b":1}"#, "/b number 1"],
    );
    recovered(
        r#"{[1,{"x":2}],"b":3}"#,
        &[r#" object {[1,{"x":2}],"b":3}"#, "/b number 3"],
    );
}

#[test]
fn brackets_that_do_not_match() {
    recovered("[1,2", &[" array [1,2", "/0 number 1", "/1 number 2"]);
    recovered(
        "{\"a\":[1,2\n",
        &[
            " object {\"a\":[1,2",
            "/a array [1,2",
            "/a/0 number 1",
            "/a/1 number 2",
        ],
    );
    recovered(
        r#"{"a":[1,2}"#,
        &[
            r#" object {"a":[1,2}"#,
            "/a array [1,2",
            "/a/0 number 1",
            "/a/1 number 2",
        ],
    );
    recovered("[1}]", &[" array [1}]", "/0 number 1"]);
    recovered("][1]", &[" array [1]", "/0 number 1"]);
    recovered("{\"a\":", &[" object {\"a\":"]);
    recovered("{\"a", &[" object {\"a"]);
}

#[test]
fn what_people_write_instead() {
    recovered(
        "// note {\n{ /* [ */ \"a\": 1, // \"b\"\r \"c\": +1 }",
        &[
            " object { /* [ */ \"a\": 1, // \"b\"\r \"c\": +1 }",
            "/a number 1",
            "/c number +1",
        ],
    );
    recovered(
        "[01,1.,.5,-]",
        &[
            " array [01,1.,.5,-]",
            "/0 number 01",
            "/1 number 1.",
            "/2 number .5",
        ],
    );
    recovered(
        "[\"a\nb\", 1]",
        &[" array [\"a\nb\", 1]", "/0 string \"a", "/0 string \", 1]"],
    );
    recovered("[\"a\tb\"]", &[" array [\"a\tb\"]", "/0 string \"a\tb\""]);
    recovered(
        r#"["\x","\u12"]"#,
        &[
            r#" array ["\x","\u12"]"#,
            r#"/0 string "\x""#,
            r#"/1 string "\u12""#,
        ],
    );
    recovered("/", &[]);
    recovered("/* open", &[]);
    recovered("[\"é\\é\\", &[" array [\"é\\é\\", "/0 string \"é\\é\\"]);
}

#[test]
fn only_the_first_root_counts() {
    recovered("1 2", &[" number 1"]);
    recovered("{}\n{}", &[" object {}"]);
    recovered("{}]", &[" object {}"]);
    recovered("x {}", &[" object {}"]);
    recovered(",[]", &[" array []"]);
    recovered("{} // c", &[" object {}"]);
    complete("{}\n\n", &[" object {}"]);
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    for source in [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(1 << 18),
        "[{".repeat(1 << 19),
        "[".repeat(1 << 19) + &"}".repeat(1 << 19),
        "[".repeat(1 << 19) + &"]".repeat(1 << 19),
        "{\"".to_owned() + &"k".repeat(1 << 16) + "\":[" + &"1,".repeat(1 << 18),
        "]".repeat(1 << 20),
        "\"".repeat(1 << 20),
        "/".repeat(1 << 20),
        "/*".repeat(1 << 19),
        "[\"\\".repeat(1 << 18),
        "0,".repeat(1 << 19),
        ":".repeat(1 << 20),
    ] {
        let start = Instant::now();
        let parsed = parse(&source, far());
        assert!(start.elapsed().as_secs() < 20, "{:?}", &source[..10]);
        let names: usize = parsed.entries.iter().map(|entry| entry.name.len()).sum();
        assert!(
            parsed.entries.len() < 1100 && names < 4 * RECORDED_BYTES,
            "{:?}",
            &source[..10]
        );
    }
}

#[test]
fn a_deep_text_that_is_valid_is_complete() {
    let source = "[".repeat(100_000) + &"]".repeat(100_000);
    let parsed = parse(&source, far());
    assert!(parsed.complete);
    assert_eq!(parsed.entries.first().map(|root| root.end), Some(200_000));
    assert_eq!(
        parsed.entries.get(100).map(|deep| (deep.start, deep.end)),
        Some((100, 199_900))
    );
}

#[test]
fn a_passed_deadline_stops_the_parser() {
    let source = format!("[{}0]", "0,".repeat(10_000));
    let parsed = parse(&source, Instant::now());
    assert_eq!(parsed.stopped, Some(Stopped::Time));
    assert!(!parsed.complete && !parsed.entries.is_empty());
}
