//! The four groups: which rule decides, and what `default` leaves.

use super::*;

fn policy(text: &str) -> Policy {
    Setup::workspace(text).build()
}

#[test]
fn deny_takes_and_a_whitelist_gives_only_what_it_names() {
    let policy = policy(
        "[[rule]]\npath = 'originals/**'\ndeny = ['mutate-content', 'mutate-structure']\n\
         [[rule]]\npath = 'node_modules/'\nallow = ['read']\n\
         [[rule]]\npath = 'both'\nallow = ['read', 'search']\ndeny = ['read']\n",
    );
    gives!(
        policy,
        "originals/" => "read search",
        "originals/a/b" => "read search",
        "originals" => "all",
        "originals2/a" => "all",
        "a/originals/b" => "all",
        "node_modules/" => "read",
        "a/node_modules/b/c.js" => "read",
        "node_modules" => "all",
        "both" => "search",
        "./" => "all",
    );
}

#[test]
fn without_a_group_a_path_does_not_exist_nor_does_what_lies_below() {
    let nothing = "[[rule]]\npath = 'nothing'\nallow = []\n";
    gives!(
        policy(nothing),
        "nothing" => "-",
        "a/nothing/" => "-",
        "a/nothing/x" => "-",
        "nothing2" => "all",
    );
    // What a rule gives can be reached, so the folder is there to pass through.
    let policy = policy(&format!(
        "{nothing}[[rule]]\npath = 'node_modules/'\nallow = ['read']"
    ));
    gives!(policy, "nothing/" => "way", "nothing" => "-", "nothing/node_modules/x" => "read");
}

#[test]
fn the_longest_pattern_with_an_opinion_decides() {
    let policy = policy(
        "[[rule]]\npath = 'docs/a/**'\nallow = ['read', 'search']\n\
         [[rule]]\npath = 'docs/**'\ndeny = ['read']\n\
         [[rule]]\npath = 'docs/a/longer/'\ndeny = ['search']\n",
    );
    gives!(
        policy,
        "docs/x" => "search mutate-content mutate-structure",
        "docs/a/x" => "read search",
        "docs/a/longer/x" => "read",
    );
}

#[test]
fn wildcards_do_not_count_and_deny_wins_a_tie() {
    let tie =
        "[[rule]]\npath = 'a/**'\ndeny = ['read']\n[[rule]]\npath = 'a/*'\nallow = ['read']\n";
    gives!(policy(tie), "a/x" => "-");
    let policy = policy(
        "[[rule]]\npath = '**/**/*/*'\ndeny = ['read']\n\
         [[rule]]\npath = 'ab/cd'\nallow = ['read']\n",
    );
    gives!(policy, "ab/cd" => "read", "ab/ce" => "search mutate-content mutate-structure");
}

#[test]
fn the_order_of_rules_does_not_matter() {
    let rules = [
        "[[rule]]\npath = 'a/b/**'\nallow = ['read']\n",
        "[[rule]]\npath = 'a/**'\ndeny = ['read', 'search']\n",
        "[[rule]]\npath = 'a/b/c'\nhide = true\n",
        "[[rule]]\npath = '/a/b/c'\nshow = true\n",
    ];
    let forwards = policy(&rules.concat());
    let backwards = policy(&rules.iter().rev().copied().collect::<String>());
    for path in ["a/", "a/b/", "a/b/x", "a/b/c", "a/c", "b"] {
        assert_eq!(
            outcome(&forwards, path),
            outcome(&backwards, path),
            "{path}"
        );
    }
}

#[test]
fn a_default_is_a_word_or_a_list() {
    gives!(policy("default = 'allow'"), "a" => "all");
    gives!(policy("default = 'deny'"), "a" => "-", "a/" => "-");
    gives!(policy("default = []"), "a" => "-");
    gives!(policy("default = ['read', 'search']"), "a" => "read search", "./" => "read search");
    gives!(policy(""), "a" => "all");
}

