#!/usr/bin/env bash
# Memory of a view over a large tree: idle, after walks, and after the kernel dropped its names
# (`echo 2 > /proc/sys/vm/drop_caches`, as root). Prints a markdown table with nodes and watches
# beside the memory, the bytes a known entry, and what is left over the base. Exits 1 if a
# million files take over 300 MiB, an entry over 220 bytes, or memory does not come back.
#
#   scripts/bench/memory.sh [--files N] [--on DIR] [--view-flags 'FLAGS']
#
# The tree (default 1,000,000 small files, about 5 GB of memory on tmpfs) is generated on
# /dev/shm if that is a tmpfs with room, else below target/bench, and removed at the end. Takes
# about 3 minutes on tmpfs; --files 10000 takes some seconds and is for smoke use.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 python3 -m lib.memory "$@"
