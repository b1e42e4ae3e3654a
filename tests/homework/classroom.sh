#!/bin/sh
# 200 mixed submissions of homework 1, and how long they take:  sh tests/homework/classroom.sh SOURCE GRADER [CACHE]
# By hand: a minute or two. Solutions, hand-outs, every known mistake twice, every second hostile one. The time that is
# judged is that of the processors, of all processes together: what else runs on the machine does not lengthen it.
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
grader=${2:?the grader}
cache=${3:-}
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
: "${cache:=$work/cache}" # what is built of a homework is kept there
homework=$source/lectures/homework
TMPDIR=$work
export TMPDIR
mkdir "$work/in"

"$grader" "$homework" "$cache" handout hw1 "$work/stub" >"$work/said"
"$grader" "$homework" "$cache" handout hw1 "$work/solved" --solution >"$work/said"
"$grader" "$homework" "$cache" grade hw1 "$work/solved/hw1.c" >"$work/said" # what is built once is there

# Mistakes of one line each: the solution with the line after < exchanged for the one after >.
awk -v solved="$work/solved/hw1.c" -v into="$work/in/" '
    BEGIN { while ((getline line <solved) > 0) text[++lines] = line }
    function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
    function finish(    i, file) {
        if (id == "" || olds != 1 || news != 1) return
        file = into id ".c"
        for (i = 1; i <= lines; i++) print (trim(text[i]) == old ? new : text[i]) >file
        close(file)
    }
    /^@/ { finish(); id = $2; sub(/:.*/, "", id); olds = old != ""; news = own = 0 }
    /^</ { if (!own++) olds = 0; old = trim(substr($0, 2)); olds++ }
    /^>/ { new = substr($0, 2); news++ }
    END { finish() }' "$homework/hw1-tensor-ops/mistakes.txt"
mistakes=$(find "$work/in" -name '*.c' | wc -l)
for file in "$work"/in/*.c; do cp "$file" "${file%.c}-again.c"; done
turn=0
for file in "$source"/tests/homework/hostile/*.c; do
    turn=$((1 - turn))
    [ $turn = 0 ] || cat "$file" "$source/tests/homework/hostile/rest.inc" >"$work/in/hostile-$(basename "$file")"
done
count=$(find "$work/in" -name '*.c' | wc -l)
while [ "$count" -lt 200 ]; do
    count=$((count + 1))
    if [ $((count % 5)) = 0 ]; then name=stub; else name=solved; fi
    { cat "$work/$name/hw1.c" && echo "/* student $count */"; } >"$work/in/$name-$count.c"
done

# The processor seconds of all programs that have ended: user and system, the second line of what times prints.
processor_seconds() {
    times >"$work/times"
    awk 'NR == 2 { split($1, user, "[ms]"); split($2, sys, "[ms]")
        printf "%d\n", 60 * (user[1] + sys[1]) + user[2] + sys[2] }' "$work/times"
}
processor_seconds >"$work/before"
attempt '200 submissions are graded' "$grader" "$homework" "$cache" grade hw1 \
    --overlay "$source/tests/homework/overlay" --all "$work/in" --out "$work/out"
processor_seconds >"$work/after"
took=$(($(cat "$work/after") - $(cat "$work/before")))
attempt 'each has its line' [ "$(wc -l <"$work/out/grades.csv")" -eq 201 ]
attempt "each of $mistakes mistakes was named, twice" python3 -c "
import csv
rows = list(csv.DictReader(open('$work/out/grades.csv')))
wrong = [r['name'] for r in rows if not r['name'].startswith(('hostile', 'stub', 'solved'))
    and r['mistakes'] != r['name'].removesuffix('.c').removesuffix('-again')]
assert not wrong, wrong
solved = [r['score'] for r in rows if r['name'].startswith('solved')]
stubs = [r['score'] for r in rows if r['name'].startswith('stub')]
assert solved and set(solved) == {'100'} and stubs and set(stubs) == {'0'}, (solved, stubs)"
attempt "in 120 s of two processors (it took $took processor seconds)" [ "$took" -le 240 ]
cat "$work/out/summary.txt" >&2
done_testing
