#!/usr/bin/env bash
# Sidecars per second over a real tree: the first stat and read of each, and again when the
# daemon has them; beside them reading the files themselves. Prints markdown table rows.
#
#   scripts/bench/sidecars.sh [TREE [FILES [RUNS]]]
#       TREE    default: cargo's registry sources
#       FILES   at most so many files of the tree, default 3000
#       RUNS    default 3, each on a new mount
set -euo pipefail
cd "$(dirname "$0")/../.."

tree=${1:-$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ | head -n 1)}
files=${2:-3000}
runs=${3:-3}
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

# One mount: walks the view once untimed, then times each pass over the same files. A pass
# is cut after a minute and says how many it did.
measure() {
    python3 - "$view" "$files" <<'PYTHON'
import os, sys, time
view, limit = sys.argv[1], int(sys.argv[2])
paths = []
for folder, folders, names in os.walk(view):
    folders.sort()
    for name in sorted(names):
        path = os.path.join(folder, name)
        # A link has a summary but no outline.
        if name != ".inspect.json" and os.path.isfile(path) and not os.path.islink(path):
            paths.append(path)
    if len(paths) >= limit:
        break
paths = paths[:limit]

def timed(suffix):
    start, done, size = time.perf_counter(), 0, 0
    for path in paths:
        stat = os.stat(path + suffix)
        with open(path + suffix, "rb") as file:
            data = file.read()
        assert len(data) == stat.st_size, path + suffix
        done, size = done + 1, size + len(data)
        if time.perf_counter() - start > 60:
            break
    elapsed = time.perf_counter() - start
    return done, done / elapsed, size / done

for what, suffix in (
    ("summary, first", ".inspect.json"),
    ("summary, again", ".inspect.json"),
    ("outline, first", ".outline.json"),
    ("outline, again", ".outline.json"),
    ("the file, first", ""),
    ("the file, again", ""),
):
    done, rate, size = timed(suffix)
    print(f"{what}\t{done}\t{rate:.0f}\t{size:.0f}")
PYTHON
}

for ((run = 0; run < runs; run++)); do
    "$inspectfs" mount --name bench "$tree" "$view" >/dev/null
    measure
    "$inspectfs" unmount "$view"
done | sort -t "$(printf '\t')" -k1,1 -k3,3n | awk -F '\t' '
    BEGIN {
        print "| read | files | lowest per s | median per s | highest per s | mean bytes |"
        print "|---|---:|---:|---:|---:|---:|"
    }
    function row(   middle) {
        middle = int((count + 1) / 2)
        printf "| %s | %d | %d | %d | %d | %d |\n", \
            what, done, rate[1], rate[middle], rate[count], size
    }
    $1 != what { if (count) row(); what = $1; count = 0 }
    { rate[++count] = $3; done = $2; size = $4 }
    END { row() }'
