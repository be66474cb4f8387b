use super::super::tests::{is_complete, lines};

#[test]
fn the_name_at_the_heart_of_a_declarator() {
    let source = b"int (*(*table[3])(void))(int);\nint (*get(void))[3];\nchar *(f)(void);\nvoid (*signal(int n, void (*f)(int)))(int);\nint *const fixed, *open;\n";
    assert_eq!(
        lines("a.c", source),
        "variable table 1-1\nfunction get 2-2\nfunction f 3-3\nfunction signal 4-4\n\
         constant fixed 5-5\nvariable open 5-5\n"
    );
}

#[test]
fn typedefs_and_their_tags() {
    let source = b"typedef struct { int x; } anonymous;\ntypedef struct tag same;\ntypedef enum mode {\n A\n} mode, *modes;\n";
    assert_eq!(
        lines("a.c", source),
        "type anonymous 1-1\ntype same 2-2\ntype mode 3-5\ntype mode 5-5\ntype modes 5-5\n"
    );
}

#[test]
fn halves_of_a_linkage_block_hide_nothing() {
    for (open, close) in [
        (
            "#ifdef __cplusplus\nextern \"C\" {\n#endif",
            "#ifdef __cplusplus\n}\n#endif",
        ),
        (
            "# if defined(__cplusplus)\n\nextern \"C\"\n{\n# endif /* C++ */",
            "#ifdef __cplusplus\n} /* extern \"C\" */\n#endif",
        ),
    ] {
        let source = format!("{open}\nint f(void);\nstruct s {{ int x; }};\n{close}\n");
        let first = open.lines().count() + 1;
        let expected = format!("function f {first}-{first}\ntype s {0}-{0}\n", first + 1);
        assert_eq!(lines("a.h", source.as_bytes()), expected, "{source}");
    }
    // Not one of these: what stands in it counts.
    let source = b"#ifdef __cplusplus\nint f(void);\n#endif\nint broken( {\n";
    assert!(lines("a.h", source).contains("function f 2-2\n"));
}

#[test]
fn conditional_groups_at_any_depth() {
    let source = format!(
        "{}int f(void);\n{}",
        "#if A\n".repeat(200),
        "#endif\n".repeat(200)
    );
    assert_eq!(lines("a.c", source.as_bytes()), "function f 201-201\n");
    let source = b"#if A\nint a;\n#elif B\nint b;\n#else\n#ifdef C\nint c;\n#endif\n#endif\n";
    assert_eq!(
        lines("a.c", source),
        "variable a 2-2\nvariable b 4-4\nvariable c 7-7\n"
    );
}

#[test]
fn broken_code_keeps_what_stands_outside() {
    let source = b"#include <a.h>\nint f(void) { return 1; }\nint g( {\n  int local;\n}\n";
    assert!(!is_complete("a.c", source));
    let entries = lines("a.c", source);
    assert!(
        entries.starts_with("import a.h 1-1\nfunction f 2-2\n"),
        "{entries}"
    );
    assert!(!entries.contains("local"), "{entries}");
}

#[cfg(feature = "cpp")]
mod cpp {
    use super::lines;

    #[test]
    fn methods_outside_their_class() {
        let source = b"template<class T> auto ns::Box<T>::get() const -> T& { return x; }\n\
            int Outer::Inner::count = 0;\nns::Box<int>::~Box() {}\nint ::global(int) { return 0; }\n\
            bool operator<(const A &a, const A &b);\nvoid *A::operator new(size_t n) { return 0; }\n";
        assert_eq!(
            lines("a.cc", source),
            "method ns::Box<T>.get 1-1\nvariable Outer::Inner::count 2-2\nmethod ns::Box<int>.~Box 3-3\n\
             function global 4-4\nfunction operator< 5-5\nmethod A.operator new 6-6\n"
        );
    }
}
