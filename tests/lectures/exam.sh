#!/bin/sh
# Tests of the command `exam`, printed as TAP:  sh tests/lectures/exam.sh SOURCE PROGRAM
set -u
source=$(cd "$1" && pwd) || exit 1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive

ends_with() {
    wanted=$1
    shift
    status=0
    "$@" || status=$?
    [ "$status" -eq "$wanted" ] || { echo "ended with $status, not $wanted" && return 1; }
}

# exam OPTIONS...: without LaTeX, which has a case of its own.
mkdir programs && ln -s "$(python3 -c 'import sys; print(sys.executable)')" programs/python3
exam() { PATH=$work/programs "$program" exam "$@"; }

# ---- the command line ----------------------------------------------------------------------------

refuses() { # TEXT OPTIONS...
    text=$1
    shift
    ends_with 2 exam "$@" 2>said && shows said "$text"
}
attempt 'a course is needed' refuses '--course' --seed 1
attempt 'a course that does not exist is refused' refuses "found 'Q'" --course Q
attempt 'rows that are no numbers are refused' refuses "found 'x'" --course J --rows 4,x
attempt 'a range that goes down is refused' refuses "found '22-16'" --course J --rows 22-16
attempt 'a seed beside answers is refused' refuses 'the keys beside the sheets' --course J --grade x.csv --seed 2
attempt 'rows beside answers are refused' refuses 'the keys beside the sheets' --course J --grade x.csv --rows 4
no_kinds() { ends_with 1 exam --course B --rows 52-57 2>said && shows said 'no kind of question is left'; }
attempt 'rows that the course does not have are an error' no_kinds

only_these() {
    exam --course Z --seed 3 --rows 21-22,42 --out rows >said &&
        grep -o 'Row [0-9]*' rows/Z/solution-3.md | sort -u >found && printf 'Row 21\nRow 22\nRow 42\n' | cmp - found
}
attempt 'rows can be chosen' only_these

# ---- files ---------------------------------------------------------------------------------------

