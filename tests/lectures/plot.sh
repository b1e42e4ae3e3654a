#!/bin/sh
# Tests of the command `plot`, printed as TAP:  sh tests/lectures/plot.sh SOURCE PROGRAM
# What each kind of picture is drawn from, what it says, and its answers to wrong files and options.
set -u
source=$(cd "$1" && pwd) || exit 1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive
golden=$source/tests/golden/npy

# draws KIND ARGUMENTS...: the command succeeds; its messages are in `heard`.
draws() { "$program" "$@" --format svg >heard 2>&1 || { cat heard && return 1; }; }

# says STATUS TEXT KIND ARGUMENTS...: the command ends with this status, and says the text.
says() {
    wanted=$1 text=$2 status=0
    shift 2
    "$program" "$@" >heard 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || { echo "ended with $status, not $wanted" && cat heard && return 1; }
    shows heard "$text"
}

# ---- files -----------------------------------------------------------------------------------------

plain_table() {
    printf '1,0\r\n0.25,0.75\r\n' >plain.csv
    printf 'a, b\nthe "second"\n' >labels
    draws heatmap plain.csv --labels labels --out p/plain || return
    printf ',"a, b","the ""second"""\r\n"a, b",1,0\r\n"the ""second""",0.25,0.75\r\n' | cmp - p/plain.csv
}
attempt 'heatmap takes a bare table with labels beside it' plain_table

# same_numbers FILE OPTION...: the same table again.
same_numbers() { draws heatmap "$@" --out p/same && cmp p/plain.csv p/same.csv; }
attempt 'and a table with labels of its own' same_numbers p/plain.csv
attempt 'and a NumPy array' same_numbers p/plain.npy --labels labels
tabs() { printf '\ta, b\t"the ""second"""\na, b\t1\t0\n"the ""second"""\t.25\t0.75\n' >t.tsv && same_numbers t.tsv; }
attempt 'and a table with tabs' tabs
blanks() { mkdir -p 'größe 1' && cp p/plain.npy 'größe 1/über uns.npy' && cp labels 'größe 1/l' && same_numbers 'größe 1/über uns.npy' --labels 'größe 1/l'; }
attempt 'and a file whose name has blanks and letters beyond ASCII' blanks

from_archive() { draws heatmap "$golden/$1" --name A --out p/npz && printf ',1,2,3\r\n1,-2,-1,0\r\n2,1,2,3\r\n' | cmp - p/npz.csv; }
attempt 'an array of an .npz archive, by its name' from_archive stored.npz
attempt 'a file of several arrays says which it holds' \
    says 1 'stored.npz holds 3 arrays: A, k, half; expected the name of one: --name NAME' heatmap "$golden/stored.npz"
attempt 'so it does for a name that it lacks' says 1 'holds 3 arrays: A, k, half; expected one with the name B' \
    heatmap "$golden/stored.npz" --name B
attempt 'an error begins with the command, not with a C file' says 1 './gradus plot heatmap: none.npy: cannot open' heatmap none.npy
attempt 'a file of another kind is refused' says 1 'labels: expected a file that ends in .npy' heatmap labels
attempt 'a file of safetensors says what it holds, with shapes' says 1 'expected the name of one: --name NAME' \
    heatmap "$source/tests/golden/attention.safetensors"

refuses_table() { # MESSAGE, then the table
    printf '%b' "$2" >bad.csv
    says 1 "$1" heatmap bad.csv --out p/bad
}
attempt 'a word among the numbers is named with row and column' refuses_table 'row 2, column 1: found "x"' '1,2\nx,3\n'
attempt 'so is a line that is too long' refuses_table 'found more than 2 numbers' '1,2\n1,2,3\n'
attempt 'or too short' refuses_table 'found 1 numbers; expected 2' '1,2\n1\n'
attempt 'an empty table is refused' refuses_table 'found no numbers' ''
printf 'a\nb\nc\n' >three_labels
attempt 'labels must be as many as rows' says 1 'three_labels: found 3 labels; expected 2' heatmap plain.csv --labels three_labels

# ---- what is heard ----------------------------------------------------------------------------------

printf -- '-8,1\n2,6\n' >scores.csv
own_range() { draws heatmap scores.csv --out p/own && grep -q 'cbrange \[-8:6\]' p/own.gp && ! grep -qE "'(query|key|attention weight)'" p/own.gp; }
attempt 'the range is that of the numbers, and nothing has a name that is not known' own_range
outside() {
    draws heatmap scores.csv --range 0:4 --out p/outside &&
        shows heard 'above 4, the end of the scale: 1 of 4 numbers' 'below 0, the beginning of the scale: 1 of 4 numbers' &&
        shows p/outside.gp "'> 4'" "'< 0'"
}
attempt 'numbers outside of the range are counted and marked' outside
printf '1,2\n,4\n' >nan.csv
attempt 'an empty field is not a number' says 0 'not finite: 1 of 4 numbers' heatmap nan.csv --format svg
printf 'nan\n' >none.csv
attempt 'a cell alone that is no number is refused' says 1 'has one cell, which is no finite number' heatmap none.csv --format svg
printf 'a "b"\nc\n' >quoted
quoted() { draws heatmap plain.csv --labels quoted --out p/quoted && shows p/quoted.tsv '"a ""b"""'; }
attempt 'quotes in labels are drawn as they are' quoted
titled() { draws heatmap plain.csv --title Above --out p/title && grep -q Above p/title.gp && draws heatmap plain.csv --title Above --no-title --out p/title && ! grep -q Above p/title.gp; }
attempt '--no-title leaves the title out' titled
ended() { draws heatmap plain.csv --out p/ended.png && [ -f p/ended.svg ] && [ ! -e p/ended.png.gp ]; }
attempt '--out may end as a picture does' ended

