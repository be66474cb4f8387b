"""How cost grows with files, rules and views. See ../growth.sh."""

import argparse
import os
import random
import shutil
import statistics
import tempfile
import time

from . import processes, report, tools, trees
from .workloads import timed


def main():
    parser = argparse.ArgumentParser(prog="growth.sh")
    parser.add_argument("--quick", action="store_true", help="small sizes: smoke use")
    parser.add_argument("--rounds", type=int, default=None, help="default 9, quick 2")
    flags = parser.parse_args()
    rounds = flags.rounds or (2 if flags.quick else 9)
    tools.build()
    work = tempfile.mkdtemp(prefix="inspectfs-growth-")
    try:
        print(report.machine_line(), f"{rounds} rounds; median (lowest to highest).\n")
        by_files((300, 1_000) if flags.quick else (1_000, 10_000, 100_000), rounds, work)
        by_rules((1, 20) if flags.quick else (1, 10, 50, 100, 200), rounds, work,
                 300 if flags.quick else 10_000)
        by_views((1, 3) if flags.quick else (1, 10, 30, 100), work)
    finally:
        shutil.rmtree(os.path.join(work, "trees"), ignore_errors=True)
        for name in os.listdir(work):
            path = os.path.join(work, name)
            os.rmdir(path) if os.path.isdir(path) else os.remove(path)
        os.rmdir(work)


def tree_of(count):
    place = trees.SCRATCH / f"generated-{count}"
    marker = trees.SCRATCH / f"generated-{count}.done"
    if not marker.exists():
        trees.generated(place, count)
        marker.touch()
    return place


def milliseconds(work):
    start = time.perf_counter()
    value = work()
    return (time.perf_counter() - start) * 1000, value


def walk(root):
    return timed(["find", root, "-size", "+1k"]) * 1000


def point(work, name="view"):
    return os.path.join(work, name)


def by_files(sizes, rounds, work):
    rows = []
    for size in sizes:
        tree = tree_of(size)
        mounting, first, warm, native, entry = [], [], [], [], []
        walk(str(tree))
        for _ in range(rounds):
            elapsed, mounted = milliseconds(lambda: tools.View().mount(tree, point(work)))
            with mounted:
                mounting.append(elapsed)
                server = processes.server(mounted.root)
                before = processes.memory(server)["own"]
                native.append(walk(str(tree)))
                first.append(walk(mounted.root))
                warm.append(walk(mounted.root))
                entry.append((processes.memory(server)["own"] - before) / size)
        rows.append([f"{size:,}", report.spread(mounting),
                     report.spread([b / a for a, b in zip(native, first)]),
                     report.spread([b / a for a, b in zip(native, warm)]),
                     report.spread(entry)])
    print("Files of the tree:\n")
    report.table(["files", "mount ms", "first find, by native", "find again, by native",
                  "bytes kept a file"], rows)


def by_rules(counts, rounds, work, size):
    """Rules that match nothing and share no first letter, so that none is skipped cheaply; the
    tree and its view stay the same."""
    tree = tree_of(size)
    policy = os.path.join(work, "policy.toml")
    listing = os.path.join(work, "files")
    with open(listing, "w", encoding="utf-8") as file:
        file.writelines(f"{path}\n" for path in trees.files(tree))
    rows = []
    for count in counts:
        write_rules(policy, count)
        mounting, first, missing = [], [], []
        for _ in range(rounds):
            elapsed, mounted = milliseconds(
                lambda: tools.View(["--policy", policy]).mount(tree, point(work)))
            with mounted:
                mounting.append(elapsed)
                first.append(walk(mounted.root))
                missing.append(ask_for_missing(mounted.root, size))
        rows.append([f"{count}", report.spread(mounting), report.spread(first),
                     report.spread(missing)])
    print(f"Rules of the policy, {size:,} files:\n")
    report.table(["rules", "mount ms", "first find ms", "us a lookup of a missing name"], rows)


def write_rules(path, count):
    """Half by name at any depth, half by path, hides and refusals in turn."""
    choice = random.Random(count)
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            word = "".join(choice.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(8))
            pattern = f"*{word}*.{word[:3]}" if number % 2 else f"d0/{word}*/**/{word}"
            effect = 'deny = ["search"]' if number % 4 < 2 else "hide = true"
            file.write(f'[[rule]]\npath = "{pattern}"\n{effect}\n\n')


def ask_for_missing(root, size):
    """Microseconds: each is a request and a decision, and the tree has nothing to say."""
    count = min(size, 2_000)
    start = time.perf_counter()
    for number in range(count):
        if os.path.lexists(f"{root}/d0/e{number % 3}/missing-{number}"):
            raise RuntimeError("a missing name is there")
    return (time.perf_counter() - start) / count * 1e6


def by_views(counts, work):
    """Views at once of trees of their own, each walked once."""
    rows = []
    for count in counts:
        roots = []
        for number in range(count):
            roots.append(trees.generated(os.path.join(work, "trees", f"{number}"), 100))
        mounts, mounting = [], []
        try:
            for number, root in enumerate(roots):
                elapsed, mounted = milliseconds(
                    lambda: tools.View().mount(root, point(work, f"view-{number}")))
                mounts.append(mounted)
                mounting.append(elapsed)
            servers = [processes.server(mounted.root) for mounted in mounts]
            idle = [processes.memory(server) for server in servers]
            for mounted in mounts:
                walk(mounted.root)
            walked = [processes.memory(server)["own"] for server in servers]
        finally:
            for mounted in mounts:
                mounted.__exit__()
        mebibyte = 1 << 20
        rows.append([count, report.spread(mounting),
                     report.number(statistics.median(one["resident"] for one in idle) / mebibyte),
                     report.number(statistics.median(one["own"] for one in idle) / mebibyte),
                     report.number(sum(walked) / mebibyte)])
    print("Views mounted at once, 100 files each:\n")
    report.table(["views", "mount ms", "idle view resident MiB", "idle view own MiB",
                  "all own MiB, walked"], rows)


if __name__ == "__main__":
    main()
