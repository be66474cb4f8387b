#!/usr/bin/env bash
# How long `inspectfs mount` takes until the view is ready, on generated trees of growing
# size. It must not grow with the tree. Prints markdown table rows.
#
#   scripts/bench/mount-time.sh [RUNS]     default 15 runs a size
set -euo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-15}
cargo build --release --locked --quiet
inspectfs=${CARGO_TARGET_DIR:-$PWD/target}/release/inspectfs
work=$(mktemp -d)
clean_up() {
    "$inspectfs" unmount "$work/view" 2>/dev/null || true
    rm -rf "$work/view" "$work/tree"
    rmdir "$work"
}
trap clean_up EXIT
mkdir "$work/view"

# 100 files a folder, 20 folders a folder: about the shape of a source tree.
grow() {
    python3 - "$work/tree" "$1" <<'PYTHON'
import os, sys
root, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    folder = number // 100
    place = os.path.join(root, f"d{folder // 20}", f"e{folder % 20}")
    if number % 100 == 0:
        os.makedirs(place, exist_ok=True)
    path = os.path.join(place, f"f{number}.py")
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write(f"def f{number}():\n    return {number}\n")
PYTHON
}

# Milliseconds from the start of the command to its end: it returns when the view is ready.
once() {
    local start end
    start=$(date +%s%N)
    "$inspectfs" mount "$work/tree" "$work/view" >/dev/null
    end=$(date +%s%N)
    "$inspectfs" unmount "$work/view"
    echo $(((end - start) / 1000))
}

# Lowest, median and highest of the numbers on standard input, microseconds to milliseconds.
spread() {
    sort -n | awk '{ v[NR] = $1 } END {
        printf "%.1f | %.1f | %.1f", v[1] / 1000, v[int((NR + 1) / 2)] / 1000, v[NR] / 1000 }'
}

echo "| files | lowest ms | median ms | highest ms | runs |"
echo "|---:|---:|---:|---:|---:|"
for files in 1000 10000 100000; do
    grow "$files"
    once >/dev/null
    row=$(for ((run = 0; run < runs; run++)); do once; done | spread)
    echo "| $files | $row | $runs |"
done
