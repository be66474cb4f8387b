"""Medians with their spread, as rows of markdown tables, and the results as JSON."""

import json
import math
import os
import platform
import statistics


def number(value):
    """Three digits that matter."""
    if math.isinf(value):
        return "never"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(values):
    """Median (lowest to highest)."""
    middle = number(statistics.median(values))
    return f"{middle} ({number(min(values))} to {number(max(values))})"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def machine():
    return {
        "kernel": platform.release(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "user": "root" if os.geteuid() == 0 else "ordinary user",
    }


def machine_line():
    about = machine()
    return (f"Linux {about['kernel']}, {about['cores']} cores, load {about['load']} at the "
            f"start, as {about['user']}.")


def save(path, results):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
