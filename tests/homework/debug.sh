#!/bin/sh
# Tests of the homeworks in which a bug is to be found, printed as TAP:  sh tests/homework/debug.sh SOURCE GRADER [CACHE]
# Every one is tried with `./gradus test --all`; otherwise one, which changes from day to day.
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"

# The right program differs in one line, in that which the solution names.
one_line() {
    line=$(sed -n '/^int wrong_line/,/^}/s/^ *int line = \([0-9]*\);$/\1/p' "$work/$1-solved/$1.c")
    diff "$work/$1/program.c" "$work/$1-solved/program.c" | head -n 1 | grep -qx "${line}c$line"
}

# As a student tries it: the program trains, then asks the test.
tried() {
    "${CC:-cc}" -Wall -Wextra -Wno-unused-parameter -Werror -O1 -I "$work/$1" -o "$work/try" "$2/program.c" "$3/$1.c" -lm && "$work/try" >"$work/tried"
}
loss_falls() { awk '/loss/ { if (!first) first = $4; last = $4 } END { exit !(last < 0.6 * first || last < first - 1) }' "$work/tried"; }

set -- "$homework"/debug*/
shift $(($(today $#) - 1))
chosen=$(basename "$1") && chosen=${chosen%%-*}
for folder in "$homework"/debug*/; do
    hw=$(basename "$folder") && hw=${hw%%-*}
    all || [ "$hw" = "$chosen" ] || continue
    attempt "$hw: the hand-out is written" hand_out "$hw" "$work/$hw"
    attempt "$hw: the solution is written" hand_out "$hw" "$work/$hw-solved" --solution
    attempt "$hw: no mark is in the hand-out" fails grep -qrE 'SOLUTION|stub\|' "$work/$hw" "$work/$hw-solved"
    attempt "$hw: the programs differ in the one line that the solution names" one_line "$hw"
    attempt "$hw: the program as it was handed out runs" tried "$hw" "$work/$hw" "$work/$hw"
    attempt "$hw: and trains" loss_falls
    attempt "$hw: the solution finds the symptom in it" tried "$hw" "$work/$hw" "$work/$hw-solved"
    attempt "$hw: and says so" shows "$work/tried" 'symptom returns 1 and says: '
    attempt "$hw: it does not in the right program" tried "$hw" "$work/$hw-solved" "$work/$hw-solved"
    attempt "$hw: and says so" shows "$work/tried" 'symptom returns 0 and says: '
    attempt "$hw: the hand-out has no points" fails grade "$hw" "$work/$hw/$hw.c"
    attempt "$hw: and hears so" shows "$work/report" '0 of 100 points'
    { cat "$source/tests/homework/debug/$hw.c" && echo "int wrong_line(void) { return $line; }"; } >"$work/answer.c"
    attempt "$hw: a right answer in another way has all points" grade "$hw" "$work/answer.c"
    attempt "$hw: points for the solution, none for the hand-out, and every mistake named" grade "$hw" --confusion
done

# One test alone, of the first homework: what is said of answers that are wrong in other ways.
hand_out debug1 "$work/one" >/dev/null
attempt 'the hand-out says what is asked of all programs with a bug' shows "$work/one/README.md" '## 1. The line (30 points)' '| verdict | meaning |' '## What your file may use'
wrong_answer() { # NAME BODY
    printf '#include "debug1.h"\n#include <stdlib.h>\nint wrong_line(void) { return %s; }\nint symptom(const Program *p, unsigned seed, char said[SAID]) { (void)p, (void)seed; snprintf(said, SAID, "1"); %s }\n' \
        "${3:-1}" "$2" >"$work/$1.c"
}
wrong_answer innocent 'return 0;' 3
attempt 'an innocent line has no points' fails grade debug1 "$work/innocent.c"
attempt 'and is told so; the right one is not told' shows "$work/report" 'The wrong line of program.c is another one' \
    'The test passes on both programs'
wrong_answer beyond 'snprintf(said, SAID, "1"); return 0;' 1000
attempt 'nor has a number that no line has' fails grade debug1 "$work/beyond.c"
attempt 'which is not said to be a line that is right' fails grep -qE 'is right|right line' "$work/report"
wrong_answer screen 'said[0] = 0; double q[4] = {1}, k[8] = {1}, a[2]; p->weights(a, q, k, 2, 4); printf("%g", a[0]); return a[0] > 0.7;'
attempt 'a number that is printed on the screen is not said' fails grade debug1 "$work/screen.c"
attempt 'which is told without the claim that nothing was printed' shows "$work/report" \
    'is empty: it shall tell in one line' 'failed     3. what it measured'
attempt 'alone, too' fails grade debug1 "$work/innocent.c" --test line
attempt 'without inputs none are shown' fails grep -qE 'first input|is wrong, with' "$work/report"
attempt 'and the number of the wrong line stands nowhere' fails grep -qw 22 "$work/report"
wrong_answer order 'static const Program *first; if (!first) first = p; return p == first;'
attempt 'who tells the programs apart by their addresses finds one alone' fails grade debug1 "$work/order.c" --test symptom
attempt 'and is told so' shows "$work/report" 'The test fails on both programs'
wrong_answer code 'static void (*first)(double *, const double *, const double *, int, int); if (!first) first = p->weights; return p->weights == first;'
attempt 'nor by the addresses of their functions' fails grade debug1 "$work/code.c" --test symptom
attempt 'which are one' shows "$work/report" 'The test fails on both programs'
wrong_answer random 'static unsigned s = 5; return uniform(&s) < 0.5;'
attempt 'a test that draws the answer is flaky' fails grade debug1 "$work/random.c" --test symptom
attempt 'and is told so' shows "$work/report" 'The test is flaky'
wrong_answer peeks 'extern const int line_with_bug; return line_with_bug;'
attempt 'a submission that reads the answer is refused' fails grade debug1 "$work/peeks.c"
attempt 'with the name' shows "$work/report" 'line_with_bug'
printf '#include "debug1.h"\nint symptom(const Program *p, unsigned seed, char said[SAID]) { return p->wieghts != 0; }\n' >"$work/broken.c"
attempt 'what does not compile has no points' fails grade debug1 "$work/broken.c"
attempt 'and the words of the compiler' shows "$work/report" 'It was not run, because of this' 'wieghts'
attempt 'an archive to grade at home would hold the right program: it is refused' fails hand_out debug1 "$work/kit.zip"
attempt 'the archive for Gradescope is written' "$grader" "$homework" "$cache" gradescope debug1 "$work/debug1.zip"
attempt 'and holds the program' sh -c "python3 -m zipfile -l '$work/debug1.zip' | grep -q 'debug1-lookup/program.c'"
done_testing
