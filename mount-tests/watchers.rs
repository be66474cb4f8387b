//! Watchers inside the view: `inotifywait` and Node's `fs.watch` see what happens outside, and
//! nothing of what is hidden. Only where the daemon mounts by itself, as root: there the file
//! system can be written to by the daemon alone.

use crate::harness::{View, detach, eventually, is_mounted};
use crate::workspace::Workspace;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// One second, which the view promises, and as much for a busy machine.
const BOUND: Duration = Duration::from_secs(2);

/// A watcher and the lines that it prints.
struct Watcher {
    process: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Watcher {
    /// Starts it; `ready` is a part of the line that it prints when it watches.
    fn start(command: &mut Command, ready: &str) -> Self {
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let outputs: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(process.stdout.take().unwrap()),
            Box::new(process.stderr.take().unwrap()),
        ];
        for output in outputs {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    let _nobody_listens = sender.send(line);
                }
            });
        }
        let mut watcher = Self {
            process,
            lines,
            seen: Vec::new(),
        };
        watcher.wait_for(ready);
        watcher.seen.clear();
        watcher
    }

    /// Waits for a line with `what` in it.
    fn wait_for(&mut self, what: &str) {
        eventually(what, BOUND * 5, || {
            self.seen.extend(self.lines.try_iter());
            self.seen
                .iter()
                .any(|line| line.contains(what))
                .then_some(())
        });
    }

    /// The lines so far.
    fn end(mut self) -> Vec<String> {
        let pid = Pid::from_raw(self.process.id().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        self.process.wait().unwrap();
        self.seen.extend(self.lines.try_iter());
        std::mem::take(&mut self.seen)
    }
}

fn inotifywait(view: &View) -> Watcher {
    let mut command = Command::new("inotifywait");
    let events = "modify,create,delete,attrib,move,close_write";
    command
        .args(["-m", "-r", "-e", events, "--format", "%e %f|"])
        .arg(view.root());
    Watcher::start(&mut command, "Watches established")
}

const NODE: &str = "
const fs = require('fs');
const root = process.argv[1];
for (const folder of [root, root + '/src', root + '/lib'])
  fs.watch(folder, (kind, name) => console.log(kind + ' ' + name + '|'));
console.log('watching');
";

fn tree() -> Workspace {
    Workspace::of(&[
        ("src/a.js", "1"),
        ("src/b.js", "2"),
        ("lib/c.js", "3"),
        ("lib/deep/d.js", "4"),
        ("top", "5"),
    ])
}

fn make_changes(view: &View, watcher: &mut Watcher, told: [&str; 8]) {
    let workspace = view.workspace();
    let real = |name: &str| workspace.path(name);
    let [
        modified,
        created,
        removed,
        from,
        to,
        folder,
        replaced,
        attributes,
    ] = told;
    fs::write(real("src/a.js"), "more").unwrap();
    watcher.wait_for(modified);
    workspace.file("src/new.js", "x");
    watcher.wait_for(created);
    fs::remove_file(real("src/b.js")).unwrap();
    watcher.wait_for(removed);
    workspace.note("lib/renamed.js");
    fs::rename(real("lib/c.js"), real("lib/renamed.js")).unwrap();
    watcher.wait_for(from);
    watcher.wait_for(to);
    fs::create_dir(real("lib/folder")).unwrap();
    workspace.note("lib/folder");
    watcher.wait_for(folder);
    workspace.replace("top", "replaced");
    watcher.wait_for(replaced);
    fs::set_permissions(real("src/new.js"), fs::Permissions::from_mode(0o600)).unwrap();
    watcher.wait_for(attributes);
}

#[test]
fn inotifywait_sees_what_happens_outside() {
    let view = View::mount(tree());
    let mut watcher = inotifywait(&view);
    make_changes(
        &view,
        &mut watcher,
        [
            "MODIFY a.js|",
            "CREATE new.js|",
            "DELETE b.js|",
            "DELETE c.js|",
            "CREATE renamed.js|",
            "CREATE,ISDIR folder|",
            "top|",
            "ATTRIB new.js|",
        ],
    );
    let real = |name: &str| view.workspace().path(name);
    // What was made while it watches, and a folder that was there before.
    fs::remove_dir(real("lib/folder")).unwrap();
    watcher.wait_for("DELETE,ISDIR folder|");
    view.workspace().note("lib/elsewhere");
    view.workspace().note("lib/elsewhere/d.js");
    fs::rename(real("lib/deep"), real("lib/elsewhere")).unwrap();
    watcher.wait_for("DELETE,ISDIR deep|");
    watcher.wait_for("CREATE,ISDIR elsewhere|");
    // The folder is itself, at its new place.
    assert_eq!(view.read("lib/elsewhere/d.js"), b"4");
    assert!(!view.exists("lib/deep"));
    assert_eq!(view.names("lib"), ["elsewhere", "renamed.js"]);
    assert_eq!(view.read("top"), b"replaced");
    assert_eq!(view.stat("top").len(), 8);
    // Nothing of it was written to the tree.
    assert_eq!(fs::read(real("src/a.js")).unwrap(), b"more");
    watcher.end();
}

#[test]
fn a_node_watcher_sees_what_happens_outside() {
    let view = View::mount(tree());
    let mut command = Command::new("node");
    command.args(["-e", NODE]).arg(view.root());
    let mut watcher = Watcher::start(&mut command, "watching");
    make_changes(
        &view,
        &mut watcher,
        [
            "change a.js|",
            "rename new.js|",
            "rename b.js|",
            "rename c.js|",
            "rename renamed.js|",
            "rename folder|",
            "top|",
            "change new.js|",
        ],
    );
    watcher.end();
}

