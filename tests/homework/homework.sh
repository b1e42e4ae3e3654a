#!/bin/sh
# Tests of the homeworks and their grader, printed as TAP:  sh tests/homework/homework.sh SOURCE GRADER [CACHE]
# Every homework is tried with `./gradus test --all`; otherwise hw1 and one more, which changes from day to day.
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"

# replace FILE FROM TO INTO: the first line with FROM has TO in its place.
replace() {
    awk -v from="$2" -v to="$3" '!done && (at = index($0, from)) {
            $0 = substr($0, 1, at - 1) to substr($0, at + length(from)); done = 1 }
        { print }
        END { exit !done }' "$1" >"$4"
}

# ---- every homework --------------------------------------------------------------------------------

# No line of the solution is in the hand-out, and no mark in either.
keeps_secret() {
    awk '/BEGIN SOLUTION/ { inside = 1; task = !/[*]\// ; next }
        task { task = !/[*]\//; next }
        /END SOLUTION/ { inside = 0 }
        inside { gsub(/^[ \t]+|[ \t]+$/, ""); if (length($0) > 12) print }' "$1" >"$work/secret"
    [ -s "$work/secret" ] && fails grep -qFf "$work/secret" "$2" &&
        fails grep -qE 'SOLUTION|stub\|' "$2" "$3"
}

# commands FOLDER HW: its README hands out and grades HW, and the test that it tries alone is one of tests.c.
commands() {
    grep -q "\./gradus handout $2 DIR" "$1/README.md" && grep -q "\./gradus grade $2 DIR/$2\.c" "$1/README.md" || return 1
    sed -n 's/.*\.\/gradus grade .* --test \([a-z_0-9]*\).*/\1/p' "$1/README.md" >"$work/tests"
    while read -r test; do
        grep -q "{\"$test\"," "$1/tests.c" || return 1
    done <"$work/tests"
}
# points FOLDER: the headings of its README have the points of tests.c: those of each test, or of all tests of a function.
points() {
    tests=$1/tests.c
    ! grep -q '^BUG_TESTS' "$tests" || tests=$homework/grader/runner/bug.h
    grep -o 'POINTS([0-9]*)' "$tests" | grep -o '[0-9]*' >"$work/points"
    asked=$1/README.md
    ! grep -q '(\.\./debug\.md' "$asked" || asked=$homework/debug.md
    grep '^## ' "$asked" | grep -o '([0-9 +]* points)' | grep -o '[0-9]*' >"$work/said"
    sort -n "$work/points" >"$work/sorted" && sort -n "$work/said" | cmp -s - "$work/sorted" && return
    awk 'NR == FNR { said[++n] = $1; next } { sum += $1 } sum == said[k + 1] { k++; sum = 0 }
        END { exit !n || k != n || sum }' "$work/said" "$work/points"
}
for folder in "$homework"/*-*/; do
    name=$(basename "$folder") && id=$name
    attempt "$name: its README has the points of its tests" points "$folder"
    [ "${name#lab-}" != "$name" ] || id=${name%%-*}
    attempt "$name: its README has the commands that hand out and grade it" commands "$folder" "$id"
done

# Whole: every homework, or the first one, on which the cases below stand, and today's.
whole() { all || [ "$1" = hw1 ] || [ "$1" = "$today" ]; }
set -- "$homework"/hw*/
shift $(($(today $#) - 1))
today=$(basename "$1") && today=${today%%-*}

for folder in "$homework"/hw*/; do
    name=$(basename "$folder")
    hw=${name%%-*}
    attempt "$name: the hand-out is written" hand_out "$hw" "$work/$hw"
    attempt "$name: the solution is written" hand_out "$hw" "$work/$hw-solved" --solution
    attempt "$name: no line of the solution is in the hand-out" \
        keeps_secret "$folder/$hw.c" "$work/$hw/$hw.c" "$work/$hw-solved/$hw.c"
    whole "$hw" || continue
    attempt "$name: the solution reaches all points" grade "$hw" "$work/$hw-solved/$hw.c"
    attempt "$name: the hand-out none" fails grade "$hw" "$work/$hw/$hw.c"
    attempt "$name: and hears what to do first" shows "$work/report" 'Begin with ' \
        'is the function still as it was handed out?'
    attempt "$name: a hand-out is not written over" fails hand_out "$hw" "$work/$hw"
    attempt "$name: every mistake finds its lines in the solution" grade "$hw" --check
    # What the solution computes is known from elsewhere.
    [ -f "$source/tests/homework/$hw.py" ] || continue
    attempt "$name: a library of the solution" "${CC:-cc}" -shared -fPIC -O1 -DGRADUS_F64 -o "$work/$hw.so" \
        "$work/$hw-solved/$hw.c" -lm
    attempt "$name: the solution is what the definitions say" python3 "$source/tests/homework/$hw.py" "$work/$hw.so"
done
cp "$work/hw1-solved/hw1.c" "$work/solved.c"

# ---- what a wrong number tells -----------------------------------------------------------------------

replace "$work/solved.c" 'db[p * n + j] += (real)sum' 'db[p * n + j] = (real)sum' "$work/set.c"
attempt 'a mistake loses its points' fails grade hw1 "$work/set.c"
attempt 'it is said where, beside the finite difference, and what the mistake is' shows "$work/report" \
    'failed     2. matrix product, backward  (0 of 18)' 'db[0][0] is wrong, with m=1, k=1, n=1:' 'you added' \
    'finite difference' 'ratio' 'da: right; db: 1 of 1 wrong' 'real dc[1][1] = {{' 'What it looks like: db is set' \
    '82 of 100 points'
again=$(sed -n 's/.*Again, alone: .* grade hw1 [^ ]* //p' "$work/report" | head -n 1)
# shellcheck disable=SC2086  # options are words
attempt 'the line that is shown does it again' fails grade hw1 "$work/set.c" $again
attempt 'and shows the same' shows "$work/report" 'db[0][0] is wrong' '0 of 18 points'

# Seeds have 64 bits: the line repeats those, too. Which operand is which matters for SUB alone.
replace "$work/hw2-solved/hw2.c" 'value[i] = a - b;' 'value[i] = b - a;' "$work/swapped.c"
attempt 'a hidden seed beyond 2^63 finds the exchanged operands' fails grade hw2 "$work/swapped.c" --test graph_forward \
    --seed 13788796015093204831 --case 5
# Wrong on a hidden input alone: the seed, which is secret, is not in the report.
replace "$work/solved.c" 'c[i * n + j] = (real)sum;' 'c[i * n + j] = (real)(sum + 1);' "$work/off.c"
grade hw1 "$work/off.c" --test matmul --seed 20261123 --case 0
first=$(sed -n 's/.*real a\[1\]\[1\] = {{\(.*\)}};/\1/p' "$work/report")
# A state that is the seed and a multiple of the case's number gives the seed away: then these two cases are one.
drawn() { grade hw1 "$work/off.c" --test matmul --seed "$1" --case "$2" || sed -n 's/.*real a\[1\]\[1\] = //p' "$work/report"; }
attempt 'seeds cannot be computed from one another by the state of a case' [ "$(drawn 20261123 1)" != "$(drawn 15111065706856715782 0)" ]
replace "$work/solved.c" 'c[i * n + j] = (real)sum;' "c[i * n + j] = (real)(sum + (m * k * n == 1 && a[0] == (real)$first));" "$work/off.c"
attempt 'what is wrong on a hidden input alone loses points' status_is 1 grade hw1 "$work/off.c" --test matmul
attempt 'the input is shown' shows "$work/report" "{{$first}}" 'This is case 0 of the hidden inputs.'
attempt 'its seed is not' fails grep -q 20261123 "$work/report"
attempt 'a seed beyond 2^64 is refused' fails grade hw2 "$work/swapped.c" --seed 18446744073709551616
attempt 'by its range' shows "$work/report" 'expected a whole number from 1 to 18446744073709551615'

# In the first case dq and dk are 0, so that nothing is missing there.
sed '/dq\[r \* d + e\] +=/d; s/key_grads\[.*+= .*;/;/; s/\(value_grads\[.*\] +=\)/\1 2 */' "$work/hw3-solved/hw3.c" >"$work/odd.c"
grade hw3 "$work/odd.c" --test attention_backward
attempt 'an output that is wrong in other cases alone is not called right' shows "$work/report" \
    'dq: right here, wrong in other cases; dk: right here, wrong in other cases; dv: 1 of 1 wrong'
attempt 'and the array that is shown is spoken of first' shows "$work/report" 'What shows: Every element of dv is 2 times'

# Memory of malloc that was never set, as a number of rows: nothing is written, and the function is not as it was handed out.
awk 'NR == 1 { print "#include <stdlib.h>" } { print } /^void matmul\(/ { inside = 1 }
    inside && /^{/ { print "int *rows = malloc(sizeof *rows); m = *rows; free(rows);"; inside = 0 }' "$work/solved.c" >"$work/unset.c"
grade hw1 "$work/unset.c" --test matmul
attempt 'a function that writes nothing is told so' shows "$work/report" \
    'does it return before it writes, or use as a size or an index what was never set (memory of malloc, for example)?'

replace "$work/set.c" 'da[i * k + p] += (real)sum' 'da[i * k + p] += (real)(2 * sum)' "$work/two.c"
attempt 'two mistakes at once fail' fails grade hw1 "$work/two.c" --test matmul_backward
attempt 'and are not taken for one of them' fails grep -q 'What it looks like' "$work/report"

replace "$work/solved.c" 'c[i * n + j] = (real)sum' 'c[i * n + j] = (real)(3 * sum)' "$work/three.c"
grade hw1 "$work/three.c" --test matmul
attempt 'beside the expected number stands how far from it a right one may be' \
    grep -qE '  expected  .*[0-9] \+- [0-9.e-]+$' "$work/report"
attempt 'a factor everywhere is said to be one' shows "$work/report" 'Every element of c is 3 times what it should be.'

replace "$work/solved.c" 'y[j] = (real)(exp((double)(x[j] - top)) / sum)' 'y[j] = (real)expf((float)(x[j] - top))' "$work/f.c"
grade hw1 "$work/f.c"
attempt 'a mistake is recognised where the functions are those of float' shows "$work/report" 'divided by their sum'
attempt 'a test that needs the failed one is blocked, with the reason' shows "$work/report" \
    'blocked    7. softmax of large numbers  (0 of 5)' 'Not tried: first "softmax of rows" has to pass.'
attempt 'one of another function is not' shows "$work/report" '87 of 100 points'

replace "$work/solved.c" 'da[(ar == 1 ? 0 : i) * ac + (ac == 1 ? 0 : j)] +=' \
    'for (int k = 0; k < ar * ac && i + j == 0; k++) da[k] = 0; for (int k = 0; k < br * bc && i + j == 0; k++) db[k] = 0; da[(ar == 1 ? 0 : i) * ac + (ac == 1 ? 0 : j)] +=' \
    "$work/zeroed.c"
grade hw1 "$work/zeroed.c" --test add_backward
attempt 'gradients that take the place of what was there are seen' shows "$work/report" 'what it held before the call is lost: = where += is needed'

# the first case, m=1, leaks and is right; a later one is wrong
replace "$work/solved.c" 'c[i * n + j] = (real)sum;' \
    '{ c[i * n + j] = (real)(m > 1 ? 3 * sum : sum); void *volatile lost = malloc(100); (void)lost; }' "$work/lost.c"
replace "$work/lost.c" '#include "hw1.h"' '#include "hw1.h"
#include <stdlib.h>' "$work/both.c"
grade hw1 "$work/both.c" --test matmul
attempt 'a leak hides no wrong number of a later case, nor is it hidden' shows "$work/report" \
    'c[0][0] is wrong, with m=2' 'expected' 'Besides, 1 block of memory (100 bytes) was taken' 'first with m=1, k=1, n=1.'

grade hw1 "$work/hw1/hw1.c" --test matmul
attempt 'what was not written has no ratio' shows "$work/report" 'this one was not written'
attempt 'not even with -9999' fails grep -q 'ratio  ' "$work/report"
attempt 'of one test alone nothing is said about the others' fails grep -qE 'Begin with|Next:' "$work/report"

# ---- one file, one result ------------------------------------------------------------------------------

# Wrong for few inputs: those that were drawn anew would show it in some runs and not in others.
replace "$work/solved.c" 'c[i * n + j] = (real)sum' 'c[i * n + j] = (real)(a[0] * b[0] > 2.5 || a[0] * b[0] < -2.5 ? 3 * sum : sum)' "$work/seldom.c"
graded() { "$grader" "$homework" "$cache" grade hw1 "$work/seldom.c" --test matmul "$@" | sed 's/; [0-9.]* s[.])$//'; }
repeats() {
    graded "$@" >"$work/first"
    for _ in 1 2 3 4 5; do
        graded "$@" | cmp - "$work/first" || return 1
    done
}
attempt 'one file has one report' repeats
attempt 'with a seed of the hidden inputs, too' repeats --hidden-seed 5
graded --hidden-seed 0x5 >"$work/hexadecimal"
attempt 'which may be hexadecimal, as in grades.csv' cmp "$work/hexadecimal" "$work/first"
differs() {
    for seed in $(seq 20); do
        graded --hidden-seed "$seed" | cmp -s - "$work/first" || return 0
    done
    return 1
}
attempt 'and another seed has other inputs' differs

# Where two logits are equal, the least change of one makes another choice: that is no rounding.
replace "$work/hw8-solved/hw8.c" '(real)((double)prob[i] / sum)' '(real)((double)prob[i] / sum * (t == 0 && sum == 2 && top != 0 ? 1.5 : 1))' \
    "$work/tie.c"
attempt 'at a tie the tolerance is no larger than elsewhere' fails grade hw8 "$work/tie.c" --test temperature_zero
attempt 'which the report shows' shows "$work/report" '0.75' 'expected           0.5 +- '

# What is expected is kept in the cache: a file of it that is cut off is no grade.
cut_off() {
    find "$cache" -path '*/hw1-*/expected/matmul-1' -exec truncate -s 100 {} +
    status_is 2 grade hw1 "$work/solved.c" --test matmul
    cut=$?
    find "$cache" -path '*/hw1-*/expected/matmul-1' -exec rm {} +
    return $cut
}
attempt 'expected numbers that are cut off are no grade' cut_off
attempt 'and told' shows "$work/report" 'expected/matmul-1 is cut off; remove it'
attempt 'without that file there is one' grade hw1 "$work/solved.c" --test matmul

# Right solutions written in other ways lose no point. Of hw14 a number that float rounds is subtracted from one that it does
# not round; of hw4 gradients are added to numbers that nearly cancel them. All homeworks: right.py without names.
# shellcheck disable=SC2046  # names are words
attempt 'right in another way is right' python3 "$source/tests/homework/right.py" "$source" "$grader" --compilers 1 --seeds 1 \
    $(all || echo hw4 hw14)

# ---- range, memory, earlier calls ------------------------------------------------------------------------

# A case for each mistake, so that the title of a failed one tells what its report lacks.
if all; then
    python3 "$source/tests/homework/natural.py" "$homework" "$grader" "$cache" "$work" >"$work/natural"
    attempt 'every mistake that no list has was tried' test "$(grep -c ': ' "$work/natural")" -eq \
        "$(grep -c '^@ ' "$source/tests/homework/natural.txt")"
    while IFS= read -r line; do
        attempt "what is said of $line" test "${line#*: }" = 'as it should be'
    done <"$work/natural"
fi

replace "$work/solved.c" 'c[i * n + j] = (real)sum;' 'static int calls; c[i * n + j] = (real)(calls++ > 20 ? 0 : sum);' "$work/static.c"
grade hw1 "$work/static.c" --test matmul
attempt 'what depends on earlier calls is said to' shows "$work/report" 'The same input alone, without the calls before it' \
    'The input of that call:'
attempt 'and is not shown as one case' fails grep -qE 'Again, alone|What it looks like' "$work/report"

# 720 MB in all, of which 1 MB at a time: under the sanitizer, too, what was given back can be taken again.
replace "$work/solved.c" 'double sum = 0;' \
    'double sum = 0; for (int t = 0; t < 60 && i + j == 0; t++) { char *p = malloc(1 << 20); if (!p) abort(); p[0] = 1; free(p); }' \
    "$work/again.c"
replace "$work/again.c" '#include "hw1.h"' '#include "hw1.h"
#include <stdlib.h>' "$work/takes_again.c"
attempt 'memory that is given back does not count' grade hw1 "$work/takes_again.c" --test matmul

# gcc fills variables that were never set with a number whose exp is 0.
replace "$work/solved.c" 'double sum = 0;' 'double unset, sum = exp(unset);' "$work/unset.c"
grade hw1 "$work/unset.c" --test matmul
attempt 'a variable that was never set is found though it is 0 by chance' shows "$work/report" 'read before it ' '(0 of 12)'

replace "$work/solved.c" 'c[i * n + j] = (real)sum;' 'c[i * n + j] = (real)((float)1e39 * sum * 1e-39);' "$work/range.c"
grade hw1 "$work/range.c" --test matmul
attempt 'what overflows in both is not called a matter of float' fails grep -q 'With real = double' "$work/report"
replace "$work/solved.c" 'c[i * n + j] = (real)sum;' 'real tiny = (real)1e-30; c[i * n + j] = (real)(sum * (double)(tiny * tiny)) / (tiny * tiny);' "$work/range.c"
grade hw1 "$work/range.c" --test matmul
attempt 'where double is right, float is said to be the reason' shows "$work/report" \
    'With real = double the function is right on these inputs' 'leaves the range of float'

# What a function leaves behind its result is free: here the pair that occurs once, on which training ends.
if all; then
    replace "$work/hw6-solved/hw6.c" 'if (count < 2)' 'merges[made] = pair; if (count < 2)' "$work/notes_first.c"
    attempt 'hw6: elements behind the last merge are free' grade hw6 "$work/notes_first.c" --test train
fi

# ---- what a file may use -----------------------------------------------------------------------------------

{ cat "$work/solved.c" && echo '#include <stdlib.h>
int helper(void);
int helper(void) { return rand(); }
int main(void) { return system("true"); }'; } >"$work/unused.c"
attempt 'an unused helper and a main cost nothing' grade hw1 "$work/unused.c"
replace "$work/solved.c" 'c[i * n + j] = (real)sum;' 'c[i * n + j] = (real)(sum + getpid() * 0);' "$work/calls_pid.c"
replace "$work/calls_pid.c" '#include "hw1.h"' '#include "hw1.h"
int getpid(void);' "$work/refused.c"
attempt 'a function that may not be called is refused' fails grade hw1 "$work/refused.c"
attempt 'with the list of those that may' shows "$work/report" 'your file calls getpid' 'These can be called' 'expm1' 'qsort'
attempt 'the hand-out has that list, too' shows "$work/hw1/README.md" '## What your file may use' 'math.h' 'expm1' 'qsort'

# ---- references to the lectures ----------------------------------------------------------------------------

# Rows belong to chapters; a chapter has a section for each of its rows that a diagnosis names.
chapters_are_right() {
    python3 - "$source/lectures" <<'END'
import glob, re, sys
of_chapter = {1: range(1, 6), 2: range(6, 10), 3: range(10, 17), 4: range(16, 31), 5: range(31, 38), 6: range(38, 48),
              7: range(48, 52), 8: range(52, 58)}
wrong, seen = [], 0
for path in glob.glob(sys.argv[1] + "/homework/*/mistakes.txt"):
    for line in open(path, encoding="utf-8"):
        for chapter, row in re.findall(r"chapter (\d+), row (\d+)", line):
            chapter, row, seen = int(chapter), int(row), seen + 1
            there = glob.glob(f"{sys.argv[1]}/{chapter:02d}-*/README.md")
            text = open(there[0], encoding="utf-8").read()
            if row not in of_chapter[chapter] or not re.search(rf"^## .*\(row {row}\)$", text, re.M):
                wrong.append((path, line))
assert seen > 50, seen
assert not wrong, wrong
END
}
attempt 'every row that a diagnosis names exists' chapters_are_right
grade hw3 "$work/hw3/hw3.c" >/dev/null
replace "$work/hw3-solved/hw3.c" 'double scale = 1 / sqrt((double)d);' 'double scale = 1;' "$work/scale.c"
grade hw3 "$work/scale.c" --test weights
attempt 'a mistake says where to read' shows "$work/report" 'See the README of this homework, equation ' 'chapter 4, row 21'

# ---- colours ---------------------------------------------------------------------------------------------

attempt 'a file gets no colours' fails grep -q "$(printf '\033')" "$work/report"
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    on_terminal() { script -qec "$* '$grader' '$homework' '$cache' grade hw1 '$work/three.c' --test matmul" /dev/null; }
    on_terminal env -u NO_COLOR >"$work/colours" </dev/null
    attempt 'a terminal gets colours' shows "$work/colours" "$(printf '\033[31mfailed')"
    on_terminal env NO_COLOR=1 >"$work/colours" </dev/null
    attempt 'but none with NO_COLOR' fails grep -q "$(printf '\033')" "$work/colours"
else
    skip 'colours on a terminal' 'there is no script(1)'
fi

# ---- tasks are tried apart -------------------------------------------------------------------------------

replace "$work/solved.c" 'logsumexp(&y, x + i * n, 1, n);' \
    'softmax(t, x + i * n, 1, n); y = x[i * n] - (real)log((double)t[0]);' "$work/calls.c"
replace "$work/calls.c" 'real y;' 'real y, t[64];' "$work/calls2.c"
replace "$work/calls2.c" 'y[j] = (real)(exp((double)(x[j] - top)) / sum);' 'y[j] = 7;' "$work/earlier.c"
grade hw1 "$work/earlier.c" --test logsumexp_backward
attempt 'a task that calls an earlier one gets the right one' shows "$work/report" '7 of 7 points'

# ---- formats, read by others ---------------------------------------------------------------------------

for format in gradescope json; do
    grade hw1 "$work/set.c" --format $format --out "$work/results.json"
    attempt "--format $format is JSON, with every test" python3 -c "
import json
r = json.load(open('$work/results.json'))
assert r['score'] == 82 and len(r['tests']) == 11, r
assert sum(t['max_score'] for t in r['tests']) == 100"
done
printf '#include "hw1.h"\n#include <stdio.h>\nvoid matmul(real *c, const real *a, const real *b, int m, int k, int n)
{ printf("\\033[2J\\377 caf\\303\\251\\n"); c[0] = a[0] + b[0] + m + k + n; }\n' >"$work/control.c"
for format in text markdown gradescope json; do
    all || [ $format = gradescope ] || continue
    grade hw1 "$work/control.c" --test matmul --format $format --out "$work/control.$format"
    attempt "--format $format has no control characters and is UTF-8" python3 -c "
import sys
t = open('$work/control.$format', 'rb').read().decode('utf-8')
bad = [c for c in t if (ord(c) < 32 and c not in '\\n\\t') or 0x7f <= ord(c) < 0xa0]
assert not bad, bad
assert 'caf\u00e9' in t and '[2J' in t, t[-600:]"
done
grade hw1 "$work/set.c" --format classroom --out "$work/results.txt"
attempt '--format classroom is JSON in base64' python3 -c "
import base64, json
r = json.loads(base64.b64decode(open('$work/results.txt').read()))
assert r['max_score'] == 100 and sum(t['score'] for t in r['tests']) == 82 and r['status'] == 'fail'"

# ---- exit statuses -----------------------------------------------------------------------------------------

attempt 'all points: status 0' status_is 0 grade hw1 "$work/solved.c"
attempt 'fewer: 1' status_is 1 grade hw1 "$work/set.c"
attempt 'a file that is not there: 2' status_is 2 grade hw1 "$work/none.c"
attempt 'a folder: 2' status_is 2 grade hw1 "$work"
attempt 'a seed that is no number: 2' status_is 2 grade hw1 "$work/solved.c" --seed abc
attempt 'a hidden seed of 0, which stands for none: 2' status_is 2 grade hw1 "$work/solved.c" --hidden-seed 0
attempt 'a case that does not exist: 2' status_is 2 grade hw1 "$work/solved.c" --test matmul --case 99

attempt 'the grader leaves nothing in its folder' fails sh -c "ls -d '$work'/gradus-* 2>/dev/null"

done_testing
