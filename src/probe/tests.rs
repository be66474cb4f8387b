//! Properties of every answer, whatever the bytes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use proptest::prelude::*;
use std::io;

const EXTENSIONS: &[&str] = &[
    "csv", "tsv", "json", "jsonl", "ndjson", "md", "yaml", "yml", "toml", "ini", "ipynb", "py",
    "pyi", "ts", "tsx", "js", "mjs", "go", "rs", "java", "c", "h", "cpp", "rb", "sh", "txt", "bin",
];

/// One extension of each row.
const ROWS: &[&str] = &[
    "csv", "json", "jsonl", "md", "yaml", "toml", "ini", "ipynb", "py", "ts", "js", "go", "rs",
    "java", "c", "cpp", "rb", "sh", "txt",
];

/// One line of valid JSON.
fn assert_is_document(document: &[u8]) {
    let (last, body) = document.split_last().unwrap();
    assert_eq!(*last, b'\n');
    assert!(!body.contains(&b'\n'));
    serde_json::from_slice::<serde::de::IgnoredAny>(body).unwrap();
}

fn check(name: &str, content: &[u8], limits: &Limits) {
    let size = content.len() as u64;
    let report = inspect(name.as_bytes(), size, &mut &*content, limits).unwrap();
    assert!(
        report.finding.structure.is_some() || report.finding.reason.is_some(),
        "an empty answer without a reason"
    );
    let facts = FileFacts {
        path: name,
        kind: FileKind::File,
        size,
        permissions: &[],
        readable: true,
        mtime_seconds: 0,
    };
    let document = file_document(&facts, Some(&report));
    assert_is_document(&document);
    assert!(document.len() < 40_000, "{} bytes", document.len());
    match outline(name.as_bytes(), size, &mut &*content, limits).unwrap() {
        Ok(outline) => {
            let document = outline.document(name).unwrap();
            assert_is_document(&document);
            assert!(document.len() <= 65_536);
        }
        Err(failure) => {
            assert_eq!(failure.code, Code::NotUtf8);
            assert!(std::str::from_utf8(content).is_err());
        }
    }
}

/// Bytes that mean something to some format, in any order.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        prop::sample::select(vec![
            "\n",
            "\r",
            "\r\n",
            "---\n",
            "# ",
            "## a ##",
            "> ",
            "- ",
            "```",
            "<!--",
            "-->",
            "a: ",
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            ";",
            "\t",
            "|",
            "\"",
            "'",
            "\\",
            "\\u",
            "\\ud800",
            "0",
            "-1e5",
            "true",
            "null",
            "//",
            "/*",
            "*/",
            "é",
            "𝄞",
            "\u{feff}",
            "&a",
            "*a",
            "!",
            "?",
            "=",
            "[[",
            "\"cells\":",
            "def f():",
            "class A:",
            "func ",
            "import ",
            "(",
            ")",
            "export ",
            "const ",
            "fn f",
            "impl A",
            "class ",
            "module A",
            "end\n",
            "#if ",
            "#endif\n",
            "template<",
            "r#\"",
            "R\"(",
            "<<EOF\n",
            "<<~A",
            "EOF\n",
            "%w(",
            "$(",
            "${",
            "do |x|",
            "\0",
            "  ",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(fragment, 0..60).prop_map(|fragments| fragments.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_documents(content in fragments(), cap in 0_usize..80) {
        for extension in EXTENSIONS {
            let name = format!("a.{extension}");
            check(&name, &content, &Limits::default());
            let small = Limits { parser_bytes: cap, ..Limits::default() };
            check(&name, &content, &small);
        }
    }

    #[test]
    fn utf_16_gives_documents(units in prop::collection::vec(any::<u16>(), 0..60), cap in 0_usize..80) {
        let mut content = vec![0xff, 0xfe];
        content.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        for extension in ["csv", "json", "md", "jsonl"] {
            check(&format!("a.{extension}"), &content, &Limits { parser_bytes: cap, ..Limits::default() });
        }
    }
}

#[test]
fn no_depth_breaks_anything() {
    let deep = 100_000;
    let seeds = [
        "[", "{", "(", "{\"a\":", "[{", "> ", "- ", "- - ", "\"", "a:\n", "[a](", "((", "{[", "a.",
        "[[a]]\n", "a=[", "`",
    ];
    for seed in seeds {
        let content = seed.repeat(deep);
        for extension in ROWS {
            check(
                &format!("a.{extension}"),
                content.as_bytes(),
                &Limits::default(),
            );
        }
    }
}

#[test]
fn a_failing_read_is_an_error_and_not_a_report() {
    struct Failing(usize);
    impl io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::from_raw_os_error(5));
            }
            self.0 -= 1;
            let length = buffer.len().min(1000);
            buffer[..length].fill(b'a');
            Ok(length)
        }
    }
    let small = Limits {
        parser_bytes: 20_000,
        ..Limits::default()
    };
    for reads in [0, 5, 15, 25, 50] {
        for name in ["a.csv", "a.json", "a.md", "a.txt"] {
            let error = inspect(name.as_bytes(), 1, &mut Failing(reads), &small).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(5), "{name} after {reads}");
        }
        assert!(outline(b"a.md", 1, &mut Failing(reads), &small).is_err());
    }
}

#[test]
fn a_tier_3_file_is_not_read() {
    let limits = Limits {
        tier_3_bytes: 10,
        ..Limits::default()
    };
    let report = inspect(b"a.csv", 11, &mut io::empty(), &limits).unwrap();
    assert_eq!(report.tier(), Tier::Oversized);
    assert_eq!(report.finding.reason, Some(Reason::TooLarge));
    assert_eq!(
        inspect(b"a.csv", 10, &mut io::empty(), &limits)
            .unwrap()
            .tier(),
        Tier::Text
    );
}

/// A file that grows without end while it is read does not keep its reader.
#[test]
fn no_more_than_a_tier_3_file_is_read() {
    let limits = Limits {
        tier_3_bytes: 1 << 20,
        ..Limits::default()
    };
    for name in ["a.csv", "a.json", "a.md", "a.txt"] {
        let report = inspect(name.as_bytes(), 1, &mut io::repeat(b'a'), &limits).unwrap();
        assert_eq!(report.tier(), Tier::Text);
        assert!(
            outline(name.as_bytes(), 1, &mut io::repeat(b'a'), &limits)
                .unwrap()
                .is_ok()
        );
    }
}
