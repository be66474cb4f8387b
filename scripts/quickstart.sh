#!/usr/bin/env bash
# Builds inspectfs and shows its main job on this repository: a view in which every file has
# a summary and an outline beside it, and what is secret is not there. Leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=0
need() {
    if ! eval "$1" >/dev/null 2>&1; then
        printf 'missing: %s\n         %s\n' "$2" "$3" >&2
        missing=1
    fi
}
need 'command -v cargo' 'cargo (Rust 1.95 or later)' \
    "curl https://sh.rustup.rs -sSf | sh"
need 'command -v cc' 'a C compiler (for the parsers of tree-sitter)' \
    "apt-get install build-essential"
need 'test -c /dev/fuse' '/dev/fuse' \
    "modprobe fuse; in a container: --device /dev/fuse --cap-add SYS_ADMIN"
if [[ $(id -u) -ne 0 ]]; then
    need 'command -v fusermount3' 'fusermount3 (for mounts by an ordinary user)' \
        "sudo apt-get install fuse3"
    need 'test -w /dev/fuse' 'the right to open /dev/fuse' \
        "sudo chmod 666 /dev/fuse"
fi
[[ $missing -eq 0 ]] || exit 1

say() { printf '\n# %s\n' "$*"; }
show() {
    printf '$ %s\n' "$*"
    bash -c "$*"
}

say "Build (the first time takes a few minutes)"
printf '$ cargo build --release\n'
cargo build --release --locked --quiet
PATH=${CARGO_TARGET_DIR:-$PWD/target}/release:$PATH

view=$(mktemp -d)
clean_up() {
    if mountpoint -q "$view"; then
        inspectfs unmount "$view" || umount -l "$view" || true
    fi
    rmdir "$view"
}
trap clean_up EXIT

say "Mount a view of this repository"
show "inspectfs mount . $view"

say "The tree is there; .git is not, and nothing says that it exists"
show "ls -A $view"
show "ls -d $view/.git || true"

say "What is this folder? One line about everything in it"
show "cat $view/src/.inspect.json"

say "What is this file? Its summary, beside it under its name"
show "cat $view/Cargo.toml.inspect.json"

say "What is in it, and where? Its outline, each row with its line and a hash"
show "head -c 700 $view/docs/ARCHITECTURE.md.outline.json; echo ..."

say "Sidecars cost nothing in a listing: only the root's is shown"
show "find $view -maxdepth 2 -name '*.inspect.json'"

say "A view is read-only"
show "touch $view/new || true"

say "End it"
show "inspectfs unmount $view"
