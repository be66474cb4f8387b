#!/usr/bin/env bash
set -euo pipefail
. ./lib/common.sh

readonly TARGET=production
export REGION="eu-1"

log() {
    printf '%s\n' "$1"
}

function deploy {
    local version=$1
    log "deploying $version"
}

deploy "$@"
