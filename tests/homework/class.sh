#!/bin/sh
# A class as people and learning management systems make it, printed as TAP:  sh tests/homework/class.sh SOURCE GRADER [CACHE]
# Which files count, who has a row, when a file is late, which points are taken, whose passages a text has.
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"

class() { # FOLDER OPTION...: of hw0, whose grading takes least
    folder=$1
    shift
    grade hw0 --all "$work/$folder" --out "$work/$folder-results" "$@"
}
# row FOLDER NAME FIELD=VALUE...: the one line of this name in grades.csv, or of NAME as student.
row() {
    python3 -c "
import csv, sys
name, fields = sys.argv[2], dict(f.split('=', 1) for f in sys.argv[3:])
rows = [r for r in csv.DictReader(open(sys.argv[1], newline='')) if name in (r['name'], r['student'])]
assert len(rows) == 1, (name, rows)
assert {k: rows[0][k] for k in fields} == fields, rows[0]" "$work/$1-results/grades.csv" "$2" "$3" "$4" "$5" ${6+"$6"}
}

hand_out hw0 "$work/solved" --solution >"$work/said"
solved=$work/solved/hw0.c

# ---- which file -------------------------------------------------------------------------------------------

moodle=_assignsubmission_file_
mkdir -p "$work/moodle/Ann Lee_11$moodle" "$work/moodle/Ann Lee_11_assignsubmission_onlinetext_" \
    "$work/moodle/Bo Li_12_assignsubmission_onlinetext_" "$work/moodle/Cy Ng_13$moodle" "$work/moodle/Di Ko_14$moodle"
