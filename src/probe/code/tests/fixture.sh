#!/usr/bin/env bash
set -euo pipefail
source ./lib.sh #= import ./lib.sh
. "$here/own.sh" #= import $here/own.sh

NAME=value #= variable NAME
one=1 two=2 #= variable one; variable two
PATH=/bin run something
list=(a b c) #= variable list
list[0]=x
export EXPORTED="x y" #= variable EXPORTED
export PATH
readonly FIXED=1 #= constant FIXED
declare -r ALSO=2 #= constant ALSO
declare -A map #= variable map
typeset -i number=3 #= variable number

first() { #= function first +3
    local inner=1
    nested() { :; }
} # behind

function second { #= function second +4
    cat <<EOF
function not_one() {
EOF
}

function größe() ( echo subshell ) #= function größe

if true; then
    conditional() { :; }
fi
text=$(cat <<"EOF" #= variable text +3
other() {
EOF
)
