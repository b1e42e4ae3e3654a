#!/bin/sh
# Command lines that are refused at once:  sh tests/project/command_lines.sh SOURCE LECTURES BENCH GRADER EXAMPLE...
#
# Two tables, each over every program: an empty value of any option, and a place where no file can be written. A program
# that looks at either only after its training (10^9 steps here) is stopped after LIMIT seconds, which fails the case.
set -u
source=$(cd "$1" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
LIMIT=${LIMIT:-60}
here() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
lectures=$(here "$2") bench=$(here "$3") grader=$(here "$4")
shift 4
for program in "$@"; do # in absolute form, since the tests run in a folder of their own
    shift
    set -- "$@" "$(here "$program")"
done
homework=$source/lectures/homework
export OMP_NUM_THREADS=1 GRADUS_INSTALL=no

# refused TEXT COMMAND...: it ends with status 2 before LIMIT, and its one line says TEXT.
refused() {
    text=$1
    shift
    timeout "$LIMIT" "$@" >refused.txt 2>&1 </dev/null
    found=$?
    [ $found -eq 2 ] || { echo "status $found; expected 2: $*" && tail -n 3 refused.txt && return 1; }
    shows refused.txt "$text"
}

# ---- empty values --------------------------------------------------------------------------------------

# valued COMMAND...: the names of its options that take a value, as its --help lists them.
valued() { "$@" --help | sed -n 's/^  --\([a-z0-9-]*\)[ =[]\{1,2\}[A-Z].*/\1/p'; }

# no_empty_value LEAST COMMAND...: each of its options is refused when its value is empty; there are LEAST or more.
no_empty_value() {
    least=$1 number=0
    shift
    for option in $(valued "$@"); do
        refused "--$option" "$@" "--$option=" || return
        number=$((number + 1))
    done
    [ $number -ge "$least" ] || { echo "found $number options; expected $least or more" && return 1; }
}

# The options of the grader take their value as the next word.
no_empty_word() {
    for option in format out test seed case overlay all jobs due roster late-days late-percent; do
        refused "--$option" "$grader" "$homework" "$work/cache" grade hw1 hw1.c "--$option" '' || return
    done
}

no_empty_word_launcher() {
    refused '--seed' python3 "$source/tests/project/mutate.py" "$source" "$work/mutants" --seed '' &&
        refused 'seconds' sh "$source/tests/fuzz/fuzz.sh" "$source" "$work/fuzz" '' &&
        refused 'DIR' sh "$source/data/fetch.sh" "$source/data/public.txt" mnist ''
}

cd "$work" || exit 1
printf '1,2\n3,4\n' >table.csv
for program in "$@"; do
    attempt "$(basename "$program"): no empty value" no_empty_value 4 "$program"
done
for command in 'claims 4:8' 'ask 4:4' 'figures 4:6' 'lecture 4:2' 'steps:3' 'mystery:2' 'exam --course=J:7'; do
    # shellcheck disable=SC2086  # a list of words
    attempt "lectures ${command%:*}: no empty value" no_empty_value "${command#*:}" "$lectures" ${command%:*}
done
for kind in heatmap:7 page:4; do
    attempt "plot ${kind%:*}: no empty value" no_empty_value "${kind#*:}" "${lectures%lectures}plot" "${kind%:*}" table.csv
done
attempt 'bench: no empty value' no_empty_value 3 "$bench"
for option in only python threads seconds rounds; do
    attempt "compare.py: no empty --$option" refused "--$option" python3 "$source/tests/bench/compare.py" "$bench" "--$option="
done
attempt 'the grader: no empty value' no_empty_word
attempt 'scripts of the launcher: no empty value' no_empty_word_launcher

# ---- places where nothing can be written -----------------------------------------------------------------

mkdir folder && mkfifo pipe && : >file
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null || mkfifo socket

# Each place that --save and its like refuse, and that --out and its like refuse: for the superuser, too.
no_file='folder pipe socket /dev/null file/weights.st /proc/none/weights.st'
no_folder='file pipe socket /dev/null file/folder /proc/none'

# no_place PLACES COMMAND...: the command is refused with each of the places as its last word, "=" before it.
no_place() {
    places=$1
    shift
    words=$*
    for place in $places; do
        # shellcheck disable=SC2086  # a list of words
        refused "$place" $words"$place" || return
    done
    # What is there is as it was.
    [ -d folder ] && [ -p pipe ] && [ -c /dev/null ] && [ -f file ] && [ ! -s file ] && [ -z "$(ls folder)" ]
}

for program in "$@"; do
    name=$(basename "$program")
    case $name in
    *equivariance | *pretrained) # they train nothing
        attempt "$name: --out is tried before anything else" no_place "$no_folder" "$program" --quiet --out=
        continue
        ;;
    esac
    attempt "$name: --save is tried before training" no_place "$no_file" "$program" --quiet --steps 1000000000 --out "out/$name" --save=
    attempt "$name: --out is tried before training" no_place "$no_folder" "$program" --quiet --steps 1000000000 --out=
done

# What an example writes into --out all along is a regular file, too: a pipe would wait for a reader.
no_pipe_of_metrics() {
    mkdir -p out/piped && mkfifo out/piped/metrics.tsv || return
    timeout "$LIMIT" "$1" --quiet --steps 1000000000 --out out/piped >refused.txt 2>&1
    [ $? -eq 1 ] && shows refused.txt 'metrics.tsv: found no regular file'
}
for program in "$@"; do
    case $program in
    *-vae) attempt 'the table of metrics is a regular file' no_pipe_of_metrics "$program" ;;
    esac
done

attempt 'lectures figures: --out' no_place "$no_folder" "$lectures" figures 4 --out=
attempt 'lectures exam: --out' no_place "$no_folder" "$lectures" exam --course J --out=
attempt 'plot: --out' no_place 'file/table /proc/none/table' "${lectures%lectures}plot" heatmap table.csv --out=
attempt 'plot page: --out' no_place "$no_file" "${lectures%lectures}plot" page table.csv --out=

cp "$homework"/hw1-tensor-ops/solution/hw1.c hw1.c 2>/dev/null || : >hw1.c
mkdir class && : >class/one.c
at_the_grader() {
    for place in $no_file; do
        refused "$place" "$grader" "$homework" "$work/cache" grade hw1 hw1.c --out "$place" &&
            refused "$place" "$grader" "$homework" "$work/cache" gradescope hw1 "$place" || return
    done
    for place in $no_folder; do
        refused "$place" "$grader" "$homework" "$work/cache" grade hw1 --all class --out "$place" &&
            refused "$place" "$grader" "$homework" "$work/cache" handout hw1 "$place" || return
    done
    [ -d folder ] && [ -p pipe ] && [ -c /dev/null ] && [ -f file ] && [ ! -s file ]
}
attempt 'grade, handout and gradescope' at_the_grader
done_testing
