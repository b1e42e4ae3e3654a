#!/bin/sh
# What the grader promises about a submission and about the machine, printed as TAP:
#     sh tests/homework/walls.sh SOURCE GRADER [CACHE]
#
# hostile.sh tries submissions; this tries what is around them: links, names, limits of the machine, the death of
# the grader, and which code is in the process that runs a submission.
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR" "$work/in"

nothing_left() { [ -z "$(ls -A "$TMPDIR")" ] || { ls -lR "$TMPDIR" && return 1; }; }

hand_out hw1 "$work/solved" --solution >"$work/said"
solved=$work/solved/hw1.c
grade hw1 "$solved" --test matmul # what is built once is there

# ---- no later function is in the process ------------------------------------------------------------

# Where the functions before f are linked from the solution, neither f nor a later one is among the symbols. The
# functions, in their order, are the ones that the reference exports.
knows_only_earlier() {
    [ -n "$(ls "$1"/before-* 2>/dev/null)" ] || return 1
    for library in "$1"/before-*-float "$1"/before-*-double "$1"/before-*-sanitized; do
        [ -f "$library" ] || continue
        f=$(basename "$library" | sed 's/before-\([0-9]*\)-.*/\1/')
        for later in $(sed -n 's/.*global: \(.*\); local.*/\1/p' "$1/reference-judge.map" | tr -d ';' | tr ' ' '\n' |
            tail -n +$((f + 1))); do
            ! nm "$library" | grep -qE " [A-Za-z] $later\$" || { echo "$library has $later" && return 1; }
        done
        nm "$library" | grep -q ' [TtWw] ' || { echo "$library has no function at all" && return 1; }
    done
}
if command -v nm >/dev/null; then
    set -- "$homework"/hw*/
    all || shift $(($(today $#) - 1))
    for folder in "$@"; do
        all || [ "$folder" = "$1" ] || break # without --all, today's alone
        name=$(basename "$folder")
        grade "${name%%-*}" "$solved" # of another homework, but it is built
        # shellcheck disable=SC2012  # names without blanks
        newest=$(ls -td "$cache/$name"-* | head -n 1)
        attempt "$name: before each function there is no code of it or of later ones" knows_only_earlier "$newest"
    done
else
    skip 'the libraries have earlier functions only' 'there is no nm'
fi

# ---- hidden tests are not in the process of a visible one -----------------------------------------------

cp -r "$source/tests/homework/overlay" "$work"
cat >"$work/overlay/hidden.c" <<'END'
#include "homework.h"
#include "hw1.h"
static void secret_case(Case *c)
{
    const real *a = case_input(c, "a", 2, 2, 3), *b = case_input(c, "b", 2, 3, 2);
    matmul(case_output(c, "c", 2, 2, 2), a, b, 2, 3, 2);
}
const Test hidden_tests[] = {{"secretname", "matmul", "secrettitle", POINTS(20), secret_case}, {0}};
END
attempt 'with an overlay the solution passes' grade hw1 "$solved" --overlay "$work/overlay" --test secretname
# The cache of this overlay, made now or by an earlier run, among those of other overlays.
overlay_cache=$(dirname "$(grep -ls secrettitle "$cache"/hw1-tensor-ops-*/hidden-float | head -n 1)")
for variant in float double; do
    attempt "the visible tests have no word of the hidden ones ($variant)" \
        fails grep -q secret "$overlay_cache/tests-$variant"
    attempt "which are a library of their own ($variant)" grep -q secret "$overlay_cache/hidden-$variant"
done
sed 's|^void matmul(.*|#include <stdio.h>\n&|; s|double sum = 0;|printf("memory"); double sum = 1;|' "$solved" >"$work/tells.c"
grade hw1 "$work/tells.c" --overlay "$work/overlay" --test matmul
attempt 'what is printed in a visible test is told' shows "$work/report" 'Your program printed' memorymemory
grade hw1 "$work/tells.c" --overlay "$work/overlay" --test secretname
attempt 'what is printed in a hidden test is not' fails grep -q memory "$work/report"

# ---- files that are not what they seem -------------------------------------------------------------------

ln -s "$homework/hw1-tensor-ops/hw1.c" "$work/link.c"
attempt 'a link to the solution is not followed' fails grade hw1 "$work/link.c"
attempt 'and it is said' shows "$work/report" 'link.c is a symbolic link; hand in the file itself'
mkfifo "$work/pipe.c"
attempt 'a named pipe is not waited for' status_is 1 grade hw1 "$work/pipe.c"
mkdir "$work/in/ann" "$work/in/bob"
ln -s "$homework/hw1-tensor-ops" "$work/in/eve"
ln -s "$solved" "$work/in/ann/hw1.c"
cp "$solved" "$work/in/bob/hw1.c"
long=$(printf '%0250d' 0)
cp "$solved" "$work/in/${long}.c"
cp "$solved" "$work/in/${long}1.c"
attempt 'a class with links and long names is graded' \
    grade hw1 --all "$work/in" --out "$work/out" --test matmul
points() { python3 - "$work/out/grades.csv" "$1" "$2" <<'END'
import csv, sys
row = [r for r in csv.DictReader(open(sys.argv[1])) if r['name'] == sys.argv[2]][0]
assert float(row['score'] or -1) == float(sys.argv[3]), row
END
}
attempt 'a link in a folder earns nothing' points ann 0
attempt 'a folder that is a link earns nothing' points eve 0
attempt 'a file in a folder earns its points' points bob 12
attempt 'a name of 252 bytes earns its points' points "${long}.c" 12
attempt 'and so does one that begins like it' points "${long}1.c" 12
attempt 'nothing is left' nothing_left

# ---- the machine fails ------------------------------------------------------------------------------------

# What gcc says when the system kills its cc1.
mkdir "$work/bin"
cat >"$work/bin/cc" <<END
#!/bin/sh
case "\$*" in *' -c killed.c'*) echo 'cc: fatal error: Killed signal terminated program cc1' >&2 && exit 1 ;; esac
exec $(command -v gcc || command -v cc) "\$@"
END
chmod +x "$work/bin/cc"
chmod 755 "$work" "$work/bin" # the compiler may be another user's process
cp "$solved" "$work/killed.c"
with_compiler() { CC=$work/bin/cc status_is "$@"; }
attempt 'a compiler that is killed gives no grade' with_compiler 2 grade hw1 "$work/killed.c"
attempt 'with the reason' shows "$work/report" 'killed.c could not be graded: the compiler was killed'
mkdir "$work/class"
cp "$work/killed.c" "$work/class/killed.c"
all() { grade hw1 --all "$work/class" --out "$work/results"; }
attempt 'in a class neither' with_compiler 2 all
attempt 'the report says so' shows "$work/results/killed.c.txt" 'could not be graded: the compiler was killed'
attempt 'there is no row that would be taken for its grade' fails test -e "$work/results/killed.c.row"
attempt 'the next run grades it' status_is 0 all
attempt 'with all points' shows "$work/results/killed.c.txt" '100 of 100 points'

# A sanitizer that has no addresses to reserve.
printf '#include "hw1.h"\nvoid matmul(real *c, const real *a, const real *b, int m, int k, int n)\n{\n%s\n}\n' \
    'for (int i = 0; i < m * n; i++) { double s = 0; volatile real x = a[m * k]; (void)x; for (int p = 0; p < k; p++)
    s += (double)a[i / n * k + p] * b[p * n + i % n]; c[i] = (real)s; }' >"$work/beyond.c"
attempt 'reading beyond an array is seen' fails grade hw1 "$work/beyond.c" --test matmul
attempt 'by the sanitizer, with the line' shows "$work/report" 'heap-buffer-overflow at beyond.c:4'
# shellcheck disable=SC3045  # where ulimit has no -v, the case fails and says so
limited() { (ulimit -v 12000000 && grade "$@"); }
attempt 'where the sanitizer cannot start, the rest is graded' limited hw1 "$work/beyond.c" --test matmul
attempt 'and the report says that memory was not looked at' shows "$work/report" 'the sanitizer could not run here'

if [ "$(id -u)" -eq 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=200k none "$work/small" 2>"$work/said"; then
    full() { TMPDIR=$work/small status_is 2 grade hw1 "$solved"; }
    attempt 'a full disk gives no grade' full
    attempt 'with the reason, too' shows "$work/report" 'could not be graded: the disk is full'
    umount "$work/small"
else
    skip 'a full disk gives no grade' 'only root can mount a small one'
fi

# ---- the grader dies -----------------------------------------------------------------------------------------

echo '#include "hw1.h"
void matmul(real *c, const real *a, const real *b, int m, int k, int n) { for (volatile int i = 0;; i = !i) ; }' >"$work/loops.c"
# Kills the grader while a submission loops; all that it started has to end, and its folder to go.
dies() {
    GRADER_ISOLATION=$1 "$grader" "$homework" "$cache" grade hw1 "$work/loops.c" >"$work/said" 2>&1 &
    grader_pid=$!
    tries=0
    until [ -n "$(running)" ] || [ $tries -eq 6000 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $tries -lt 6000 ] || return 1
    kill -9 $grader_pid
    tries=0
    while { [ -n "$(running)" ] || ! nothing_left; } && [ $tries -lt 3000 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $tries -lt 3000 ] || { running && nothing_left; return 1; }
}
# Processes that have the submission's library in memory.
running() { grep -ls "$TMPDIR/gradus-.*float.so" /proc/[0-9]*/maps; }
attempt 'a killed grader leaves neither a process nor a file' dies ''
attempt 'not even without namespaces' dies no-namespaces
attempt 'nor without any wall' dies none

# ---- which promises hold ---------------------------------------------------------------------------------------

"$grader" "$homework" "$cache" grade --isolation >"$work/promises"
attempt 'the promises are listed' shows "$work/promises" 'The compiler of a submission' 'cannot open, make or remove files'
bare() { GRADER_ISOLATION=none "$grader" "$homework" "$cache" grade --isolation >"$work/report"; }
attempt 'without walls the status says that some do not hold' status_is 1 bare
attempt 'and which' shows "$work/report" 'FAILS    cannot open' 'FAILS    cannot sleep' 'FAILS    opens hwN.h'
bare_report() { GRADER_ISOLATION=none grade hw1 "$solved" --test matmul; }
attempt 'right stays right there' bare_report
attempt 'and its report says what does not hold' shows "$work/report" 'THIS MACHINE DOES NOT PREVENT'

done_testing