# ---- the kinds -------------------------------------------------------------------------------------

printf '0.5,0.5\n0.1,0.9\n' >a.csv
attempt 'arcs begin at the word of --row' draws arcs a.csv --labels labels --row 'a, b' --out p/arcs
linked() {
    draws links a.csv --labels labels --out p/links && draws links a.csv --labels labels --row 2 --out p/link &&
        fails "$program" plot links a.csv --row 3
}
attempt 'links are drawn of all queries, or of one' linked
attempt 'arcs without --row end with the rows there are' says 1 'expected --row, the word where the arcs begin: 1 to 2' arcs a.csv
printf ',x,y\none,1,2\ntwo,3,4\n' >b.csv
legend() { draws bars b.csv --out p/bars && shows p/bars.gp "'x'" "'y'" && shows p/bars.tsv one two; }
attempt 'bars of a table with several columns have a legend' legend
attempt 'a bar beyond the range is said' says 0 'above 3, the end of the scale: 1 numbers, whose bars have a gap' bars b.csv --range 0:3 --format svg
printf 'a,-3\nb,1\n' >minus.csv
below_0() { draws bars minus.csv --out p/minus && head -1 p/minus.tsv | grep -q '^1	-3	a$'; }
attempt 'bars below 0' below_0
attempt 'bars begin at 0' says 2 'since bars begin at 0' bars b.csv --range 1:3
printf 'step,loss\n0,5\n10,2\n20,0.4\n' >run.csv
run() { draws curves run.csv --log --out p/run && shows p/run.gp "set xlabel 'step'" && head -2 p/run.tsv | tail -1 | grep -q '^10	2$' && grep -q 'logscale y' p/run.gp; }
attempt 'curves of a table: x is a first column that rises, and its name is that of the axis' run
named() { draws curves run.csv --x epoch --out p/run && shows p/run.gp "set xlabel 'epoch'" && ! grep -q "xlabel 'step'" p/run.gp; }
attempt '--x names the axis otherwise' named
printf 'Wall time,loss\n1717000000.25,5\n1717000001.5,2\n1717000002.75,1\n' >wall.csv
wall() { draws curves wall.csv --at 'Wall time' --out p/wall && shows p/wall.tsv 1717000000.25 1717000001.5 1717000002.75 && shows p/wall.gp "set format x '%.12g'"; }
attempt 'seconds of a clock stay apart' wall
{ printf '\223NUMPY\001\000\166\000' && printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }" &&
    printf '\000\000\020\320\325\225\331\101\000\000\140\320\325\225\331\101\000\000\260\320\325\225\331\101'; } >wall.npy
