"""What is measured: each workload runs on a mounted root and answers the seconds it took.

A workload that ends with an error, sees other content than the tree has, or takes longer than
its limit has failed; it is never left out.
"""

import os
import subprocess
import time
from dataclasses import dataclass
from typing import Callable

from . import requests, tools

LIMIT = 300  # seconds for one run


@dataclass
class Workload:
    """One row. `work` gets the mounted root and what `Inputs` holds."""

    name: str
    work: Callable
    before: Callable = lambda mounted, inputs: None
    # Mounted anew for each run, else once for all.
    fresh: bool = False
    # The folder that is mounted: the packages or the large file.
    on: str = "packages"
    # Only this view can do it: nobody else has sidecars.
    view_only: bool = False
    # The row that the time is set beside in the same tool, in place of the tree itself.
    beside: str = ""


@dataclass
class Inputs:
    """What the workloads read."""

    folders: dict
    listing: str  # paths of all files, one a line
    sidecars: str  # sidecar names of a sample of them
    large: str  # the large file's name
    randoms: int
    git: str
    expected: dict  # operations and bytes that the tree itself gives, by workload


def command(*words, passed=(0,)):
    """A program over the root; its own exit codes that are no failure in `passed`."""

    def work(mounted, _inputs):
        return timed([*words, mounted.root], passed)

    return work


def timed(words, passed=(0,), environment=None):
    start = time.perf_counter()
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=LIMIT, env=environment, check=False)
    elapsed = time.perf_counter() - start
    if done.returncode not in passed:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(f"status {done.returncode}: {said[-1] if said else ''}"[:160])
    return elapsed


def storm(what, arguments):
    """The helper times itself; what it saw must be what the tree itself gives."""

    def work(mounted, inputs):
        words = [tools.storm(), *what.split(" ")[:1], *arguments(mounted, inputs)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[-160:])
        nanoseconds, operations, size = map(int, done.stdout.split())
        if what != "read sidecars":
            expected = inputs.expected.setdefault(what, (operations, size))
            if expected != (operations, size):
                raise RuntimeError(f"saw {operations} files of {size} bytes in all, the tree "
                                   f"has {expected[0]} of {expected[1]}")
        return nanoseconds / 1e9

    return work


def lstat(threads):
    return storm("lstat", lambda mounted, inputs: [mounted.root, inputs.listing, str(threads)])


def git_environment(mounted, inputs):
    return {
        **os.environ,
        "GIT_DIR": inputs.git,
        "GIT_WORK_TREE": mounted.root,
        "GIT_INDEX_FILE": f"{inputs.git}/index-{mounted.tool.name}",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }


def git_prepare(mounted, inputs):
    """One index a tool, since it holds inode numbers; the first status brings it up to date."""
    environment = git_environment(mounted, inputs)
    index = environment["GIT_INDEX_FILE"]
    if os.path.exists(f"{inputs.git}/ready-{mounted.tool.name}-{mounted.device}"):
        return
    if not os.path.exists(inputs.git):
        timed(["git", "init", "--quiet"], environment=environment)
        for setting in ("gc.auto=0", "core.fileMode=false", "core.safecrlf=false"):
            timed(["git", "config", *setting.split("=")], environment=environment)
    if not os.path.exists(f"{inputs.git}/index-native"):
        native = {**environment, "GIT_WORK_TREE": inputs.folders["packages"],
                  "GIT_INDEX_FILE": f"{inputs.git}/index-native"}
        timed(["git", "add", "--all", "--force"], environment=native)
    if mounted.tool.name != "native":
        with open(f"{inputs.git}/index-native", "rb") as source, open(index, "wb") as copy:
            copy.write(source.read())
    timed(["git", "status", "--short"], environment=environment)
    open(f"{inputs.git}/ready-{mounted.tool.name}-{mounted.device}", "w", encoding="ascii").close()


def git_status(mounted, inputs):
    return timed(["git", "status", "--short"], environment=git_environment(mounted, inputs))


def walk(mounted, _inputs):
    timed(["find", mounted.root, "-size", "+1k"])


def settle(mounted, _inputs):
    """Waits until a view that warms itself asks nothing more of its server for 300 ms."""
    if mounted.tool.name != "view":
        return
    deadline, quiet, last = time.monotonic() + 30, 0, None
    while quiet < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
        now = requests.served(mounted)
        quiet, last = (quiet + 1 if now == last else 0), now


def cold(mounted, inputs):
    """No page of the large file in memory, neither the view's nor the file system's."""
    for root in {mounted.root, inputs.folders["large"]}:
        drop_pages(f"{root}/{inputs.large}")
    tools.drop_caches(1)


def uncached(mounted, inputs):
    """The file's pages in memory, none of the view's."""
    path = f"{inputs.folders['large']}/{inputs.large}"
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass
    if mounted.tool.name != "native":
        drop_pages(f"{mounted.root}/{inputs.large}")


def cached(mounted, inputs):
    with open(f"{mounted.root}/{inputs.large}", "rb") as file:
        while file.read(1 << 20):
            pass


def drop_pages(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def root_summary(mounted, _inputs):
    start = time.perf_counter()
    with open(f"{mounted.root}/.inspect.json", "rb") as file:
        if not file.read().startswith(b"{"):
            raise RuntimeError("no summary")
    return time.perf_counter() - start


def large_path(mounted, inputs):
    return [f"{mounted.root}/{inputs.large}"]


FIRST_READ = "first read of small files"
READ = storm("read", lambda mounted, inputs: [mounted.root, inputs.listing])
SIDECARS = storm("read sidecars", lambda mounted, inputs: [mounted.root, inputs.sidecars])
SEQUENTIAL = storm("sequential", large_path)
RANDOM = storm("random", lambda mounted, inputs: [*large_path(mounted, inputs),
                                                  str(inputs.randoms)])


def find_size(mounted, _inputs):
    return timed(["find", mounted.root, "-size", "+1k"])


def read_all_sidecars(mounted, inputs):
    SIDECARS(mounted, inputs)


ALL = [
    Workload("first walk after mount", find_size, fresh=True),
    Workload("walk after warming", find_size, before=settle, fresh=True),
    Workload(FIRST_READ, READ, before=walk, fresh=True),
    Workload("find -size", find_size),
    Workload("ls -lR", command("ls", "-lR")),
    Workload("rg", command("rg", "-c", "zzqqzz", passed=(0, 1))),
    Workload("git status", git_status, before=git_prepare),
    Workload("lstat, 1 thread", lstat(1)),
    Workload("lstat, 2 threads", lstat(2)),
    Workload("lstat, 4 threads", lstat(4)),
    Workload("small-file read", READ),
    Workload("sequential, first", SEQUENTIAL, before=cold, on="large"),
    Workload("sequential, again", SEQUENTIAL, before=cached, on="large"),
    Workload("random 4 KiB, uncached in the view", RANDOM, before=uncached, on="large"),
    Workload("sidecar of each file, first", SIDECARS, before=walk, fresh=True, view_only=True,
             beside=FIRST_READ),
    Workload("sidecar of each file, again", SIDECARS, before=read_all_sidecars, view_only=True,
             beside=FIRST_READ),
    Workload("folder summary of the root, first", root_summary, fresh=True, view_only=True),
    Workload("folder summary of the root, again", root_summary, view_only=True),
]
