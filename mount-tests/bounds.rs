//! Files made to hurt, given to `inspect` and `outline` as separate processes under the
//! kernel's own limits: half a GiB of address space, and processor time that allows for the two
//! seconds an answer may take. Past either the kernel ends the process and the test fails.

use crate::processes::{Finished, binary, run};
use crate::workspace::Workspace;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

/// All that a process may map: the stacks, the program and its libraries included.
const ADDRESS_SPACE: u64 = 512 << 20;
/// Whole seconds are what the limit knows; the answer's own bound is two.
const CPU_SECONDS: u64 = 3;

/// One extension of every format and language.
const EXTENSIONS: [&str; 21] = [
    "csv", "tsv", "json", "jsonl", "md", "yaml", "toml", "ini", "ipynb", "txt", "py", "ts", "tsx",
    "js", "go", "rs", "java", "c", "cpp", "rb", "sh",
];

fn limited(workspace: &Workspace, command: &str, name: &str) -> Finished {
    run(Command::new("prlimit")
        .args([
            format!("--as={ADDRESS_SPACE}"),
            format!("--cpu={CPU_SECONDS}"),
            "--core=0".to_owned(),
        ])
        .arg(binary())
        .args([command, "--workspace", ".", name])
        .current_dir(workspace.root())
        .stdin(Stdio::null()))
}

/// Both documents of a file: each is one line of JSON from a process that ended by itself.
fn answers(workspace: &Workspace, name: &str) -> [serde_json::Value; 2] {
    ["inspect", "outline"].map(|command| {
        let done = limited(workspace, command, name);
        assert!(
            matches!(done.code(), Some(0 | 1)),
            "{command} {name}: {:?} {}",
            done.status,
            done.err()
        );
        assert_eq!(done.err(), "", "{command} {name}");
        assert_eq!(done.out().lines().count(), 1, "{command} {name}");
        serde_json::from_slice(&done.stdout).unwrap()
    })
}

/// Asserts that neither document claims to be whole, and gives them.
fn partial(workspace: &Workspace, name: &str) -> [serde_json::Value; 2] {
    let [summary, outline] = answers(workspace, name);
    let structure = &summary["structure"];
    let whole = summary["reason"].is_null()
        && structure["parse_complete"].is_null()
        && structure["valid"].is_null();
    assert!(!whole, "{name}: {summary}");
    let data = &outline["data"];
    if data["kind"] != "none" {
        assert_eq!(data["parse_complete"], false, "{name}: {outline}");
    }
    [summary, outline]
}

/// More than parsers are given, or than they take in their time: a program without
/// optimisation on a busy machine is that slow.
fn assert_is_too_large(summary: &serde_json::Value) {
    let reason = summary["reason"].as_str();
    assert!(matches!(reason, Some("too_large" | "timeout")), "{summary}");
}

#[test]
fn brackets_by_the_hundred_thousand() {
    let workspace = Workspace::of(&[]);
    for extension in EXTENSIONS {
        for (index, (open, close)) in [("(", ")"), ("[", "]"), ("{", "}")].iter().enumerate() {
            let opened = open.repeat(100_000);
            let name = format!("open{index}.{extension}");
            workspace.file(&name, &opened);
            let [summary, outline] = answers(&workspace, &name);
            if outline["data"]["kind"] == "code" {
                assert_eq!(summary["reason"], "too_deep", "{name}");
                assert_eq!(outline["truncation"]["reason"], "depth", "{name}");
            }
            let name = format!("both{index}.{extension}");
            workspace.file(&name, opened + &close.repeat(100_000));
            answers(&workspace, &name);
        }
    }
    workspace.file("deep.json", "[".repeat(100_000) + &"]".repeat(100_000));
    let [summary, outline] = answers(&workspace, "deep.json");
    assert_eq!(summary["structure"]["length"], 1);
    assert_eq!(outline["truncation"]["reason"], "output_bytes");
    workspace.file("open.json", "{\"a\":".repeat(100_000));
    partial(&workspace, "open.json");
}

#[test]
fn random_bytes_under_every_name() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let bytes: Vec<u8> = (0..125_000).flat_map(|_| random()).collect();
    // Without NUL it is no binary file, and below 128 it is UTF-8 that parsers are given.
    let text: Vec<u8> = bytes.iter().map(|byte| (byte % 127) + 1).collect();
    let latin: Vec<u8> = bytes.iter().map(|byte| byte | 1).collect();
    let workspace = Workspace::of(&[]);
    for extension in EXTENSIONS {
        for (name, content) in [("bytes", &bytes), ("text", &text), ("latin", &latin)] {
            let name = format!("{name}.{extension}");
            workspace.file(&name, content);
            let [summary, _] = answers(&workspace, &name);
            let said = !summary["structure"].is_null() || !summary["reason"].is_null();
            assert!(said, "{name}: {summary}");
        }
    }
}

