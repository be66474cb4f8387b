"""Runs the workloads natively and in each tool in turn, and prints the tables. See
../compare.sh."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from . import report, requests, tools, trees
from .workloads import ALL, Inputs


def main():
    flags = arguments()
    tools.build()
    if flags.tools & {"bindfs", "agentignore"}:
        tools.install_peers()
    results = compare(flags)
    show(results)
    if flags.json:
        report.save(flags.json, results)


def arguments():
    parser = argparse.ArgumentParser(prog="compare.sh")
    parser.add_argument("--rounds", type=int, default=None, help="default 7, quick 2")
    parser.add_argument("--quick", action="store_true", help="a small tree and file: smoke use")
    parser.add_argument("--tools", default="native,view,bindfs,agentignore")
    parser.add_argument("--only", default="", help="workloads whose names hold this text")
    parser.add_argument("--view-flags", default="", help="flags of inspectfs mount")
    parser.add_argument("--large-mib", type=int, default=None, help="default 2048, quick 32")
    parser.add_argument("--no-requests", action="store_true", help="count no requests")
    parser.add_argument("--json", metavar="FILE", help="write all single times here")
    flags = parser.parse_args()
    flags.rounds = flags.rounds or (2 if flags.quick else 7)
    flags.large_mib = flags.large_mib or (32 if flags.quick else 2048)
    flags.tools = set(flags.tools.split(",")) | {"native"}
    known = {kind.name for kind in tools.ALL}
    if not flags.tools <= known:
        parser.error(f"no such tool: {', '.join(sorted(flags.tools - known))}")
    return flags


class Comparison:
    """The results as they come, by workload and tool."""

    def __init__(self, flags, inputs, chosen, work):
        self.flags, self.inputs, self.tools, self.work = flags, inputs, chosen, work
        self.rows = {}

    def cell(self, workload, tool):
        return self.rows.setdefault(workload.name, {}).setdefault(tool.name, {"ms": []})

    def takes_part(self, workload, tool):
        return tool.name == "view" if workload.view_only else True

    def mount(self, tool, folder):
        point = os.path.join(self.work, f"{tool.name}-{folder}")
        return tool.mount(self.inputs.folders[folder], point)

    def attempt(self, workload, tool, mounted, count=False):
        """One run; a failure is noted and ends the tool's part in this workload."""
        cell = self.cell(workload, tool)
        if "failed" in cell:
            return
        try:
            workload.before(mounted, self.inputs)
            with requests.Counter(mounted) if count else Uncounted() as counter:
                elapsed = workload.work(mounted, self.inputs)
            if count:
                cell["requests"] = counter.count
            else:
                cell["ms"].append(elapsed * 1000)
        except (RuntimeError, OSError, subprocess.SubprocessError, ValueError) as error:
            cell["failed"] = first_line(error)

    def fresh(self, workload):
        """A workload on a new mount each time. The tree itself is read once before, so that a
        cold disk does not pass for a slow native run."""
        for tool in self.tools:
            if tool.name == "native" and self.takes_part(workload, tool):
                self.attempt(workload, tool, self.mount(tool, workload.on))
                self.cell(workload, tool)["ms"].clear()
        counted = [] if self.flags.no_requests else [True]
        for count in [False] * self.flags.rounds + counted:
            for tool in self.tools:
                if not self.takes_part(workload, tool):
                    continue
                try:
                    with self.mount(tool, workload.on) as mounted:
                        self.attempt(workload, tool, mounted, count)
                except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                    self.cell(workload, tool).setdefault("failed", first_line(error))

    def kept(self, workloads):
        """Workloads on mounts that stay; each is run once untimed before it counts."""
        mounts, failures = {}, {}
        try:
            for tool in self.tools:
                try:
                    mounts[tool.name] = self.mount(tool, workloads[0].on)
                except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                    failures[tool.name] = first_line(error)
            for workload in workloads:
                progress(workload.name)
                taking = [tool for tool in self.tools if self.takes_part(workload, tool)]
                for tool in taking:
                    if tool.name in failures:
                        self.cell(workload, tool)["failed"] = failures[tool.name]
                    else:
                        self.attempt(workload, tool, mounts[tool.name])
                        self.cell(workload, tool)["ms"].clear()
                for count in [False] * self.flags.rounds + [True] * (not self.flags.no_requests):
                    for tool in taking:
                        if tool.name in mounts:
                            self.attempt(workload, tool, mounts[tool.name], count)
        finally:
            for mounted in mounts.values():
                mounted.__exit__()


class Uncounted:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def first_line(error):
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:160]


def progress(name):
    print(f"  {name}", file=sys.stderr, flush=True)


