#!/bin/sh
# Who uses the public functions, printed as TAP:  sh tests/project/public_functions.sh [SOURCE]
#
# Every function of an installed header must be used by an example, a lecture, a homework, the README's program or a
# program in tests/project/consumer, or be listed below with a reason. A function that only tests use is a burden for its
# readers: give it a use, or remove it. `--list` prints every function with the kinds of its users instead.
set -u
case ${1:-} in
--list) list=yes && shift ;;
*) list=no ;;
esac
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$source" || exit 1

# Functions without such a use, each with the reason why it stays.
exceptions() {
    cat <<'END'
ag_place                   AG_PLACED calls it, and a user's op calls that: tests/project/consumer/own.c
END
}

# The functions of the headers beside gradus.h and of all headers that gradus.h includes, one on each line.
# shellcheck disable=SC2046  # a list of files
public() {
    sed '/^#/d' tensor/placed.h autograd/inspect.h plot/pages.h tensor/files.h $(sed -n 's/^#include "\(.*\)"/\1/p' gradus.h) | tr '\n' ' ' | grep -oE 'GRADUS_API [^(;]*\(' |
        sed 's/($//; s/.*[ *]//' | sort -u
}

# words FILE...: every identifier in these files, comments left out.
words() {
    cat "$@" | awk '{
        line = $0
        while (line != "") {
            at = index(line, inside ? "*/" : "/*")
            if (!inside)
                print at ? substr(line, 1, at - 1) : line
            line = at ? substr(line, at + 2) : ""
            if (at)
                inside = !inside
        }
    }' | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u
}

# shellcheck disable=SC2046  # lists of files
users() {
    words $(find examples plot/tape -name '*.[ch]') >"$work/example" # the viewer is a part of the programs
    words $(find lectures -name '*.[ch]' -not -path '*/homework/*') >"$work/lecture"
    words $(find lectures/homework -name '*.[ch]' 2>/dev/null) >"$work/homework"
    words $(find tests/project/consumer -name '*.c*') >"$work/consumer"
    # shellcheck disable=SC2016  # backquotes of Markdown
    sed -n '/^```c$/,/^```$/p' README.md | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$work/readme"
}

users
public >"$work/public"
exceptions | awk '{ print $1 }' >"$work/excepted"

if [ "$list" = yes ]; then
    while read -r name; do
        printf '%-32s' "$name"
        for kind in example lecture homework consumer readme; do
            ! grep -qx "$name" "$work/$kind" || printf ' %s' $kind
        done
        ! grep -qx "$name" "$work/excepted" || printf ' (%s)' "$(exceptions | sed -n "s/^$name  *//p")"
        echo
    done <"$work/public"
    exit 0
fi

# A program's author reads the headers before the first line: what is added has to replace something.
enough() {
    wc -l <"$work/public"
    [ "$(wc -l <"$work/public")" -gt 250 ] && [ "$(wc -l <"$work/public")" -lt 325 ]
}
attempt 'the headers declare 251 to 324 functions' enough

each_is_used() {
    sort -u "$work/example" "$work/lecture" "$work/homework" "$work/consumer" "$work/readme" "$work/excepted" \
        >"$work/used"
    comm -23 "$work/public" "$work/used" >"$work/unused"
    [ ! -s "$work/unused" ] || { echo 'used by tests only, or by nobody:' && cat "$work/unused" && return 1; }
}
attempt 'every public function is used outside the tests, or excepted' each_is_used

exceptions_are_needed() {
    sort -u "$work/example" "$work/lecture" "$work/homework" "$work/consumer" "$work/readme" >"$work/used"
    sort "$work/excepted" | comm -12 - "$work/used" >"$work/needless"
    sort "$work/excepted" | comm -23 - "$work/public" >>"$work/needless"
    [ ! -s "$work/needless" ] || { echo 'used by now, or not a public function:' && cat "$work/needless" && return 1; }
}
attempt 'every exception is still one' exceptions_are_needed

version_agrees() {
    version=$(sed -n "s/^ *version: '\(.*\)',.*/\1/p" meson.build)
    number=$(echo "$version" | awk -F. '{ print 10000 * $1 + 100 * $2 + $3 }')
    grep -qx "#define GRADUS_VERSION  *\"$version\"" tensor/tensor.h && grep -qx "#define GRADUS_VERSION_NUMBER $number" tensor/tensor.h
}
attempt 'tensor.h has the version of meson.build' version_agrees

done_testing
