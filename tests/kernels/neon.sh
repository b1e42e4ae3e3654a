#!/bin/sh
# Tests of the kernels in NEON's lanes, printed as TAP:  sh tests/kernels/neon.sh SOURCE
#
# Debian's cross compiler makes the folders tensor and autograd for ARM's 64-bit processors, and what
# tests their kernels, with a stand-in for CUnit (tests/kernels/neon/CUnit); qemu runs it here. Where the compiler or qemu
# is missing, it says so and skips.
set -u
source=$(cd "$1" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cc=aarch64-linux-gnu-gcc
libraries=/usr/aarch64-linux-gnu

for tool in $cc qemu-aarch64; do
    command -v "$tool" >/dev/null || skip_all "there is no $tool (Debian: gcc-aarch64-linux-gnu, qemu-user)"
done
echo 'int main(void) { return 0; }' >"$work/empty.c"
works() { $cc "$work/empty.c" -o "$work/empty" 2>/dev/null && qemu-aarch64 -L $libraries "$work/empty"; }
works || skip_all "$cc makes no program that qemu-aarch64 runs (Debian: libc6-dev-arm64-cross)"

flags="-std=gnu11 -Wall -Wextra -Wpedantic -Wshadow -Werror -fPIC -I$source -I$source/tests/kernels/neon -I$source/tests"

# objects FOLDER FLAGS FILE...: compiles each file.
objects() {
    folder=$1 more=$2
    shift 2
    mkdir -p "$folder"
    for file in "$@"; do printf '%s\n' "$file"; done |
        xargs -P 2 -I{} sh -c "$cc $flags $more -c {} -o $folder/\$(echo {} | tr / - | sed 's|c\$|o|')"
}

library() {
    cd "$source" || return
    # shellcheck disable=SC2046  # a list of files
    objects "$work/library" '-O1 -DGRADUS_INSIDE -DGRADUS_FAST -DGRADUS_THREADS' $(
        find tensor autograd -name '*.c' ! -path '*/simd/*' ! -name '*openmp.c' ! -name 'windows*.c'
    )
}

kernels() {
    objects "$work/fast" '-O3 -ffp-contract=fast -fno-math-errno -DGRADUS_INSIDE -DISA=base' \
        tensor/kernels/simd/*.c tensor/kernels/simd/attention/*.c
}

tests() {
    objects "$work/samples" '-O1 -DGRADUS_INSIDE' tests/autograd/samples.c tests/autograd/ops/*.c &&
        objects "$work/runner" -O1 tests/harness/runner.c tests/harness/scratch.c tests/harness/memory.c tests/harness/trial.c tests/harness/bad_disk.c
}

# program NAME: test-NAME, built.
# shellcheck disable=SC2086  # a list of flags
program() {
    $cc $flags -O1 -o "$work/test-$1" "$source"/tests/*/"test_$1.c" "$work"/runner/*.o "$work"/samples/*.o \
        "$work"/library/*.o "$work"/fast/*.o -lm -lpthread
}

runs() { OMP_NUM_THREADS=1 qemu-aarch64 -L $libraries "$work/test-$1" ${2:+"$2"}; }

uses_lanes() { aarch64-linux-gnu-objdump -d "$work/fast/tensor-kernels-simd-microkernel.o" | grep -qE 'fmla[[:space:]]+v[0-9]+\.4s'; }

attempt 'tensor and autograd compile without a warning' library
attempt 'so do the kernels' kernels
attempt 'and their tests' tests
attempt 'products are made of fused multiply-adds of four lanes' uses_lanes
# What takes long there, large products and other numbers of threads, is the same for any lanes.
for name in gemm hidden op_edges kernels; do
    case $name in
    gemm) only='small' ;;
    kernels) only='sets' ;;
    *) only='' ;;
    esac
    attempt "test-$name is built" program $name
    attempt "test-$name passes" runs $name $only
done
done_testing
