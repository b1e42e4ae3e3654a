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
exam() { PATH=/nowhere "$program" exam "$@"; }

# ---- the command line ----------------------------------------------------------------------------

refuses() { # TEXT OPTIONS...
    text=$1
    shift
    ends_with 2 exam "$@" 2>said && shows said "$text"
}
attempt 'a course is needed' refuses '--course' --seed 1
attempt 'a course that does not exist is refused' refuses "found 'Q'" --course Q
attempt 'rows that are no numbers are refused' refuses "found 'x'" --course J --rows 4,x
attempt 'a kind that does not exist is refused' refuses "found 'none'" --course J --rows none
attempt 'a seed beside answers is refused' refuses 'the file has the sheets' --course J --grade x.csv --seed 2
no_kinds() { ends_with 1 exam --course B --rows 52-57 2>said && shows said 'no kind of question is left'; }
attempt 'rows that the course does not have are an error' no_kinds

only_these() {
    exam --course Z --seed 3 --rows 21-22,42,cosine --out rows >said &&
        grep -o 'Row [0-9]*' rows/Z/solution-3.md | sort -u >found && printf 'Row 21\nRow 22\nRow 42\nRow 7\n' | cmp - found
}
attempt 'rows and kinds can be chosen' only_these

# ---- files ---------------------------------------------------------------------------------------

