#!/bin/sh
# The grader on a system without Linux's walls, printed as TAP:  sh tests/homework/no_walls.sh SOURCE CC...
#
# Such a system is simulated: the grader is compiled as if for another one (-U__linux__), and leaves out what is Linux's.
set -u
source=$(cd "$1" && pwd) || exit 1
shift
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
# shellcheck disable=SC2154  # $work is tap.sh's
grader=$work/grader homework=$source/lectures/homework
mkdir "$work/cache" "$work/class"

build() { "$@" -U__linux__ -std=gnu11 -O0 -o "$grader" "$homework"/grader/*.c -lm; }
attempt 'it is built' build "$@"
grade() { "$grader" "$homework" "$work/cache" grade hw1 --overlay "$source/tests/homework/overlay" "$@" >"$work/report" 2>&1; }

attempt 'the solution is written' "$grader" "$homework" "$work/cache" handout hw1 "$work/hw1" --solution
attempt 'a student'\''s own file gets its points' grade "$work/hw1/hw1.c"
attempt 'all of them' shows "$work/report" '100 of 100 points.'
says_once() { [ "$(grep -c 'submissions of others on Linux or in a container' "$work/report")" = 1 ]; }
attempt 'the report says once where submissions of others are graded' says_once

cp "$work/hw1/hw1.c" "$work/class/ada.c"
refused() { grade --all "$work/class" --out "$work/results"; [ $? -eq 2 ]; }
attempt 'a folder of submissions is refused' refused
attempt 'with the reason' shows "$work/report" 'nothing holds the submissions of others in on this system'
attempt 'and nothing is written' fails test -e "$work/results"

attempt 'the hand-out is written' "$grader" "$homework" "$work/cache" handout hw1 "$work/empty"
graded_zero() { ! grade "$work/empty/hw1.c" --test matmul && shows "$work/report" 'failed     1. matrix product'; }
attempt 'a file that computes nothing fails' graded_zero
done_testing
