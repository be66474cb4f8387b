#!/usr/bin/env bash
# The tokens of ten real files, of their summaries and of their outlines, and of three folder
# summaries, as markdown table rows; says how many summaries are over their goal. Files of npm
# packages, Python's library and cargo's registry; packages are installed below
# target/accuracy.
#
#   scripts/bench/tokens.sh [FILE_OR_FOLDER...]
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts/bench/accuracy.sh rxjs >/dev/null
npm=$PWD/target/accuracy/npm
modules=$npm/node_modules
python=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
registry=$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ | head -n 1)
clap=$(printf '%s\n' "$registry"clap_builder-*/ | head -n 1)
inspectfs=${CARGO_TARGET_DIR:-$PWD/target}/release/inspectfs
paths=("$@")
if [[ ${#paths[@]} -eq 0 ]]; then
    csv=target/accuracy/sales.csv
    {
        echo 'date,region,product,units,revenue,currency'
        for day in $(seq -w 1 28); do
            for region in north south east west; do
                echo "2026-04-$day,$region,widget,17,1234.50,EUR"
            done
        done
    } >"$csv"
    paths=(
        "$python/argparse.py" "$python/typing.py"
        "$modules/rxjs/src/internal/Observable.ts" "$modules/effect3/src/Option.ts"
        "$modules/express/lib/application.js" "$modules/lodash/lodash.js"
        "${clap}src/builder/command.rs" "$modules/axios/README.md"
        "$modules/webpack/package.json" "$PWD/$csv"
        "$modules/rxjs" "$python" "${clap%/}"
    )
fi
node scripts/bench/tokens.mjs "$inspectfs" "$npm" "${paths[@]}"
