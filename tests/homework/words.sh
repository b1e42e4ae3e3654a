#!/bin/sh
# What the grader says, and what it takes off, where a student's file is nearly right, printed as TAP:
# sh tests/homework/words.sh SOURCE GRADER [CACHE]
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"

attempt 'a path with blanks' hand_out hw3 "$work/my solved" --solution
solved="$work/my solved/hw3.c"
hand_out hw3 "$work/a  b's" >"$work/printed"
attempt 'is printed in quotes' shows "$work/printed" "try it: ./gradus grade hw3 '$work/a  b'\\''s/hw3.c'"

# changed SED FILE: the solution of hw3, changed.
changed() { sed "$1" "$solved" >"$work/$2"; }
sed 's/mean += weight\[j\]/mean -= weight[j]/' "$solved" >"$work/my solved/wrong.c"
attempt 'a wrong one' fails grade hw3 "$work/my solved/wrong.c"
attempt 'and the command that repeats it' shows "$work/report" "grade hw3 '$work/my solved/wrong.c' --test attention_backward"

# ---- memory ------------------------------------------------------------------------------------------------

changed "/^    double factor/{N;s/.*/    real *da = malloc(sizeof(real) * (size_t)m); if (da) da[0] = 0;\n&/}" leak.c
changed "/^    double factor/{N;s/.*/    real *da = malloc(300u << 20); static int once; if (da \&\& !once++) memset(da, 0, 300u << 20); free(da);\n&/}" large.c
changed "/^    double factor/{N;s/.*/    real *da = malloc(400u << 20); if (da) da[9] = 0; free(da);\n&/}" larger.c
changed "/^    double factor/{N;s/.*/    perror(\"here\");\n&/}" perror.c
for name in leak large larger perror; do
    { printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n' && cat "$work/$name.c"; } >"$work/$name-hw3.c"
done
attempt 'a forgotten free' fails grade hw3 "$work/leak-hw3.c"
attempt 'costs its own points, and no test' shows "$work/report" 'passed     8. attention, backward  (34 of 36)' '98 of 100 points'
attempt 'with the reason' shows "$work/report" 'taken with malloc and not given back' \
    'The numbers are right. The memory costs 2 points, once for attention_backward.'
mkdir "$work/class" && cp "$work/leak-hw3.c" "$work/class/ann.c"
attempt 'also in a class' grade hw3 --all "$work/class" --out "$work/results"
attempt 'with the points in the column of the test' python3 -c "
import csv
r = next(csv.DictReader(open('$work/results/grades.csv')))
assert r['score'] == '98' and r['attention_backward'] == '34', r"
attempt '300 MB that are written pass' grade hw3 "$work/large-hw3.c" --test attention_backward
attempt '400 MB pass' grade hw3 "$work/larger-hw3.c" --test attention_backward
attempt 'perror passes' grade hw3 "$work/perror-hw3.c" --test attention_backward
changed '/^void attention_backward/i static int deep(volatile int n) { return n ? 1 + deep(n - 1) : 0; }' deep.c
sed -i '/^    double factor/s/^/    if (deep(100000) != 100000) return;\n/' "$work/deep.c"
attempt 'a recursion of 100,000 passes' grade hw3 "$work/deep.c" --test attention_backward

# ---- where the gradient is from ------------------------------------------------------------------------------

awk '/^void attention_backward/ { exit } { print }' "$solved" >"$work/difference.c"
cat >>"$work/difference.c" <<'END'
#include <stdlib.h>
#include <string.h>

static double loss(const real *dy, const real *q, const real *k, const real *v, const int *keep, int batch, int n, int m, int d)
{
    real *a = malloc(sizeof(real) * (size_t)(batch * n * m)), *y = malloc(sizeof(real) * (size_t)(batch * n * d));
    double sum = 0;
    attention_weights(a, q, k, keep, batch, n, m, d);
    attend(y, a, v, batch, n, m, d);
    for (int i = 0; i < batch * n * d; i++)
        sum += (double)dy[i] * y[i];
    free(a);
    free(y);
    return sum;
}

void attention_backward(real *dq, real *dk, real *dv, const real *dy, const real *a, const real *q, const real *k,
                        const real *v, int batch, int n, int m, int d)
{
    const real *from[3] = {q, k, v};
    real *to[3] = {dq, dk, dv}, *at[3];
    int count[3] = {batch * n * d, batch * m * d, batch * m * d}, *keep = malloc(sizeof(int) * (size_t)(n * m + 1));
    for (int i = 0; i < n * m; i++)
        keep[i] = a[i] != 0;
    for (int p = 0; p < 3; p++) {
        at[p] = malloc(sizeof(real) * (size_t)(count[p] + 1));
        memcpy(at[p], from[p], sizeof(real) * (size_t)count[p]);
    }
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < count[p]; i++) {
            real x = at[p][i], h = (real)1e-5;
            at[p][i] = x + h;
            double up = loss(dy, at[0], at[1], at[2], keep, batch, n, m, d);
            at[p][i] = x - h;
            double down = loss(dy, at[0], at[1], at[2], keep, batch, n, m, d);
            at[p][i] = x;
            to[p][i] += (real)((up - down) / (2 * h));
        }
    for (int p = 0; p < 3; p++)
        free(at[p]);
    free(keep);
}
END
attempt 'finite differences pass' grade hw3 "$work/difference.c" --test attention_backward
attempt 'and are named' shows "$work/report" 'What it looks like: finite differences.' 'it called earlier functions'
cp "$work/difference.c" "$work/class/ann.c"
attempt 'in a class, too' grade hw3 --all "$work/class" --out "$work/results" --test attention_backward
attempt 'among the mistakes' grep -q '^ann.c,.*,finite-differences,' "$work/results/grades.csv"
attempt 'a derivation is right' grade hw3 "$solved"
attempt 'and is not called so' fails grep -q 'finite differences' "$work/report"
for hw in hw1 hw2 hw10 hw14; do # whose backward functions may call earlier ones
    hand_out "$hw" "$work/$hw" --solution >"$work/printed"
    grade "$hw" "$work/$hw/$hw.c"
    attempt "nor that of $hw" fails grep -q 'finite differences' "$work/report"
