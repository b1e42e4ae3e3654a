#!/bin/sh
# --trace in every example:  sh tests/examples/trace.sh SOURCE PROGRAM...
# What it prints is tried by test_trace.c; here, that each program has it, ends after one step, and leaves no file.
set -u
# shellcheck source=tests/harness/tap.sh
. "$1/tests/harness/tap.sh"
shift
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1

traces() {
    cd "$work" || return 1
    "$@" --trace >page 2>&1 || { cat page && return 1; }
    grep -q '^forward:' page || { cat page && return 1; }
    # backward has as many ops as gradients: each line "in" has its number above it
    [ "$(grep -c '^backward:' page)" -le 1 ] &&
        [ "$(grep -c '^ *in  dL' page)" = "$(sed '1,/^backward:/d' page | grep -c '^ *[0-9][0-9]*  ')" ] &&
        [ ! -e out ]
}
goes_back() { [ "$(grep -c '^ *in  dL' "$work/page")" -ge 10 ]; }

for program in "$@"; do # as a whole path: the work is elsewhere
    shift
    set -- "$@" "$(cd "$(dirname "$program")" && pwd)/$(basename "$program")"
done
for program in "$@"; do
    name=$(basename "$program")
    attempt "$name --trace prints a step and ends" traces "$program"
    case $name in
    *equivariance) ;; # which trains nothing
    *)
        attempt "$name: forward and back" goes_back
        ;;
    esac
done

asked() { "$1" --trace=Q >"$work/page" 2>&1; [ $? = 2 ] && shows "$work/page" "--trace: found 'Q'; expected nothing, or =V"; }
attempt 'an unknown lecture is refused' asked "$1"
in_help() { "$1" --help >"$work/page" && shows "$work/page" '--trace[=V]'; }
attempt '--help has it' in_help "$1"
done_testing
