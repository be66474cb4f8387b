use super::*;

fn asked(asked: &str, names: &[&str]) -> Vec<String> {
    similar(asked, names.iter().copied())
}

#[test]
fn the_cases_of_the_contract() {
    assert_eq!(
        asked("sales2024.csv", &["sales_2024.csv"]),
        ["sales_2024.csv"]
    );
    let ratio = Asked::new("sales2024.csv").ratio("sales_2024.csv");
    assert_eq!((2 * ratio.matched, ratio.total), (26, 27));
    assert_eq!(
        asked("main.rs", &["main.rs.bak", "Main.rs", "other", "mains.rs"]),
        ["mains.rs", "Main.rs", "main.rs.bak"]
    );
}

/// Numbers from Python: `2 * sum(size)` of `SequenceMatcher(None, name, asked, False)`.
#[test]
fn ratios_are_those_of_difflib() {
    for (asked, name, doubled) in [
        (
            "private Thread currentThread;",
            "private volatile Thread currentThread;",
            58,
        ),
        ("abcd", "bcde", 6),
        ("", "a", 0),
        ("qabxcd", "abycdf", 8),
        ("tide", "diet", 4),
        ("diet", "tide", 2),
        ("é1é2", "1é2é", 6),
        ("cca.babac.", "b.abab.cb.bab.", 12),
        ("baa", "bbbc", 2),
        ("bbbb.c", "c", 2),
        ("bbcacca", "caccc.cb..", 8),
        ("bacac.a.c.a.", "b", 2),
        ("bab.ccc.ac", "ca.abccbccaccc", 10),
        ("abc", "baa.abcc", 6),
        (".baa.cbb", "b.ab.cba.cb.", 12),
        ("b..c.cc..b", ".b", 4),
        (".cba.ccacac", "c.cccb", 10),
        ("a.ccc.cccc", "c.cb.ccbbbc", 12),
        (".ca.b.ccabb.bb", "ba.bbabacb.ba", 16),
        (".c.abbc", "c", 2),
        ("c.acaca", "cccb.", 6),
        ("c.bb..b", "aca", 2),
        ("acbc...", ".c..", 6),
        ("bcc.c.a", "c.cb.a", 10),
        (".b", "ab.a.", 2),
        ("cb.ab.cbc", "..aab", 6),
        ("ccca.", "cbaac.", 6),
    ] {
        let ratio = Asked::new(asked).ratio(name);
        assert_eq!(2 * ratio.matched, doubled, "{asked:?} {name:?}");
        let total = asked.chars().count() + name.chars().count();
        assert_eq!(ratio.total, total as u64);
        if let Some(bound) = Asked::new(asked).bound(name) {
            assert!(bound >= ratio, "{asked:?} {name:?}");
        } else {
            assert!(!ratio.is_enough());
        }
    }
}

#[test]
fn half_alike_is_enough_and_less_is_not() {
    assert_eq!(asked("ab", &["ac", "acd", "xy"]), ["ac"]);
    assert_eq!(asked("", &["a", ""]), [""]);
    assert_eq!(asked("a", &[]), [""; 0]);
}

#[test]
fn equal_ratios_go_by_name_whatever_the_order() {
    let names = ["abd", "abc", "abf", "abe"];
    assert_eq!(asked("abx", &names), ["abc", "abd", "abe"]);
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    assert_eq!(asked("abx", &reversed), ["abc", "abd", "abe"]);
}

#[test]
fn the_best_is_found_among_100_000_names_in_no_time() {
    let alike = "ab".repeat(120);
    let mut names: Vec<String> = (0..100_000).map(|n| format!("{alike}{n:05}")).collect();
    names.push(format!("{alike}x"));
    let start = std::time::Instant::now();
    let found = similar(&format!("{alike}x.rs"), names.iter().map(String::as_str));
    assert_eq!(found[0], format!("{alike}x"));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
