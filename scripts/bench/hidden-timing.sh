#!/usr/bin/env bash
# Whether the time of an answer tells a hidden name from a missing one: lstat of each in turn, in
# random order, first with a name of its own for each call (no cache of the kernel's helps),
# then of the same names again and again. Prints markdown table rows: medians and percentiles in
# microseconds, and the share of pairs in which the hidden name took longer (0.500 tells nothing)
# with the z value of the Mann-Whitney rank test.
#
#   scripts/bench/hidden-timing.sh [CALLS]     default 10000 of each
set -euo pipefail
cd "$(dirname "$0")/../.."

calls=${1:-10000}
cargo build --release --locked --quiet
inspectfs=${CARGO_TARGET_DIR:-$PWD/target}/release/inspectfs
work=$(mktemp -d)
clean_up() {
    "$inspectfs" unmount "$work/view" 2>/dev/null || true
    rm -rf "$work/view" "$work/tree"
    rmdir "$work"
}
trap clean_up EXIT
mkdir "$work/view" "$work/tree"

python3 - "$inspectfs" "$work" "$calls" <<'PYTHON'
import os, random, subprocess, sys, time

inspectfs, work, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
tree, view = os.path.join(work, "tree"), os.path.join(work, "view")

# Names of one length, a hundred a folder. `have` exists and is hidden; `gone` is of a hidden
# kind and does not exist; `none` is of no hidden kind and does not exist.
def name(kind, number, ending):
    if kind == "none":
        ending = "txt"
    return f"d{number // 100:04}/{kind}{number:06}.{ending}"

for number in range(calls):
    folder = os.path.join(tree, f"d{number // 100:04}")
    if number % 100 == 0:
        os.makedirs(folder)
        with open(os.path.join(folder, "visible.txt"), "w") as file:
            file.write("x")
    for ending in ("env", "hid"):
        with open(os.path.join(tree, name("have", number, ending)), "w") as file:
            file.write("SECRET")
time.sleep(0.5)  # what was changed just now is looked at more closely

def timed(path):
    start = time.perf_counter_ns()
    try:
        os.lstat(path)
    except FileNotFoundError:
        return time.perf_counter_ns() - start
    raise SystemExit(f"{path} shows")

def measure(others, names_of):
    """Times of hidden and other names, in turn and in random order within each pair."""
    times = {"have": [], others: []}
    for number in range(calls):
        pair = ["have", others]
        random.shuffle(pair)
        for kind in pair:
            times[kind].append(timed(os.path.join(view, names_of(kind, number))))
    return times["have"], times[others]

def rank_test(hidden, other):
    """Share of pairs in which hidden is larger, and z; ties count half."""
    everything = sorted([(value, 0) for value in hidden] + [(value, 1) for value in other])
    ranks, index, ties = 0.0, 0, 0.0
    while index < len(everything):
        end = index
        while end < len(everything) and everything[end][0] == everything[index][0]:
            end += 1
        count = end - index
        rank = (index + 1 + end) / 2
        ranks += rank * sum(1 for at in range(index, end) if everything[at][1] == 0)
        ties += count**3 - count
        index = end
    n, m = len(hidden), len(other)
    u = ranks - n * (n + 1) / 2
    total = n + m
    variance = n * m / 12 * ((total + 1) - ties / (total * (total - 1)))
    return u / (n * m), (u - n * m / 2) / variance**0.5

def percentiles(values):
    ordered = sorted(values)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))] / 1000
    return f"{at(0.5):.1f} / {at(0.9):.1f} / {at(0.99):.1f}"

print("| hidden by | compared with | names | hidden: 50 / 90 / 99 % | other: 50 / 90 / 99 % | share | z |")
print("|---|---|---|---:|---:|---:|---:|")
for ending, by in [("env", "built-in, as a file"), ("hid", "a rule, of any kind")]:
    for others, words in [("gone", "missing, hidden as well"), ("none", "missing, not hidden")]:
        for each, names_of in [
            ("a new one each call", lambda kind, number: name(kind, number, ending)),
            ("the same one", lambda kind, number: name(kind, 0, ending)),
        ]:
            command = [inspectfs, "mount", "--hide", "*.hid", tree, view]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            # The folders are looked up before, so that only the names differ.
            for number in range(0, calls, 100):
                os.lstat(os.path.join(view, f"d{number // 100:04}", "visible.txt"))
                for kind in ("first.env", "first.hid"):
                    try:
                        os.lstat(os.path.join(view, f"d{number // 100:04}", kind))
                    except FileNotFoundError:
                        pass
            hidden, other = measure(others, names_of)
            subprocess.run([inspectfs, "unmount", view], check=True)
            share, z = rank_test(hidden, other)
            print(f"| {by} | {words} | {each} | {percentiles(hidden)} | {percentiles(other)} "
                  f"| {share:.3f} | {z:+.1f} |", flush=True)
PYTHON