doubles() { draws curves wall.npy --out p/array && shows p/array.tsv 1717000000.25 1717000001.5 1717000002.75; }
attempt 'and those of an array of doubles' doubles
printf 'epoch,step,train,val\n0,9,5,\n0,9,,6\n1,19,3,\n1,19,,4\n' >lightning.csv
joined() { draws curves lightning.csv --at step --join --out p/join && tr '\t\n' '  ' <p/join.tsv | grep -q '9 5 19 3   9 6 19 4'; }
attempt 'metrics on alternating rows are joined' joined
same() { printf '%b' "$1" >"same.$2" && draws curves "same.$2" --at step --out p/same && tr '\t\n' '  ' <p/same.tsv | grep -q "$3"; }
attempt 'semicolons with decimal commas' same 'step;loss\n1;2,5\n2;2,25\n' csv '1 2.5 2 2.25'
attempt 'semicolons with decimal points' same 'step;loss\n1;2.5\n2;2.25\n' csv '1 2.5 2 2.25'
attempt 'tabs with decimal commas' same 'step\tloss\n1\t2,5\n2\t2,25\n' tsv '1 2.5 2 2.25'
attempt 'NA, empty cells, remarks, quoted line ends' same '# a run\n# of May\nstep,"loss\n(mean)"\n1,NA\n# here\n2,2.25\n3,\n' csv '1 nan 2 2.25 3 nan'
attempt 'the header of NumPy, which begins with #' same '# step,loss\n1,2.5\n2,2.25\n' csv '1 2.5 2 2.25'
attempt 'UTF-16 with a mark' same '\0377\0376s\0000t\0000e\0000p\0000,\0000l\0000\n\00001\0000,\00002\0000\n\00002\0000,\00003\0000\n\0000' csv '1 2 2 3'
attempt 'UTF-16 in the other order' same '\0376\0377\0000s\0000t\0000e\0000p\0000,\0000l\0000\n\00001\0000,\00002\0000\n' csv '1 2'
refuses_same() { printf '%b' "$2" >two.csv && says 1 "$1" curves two.csv; }
attempt 'a table that can be read in two ways is refused' refuses_same 'can be read in two ways: columns between semicolons with decimal commas, or columns between commas' '1;2,5\n3;4,5\n'
attempt 'decimal points and commas in one table are refused' refuses_same 'found numbers with a decimal point and numbers with a decimal comma' 'a;b\n1,5;2.5\n'
attempt 'a decimal comma between commas is refused' refuses_same 'decimals after a point, or columns between semicolons' 'loss\n2,5\n2,25\n'
printf 'epoch,loss\n0,5\n1,2\n' >epochs.csv
differ() { draws curves run.csv epochs.csv --out p/run && ! grep -q 'set xlabel' p/run.gp; }
attempt 'an axis of tables whose columns differ in name has none' differ
two_runs() { cp run.csv other.csv && draws curves run.csv other.csv --legend A,B --out p/runs && shows p/runs.gp "'A'" "'B'"; }
attempt 'curves of several files, with names' two_runs
attempt 'a curve beyond the range is said' says 0 'outside of the y axis, 1 to 4: 2 numbers' curves run.csv --range 1:4 --format svg
# Arrays in NumPy's format: a header of 118 bytes after the first 10, and numbers that begin with the lowest byte.
array() { # FILE SHAPE NUMBERS
    { printf '\223NUMPY\001\000v\000' && printf '%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': $2, }" && printf '%b' "$3"; } >"$1"
}
ones() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "\\0001" }'; }
lines() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "animal" }'; }
array heads.npy '(4, 6, 9, 9)' "$(ones 1944)"
array many.npy '(4, 6, 30, 30)' "$(ones 21600)"
lines 9 >nine
lines 30 >thirty
grid() { draws heads heads.npy --labels nine --out p/grid && [ "$(grep -c "every 1 .*with labels" p/grid.gp)" -eq 2 ] && ! grep -q label heard; }
attempt 'a grid of 4 x 6 heads of 9 words has the words at its edges' grid
crowded() {
    draws heads many.npy --labels thirty --out p/grid && grep '^.*gradus plot' heard >said && mv said heard &&
        shows heard 'no space for the labels of the columns and the rows: of 14 points' \
            '--item 1 to 4 draws one layer'
}
attempt 'where words have no space, the size at which they have is said' crowded
page_of_files() {
    "$program" page p/plain.npy plain.csv --labels labels --out p/two.html >heard 2>&1 && shows p/two.html '"title":"plain.csv"' "$(head -n 1 labels)"
}
attempt 'a page of two files' page_of_files
attempt 'a page needs as many labels as rows' says 1 'found 3 labels; expected 2' page plain.csv --labels three_labels --out p/none.html

# ---- options ---------------------------------------------------------------------------------------

attempt 'an option that a kind cannot use is refused by name' says 2 'plot bars cannot use --log; it uses --name --labels' bars b.csv --log
attempt 'a page cannot use a theme' says 2 'plot page cannot use --theme' page plain.csv --theme dark
attempt 'an unknown kind names those there are' says 2 'there are: heatmap, heads, arcs' pie plain.csv
attempt 'a kind without a file ends with 2' says 2 'expected a file: plot heatmap' heatmap
attempt 'a range the wrong way round' says 2 'expected LOW:HIGH' heatmap plain.csv --range 4:1
attempt 'a theme that is not there' says 2 'expected light, dark or print' heatmap plain.csv --theme pink
attempt 'a head that is not there' says 1 "--head: found 2; expected 1 to 1" heatmap plain.csv --head 2
attempt '--help of a kind lists what it can use' says 0 '--range' bars --help
same_help() { "$source/gradus" plot --help >launcher && "$program" --help | cmp - launcher; }
attempt 'the launcher lists the kinds as the program does' same_help
not_for_bars() { "$program" bars --help >heard && ! grep -q diverging heard; }
attempt 'and no more' not_for_bars
size() { draws heatmap plain.csv --size column --theme dark --out p/col && grep -q "svg size 640,480.*'#17171c'" p/col.gp; }
attempt 'size and theme reach the picture' size
print_signs() {
    draws heatmap scores.csv --diverging --theme print --out p/signs &&
        shows p/signs.gp "0 '#000000', 1 '#ffffff', 2 '#000000'" "(\$3 < 0 && \$3 >= " 'front fs transparent pattern 4'
}
attempt 'a diverging scale in print is grey, and hatched below 0' print_signs

done_testing
