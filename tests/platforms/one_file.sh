#!/bin/sh
# Tests of the library in one file, printed as TAP:  sh tests/platforms/one_file.sh SOURCE BUILD [COMPILER...]
#
# BUILD, a build folder, makes gradus.c and gradus.h. They compile with nothing but a compiler, and pass the tests of tensor,
# autograd and nn in float. In double, six of these tests; with the reference alone, the README's program. All is compiled
# with -O1, in a third of the time of -O3, with which ./gradus test --cross native compiles and runs every test in float.
set -u
source=$(cd "$1" && pwd) && build=$(cd "$2" && pwd) || exit 1
shift 2
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cc=${*:-cc}
one=$work/one
export GRADUS_LEVEL=-O1
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
sed -n '/^## A first program/,/^## Lectures/ { /^```c$/,/^```$/ { /^```/!p } }' "$source/README.md" >"$one/first.c"
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
links() { cd "$one" && $cc -I. "$@"; } # as ./gradus amalgamate says

attempt 'the tests of tensor, autograd and nn pass' passes float -- # compiled with -Wall -Wextra -Werror
attempt 'so do the tests of its kernels' again float -- kernels edge_gradients hidden
attempt "after ten steps the benchmark's models have the losses that they have in PyTorch" again float -- losses
attempt "the README's program links" links first.c "$work/float/gradus.o" -lm -o first
# Each kernel set of gradus.c, and whether this processor has its instructions.
cat >"$one/sets.c" <<'END'
#include "gradus.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    char names[200];
    tensor_set_kernels("none");
    snprintf(names, sizeof names, "%s", strstr(tensor_error(), "one of ") + strlen("one of "));
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", "))
        printf("%s %s\n", name, tensor_set_kernels(name) ? "runs" : "lacks");
}
END
sets() { links sets.c "$work/float/gradus.o" -lm -o sets && "$one/sets" >"$work/sets" && grep -q runs "$work/sets"; }
attempt 'gradus.c names its kernel sets' sets
while read -r set how <&3; do
    name="the README's program learns with the kernels $set"
    if [ "$how" = runs ]; then attempt "$name" learns env "GRADUS_KERNELS=$set" "$one/first"; else skip "$name" 'this processor lacks the instructions'; fi
done 3<"$work/sets"
attempt 'in double, ops, modules and files pass' passes double -DGRADUS_F64 -- ops golden modules golden_nn npy safetensors_types
attempt 'the reference alone is built' links -std=gnu11 -Wall -Wextra -Werror -DGRADUS_PLAIN first.c gradus.c -lm -o first-plain
attempt 'and the program learns' learns "$one/first-plain"
attempt 'gradus.h is C11 without extensions' links -std=c11 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only first.c
if command -v tcc >/dev/null; then
    tcc_builds() { cd "$one" && tcc -I. first.c gradus.c -lm -o first-tcc; }
    attempt 'tcc, which has no vectors, builds all of it' tcc_builds
    attempt 'and the program learns' learns "$one/first-tcc"
else
    skip 'tcc builds all of it' 'there is no tcc'
fi
done_testing
