#!/bin/sh
# Builds the whole project for ARM's 64-bit processors and runs its tests there:  sh tests/kernels/cross.sh BUILD [TEST...]
#
# BUILD is a folder for the build. Debian's cross compiler (gcc-aarch64-linux-gnu) builds everything that needs no other
# library than the C library; with qemu-aarch64 (qemu-user) it runs the named programs lectures and examples for --help,
# and the tests of tests/kernels/neon.sh, which brings a stand-in for CUnit. Without qemu it only builds.
set -u
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=${1:?usage: cross.sh BUILD [TEST...]}
shift
cc=aarch64-linux-gnu-gcc
libraries=/usr/aarch64-linux-gnu

say() { printf 'cross: %s\n' "$*" >&2; }

command -v $cc >/dev/null || { say "there is no $cc; expected Debian's package gcc-aarch64-linux-gnu"; exit 2; }
mkdir -p "$build" || exit 1
cat >"$build/aarch64.txt" <<'END'
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'false'
exe_wrapper = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
command -v qemu-aarch64 >/dev/null || sed -i '/^exe_wrapper/d' "$build/aarch64.txt"
[ -f "$build/build/build.ninja" ] ||
    meson setup "$build/build" "$source" --cross-file "$build/aarch64.txt" -Dzlib=disabled -Dtests=disabled ||
    { say 'meson failed'; exit 1; }
ninja -C "$build/build" || { say 'the build failed'; exit 1; }
say 'the whole project is built for aarch64'

command -v qemu-aarch64 >/dev/null || { say 'there is no qemu-aarch64; nothing is run'; exit 0; }
status=0
for program in "$build"/build/example-* "$build/build/lectures/lectures"; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
    qemu-aarch64 -L $libraries "$program" --help >"$build/help.txt" 2>&1 ||
        { say "$(basename "$program") --help fails under qemu"; status=1; }
done
sh "$source/tests/kernels/neon.sh" "$source" "$@" >"$build/tests.tap" 2>&1 || status=1
cat "$build/tests.tap"
grep -q '^not ok' "$build/tests.tap" && status=1
[ $status -eq 0 ] && say 'all programs and tests run'
exit $status
