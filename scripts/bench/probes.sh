#!/usr/bin/env bash
# Cold probes by format, beside universal-ctags on the same files: megabytes per second of
# processor time, files in the page cache, one process for all of them (`inspect -` and
# `outline -`; `ctags -L`). Long text and CSV beside reading the file. Prints markdown tables.
#
#   scripts/bench/probes.sh [FORMAT...]    default: all; `long` is the second table
#
# Takes files from Debian packages (unpacked below target/probes, not installed), the
# registry of cargo and the npm packages of scripts/bench/accuracy.sh; universal-ctags and
# golang-go are installed by apt-get as root.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$PWD/target/probes
mkdir -p "$work/trees" "$work/packages"
scripts/bench/accuracy.sh rxjs >/dev/null
if ! command -v ctags >/dev/null || ! command -v go >/dev/null; then
    if [[ $(id -u) -ne 0 ]]; then
        echo "install universal-ctags and golang-go" >&2
        exit 1
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends universal-ctags golang-go >&2
fi
# Sources of Java, C++ and Ruby: the class library, Boost, the standard library.
for package in openjdk-17-source libboost1.74-dev libruby3.1; do
    [[ -d $work/packages/$package ]] && continue
    (cd "$work/packages" && apt-get download -q "$package" >&2 && dpkg -x "$package"_*.deb "$package")
done
if [[ ! -d $work/packages/java ]]; then
    python3 -m zipfile -e "$work"/packages/openjdk-17-source/usr/lib/jvm/*/lib/src.zip "$work/packages/java"
fi
cargo build --release --locked --quiet
registry=$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ | head -n 1)
python3 - "${CARGO_TARGET_DIR:-$PWD/target}/release/inspectfs" "$work" "$registry" \
    "$(go env GOROOT)/src" "$@" <<'PYTHON'
import json, os, resource, shutil, subprocess, sys, sysconfig, time

inspectfs, work, registry, go, *wanted = sys.argv[1:]
npm = os.path.join(os.path.dirname(work), "accuracy/npm/node_modules")
packages = os.path.join(work, "packages")
BYTES, LARGEST = 20_000_000, 1_000_000

# Format, extension, trees, what ctags calls it.
FORMATS = [
    ("bash", ".sh", [registry, npm, "/usr/share", "/usr/lib"], "Sh"),
    ("c", ".h", ["/usr/include"], "C"),
    ("c++", ".hpp", [packages + "/libboost1.74-dev"], "C++"),
    ("go", ".go", [go], "Go"),
    ("java", ".java", [packages + "/java/java.base"], "Java"),
    ("javascript", ".js", [npm], "JavaScript"),
    ("python", ".py", [sysconfig.get_path("stdlib")], "Python"),
    ("ruby", ".rb", [packages + "/libruby3.1"], "Ruby"),
    ("rust", ".rs", [registry], "Rust"),
    ("typescript", ".ts", [npm + "/effect/src", npm + "/rxjs/src"], "TypeScript"),
    ("json", ".json", [registry, npm], "JSON"),
    ("markdown", ".md", [registry, npm], "Markdown"),
    ("toml", ".toml", [registry], None),
    ("yaml", ".yml", [registry, npm], "Yaml"),
]


def collect(name, extension, trees):
    """Copies up to BYTES of files flat into a folder, so that each format is one workspace."""
    folder = os.path.join(work, "trees", name)
    if not os.path.isdir(folder):
        os.makedirs(folder)
        total = count = 0
        for tree in trees:
            for at, folders, names in os.walk(tree):
                folders.sort()
                for file in sorted(names):
                    path = os.path.join(at, file)
                    if not file.endswith(extension) or os.path.islink(path):
                        continue
                    size = os.path.getsize(path)
                    if total < BYTES and 0 < size < LARGEST:
                        shutil.copyfile(path, os.path.join(folder, f"{count:05}{extension}"))
                        total, count = total + size, count + 1
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    return folder, paths, sum(map(os.path.getsize, paths))


def cpu(command, paths, runs=3):
    """The least processor time in seconds, and the output."""
    best, out = None, None
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, input="".join(p + "\n" for p in paths).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if best is None or spent < best:
            best, out = spent, done.stdout
    return best, out


print("| format | files | MB | inspect MB/s | outline MB/s | ctags MB/s | ctags / inspect, in time | out of time at 100 ms |")
print("|---|---:|---:|---:|---:|---:|---:|---:|")
for name, extension, trees, language in FORMATS:
    if wanted and name not in wanted:
        continue
    folder, paths, size = collect(name, extension, trees)
    if not paths:
        print(f"| {name} | 0 | | | | | | |")
        continue
    for path in paths:
        open(path, "rb").read()
    inspect, out = cpu([inspectfs, "inspect", "--workspace", folder, "-"], paths)
    late = sum(json.loads(line).get("reason") == "timeout" for line in out.splitlines())
    outline, _ = cpu([inspectfs, "outline", "--workspace", folder, "-"], paths)
    row = f"| {name} | {len(paths)} | {size / 1e6:.1f} | {size / 1e6 / inspect:.1f} | {size / 1e6 / outline:.1f} | "
    if language:
        tags, _ = cpu(["ctags", "--options=NONE", "-f", "-", "--fields=+ne", f"--language-force={language}", "-L", "-"], paths)
        row += f"{size / 1e6 / tags:.1f} | {tags / inspect:.2f} | {late} |"
    else:
        row += f"none | | {late} |"
    print(row, flush=True)

if not wanted or "long" in wanted:
    print()
    print("| file | MB | inspect ms | reading it ms | ratio |")
    print("|---|---:|---:|---:|---:|")
    folder = os.path.join(work, "trees", "long")
    os.makedirs(folder, exist_ok=True)
    for name, line in (
        ("wide.csv", "2026-04-02,north,1234.50,\"quoted, text\",x,y,z,42\n"),
        ("narrow.csv", "1,2\n"),
        ("lines.txt", "A line of text as there are many in a log, of about eighty bytes in all.\n"),
        ("short.txt", "x\n"),
    ):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(line * (45_000_000 // len(line)))
        size = os.path.getsize(path)
        empty = os.path.join(folder, "empty.txt")
        open(empty, "w").close()
        start, _ = cpu([inspectfs, "inspect", "--workspace", folder, "-"], [empty], 5)
        spent, _ = cpu([inspectfs, "inspect", "--workspace", folder, "-"], [path], 5)
        read, _ = cpu(["cat", path], [], 5)
        print(f"| {name} | {size / 1e6:.0f} | {(spent - start) * 1000:.0f} | {read * 1000:.0f} | {(spent - start) / read:.1f} |", flush=True)
PYTHON