writes() {
    exam --course J --seed 42 --minutes 30 >said && shows said 'there is no pdflatex' || return
    for name in sheet solution; do
        for end in md tex; do [ -s out/exam/J/$name-42.$end ] || return; done
    done
    ! grep -q 'as pages, too' said || shows out/exam/J/sheet-42.html '</math>' || return # where the packages that write pages are
    shows out/exam/J/solution-42.md '[2 points]' 'Row ' &&
        shows out/exam/J/sheet-42.md 'Name: ' && ! grep -q '@' out/exam/J/*-42.md
}
attempt 'a sheet and its solutions are written' writes
same() {
    mv out/exam/J/sheet-42.md first.md && exam --course J --seed 42 --minutes 30 >said && cmp first.md out/exam/J/sheet-42.md
}
attempt 'the same seed writes the same sheet' same
alike() { # of all sheets of 20 minutes, no two have the same questions
    for letter in V B H Z J; do exam --course $letter --minutes 20 --sheets 30 --out alike >said || return; done
    for sheet in alike/*/sheet-*.md; do sed '1,/^## /d' "$sheet" | cksum; done | sort >sums
    [ "$(wc -l <sums)" -eq 150 ] && [ "$(sort -u sums | wc -l)" -eq 150 ] &&
        [ "$(grep -ho 'about [0-9]* minutes\. ' alike/*/sheet-*.md | sort -u | tr -dc '0-9\n' | awk '$1 < 17 || $1 > 20' | wc -l)" -eq 0 ]
}
attempt 'no two sheets are alike' alike
columns() { # tokens are columns in B, rows in Z
    for letter in B Z; do exam --course $letter --rows 20 --sheets 5 --out columns >said || return; done
    grep -q 'A token is .`x_t = .begin{pmatrix} [-0-9]* \\\\ [-0-9]* .end' columns/B/sheet-1.md && shows columns/B/sheet-1.md 'W_qx_t' &&
        grep -q 'A token is .`x_n = .begin{pmatrix} [-0-9]* & [-0-9]* .end' columns/Z/sheet-1.md && shows columns/Z/sheet-1.md 'x_nW^{(q)}' || return
    for key in columns/[BZ]/key-*.csv; do # the first component of the query, from the printed matrices
        sheet=$(echo "$key" | sed 's/key/sheet/; s/csv$/md/')
        grep 'A token is' "$sheet" | grep -o 'pmatrix} [^}]*end' | grep -oE -e '-?[0-9]+' | tr '\n' ' ' |
            awk -v course="$sheet" -v right="$(sed -n 's/^1a,\(.*\),.*/\1/p' "$key")" '{ exit NF != 6 || $1 * $3 + $2 * (course ~ /B/ ? $4 : $5) != right }' || { cat "$sheet" && return 1; }
    done
}
attempt 'a course has its own symbols' columns
sets() { "$program" exam --course H --seed 5 --minutes 60 --out latex >said && shows said pdf && [ -s latex/H/sheet-5.pdf ] && [ -s latex/H/solution-5.pdf ]; }
if command -v pdflatex >/dev/null; then attempt 'LaTeX sets the sheet' sets; else skip 'LaTeX sets the sheet' 'no pdflatex'; fi
own() {
    exam --course J --seed 42 --minutes 30 --title 'Deep Learning, CS 101' --date '12 May' --out own >said &&
        shows own/J/sheet-42.md 'Deep Learning, CS 101, 12 May' && ! grep -q 'Jiang' own/J/sheet-42.*
}
attempt 'a sheet has its own title and date' own
attempt 'a title beside answers is refused' refuses 'the keys beside the sheets' --course J --grade x.csv --title x
# Pages in which a formula is not understood are an error, so that this reads all formulas, too.
all_kinds() {
    for letter in V B H Z J; do
        exam --course $letter --minutes 600 --sheets "${1:-1}" --out many >said || return
        grep -q 'no kind' said && return 1
    done
    cat many/*/solution-1.md | grep -o 'kind [a-z-]*' | sort -u >found
    [ "$(wc -l <found)" -ge 60 ]
}
attempt 'every kind of every course becomes a page' all_kinds
percent() { grep -q '(15 % in the paper)' many/*/sheet-1.md && cat many/*/sheet-1.tex >texts && shows texts '(15 \% in the paper)'; }
attempt 'what is special to LaTeX is escaped' percent
names_alone() { # a sheet is its solutions without what stands behind the names of the answers
    for letter in V B H Z J; do
        sed -n '/^\.\{12\}$/d; s/^\(([a-z]) .*: \)\.\{12\}$/\1/; /^## /,$p' many/$letter/sheet-1.md | grep . >sheet
        sed '/^Row [0-9]/d; s/^\(([a-z]) [^:]*: \).*/\1/' many/$letter/solution-1.md | sed -n '/^## /,$p' | grep . >solution
        [ "$(wc -l <sheet)" -gt 50 ] && grep -q '^(' sheet && cmp sheet solution || return
    done
}
attempt 'a sheet has the names of the answers alone' names_alone
reasons() { # an hour of every course asks why twice, and has one long question
    for letter in V B H Z J; do
        exam --course $letter --sheets 5 --out hours >said || return
        for sheet in hours/"$letter"/sheet-*.md; do
            [ "$(grep -c '^([a-z]) .*] why ' "$sheet")" -ge 2 ] && grep -qE 'about 1[25] minutes, level' "$sheet" && continue
            cat "$sheet"
            return 1
        done
    done
}
attempt 'an hour has a long question and two that ask why' reasons
# A course's kinds are of rows that its path has, and each row but those with pictures only has a question.
is_taught() {
    for letter in V B H Z J; do
        sed -n 's/^Row \([0-9]*\) of .*/\1/p' many/$letter/solution-1.md | sort -un >asked
        sed -n 's/^row \([0-9]*\).*/\1/p' "$source/lectures/steps/paths/$letter.txt" | sort -n >path
        [ "$(wc -l <asked)" -gt 10 ] || { echo "$letter: $(wc -l <asked) rows" && return 1; }
        while read -r row; do
            grep -qx "$row" path || { echo "$letter does not teach row $row" && return 1; }
        done <asked
        [ "$(($(wc -l <path) - $(wc -l <asked)))" -le 1 ] || { echo "$letter: rows without a question" && return 1; }
    done
}
attempt 'an exam asks what its course teaches, and no row is left out' is_taught
if all; then attempt 'and so for 20 seeds' all_kinds 20; else skip 'and so for 20 seeds' 'with --all alone'; fi

