#!/usr/bin/env bash
# Outlines beside what an independent parser sees in the same files, spans included: Python's
# ast over its standard library, the TypeScript compiler over rxjs, effect and a node_modules,
# go/parser over Go's library, syn over the sources of crates. Prints markdown table rows:
# source, files, symbols, mismatches per 1000 symbols, missing / extra / other span, files in
# which our parser recovered, files left out. The rules of both sides are those of
# docs/PROBES.md; scripts/bench/accuracy/ has the reference parsers.
#
#   scripts/bench/accuracy.sh [SOURCE...]
#       SOURCE    python, rxjs, effect, javascript, declarations, go, rust; default: all
#       SHOWN=20  print so many mismatches of each source as well
#
# Installs what it needs: npm packages below target/accuracy, golang-go by apt-get as root.
set -euo pipefail
cd "$(dirname "$0")/../.."

sources=("$@")
if [[ ${#sources[@]} -eq 0 ]]; then
    sources=(python rxjs effect javascript declarations go rust)
fi
work=$PWD/target/accuracy
here=$PWD/scripts/bench/accuracy
mkdir -p "$work/npm"
cargo build --release --locked --quiet
inspectfs=${CARGO_TARGET_DIR:-$PWD/target}/release/inspectfs

need_npm() {
    # The packages of the specification's table, and some that many projects depend on.
    [[ -d $work/npm/node_modules/gpt-tokenizer ]] && return
    [[ -f $work/npm/package.json ]] || echo '{"private":true}' >"$work/npm/package.json"
    npm install --prefix "$work/npm" --no-audit --no-fund --ignore-scripts --silent \
        --legacy-peer-deps typescript@5.9 rxjs@7 effect@4 effect3@npm:effect@3 \
        express@5 lodash@4 webpack@5 eslint@10 react-dom@19 axios@1 gpt-tokenizer@4 >&2
}

need_go() {
    command -v go >/dev/null && return
    if [[ $(id -u) -ne 0 ]]; then
        echo "install golang-go (its library is what is compared)" >&2
        exit 1
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends golang-go >&2
}

# compare NAME TREE REFERENCE... < paths
compare() {
    local name=$1 tree=$2
    shift 2
    printf '| %s ' "$name"
    python3 "$here/compare.py" "$inspectfs" "$tree" "${SHOWN:-0}" "$@"
}

files() {
    local folder=$1
    shift
    find -L "$folder" -type f \( "$@" \) | LC_ALL=C sort
}

for source in "${sources[@]}"; do
    modules=$work/npm/node_modules
    javascript=(node "$here/reference.mjs" "$work/npm")
    case $source in
    python)
        tree=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
        files "$tree" -name '*.py' | grep -v /site-packages/ |
            compare "Python's standard library" "$tree" python3 "$here/reference.py"
        ;;
    rxjs)
        need_npm
        files "$modules/rxjs/src" -name '*.ts' |
            compare "TypeScript, rxjs 7" "$modules" "${javascript[@]}"
        ;;
    effect)
        need_npm
        { files "$modules/effect/src" -name '*.ts' && files "$modules/effect3/src" -name '*.ts'; } |
            compare "TypeScript, effect 3 and 4" "$modules" "${javascript[@]}"
        ;;
    javascript)
        need_npm
        files "$modules" -name '*.js' -o -name '*.mjs' -o -name '*.cjs' |
            compare "JavaScript, node_modules" "$modules" "${javascript[@]}"
        ;;
    declarations)
        need_npm
        files "$modules" -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' |
            compare "TypeScript, declaration files of node_modules" "$modules" "${javascript[@]}"
        ;;
    go)
        need_go
        go build -o "$work/reference-go" "$here/reference.go"
        tree=$(readlink -f "$(go env GOROOT)/src")
        files "$tree" -name '*.go' |
            compare "Go's library" "$tree" "$work/reference-go"
        ;;
    rust)
        CARGO_TARGET_DIR=$work/rust cargo build --release --quiet \
            --manifest-path "$here/rust-reference/Cargo.toml"
        tree=$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ | head -n 1)
        files "${tree%/}" -name '*.rs' |
            compare "Rust, cargo's registry" "${tree%/}" "$work/rust/release/rust-reference"
        ;;
    *)
        echo "no source '$source'; the sources are: python rxjs effect javascript declarations go rust" >&2
        exit 1
        ;;
    esac
done
