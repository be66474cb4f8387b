"""What a view keeps of a large tree, and whether it gives it back. See ../memory.sh."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from . import processes, report, requests, tools, trees

# The bar for a million files, and bytes a known entry.
MOST_MIB, MOST_ENTRY = 300, 220
# What may stay above the base when all is forgotten: heaps are not given back to the byte.
LEFT_MIB = 5
TMPFS = 0x01021994


def main():
    parser = argparse.ArgumentParser(prog="memory.sh")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--on", metavar="DIR", help="where the tree is generated and removed")
    parser.add_argument("--view-flags", default="", help="flags of inspectfs mount")
    flags = parser.parse_args()
    tools.build()
    place = flags.on or roomy(flags.files)
    work = tempfile.mkdtemp(prefix="inspectfs-memory-", dir=place)
    try:
        tree = os.path.join(work, "tree")
        start = time.monotonic()
        trees.generated(tree, flags.files)
        print(report.machine_line(), f"{flags.files:,} files generated on {place} in "
              f"{time.monotonic() - start:.0f} s.\n", flush=True)
        view = tools.View(flags.view_flags.split())
        with view.mount(tree, os.path.join(work, "view")) as mounted:
            status = measure(mounted, flags.files)
    finally:
        shutil.rmtree(os.path.join(work, "tree"), ignore_errors=True)
        os.rmdir(work)
    sys.exit(status)


def roomy(files):
    """Memory where it has room for the tree, else the build folder's disk."""
    try:
        found = os.statvfs("/dev/shm")
        kind = subprocess.run(["stat", "-f", "-c", "%t", "/dev/shm"], capture_output=True,
                              text=True, check=True).stdout.strip()
        room = found.f_bavail * found.f_frsize > files * 8192 and found.f_favail > files * 1.1
        if int(kind, 16) == TMPFS and room:
            return "/dev/shm"
    except (OSError, ValueError, subprocess.CalledProcessError):
        pass
    trees.SCRATCH.mkdir(parents=True, exist_ok=True)
    return str(trees.SCRATCH)


def measure(mounted, files):
    server = processes.server(mounted.root)
    rows = []

    def note(what):
        memory = processes.memory(server)
        view = requests.status(mounted.root)
        rows.append([what, report.number(memory["resident"] / (1 << 20)),
                     report.number(memory["own"] / (1 << 20)), f"{view['nodes']:,}",
                     f"{view['watches']['held']:,}", view["watches"]["refused"]])
        return memory["resident"], view["nodes"]

    # A view that warms itself counts from before that only if nothing of it is held any more.
    tools.drop_caches(2)
    settle(server)
    base, _ = note("idle")
    start = time.monotonic()
    subprocess.run(["find", mounted.root, "-size", "+1k"], stdout=subprocess.DEVNULL,
                   check=True)
    elapsed = time.monotonic() - start
    walked, nodes = note("walked")
    subprocess.run(["find", mounted.root, "-size", "+1k"], stdout=subprocess.DEVNULL, check=True)
    again, _ = note("walked again")
    dropped = tools.drop_caches(2)
    settle(server)
    after, left = note("names dropped")
    report.table(["state", "resident MiB", "own MiB", "nodes", "watches", "refused"], rows)
    entry = (walked - base) / max(nodes, 1)
    print(f"The first walk took {elapsed:.1f} s. {entry:.0f} bytes a known entry of "
          f"{nodes:,}; {(after - base) / (1 << 20):.1f} MiB over the base when names were "
          "dropped." + ("" if dropped else " They were not dropped: that needs root."))
    failures = []
    if nodes < files * 0.5:
        failures.append(f"the kernel holds {nodes:,} of {files:,} files: memory was too short")
    if max(walked, again) > MOST_MIB << 20 and files <= 1_000_000:
        failures.append(f"over {MOST_MIB} MiB")
    if entry > MOST_ENTRY and files >= 10_000:
        failures.append(f"over {MOST_ENTRY} bytes an entry")
    if dropped and after - base > LEFT_MIB << 20:
        failures.append(f"{LEFT_MIB} MiB over the base after dropping")
    if dropped and left > 1_000:
        failures.append(f"{left:,} nodes left after dropping")
    print("failed: " + ", ".join(failures) if failures else "all bars held")
    return 1 if failures else 0


def settle(server):
    """Forgets come one by one, and free memory goes back a moment later."""
    processes.standing(lambda: processes.memory(server)["resident"], seconds=60,
                       tolerance=1 << 18)


if __name__ == "__main__":
    main()