# ---- the class -----------------------------------------------------------------------------------

exam --course J --seed 42 --minutes 30 >said
key=out/exam/J/key-42.csv
names=$(sed '1d; s/,.*//' $key | tr '\n' ',') names=${names%,}
answers=$(sed '1d; s/^[^,]*,,/,/' $key | cut -d, -f2 | tr '\n' ',') answers=${answers%,} # in words: all points
none=$(echo "$answers" | sed 's/[^,]*//g')
grade() { exam --course J --grade "$@"; }
# class LINE...: answers with these lines below the names of sheet 42
class() { printf '%s\n' "student,sheet,$names" "$@" >class.csv; }
right() { class "Ann,42,$answers" && ends_with 0 grade class.csv >said && shows said 'mean 100 %' && grep -q '^"Ann",42,\([0-9]*\),\1,' out/exam/J/grades.csv; }
attempt 'the right answers get all points' right
sums() { # the key's points are those of the sheet
    points=$(sed '1d' $key | awk -F, '{ sum += $3 } END { print sum }')
    shows out/exam/J/sheet-42.md " $points points," && grep -q "^\"Ann\",42,$points,$points," out/exam/J/grades.csv
}
attempt 'the key has the points of the sheet' sums
nobody() { class "Bob,42,$none" && grade class.csv >said && grep -q '^"Bob",42,0,' out/exam/J/grades.csv; }
attempt 'no answers get no points' nobody
several() { # two sheets, and a comma and quotation marks in a name
    exam --course J --seed 43 --minutes 30 >said &&
        class "\"Ann \"\"A\"\", B\",42,$answers" "Zoe,43,$none" && ends_with 0 grade class.csv >said &&
        shows said '2 students; mean 50 %' && shows out/exam/J/grades.csv '"Ann ""A"", B",42,' '"Zoe",43,0,'
}
attempt 'a class with two sheets' several
older() { # whatever made the sheet, its key has the answers
    printf 'answer,right,points\n1a,9,1\n1b,0.5,4\n2a,3,2\n3a,2e-17,1\n' >out/exam/J/key-7.csv # a 0 with a rounding error
    printf 'student,sheet,1a,1b,2a,3a\nAnn,7,9,0.504,4,\nBob,7,9,0.51,3,0\n' >seven.csv
    ends_with 0 grade seven.csv >said && printf 'student,sheet,points,of,questions\n"Ann",7,5,8,5,0,0\n"Bob",7,4,8,1,2,1\n' | cmp - out/exam/J/grades.csv
}
attempt 'a key of one'"'"'s own' older
written() { # as students write them
    printf 'student,sheet,1a,1b\nAnn,7,9,1/2\nBob,7,9,"0,5"\nCleo,7,18/2,.5\nDan,7,9,2/3\n' >written.csv
    ends_with 0 grade written.csv >said && cut -d, -f3 out/exam/J/grades.csv | tail -n +2 | tr '\n' ' ' >found && shows found '5 5 5 1 '
}
attempt 'fractions and decimal commas' written
words() { # the points that a reader gives for an answer in words, beside the numbers
    printf 'answer,right,points\n1a,9,1\n1b,0.5,4\n1c,,2\n2a,,3\n' >out/exam/J/key-8.csv
    printf 'student,sheet,1a,1b,1c,2a\nAnn,8,7,.5,2,3\nBob,8,9,1,1,\nCleo,8,,,,0\n' >words.csv
    ends_with 0 grade words.csv >said && printf '"Ann",8,10,10,7,3\n"Bob",8,2,10,2,0\n"Cleo",8,0,10,0,0\n' >right &&
        tail -n +2 out/exam/J/grades.csv | cmp - right
}
attempt 'answers in words' words
for points in 3 -1 0.5; do
    too_many() {
        printf 'student,sheet,1c\nAnn,8,%s\n' "$points" >wrong.csv && ends_with 1 grade wrong.csv 2>said &&
            shows said "student Ann, column 1c: found $points; expected the points that you give for an answer in words, 0 to 2"
    }
    attempt "no points for words: $points" too_many
