#!/usr/bin/env bash
# Whether the view got slower: runs compare.sh natively and in the view (or takes its results)
# and holds the ratios against those recorded in scripts/bench/recorded.json. Fails if the
# median of a workload lies more than a tenth beyond the highest ratio recorded, if it makes
# more requests (by a twentieth and 20), or if it fails or is missing. Prints a markdown table
# and a line for each finding, better ones too.
#
#   scripts/bench/regression.sh [--quick] [--rounds N] [RESULTS.json]
#   scripts/bench/regression.sh --record [--quick] [--rounds N] [RESULTS.json]
#   scripts/bench/regression.sh --self-test      prove that planted regressions are caught
#
# RESULTS.json is what `compare.sh --json` wrote. --record writes the record: look at it and
# check it in. The full size, the quick one and each set of view flags have records of their
# own. Takes what compare.sh takes for two tools: some 10 minutes, --quick some 20 seconds.
set -euo pipefail
cd "$(dirname "$0")"
exec env PYTHONDONTWRITEBYTECODE=1 python3 -m lib.regression "$@"
