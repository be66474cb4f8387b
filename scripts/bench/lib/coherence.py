"""How long readers in a view go on seeing the old after a change outside, and whether they
ever see a mixture. See ../coherence.sh."""

import argparse
import json
import math
import mmap
import os
import random
import shutil
import statistics
import sys
import tempfile
import time

from . import report, tools, trees
from .changes import ALL, READERS, Torn, Unseen

# A reader looks at all files, then rests, so that readers and server share two cores.
REST = 0.002
# How long readers go on after the last change: later is never.
TAIL = 1.5
# Milliseconds that the view promises.
PROMISED_P99, PROMISED_MOST = 50, 1_000


def main():
    parser = argparse.ArgumentParser(prog="coherence.sh")
    parser.add_argument("--seconds", type=float, default=120, help="of changes; default 120")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--view-flags", default="", help="flags of inspectfs mount")
    parser.add_argument("--json", metavar="FILE", help="write every delay here")
    flags = parser.parse_args()
    if flags.seconds > 300:
        parser.error("--seconds: 300 at most, since versions have sizes of their own")
    tools.build()
    trees.SCRATCH.mkdir(parents=True, exist_ok=True)
    work = tempfile.mkdtemp(prefix="coherence-", dir=trees.SCRATCH)
    try:
        tree = os.path.join(work, "tree")
        os.mkdir(tree)
        view = tools.View(flags.view_flags.split())
        with view.mount(tree, os.path.join(work, "view")) as mounted:
            changes, logs = run(flags, tree, mounted.root, work)
    finally:
        shutil.rmtree(os.path.join(work, "tree"))
        shutil.rmtree(os.path.join(work, "logs"), ignore_errors=True)
        os.rmdir(work)
    sys.exit(show(flags, changes, logs))


def run(flags, tree, root, work):
    """Starts the readers, makes the changes, and gathers what was seen."""
    kinds = [kind() for kind in ALL]
    for kind in kinds:
        kind.change(tree, 0)
    os.mkdir(os.path.join(work, "logs"))
    stop = mmap.mmap(-1, 1)
    readers = []
    for reader in READERS:
        for place, where in (("view", root), ("native", tree)):
            log = os.path.join(work, "logs", f"{place}-{reader}")
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    follow(reader, kinds, where, stop, log)
                    status = 0
                finally:
                    os._exit(status)
            readers.append((child, place, reader, log))
    choice = random.Random(flags.seed)
    versions, changes = [0] * len(kinds), []
    try:
        end = time.monotonic() + flags.seconds
        while time.monotonic() < end:
            number = choice.randrange(len(kinds))
            if versions[number] < kinds[number].most:
                versions[number] += 1
                before = time.monotonic_ns()
                kinds[number].change(tree, versions[number])
                changes.append((number, versions[number], before, time.monotonic_ns()))
            # Now and then at once, mostly with a pause; some pauses leave the view idle.
            time.sleep(choice.choice((0, 0.005, 0.02, 0.02, 0.05, 0.1)))
        time.sleep(TAIL)
    finally:
        stop[0] = 1
        ended = [os.waitpid(child, 0)[1] for child, *_ in readers]
    if any(ended):
        raise SystemExit("a reader ended with an error")
    logs = {}
    for _, place, reader, log in readers:
        with open(log, encoding="utf-8") as file:
            logs[place, reader] = json.load(file)
    return changes, logs


def follow(reader, kinds, root, stop, log):
    """A reader's life: notes when it first sees each version, and all that is wrong."""
    looks = [(number, kind, getattr(kind, reader)) for number, kind in enumerate(kinds)
             if hasattr(kind, reader)]
    keep, last, longest = {}, {}, {}
    seen, torn, back, errors = [], [], [], []
    while not stop[0]:
        for number, kind, look in looks:
            start = time.monotonic_ns()
            try:
                version = looked(kind, look, root, keep)
            except Unseen:
                continue
            except Torn as mixture:
                torn.append((number, time.monotonic_ns(), str(mixture)))
                continue
            except OSError as error:
                errors.append((number, time.monotonic_ns(), os.strerror(error.errno)))
                continue
            finally:
                took = (time.monotonic_ns() - start) / 1e6
                longest[number] = max(took, longest.get(number, 0))
            if version != last.get(number):
                now = time.monotonic_ns()
                seen.append((number, version, now))
                if version < last.get(number, version) and not kind.is_state:
                    back.append((number, now, f"{last[number]} to {version}"))
                last[number] = version
        time.sleep(REST)
    with open(log, "w", encoding="utf-8") as file:
        json.dump({"seen": seen, "torn": torn, "back": back, "errors": errors,
                   "longest": longest}, file)


