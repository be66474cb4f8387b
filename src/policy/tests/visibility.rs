//! Hides, shows and the way down.

use super::*;

fn rules(rules: &[(&str, &str)]) -> Policy {
    Setup::default().policy_file(&text(rules)).build()
}

/// Rules of one file, each a pattern and what it says.
fn text(rules: &[(&str, &str)]) -> String {
    let rules = rules.iter();
    let texts = rules.map(|(path, what)| format!("[[rule]]\npath = '{path}'\n{what}\n"));
    texts.collect::<Vec<_>>().concat()
}

const HIDE: &str = "hide = true";
const SHOW: &str = "show = true";
const ALL: &str = "allow = ['read', 'search', 'mutate-content', 'mutate-structure']";

#[test]
fn a_hide_covers_all_below_and_stops_at_names() {
    let policy = rules(&[
        ("private/**", HIDE),
        ("zone/", HIDE),
        ("/top", HIDE),
        ("x/*", HIDE),
    ]);
    hidden!(
        policy,
        "private/",
        "private/a",
        "private/a/b/",
        "zone/",
        "a/zone/b",
        "top",
        "top/x"
    );
    hidden!(policy, "x/a", "x/a/b");
    visible!(
        policy,
        "private2",
        "private2/a",
        "a/private/",
        "zone2/",
        "zone",
        "a/top",
        "x/",
        "xx/a"
    );
}

#[test]
fn patterns_work_at_the_root_and_three_levels_deep() {
    for (pattern, shallow, deep) in [
        ("**/.vault", true, true),
        (".vault", true, true),
        ("/.vault", true, false),
    ] {
        let policy = rules(&[(pattern, HIDE)]);
        assert_eq!(!decide(&policy, ".vault").exists(), shallow, "{pattern}");
        assert_eq!(!decide(&policy, "a/b/c/.vault").exists(), deep, "{pattern}");
    }
    for (pattern, deep) in [("vault/**", false), ("**/vault/**", true), ("vault/", true)] {
        let policy = rules(&[(pattern, HIDE)]);
        hidden!(policy, "vault/", "vault/k", "vault/a/b");
        assert_eq!(
            !decide(&policy, "a/b/c/vault/k").exists(),
            deep,
            "{pattern}"
        );
        visible!(policy, "vault2/k", "a/vaults/k");
    }
    let policy = rules(&[("*.pem", HIDE), ("a/**/z", HIDE), ("lit\\*", HIDE)]);
    hidden!(policy, "k.pem", "a/b/c/k.pem", "a/z", "a/b/c/z", "lit*");
    visible!(policy, "k.pem2", "z", "b/a/z", "litx");
}

#[test]
fn matching_is_on_bytes_and_knows_case() {
    let policy = rules(&[("Bad*", HIDE), ("\u{e9}", HIDE)]);
    let name = |bytes: &[u8]| RelPath::root().child(bytes).unwrap();
    let exists = |bytes: &[u8]| policy.decide(&name(bytes), PathKind::File).exists();
    assert!(!exists(b"Bad\xff\xfe") && !exists("\u{e9}".as_bytes()));
    assert!(exists(b"bad") && exists(b"\xff") && exists(b"\xc3"));
}

#[test]
fn only_a_show_undoes_a_hide() {
    let policy = rules(&[
        ("private/**", HIDE),
        ("private/**", ALL),
        ("private/a", ALL),
        ("work/**", ALL),
        ("node_modules/", "allow = ['read']"),
        ("*.env", ALL),
    ]);
    hidden!(
        policy,
        "private/",
        "private/a",
        "work/.env",
        "work/.git",
        "work/.git/config"
    );
    hidden!(policy, "node_modules/x/.env", "a.env");
    gives!(policy, "work/x" => "all", "node_modules/x/index.js" => "read", "node_modules/" => "read");
}

#[test]
fn a_show_in_a_hidden_folder_lists_only_the_way_down() {
    let policy = rules(&[("private/**", HIDE), ("private/a/README.md", SHOW)]);
    gives!(
        policy,
        "private/" => "way search",
        "private/a/" => "way search",
        "private/a/README.md" => "all",
        "private/a/README.md/" => "all",
        "private/a/README.md/x" => "all",
        "private/b" => "-",
        "private/a/b" => "-",
        "private/a" => "-",
        "private" => "all",
        "b/private/a/README.md" => "all",
    );
}

