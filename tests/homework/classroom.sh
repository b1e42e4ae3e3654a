#!/bin/sh
# 200 mixed submissions of homework 1, and how long they take:  sh tests/homework/classroom.sh SOURCE GRADER [CACHE]
# By hand: a minute or two. Solutions, hand-outs, every known mistake, every hostile one; some come twice.
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
    /^@/ { finish(); id = $2; olds = news = 0 }
    /^</ { old = trim(substr($0, 2)); olds++ }
    /^>/ { new = substr($0, 2); news++ }
    END { finish() }' "$homework/hw1-tensor-ops/mistakes.txt"
mistakes=$(find "$work/in" -name '*.c' | wc -l)
for file in "$work"/in/*.c; do cp "$file" "${file%.c}-again.c"; done
for file in "$source"/tests/homework/hostile/*.c; do
    cat "$file" "$source/tests/homework/hostile/rest.inc" >"$work/in/hostile-$(basename "$file")"
done
count=$(find "$work/in" -name '*.c' | wc -l)
while [ "$count" -lt 200 ]; do
    count=$((count + 1))
    if [ $((count % 5)) = 0 ]; then name=stub; else name=solved; fi
    { cat "$work/$name/hw1.c" && echo "/* student $count */"; } >"$work/in/$name-$count.c"
done

start=$(date +%s)
attempt '200 submissions are graded' "$grader" "$homework" "$cache" grade hw1 --all "$work/in" --out "$work/out"
took=$(($(date +%s) - start))
attempt 'each has its line' [ "$(wc -l <"$work/out/grades.csv")" -eq 201 ]
attempt "each of $mistakes mistakes was named, twice" python3 -c "
import csv
rows = list(csv.DictReader(open('$work/out/grades.csv')))
wrong = [r['name'] for r in rows if not r['name'].startswith(('hostile', 'stub', 'solved'))
    and r['mistakes'] != r['name'].removesuffix('.c').removesuffix('-again')]
assert not wrong, wrong
assert all(r['score'] == '100' for r in rows if r['name'].startswith('solved'))
assert all(r['score'] == '0' for r in rows if r['name'].startswith('stub'))"
attempt 'the picture says how many mistakes it leaves out' shows "$work/out/mistakes.svg" "most frequent of $mistakes<"
attempt "in two minutes (it took $took s on $(getconf _NPROCESSORS_ONLN) processors)" [ "$took" -le 120 ]
cat "$work/out/summary.txt" >&2
[ -z "${KEEP:-}" ] || cp "$work/out/mistakes.svg" "$KEEP"
done_testing
