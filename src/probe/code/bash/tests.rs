use super::super::tests::lines;

#[test]
fn assignments_before_a_command_are_for_it_alone() {
    assert_eq!(lines("a.sh", b"a=1 b=2 cmd\n"), "");
    assert_eq!(lines("a.sh", b"a=1 \\\n b=2 \\\ncmd\n"), "");
    assert_eq!(
        lines("a.sh", b"a=1 b=2\ncmd\n"),
        "variable a 1-1\nvariable b 1-1\n"
    );
    assert_eq!(
        lines("a.sh", b"a=1; b=2\nc=3 # x\ncmd\n"),
        "variable a 1-1\nvariable b 1-1\nvariable c 2-2\n"
    );
}

#[test]
fn sourced_files_are_named_as_written() {
    assert_eq!(
        lines(
            "a.sh",
            b". './a b'\nsource \"$dir\"/x.sh\nsource\ncommand . x\n"
        ),
        "import ./a b 1-1\nimport \"$dir\"/x.sh 2-2\n"
    );
}
