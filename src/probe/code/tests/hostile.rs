//! Files made to hurt: deep, long, quadratic or random, parsed on the stack that callers must give.

use super::*;

/// Parses, and ends: the bound tells a parser that runs away (minutes) from one without
/// optimisation on a busy machine, which has been seen to need ten times the budget to notice
/// the deadline. What time it takes is for benchmarks to say.
fn survive(name: &'static str, source: String) -> CodeOutline {
    let budget = Duration::from_millis(300);
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    let parsed = thread.spawn(move || {
        let start = Instant::now();
        let language = language_of(name.as_bytes()).unwrap();
        let outline = parse(language, source.as_bytes(), start + budget);
        check(&outline, source.as_bytes());
        let elapsed = start.elapsed();
        assert!(elapsed < budget * 30, "{name}: {elapsed:?}");
        outline
    });
    parsed.unwrap().join().unwrap()
}

#[test]
fn brackets_without_end() {
    for (name, _) in FIXTURES {
        for (open, close) in [("(", ")"), ("[", "]"), ("{", "}")] {
            let deep = format!("x = {}", open.repeat(100_000));
            let closed = format!("{deep}{}", close.repeat(100_000));
            for source in [deep, closed] {
                let outline = survive(name, source);
                assert_eq!(outline.stopped, Some(Stop::Depth), "{name} {open}");
                assert!(!outline.complete);
            }
            survive(name, close.repeat(100_000));
            survive(name, format!("x = {}", open.repeat(10_000)));
            survive(
                name,
                format!("x = {}{}", open.repeat(10_000), close.repeat(10_000)),
            );
        }
    }
}

#[test]
fn chains_and_nests() {
    for (name, _) in FIXTURES {
        for (piece, times) in [
            (".a", 20_000),
            ("()", 20_000),
            ("- ", 20_000),
            ("x = ", 20_000),
            ("not ", 20_000),
            ("`${", 5_000),
            ("f\"{", 5_000),
            ("function f() {", 5_000),
            ("class A { a() {", 5_000),
            ("namespace a {", 5_000),
            ("export ", 20_000),
            ("declare ", 20_000),
            ("@a\n", 20_000),
            ("<a>", 5_000),
            ("x: A\n <", 5_000),
            ("func() {", 5_000),
            ("*", 20_000),
            ("chan ", 20_000),
        ] {
            survive(name, format!("x = a{}", piece.repeat(times)));
            survive(name, piece.repeat(times));
        }
        for piece in ["<a>", "<a>(", "a<b>.c", "a<b,"] {
            survive(name, format!("x = a{}", piece.repeat(90_000)));
            survive(name, piece.repeat(600_000));
        }
        let stairs: Vec<String> = (0..1200).map(|i| " ".repeat(i) + "def f():\n").collect();
        survive(name, stairs.concat());
    }
}

/// Random bytes as they come, and as pieces of code that keep a parser busy.
#[test]
fn random_texts() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % below
    };
    let bytes: Vec<u8> = (0..1_000_000)
        .map(|_| u8::try_from(next(256)).unwrap())
        .collect();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let pieces = [
        "(", ")", "{", "}", "[", "\"", "'", "`", "<", "=", "\n", "/*", "class a ", "x",
    ];
    let code: String = (0..200_000).map(|_| pieces[next(pieces.len())]).collect();
    for (name, _) in FIXTURES {
        survive(name, text.clone());
        survive(name, code.clone());
    }
}

#[test]
fn many_functions_take_linear_time() {
    for (name, _) in FIXTURES {
        let function = match *name {
            "a.py" => "def f():\n    pass\n",
            "a.go" => "func f() {}\n",
            "a.rs" => "fn f() {}\n",
            "a.c" | "a.cpp" | "a.java" => "void f() {}\n",
            "a.rb" => "def f\nend\n",
            "a.sh" => "f() { :; }\n",
            _ => "function f() {}\n",
        };
        let time = |count: usize| {
            let source = function.repeat(count);
            let start = Instant::now();
            assert_eq!(outline(name, source.as_bytes()).entries.len(), count);
            start.elapsed().max(Duration::from_millis(20))
        };
        let (few, many) = (time(5_000), time(40_000));
        assert!(many < few * 40, "{name}: {few:?} for an eighth of {many:?}");
    }
}

/// The receiver of each method would be a copy of the class's name.
#[test]
fn long_names_are_not_multiplied() {
    let class = "A".repeat(100_000);
    let javascript = format!("class {class} {{\n{}}}\n", "m() {}\n".repeat(20_000));
    let python = format!("class {class}:\n{}", " def m(): 0\n".repeat(20_000));
    for (name, source) in [
        ("a.js", &javascript),
        ("a.ts", &javascript),
        ("a.py", &python),
    ] {
        let entries = outline(name, source.as_bytes()).entries;
        assert_eq!(entries.len(), 20_001);
        let bytes: usize = entries
            .iter()
            .map(|entry| match &entry.kind {
                EntryKind::Method { receiver } => receiver.len(),
                _ => entry.name.len(),
            })
            .sum();
        assert!(bytes < 2_000_000, "{name}: {bytes}");
    }
    let deep = format!("const {}b{} = 1", "{a:[".repeat(9_000), "]}".repeat(9_000));
    assert_eq!(lines("a.js", deep.as_bytes()), "constant b 1-1\n");
}

#[test]
fn a_deadline_in_the_past_stops_at_once() {
    for (name, source) in FIXTURES {
        let long = source.repeat(20);
        let language = language_of(name.as_bytes()).unwrap();
        let outline = parse(language, long.as_bytes(), Instant::now());
        assert_eq!(outline.stopped, Some(Stop::Time), "{name}");
        assert!(!outline.complete);
    }
}
