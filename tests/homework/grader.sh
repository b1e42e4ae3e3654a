# What the tests of the grader share: each is run as  sh tests/homework/NAME.sh SOURCE GRADER [CACHE]  and prints TAP.
#
# shellcheck shell=sh
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
grader=${2:?the grader}
cache=${3:-}
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
: "${cache:=$work/cache}" # what is built of a homework is kept there
homework=$source/lectures/homework
TMPDIR=$work # where the grader works: nothing may be left there
export TMPDIR

# grade HW FILE [OPTION...]: into $work/report; the status is the grader's.
grade() { "$grader" "$homework" "$cache" grade --overlay "$source/tests/homework/overlay" "$@" >"$work/report" 2>&1; }
hand_out() { "$grader" "$homework" "$cache" handout "$@"; }

# status_is STATUS COMMAND...: succeeds if the command ends with it.
status_is() {
    wanted=$1
    shift
    "$@"
    got=$?
    [ "$got" -eq "$wanted" ] || { echo "status $got; expected $wanted" && cat "$work/report" && return 1; }
}
