"""Holds the ratios of a run against the recorded ones. See ../regression.sh."""

import argparse
import json
import statistics
import subprocess
import sys

from . import report
from .compare import ratios
from .trees import REPOSITORY, SCRATCH

RECORD = REPOSITORY / "scripts/bench/recorded.json"
# A run's median may lie outside what was seen in a few rounds by chance; so much is no finding.
SLACK = 1.10
# Requests do not depend on the machine's mood; a few come from its timing.
MORE_REQUESTS, FEW_REQUESTS = 1.05, 20


def main():
    parser = argparse.ArgumentParser(prog="regression.sh")
    parser.add_argument("results", nargs="?", help="of compare.sh --json; without it one is run")
    parser.add_argument("--quick", action="store_true", help="the small size: smoke use")
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--record", action="store_true", help="record this run")
    parser.add_argument("--self-test", action="store_true",
                        help="prove that planted regressions are caught")
    flags = parser.parse_args()
    if flags.self_test:
        sys.exit(self_test())
    results = load(flags.results) if flags.results else measured(flags)
    now, size = summary(results), size_of(results)
    recorded = load(RECORD) if RECORD.exists() else {}
    if flags.record:
        recorded[size] = {"about": results["about"], "workloads": now}
        report.save(RECORD, recorded)
        print(f"recorded {len(now)} workloads as '{size}' in {RECORD.relative_to(REPOSITORY)}")
        return
    if size not in recorded:
        raise SystemExit(f"nothing is recorded for '{size}': run this with --record on a machine "
                         "that is left alone, look at the figures, and check the file in")
    sys.exit(show(recorded[size], now))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def measured(flags):
    path = SCRATCH / "regression.json"
    words = ["./compare.sh", "--tools", "native,view", "--json", path]
    words += ["--quick"] if flags.quick else []
    words += ["--rounds", str(flags.rounds)] if flags.rounds else []
    SCRATCH.mkdir(parents=True, exist_ok=True)
    subprocess.run(words, check=True, cwd=REPOSITORY / "scripts/bench")
    return load(path)


def size_of(results):
    """Ratios of different trees do not compare."""
    about = results["about"]
    flags = about["view_flags"]
    return ("quick" if about["quick"] else "full") + (f" {flags}" if flags else "")


def summary(results):
    """The view's ratios by workload: median, lowest, highest; and its requests."""
    rows, found = results["workloads"], {}
    for name, row in rows.items():
        cell = row.get("view", {})
        if "failed" in cell:
            found[name] = {"failed": cell["failed"]}
            continue
        values = ratios(rows, name, "view")
        if values:
            found[name] = {"median": statistics.median(values), "low": min(values),
                           "high": max(values), "requests": cell.get("requests")}
    return found


def findings(recorded, now):
    """(workload, what is wrong) of all that got worse beyond the spread; what is better, too."""
    worse, better = [], []
    for name, before in recorded.items():
        after = now.get(name)
        if after is None:
            worse.append((name, "was not measured"))
        elif "failed" in after:
            if "failed" not in before:
                worse.append((name, f"fails: {after['failed']}"))
        elif "failed" in before:
            better.append((name, "works again"))
        else:
            compared(name, before, after, worse, better)
    return worse, better


def compared(name, before, after, worse, better):
    if after["median"] > before["high"] * SLACK:
        worse.append((name, f"{report.number(after['median'])} times native, was "
                            f"{report.number(before['median'])} "
                            f"(to {report.number(before['high'])})"))
    elif after["median"] < before["low"] / SLACK:
        better.append((name, f"{report.number(after['median'])} times native, was "
                             f"{report.number(before['median'])} "
                             f"(from {report.number(before['low'])})"))
    if before.get("requests") is not None and after.get("requests") is not None:
        if after["requests"] > before["requests"] * MORE_REQUESTS + FEW_REQUESTS:
            worse.append((name, f"{after['requests']:,} requests, were {before['requests']:,}"))


def show(recorded, now):
    worse, better = findings(recorded["workloads"], now)
    rows = []
    for name, before in recorded["workloads"].items():
        after = now.get(name, {})
        cells = [f"{report.number(one['median'])} ({report.number(one['low'])} to "
                 f"{report.number(one['high'])})" if "median" in one else "failed"
                 for one in (before, after)]
        rows.append([name, *cells, before.get("requests"), after.get("requests")])
    report.table(["workload", "recorded", "now", "requests recorded", "requests now"], rows)
    for name, what in better:
        print(f"better: {name}: {what}; record it with --record")
    for name, what in worse:
        print(f"WORSE: {name}: {what}")
    print(f"{len(worse)} regressions" if worse else "no regression")
    return 1 if worse else 0


def self_test():
    def run(view, requests=100, failed=None):
        cell = {"failed": failed} if failed else {"ms": view, "requests": requests}
        return summary({"workloads": {"walk": {"native": {"ms": [10, 10, 10]}, "view": cell}}})

    recorded = run([11, 12, 13])
    wrong = []
    for what, now, worse, better in (
        ("the same", run([11, 12, 13]), 0, 0),
        ("within the spread", run([13, 13, 14]), 0, 0),
        ("beyond the spread", run([15, 15, 15]), 1, 0),
        ("one slow round", run([11, 12, 90]), 0, 0),
        ("faster", run([5, 5, 5]), 0, 1),
        ("more requests", run([11, 12, 13], 200), 1, 0),
        ("slower with more requests", run([30, 30, 30], 200), 2, 0),
        ("failing", run([], failed="status 2"), 1, 0),
        ("not measured", {}, 1, 0),
    ):
        found = findings(recorded, now)
        if (len(found[0]), len(found[1])) != (worse, better):
            wrong.append(f"self-test: {what}: {found}")
    found = findings(run([], failed="status 2"), run([11, 12, 13]))
    if (len(found[0]), len(found[1])) != (0, 1):
        wrong.append(f"self-test: working again: {found}")
    print("\n".join(wrong) or "planted regressions are caught")
    return 1 if wrong else 0


if __name__ == "__main__":
    main()