done

# ---- words ---------------------------------------------------------------------------------------------------

attempt 'no word of walls that hold' fails grep -qE 'namespace|Landlock|It ran in' "$work/report"
attempt '--isolation has them' sh -c "'$grader' '$homework' '$cache' grade --isolation | grep -q 'a list of system calls'"
mkdir "$work/one" && cp -r "$homework/grader" "$homework/prelude.h" "$homework/hw3-attention" "$work/one"
attempt 'and needs no hw1' sh -c "'$grader' '$work/one' '$work/one-cache' grade --isolation | grep -q 'a list of system calls'"
tr '\n' '\r' <"$solved" >"$work/cr.c"
sed 's/$/\r/' "$solved" >"$work/crlf.c"
attempt 'carriage returns alone' grade hw3 "$work/cr.c" --test keep
attempt 'are called so' shows "$work/report" 'with a carriage return alone (CR)'
attempt 'and no CRLF' fails grep -q CRLF "$work/report"
attempt 'lines of Windows' grade hw3 "$work/crlf.c" --test keep
attempt 'are called so, too' shows "$work/report" 'as on Windows (CRLF)'
no_folder() { TMPDIR=/nonexistent grade hw3 "$solved"; }
attempt 'a TMPDIR that is not there' fails no_folder
attempt 'is named' shows "$work/report" 'TMPDIR=/nonexistent: No such file or directory; expected a folder'

# Points are whole numbers from 0 on.
points() { # POINTS WORDS
    rm -rf "$work/one/hw3-attention/tests.c"
    sed "0,/POINTS([0-9]*)/s//POINTS($1)/" "$homework/hw3-attention/tests.c" >"$work/one/hw3-attention/tests.c"
    fails "$grader" "$work/one" "$work/one-cache" grade hw3 --check >"$work/report" 2>&1 &&
        shows "$work/report" 'POINTS' "$2"
}
attempt 'points that are fractions are refused' points 15.5 'expected whole points'
attempt 'so are negative ones' points -3 'expected whole points from 0 on'

done_testing
