#!/bin/sh
# Fuzzes every reader with libFuzzer and the sanitizers:  sh tests/fuzz/fuzz.sh SOURCE BUILD [SECONDS [TARGET...]]
#
# SOURCE is the project, BUILD a folder for its own build with clang, SECONDS (60) the time for each target. An input
# that makes a target fail is kept in BUILD/found/TARGET; a copy of it in tests/fuzz/seeds/TARGET becomes a test. The
# corpus that a target collects stays in BUILD/corpus/TARGET, from which the next run continues. Ends with "all targets
# passed"; status 1 when one failed, 77 without clang or libFuzzer.
set -u
[ $# -ge 2 ] || { echo 'usage: sh tests/fuzz/fuzz.sh SOURCE BUILD [SECONDS [TARGET...]]' >&2 && exit 2; }
source=$(cd "$1" && pwd) || exit 1
mkdir -p "$2" && build=$(cd "$2" && pwd) || exit 1
seconds=${3-60}
case $seconds in
*[!0-9]* | '') echo "fuzz.sh: found \"$seconds\" seconds; expected a whole number" >&2 && exit 2 ;;
esac
shift 2
[ $# -eq 0 ] || shift
targets=$*
[ -n "$targets" ] || targets=$(sed -n "s/^    '\([a-z0-9_]*\)': \[.*/\1/p" "$source/tests/fuzz/meson.build")

cc=${CLANG:-clang}
sanitizers=address,undefined
printf '#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *b, size_t n) { return b && n > 9; }\n' \
    >"$build/probe.c"
"$cc" -fsanitize=fuzzer,$sanitizers "$build/probe.c" -o "$build/probe" >/dev/null 2>&1 || {
    echo "fuzz.sh: found no $cc with libFuzzer; expected clang and its runtime libraries" >&2
    exit 77
}

# The library and the corpora, instrumented. No reader depends on the fast kernels: the reference kernels alone are
# compiled, which takes a minute instead of ten. The sanitizers' reports end the program.
flags="-g -O1 -std=gnu11 -fno-sanitize-recover=all -DGRADUS_INSIDE -I $source"
zlib=
! printf '#include <zlib.h>\nint main(void) { return !zlibVersion(); }\n' | "$cc" -x c - -lz -o "$build/probe" 2>/dev/null ||
    zlib=-DGRADUS_ZLIB
library=$build/library.a

# shellcheck disable=SC2016  # the inner shell expands its own arguments
build_library() {
    rm -rf "$build/objects" "$library" && mkdir "$build/objects" || return
    (cd "$source" && find tensor autograd nn data -name '*.c' ! -path 'tensor/kernels/simd/*' \
        ! -path 'nn/mpi/*' ! -name 'windows*.c' ! -name openmp.c ! -path tensor/threads/pool.c) |
        xargs -P 2 -I FILE sh -c '"$1" $2 -fsanitize=fuzzer-no-link,address,undefined -c "$3/FILE" \
            -o "$4/$(echo FILE | tr / _).o"' sh "$cc" "$flags $zlib" "$source" "$build/objects" || return
    ar rcs "$library" "$build"/objects/*.o
}
if [ ! -f "$library" ] || [ -n "$(cd "$source" && find tensor autograd nn data -name '*.[ch]' -newer "$library")" ]; then
    build_library >"$build/build.log" 2>&1 || { tail -30 "$build/build.log" && exit 1; }
fi

# compile TARGET: with the sources that tests/fuzz/meson.build names beside it.
# shellcheck disable=SC2086  # lists of words
compile() {
    more=$(sed -n "s/^    '$1': \[\(.*\)\],/\1/p" "$source/tests/fuzz/meson.build" | tr -d "',")
    (cd "$source/tests/fuzz" && "$cc" $flags -fsanitize=fuzzer,$sanitizers fuzz.c "$1.c" $more "$library" \
        -lm ${zlib:+-lz} -o "$build/fuzz-$1")
}

# run TARGET: from its seeds and what earlier runs collected. No reader may take 64 MB for a file of a few kilobytes. The
# time limit of an input is of the clock on the wall, so that it must allow for what else the machine does.
run() {
    mkdir -p "$build/corpus/$1" "$build/found/$1"
    set -- "$1" "$source/tests/fuzz/seeds/$1"
    case $1 in
    idx) set -- "$@" "$source/tests/golden/idx" ;;
    npy) set -- "$@" "$source/tests/golden/npy" ;;
    esac
    target=$1
    shift
    GRADUS_SOURCE=$source "$build/fuzz-$target" -max_total_time="$seconds" -max_len=4096 -timeout=60 \
        -malloc_limit_mb=64 -artifact_prefix="$build/found/$target/" -print_final_stats=1 \
        "$build/corpus/$target" "$@" >"$build/$target.log" 2>&1
}

failed=0
for target in $targets; do
    compile "$target" >"$build/$target.log" 2>&1 || { cat "$build/$target.log" && exit 1; }
    if run "$target"; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
        printf '%-12s passed, %s inputs\n' "$target" "$runs"
    else
        failed=$((failed + 1))
        printf '%-12s FAILED; the input is in %s\n' "$target" "$build/found/$target"
        grep -E 'ERROR|SUMMARY|does not hold|runtime error' "$build/$target.log" | head -3
    fi
done
[ $failed -eq 0 ] && echo 'all targets passed'
