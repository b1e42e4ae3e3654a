#!/bin/sh
# Programs on machines that lack something, printed as TAP:  sh tests/project/machines.sh SOURCE EXAMPLE TEST-PAGE TEST-TABLES [NO-THREADS]
#
# Each program has to work, or to say in one line what is missing. EXAMPLE is build/example-vae; NO-THREADS is a module
# that lets the start of every thread fail.
# shellcheck disable=SC3045  # ulimit -v is in the shells of all systems that have such a limit
set -u
source=$(cd "$1" && pwd) || exit 1
example=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
tests=$(cd "$(dirname "$3")" && pwd) page=$(basename "$3") tables=$(basename "$4")
no_threads=${5:-}
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
# shellcheck disable=SC2154  # $work is tap.sh's

# train OUT: a few steps of the example, without gnuplot; its table of losses is OUT/metrics.tsv.
train() { PATH=/nowhere "$example" --steps 4 --quiet --seed 1 --out "$1"; }

# losses OUT: the losses of the table.
losses() { awk -F '\t' '$2 == "train" { print $3 }' "$1/metrics.tsv"; }

# one_line WORDS COMMAND...: the command fails with one line, which has these words.
one_line() {
    words=$1
    shift
    ! "$@" >"$work/out" 2>"$work/err" || { echo "it does not fail" && return 1; }
    if [ "$(wc -l <"$work/err")" != 1 ] || ! grep -qF "$words" "$work/err"; then
        echo "expected one line with \"$words\"; found:" && cat "$work/err" && return 1
    fi
}

attempt 'on this machine' train "$work/plain"

without_home() { (unset HOME && env -i "$example" --steps 4 --quiet --seed 1 --out "$work/home"); }
attempt 'without a home folder, and without any variable' without_home
attempt 'the losses are the same' equal "$(losses "$work/plain")" "$(losses "$work/home")"

if [ -n "$no_threads" ] && [ -f "$no_threads" ]; then
    without_threads() { PATH=/nowhere LD_PRELOAD=$no_threads "$example" --steps 4 --quiet --seed 1 --threads 4 --out "$work/alone"; }
    attempt 'where no thread can be started' without_threads
    attempt 'the losses are the same' equal "$(losses "$work/plain")" "$(losses "$work/alone")"
else
    skip 'where no thread can be started' 'the module that makes it fail is not built here'
fi

# A limit of the address space is what a process sees of a small machine.
small() { (ulimit -v 262144 && OMP_NUM_THREADS=2 train "$work/small"); }
too_small() { (ulimit -v 262144 && exec "$example" --steps 1 --quiet --batch 8192 --hidden 4096 --out "$work/large"); }
if (ulimit -v 262144 && true) 2>/dev/null && [ -z "${GRADUS_SANITIZED:-}" ]; then
    attempt 'with 256 MB of memory' small
    attempt 'the losses are the same' equal "$(losses "$work/plain")" "$(losses "$work/small")"
    attempt 'a model that is too large for them is refused in one line' one_line memory too_small
else
    skip 'with 256 MB of memory' 'the address space cannot be limited here'
fi

# 200 characters with blanks and letters that are no ASCII; the file's name comes after them.
name='Übung mit Leerzeichen да 中文 '
while [ "${#name}" -lt 200 ]; do name="$name und noch mehr"; done
attempt 'a path of 200 characters with blanks and letters of every script' train "$work/$name"
attempt 'the losses are the same' equal "$(losses "$work/plain")" "$(losses "$work/$name")"

# /proc is read-only for root as well.
if [ -d /proc/self ]; then
    in_proc() { (cd /proc && train results); }
    attempt 'where nothing can be written, one line says where' one_line results in_proc
fi
echo a file >"$work/file"
attempt 'a file in the place of the folder is named' one_line "$work/file" train "$work/file/below"

# Programs begin in the C locale; a host that has set its own gets points from the library.
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    german() { LOCPATH=$work LC_ALL=de_DE.UTF-8 train "$work/german"; }
    attempt 'with decimal commas' german
    attempt 'the losses are the same, with points' equal "$(losses "$work/plain")" "$(losses "$work/german")"
    points() { LOCPATH=$work "$@" >"$work/tap" && ! grep SKIP "$work/tap"; }
    attempt 'a host with decimal commas gets pages with points' points "$tests/$page" 'numbers have a point'
    attempt 'a host with decimal commas gets tables with points' points "$tests/$tables" 'the hosts locale does not matter'
else
    skip 'with decimal commas' 'there is no localedef with de_DE here'
fi
done_testing
