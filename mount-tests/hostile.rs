//! Hostile content and scarce resources: every document stays small, comes in time and tells
//! no source text, and the view goes on serving.

use crate::harness::{PATIENCE, View, is_mounted, process_id, read_line, require_fuse};
use crate::processes::{binary, run, wait};
use crate::workspace::Workspace;
use rustix::process::Signal;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Two seconds are the hard bound of a parse; the rest is for a busy machine.
const IN_TIME: Duration = Duration::from_secs(6);

/// Bytes without order, the same each time (a linear congruential generator).
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        })
        .collect()
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// Code that nests just below the size that parsers take: as deep as a recursion could ever
/// be led.
fn chains() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for extension in ["py", "ts", "go"] {
        for (name, unit) in [
            ("fields", ".a"),
            ("calls", "()"),
            ("nots", "not "),
            ("chained", "x = "),
            ("functions", "function f() {"),
            ("classes", "class A { a() {"),
            ("tags", "<a>"),
            ("stars", "*"),
        ] {
            let text = "x = a".to_owned() + &unit.repeat(1_900_000 / unit.len());
            all.push((format!("{name}.{extension}"), text.into()));
        }
    }
    all
}

fn menagerie() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(&str, Vec<u8>)> = vec![
        ("deep-array.json", "[".repeat(1_000_000).into()),
        ("deep-object.json", "{\"a\":".repeat(200_000).into()),
        (
            "closed.json",
            ("[".repeat(100_000) + &"]".repeat(100_000)).into(),
        ),
        ("wide.json", format!("[{}0]", "0,".repeat(900_000)).into()),
        (
            "long-key.json",
            format!("{{\"{}\":1}}", "k".repeat(900_000)).into(),
        ),
        ("deep.jsonl", "[".repeat(500_000).into()),
        ("one-line.js", "a=1;".repeat(700_000).into()),
        ("ten-megabytes.py", "def f(): pass\n".repeat(750_000).into()),
        (
            "names.py",
            numbered(60_000, |n| {
                format!(
                    "v{n} = 1
"
                )
            })
            .into(),
        ),
        (
            "long-name.py",
            format!("def {}(): pass\n", "f".repeat(500_000)).into(),
        ),
        (
            "indents.py",
            numbered(3000, |n| {
                " ".repeat(n)
                    + "if x:
"
            })
            .into(),
        ),
        (
            "open-quote.csv",
            ("\"".to_owned() + &"a,\n".repeat(500_000)).into(),
        ),
        ("columns.csv", ",".repeat(1_000_000).into()),
        ("hashes.md", "#".repeat(1_000_000).into()),
        ("quotes.md", ">".repeat(200_000).into()),
        ("lists.md", "- ".repeat(50_000).into()),
        ("links.md", "[".repeat(100_000).into()),
        ("emphasis.md", "*a ".repeat(200_000).into()),
        (
            "front.md",
            format!("---\n{}\n---\n", "a: &a [*a]\n".repeat(20_000)).into(),
        ),
        (
            "brackets.toml",
            format!("a = {}", "[".repeat(300_000)).into(),
        ),
        ("flow.yaml", "[".repeat(300_000).into()),
        ("dashes.yaml", "- ".repeat(100_000).into()),
        (
            "deep.ipynb",
            format!("{{\"cells\":{}", "[".repeat(300_000)).into(),
        ),
        (
            "wide16.txt",
            [b"\xff\xfe".to_vec(), vec![0x3d, 0xd8]]
                .concat()
                .repeat(1000),
        ),
        ("nul.py", b"x = 1\n\0\0\0".to_vec()),
    ];
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    for extension in ["py", "js", "ts", "tsx", "go", "rs", "c", "java", "sh", "rb"] {
        for (name, unit) in [
            ("parens", "("),
            ("braces", "{"),
            ("generics", "a<"),
            ("strings", "\""),
        ] {
            all.push((format!("{name}.{extension}"), unit.repeat(100_000).into()));
        }
    }
    all.extend(chains());
    for extension in [
        "py", "js", "ts", "go", "json", "jsonl", "csv", "tsv", "md", "yaml", "toml", "ini",
        "ipynb", "txt",
    ] {
        let text: Vec<u8> = noise(300_000).iter().map(|byte| 32 + byte % 95).collect();
        all.push((format!("noise.{extension}"), noise(300_000)));
        all.push((format!("text-noise.{extension}"), text));
    }
    all.extend(
        files
            .drain(..)
            .map(|(name, bytes)| (name.to_owned(), bytes)),
    );
    all
}

#[test]
fn no_content_hurts_the_view() {
    let workspace = Workspace::of(&[("plain.txt", "plain\n")]);
    let files = menagerie();
    for (name, content) in &files {
        workspace.file(name, content);
    }
    let view = View::mount(workspace);
    for (name, _) in &files {
        for (suffix, most) in [(".inspect.json", 16_384), (".outline.json", 65_536)] {
            let start = Instant::now();
            let sidecar = format!("{name}{suffix}");
            let size = view.stat(&sidecar).len();
            let document = view.read(&sidecar);
            assert!(
                start.elapsed() < IN_TIME,
                "{sidecar}: {:?}",
                start.elapsed()
            );
            assert_eq!(size, document.len() as u64, "{sidecar}");
            assert!(document.len() <= most, "{sidecar}: {size} bytes");
            assert_eq!(memchr::memchr(b'\n', &document), Some(document.len() - 1));
            serde_json::from_slice::<serde_json::Value>(&document)
                .unwrap_or_else(|error| panic!("{sidecar}: {error}"));
        }
    }
    assert_eq!(view.read("plain.txt"), b"plain\n");
    assert_eq!(view.summary("plain.txt")["structure"]["lines"], 1);
    assert_eq!(view.log(), "");
}

