#!/bin/sh
# Submissions that want more than they earn, printed as TAP:  sh tests/homework/hostile.sh SOURCE GRADER [CACHE [--bare]]
#
# hostile/cases.txt is the table of them. --bare (by hand; some minutes): as on a system without namespaces, Landlock and filters.
# GRADER_ISOLATION=no-namespaces, no-landlock, no-filter leave out one wall.
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR" "$work/in" "$work/overlay" "$work/here" "$work/cases"
case $grader in /*) ;; *) grader=$PWD/$grader ;; esac
case $cache in /*) ;; *) cache=$PWD/$cache ;; esac
cd "$work/here" || exit 1
printf 'seed 7\nallow *\nallow asm\n' >"$work/overlay/settings"
hostile=$work/cases inc=$source/tests/homework/hostile

# Of each case NAME.c, and in NAME.head what the table says of it.
awk -v into="$hostile/" '
    /^@ / { close(file ".head"); close(file ".c"); file = into $2; print "gets: " $3 "\nallowed: " $4 >(file ".head"); head = 1; next }
    file == "" { next }
    head && /^$/ { head = 0; next }
    { print >(file (head ? ".head" : ".c")) }' "$inc/cases.txt"
# field FILE NAME: what it says.
field() { sed -n "s/^$2: //p" "${1%.c}.head"; }

echo 'the exam: attention' >"$work/private"
echo 'as it was' >"$work/victim"
chmod 600 "$work/private" "$work/victim"

# All files, or exit.c and a tenth of them, which changes from day to day.
tried() { find "$hostile" -name '*.c' | sort | awk -v first="$(today 10)" "NR % 10 == first - 1 || /\/exit.c/ || $(all && echo 1 || echo 0)"; }

# The rest of each file is right, so that one sees the other tests go on.
assemble() {
    with=$(field "$1" with)
    if [ -n "$(field "$1" whole)" ]; then cat "$1"; else cat "$inc/head.inc" ${with:+"$inc/$with"} "$1" "$inc/rest.inc"; fi
}
for file in $(tried); do
    assemble "$file" | sed "s|@PRIVATE@|$work/private|g; s|@VICTIM@|$work/victim|g" >"$work/in/$(basename "$file")"
done
{ printf '\357\273\277#include "hw1.h"\n' && cat "$inc/rest.inc"; } >"$work/in/mark.c"
{ echo '#include "hw1.h"' && cat "$inc/rest.inc"; } | sed 's/$/\r/' >"$work/in/crlf.c"
printf 'PK\003\004 not C' >"$work/in/homework.zip"
mkdir "$work/in/empty" "$work/in/name with spaces; rm -rf"
cp "$work/in/crlf.c" "$work/in/name with spaces; rm -rf/-o x.c"
count=$(find "$work/in" -mindepth 1 -maxdepth 1 | wc -l)

# grade_folder OUT [OPTION...]: what is in $in. Where the machine failed, the next run tries again.
in=$work/in
grade_folder() {
    out=$1
    shift
    for _ in 1 2 3; do
        "$grader" "$homework" "$cache" grade hw1 --overlay "$source/tests/homework/overlay" --all "$in" --out "$work/$out" "$@" \
            >"$work/$out.said" 2>&1 && return
    done
    return 1
}

# earns OUT NAME POINTS: so many, in a report of all tests that a parser reads.
earns() {
    python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
assert r['score'] == float(sys.argv[2]), 'score %s' % r['score']
assert len(r['tests']) == 11, len(r['tests'])
assert all(t['output'] or t['status'] == 'passed' for t in r['tests'])" "$work/$1/$2.json" "$3"
}

says() {
    field "$1" says >"$work/says"
    while read -r text; do
        grep -qF -- "$text" "$2" || { echo "lacks: $text" && cat "$2" && return 1; }
    done <"$work/says"
    field "$1" hides >"$work/hides"
    while read -r text; do
        ! grep -qF -- "$text" "$2" || { echo "has: $text" && cat "$2" && return 1; }
    done <"$work/hides"
}

# Nothing that maps a file of ours still runs; no folder, and no file of theirs, is left.
nothing_is_left() {
    for maps in /proc/[0-9]*/maps; do
        ! grep -q "$work" "$maps" 2>/dev/null || { echo "still runs: $maps" && return 1; }
    done
    left=$(ls -d "$TMPDIR"/* "$work"/here/* /tmp/gradus-hostile* 2>/dev/null)
    [ -z "$left" ] || { echo "left: $left" && return 1; }
    [ "$(cat "$work/victim")" = 'as it was' ] || { echo 'a file of the user was changed' && return 1; }
}

if [ "${4:-}" = --bare ]; then
    GRADER_ISOLATION=none
    export GRADER_ISOLATION
    for file in $(tried); do
        [ -z "$(field "$file" bare)" ] || rm "$in/$(basename "$file")"
    done
else
    attempt 'the folder is graded to its end' grade_folder by_rule
    for file in $(tried); do
        name=$(basename "$file")
        attempt "$name earns what it earned" earns by_rule "$name" "$(field "$file" gets)"
        attempt "$name is told what it did" says "$file" "$work/by_rule/$name.txt"
    done
    attempt 'a byte-order mark is taken out' earns by_rule mark.c 8
    attempt 'and mentioned' shows "$work/by_rule/mark.c.txt" 'byte-order mark'
    attempt 'the lines of Windows do no harm' earns by_rule crlf.c 8
    attempt 'an archive earns nothing' earns by_rule homework.zip 0
    attempt 'and is called one' shows "$work/by_rule/homework.zip.txt" 'this is an archive'
    attempt 'a folder without a source earns nothing' earns by_rule empty 0
    attempt 'odd names are names' earns by_rule 'name with spaces; rm -rf' 8
    attempt 'nothing is left' nothing_is_left
    attempt 'every submission has a line' [ "$(wc -l <"$work/by_rule/grades.csv")" -eq $((count + 1)) ]
    attempt 'the grades are CSV' python3 -c "
import csv
rows = list(csv.DictReader(open('$work/by_rule/grades.csv')))
assert len(rows) == $count and all(r['score'] != '' for r in rows), rows"
    rm "$work/by_rule/exit.c.row"
    attempt 'a second run grades what is missing' grade_folder by_rule
    attempt 'and only that' shows "$work/by_rule.said" "$((count - 1)) of $count are graded already"
    # What was run already would run in the same way again.
    in=$work/refused
    mkdir "$in"
    for file in $(tried); do
        name=$(basename "$file")
        grep -q 'was not compiled\|It was not run' "$work/by_rule/$name.txt" && cp "$work/in/$name" "$in"
    done
    ! all || attempt 'the rules refuse more than half' [ "$(find "$in" -name '*.c' | wc -l)" -ge 40 ]
fi

compiler_held=yes
"$grader" "$homework" "$cache" grade --isolation >"$work/isolation"
grep -q 'FAILS.*opens hwN.h' "$work/isolation" && compiler_held=no
attempt 'with everything allowed, the folder is graded to its end' grade_folder allowed --overlay "$work/overlay"
for file in "$in"/*.c; do
    name=$(basename "$file")
    file=$hostile/$name
    [ -f "$file" ] || continue
    attempt "$name, allowed to call anything, earns what it earned" earns allowed "$name" "$(field "$file" allowed)"
    # Assembly may read what the compiler may read, which without walls is much.
    [ -z "$(field "$file" hides)" ] || [ "$compiler_held" = no ] ||
        attempt 'and its report hides what it must' fails grep -qF "$(field "$file" hides)" "$work/allowed/$name.txt"
done
attempt 'nothing is left then either' nothing_is_left

done_testing
