#!/usr/bin/env bash
# What a view costs beside the tree itself: walks, searches and reads over a real tree, native
# and in the view in turn, so that noise meets both. Prints markdown table rows.
#
#   scripts/bench/walks.sh [TREE [RUNS]]
#       TREE    default: cargo's registry sources
#       RUNS    default 9
set -euo pipefail
cd "$(dirname "$0")/../.."

tree=${1:-$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ | head -n 1)}
runs=${2:-9}
if [[ ! -d $tree ]]; then
    echo "no tree at '$tree': name one" >&2
    exit 1
fi
cargo build --release --locked --quiet
inspectfs=${CARGO_TARGET_DIR:-$PWD/target}/release/inspectfs
view=$(mktemp -d)
clean_up() {
    "$inspectfs" unmount "$view" 2>/dev/null || true
    rmdir "$view"
}
trap clean_up EXIT

python3 - "$inspectfs" "$tree" "$view" "$runs" <<'PYTHON'
import os, statistics, subprocess, sys, time

inspectfs, tree, view, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

def mount():
    subprocess.run([inspectfs, "mount", tree, view], check=True, stdout=subprocess.DEVNULL)

def unmount():
    subprocess.run([inspectfs, "unmount", view], check=True)

def command(*words):
    def run(root):
        subprocess.run([*words, root], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return run

def files(root):
    return [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names
            if name != ".inspect.json"]

def read_all(root):
    for path in paths[root]:
        with open(path, "rb") as file:
            file.read()

def stat_all(root):
    for path in paths[root]:
        os.lstat(path)

def timed(work, root):
    start = time.perf_counter()
    work(root)
    return time.perf_counter() - start

def row(name, native, seen):
    ratios = sorted(b / a for a, b in zip(native, seen))
    middle = statistics.median
    print(f"| {name} | {middle(native) * 1000:.0f} | {middle(seen) * 1000:.0f} "
          f"| {middle(ratios):.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} |")

print("| workload | native ms | view ms | ratio, median | ratios |")
print("|---|---:|---:|---:|---:|")
find = lambda root: subprocess.run(["find", root, "-size", "+1k"], stdout=subprocess.DEVNULL)
native, seen = [], []
for _ in range(runs):
    mount()
    native.append(timed(find, tree))
    seen.append(timed(find, view))
    unmount()
row("find -size, first after mount", native, seen)
mount()
paths = {tree: files(tree), view: files(view)}
assert len(paths[view]) > 0.99 * len(paths[tree]), "the view hides much of this tree"
works = [("find -size", find), ("ls -lR", command("ls", "-lR")),
         ("rg", command("rg", "-c", "zzqqzz")), ("lstat of each file", stat_all),
         ("read of each file", read_all)]
for name, work in works:
    work(view)
    native, seen = [], []
    for _ in range(runs):
        native.append(timed(work, tree))
        seen.append(timed(work, view))
    row(name, native, seen)
unmount()
print(f"\n{len(paths[tree])} files, {runs} runs, native and view in turn.")
PYTHON
