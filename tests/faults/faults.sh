#!/bin/sh
# faults.sh: shows that the tests can fail. It plants one fault at a time in a copy of the sources, builds the tests
# that should catch it, and reports which case did.
#
#   tests/faults/faults.sh SOURCE BUILD [--sample N] [PATTERN]
#
# SOURCE is the project, BUILD a folder for the copy. --sample N tries every N-th fault; PATTERN, only those
# whose title contains it. A fault that does not compile, or only makes a test crash, counts as missed. The last line
# is "N of N caught"; the exit status is 1 if a fault was missed.
#
# The lists are tests/faults/*.txt. A fault is five lines:
#   @ title              what the fault breaks
#   path                 the file
#   < line               a line that occurs once in the file, without the blanks around it
#   > line               the line that replaces it
#   = program...         the test programs that should catch it
set -u

say() { printf 'faults: %s\n' "$*" >&2; }

[ $# -ge 2 ] || { say "usage: faults.sh SOURCE BUILD [--sample N] [PATTERN]"; exit 2; }
source=$1 build=$2 sample=1 pattern=
shift 2
while [ $# -gt 0 ]; do
    case $1 in
    --sample)
        sample=${2:-}
        case $sample in '' | *[!0-9]* | 0) say "--sample: expected a number from 1"; exit 2 ;; esac
        shift
        ;;
    -*) say "unknown option $1; expected --sample N"; exit 2 ;;
    *) pattern=$1 ;;
    esac
    shift
done

copy=$build/source out=$build/build

# Copies the sources, tracked or not, without files that git ignores. Only files that differ are copied, with the
# current time: a file that was restored after a fault is then newer than the objects built with the fault.
refresh_copy() {
    mkdir -p "$copy" || exit 1
    (cd "$source" && git ls-files -co --exclude-standard) | while read -r f; do
        [ -f "$source/$f" ] || continue
        cmp -s "$source/$f" "$copy/$f" && continue
        mkdir -p "$(dirname "$copy/$f")" && cp "$source/$f" "$copy/$f" || exit 1
    done || { say "the copy failed"; exit 1; }
    [ -f "$out/build.ninja" ] || meson setup "$out" "$copy" -Dexamples=false >"$build/log" 2>&1 ||
        { say "meson failed; see $build/log"; exit 1; }
    ninja -C "$out" >"$build/log" 2>&1 || { say "the build without a fault fails; see $build/log"; exit 1; }
}

# plant FILE OLD NEW: replaces the line that equals OLD apart from the blanks around it.
plant() {
    OLD=$2 NEW=$3 awk '
        { line = $0; gsub(/^[ \t]+|[ \t]+$/, "", line) }
        line == ENVIRON["OLD"] { found++; print ENVIRON["NEW"]; next }
        { print }
        END { exit found != 1 }' "$1" >"$build/planted" || return 1
    cp "$1" "$build/original" && cp "$build/planted" "$1"
}

# Prints the name of the first case of a program that fails; nothing if none fails or the program crashes before.
failing_case() {
    GRADUS_SOURCE=$copy GRADUS_BUILD=$out "$out/tests/test-$1" 2>/dev/null |
        sed -n 's/^not ok [0-9]* - //p' | head -n 1
}

tried=0 caught=0 number=0

# try TITLE FILE OLD NEW PROGRAMS
try() {
    tried=$((tried + 1))
    if ! plant "$copy/$2" "$3" "$4"; then
        printf 'MISSED  %s: the line is not there exactly once in %s\n' "$1" "$2"
        return
    fi
    targets=
    for program in $5; do targets="$targets tests/test-$program"; done
    verdict='MISSED '
    # shellcheck disable=SC2086  # a list of targets
    if ! ninja -C "$out" $targets >"$build/log" 2>&1; then
        why='does not build'
    else
        why='no case of '$5' fails'
        for program in $5; do
            name=$(failing_case "$program")
            [ -n "$name" ] || continue
            caught=$((caught + 1)) verdict='caught ' why="$program: $name"
            break
        done
    fi
    cp "$build/original" "$copy/$2"
    printf '%s %s -- %s\n' "$verdict" "$1" "$why"
}

refresh_copy
for list in "$copy"/tests/faults/*.txt; do
    while IFS= read -r line; do
        case $line in
        '@ '*) title=${line#@ } ;;
        '< '*) old=${line#< } ;;
        '> '*) new=${line#> } ;;
        '>') new= ;;
        '= '*)
            number=$((number + 1))
            case $title in *"$pattern"*) ;; *) continue ;; esac
            [ $((number % sample)) -eq 0 ] || continue
            try "$title" "$file" "$old" "$new" "${line#= }" </dev/null
            ;;
        '#'* | '') ;;
        *) file=$line ;;
        esac
    done <"$list"
done
printf '%d of %d caught\n' "$caught" "$tried"
[ "$tried" -gt 0 ] && [ "$caught" -eq "$tried" ]
