"""Compares outlines with a reference parser's entries, spans included.

    compare.py INSPECTFS TREE SHOWN REFERENCE_COMMAND... < paths

The paths are files of TREE. A mismatch is an entry that one side alone has; the same entry
with another span is one mismatch. Parsers are given 2 seconds a file, so that a busy machine
does not count as a fault; a file that the outline did not come to the end of (time,
depth) counts all that is missing; one of more bytes than parsers are given, one that is not
UTF-8, and one that the reference cannot parse are left out and counted. An outline cut at its
output limit is compared up to its last entry's line. Prints a markdown table row, and SHOWN
mismatches on standard error.
"""

import collections
import json
import subprocess
import sys
import tempfile

inspectfs, tree, shown, *reference = sys.argv[1:]
paths = sys.stdin.read().splitlines()


def lines_of(command):
    with tempfile.TemporaryFile("w+") as listed:
        listed.write("".join(path + "\n" for path in paths))
        listed.seek(0)
        done = subprocess.run(command, stdin=listed, stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in done.stdout.decode().split("\n") if line]


def entry(e):
    row = lambda id: int(id.split(":")[0])
    return (e["kind"], e.get("receiver", ""), e["name"], row(e["line"]), row(e["line_end"]))


ours = lines_of([inspectfs, "outline", "--parse-time", "2000", "--workspace", tree, "-"])
theirs = lines_of(reference)
assert len(ours) == len(theirs) == len(paths), (len(ours), len(theirs), len(paths))

symbols = files = recovered = 0
left_out = collections.Counter()
kinds = collections.Counter()
examples = []
for path, our, their in zip(paths, ours, theirs):
    if their["entries"] is None:
        left_out["reference"] += 1
        continue
    if not our["ok"]:
        left_out[our["error"]["code"]] += 1
        continue
    reason = (our["truncation"] or {}).get("reason")
    if reason == "input_bytes":
        left_out["too large"] += 1
        continue
    mine = [entry(e) for e in our["data"]["outline"]]
    reference_entries = [tuple(e) for e in their["entries"]]
    if reason == "output_bytes":
        last = max(e[3] for e in mine)
        mine = [e for e in mine if e[3] < last]
        reference_entries = [e for e in reference_entries if e[3] < last]
    files += 1
    recovered += not our["data"]["parse_complete"]
    symbols += len(reference_entries)
    extra = collections.Counter(mine) - collections.Counter(reference_entries)
    missing = collections.Counter(reference_entries) - collections.Counter(mine)
    spans = []
    for e in list(extra):
        other = next((o for o in missing if o[:3] == e[:3]), None)
        if other:
            spans.append((e, other))
            for counter, key in ((extra, e), (missing, other)):
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
    kinds["span"] += len(spans)
    kinds["extra"] += sum(extra.values())
    kinds["missing"] += sum(missing.values())
    kinds["files"] += bool(spans or extra or missing)
    examples += [(path, "span", *pair) for pair in spans]
    examples += [(path, "extra", e) for e in extra.elements()]
    examples += [(path, "missing", e) for e in missing.elements()]

wrong = kinds["span"] + kinds["extra"] + kinds["missing"]
rate = 1000 * wrong / max(symbols, 1)
out = ", ".join(f"{count} {why}" for why, count in sorted(left_out.items())) or "none"
print(
    f"| {files} | {symbols} | {rate:.2f} | {kinds['missing']} / {kinds['extra']} / {kinds['span']} "
    f"| {recovered} | {out} |"
)
for example in examples[: int(shown)]:
    print(*example, file=sys.stderr)
