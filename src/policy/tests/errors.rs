//! Every fault is one line: where, what, and the word that was likely meant.

use super::*;

/// A file, where its fault begins after the file's name, how it ends if a word is suggested.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "\n[[rule]]\npath = 'a'\ndney = ['read']",
        ":4: unknown field 'dney'",
        "did you mean 'deny'?",
    ),
    (
        "[[rules]]\npath = 'a'",
        ":1: unknown field 'rules'",
        "did you mean 'rule'?",
    ),
    (
        "[[rule]]\npath = 'a'\ndeny = ['reed']",
        ":3: unknown variant 'reed'",
        "did you mean 'read'?",
    ),
    (
        "default = ['mutate_content']",
        ":1: unknown variant 'mutate_content'",
        "did you mean 'mutate-content'?",
    ),
    (
        "[[rule]]\npath = 'a'\nlabel = 'CONFIDENTAL'",
        ":3: unknown variant 'CONFIDENTAL'",
        "did you mean 'CONFIDENTIAL'?",
    ),
    (
        "[[rule]]\npath = 'a'\nlabel = 'internal'",
        ":3: unknown variant 'internal'",
        "did you mean 'INTERNAL'?",
    ),
    (
        "default = 'alow'",
        ":1: unknown variant 'alow'",
        "did you mean 'allow'?",
    ),
    (
        "default = 3",
        ":1: invalid type: integer '3', expected \"allow\", \"deny\" or a list of groups",
        "",
    ),
    (
        "special = 'stripp'",
        ":1: unknown value 'stripp'",
        "did you mean 'strip'?",
    ),
    ("special = 1", ":1: invalid type", ""),
    (
        "hardlinks = 'chek'",
        ":1: unknown value 'chek'",
        "did you mean 'check'?",
    ),
    (
        "\n[symlinks]\nmode = 'insde'",
        ":3: unknown value 'insde'",
        "did you mean 'inside'?",
    ),
    (
        "[symlink]\nmode = 'inside'",
        ":1: unknown field 'symlink'",
        "did you mean 'symlinks'?",
    ),
    (
        "[builtin]\nshwo = []",
        ":2: unknown field 'shwo'",
        "did you mean 'show'?",
    ),
    (
        "[[rule]]\npath = 'a'\nqqqqqqqq = 1",
        ":3: unknown field 'qqqqqqqq'",
        "",
    ),
    ("[[rule]]\nhide = true", ":1: missing field 'path'", ""),
    ("\n\n[[rule]]\npath = 'a'", ":3: the rule does nothing", ""),
    (
        "[[rule]]\npath = 'a'\ndeny = []",
        ":1: the rule does nothing",
        "",
    ),
    (
        "[[rule]]\npath = 'a'\nhide = true\nshow = true",
        ":1: the rule has both 'hide' and 'show'",
        "",
    ),
    (
        "[[rule]]\npath = 'a'\nhide = false",
        ":3: 'hide' takes only true",
        "",
    ),
    (
        "[[rule]]\npath = 'a'\nshow = false",
        ":3: 'show' takes only true",
        "",
    ),
    (
        "[[rule]]\npath = '*.env'\nshow = true",
        ":2: pattern '*.env': a show names what it shows",
        "",
    ),
    (
        "[[rule]]\npath = 'a/**'\nshow = true",
        ":2: pattern 'a/**': a show names what it shows",
        "",
    ),
    (
        "[builtin]\nshow = ['a', '*/b']",
        ":2: pattern '*/b': [builtin] show takes names",
        "",
    ),
    ("x = [", ":1: unclosed array", ""),
    ("a = 1\na = 2", ":2: duplicate key", ""),
    (
        "[limits]\nmax_file_byte = 1",
        ":2: unknown field 'max_file_byte'",
        "did you mean 'max_file_bytes'?",
    ),
    (
        "[limit]\nmax_file_bytes = 1",
        ":1: unknown field 'limit'",
        "did you mean 'limits'?",
    ),
    ("[limits]\nmax_list_entries = -1", ":2: invalid value", ""),
    (
        "[ignore_files]\nname = ['a']",
        ":2: unknown field 'name'",
        "did you mean 'names'?",
    ),
    (
        "[ignore_files]\nnames = ['a', 'b/c']",
        ":2: 'b/c' is no name of a file",
        "",
    ),
    (
        "[ignore_files]\nnames = ['*.ign']",
        ":2: '*.ign' is no name",
        "",
    ),
    ("[ignore_files]\nnames = ['..']", ":2: '..' is no name", ""),
    (
        "[symlinks]\nallow_outside = ['usr/']",
        ":2: 'usr/' is no absolute path",
        "",
    ),
    (
        "[symlinks]\nallow_outside = ['/usr/../etc/']",
        ":2: '/usr/../etc/' is no absolute path",
        "",
    ),
    (
        "[symlinks]\nallow_outside = ['~root/']",
        ":2: '~root/' is no absolute path",
        "",
    ),
    (
        "[symlinks]\nallow_outside = ['/']",
        ":2: '/' is no absolute path",
        "",
    ),
    (
        "[symlinks]\nallow_outside = ['/usr/*']",
        ":2: '/usr/*' holds a wildcard",
        "",
    ),
];

