#!/bin/sh
# Tests of the library in one file, printed as TAP:  sh tests/platforms/one_file.sh SOURCE BUILD [COMPILER...]
#
# BUILD, a build folder, makes gradus.c and gradus.h. They compile with nothing but a compiler, in at most a minute of
# processor time, and pass the tests of tensor, autograd and nn, in float and in double, and with the reference alone.
set -u
source=$(cd "$1" && pwd) && build=$(cd "$2" && pwd) || exit 1
shift 2
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cc=${*:-cc}
one=$work/one
[ -z "${FLAGS:-}" ] || skip_all "the library in one file is tested without $FLAGS"

make_one() { meson compile -C "$build" amalgamation && mkdir "$one" && cp "$build/.launcher/gradus.c" "$build/.launcher/gradus.h" "$one"; }
attempt 'gradus.c and gradus.h are made' make_one

# Two files are all: every other file that they name is the system's.
alone() {
    grep -h '^ *# *include *"' "$one/gradus.c" "$one/gradus.h" >"$work/includes"
    [ "$(cat "$work/includes")" = '#include "gradus.h"' ]
}
attempt 'they include no other file of the project' alone

# shellcheck disable=SC2016  # backquotes, not commands
sed -n '/^## A first program/,/^## Lectures/ { /^```c$/,/^```$/ { /^```/!p } }' "$source/README.md" | sed 's/<gradus.h>/"gradus.h"/' >"$one/first.c"
# learns PROGRAM: the README's program prints four losses, the last far below log 2, the loss of a model that guesses.
learns() { "$@" | tee "$work/losses" | awk '{ last = $2 } END { exit !(NR == 4 && $1 == 200 && last > 0 && last < 0.1) }'; }

# passes NAME FLAG... -- TEST...: the tests pass, compiled with these flags; without TEST, those of tensor, autograd and nn.
passes() {
    name=$1 flags=''
    shift
    while [ "$1" != -- ]; do flags="$flags $1" && shift; done
    shift
    [ $# -gt 0 ] || for folder in tensor autograd nn; do
        for file in "$source/tests/$folder"/test_*.c; do file=${file##*/test_} && set -- "$@" "${file%.c}"; done
    done
    sh "$source/tests/platforms/suite.sh" "$source" "$one" "$work/$name" "$cc$flags" "-lm -pthread" '' "$@" >"$work/$name.txt" 2>&1
    cat "$work/$name.txt"
    [ "$(grep -c '^passed' "$work/$name.txt")" -eq $# ]
}
# again NAME FLAG... -- TEST...: the same with what was compiled for NAME before.
again() {
    export GRADUS_COMPILED=yes
    passes "$@"
    status=$?
    unset GRADUS_COMPILED
    return $status
}
in_a_minute() { awk '$1 == "seconds" { found = 1; if ($2 > 60) exit 1 } END { exit !found }' "$work/float.txt"; }
links() { cd "$one" && $cc "$@"; }

attempt 'the tests of tensor, autograd and nn pass' passes float -- # compiled with -O3 -Wall -Wextra -Werror
attempt 'gradus.c compiles in at most 60 s of processor time' in_a_minute
attempt 'so do the tests of its kernels' again float -- gemm kernels edge_gradients hidden
attempt "after ten steps the benchmark's models have the losses that they have in PyTorch" again float -- losses
attempt "the README's program links" links first.c "$work/float/gradus.o" -lm -o first
for set in $(cd "$one" && GRADUS_KERNELS=none ./first 2>&1 | sed -n 's/.*expected one of //p' | tr -d ,); do
    if GRADUS_KERNELS=$set "$one/first" 2>&1 | grep -q lacks; then
        skip "the README's program learns with the kernels $set" 'this processor lacks the instructions'
    else
        attempt "the README's program learns with the kernels $set" learns env "GRADUS_KERNELS=$set" "$one/first"
    fi
done
attempt 'in double, ops, modules and files pass' passes double -DGRADUS_F64 -- ops golden modules golden_nn npy safetensors_types
attempt 'the reference alone passes' passes plain -DGRADUS_PLAIN -- tensor safetensors parallel ops golden nn
attempt 'gradus.h is C11 without extensions' links -std=c11 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only first.c
if command -v tcc >/dev/null; then
    tcc_builds() { cd "$one" && tcc first.c gradus.c -lm -o first-tcc; }
    attempt 'tcc, which has no vectors, builds all of it' tcc_builds
    attempt 'and the program learns' learns "$one/first-tcc"
else
    skip 'tcc builds all of it' 'there is no tcc'
fi
done_testing
