#!/bin/sh
# Builds the library for other platforms and runs its tests there, under emulators where there are some:
#
#   sh tests/platforms/cross.sh ONE OUT [WORD...]
#
# ONE is a folder with gradus.c and gradus.h, OUT one for what is built. WORDs select the platforms of platforms.txt that
# begin with one of them. GRADUS_LEVEL=-O1 compiles gradus.c in a third of the time that -O3 takes. The last lines are a table; the status is 1 if something was not built or failed.
set -u
source=$(cd "$(dirname "$0")/../.." && pwd) && one=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 1
shift 2
table=$out/table.txt
status=0
GRADUS_EMULATED=''
export GRADUS_EMULATED

say() { printf 'cross: %s\n' "$*" >&2; }

# With -D as for gradus.h beside it, so that the compiler finds nothing else.
# shellcheck disable=SC2016  # backquotes, not commands
sed -n '/^## A first program/,/^## Lectures/ { /^```c$/,/^```$/ { /^```/!p } }' "$source/README.md" | sed 's/<gradus.h>/"gradus.h"/' >"$out/first.c"

chosen() { # PLATFORM WORD...
    platform=$1
    shift
    [ $# -gt 0 ] || return 0
    for word in "$@"; do case $platform in "$word"*) return 0 ;; esac done
    return 1
}

# compiles COMPILER LIBRARIES: an empty program links.
compiles() {
    echo 'int main(void) { return 0; }' >"$out/empty.c"
    # shellcheck disable=SC2086  # lists of words
    $1 "$out/empty.c" -o "$out/empty" $2 >"$out/empty.txt" 2>&1
}

row() { printf '%-20s %-9s %8s %6s %7s %7s  %s\n' "$@" >>"$table"; }

# builds_only COMPILER LIBRARIES FOLDER: gradus.c and a program that uses it.
# shellcheck disable=SC2086  # lists of words
builds_only() {
    $1 -std=gnu11 "${GRADUS_LEVEL:--O3}" -w -c "$one/gradus.c" -o "$3/gradus.o" && $1 -I"$one" "$out/first.c" "$3/gradus.o" $2 -o "$3/first"
}

platform() {
    name=$1 cc=$2 libraries=$3 run=$4
    folder=$out/$(echo "$name" | tr -c 'a-zA-Z0-9\n' -)
    mkdir -p "$folder"
    say "$name"
    if [ "$run" = none ]; then
        how=compiled
        if builds_only "$cc" "$libraries" "$folder" >"$folder/log.txt" 2>&1; then row "$name" $how - yes - - ok; else
            row "$name" $how - no - - "see $folder/log.txt" && status=1
        fi
        return
    fi
    how=run
    [ -z "$run" ] || how=emulated
    GRADUS_EMULATED=$run
    sh "$source/tests/platforms/suite.sh" "$source" "$one" "$folder" "$cc" "$libraries" "$run" >"$folder/suite.txt" 2>"$folder/log.txt"
    failed=$(awk '$1 == "failed" { print $2 }' "$folder/suite.txt" | tr '\n' ' ')
    built=$(grep -c '^built' "$folder/suite.txt") passed=$(grep -c '^passed' "$folder/suite.txt")
    result="failed: ${failed:-gradus.c, see $folder/log.txt}"
    if [ -z "$failed" ] && [ "$built" -gt 0 ] && [ "$built" -eq "$passed" ]; then result=ok; else status=1; fi
    row "$name" $how "$(awk '$1 == "seconds" { print $2 }' "$folder/suite.txt")" yes "$built" "$passed" "$result"
}

: >"$table"
row platform checked seconds built tests passed result
zig=''
for python in ${ZIG_PYTHON:-} python3; do "$python" -m ziglang version >/dev/null 2>&1 && zig="$python -m ziglang" && break; done
trim() { echo "$1" | sed 's/^ *//; s/ *$//'; }
while IFS='|' read -r name cc libraries run packages <&3; do
    name=$(trim "$name") run=$(trim "$run") libraries=$(trim "$libraries") packages=$(trim "$packages")
    case $name in '#'* | '') continue ;; esac
    chosen "$name" "$@" || continue
    cc=$(trim "$cc" | sed "s|^ZIG|${zig:-zig}|")
    if ! compiles "$cc" "$libraries" || { [ -n "$run" ] && [ "$run" != none ] && ! command -v "${run%% *}" >/dev/null; }; then
        row "$name" - - - - - "left out: no ${cc%% *} that works${packages:+; Debian:}${packages:-; PyPI: ziglang}"
        continue
    fi
    platform "$name" "$cc" "$libraries" "$run"
done 3<"$source/tests/platforms/platforms.txt"

# The whole project, with examples and lectures, for one other processor.
if chosen 'aarch64, whole' "$@" && command -v aarch64-linux-gnu-gcc >/dev/null; then
    say 'aarch64, whole project'
    result=ok
    { meson setup "$out/aarch64" "$source" --cross-file "$source/tests/cross/aarch64.ini" -Dzlib=disabled -Dtests=disabled &&
        ninja -C "$out/aarch64" && sh "$source/tests/kernels/neon.sh" "$source"; } >"$out/aarch64.txt" 2>&1 ||
        { result="see $out/aarch64.txt" && status=1; }
    tests=$(grep -c '^ok' "$out/aarch64.txt")
    row 'aarch64, whole' emulated - yes "$(grep -c 'ok [0-9]' "$out/aarch64.txt")" "$tests" "$result"
fi
cat "$table"
exit $status