#[test]
fn with_default_deny_only_what_an_allow_reaches_exists() {
    let policy = policy(
        "default = 'deny'\n\
         [[rule]]\npath = 'docs/**/*.md'\nallow = ['read', 'search']\n\
         [[rule]]\npath = 'src/'\nallow = ['read', 'search']\n\
         [[rule]]\npath = '/etc/conf/a.toml'\nallow = ['read']\n",
    );
    gives!(
        policy,
        "./" => "way search",
        "docs/" => "way search",
        "docs/x/y/" => "way search",
        "docs/a.md" => "read search",
        "docs/x/y/a.md" => "read search",
        "docs/a.txt" => "-",
        "docs" => "-",
        "etc/" => "way search",
        "etc/conf/" => "way search",
        "etc/conf/a.toml" => "read",
        "etc/conf/b.toml" => "-",
        "src/" => "read search",
        "a/src/b/c" => "read search",
        // `src/` may lie at any depth, so every folder leads to one.
        "lib/" => "way search",
        "etc/other/" => "way search",
        "lib" => "-",
    );
}

#[test]
fn with_default_deny_an_anchored_allow_leads_only_to_itself() {
    let policy = policy("default = 'deny'\n[[rule]]\npath = 'a/*/c/**'\nallow = ['read']");
    gives!(
        policy,
        "a/" => "way search",
        "a/b/" => "way search",
        "a/b/c/" => "read",
        "a/b/c/d/e" => "read",
        "a/b/c" => "-",
        "a/b/d/" => "-",
        "b/" => "-",
        "b/a/" => "-",
    );
}

#[test]
fn with_default_deny_a_name_pattern_leads_everywhere_but_where_it_is_hidden() {
    let policy = policy(
        "default = 'deny'\n[[rule]]\npath = '*.md'\nallow = ['read', 'search']\n\
         [[rule]]\npath = 'private/'\nhide = true\n",
    );
    gives!(
        policy,
        "a/b/c/" => "way search",
        "a/b/c/x.md" => "read search",
        "private/" => "-",
        "private/x.md" => "-",
        ".git/" => "-",
        ".ssh/x.md" => "-",
    );
}

#[test]
fn with_default_deny_a_shows_literal_path_leads_too() {
    let policy = policy(
        "default = 'deny'\n[[rule]]\npath = 'a/b/c'\nshow = true\n[[rule]]\npath = 'x'\nshow = true",
    );
    gives!(policy, "a/" => "way search", "a/b/" => "way search", "a/b/c" => "-", "c/" => "-");
}

#[test]
fn a_folder_refused_throughout_leads_nowhere() {
    let policy = policy(
        "[[rule]]\npath = '*.md'\nallow = ['read']\n\
         [[rule]]\npath = 'vault/'\nallow = []\n\
         [[rule]]\npath = 'vault/open/'\nallow = ['read', 'search']\n",
    );
    gives!(policy, "vault/" => "way", "vault/x.md" => "-", "vault/open/x" => "read search");
    gives!(policy, "a/vault/" => "-", "a/vault/x.md" => "-");
}

#[test]
fn reachable_but_not_listed_and_listed_but_not_read() {
    let policy = policy(
        "[[rule]]\npath = 'big.bin'\nallow = ['search']\n[[rule]]\npath = 'dist/'\ndeny = ['search']",
    );
    gives!(policy, "big.bin" => "search", "dist/x" => "read mutate-content mutate-structure");
}

#[test]
fn a_folder_could_gain_names_unless_no_rule_could_allow_one() {
    let policy = policy(
        "[[rule]]\npath = 'sealed/'\ndeny = ['mutate-structure']\n\
         [[rule]]\npath = 'part/'\ndeny = ['mutate-structure']\n\
         [[rule]]\npath = 'part/out/*.log'\nallow = ['mutate-structure']\n",
    );
    for (path, could) in [
        ("", true),
        ("a", true),
        ("sealed", false),
        ("sealed/x", false),
        ("part", true),
        ("part/out", true),
        ("part/in", false),
        (".vscode", false),
        (".git", false),
        (".github", true),
        (".github/workflows", false),
    ] {
        let folder = policy.folder(&RelPath::parse(path.as_bytes()).unwrap());
        assert_eq!(folder.could_gain_names(), could, "{path}");
    }
}
