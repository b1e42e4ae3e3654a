#!/bin/sh
# zig cc for Meson, which asks a linker for its name: this one answers as that of macOS, whose options it takes.
#   zig-cc.sh TARGET [ARGUMENTS]
target=$1
shift
load=
for word in "$@"; do
    shift
    case $load$word in
    -Wl,--version) echo "ld: unknown option: --version" >&2 && exit 1 ;;
    -Wl,-v) echo "PROJECT:ld64-711" >&2 && exit ;;
    -Wl,-force_load) load=$word, ;; # Meson gives the library as a word of its own
    *) set -- "$@" "$load$word" && load= ;;
    esac
done
exec python3 -m ziglang cc -target "$target" "$@"
