"""Counts the FUSE requests that a file system's server is asked, whoever serves it: by the
kernel's own tracepoint (Linux 6.13, root), else the view's by `inspectfs status`.

Forgets are not counted: nobody waits for them.
"""

import json
import os
import subprocess
import tempfile

from . import tools

TRACING = "/sys/kernel/tracing"


class Counter:
    """Counts while it is entered; `count` is None where counting is not possible."""

    def __init__(self, mounted):
        self.mounted, self.count = mounted, None
        self.trace = None

    def __enter__(self):
        if self.mounted.device is not None:
            self.trace = Trace.start(self.mounted.device)
            self.before = None if self.trace else served(self.mounted)
        return self

    def __exit__(self, *_):
        if self.trace:
            self.count = self.trace.stop()
        elif self.mounted.device is not None and self.before is not None:
            self.count = served(self.mounted) - self.before


class Trace:
    """An instance of the kernel's tracing of its own, so that nobody else's is disturbed.
    Events are only counted, the buffer may run over."""

    def __init__(self, folder):
        self.folder = folder

    @classmethod
    def start(cls, device):
        if os.geteuid() != 0:
            return None
        if not os.path.isdir(f"{TRACING}/instances"):
            subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], check=False,
                           stderr=subprocess.DEVNULL)
        try:
            folder = tempfile.mkdtemp(prefix="inspectfs-bench-", dir=f"{TRACING}/instances")
        except OSError:
            return None
        trace = cls(folder)
        try:
            trace.write("buffer_size_kb", "64")
            # The event has the number as the kernel keeps it: 20 bits of minor number.
            number = os.major(device) << 20 | os.minor(device)
            trace.write("events/fuse/fuse_request_send/filter", f"connection == {number}")
            trace.write("events/fuse/fuse_request_send/enable", "1")
            return trace
        except OSError:
            os.rmdir(folder)
            return None

    def write(self, name, value):
        with open(f"{self.folder}/{name}", "w", encoding="ascii") as file:
            file.write(value)

    def stop(self):
        self.write("events/fuse/fuse_request_send/enable", "0")
        count = 0
        for cpu in os.listdir(f"{self.folder}/per_cpu"):
            with open(f"{self.folder}/per_cpu/{cpu}/stats", encoding="ascii") as stats:
                for line in stats:
                    name, _, value = line.partition(":")
                    if name in ("entries", "overrun", "dropped events"):
                        count += int(value)
        os.rmdir(self.folder)
        return count


def status(root):
    """What `inspectfs status` knows of the view on `root`, or None."""
    done = subprocess.run([tools.inspectfs(), "status", "--json"], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return None
    views = json.loads(done.stdout)["views"]
    root = os.path.realpath(root)
    return next((view for view in views if view["mountpoint"] == root), None)


def served(mounted):
    """Requests that a view answered so far, forgets left out; None for other tools."""
    if mounted.tool.name != "view":
        return None
    view = status(mounted.root)
    if view is None or "requests" not in view:
        return None
    return sum(count for name, count in view["requests"].items() if name != "forget")
