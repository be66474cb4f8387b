//! `doctor`: what it finds here and where something is missing, with the remedy.

use crate::harness::require_fuse;
use crate::processes::{as_ordinary_user, inspectfs, public_binary, run};
use crate::workspace::Workspace;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// The findings of a `doctor --json`, whatever its exit status, which is given too.
fn examined(command: &mut Command) -> (Option<i32>, Value) {
    let done = run(command);
    let told: Value = serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", done.out(), done.err()));
    for finding in told["findings"].as_array().unwrap() {
        let is_ok = finding["verdict"] == "ok";
        assert_eq!(finding["remedy"].is_null(), is_ok, "{finding}");
        assert_ne!(finding["detail"], "", "{finding}");
    }
    assert_eq!(told["mounts"], done.code() == Some(0), "{told}");
    (done.code(), told)
}

fn verdict(told: &Value, check: &str) -> String {
    let findings = told["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["check"] == check);
    let found = found.unwrap_or_else(|| panic!("no check '{check}': {told}"));
    found["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn this_machine_can_mount() {
    require_fuse();
    let (code, told) = examined(inspectfs().args(["doctor", "--json"]));
    assert_eq!(code, Some(0), "{told}");
    for check in ["kernel", "fuse device", "mounting", "runtime folder"] {
        assert_eq!(verdict(&told, check), "ok", "{told}");
    }
    let text = run(inspectfs().arg("doctor"));
    assert_eq!((text.code(), text.err()), (Some(0), String::new()));
    let lines = text
        .out()
        .lines()
        .filter(|line| line.starts_with("ok "))
        .count();
    assert!(lines >= 4, "{}", text.out());
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains("inspectfs-doctor"), "{mounts}");
}

#[test]
fn what_is_short_is_told_with_its_remedy() {
    let few = r#"ulimit -n 512 && exec "$0" doctor --json"#;
    let mut command = Command::new("sh");
    let (code, told) = examined(command.args(["-c", few]).arg(crate::processes::binary()));
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(verdict(&told, "descriptors"), "limited");
    assert!(told.to_string().contains("ulimit -Hn"), "{told}");
}

#[test]
fn without_a_way_to_mount_it_fails_and_names_the_way_out() {
    let workspace = Workspace::new();
    let binary = public_binary(workspace.base());
    let empty = workspace.base().join("empty");
    fs::create_dir(&empty).unwrap();
    // The program that changes the user is found by the usual path, the helper is not.
    let without_helper = |words: &[&str]| {
        let mut command = as_ordinary_user("env");
        command
            .arg(format!("PATH={}", empty.display()))
            .arg(&binary)
            .args(words);
        command
    };
    let (code, told) = examined(&mut without_helper(&["doctor", "--json"]));
    assert_eq!(code, Some(1), "{told}");
    assert_eq!(verdict(&told, "mounting"), "missing");
    assert_eq!(verdict(&told, "fusermount3"), "limited");
    assert_eq!(verdict(&told, "passthrough"), "limited");
    assert_eq!(verdict(&told, "relay"), "limited");
    let done = run(&mut without_helper(&["doctor"]));
    assert_eq!(done.code(), Some(1));
    assert_eq!(
        done.err(),
        "inspectfs: views cannot be mounted here: mounting\n"
    );
    assert!(
        done.out().contains("install the package fuse3"),
        "{}",
        done.out()
    );
}
