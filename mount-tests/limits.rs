//! Limits of the policy: what is too large to read is described, what is too long to list is
//! cut by name and said.

use crate::harness::View;
use crate::policy::reading;
use crate::workspace::Workspace;

#[test]
fn limits_cap_reading_and_listing() {
    let workspace = Workspace::of(&[("small", "x"), ("large.py", "x = 1\n")]);
    for index in 0..50 {
        workspace.file(format!("many/f{index:02}"), "");
    }
    let policy = "[limits]\nmax_file_bytes = 5\nmax_list_entries = 20\n";
    let view = View::with_policy(workspace, policy);
    assert_eq!(reading(&view, "small"), None);
    assert_eq!(reading(&view, "large.py"), Some(libc::EFBIG));
    assert_eq!(view.summary("large.py")["size_bytes"], 6);
    let names = view.names("many");
    assert_eq!(names.len(), 20);
    assert_eq!(names[19], "f19");
    assert!(view.exists("many/f45"));
    assert!(view.summary("many").get("listed").is_some());
}
