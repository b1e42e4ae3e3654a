#!/bin/sh
# What instructors do, printed as TAP:  sh tests/homework/instructor.sh SOURCE GRADER [CACHE]
# A homework is built from the guide's own text; hidden tests; Gradescope's archive is unpacked and run.
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"

# ---- a homework from the guide -----------------------------------------------------------------------

mkdir "$work/hw9-scale"
# A line with a file's name in backquotes and a colon, then the file between fences.
awk -v into="$work/" '
    /^`hw9-scale\/.*`:$/ { file = into substr($0, 2, length($0) - 3); next }
    /^```/ && file != "" { if (inside) { close(file); file = ""; inside = 0 } else inside = 1; next }
    inside { print >file }' "$source/lectures/homework/GUIDE.md"

attempt 'the guide has five files' [ "$(find "$work/hw9-scale" -type f | wc -l)" -eq 5 ]
attempt 'its homework is right: solution, hand-out, and every mistake named' grade "$work/hw9-scale" --confusion
attempt 'of the mistakes only their libraries are kept' \
    [ -z "$(find "$cache" -path '*/hw9-scale-*/mistake-*.*' -newer "$work/hw9-scale/tests.c")" ]
attempt 'a line tells of each' shows "$work/report" 'solution' '10 of 10' 'stub' 'scale_backward alone             6 of 6' \
    'scale-set                        0 of 6  named' 'scale-forgotten                  0 of 6  named' '2 of 2 mistakes are named'

# ---- what would switch a check off -----------------------------------------------------------------------

# refuses SED FILE TEXT: the guide's homework with the change; --confusion says TEXT.
refuses() {
    rm -rf "$work/broken" && mkdir "$work/broken" && cp -r "$work/hw9-scale" "$work/broken" &&
        sed "$1" "$work/hw9-scale/$2" >"$work/broken/hw9-scale/$2" &&
        fails grade "$work/broken/hw9-scale" --confusion && shows "$work/report" "$3" 'WRONG'
}
attempt 'a misspelt gradient is refused' refuses 's/dx:x/dxx:x/' tests.c 'dx is added to and has no gradient in .gradients'
attempt 'and a misspelt upstream' refuses 's/dy:y/dz:y/' tests.c 'upstream dz:y: there is no array dz'
attempt 'a wrong sign in the solution' refuses 's/dx\[i\] += s/dx[i] -= s/' hw9.c 'the finite difference is'
attempt 'an output that it never writes' refuses 's/y\[i\] = s/y[i] += 0 * s/' hw9.c 'the solution never writes y'
attempt 'an input that it changes' refuses 's/y\[i\] = s \* x\[i\]/y[i] = s * x[i], ((real *)x)[i] = 0/' hw9.c \
    'the solution changes an input'
attempt 'a need of nothing' refuses 's/.upstream = "dy:y"/.upstream = "dy:y", .needs = "no"/' tests.c 'is no test'
attempt 'a function without TASK' refuses 's/^TASK void scale(/void scale(/' hw9.h 'there is no TASK before scale'
attempt 'two tests of one name' refuses 's/"scale_backward", "scale_backward"/"scale", "scale_backward"/' tests.c \
    'two tests have this name'
attempt 'a table without an end' refuses '/{0},/d' tests.c 'does not end with {0}'
attempt 'a solution without an end' refuses 's/i < n; i++/i < n; i += 0/' hw9.c 'the solution does not end'
# The kernel needs a moment to end a process.
nothing_runs() {
    waited=0
    while [ $waited -lt 3000 ]; do
        grep -qsF "$cache/hw9-scale-" /proc/[0-9]*/maps || return 0
        waited=$((waited + 1)) && sleep 0.1
    done
    echo 'a process still has the solution loaded'
    return 1
}
attempt 'and does not run on after the grader has ended' nothing_runs

sed 's/< dx\[i\] += s \* dy\[i\];/< dx[i] += dy[i] * s;/' "$work/hw9-scale/mistakes.txt" >"$work/changed"
cp "$work/changed" "$work/hw9-scale/mistakes.txt"
attempt 'a mistake that does not fit the solution is said' fails grade "$work/hw9-scale" --confusion
attempt 'quickly, too' fails grade "$work/hw9-scale" --check
attempt 'with its first line' shows "$work/report" 'scale-set' 'expected once: ' 'dx[i] += dy[i] * s;'

echo 'const int nothing;' >"$work/hw9-scale/tests.c"
attempt 'a homework without tests is refused' fails grade "$work/hw9-scale" --confusion
attempt 'with the reason' shows "$work/report" 'no test was found'

# ---- hidden tests --------------------------------------------------------------------------------------

cp -r "$source/tests/homework/overlay" "$work"
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
hand_out hw1 "$work/hw1" --solution >"$work/out"
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
echo 'seed 12x' >"$work/overlay/settings"
attempt 'a seed that is no number is refused' fails grade hw1 "$work/short.c" --overlay "$work/overlay"
attempt 'by name' shows "$work/report" 'found "seed 12x"; expected seed N'
printf 'seed 7\ntell name\n' >"$work/overlay/settings"

# ---- a class ---------------------------------------------------------------------------------------------

class=$work/class
mkdir -p "$class/Ann Lee_4711_assignsubmission_file_" "$class/submission_99" "$class/bob/submission"
solved=$work/hw1/hw1.c
cp "$solved" "$class/Ann Lee_4711_assignsubmission_file_/HW1.C"
cp "$solved" "$class/submission_99/hw1.c"
cp "$solved" "$class/bob/submission/hw1.c"
cp "$work/short.c" "$class/leeann_LATE_123_456_hw1.c"
cp "$solved" "$class/leeann_123_457_hw1-1.c"
sed 's/da\[i \* k + p\] +=/da[i * k + p] =/' "$solved" >"$class/carl.c"
touch "$class/notes.md" "$class/hw1.c~" "$class/Makefile"
touch -d '2026-11-21 12:00' "$class"/*.c "$class"/*/*.C "$class"/*/*/*.c
cat >"$class/submission_metadata.yml" <<'END'
---
submission_99:
  :submitters:
  - :name: Zoe Q
    :sid: "777"
  :created_at: 2026-11-19 23:00:00.000000000 Z
END
# Two of one hand: names differ, the passage does not.
body='{ for (int z = 0; z < m * n; z++) { c[z] = 0; if (z < 0) c[z] = 1; } for (int q = 0; q < k; q++) { int W = q * 2 - q;
  for (int r = 0; r < m; r++) { const real *V = a + r * k; for (int s = 0; s < n; s++) { real *U = c + r * n + s;
  *U = *U + V[W] * b[W * n + s]; } } } }'
for name in dora emil; do
    { echo '#include "hw1.h"' && echo 'void matmul(real *c, const real *a, const real *b, int m, int k, int n)' &&
        echo "$body" | sed "s/[UVW]/&$name/g"; } >"$class/$name.c"
done
grade_class() { grade hw1 --all "$class" --out "$work/results" "$@"; }
attempt 'a class is graded' grade_class --due 2026-11-20 --late-percent 10
attempt 'grades.csv has who, how late, which attempt' python3 -c "
import csv
rows = {r['name']: r for r in csv.DictReader(open('$work/results/grades.csv'))}
assert len(rows) == 8, list(rows)
ann, zoe = rows['Ann Lee_4711_assignsubmission_file_'], rows['submission_99']
assert (ann['student'], ann['id'], ann['late_days'], ann['points']) == ('Ann Lee', '4711', '1', '90'), ann
assert (zoe['student'], zoe['id'], zoe['late_days'], zoe['points']) == ('Zoe Q', '777', '0', '100'), zoe
again, first = rows['leeann_123_457_hw1-1.c'], rows['leeann_LATE_123_456_hw1.c']
assert (again['counts'], again['attempts'], first['counts']) == ('yes', '2', 'no'), (again, first)
assert rows['bob']['score'] == '100' and rows['carl.c']['matmul_backward'] == '0' and rows['carl.c']['matmul'] == '12'"
attempt 'Moodle and Canvas get theirs' shows "$work/results/moodle.csv" 'Participant 4711,Ann Lee,100,90'
attempt 'with the points possible' shows "$work/results/canvas.csv" 'Points Possible' 'leeann,123,,,,90'
attempt 'the feedback is named as the systems want it' python3 -c "
import zipfile
names = zipfile.ZipFile('$work/results/feedback.zip').namelist()
assert 'Ann Lee_4711_assignsubmission_file_/feedback.txt' in names and 'leeann_123_457_hw1-1.txt' in names, names"
attempt 'the pair with a common passage is found' shows "$work/results/similar.txt" 'dora.c and emil.c' 'no proof of copying'
attempt 'and no other' [ "$(wc -l <"$work/results/similar.csv")" -eq 2 ]
# Copies are found however small the class is, and however large their part of it.
finds_copies() { # STUDENTS COPIES
    python3 "$source/tests/homework/copies.py" write "$work/class-$1-$2" "$1" "$2" &&
        { grade hw1 --all "$work/class-$1-$2" --out "$work/results-$1-$2" || cat "$work/report"; } &&
        python3 "$source/tests/homework/copies.py" check "$work/results-$1-$2/similar.csv" "$2"
}
attempt 'three alike of nine are found, and no others' finds_copies 9 3
attempt 'so are three of five' finds_copies 5 3
attempt 'and all of five' finds_copies 5 5
if all; then
    attempt 'two of thirty' finds_copies 30 2
    attempt 'ten of thirty' finds_copies 30 10
    attempt 'three of three hundred' finds_copies 300 3
    attempt 'a hundred of three hundred' finds_copies 300 100
fi
attempt 'the summary has a histogram and the hardest tests' shows "$work/results/summary.txt" ' 90 to 100 %' 'the hardest first'
mkdir -p "$work/reserved/summary" "$work/reserved/similar"
cp "$solved" "$work/reserved/summary/hw1.c"
cp "$work/short.c" "$work/reserved/similar/hw1.c"
attempt 'submissions named as the texts of the class' grade hw1 --all "$work/reserved" --out "$work/kept" --test matmul
attempt 'overwrite none of these, and are overwritten by none' sh -c "
    cd '$work/kept' && grep -q 'the hardest first' summary.txt && ! grep -q 'the hardest' summary~.txt &&
    grep -q '12 of 12 points' summary~.txt && [ -s similar~.txt ] && [ -s similar.txt ] && ! cmp -s similar.txt similar~.txt"

attempt 'one test alone' grade_class --test softmax
attempt 'is graded anew, in its own column' python3 -c "
import csv
for r in csv.DictReader(open('$work/results/grades.csv')):
    assert r['matmul'] == '' and r['softmax'] in ('0', '8') and r['max_score'] == '8', r"
attempt 'and the whole homework after it, too' grade_class
attempt 'with all its points' shows "$work/results/grades.csv" 'bob,,,100,100'
seed_is_kept() {
    python3 -c "
import csv, re
seeds = {r['seed'] for r in csv.DictReader(open('$work/results/grades.csv'))}
assert seeds == {open('$work/results/seed').read().strip()}, seeds
assert all(re.fullmatch('0x[0-9a-f]+', seed) for seed in seeds), seeds"
}
attempt 'the seed of the hidden inputs is kept, and stands in the table' seed_is_kept
cp "$work/results/seed" "$work/seed"
attempt 'a second time nothing is graded' grade_class
attempt 'the seed is the same' cmp "$work/results/seed" "$work/seed"
attempt 'because nothing changed' shows "$work/report" '8 of 8 are graded already'
echo 12x >"$work/results/seed"
kept_seed() { "$grader" "$homework" "$cache" grade hw1 --all "$class" --out "$work/results" >"$work/report" 2>&1; }
attempt "a class's seed that is no number is refused" fails kept_seed
attempt 'by its file' shows "$work/report" "/results/seed: found '12x'; expected a seed"
cp "$work/seed" "$work/results/seed"
echo '/* changed */' >>"$class/carl.c"
touch -d '2026-11-21 12:00' "$class/carl.c"
changed() {
    grade hw1 --all "$class" --out "$work/results" && shows "$work/report" '7 of 8 are graded already' && grep -q '^carl.c,.*,2,yes' "$work/results/grades.csv"
}
attempt 'a text that changed is a new attempt' changed

# by_hand.csv is written once; what is typed there stays, and is exported.
attempt 'a table for grading by hand names every submission' [ "$(wc -l <"$work/results/by_hand.csv")" -eq 9 ]
cat >"$work/results/by_hand.csv" <<'END'
name,points,comment
Ann Lee_4711_assignsubmission_file_,77.5,"Right, ""in part"",
and late."
carl.c,,See me.
leeann_123_457_hw1-1.c,3,
END
cp "$work/results/by_hand.csv" "$work/typed"
attempt 'after a change of it, a second run' grade_class --due 2026-11-20 --late-percent 10
attempt 'keeps it' cmp "$work/typed" "$work/results/by_hand.csv"
attempt 'and exports its points and comments with the rest' python3 -c "
import csv, zipfile
rows = {r['name']: r for r in csv.DictReader(open('$work/results/grades.csv', newline=''))}
ann, carl = rows['Ann Lee_4711_assignsubmission_file_'], rows['carl.c']
said = 'Right, \"in part\",' + chr(10) + 'and late.'
assert (ann['points'], ann['comment'], ann['score']) == ('77.5', said, '100'), ann
assert carl['comment'] == 'See me.' and float(carl['points']) > 0 and rows['bob']['comment'] == '', carl
moodle = list(csv.DictReader(open('$work/results/moodle.csv', newline='')))
assert (moodle[0]['Grade'], moodle[0]['Feedback comments']) == ('77.5', said), moodle
assert 'leeann,123,,,,3' in open('$work/results/canvas.csv').read()
files = zipfile.ZipFile('$work/results/feedback.zip')
told = files.read('Ann Lee_4711_assignsubmission_file_/feedback.txt').decode()
assert 'gave 77.5 of 100 points' in told and said in told, told"
echo 'carl.c,many,' >>"$work/results/by_hand.csv"
attempt 'points that are no number are refused' fails grade_class
attempt 'with the line' shows "$work/report" "carl.c: found points 'many'; expected a number"

# ---- a grader at home --------------------------------------------------------------------------------------

mkdir "$work/home"
attempt 'the archive for students is written' hand_out hw1 "$work/kit.zip"
attempt 'and unpacked' python3 -c "
import zipfile, os
for i in zipfile.ZipFile('$work/kit.zip').infolist():
    os.chmod(zipfile.ZipFile('$work/kit.zip').extract(i, '$work/home'), i.external_attr >> 16)"
attempt 'no line of the solution is in it' sh -c "
    awk '/BEGIN SOLUTION/ { inside = 1; next } /END SOLUTION/ { inside = 0 }
        inside { gsub(/^[ \\t]+|[ \\t]+\$/, \"\"); if (length(\$0) > 30) print }' \
        '$source/lectures/homework/hw1-tensor-ops/hw1.c' >'$work/secret'
    [ -s '$work/secret' ] && ! grep -rqFf '$work/secret' '$work/home/hw1.c' '$work/home/homework/hw1-tensor-ops'"
attempt 'the solution reaches all points with it' "$work/home/gradus" grade hw1 "$solved"
attempt 'the hand-out none' fails "$work/home/gradus" grade hw1 "$work/home/hw1.c"

# ---- Gradescope ------------------------------------------------------------------------------------------

there=$work/autograder
mkdir -p "$there/source" "$there/submission"
attempt 'the archive is written' "$grader" "$homework" "$cache" gradescope hw1 "$work/hw1.zip" \
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
attempt 'and builds what each grading needs' [ "$(find "$there/source/cache" -name ready | wc -l)" -eq 2 ]
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

# submitted COMMAND...: an empty submission, then the command in its folder; graded without a word of the grader's own.
submitted() {
    chmod -R u+rwX "$there/submission" && rm -rf "$there/submission" "$there/results" && mkdir "$there/submission" &&
        (cd "$there/submission" && "$@") && "$there/source/run_autograder" >"$work/said" 2>&1 && fails grep failed "$work/said"
}
says_why() { shows "$there/results/results.json" '"score": 0' "$@"; }
nested() { mkdir -p deep/er && cp "$work/short.c" deep/er/HW1.c; }
attempt 'a submission in a subfolder is graded' submitted nested
attempt 'with its points' results_are 100 12
two() { cp "$work/hw1/hw1.c" a.c && cp "$work/short.c" my_hw1.c && echo 'int main(' >z.c; }
attempt 'of several files one is taken' submitted two
attempt 'in the manner of the guide: hw1 in its name' shows "$there/results/results.json" 'long rows' '"score": 100'
first() { cp "$work/short.c" a.c && echo 'int main(' >z.c; }
attempt 'else the first' submitted first
attempt 'and no other' results_are 100 12
same_as_all() {
    mkdir -p "$work/chosen/zoe" && (cd "$work/chosen/zoe" && "$1") &&
        grade hw1 --all "$work/chosen" --out "$work/chosen-results" && shows "$work/chosen-results/grades.csv" 'zoe,,,100,100'
}
attempt '--all takes the same' same_as_all first
nothing() { echo hello >notes.txt && mkdir empty; }
attempt 'a submission without a .c file is graded' submitted nothing
attempt 'with no points, and the reason' says_why 'no .c file was handed in; found: empty, notes.txt; expected hw1.c'
attempt 'so is an empty one' submitted true
attempt 'with the same reason' says_why 'no .c file was handed in; expected hw1.c'
linked() { ln -s "$work/hw1/hw1.c" hw1.c; }
attempt 'and one that cannot be read' submitted linked
attempt 'with its reason' says_why 'hw1.c is a symbolic link'
binary() { printf '\177ELF' >hw1.c; }
attempt 'and a compiled file' submitted binary
attempt 'with its own' says_why 'this is a compiled file'
wrong() { sed 's/da\[i \* k + p\] +=/da[i * k + p] =/' "$work/hw1/hw1.c" >hw1.c; }
attempt 'what a student is told' submitted wrong
attempt 'names no folder of this machine' sh -c "grep -q 'gradus grade hw1 hw1.c --test' '$there/results/results.json' &&
    ! grep -q '$there' '$there/results/results.json'"
told_by_all() {
    mkdir -p "$work/told/zoe" && (cd "$work/told/zoe" && wrong) &&
        grade hw1 --all "$work/told" --out "$work/told-results" --test matmul_backward
    shows "$work/told-results/zoe.txt" 'gradus grade hw1 hw1.c --test' && fails grep -rF "$work" "$work/told-results"/zoe.*
}
attempt 'and of --all neither' told_by_all

submitted first
rm "$there/source/homework/hw1-tensor-ops/tests.c"
attempt 'where the grader itself fails, the status is not 0' fails "$there/source/run_autograder"
attempt 'the message says so' sh -c "'$there/source/run_autograder' 2>&1 |
    grep -q '^The grader itself failed (status 2). Tell your instructor.\$'"
attempt 'and there is no results.json, which would be a grade' fails test -e "$there/results/results.json"

done_testing
