//! `docs/POLICY.md` is run: its rules are taken, and its rows say what comes out.

use super::*;

const DOCUMENT: &str = include_str!("../../../docs/POLICY.md");

/// What the blocks since the last heading set up.
#[derive(Default)]
struct Example {
    rules: String,
    ignore_file: String,
}

impl Example {
    fn policy(&self) -> Policy {
        let setup = Setup::default();
        let setup = if self.rules.starts_with("# --policy") {
            setup.policy_file(&self.rules)
        } else {
            setup.and_workspace(&self.rules)
        };
        setup.build()
    }

    fn decide(&self, path: &str) -> Decision {
        let (path, kind) = split(path);
        let mut scope = self.policy().folder(&RelPath::root());
        let file = IgnoreFile::parse(self.ignore_file.as_bytes()).unwrap();
        assert!(scope.add_ignore_file(&RelPath::root(), Arc::new(file)));
        let (folders, name) = path.split_last().unwrap();
        let folder = folders.fold(scope, |scope, name| scope.child(name));
        folder.decide(name, kind)
    }
}

fn answer(decision: Decision) -> String {
    if !decision.exists() {
        return "hidden".to_owned();
    }
    if decision.is_way() {
        return "way".to_owned();
    }
    let names: Vec<_> = decision.groups().names().collect();
    let content = decision.content().map_or("", |_| " unless by content");
    let label = decision
        .label()
        .map_or(String::new(), |label| format!(" {}", label.name()));
    format!("{}{content}{label}", names.join(" "))
}

#[test]
fn every_example_comes_out_as_it_says() {
    let mut example = Example::default();
    let (mut rows, mut rules, mut ignore_files) = (0, 0, 0);
    let mut blocks = DOCUMENT.split("```");
    let mut prose = blocks.next().unwrap();
    while let (Some(block), Some(after)) = (blocks.next(), blocks.next()) {
        if prose.contains("\n## ") {
            example = Example::default();
        }
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            "toml" => {
                example.rules = text.to_owned();
                example.policy();
                rules += 1;
            }
            "gitignore" => {
                example.ignore_file = text.to_owned();
                ignore_files += 1;
            }
            "text" => {
                for row in text.lines() {
                    let (path, said) = row.split_once(' ').unwrap();
                    let all = Groups::all().names().collect::<Vec<_>>().join(" ");
                    let said = said.trim().replace("visible", &all);
                    assert_eq!(answer(example.decide(path)), said, "{row}");
                    rows += 1;
                }
            }
            "console" => {} // run by a mount test
            other => panic!("a block of '{other}'"),
        }
        prose = after;
    }
    assert!(rows > 50 && rules == 8 && ignore_files == 1);
}

#[test]
fn every_name_judged_by_content_is_told() {
    for family in super::super::builtin::FAMILIES {
        if family.effect.content_rule().is_some() {
            for name in family.patterns {
                assert!(DOCUMENT.contains(&format!("`{name}`")), "{name}");
            }
        }
    }
}
