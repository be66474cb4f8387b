#!/usr/bin/env bash
# Holds each part of the source to what it may know: a table of folders and what must not
# stand in their code. Test code is not exempt, comments are. A folder of the table that is
# missing is a failure too, so a part that moves takes its row along.
#
#   scripts/check-layers.sh              check the tree this script lies in
#   scripts/check-layers.sh --self-test  prove that planted violations are caught
set -euo pipefail

# The parts of the crate, as a pattern: `crate::view`, `super::view`, also in braces.
parts() {
    local IFS='|'
    printf '\\b(crate|super) ?:: ?(\\{[^;]*[ ,{])?(%s)\\b' "$*"
}

# Other crates: a path that begins with their name, or a `use` of it.
crates() {
    local IFS='|'
    printf '(^|[^:a-z_])(%s) ?::|\\b(use|extern crate) (:: ?)?(%s)\\b' "$*" "$*"
}

files='\bstd ?:: ?(\{[^;]*[ ,{])?(fs|process|net)\b'

# The table. Parts that do not exist yet get their row with their folder.
table() {
    forbid src/relpath.rs "$(parts '[a-z_]+')|$(crates fuser notify clap tokio libc rustix)"
    forbid src/policy "$(parts view mount probe watch daemon cli)|$(crates fuser notify clap tokio)"
    forbid src/probe "$(parts relpath policy workspace view mount watch daemon cli)|$(crates fuser notify clap tokio libc rustix)"
    # Its golden pairs are files; a test reads them.
    forbid src/probe "$files" src/probe/golden.rs
    forbid src/workspace "$(parts policy probe view mount watch daemon cli)|$(crates fuser notify clap tokio)"
    forbid src/view "$(parts mount watch daemon cli)|$(crates fuser notify clap tokio)"
    forbid src/mount "$(parts policy probe workspace watch daemon cli)|$(crates notify clap)"
    forbid src/watch "$(parts view policy probe mount daemon cli)|$(crates fuser clap)"
    forbid src/daemon "$(parts cli)|$(crates clap)"
    forbid src/cli "$(parts mount)|$(crates fuser)"
}

# The code of one file on one line: no line comments, single spaces.
flatten() {
    sed -e 's:^[[:space:]]*//.*$::' -e 's:[[:space:]]//.*$::' "$1" | tr -s '[:space:]' ' '
}

# forbid FOLDER PATTERN [FILE that is excepted]
forbid() {
    local folder=$1 pattern=$2 excepted=${3-} file found
    if [[ ! -e $root/$folder ]]; then
        echo "$folder: missing; move its row in scripts/check-layers.sh along" >&2
        failures=$((failures + 1))
        return
    fi
    while IFS= read -r -d '' file; do
        [[ -n $excepted && ${file#"$root"/} == "$excepted" ]] && continue
        found=$(flatten "$file" | grep -oE "$pattern" | sort -u | paste -sd ';') || true
        if [[ -n $found ]]; then
            echo "${file#"$root"/}: must not know: $found" >&2
            failures=$((failures + 1))
        fi
    done < <(find "$root/$folder" -name '*.rs' -print0 | sort -z)
}

check() {
    root=$1
    failures=0
    table
    [[ $failures -eq 0 ]]
}

# Plants one piece of code in a tree of empty parts and tells whether the check passes.
plant() {
    local file=$1 code=$2 tree
    tree=$(mktemp -d)
    mkdir -p "$tree"/src/{policy,probe,workspace,view,mount,watch,daemon,cli}
    touch "$tree"/src/relpath.rs
    mkdir -p "$tree/$(dirname "$file")"
    printf '%b\n' "$code" >"$tree/$file"
    local outcome=caught
    if check "$tree" 2>/dev/null; then
        outcome=passed
    fi
    rm -r "$tree"
    echo "$outcome"
}

self_test() {
    local wrong=0 expected file code outcome
    while IFS='|' read -r expected file code; do
        outcome=$(plant "$file" "$code")
        if [[ $outcome != "$expected" ]]; then
            echo "self-test: $outcome instead of $expected: $file: $code" >&2
            wrong=$((wrong + 1))
        fi
    done <<'ROWS'
caught|src/relpath.rs|use crate::policy::Policy;
caught|src/policy/a.rs|use crate::view::View;
caught|src/policy/a.rs|use crate::{relpath::RelPath, view::View};
caught|src/policy/a.rs|use crate::{\n    relpath::RelPath,\n    view,\n};
caught|src/policy/deep/er/a.rs|fn f() { super::super::view::g() }
caught|src/policy/a.rs|use notify::Watcher;
caught|src/policy/a.rs|use ::fuser::Request;
caught|src/probe/a.rs|use std::fs::File;
caught|src/probe/a.rs|use std::{io, fs};
passed|src/probe/golden.rs|use std::fs;
caught|src/probe/golden.rs|use crate::policy::Policy;
caught|src/probe/a.rs|#[cfg(test)]\nmod tests {\n    use crate::policy::Policy;\n}
caught|src/workspace/a.rs|fn f() -> crate::probe::Report { todo!() }
caught|src/view/a.rs|fn f(r: &fuser::Request) {}
caught|src/view/a.rs|use tokio::sync::Mutex;
caught|src/mount/a.rs|use crate::policy::Policy; // why not
caught|src/watch/a.rs|use crate::view::View;
caught|src/daemon/a.rs|use clap::Parser;
caught|src/cli/a.rs|use crate::mount::Session;
passed|src/policy/a.rs|// crate::view asks this\nuse crate::relpath::RelPath;
passed|src/policy/a.rs|//! Knows no fuser::Request.\nfn viewport() {}
passed|src/policy/a.rs|use crate::policy::view::X;
passed|src/probe/a.rs|use std::fmt;\nlet notify = 1; let fs = 2;
passed|src/view/a.rs|use crate::{policy::Policy, probe, workspace};
passed|src/mount/a.rs|use crate::view::{View, policy_of};\nuse fuser::Request;
passed|src/cli/a.rs|use clap::Parser;\nuse crate::cli::mount::Flags;
ROWS
    local tree
    tree=$(mktemp -d)
    if check "$tree" 2>/dev/null; then
        echo "self-test: missing folders pass" >&2
        wrong=$((wrong + 1))
    fi
    rmdir "$tree"
    [[ $wrong -eq 0 ]]
}

case ${1-} in
    --self-test)
        self_test
        echo "planted violations are caught"
        ;;
    '')
        check "$(cd "$(dirname "$0")/.." && pwd)"
        ;;
    *)
        echo "usage: $0 [--self-test]" >&2
        exit 2
        ;;
esac
