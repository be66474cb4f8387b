"""The tools compared: each mounts a tree on a folder and unmounts it again."""

import os
import shutil
import subprocess
import time

from .trees import REPOSITORY, SCRATCH, TARGET

PATIENCE = 20  # seconds until a mount must be there or gone


class Native:
    """The tree itself."""

    name = "native"

    def mount(self, tree, point):
        return Mounted(self, str(tree), None, None)

    def problem(self):
        return None


class View:
    """This view. `flags` are those of `inspectfs mount`."""

    name = "view"

    def __init__(self, flags=()):
        self.flags = list(flags)

    def problem(self):
        return None if os.path.exists(inspectfs()) else "not built"

    def mount(self, tree, point):
        os.makedirs(point, exist_ok=True)
        words = [inspectfs(), "mount", "--name", "bench", *self.flags, str(tree), str(point)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return Mounted(self, str(point), None, device(point))

    def unmount(self, mounted):
        subprocess.run([inspectfs(), "unmount", mounted.root], check=True, timeout=PATIENCE)


class Bindfs:
    """bindfs, Debian's package, as it comes."""

    name = "bindfs"

    def problem(self):
        return None if shutil.which("bindfs") else "not installed (apt-get install bindfs)"

    def mount(self, tree, point):
        os.makedirs(point, exist_ok=True)
        words = ["bindfs", "-f", "--no-allow-other", str(tree), str(point)]
        return started(self, words, point)

    def unmount(self, mounted):
        stop(mounted, ["fusermount3", "-u", "-z", mounted.root])


class Agentignore:
    """agentignore from crates.io, as it comes."""

    name = "agentignore"
    program = str(SCRATCH / "tools/bin/agentignore")

    def problem(self):
        return None if os.path.exists(self.program) else "not installed"

    def mount(self, tree, point):
        os.makedirs(point, exist_ok=True)
        return started(self, [self.program, "mount", str(tree), str(point)], point)

    def unmount(self, mounted):
        stop(mounted, [self.program, "unmount", mounted.root])


ALL = (Native, View, Bindfs, Agentignore)


class Mounted:
    """A mount of a tool: `root` is what the workload gets; use with `with`."""

    def __init__(self, tool, root, process, number):
        self.tool, self.root, self.process, self.device = tool, root, process, number

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.device is not None:
            self.tool.unmount(self)
            os.rmdir(self.root)


def inspectfs():
    return str(TARGET / "release/inspectfs")


def started(tool, words, point):
    """Starts a server that stays in the foreground, and waits for its mount."""
    before = device(point)
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    until(lambda: device(point) != before or process.poll() is not None)
    if device(point) == before:
        process.kill()
        process.wait()
        raise RuntimeError(f"{tool.name} does not mount")
    return Mounted(tool, str(point), process, device(point))


def stop(mounted, words):
    subprocess.run(words, check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)
    try:
        mounted.process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        mounted.process.kill()
        mounted.process.wait()


def device(point):
    """The number of the file system at `point`, from the mount table: asks no server."""
    wanted = os.path.realpath(os.path.dirname(point))
    wanted = os.path.join(wanted, os.path.basename(point))
    found = None
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
        for line in table:
            fields = line.split(" ")
            if fields[4] == wanted:
                major, minor = fields[2].split(":")
                found = os.makedev(int(major), int(minor))
    return found


def until(ready):
    deadline = time.monotonic() + PATIENCE
    while not ready() and time.monotonic() < deadline:
        time.sleep(0.002)


def build():
    """The release build and the storm helper."""
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=REPOSITORY,
                   check=True)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    source = REPOSITORY / "scripts/bench/lib/storm.rs"
    if not storm().exists() or storm().stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["rustc", "-O", "--edition", "2024", "-o", storm(), source], check=True)


def storm():
    return SCRATCH / "storm"


def install_peers():
    """bindfs by apt-get where that is possible, agentignore into the build folder."""
    if shutil.which("bindfs") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-q", "bindfs"], stdout=subprocess.DEVNULL,
                       check=False)
    if not os.path.exists(Agentignore.program):
        environment = {**os.environ, "CARGO_TARGET_DIR": str(SCRATCH / "agentignore-build")}
        subprocess.run(["cargo", "install", "--quiet", "--locked", "--root", SCRATCH / "tools",
                        "agentignore@0.4.3"], env=environment, check=False)


def drop_caches(what):
    """Drops the kernel's caches (1 pages, 2 names, 3 both); whether it may."""
    if os.geteuid() != 0:
        return False
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write(str(what))
    except OSError:
        return False
    return True