/// What is no name, header, key or heading.
const BODY: &str = "zq8body";

#[test]
fn documents_carry_no_source_text() {
    let b = BODY;
    let files = [
        (
            "a.py",
            format!(
                "\"\"\"{b}\"\"\"\nx = \"{b}\"  # {b}\ndef f(p=\"{b}\"):\n    {b} = 1\n@d(\"{b}\")\nclass C:\n    def m(self): return {b}\n"
            ),
        ),
        (
            "a.js",
            format!(
                "// {b}\nconst x = \"{b}\";\nfunction f(p = `{b}`) {{ let {b} = 1; }}\nclass C {{ m() {{ return \"{b}\" }} }}\n"
            ),
        ),
        (
            "a.ts",
            format!(
                "/* {b} */\nexport const x: string = \"{b}\";\nexport function f(p: string): void {{ let {b} = 1 }}\nenum E {{ A = \"{b}\" }}\n"
            ),
        ),
        (
            "a.go",
            format!("// {b}\npackage p\nvar x = \"{b}\"\nfunc F() {{\n\t{b} := 1\n\t_ = {b}\n}}\n"),
        ),
        (
            "a.rs",
            format!("//! {b}\npub fn f() {{ let {b} = \"{b}\"; }}\n"),
        ),
        ("a.csv", format!("h1,h2\n{b},2\n\"{b}\n{b}\",3\n")),
        ("a.json", format!("{{\"k\":\"{b}\",\"l\":[\"{b}\"]}}")),
        ("bad.json", format!("{{\"k\":\"{b}\",\"l\":{b}")),
        ("scalar.json", format!("\"{b}\"")),
        ("a.jsonl", format!("{{\"k\":\"{b}\"}}\n{{\"k\":\"{b}\"}}\n")),
        (
            "a.md",
            format!("---\ntitle: {b}\n---\n# Head\n\n{b}\n\n```\n# {b}\n```\n\n- {b}\n"),
        ),
        ("a.yaml", format!("# {b}\nk: {b}\nl:\n  - {b}\n")),
        (
            "a.toml",
            format!("# {b}\nk = \"{b}\"\n[t]\nl = [\"{b}\"]\n"),
        ),
        ("a.ini", format!("; {b}\n[s]\nk={b}\n")),
        ("a.txt", format!("{b}\n{b}\n")),
        (
            "a.ipynb",
            format!(
                "{{\"cells\":[{{\"cell_type\":\"code\",\"source\":[\"x = '{b}'\"],\"outputs\":[\"{b}\"]}},{{\"cell_type\":\"markdown\",\"source\":[\"# Head\\n{b}\"]}}],\"metadata\":{{}},\"nbformat\":4}}"
            ),
        ),
        ("noext", b.to_owned()),
    ];
    let workspace = Workspace::new();
    for (name, content) in &files {
        workspace.file(name, content);
    }
    workspace.link("link", BODY);
    let view = View::mount(workspace);
    for (name, _) in &files {
        for suffix in [".inspect.json", ".outline.json"] {
            let document = String::from_utf8(view.read(format!("{name}{suffix}"))).unwrap();
            assert!(!document.contains(BODY), "{name}{suffix}: {document}");
        }
    }
    let document = String::from_utf8(view.read("link.inspect.json")).unwrap();
    assert!(!document.contains(BODY), "{document}");
    assert!(
        !String::from_utf8(view.read(".inspect.json"))
            .unwrap()
            .contains(BODY)
    );
}

#[test]
fn few_descriptors_are_enough_for_a_large_tree() {
    require_fuse();
    let workspace = Workspace::new();
    for index in 0..1200 {
        workspace.file(format!("d{}/e{index}/f.py", index % 30), "x = 1\n");
    }
    let view = workspace.mountpoint();
    let mut daemon = Command::new("sh")
        .args(["-c", r#"ulimit -n 128; exec "$0" "$@" 3>&1 >&2"#])
        .arg(binary())
        .arg("mount")
        .arg(workspace.root())
        .arg(&view)
        .args(["--foreground", "--ready-fd", "3"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let line = read_line(daemon.stdout.as_mut().unwrap(), PATIENCE);
    let script = "find . -type f -name f.py -exec cat {} + | wc -l; \
                  find . -name f.py | sed 's/$/.inspect.json/' | xargs cat | wc -l";
    let told = line
        .is_ok()
        .then(|| run(Command::new("sh").args(["-c", script]).current_dir(&view)));
    let open = fs::read_dir(format!("/proc/{}/fd", daemon.id())).map(Iterator::count);
    let _ = rustix::process::kill_process(process_id(daemon.id()), Signal::TERM);
    let status = wait(&mut daemon, PATIENCE);
    let left = is_mounted(&view);
    crate::harness::detach(&view);
    let told = told.unwrap();
    assert_eq!(
        (told.out().as_str(), told.err().as_str()),
        ("1200\n1200\n", "")
    );
    assert!(open.unwrap() <= 128);
    assert!(status.is_some_and(|status| status.success()) && !left);
}