def compare(flags):
    chosen, absent = [], {}
    for kind in tools.ALL:
        tool = kind(flags.view_flags.split()) if kind is tools.View else kind()
        if tool.name in flags.tools:
            problem = tool.problem()
            if problem:
                absent[tool.name] = problem
            else:
                chosen.append(tool)
    work = tempfile.mkdtemp(prefix="inspectfs-bench-")
    try:
        inputs, hidden = gather(flags, work)
        comparison = Comparison(flags, inputs, chosen, work)
        wanted = [workload for workload in ALL if flags.only in workload.name]
        about = {**report.machine(), "rounds": flags.rounds, "quick": flags.quick,
                 "files": sum(1 for _ in open(inputs.listing, encoding="utf-8")),
                 "hidden": hidden, "large_mib": flags.large_mib,
                 "view_flags": flags.view_flags, "absent": absent}
        for workload in wanted:
            if workload.fresh:
                progress(workload.name)
                comparison.fresh(workload)
        for on in ("packages", "large"):
            kept = [one for one in wanted if not one.fresh and one.on == on]
            if kept:
                comparison.kept(kept)
        names = [workload.name for workload in wanted]
        rows = {name: comparison.rows[name] for name in names if name in comparison.rows}
        return {"about": about, "workloads": rows}
    finally:
        clear(work)


def gather(flags, work):
    """The inputs; files that the view does not show are left out for all, and counted."""
    tree = trees.packages(flags.quick)
    large = trees.large_file(trees.SCRATCH / "large", flags.large_mib)
    paths = trees.files(tree)
    view = tools.View()
    with view.mount(tree, os.path.join(work, "look")) as mounted:
        shown = set(trees.files(mounted.root))
    common = [path for path in paths if path in shown]
    if len(common) < 0.99 * len(paths):
        raise SystemExit("the view hides more than a hundredth of the tree: no comparison")
    listing = os.path.join(work, "files")
    write_lines(listing, common)
    sidecars = os.path.join(work, "sidecars")
    write_lines(sidecars, [f"{path}.inspect.json" for path in common])
    inputs = Inputs(
        folders={"packages": str(tree), "large": str(large.parent)},
        listing=listing,
        sidecars=sidecars,
        large=large.name,
        randoms=2_000 if flags.quick else 20_000,
        git=os.path.join(work, "git"),
        expected={},
    )
    return inputs, len(paths) - len(common)


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def clear(work):
    shutil.rmtree(os.path.join(work, "git"), ignore_errors=True)
    for name in ("files", "sidecars"):
        if os.path.exists(os.path.join(work, name)):
            os.remove(os.path.join(work, name))
    # Mount points only: what is still mounted stays, and says so by this failing.
    for name in os.listdir(work):
        os.rmdir(os.path.join(work, name))
    os.rmdir(work)


BESIDE = {workload.name: workload.beside for workload in ALL if workload.beside}


def ratios(rows, name, tool):
    """Time by native time of the same round, or by what `BESIDE` says; None without one."""
    own = rows[name].get(tool, {})
    base = rows.get(BESIDE[name], {}).get(tool, {}) if name in BESIDE \
        else rows[name].get("native", {})
    if tool == "native" or "failed" in base or "failed" in own:
        return None
    return [b / a for a, b in zip(base.get("ms", []), own.get("ms", []))] or None


def show(results):
    about, rows = results["about"], results["workloads"]
    names = [kind.name for kind in tools.ALL if any(kind.name in row for row in rows.values())]
    peers = [name for name in names if name != "native"]
    print(report.machine_line(), f"{about['files']:,} files ({about['hidden']} more are hidden "
          f"in the view), one file of {about['large_mib']:,} MiB, {about['rounds']} rounds, the "
          "tools in turn.")
    for name, problem in about["absent"].items():
        print(f"Not measured: {name}, {problem}.")
    print("\nTime by native time, median (lowest to highest) of the rounds:\n")
    report.table(["workload", *peers],
                 [[name, *(ratio_cell(rows, name, peer) for peer in peers)]
                  for name in rows])
    print("Sidecars are set beside the first read of small files in the same view.\n")
    print("Milliseconds, median (lowest to highest):\n")
    report.table(["workload", *names],
                 [[name, *(time_cell(row, tool) for tool in names)]
                  for name, row in rows.items()])
    if any("requests" in cell for row in rows.values() for cell in row.values()):
        print("Requests to the server in one run:\n")
        report.table(["workload", *peers],
                     [[name, *(request_cell(row, peer) for peer in peers)]
                      for name, row in rows.items()])
    for name, row in rows.items():
        for tool, cell in row.items():
            if "failed" in cell:
                print(f"Failed: {name} in {tool}: {cell['failed']}")


def ratio_cell(rows, name, tool):
    cell = rows[name].get(tool)
    if cell is None:
        return "has none"
    if "failed" in cell:
        return "failed"
    values = ratios(rows, name, tool)
    return report.spread(values) if values else "-"


def time_cell(row, tool):
    cell = row.get(tool)
    if cell is None:
        return "-" if tool == "native" else "has none"
    return "failed" if "failed" in cell else report.spread(cell["ms"])


def request_cell(row, tool):
    cell = row.get(tool)
    if cell is None:
        return "has none"
    if "failed" in cell:
        return "failed"
    count = cell.get("requests")
    return "unknown" if count is None else f"{count:,}"


if __name__ == "__main__":
    main()
