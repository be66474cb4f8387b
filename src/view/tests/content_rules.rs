//! Files hidden by their content, by every name and while they are open.

use super::*;

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIE\n";
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMIIE";

#[test]
fn a_verdict_follows_the_content() {
    let folder = tree(&[("a.pem", CERTIFICATE), ("big.key", "x")]);
    let at = |path: &str| folder.path().join(path);
    let view = view(&folder);
    for _ in 0..3 {
        assert_eq!(text(&view, "a.pem"), CERTIFICATE);
        // In place, at once, and of the same size.
        fs::write(at("a.pem"), &KEY[..CERTIFICATE.len()]).unwrap();
        assert_eq!(find(&view, "a.pem").err(), Some(Error::NotFound));
        fs::write(at("a.pem"), CERTIFICATE).unwrap();
    }
    assert_eq!(find(&view, "big.key").err(), Some(Error::NotFound));
    fs::write(at("big.key"), vec![1; 16 << 10]).unwrap();
    assert!(find(&view, "big.key").is_ok());
}

#[test]
fn an_open_file_that_becomes_a_key_is_refused() {
    let folder = tree(&[("a.pem", CERTIFICATE), ("b.pem", CERTIFICATE)]);
    let at = |path: &str| folder.path().join(path);
    let view = view(&folder);
    let node = find(&view, "a.pem").unwrap().attributes.node;
    let open = view.open(node).unwrap().handle;
    assert!(view.read(node, open, 0, 10).is_ok());
    let unopened = find(&view, "b.pem").unwrap().attributes.node;
    fs::write(at("a.pem"), KEY).unwrap();
    fs::write(at("b.pem"), KEY).unwrap();
    assert_eq!(view.read(node, open, 0, 10), Err(Error::Denied));
    let attributes = view.attributes(node, Some(open));
    assert_eq!(attributes.err(), Some(Error::Denied));
    assert!(view.open(unopened).is_err());
    assert_eq!(find(&view, "b.pem").err(), Some(Error::NotFound));
}

#[test]
fn another_name_of_a_key_is_hidden_with_it() {
    let folder = tree(&[("d/server.pem", KEY), ("d/ca.pem", CERTIFICATE)]);
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at("d/server.pem"), at("innocent.txt")).unwrap();
    fs::hard_link(at("d/ca.pem"), at("ca.txt")).unwrap();
    let view = view(&folder);
    assert_eq!(find(&view, "innocent.txt").err(), Some(Error::NotFound));
    let text_name = find(&view, "ca.txt").unwrap().attributes.node;
    let open = view.open(text_name).unwrap().handle;
    fs::write(at("d/ca.pem"), KEY).unwrap();
    assert_eq!(find(&view, "ca.txt").err(), Some(Error::NotFound));
    // The kernel asks for the attributes before it reads.
    let attributes = view.attributes(text_name, Some(open));
    assert_eq!(attributes.err(), Some(Error::Denied));
}

#[test]
fn folders_links_and_pipes_are_not_asked() {
    let folder = tree(&[("keys.pem/x", ""), ("plain", "x")]);
    let at = |path: &str| folder.path().join(path);
    std::os::unix::fs::symlink("plain", at("link.pem")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe.pem"), fifo, mode, 0).unwrap();
    let view = view(&folder);
    for path in ["keys.pem/x", "link.pem", "pipe.pem"] {
        assert!(find(&view, path).is_ok(), "{path}");
    }
}

#[test]
fn documents_and_totals_leave_keys_out() {
    let folder = tree(&[
        ("d/server.pem", KEY),
        ("d/ca.pem", CERTIFICATE),
        ("d/.npmrc", "//r/:_authToken=x"),
    ]);
    let view = view(&folder);
    for name in ["d/server.pem.inspect.json", "d/.npmrc.outline.json"] {
        assert_eq!(find(&view, name).err(), Some(Error::NotFound), "{name}");
    }
    let summary = text(&view, "d/.inspect.json");
    let size = format!("\"subtree_size_bytes\":{},", CERTIFICATE.len());
    assert!(summary.contains(&size), "{summary}");
    assert!(summary.contains("\"files\":1,"), "{summary}");
}

#[test]
fn shows_bring_them_back() {
    let folder = tree(&[("a.pem", KEY), ("b.pem", KEY)]);
    let rules = "[builtin]\nshow = [\"a.pem\"]\n";
    let view = view_with(folder.path(), rules, Settings::default());
    assert_eq!(text(&view, "a.pem"), KEY);
    assert_eq!(find(&view, "b.pem").err(), Some(Error::NotFound));
    let rules = "[builtin]\nenabled = false\n";
    let view = view_with(folder.path(), rules, Settings::default());
    assert_eq!(text(&view, "b.pem"), KEY);
}
