#!/usr/bin/env bash
# What a view costs beside the tree itself and beside other tools: the same workloads on the
# native tree, in this view, in bindfs (Debian) and in agentignore (crates.io), in turn, so that
# noise meets all. Prints three markdown tables: time by native time, milliseconds, and FUSE
# requests of one run; each time is the median with the lowest and highest. A tool that cannot
# do a workload is shown as failed, with the reason below.
#
#   scripts/bench/compare.sh [--quick] [--rounds N] [--only TEXT] [--json FILE]
#                            [--tools native,view,...] [--view-flags 'FLAGS'] [--large-mib N]
#                            [--no-requests]
#
# The tree is about 29,000 files of npm and PyPI packages of fixed versions. It, the large file
# (2 GiB) and agentignore are made once below target/bench; nothing is written elsewhere. As
# root it installs bindfs, drops page caches before cold reads, and counts requests by the
# kernel's tracepoint (Linux 6.13; else the view's alone, by `inspectfs status`).
#
# Takes about 30 minutes on 2 cores with the default 7 rounds, most of it in the slowest tool and
# in making sidecars; --quick (about 1,200 files, 32 MiB, 2 rounds) takes about half a minute and
# is for smoke use: its figures mean nothing. Leave the machine alone meanwhile.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 python3 -m lib.compare "$@"