cp "$solved" "$work/moodle/Ann Lee_11$moodle/hw0.c"
echo '<p>see file</p>' >"$work/moodle/Ann Lee_11_assignsubmission_onlinetext_/onlinetext.html"
echo '<p>sorry</p>' >"$work/moodle/Bo Li_12_assignsubmission_onlinetext_/onlinetext.html"
cp "$solved" "$work/moodle/Cy Ng_13$moodle/hw0.cpp"
cp "$solved" "$work/moodle/Di Ko_14$moodle/hw0.c"
echo 'int helper;' >"$work/moodle/Di Ko_14$moodle/helper.c"
echo 'no C' >"$work/moodle/Ed Xu_15${moodle}hw0.pdf"
cp "$solved" "$work/moodle/Fe Wu_16${moodle}hw0.c"
echo 'later, and no C' >"$work/moodle/Fe Wu_16${moodle}notes.txt"
mkdir "$work/moodle/Gi Po_17$moodle" && mkfifo "$work/moodle/Gi Po_17$moodle/hw0.c"
touch -d '2026-11-20 12:00' "$work"/moodle/*/hw0.c "$work/moodle/Fe Wu_16${moodle}hw0.c"
attempt 'a class of Moodle is graded' class moodle --due 2026-11-20T13:00Z
attempt 'a word of text beside a file is no attempt' row moodle 'Ann Lee' score=100 counts=yes late_days=0
attempt 'nor a line of the table' fails grep -q onlinetext_ "$work/moodle-results/moodle.csv"
attempt 'a text alone has a line, with 0' row moodle 'Bo Li' score=0 'compiled=no C file' counts=yes
attempt 'so has a C++ file' row moodle 'Cy Ng' score=0 'compiled=no C file' counts=yes
attempt 'a second file is named in the table' row moodle 'Di Ko' score=100 'note=not graded: helper.c' counts=yes
attempt 'and in the report' shows "$work/moodle-results/Di Ko_14$moodle.txt" 'one is graded: hw0.c (not graded: helper.c)'
attempt 'a PDF without a folder has a line' row moodle 'Ed Xu' score=0 'compiled=no C file' counts=yes
attempt 'a pipe is not waited for' row moodle 'Gi Po' score=0 'compiled=no C file' counts=yes
attempt 'what has no .c never beats what has one' row moodle "Fe Wu_16${moodle}hw0.c" score=100 counts=yes late_days=0
attempt 'it has a line that does not count' row moodle "Fe Wu_16${moodle}notes.txt" score=0 counts=no 'compiled=no C file'
attempt 'nobody has two grades' [ "$(grep -c '^Participant' "$work/moodle-results/moodle.csv")" -eq 7 ]
attempt 'comments are those that were typed' grep -q '^Participant 11,Ann Lee,100,100,$' "$work/moodle-results/moodle.csv"
attempt 'feedback for a text has one underscore at its end' python3 -c "
import zipfile
names = zipfile.ZipFile('$work/moodle-results/feedback.zip').namelist()
assert 'Bo Li_12_assignsubmission_onlinetext_/feedback.txt' in names, names"

mkdir "$work/canvas" "$work/plain" "$work/gradescope"
canvas=$work/canvas
cp "$solved" "$canvas/annlee_21_901_hw0.c"
cp "$solved" "$canvas/boli_22_902_hw0.cpp"
echo 'no C' >"$canvas/cyng_23_903_hw0.txt"
echo '%PDF' >"$canvas/diko_24_904_hw0.pdf"
printf 'PK\003\004' >"$canvas/edxu_25_905_hw0.zip"
cp "$solved" "$canvas/fewu_26_906_hw0-1.c"
echo 'int helper;' >"$canvas/fewu_26_907_helper-1.c"
echo 'a remark' >"$canvas/fewu_26_908_answer-2.txt"
touch -d '2026-11-20 12:00' "$canvas/fewu_26_906_hw0-1.c"
for name in ann.c bo.cpp cy.txt di.pdf; do cp "$solved" "$work/plain/$name"; done
mkdir "$work/plain/ed" && cp "$solved" "$work/plain/ed/hw0 (1).c"
touch "$work/plain/Makefile" "$work/plain/README.md" "$work/plain/ann.c~"
attempt 'a class of Canvas is graded' class canvas
attempt 'with a line for every name' [ "$(wc -l <"$work/canvas-results/grades.csv")" -eq 9 ]
attempt 'C++ has 0 there, too' row canvas boli score=0 'compiled=no C file' counts=yes
attempt 'with the reason' shows "$work/canvas-results/boli_22_902_hw0.cpp.txt" 'no .c file was handed in; found: boli_22_902_hw0.cpp'
attempt 'a .txt has a line' row canvas cyng score=0 'compiled=no C file' counts=yes
attempt 'a .pdf has one' row canvas diko score=0 'compiled=no C file' counts=yes
attempt 'an archive has one' row canvas edxu score=0 'compiled=no C file' counts=yes
attempt 'of several files that of the homework counts' row canvas fewu_26_906_hw0-1.c score=100 counts=yes attempts=2
attempt 'and the others are named' row canvas fewu_26_906_hw0-1.c \
    'note=not graded: fewu_26_907_helper-1.c, fewu_26_908_answer-2.txt' counts=yes score=100
attempt 'plain files are graded' class plain
attempt 'by the same rule' [ "$(wc -l <"$work/plain-results/grades.csv")" -eq 6 ]
attempt 'C++ has 0' row plain bo.cpp score=0 'compiled=no C file' counts=yes
attempt '.txt has 0' row plain cy.txt score=0 'compiled=no C file' counts=yes
attempt 'another name is taken' row plain ed score=100 compiled=yes counts=yes

echo 'int main(' >"$work/plain/ann.c"
attempt 'what does not compile' class plain
attempt 'is told from what is not C' row plain ann.c score=0 compiled=no counts=yes
attempt 'in the summary, too' shows "$work/plain-results/summary.txt" '1 do not compile, 3 have no C file'
attempt 'which names the tables' shows "$work/report" 'plain-results has: grades.csv, by_hand.csv, feedback.zip'

# ---- groups, the roster, times -----------------------------------------------------------------------------

gradescope=$work/gradescope
mkdir "$gradescope/submission_7" "$gradescope/submission_8" "$gradescope/submission_9"
cp "$solved" "$gradescope/submission_7/hw0.c"
{ cat "$solved" && echo '/* of another hand */'; } >"$gradescope/submission_8/hw0.c"
cp "$solved" "$gradescope/submission_9/hw0.cpp"
cat >"$gradescope/submission_metadata.yml" <<'END'
---
submission_7:
  :submitters:
  - :name: Zoe Q
    :sid: "701"
    :email: zoe@example.org
  - :name: Part Ner
    :sid: "702"
    :email: part@example.org
  :created_at: 2026-11-21 03:30:00.000000000 Z
  :results:
    :tests:
    - :name: Not A Student
submission_8:
  :submitters:
  - :name: Yan T
    :sid: ""
    :email: yan@example.org
  :created_at: 2026-11-21 06:30:00.123 +01:00
submission_9:
  :submitters:
  - :name: Xi S
    :sid: "704"
  :created_at: 2026-11-21 03:30:00.000000000 Z
END
cat >"$work/roster.csv" <<'END'
Name,SID,Email,Extension
Zoe Q,701,zoe@example.org,
"Part Ner",702,part@example.org,2026-11-19T00:00Z
Yan T,,yan@example.org,2
Xi S,704,xi@example.org,
"Gone, Al",705,al@example.org,
END
attempt 'a class of Gradescope is graded' class gradescope --due 2026-11-20T23:59-05:00 --late-percent 10 \
    --roster "$work/roster.csv"
