#!/bin/sh
# What instructors do, printed as TAP:  sh tests/homework/instructor.sh SOURCE GRADER [CACHE]
# A homework is built from the guide's own text; hidden tests; Gradescope's archive is unpacked and run.
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
grader=${2:?the grader}
cache=${3:-}
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
: "${cache:=$work/cache}" # what is built of a homework is kept there
TMPDIR=$work
export TMPDIR

grade() {
    "$grader" "$source/lectures/homework" "$cache" grade "$@" >"$work/report" 2>&1
}

# ---- a homework from the guide -----------------------------------------------------------------------

mkdir "$work/hw9-scale"
# A line with a file's name in backquotes and a colon, then the file between fences.
awk -v into="$work/" '
    /^`hw9-scale\/.*`:$/ { file = into substr($0, 2, length($0) - 3); next }
    /^```/ && file != "" { if (inside) { close(file); file = ""; inside = 0 } else inside = 1; next }
    inside { print >file }' "$source/lectures/homework/GUIDE.md"

attempt 'the guide has five files' [ "$(find "$work/hw9-scale" -type f | wc -l)" -eq 5 ]
attempt 'its homework is right: solution, hand-out, and every mistake named' grade "$work/hw9-scale" --confusion
attempt 'a line tells of each' shows "$work/report" 'solution' '10 of 10' 'stub' 'scale_backward alone             6 of 6' \
    'scale-set' 'scale-forgotten' '2 of 2 mistakes are named'
attempt 'and a matrix, which is diagonal' shows "$work/report" 'scale-set                    # .' \
    'scale-forgotten              . #'

sed 's/< dx\[i\] += s \* dy\[i\];/< dx[i] += dy[i] * s;/' "$work/hw9-scale/mistakes.txt" >"$work/changed"
cp "$work/changed" "$work/hw9-scale/mistakes.txt"
attempt 'a mistake that does not fit the solution is said' fails grade "$work/hw9-scale" --confusion
attempt 'quickly, too' fails grade "$work/hw9-scale" --check
attempt 'with its first line' shows "$work/report" 'scale-set' 'expected once: ' 'dx[i] += dy[i] * s;'

echo 'const int nothing;' >"$work/hw9-scale/tests.c"
attempt 'a homework without tests is refused' fails grade "$work/hw9-scale" --confusion
attempt 'with the reason' shows "$work/report" 'no test was found'

# ---- hidden tests --------------------------------------------------------------------------------------

mkdir "$work/overlay"
cat >"$work/overlay/hidden.c" <<'END'
#include "homework.h"
#include "hw1.h"

static void matmul_long_case(Case *c)
{
    int m = case_size(c, "m", 1, 2), k = case_size(c, "k", 9, 12), n = case_size(c, "n", 1, 2);
    const real *a = case_input(c, "a", 2, m, k), *b = case_input(c, "b", 2, k, n);
    matmul(case_output(c, "c", 2, m, n), a, b, m, k, n);
}

const Test hidden_tests[] = {
    {"matmul_long", "matmul", "matrix product, long rows", POINTS(20), matmul_long_case},
    {0},
};
END
"$grader" "$source/lectures/homework" "$cache" handout hw1 "$work/hw1" --solution >"$work/out"
# Right for sums of up to 8 terms.
sed 's/for (int p = 0; p < k; p++)/for (int p = 0; p < k \&\& p < 8; p++)/' "$work/hw1/hw1.c" >"$work/short.c"
attempt 'without the overlay it passes' grade hw1 "$work/short.c" --test matmul
attempt 'the solution passes the hidden test' grade hw1 "$work/hw1/hw1.c" --overlay "$work/overlay"
attempt 'which has points of its own' shows "$work/report" '(20 of 20)  [hidden]' '120 of 120 points'
for tell in all name nothing; do
    printf 'seed 7\ntell %s\nvisibility hidden\n' "$tell" >"$work/overlay/settings"
    attempt "tell $tell: the hidden test fails" fails grade hw1 "$work/short.c" --overlay "$work/overlay"
    case $tell in
    all) attempt 'and says all' shows "$work/report" 'long rows' 'c[0][0] is wrong, with m=1, k=9' ;;
    name) attempt 'and says its name only' sh -c "grep -q 'long rows' '$work/report' && ! grep -q 'k=9' '$work/report'" ;;
    nothing) attempt 'and says nothing' fails grep -q 'long rows' "$work/report" ;;
    esac
    grade hw1 "$work/short.c" --overlay "$work/overlay" --format gradescope --out "$work/results.json"
    attempt "tell $tell: so does Gradescope's report" python3 -c "
import json
t = [t for t in json.load(open('$work/results.json'))['tests'] if 'long' in t['name']][0]
assert t['visibility'] == 'hidden' and t['score'] == 0
assert ('k=9' in t['output']) == ('$tell' == 'all'), t"
done
echo 'tell everything' >"$work/overlay/settings"
attempt 'an unknown setting is refused' fails grade hw1 "$work/short.c" --overlay "$work/overlay"
attempt 'with what was expected' shows "$work/report" 'tell everything' 'expected seed N, tell all|name|nothing'
printf 'tell name\n' >"$work/overlay/settings"

# ---- Gradescope ------------------------------------------------------------------------------------------

there=$work/autograder
mkdir -p "$there/source" "$there/submission"
attempt 'the archive is written' "$grader" "$source/lectures/homework" "$cache" gradescope hw1 "$work/hw1.zip" \
    --overlay "$work/overlay"
attempt 'and unpacked by others' python3 -c "
import zipfile, os
z = zipfile.ZipFile('$work/hw1.zip')
assert z.testzip() is None
for i in z.infolist():
    os.chmod(z.extract(i, '$there/source'), i.external_attr >> 16)
assert os.access('$there/source/run_autograder', os.X_OK)"
AUTOGRADER=$there
export AUTOGRADER
attempt 'its setup runs' "$there/source/setup.sh"
cp "$work/short.c" "$there/submission/mine.c"
attempt 'it grades' "$there/source/run_autograder"
results_are() {
    python3 -c "
import json
r = json.load(open('$there/results/results.json'))
assert r['score'] == $1 and len(r['tests']) == $2, r"
}
attempt 'and leaves its results' results_are 100 12
rm "$there/submission/mine.c"
echo 'int main(' >"$there/submission/hw1.c"
attempt 'what does not compile is graded' "$there/source/run_autograder"
attempt 'with all tests, and no points' results_are 0 12
rm "$there/submission/hw1.c" "$there/source/homework/hw1-tensor-ops/tests.c"
attempt 'where the grader itself fails, there are results too' sh -c "
    '$there/source/run_autograder'; grep -q 'The grader itself failed' '$there/results/results.json'"

curtain