writes() {
    exam --course J --seed 42 --minutes 30 >said && shows said 'there is no pdflatex' || return
    for name in sheet solution; do
        for end in md tex html; do [ -s out/exam/J/$name-42.$end ] || return; done
    done
    shows out/exam/J/sheet-42.html '<math display="inline"' &&
        shows out/exam/J/solution-42.md '[2 points]' 'Row ' &&
        shows out/exam/J/sheet-42.md 'Name: ' &&
        ! grep -qF 'points]' out/exam/J/sheet-42.md && ! grep -q '@' out/exam/J/*-42.md
}
attempt 'a sheet and its solutions are written' writes
same() {
    mv out/exam/J/sheet-42.md first.md && exam --course J --seed 42 --minutes 30 >said && cmp first.md out/exam/J/sheet-42.md
}
attempt 'the same seed writes the same sheet' same
columns() { # tokens are columns in B, rows in Z
    for letter in B Z; do exam --course $letter --rows project-query --out columns >said || return; done
    grep -q 'A token is .`x_t = .begin{pmatrix} [-0-9]* \\\\ [-0-9]* .end' columns/B/sheet-1.md && shows columns/B/sheet-1.md 'W_q x_t' &&
        grep -q 'A token is .`x_n = .begin{pmatrix} [-0-9]* & [-0-9]* .end' columns/Z/sheet-1.md && shows columns/Z/sheet-1.md 'x_n W^{(q)}'
}
attempt 'a course has its own symbols' columns
sets() { "$program" exam --course H --seed 5 --minutes 60 --out latex >said && shows said pdf && [ -s latex/H/sheet-5.pdf ] && [ -s latex/H/solution-5.pdf ]; }
if command -v pdflatex >/dev/null; then attempt 'LaTeX sets the sheet' sets; else skip 'LaTeX sets the sheet' 'no pdflatex'; fi
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
# A course's kinds are of rows that its path has, and each row but those with pictures only has a question.
is_taught() {
    for letter in V B H Z J; do
        sed -n 's/^Row \([0-9]*\) of .*/\1/p' many/$letter/solution-1.md | sort -un >asked
        sed -n 's/^predict \([0-9]*\) .*/\1/p' "$source/lectures/steps/paths/$letter.txt" | sort -n >path
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
code=$(sed -n '2s/^solution,42,\([^,]*\),.*/\1/p' $key)
answers=$(sed -n '2s/^solution,42,[^,]*,//p' $key)
grade() { exam --course J --minutes 30 --grade "$@"; }
right() { ends_with 0 grade $key >said && shows said 'mean 100 %' && grep -q '^"solution",42,\([0-9]*\),\1,' out/exam/J/grades.csv; }
attempt 'the right answers get all points' right
printed() { shows out/exam/J/sheet-42.md "sheet 42, code $code" && shows out/exam/J/solution-42.tex "sheet 42, code $code"; }
attempt 'the sheet has its code' printed

# class LINE...: answers with these lines below the names of sheet 42
class() { { head -n 1 $key && printf '%s\n' "$@"; } >class.csv; }
nobody() { class "Bob,42,,$(echo "$answers" | sed 's/[^,]*//g')" && grade class.csv >said && grep -q '^"Bob",42,0,' out/exam/J/grades.csv; }
attempt 'no answers get no points' nobody
several() { # two sheets, and a comma and quotation marks in a name
    exam --course J --seed 43 --minutes 30 >said && # its columns may be others
        class "\"Ann \"\"A\"\", B\",42,$code,$answers" "Zoe,43,," && sed -i "3s/\$/$(echo "$answers" | sed 's/[^,]*//g')/" class.csv &&
        ends_with 0 grade class.csv >said && shows said '2 students; mean 50 %' && shows out/exam/J/grades.csv '"Ann ""A"", B",42,' '"Zoe",43,0,'
}
attempt 'a class with two sheets' several

# A kind of which the points are known: (a) 2, (b) 3 points.
parts() { # POINTS A B
    printf 'student,sheet,1a,1b\n"Ann, A.",7,%s,%s\n' "$2" "$3" >parts.csv
    ends_with 0 exam --course Z --rows temperature --grade parts.csv >said &&
        shows out/exam/Z/grades.csv "\"Ann, A.\",7,$1,5,$1"
}
exam --course Z --rows temperature --seed 7 >said
a=$(sed -n '2s/.*,\([^,]*\),[^,]*$/\1/p' out/exam/Z/key-7.csv) b=$(sed -n '2s/.*,//p' out/exam/Z/key-7.csv)
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
attempt 'too few fields' refuses_class 'expected' "Ann,42,,$answers" 'Bob,42'
attempt 'a word in place of a number' refuses_class 'row Bob, column 1a: found "abc"; expected a number' "Ann,42,,$answers" "Bob,42,,abc,${answers#*,}"
attempt 'no sheet' refuses_class 'student Bob, column sheet: found nan; expected the number of a sheet' "Bob,,,$answers"
attempt 'a sheet that other options made' refuses_class 'made with these options' "Bob,42,999,$answers"
attempt 'students without names' refuses_class 'names with a letter' "17,42,,$answers"
other_sheet() {
    class "Bob,42,,$answers" && sed '1s/$/,30a/; 2s/$/,1/' class.csv >more.csv && ends_with 1 grade more.csv >said 2>wrong &&
        shows wrong 'student Bob, column 30a' 'the sheet has no such answer'
}
attempt 'an answer that the sheet does not have' other_sheet
other_columns() { # LINE...: more names of columns than numbers, or fewer
    printf '%s\n' "$@" >columns.csv && ends_with 1 grade columns.csv 2>wrong && shows wrong 'columns.csv: ' 'row 1: found'
}
attempt 'fewer names than numbers' other_columns 'student,sheet' 'Bob,42,,1'
attempt 'more names than numbers' other_columns 'student,sheet,code,1a' 'Bob,42'
no_sheets() { printf 'student,1a\nBob,1\n' >none.csv && ends_with 1 grade none.csv 2>wrong && shows wrong 'found no column sheet'; }
attempt 'answers without sheets' no_sheets
windows() { class "Bob,42,,$answers" && { printf '\357\273\277' && sed 's/$/\r/' class.csv; } >dos.csv && ends_with 0 grade dos.csv >said && shows said '100 %'; }
attempt 'a byte order mark and carriage returns' windows
attempt 'no file' ends_with 1 grade missing.csv
no_place() { rm -rf out/exam/J/grades.csv && mkdir out/exam/J/grades.csv && ends_with 1 grade $key 2>wrong && shows wrong 'grades.csv'; }
attempt 'grades that cannot be written' no_place

# ---- one's own questions -------------------------------------------------------------------------

cat >mine.txt <<'END'
kind mine row 21 level 1 minutes 2
draw a = [3, 4]
ask
  What is $@a^2$, 100 % & all_of it?
step 2 s = a^2
check ag_mul(a, a)
name $@a^2$
  $@a \cdot @a @=s$.
END
# shellcheck disable=SC2016  # formulas
own() { exam --course J --questions mine.txt --rows mine --out own >said && shows own/J/sheet-1.md 'What is $`3^2`$, 100 % & all_of it?' &&
    shows own/J/sheet-1.tex 'What is $3^2$, 100 \% \& all\_of it?'; }
attempt 'a file of questions of one'"'"'s own' own
own_windows() { sed 's/$/\r/' mine.txt >dos.txt && exam --course J --questions dos.txt --rows mine --out dos >said && cmp own/J/solution-1.tex dos/J/solution-1.tex; }
attempt 'and one with carriage returns' own_windows
own_wrong() { sed 's/s = a^2/s = a^3/' mine.txt >wrong.txt && ends_with 1 exam --course J --questions wrong.txt --rows mine --out own 2>said && shows said 'wrong.txt:6: ' 'the library computes'; }
attempt 'a wrong solution of one'"'"'s own is named with its line' own_wrong
done_testing
