#!/bin/sh
# Who uses the public functions, printed as TAP:  sh tests/project/public_functions.sh [SOURCE]
#
# Every function of an installed header must be used by an example, a lecture, a homework, the README's program or a
# program in tests/project/consumer. A function that only tests use is a burden for its readers: give it a use, or
# remove it.
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
cd "$source" || exit 1

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

# What they use; ag_place is what AG_PLACED calls, and a user's op calls that: tests/project/consumer/own.c.
# shellcheck disable=SC2016,SC2046  # backquotes of Markdown, lists of files
used() {
    words $(find examples lectures plot/tape -name '*.[ch]') $(find tests/project/consumer -name '*.c*') # the viewer is a part of the programs
    sed -n '/^```c$/,/^```$/p' README.md | grep -oE '[A-Za-z_][A-Za-z0-9_]*'
    echo ag_place
}

public >"$work/public"

# A program's author reads the headers before the first line: what is added has to replace something.
enough() {
    wc -l <"$work/public"
    [ "$(wc -l <"$work/public")" -gt 250 ] && [ "$(wc -l <"$work/public")" -lt 325 ]
}
attempt 'the headers declare 251 to 324 functions' enough

each_is_used() {
    used | sort -u | comm -23 "$work/public" - >"$work/unused"
    [ ! -s "$work/unused" ] || { echo 'used by tests only, or by nobody:' && cat "$work/unused" && return 1; }
}
attempt 'every public function is used outside the tests' each_is_used

version_agrees() {
    version=$(sed -n "s/^ *version: '\(.*\)',.*/\1/p" meson.build)
    number=$(echo "$version" | awk -F. '{ print 10000 * $1 + 100 * $2 + $3 }')
    grep -qx "#define GRADUS_VERSION  *\"$version\"" tensor/tensor.h && grep -qx "#define GRADUS_VERSION_NUMBER $number" tensor/tensor.h
}
attempt 'tensor.h has the version of meson.build' version_agrees

done_testing
