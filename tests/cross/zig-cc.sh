#!/bin/sh
# zig cc for Meson, which asks a linker for its name: this one answers as that of macOS, whose options it takes.
#   zig-cc.sh TARGET [ARGUMENTS]
target=$1
shift
for word in "$@"; do
    case $word in
    -Wl,--version) echo "ld: unknown option: --version" >&2 && exit 1 ;;
    -Wl,-v) echo "PROJECT:ld64-711" >&2 && exit ;;
    esac
done
exec python3 -m ziglang cc -target "$target" "$@"
