#!/bin/sh
# Tests of one chapter of the lectures, printed as TAP:  sh tests/lectures/chapter.sh SOURCE PROGRAM FOLDER
#
# Every claim must hold. With `./gradus test --all` each must also fail under each of its faults and with poisoned kernels,
# and every figure is drawn, twice; otherwise those of one row, and one figure, once, which change from day to day.
set -u
source=$(cd "$1" && pwd) || exit 1
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
chapter=$source/lectures/$3
number=${3%%-*} number=${number#0}
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$work" || exit 1
# The chapters run side by side, so that more threads than one would compete for the processors.
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1

# ---- the claims ----------------------------------------------------------------------------------

holds_all() {
    "$program" claims "$number" --format tsv >claims.tsv
    status=$?
    cat claims.tsv
    return $status
}
attempt 'every claim holds' holds_all

lines_of_nine() { awk -F'\t' 'NF != 9 { print; wrong = 1 } END { exit wrong || NR < 2 }' claims.tsv; }
attempt 'tsv: a line a claim, of nine fields' lines_of_nine

# What is broken or poisoned: all rows, or today's.
rows() { tail -n +2 claims.tsv | cut -f 1 | sort -un; }
row=$(rows | sed -n "$(today "$(rows | wc -l)")p")
if all; then which='' chosen=claims.tsv; else
    which="--row $row" chosen=row.tsv
    awk -F'\t' -v row="$row" 'NR == 1 || $1 == row' claims.tsv >row.tsv
fi

# One process, so that what takes training is trained once.
# shellcheck disable=SC2086  # two words, or none
breaks() {
    "$program" claims "$number" $which --break all --format tsv >broken.tsv
    status=$?
    cat broken.tsv
    [ $status -eq 1 ] || return
    cut -f 1,2 $chosen | sort -u >held
    cut -f 1,2 broken.tsv | sort -u | diff held -
}
attempt "each claim has a fault, and fails under each: ${which:-all rows}" breaks

# With kernels that return one number, each claim fails but for those that list a reason, and these hold.
# shellcheck disable=SC2086  # two words, or none
poisoned() { "$program" claims "$number" $which --poison "$1" >poisoned || { cat poisoned && return 1; }; }
attempt "no claim holds without its reason when every kernel returns NaN: ${which:-all rows}" poisoned nan
attempt "nor when every kernel returns zero: ${which:-all rows}" poisoned zeros

# The shares that the notes show are those of the claims that there are, and each held every time.
shares_are_of_these_claims() {
    tail -n +2 "$chapter/shares.tsv" >shares
    cut -f 1-4 shares >stated
    tail -n +2 claims.tsv | cut -f 1,2,4,6 | diff stated - || return
    awk -F'\t' '$7 != "20 of 20" { print; wrong = 1 } END { exit wrong || NR < 2 }' shares
}
attempt 'shares.tsv has each claim of the chapter, holding in 20 of 20' shares_are_of_these_claims

# ---- exercises and questions ---------------------------------------------------------------------

exercises_are_open() {
    "$program" claims "$number" --try all --format tsv >open
    [ $? -eq 1 ] || return
    awk -F'\t' 'NR > 1 && $7 != "FAILS" { print; wrong = 1 } END { exit wrong || NR < 2 }' open
}
attempt 'every exercise fails before it is done' exercises_are_open
exercises_can_be_done() { "$program" claims "$number" --try all:solved >solved || { cat solved && return 1; }; }
attempt 'every exercise holds with its solution' exercises_can_be_done
# An exercise without a line would be one that has no wrong solution.
wrong_solutions_are_refused() {
    "$program" claims "$number" --try all:wrong --format tsv >refused
    [ $? -eq 1 ] || { cat refused && return 1; }
    cut -f 1,2 open | sort -u >exercises
    cut -f 1,2 refused | sort -u | diff exercises - && ! grep HOLDS refused
}
attempt 'every exercise fails with each of its wrong solutions' wrong_solutions_are_refused

# Each answer is followed by its claim, which is run: with --all all questions, otherwise those of today's row.
# shellcheck disable=SC2086  # two words, or none
key_is_right() {
    "$program" ask "$number" --key >key || return
    all || "$program" ask "$number" $which --key >key || return 0 # a row without questions
    "$program" ask "$number" $which --answers key --format tsv | awk -F'\t' 'NF != 8 { print; wrong = 1 }
        NR > 1 && ($5 != "right" || $8 != "HOLDS") { print; wrong = 1 } END { exit wrong || NR < 2 }'
}
attempt 'ask: the key answers every question rightly, and each claim holds' key_is_right

# ---- figures -------------------------------------------------------------------------------------

# A figure that the index links to is kept beside the notes.
figures_are_kept() {
    "$program" figures "$number" --list >names || return
    while read -r name; do
        [ -f "$chapter/pictures/$name.png" ] || { echo "no picture of $name" && return 1; }
    done <names
    [ -s names ]
}
attempt 'each figure is kept as a picture' figures_are_kept
figure=$(sed -n "$(today "$(wc -l <names)")p" names)
if all; then only=''; else only="--only $figure"; fi

# shellcheck disable=SC2086  # two words, or none
same_data() {
    "$program" figures "$number" $only --out one --format png || return
    all || return 0
    "$program" figures "$number" --out two --format svg || return
    find one -name '*.tsv' >tables
    while read -r table; do
        cmp "$table" "two/${table#one/}" || return
    done <tables
}
attempt "figures are drawn, with --all with the same data each time: ${only:-all}" same_data

drawn_whole() {
    find one -name '*.gp' | while read -r script; do
        [ -s "${script%.gp}.png" ] || { echo "no picture of $script" && return 1; }
    done && { ! all || [ -s "one/$(basename "$chapter")/contact.png" ]; }
}
if command -v gnuplot >/dev/null; then
    attempt 'each has its picture, and there is a sheet of all' drawn_whole
else
    skip 'each has its picture' 'no gnuplot'
fi

sounds_can_be_played() { python3 -c '
import glob, wave
for sound in map(wave.open, glob.glob("one/*/*.wav")):
    assert sound.getnchannels() == 1 and sound.getsampwidth() == 2 and sound.getnframes() > 0'; }
if command -v python3 >/dev/null; then
    attempt 'sounds beside the figures are .wav files of 16 bits that Python reads' sounds_can_be_played
else
    skip 'sounds can be played' 'no python3'
fi

done_testing
