"""Memory of a serving process, and who serves a mount."""

import json
import time

from . import tools


def server(point):
    """The process that serves the view on `point`, from the record that `unmount` uses."""
    number = tools.device(point)
    for folder in tools.runtime_folders():
        try:
            with open(f"{folder}/{number:x}.json", encoding="utf-8") as file:
                return json.load(file)["pid"]
        except OSError:
            continue
    raise RuntimeError(f"nobody is registered for {point}")


def memory(pid):
    """Bytes: `resident`, and `own`, what it wrote itself: program text is shared by views."""
    sums = {}
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        for line in file.readlines()[1:]:
            name, _, rest = line.partition(":")
            sums[name] = int(rest.split()[0]) * 1024
    return {"resident": sums["Rss"], "own": sums["Private_Dirty"]}


def standing(ask, seconds, tolerance):
    """Asks until the answer moves by no more than `tolerance` for two seconds, or the time
    is over; the last answer."""
    deadline, last, since = time.monotonic() + seconds, ask(), time.monotonic()
    while time.monotonic() < deadline and time.monotonic() - since < 2:
        time.sleep(0.2)
        now = ask()
        if abs(now - last) > tolerance:
            last, since = now, time.monotonic()
    return ask()
