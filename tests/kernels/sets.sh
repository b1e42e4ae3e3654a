#!/bin/sh
# Tests that one binary runs on any processor, printed as TAP:  sh tests/kernels/sets.sh SOURCE BUILD [COMPILER...]
#
# The fast kernels are compiled once for each instruction set. A function that two sets share, or one beside them
# that was compiled with their flags, would end a program on a processor that lacks the instructions. So names are
# looked at, and instructions; and where qemu is, programs run on processors without AVX and without AVX-512.
# FLAGS, if set, is what the build itself was compiled with (the sanitizers), which qemu does not run.
set -u
source=$(cd "$1" && pwd) && build=$(cd "$2" && pwd) || exit 1
shift 2
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cc=${*:-cc}

[ -d "$build/libkernels_avx512.a.p" ] || skip_all "this build has one set of kernels"
for tool in nm objdump; do
    command -v "$tool" >/dev/null || skip_all "there is no $tool"
done

# What a set exports carries its name: nothing else of it can be taken for another set's.
own_names() {
    nm -g --defined-only "$build/libkernels_$1.a.p"/*.o | awk -v set="(^$1_|_$1\$)" '
        NF == 3 && $3 !~ set && $3 !~ /^__?(asan|odr|tsan|ubsan|llvm|gcov)/ { print; found = 1 }
        NF == 3 { names++ }
        END { exit found || !names }'
}
for set in "$build"/libkernels_*.a.p; do
    set=$(basename "$set" .a.p)
    attempt "what $set exports is named after it" own_names "${set#libkernels_}"
done

# wide OBJECT...: the places where registers of 32 and 64 bytes are used.
wide() { objdump -d --no-show-raw-insn "$@" | grep -E '%[yz]mm|[^a-z][yz]mm[0-9]'; }
others_are_narrow() { fails wide "$build"/libgradus.a.p/*.o "$build"/libkernels_base.a.p/*.o; }
avx512_is_wide() { wide "$build"/libkernels_avx512.a.p/*microkernel*.o >/dev/null; }
attempt 'the 512-bit kernels use wide registers' avx512_is_wide
attempt 'nothing beside the AVX kernels does' others_are_narrow

# ---- on other processors ---------------------------------------------------------------------------

cat >"$work/which.c" <<'END'
#include "tensor/tensor.h"
int main(void)
{
    puts(tensor_kernels());
    if (tensor_failed())
        puts(tensor_error());
    return 0;
}
END

# shellcheck disable=SC2086  # CC may be several words
build_which() {
    set -- -I"$source" "$work/which.c" "$build/libgradus.a" -lm -lpthread -o "$work/which"
    $cc "$@" -lz || $cc "$@" # the build is with zlib, or without
}

# chooses SET COMMAND...: the program, run so, uses that set.
chooses() {
    expected=$1
    shift
    "$@" "$work/which" >"$work/which.txt"
    [ "$(head -n 1 "$work/which.txt")" = "$expected" ] && return
    echo "expected $expected, found:"
    cat "$work/which.txt"
    return 1
}

refuses_avx512() {
    chooses base env GRADUS_KERNELS=avx512 qemu-x86_64 -cpu qemu64 && shows "$work/which.txt" 'lacks the instructions'
}

title='processors without AVX and without AVX-512'
if [ -n "${FLAGS:-}" ]; then
    skip "$title" "qemu does not run what is compiled with $FLAGS"
elif ! command -v qemu-x86_64 >/dev/null; then
    skip "$title" 'there is no qemu-x86_64 (Debian: qemu-user)'
else
    attempt 'a program is built' build_which
    attempt 'without AVX the plain kernels are chosen' chooses base qemu-x86_64 -cpu qemu64
    attempt 'others are refused there' refuses_avx512
    attempt 'and compute what the reference does' qemu-x86_64 -cpu qemu64 "$build/tests/test-gemm" 'small sizes: base'
    attempt 'without AVX-512 those of AVX2 are chosen' chooses avx2 qemu-x86_64 -cpu Haswell,-pcid
    attempt 'and compute what the reference does' qemu-x86_64 -cpu Haswell,-pcid "$build/tests/test-gemm" 'small sizes: avx2'
fi
done_testing