#[test]
fn nothing_hidden_is_told_to_watchers() {
    let workspace = tree();
    workspace.file("src/private/x", "secret");
    let view = View::mount_with(workspace, &["--hide=src/private/", "--hide=plan*"]);
    let mut watcher = inotifywait(&view);
    let real = |name: &str| view.workspace().path(name);
    let key = "-----BEGIN PRIVATE KEY-----\n";
    for name in ["src/.env", "src/plan.txt", "src/private/y", "src/id_rsa"] {
        fs::write(real(name), "secret").unwrap();
        fs::write(real(name), "secret again").unwrap();
        fs::rename(real(name), real("src/plan2")).unwrap();
        fs::remove_file(real("src/plan2")).unwrap();
    }
    fs::write(real("src/plan.pem"), key).unwrap();
    fs::rename(real("src/plan.pem"), real("src/server.pem")).unwrap();
    fs::write(real("src/server.pem"), key.repeat(2)).unwrap();
    fs::remove_file(real("src/server.pem")).unwrap();
    fs::hard_link(real("src/private/x"), real("src/link")).unwrap();
    fs::remove_file(real("src/link")).unwrap();
    // By now all of that was dealt with.
    view.workspace().file("src/last", "x");
    watcher.wait_for("CREATE last|");
    let seen = watcher.end();
    for name in ["env", "plan", "private", "id_rsa", "pem", "link", " y|"] {
        let told: Vec<_> = seen.iter().filter(|line| line.contains(name)).collect();
        assert!(told.is_empty(), "{told:?}");
    }
}

#[test]
fn the_relay_can_be_turned_off() {
    let view = View::mount_with(tree(), &["--no-relay"]);
    let mut watcher = inotifywait(&view);
    fs::write(view.workspace().path("src/a.js"), "more").unwrap();
    view.workspace().file("src/new.js", "x");
    eventually("it is seen all the same", BOUND, || {
        (view.exists("src/new.js") && view.read("src/a.js") == b"more").then_some(())
    });
    assert!(watcher.process.try_wait().unwrap().is_none());
    assert!(watcher.end().is_empty());
}

/// The mount that the relay writes through must not keep the view after its unmounting.
#[test]
fn a_view_that_relays_ends_when_it_is_unmounted() {
    let mut view = View::mount(tree());
    view.names("src");
    let point = view.root().to_owned();
    for round in 0..200 {
        fs::write(view.workspace().path("src/a.js"), format!("{round}")).unwrap();
    }
    detach(&point);
    assert!(!is_mounted(&point));
    assert!(view.wait().success());
}

/// A daemon that waited for its own mount could not be killed, and who uses the mount would hang
/// with it; nor one that tells the kernel something while a client waits for it.
#[test]
fn a_daemon_killed_while_it_lists_and_relays_is_gone_soon() {
    for round in 0..8 {
        let workspace = tree();
        for index in 0..2000 {
            workspace.file(format!("many/d{}/f{index}", index % 50), "");
        }
        let mut view = View::mount(workspace);
        view.names("src");
        for step in 0..=round * 3 {
            fs::write(view.workspace().path("src/a.js"), format!("{step}")).unwrap();
            view.workspace().file("src/again.js", "x");
            fs::remove_file(view.workspace().path("src/again.js")).unwrap();
        }
        view.kill();
        // Asked of the daemon, whatever the kernel keeps. The guard may have unmounted it.
        let asked = rustix::fs::statx(
            rustix::fs::CWD,
            view.root(),
            rustix::fs::AtFlags::STATX_FORCE_SYNC,
            rustix::fs::StatxFlags::BASIC_STATS,
        );
        assert!(
            asked.is_err_and(|error| error == rustix::io::Errno::NOTCONN)
                || !is_mounted(view.root())
        );
    }
}

/// A helper that does not go on must hold back nothing that the kernel is to forget.
#[test]
fn a_stopped_helper_holds_back_no_removal() {
    let view = View::mount(tree());
    let mut watcher = inotifywait(&view);
    fs::write(view.workspace().path("src/a.js"), "more").unwrap();
    watcher.wait_for("MODIFY a.js|");
    let helper = helper_of(view.pid());
    kill_process(helper, Signal::STOP).unwrap();
    for name in ["src/a.js", "src/b.js", "lib/c.js", "top"] {
        assert!(view.exists(name));
        fs::remove_file(view.workspace().path(name)).unwrap();
    }
    for name in ["src/a.js", "src/b.js", "lib/c.js", "top"] {
        eventually(name, BOUND, || (!view.exists(name)).then_some(()));
    }
    kill_process(helper, Signal::CONT).unwrap();
    view.workspace().file("src/later.js", "x");
    watcher.wait_for("CREATE later.js|");
    watcher.end();
}

/// The process that makes changes for the daemon.
fn helper_of(daemon: u32) -> Pid {
    let tasks = format!("/proc/{daemon}/task");
    let mut children = String::new();
    for task in fs::read_dir(tasks).unwrap() {
        let path = task.unwrap().path().join("children");
        children.push_str(&fs::read_to_string(path).unwrap_or_default());
    }
    let mut children = children.split_whitespace().filter(|child| {
        fs::read(format!("/proc/{child}/cmdline"))
            .is_ok_and(|line| line.starts_with(b"inspectfs\0helper\0relay"))
    });
    let child = children.next().unwrap().parse().unwrap();
    Pid::from_raw(child).unwrap()
}
