//! Labels on a mount: clients' reads raise the taint, and the root's summary shows it.

use crate::harness::{PATIENCE, View, eventually};
use crate::processes::run;
use crate::workspace::Workspace;
use serde_json::Value;
use std::fs;
use std::process::Command;

fn taint(view: &View) -> Value {
    view.json(".inspect.json")["view"]["taint"].take()
}

#[test]
fn reads_raise_the_taint_and_looking_does_not() {
    let workspace = Workspace::of(&[
        ("plain.txt", "x"),
        ("house/a.py", "a = 1\n"),
        ("contracts/b.py", "b = 1\n"),
    ]);
    let view = View::with_policy(
        workspace,
        "[[rule]]\npath = 'house/'\nlabel = 'INTERNAL'\n\
         [[rule]]\npath = 'contracts/'\nlabel = 'CONFIDENTIAL'\n",
    );
    let shell = |line: &str| {
        let done = run(Command::new("sh")
            .current_dir(view.root())
            .args(["-c", line]));
        assert_eq!(done.code(), Some(0), "{line}: {}", done.err());
    };
    shell(
        "ls -lR . >/dev/null; find . -size +1k; stat -c %s contracts/b.py contracts/b.py.inspect.json",
    );
    shell("cat plain.txt >/dev/null; exec 3<contracts/b.py");
    assert_eq!(taint(&view), "none");
    shell("cat house/a.py >/dev/null");
    let comes = |label: &str| {
        eventually(label, PATIENCE, || (taint(&view) == label).then_some(()));
    };
    comes("INTERNAL");
    // Through a mapping, and of the sidecar alone.
    shell(
        "python3 -c 'import mmap; f = open(\"contracts/b.py\"); mmap.mmap(f.fileno(), 0, prot=1)[0]'",
    );
    comes("CONFIDENTIAL");
    shell("cat house/a.py plain.txt >/dev/null");
    assert_eq!(taint(&view), "CONFIDENTIAL");
}

#[test]
fn a_sidecar_with_structure_raises_it_too() {
    let workspace = Workspace::of(&[("top.csv", "a,b\n1,2\n"), ("b.bin", "\0")]);
    let view = View::with_policy(
        workspace,
        "[[rule]]\npath = '*.csv'\nlabel = 'RESTRICTED'\n",
    );
    view.read("b.bin.inspect.json");
    assert_eq!(taint(&view), "none");
    view.read("top.csv.inspect.json");
    eventually("RESTRICTED", PATIENCE, || {
        (taint(&view) == "RESTRICTED").then_some(())
    });
}

#[test]
fn without_labels_there_is_no_taint() {
    let view = View::of(&[("a.txt", "x")]);
    fs::read(view.path("a.txt")).unwrap();
    assert_eq!(taint(&view), Value::Null);
    assert!(view.json(".inspect.json")["view"].get("taint").is_none());
}