def looked(kind, look, root, keep):
    """What a look shows; where a mixture may be for a moment, what it shows when that is over."""
    try:
        return look(root, keep)
    except Torn:
        if kind.atomic:
            raise
        time.sleep(0.05)
        return look(root, keep)


def delays(kind, number, changes, seen):
    """Milliseconds from each change to the first look that shows it or a later version, by
    label: endless if none does, and None for a state that was undone before it was seen."""
    own = [change for change in changes if change[0] == number]
    sights = [(version, when) for n, version, when in seen if n == number]
    found, at = {}, 0
    for place, (_, version, before, after) in enumerate(own):
        until = own[place + 1][3] if place + 1 < len(own) else None
        while at < len(sights) and sights[at][1] < before:
            at += 1
        delay = math.inf
        for sight, when in sights[at:]:
            if kind.is_state and until is not None and when > until:
                delay = None
                break
            if sight == version % 2 if kind.is_state else sight >= version:
                delay = max(0, when - after) / 1e6
                break
        found.setdefault(kind.label(version), []).append(delay)
    return found


def show(flags, changes, logs):
    kinds = [kind() for kind in ALL]
    print(report.machine_line(), f"{len(changes):,} changes in {flags.seconds:g} s. Milliseconds "
          "from the end of a change to the first look that shows it; a look at all files comes "
          f"every {REST * 1000:g} ms, which the readers of the tree itself show.\n")
    everything, wrong = [], []
    for place, title in (("view", "Readers in the view:"), ("native", "Readers of the tree:")):
        print(title + "\n")
        rows = []
        for number, kind in enumerate(kinds):
            for reader in READERS:
                log = logs[place, reader]
                if not hasattr(kind, reader):
                    continue
                constant = reader in kind.constant
                faults = {what: [one for one in log[what] if one[0] == number]
                          for what in ("torn", "back", "errors")}
                by_label = delays(kind, number, changes, log["seen"])
                for label, values in sorted(by_label.items()):
                    if constant:
                        values = []
                    longest = log["longest"].get(str(number), 0)
                    rows.append(row(label, reader, values, longest, faults))
                    if place == "view":
                        everything += [(label, reader, value) for value in values
                                       if value is not None]
                for what, found in faults.items():
                    wrong += [(place, reader, kind.path if hasattr(kind, "path") else kind.name,
                               what, text) for _, _, text in found]
        report.table(["change", "reader", "seen", "median", "p99", "most", "undone unseen",
                      "longest look", "torn", "went back", "errors"], rows)
    if flags.json:
        report.save(flags.json, {"about": report.machine(), "delays": everything,
                                 "wrong": wrong})
    return verdict(everything, wrong)


def row(label, reader, values, longest, faults):
    seen = sorted(value for value in values if value is not None)
    # A file that is held or mapped while its name goes to another shows no versions.
    figures = ([report.number(statistics.median(seen)), report.number(percentile(seen, 99)),
                report.number(seen[-1])] if seen else ["-"] * 3)
    return [label, reader, len(seen), *figures, values.count(None),
            report.number(longest), *(len(faults[what]) for what in ("torn", "back", "errors"))]


def percentile(ordered, percent):
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def verdict(everything, wrong):
    values = sorted(value for *_, value in everything)
    torn = [one for one in wrong if one[0] == "view" and one[3] == "torn"]
    print(f"In all: {len(values):,} delays, median {report.number(statistics.median(values))}, "
          f"p99 {report.number(percentile(values, 99))}, most {report.number(values[-1])} ms; "
          f"torn {len(torn)}.")
    for place, reader, path, what, text in wrong[:40]:
        print(f"{what}: {path} by {reader} in the {place}: {text}")
    failures = []
    if any(one[0] == "view" for one in wrong):
        failures.append("readers saw what never was")
    if percentile(values, 99) > PROMISED_P99:
        failures.append(f"p99 over {PROMISED_P99} ms")
    if math.inf in values:
        failures.append(f"{values.count(math.inf)} changes were never seen")
    elif values[-1] > PROMISED_MOST:
        failures.append(f"a delay over {PROMISED_MOST} ms")
    print("failed: " + ", ".join(failures) if failures else "all promises held")
    return 1 if failures else 0


if __name__ == "__main__":
    main()