#[test]
fn a_faulty_file_is_named_with_its_line_and_the_nearest_word() {
    for (text, starts, ends) in FAULTS {
        let fault = Setup::workspace(text).fault();
        assert!(
            fault.starts_with(&format!(".inspectfs.toml{starts}")),
            "{text}\n{fault}"
        );
        assert!(fault.ends_with(ends), "{text}\n{fault}");
        assert_eq!(
            fault.contains("did you mean"),
            !ends.is_empty(),
            "{text}\n{fault}"
        );
        assert!(!fault.contains('\n'), "{fault}");
    }
}

#[test]
fn a_pattern_that_could_not_mean_what_it_says_is_a_fault() {
    for pattern in [
        "",
        "/",
        "//",
        "a//b",
        "../a",
        "a/../b",
        "./a",
        "a/.",
        "..",
        "[a",
        "a[",
        "[b-a]",
        "a\\\\",
        "*.{pem,key}",
        "!a",
        "~/a",
        "[[:alpha:]]",
    ] {
        let text = format!("\n[[rule]]\npath = \"{pattern}\"\nhide = true");
        let fault = Setup::workspace(&text).fault();
        let place = ".inspectfs.toml:3: pattern '";
        assert!(fault.starts_with(place), "{pattern}\n{fault}");
    }
    let deep = vec!["a"; 100].join("/");
    assert!(
        Setup::default()
            .hide(&deep)
            .fault()
            .contains("more than 62 names")
    );
}

#[test]
fn a_faulty_flag_is_named_whole() {
    for (setup, fault) in [
        (
            Setup::default().hide("[a"),
            "--hide [a: a '[' is not closed; write '\\[' for the character",
        ),
        (
            Setup::default().show("*.env"),
            "--show *.env: a show names what it shows: its last name holds no wildcard",
        ),
        (
            Setup::default().deny("docs/**"),
            "--deny docs/**: it takes GROUP:PATTERN, such as mutate-content:docs/**",
        ),
        (
            Setup::default().deny("raed:docs/**"),
            "--deny raed:docs/**: unknown group 'raed', expected one of 'read', 'search', \
             'mutate-content', 'mutate-structure'; did you mean 'read'?",
        ),
        (
            Setup::default().deny("read:"),
            "--deny read:: the pattern is empty; '**' is everything",
        ),
    ] {
        assert_eq!(setup.fault(), fault);
    }
}

#[test]
fn hostile_files_are_faults_of_one_short_line() {
    let deep = format!("default = {}", "[".repeat(100_000));
    let long = format!("{} = 1", "k".repeat(1 << 20));
    let words = "[[rule]]\npath = 'a'\ndeny = [\"re\\nad\\u001b[31m\"]";
    let dotted = format!("{}a = 1", "a.".repeat(100_000));
    for text in [&deep, &long, words, &dotted, "\u{feff}\0", "a\r\n= ["] {
        let fault = Setup::workspace(text).fault();
        assert!(fault.len() < 2000, "{}", fault.len());
        assert!(!fault.contains(char::is_control), "{fault}");
    }
}
