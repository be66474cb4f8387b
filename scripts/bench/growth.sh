#!/usr/bin/env bash
# How cost grows: with the files of the tree (mount time, walks beside the native one, memory a
# file), with the rules of the policy (mount time, first walk, lookups of missing names), and
# with the views mounted at once (mount time, memory). Prints three markdown tables; times are
# the median with the lowest and highest.
#
#   scripts/bench/growth.sh [--quick] [--rounds N]
#
# Sizes are 1,000 to 100,000 files, 1 to 200 rules, 1 to 100 views. Trees are generated once
# below target/bench. Takes about 10 minutes on 2 cores; --quick takes some seconds and is for
# smoke use. Leave the machine alone meanwhile.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 python3 -m lib.growth "$@"