done
for wrong in 2/0 2/3/4 x/2; do
    refused() { printf 'student,sheet,1a\nAnn,7,%s\n' "$wrong" >wrong.csv && ends_with 1 grade wrong.csv 2>said && shows said "found \"$wrong\"; expected a number"; }
    attempt "no answer: $wrong" refused
done

# A kind of which the points are known: (a) 2, (b) 3 points.
parts() { # POINTS A B
    printf 'student,sheet,1a,1b\n"Ann, A.",7,%s,%s\n' "$2" "$3" >parts.csv
    ends_with 0 exam --course Z --grade parts.csv >said && shows out/exam/Z/grades.csv "\"Ann, A.\",7,$1,5,$1"
}
exam --course Z --rows 42 --minutes 5 --seed 7 >said
a=$(sed -n 's/^1a,\(.*\),2$/\1/p' out/exam/Z/key-7.csv) b=$(sed -n 's/^1b,\(.*\),3$/\1/p' out/exam/Z/key-7.csv)
attempt 'the last answer counts for all points' parts 5 9 "$b"
attempt 'a right answer before it counts for its own' parts 2 "$a" 9
attempt 'all wrong' parts 0 9 9
attempt 'three digits are enough' parts 5 '' "$(printf %.3f "$b")"
attempt 'two per cent are too far' parts 0 '' "$(awk "BEGIN { print $b * 1.02 }")"

refuses_class() { # TEXT LINE...: nothing is graded
    text=$1
    shift
    rm -f out/exam/J/grades.csv
    class "$@" && ends_with 1 grade class.csv >said 2>wrong && shows wrong "class.csv: " "$text" && [ ! -e out/exam/J/grades.csv ]
}
attempt 'too few fields' refuses_class 'expected' "Ann,42,$answers" 'Bob,42'
attempt 'a word in place of a number' refuses_class 'row Bob, column 1a: found "abc"; expected a number' "Ann,42,$answers" "Bob,42,abc,${answers#*,}"
attempt 'no sheet' refuses_class 'student Bob: found no key out/exam/J/key-nan.csv' "Bob,,$answers"
attempt 'half a sheet' refuses_class 'found no key out/exam/J/key-42.5.csv' "Bob,42.5,$answers"
attempt 'a sheet without its key' refuses_class 'student Bob: found no key out/exam/J/key-999.csv; expected the one that ./gradus exam --seed 999 writes' "Ann,42,$answers" "Bob,999,$answers"
damaged() { echo '1a' >out/exam/J/key-44.csv && refuses_class 'found no key out/exam/J/key-44.csv' "Bob,44,$answers"; }
attempt 'a damaged key' damaged
attempt 'students without names' refuses_class 'names with a letter' "17,42,$answers"
other_sheet() {
    class "Bob,42,$answers" && sed '1s/$/,30a/; 2s/$/,1/' class.csv >more.csv && ends_with 1 grade more.csv >said 2>wrong &&
        shows wrong 'student Bob, column 30a' 'the sheet has no such answer'
}
attempt 'an answer that the sheet does not have' other_sheet
other_columns() { # LINE...: more names of columns than numbers, or fewer
    printf '%s\n' "$@" >columns.csv && ends_with 1 grade columns.csv 2>wrong && shows wrong 'columns.csv: ' 'row 1: found'
}
attempt 'fewer names than numbers' other_columns 'student,sheet' 'Bob,42,1'
attempt 'more names than numbers' other_columns 'student,sheet,1a' 'Bob,42'
no_sheets() { printf 'student,1a\nBob,1\n' >none.csv && ends_with 1 grade none.csv 2>wrong && shows wrong 'no column sheet'; }
attempt 'answers without sheets' no_sheets
windows() { class "Bob,42,$answers" && { printf '\357\273\277' && sed 's/$/\r/' class.csv; } >dos.csv && ends_with 0 grade dos.csv >said && shows said '100 %'; }
attempt 'a byte order mark and carriage returns' windows
attempt 'no file' ends_with 1 grade missing.csv
no_place() { class "Bob,42,$answers" && rm -rf out/exam/J/grades.csv && mkdir out/exam/J/grades.csv && ends_with 1 grade class.csv 2>wrong && shows wrong 'grades.csv'; }
attempt 'grades that cannot be written' no_place
done_testing
