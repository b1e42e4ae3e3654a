#!/bin/sh
# A class that several machines grade, each a part:  sh tests/homework/shards.sh SOURCE GRADER [CACHE]
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"
mkdir "$work/in"

hand_out hw0 "$work/stub" >"$work/said"
hand_out hw0 "$work/solved" --solution >"$work/said"
number=0
while [ $number -lt 13 ]; do
    number=$((number + 1))
    if [ $((number % 3)) = 0 ]; then name=stub; else name=solved; fi
    { cat "$work/$name/hw0.c" && echo "/* student $number */"; } >"$work/in/student-$number.c"
done
# Two with a passage in common, in different shards.
for name in student-1 student-2; do
    echo 'static int own(int a, int b) { int c = a * b + 7; while (c > 3 && a != b) { c -= b << 1; a = c ^ b; if (a % 5 == 2) b++; else c /= 2; } return c ? a : b | c; }
int use(int a); int use(int a) { return own(a, a + 1) - own(1, a) * 3; }' >>"$work/in/$name.c"
done
echo 'for (;;);' >"$work/in/broken.c"

grade() { "$grader" "$homework" "$cache" grade hw0 --overlay "$source/tests/homework/overlay" --all "$work/in" "$@"; }

# The files of a folder of results without the seconds that a submission took, which no two runs share.
timeless() {
    (cd "$1" && for file in *; do
        echo "== $file"
        case $file in
        grades.csv) awk -F, -v OFS=, '{ $11 = "-"; print }' "$file" ;;
        feedback.zip) unzip -l "$file" | awk 'NF == 4 { print $4 }' ;;
        *) sed -E 's/[0-9]+(\.[0-9]+)? s([ ;).]|$)/- s\2/g; s/"(execution_time|seconds)": [0-9.]+/"\1": -/' "$file" ;;
        esac
    done) | cksum
}

attempt 'one run over all, for comparison' sh -c '"$@"; [ $? -le 1 ]' sh "$grader" "$homework" "$cache" grade hw0 \
    --overlay "$source/tests/homework/overlay" --all "$work/in" --out "$work/whole"
# Two shards write into one folder at the same time, and the third into its own.
at_once() {
    grade --out "$work/merged" --shard 1/3 >"$work/first" 2>&1 &
    first=$!
    grade --out "$work/merged" --shard 3/3 && wait $first
}
attempt 'two shards of three at once' at_once
attempt 'have their submissions alone' [ "$(find "$work/merged" -name '*.row' | wc -l)" -eq 9 ]
attempt 'and no file of the class' fails test -e "$work/merged/grades.csv"

merge() { grade --merge "$work/merged" >"$work/told" 2>&1; }
attempt 'a merge without the second shard fails' fails merge
attempt 'and names what is missing, and the shard to run' shows "$work/told" "merged/student-1.c.row is not there" 'run its shard again, or --shard 2/14'

# A shard that is killed goes on where it was; what was graded keeps its file.
killed_and_run_again() {
    grade --out "$work/part-2" --shard 2/3 --jobs 1 >"$work/shard" 2>&1 &
    shard=$!
    waited=0
    until [ -n "$(find "$work/part-2" -name '*.row' 2>/dev/null)" ] || [ $waited -gt 6000 ]; do
        waited=$((waited + 1)) && sleep 0.1
    done
    kill -9 $shard 2>/dev/null
    wait $shard
    before=$(find "$work/part-2" -name '*.row' -exec cksum {} + | sort | head -n 1)
    grade --out "$work/part-2" --shard 2/3 >"$work/shard" 2>&1 || return 1
    find "$work/part-2" -name '*.row' -exec cksum {} + | grep -qxF -- "$before"
}
attempt 'a shard that is killed goes on where it was' killed_and_run_again
attempt 'parts are copied together' cp -R "$work/part-2/." "$work/merged"
attempt 'and merged' merge
attempt 'into the files of one run over all' equal "$(timeless "$work/whole")" "$(timeless "$work/merged")"
attempt 'and copies in different shards are found' shows "$work/merged/similar.txt" student-1 student-2

echo '/* one more line */' >>"$work/in/student-4.c"
attempt 'a part of another version is refused' fails merge
attempt 'by name' shows "$work/told" 'student-4.c.row is of another version of the submission'

refused() { fails "$grader" "$homework" "$cache" grade hw0 "$@" >"$work/told" 2>&1; }
for bad in 0/3 4/3 3 a/b 1/2x 1/9999999999; do
    attempt "--shard $bad is refused" refused --all "$work/in" --out "$work/x" --shard $bad
    attempt 'with what is expected' shows "$work/told" 'expected K/N with K from 1 to N'
done
attempt '--shard needs --all' refused "$work/solved/hw0.c" --shard 1/2
attempt 'and takes no --merge' refused --all "$work/in" --shard 1/2 --merge "$work/part-2"
attempt 'nor does --out' refused --all "$work/in" --out "$work/x" --merge "$work/part-2"
attempt 'nor a date, which the merge takes' refused --all "$work/in" --out "$work/x" --shard 1/2 --due 2026-11-20
attempt 'a folder that is not there is refused' refused --all "$work/in" --merge "$work/none"

# The command of GUIDE.md.
if command -v parallel >/dev/null; then
    # shellcheck disable=SC2016  # the inner shell expands them
    attempt 'GNU parallel runs the shards' sh -c 'parallel -j 2 "$@" --out "$0/p" --shard {}/3 ::: 1 2 3; [ $? -le 3 ]' "$work" \
        "$grader" "$homework" "$cache" grade hw0 --overlay "$source/tests/homework/overlay" --all "$work/in"
    attempt 'and they are merged' grade --merge "$work/p"
else
    skip 'GNU parallel runs the shards' 'parallel is not installed'
fi
done_testing