attempt 'each of a group has a line' row gradescope 'Part Ner' id=702 score=100 counts=yes
attempt 'with an extension of the own' row gradescope 'Part Ner' late_days=3 points=70 counts=yes
attempt 'the zone of --due is heeded' row gradescope 'Zoe Q' late_days=0 points=100 counts=yes
attempt 'and told' shows "$work/report" 'late: after 2026-11-20T23:59, zone -05:00'
attempt 'an extension in days' row gradescope 'Yan T' id=yan@example.org late_days=0 points=100
attempt 'C++ has 0 there, too' row gradescope 'Xi S' score=0 'compiled=no C file' counts=yes
attempt 'who handed in nothing has a line' row gradescope 'Gone, Al' id=705 'compiled=nothing handed in' points=0
attempt 'and nobody else' [ "$(wc -l <"$work/gradescope-results/grades.csv")" -eq 6 ]
attempt 'nobody is similar to a partner' fails grep -q 'Part Ner' "$work/gradescope-results/similar.csv"
attempt 'a line by hand is for the whole group' [ "$(grep -c submission_7 "$work/gradescope-results/by_hand.csv")" -eq 1 ]
printf 'name,points,comment\nsubmission_7,50.25,\n' >"$work/gradescope-results/by_hand.csv"
attempt 'its points' class gradescope --due 2026-11-20T23:59-05:00
attempt 'are those of one' row gradescope 'Zoe Q' points=50.25 id=701 counts=yes
attempt 'and of the other' row gradescope 'Part Ner' points=50.25 id=702 counts=yes
for points in -5 1/3 0x10 1e1 12.345 nan; do
    printf 'name,points,comment\nsubmission_7,%s,\n' "$points" >"$work/gradescope-results/by_hand.csv"
    attempt "points of $points are refused" fails class gradescope
    attempt 'with what was expected' shows "$work/report" "found points '$points'; expected a number from 0 on"
done
rm "$work/gradescope-results/by_hand.csv"
for due in 2026-11-20T23:59X 2026-11-20T23:59-5 2026-11-20T23:59+01:00x 20.11.2026 2026-11-31 2026-11-20T24:00 2026-11-20x; do
    attempt "--due $due is refused" fails class gradescope --due "$due"
    attempt 'with an example' shows "$work/report" "found '$due'; expected a day" '2026-11-20T23:59-05:00'
done
attempt 'without a zone the machine has one' env TZ=EST5 "$grader" "$homework" "$cache" grade hw0 --all "$gradescope" \
    --overlay "$source/tests/homework/overlay" --out "$work/gradescope-results" --due 2026-11-20T23:59
attempt 'which is told' shows "$work/gradescope-results/summary.txt" "zone -05:00 (this machine's zone)"
attempt 'and heeded' row gradescope 'Zoe Q' late_days=0 id=701 counts=yes
printf 'a,b\nc,d\n' >"$work/bad.csv"
attempt 'a roster without names is refused' fails class gradescope --roster "$work/bad.csv"
attempt 'with what was expected' shows "$work/report" 'found no column id, name or email'
printf 'name,extension\nZoe Q,soon\n' >"$work/bad.csv"
attempt 'so is an extension that is none' fails class gradescope --due 2026-11-20Z --roster "$work/bad.csv"
attempt 'with the student' shows "$work/report" "Zoe Q: found the extension 'soon'"
attempt 'a due time without a class is refused' fails grade hw0 "$solved" --due 2026-11-20
printf 'name,id\nAnn,a1\nZed,z9\n' >"$work/plain.csv"
attempt 'a roster names plain files' class plain --roster "$work/plain.csv"
attempt 'by their names' row plain Ann name=ann.c id=a1 compiled=no
attempt 'and lists the rest' row plain Zed id=z9 points=0 'compiled=nothing handed in'

# ---- whose text it is --------------------------------------------------------------------------------------

mkdir "$work/copies"
cp "$solved" "$work/copies/verbatim.c"
sed 's/\<[ijkabxy]\>/q&/g' "$solved" >"$work/copies/renamed.c"
hand_out hw0 "$work/stub" >"$work/said"
cp "$work/stub/hw0.c" "$work/copies/stub.c"
attempt 'copies of the published solution are graded' class copies
attempt 'their share of it is in the table' row copies verbatim.c solution_percent=100 compiled=yes counts=yes
attempt 'also where all variables have other names' python3 -c "
import csv
rows = {r['name']: r['solution_percent'] for r in csv.DictReader(open('$work/copies-results/grades.csv'))}
assert int(rows['renamed.c']) > 80 and rows['stub.c'] in ('', '0'), rows"

# ---- the plan ----------------------------------------------------------------------------------------------

attempt "the guide's plan and the paths of ./gradus steps have the homeworks in one order" python3 -c "
import re
cells = [[c.strip() for c in line.strip('| ').split('|')] for line in open('$homework/GUIDE.md').read().splitlines()
         if re.match(r'[|] (week|[0-9]+) [|]', line)]
assert len(cells) > 8, cells
for column, course in enumerate(cells[0][1:], 1):
    table = [hw for c in cells[1:] for hw in re.findall(r'hw[0-9]+b?', re.sub('\"[^\"]*\"', '', c[column] if column < len(c) else ''))]
    steps = re.findall(r'homework (hw[0-9]+b?)', open('$homework/../steps/paths/' + course + '.txt').read())
    assert table == list(dict.fromkeys(steps)), (course, table, list(dict.fromkeys(steps)))"

done_testing