#[test]
fn a_tree_allowed_and_one_file_in_it_hidden() {
    let policy = rules(&[("src/**", ALL), ("src/a/key.rs", HIDE)]);
    gives!(policy, "src/a/key.rs" => "-", "src/a/lib.rs" => "all", "src/a/" => "all");
}

#[test]
fn a_show_of_p_undoes_what_matches_at_p_or_above_for_all_below() {
    let policy = rules(&[("zone/**", HIDE), ("zone/pub/", SHOW), ("*.key", HIDE)]);
    gives!(
        policy,
        "zone/pub/" => "all",
        "zone/pub/a/b" => "all",
        "zone/pub" => "-",
        "zone/pub/k.key" => "-",
        "zone/other" => "-",
    );
    // A hide that first matches below stays, also a built-in one.
    let policy = Setup::default().show(".git").build();
    gives!(policy, ".git/" => "all", ".git/HEAD" => "all", ".git/x/.env" => "-", "a/.git" => "all");
    gives!(policy, ".git/modules/x/.git" => "all", ".hg/" => "-");
    // One that was undone above and matches again below stays undone.
    let policy = Setup::default().show("/.git").build();
    gives!(policy, ".git/modules/x/.git/" => "all", "a/.git/" => "-");
}

#[test]
fn a_show_without_a_slash_undoes_hides_of_the_name_only() {
    let policy = rules(&[("private/", HIDE), (".env.test", SHOW), ("README.md", SHOW)]);
    visible!(policy, ".env.test", "a/b/.env.test");
    hidden!(
        policy,
        "private/.env.test",
        "private/README.md",
        "private/",
        ".env.test2"
    );
    // It names a folder all the same, and then covers what is below that.
    let policy = rules(&[("box", HIDE), ("box/", SHOW)]);
    gives!(policy, "a/box/" => "all", "a/box/x" => "all", "a/box" => "-");
    // The same hide met on a folder above is not the name's.
    let policy = rules(&[("*.x", HIDE), ("b.x", SHOW)]);
    gives!(policy, "b.x" => "all", "a.x/b.x" => "-", "b.x/a.x" => "all");
}

#[test]
fn a_show_with_wildcards_above_does_not_reach_below_hidden_folders() {
    let policy = rules(&[
        ("work/*/.env", SHOW),
        ("**/deep/.env", SHOW),
        ("lab/", HIDE),
    ]);
    visible!(policy, "work/a/.env", "x/deep/.env");
    hidden!(
        policy,
        "work/.env",
        "work/a/b/.env",
        "lab/deep/.env",
        "lab/"
    );
}

#[test]
fn a_show_equals_the_name_to_the_letter() {
    let policy = Setup::default().show(".env.test").build();
    hidden!(policy, ".ENV.test", ".env.test2", ".env");
    visible!(policy, ".env.test");
    let policy = Setup::default().show("/work/.env").build();
    visible!(policy, "work/.env");
    hidden!(policy, "a/work/.env", ".env");
}

#[test]
fn shows_reach_below_built_in_hidden_folders_by_their_whole_path() {
    let policy = Setup::default()
        .show(".aws/config")
        .show("credentials")
        .build();
    gives!(policy, ".aws/" => "way search", ".aws/config" => "all", ".aws/credentials" => "-");
    gives!(policy, "a/.aws/" => "-", "a/credentials" => "all");
    // A show that stays without effect leads nowhere.
    let policy = Setup::workspace(&text(&[(".aws/config", SHOW)])).build();
    gives!(policy, ".aws/" => "-", ".aws/config" => "-");
}

#[test]
fn everything_hidden_still_has_a_root() {
    let policy = Setup::default().hide("**").build();
    gives!(policy, "./" => "all", "a" => "-", "a/" => "-");
    let policy = Setup::default().hide("**").show("a/b").build();
    gives!(policy, "a/" => "way search", "a/b" => "all", "a/c" => "-");
}

#[test]
fn the_views_own_paths_are_hidden_whatever_is_shown() {
    let path = |text: &str| RelPath::parse(text.as_bytes()).unwrap();
    let mut setup = Setup::default().show("mnt").show("a/view").show("a/view/x");
    setup.0.hidden_paths = vec![path("mnt"), path("a/view")];
    setup.0.steering_paths = vec![path("conf/p.toml")];
    let policy = setup.build();
    hidden!(policy, "mnt/", "mnt/x", "mnt", "a/view/", "a/view/x");
    visible!(policy, "a/", "b/mnt/", "a/mnt", "a/views");
    gives!(policy, "conf/p.toml" => "read search", "p.toml" => "all");
    assert!(!policy.hides_nothing());
}
