#!/bin/sh
# Builds the library's tests against gradus.c and runs them:
#
#   sh tests/platforms/suite.sh SOURCE ONE OUT 'COMPILER FLAGS' 'LIBRARIES' 'RUN' [NAME...]
#
# ONE is a folder with gradus.c and gradus.h (./gradus amalgamate). The compiler makes gradus.c with -O3 -Werror, its invariants checked, and with
# -O0 the tests of tensor, autograd, nn and data, with tests/kernels/neon/CUnit in place of CUnit, in the folder OUT. RUN
# are the words before a program, an emulator for example; "none" builds without running. NAMEs select tests: arena,
# gemm; without one, all of these folders run, and losses: those of the benchmark's models before and after ten steps, which
# are PyTorch's (tests/bench/torch_check.tsv) within 1e-5. GRADUS_LOSSES=train_ takes all models, and not the five small ones.
# Where no emulator slows them, four tests of the float kernels run as well.
# GRADUS_COMPILED=yes: OUT has gradus.o of this command already.
#
# Prints "seconds N", the processor time of gradus.c; a line "built NAME" for each test, and "passed NAME CASES" or
# "failed NAME". Ends with status 1 if something could not be built or failed. The output of a test is OUT/NAME.tap.
set -u
source=$(cd "$1" && pwd) && one=$(cd "$2" && pwd) || exit 1
out=$3 cc=$4 libraries=$5 run=$6
shift 6
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
flags="-std=gnu11 -Wall -Wextra -I$source -I$source/tests -I$source/tests/kernels/neon"
cd "$source" || exit 1

# library FILE...: the folders' files that tests share, compiled two at a time, in OUT/support.a.
library() {
    mkdir -p "$out/support"
    printf '%s\n' "$@" | grep -v '/windows' | xargs -P 2 -I{} sh -c "$cc $flags -O0 -DGRADUS_INSIDE -c {} -o $out/support/\$(echo {} | tr / -).o" &&
        "${cc%% *}" --version >"$out/compiler.txt" 2>&1 && rm -f "$out/support.a" && ar rcs "$out/support.a" "$out"/support/*.o
}

# Compiles gradus.c and what the tests share.
# shellcheck disable=SC2086,SC2046  # lists of words
compile() {
    times >"$out/begun.txt" # of this shell, and of the commands that it has run
    CCACHE_DISABLE=1 $cc -std=gnu11 -Wall -Wextra -Werror "${GRADUS_LEVEL:--O3}" -DGRADUS_INVARIANTS -c "$one/gradus.c" -o "$out/gradus.o" || return
    times >"$out/ended.txt"
    awk 'FNR == 2 { split($1, part, /[ms]/); spent = 60 * part[1] + part[2] - spent } END { printf "seconds %.0f\n", spent }' \
        "$out/begun.txt" "$out/ended.txt"
    library $(find tests/harness tests/tensor tests/autograd tests/nn tests/data -name '*.c' ! -name 'test_*' ! -name runner.c) data/corpora/*.c
}
[ -n "${GRADUS_COMPILED:-}" ] || compile || exit 1
[ $# -gt 0 ] || for folder in tensor autograd nn data; do
    for file in tests/"$folder"/test_*.c; do
        file=${file##*/test_}
        set -- "$@" "${file%.c}"
    done
    [ "$folder" != data ] || set -- "$@" losses
    [ "$folder$run" = data ] || continue
    case $cc in *-DGRADUS_*) ;; *) set -- "$@" gemm kernels edge_gradients hidden ;; esac
done

cat >"$out/one.sh" <<'SCRIPT'
name=$1 out=$2 cc=$3 libraries=$4 run=$5
test=$(ls tests/*/"test_$name.c" 2>/dev/null) files=tests/harness/runner.c words=''
[ "$name" != losses ] || {
    test=tests/platforms/losses.c files='tests/bench/train.c'
    words=$(cut -f 1 tests/bench/torch_check.tsv | grep -E "${GRADUS_LOSSES:-tiny|nanogptcpu|vit_28p7|vae|mlp}" | tr '\n' ' ')
}
$cc -O0 -o "$out/test-$name" $test $files "$out/support.a" "$out/gradus.o" $libraries >"$out/$name.tap" 2>&1 ||
    { echo "failed $name (not built)"; exit 1; }
echo "built $name"
[ "$run" != none ] || exit 0

# Writes "ok" in front of each line of losses that PyTorch's are equal to, and fails if there is another line, or none.
compared() {
    awk 'NR == FNR { first[$1] = $2; last[$1] = $3; next }
        function near(a, b) { return (a > b ? a - b : b - a) <= 1e-5 * (b > 1 ? b : 1) }
        { good = $1 in first && near($2, first[$1]) && near($3, last[$1]); bad += !good }
        { print good ? "ok - " $0 : "not ok - " $0 "; PyTorch: " first[$1] " " last[$1] }
        END { exit bad || FNR == 0 }' tests/bench/torch_check.tsv "$1"
}
# 900 seconds of processor time: on a busy machine an emulator may wait for longer.
(ulimit -t 900 && GRADUS_SOURCE=$PWD timeout 3600 ${run:-env} "$out/test-$name" $words) >"$out/$name.tap" 2>&1
status=$?
[ "$name" != losses ] || { mv "$out/losses.tap" "$out/losses.txt" && compared "$out/losses.txt" >"$out/losses.tap" || status=1; }
[ $status -eq 0 ] && echo "passed $name $(grep -c '^ok' "$out/$name.tap")" || { echo "failed $name"; exit 1; }
SCRIPT
printf '%s\n' "$@" | xargs -P 2 -I{} sh "$out/one.sh" {} "$out" "$cc $flags" "$libraries" "$run"