#[test]
fn files_of_many_megabytes() {
    let workspace = Workspace::of(&[]);
    let minified = "function a(b,c){var d=b+c;return d?{e:d,f:[1,2,3]}:null}";
    workspace.file("min.js", minified.repeat(50_000_000 / minified.len()));
    let [summary, _] = partial(&workspace, "min.js");
    assert_is_too_large(&summary);
    if summary["reason"] == "too_large" {
        assert_eq!(summary["structure"]["lines"], 1);
    }
    let record = "{\"a\":[1,2,3],\"b\":\"xyz\"},";
    let line = format!("[{}0]", record.repeat(20_000_000 / record.len()));
    workspace.file("line.json", &line);
    assert_is_too_large(&partial(&workspace, "line.json")[0]);
    // Just what parsers are given, in one line.
    workspace.file("most.js", minified.repeat(2_000_000 / minified.len()));
    partial(&workspace, "most.js");
    workspace.file(
        "most.json",
        format!("[{}0]", record.repeat(2_000_000 / record.len())),
    );
    answers(&workspace, "most.json");
    for extension in EXTENSIONS {
        // A sparse file of 2 GiB is never opened; one of 49 MiB is one line to its end.
        let name = format!("sparse.{extension}");
        workspace.sparse(&name, 2 << 30);
        let [summary, _] = partial(&workspace, &name);
        assert_eq!(summary["tier"], 3, "{name}");
        let name = format!("line.{extension}");
        workspace.file(&name, "x".repeat(10_000));
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(workspace.path(&name));
        file.unwrap().set_len(49 << 20).unwrap();
        answers(&workspace, &name);
    }
    workspace.sparse("line.txt", 1 << 30);
    assert_eq!(partial(&workspace, "line.txt")[0]["tier"], 3);
    let rows = run(Command::new(binary())
        .args(["row", "--workspace", ".", "line.txt", "1:0000"])
        .current_dir(workspace.root()));
    assert_eq!(rows.code(), Some(1));
    assert!(rows.out().contains("\"code\":\"read\""), "{}", rows.out());
}

#[test]
fn names_long_and_many() {
    let workspace = Workspace::of(&[]);
    for (extension, before, after) in [
        ("py", "def ", "():\n    pass\n"),
        ("js", "function ", "() {}\n"),
        ("ts", "function ", "() {}\n"),
        ("go", "func ", "() {}\n"),
        ("rs", "fn ", "() {}\n"),
        ("java", "class ", " {}\n"),
        ("c", "int ", "(void) {}\n"),
        ("cpp", "int ", "() {}\n"),
        ("rb", "def ", "\nend\n"),
        ("sh", "", "() { :; }\n"),
        ("md", "# ", "\n"),
        ("toml", "", " = 1\n"),
        ("yaml", "", ": 1\n"),
        ("ini", "", " = 1\n"),
    ] {
        let (mut many, mut long) = (String::new(), String::new());
        for number in 0..100_000 {
            writeln!(many, "{before}f{number}{}", after.trim_end_matches('\n')).unwrap();
        }
        for number in 0..15 {
            write!(long, "{before}{}{number}{after}", "n".repeat(100_000)).unwrap();
        }
        for (name, content) in [("many", many), ("long", long)] {
            let name = format!("{name}.{extension}");
            workspace.file(&name, content);
            let [summary, outline] = answers(&workspace, &name);
            // Whoever has not counted them all says so.
            if !summary["reason"].is_null() {
                assert_is_too_large(&summary);
            }
            if outline["data"]["kind"] != "none" {
                assert_eq!(outline["truncated"], true, "{name}");
            }
        }
    }
}

#[test]
fn yaml_that_contains_itself() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..30 {
        let before = format!("*a{}", level - 1);
        writeln!(bomb, "a{level}: &a{level} [{}]", [&*before; 9].join(",")).unwrap();
    }
    let workspace = Workspace::of(&[
        ("cycle.yaml", "a: &a [*a, *a]\nb: &b {c: *b}\n"),
        ("bomb.yaml", &bomb),
        ("cycle.md", "---\na: &a [*a]\n---\n# x\n"),
    ]);
    let [summary, _] = answers(&workspace, "cycle.yaml");
    assert_eq!(summary["structure"]["key_count"], 2);
    let [summary, _] = answers(&workspace, "bomb.yaml");
    assert_eq!(summary["structure"]["key_count"], 30);
    let [_, outline] = answers(&workspace, "cycle.md");
    assert_eq!(outline["data"]["outline"].as_array().unwrap().len(), 2);
}
