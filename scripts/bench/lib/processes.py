"""Memory of a serving process, and who serves a mount."""

import time

from . import requests


def server(point):
    """The process that serves the view on `point`."""
    view = requests.status(point)
    if view is None or view.get("pid") is None:
        raise RuntimeError(f"status knows no view on {point}")
    return view["pid"]


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
