#!/usr/bin/env bash
# How long a view shows the old after a change outside, and whether it ever shows a mixture.
# Changes files of the workspace (replace by rename, overwrite, truncate and write, grow, shrink,
# append, create, delete, rename of a folder) while readers look: one stats, one opens anew,
# one keeps descriptors open and preads and fstats them, one maps, one lists. The same readers
# look at the tree itself, as the measure's own floor.
#
#   scripts/bench/coherence.sh [--seconds N] [--seed N] [--view-flags 'FLAGS'] [--json FILE]
#
# Prints, for each change and reader, the median, 99th percentile and most of the delay, the
# longest that one look took (a look that waits sees nothing meanwhile), and how often a reader
# saw content of no version or a size beside it (torn), an older version
# after a newer one, or an error. Exits 1 if a reader in the view saw any of these, if the 99th
# percentile of all delays is over 50 ms, or if one is over 1 s. Takes the seconds given
# (default 120) and 2 more, beside the build. Ten readers share the cores: leave the machine
# alone meanwhile.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 python3 -m lib.coherence "$@"
