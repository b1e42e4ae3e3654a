#!/bin/sh
# The algorithms of B and Z, line by line, printed as TAP:  sh tests/lectures/algorithms.sh SOURCE
# Chapter 6 mirrors each algorithm by a C function whose comments carry the algorithm's line numbers. Here it is checked
# that every number from 1 to the last line occurs in the function, in this order.
set -u
source=$(cd "$1" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
chapter=$source/lectures/06-language

# has_lines FILE FUNCTION LINES: a comment "/* 4 */", "/* 4: ... */" or "/* 2, 3 */" is that line, or those lines.
has_lines() {
    awk -v name="$2" -v last="$3" '
        !inside && $0 ~ "^[a-z].*[ *]" name "\\(" { inside = found = 1 }
        inside && /^}/ { inside = 0 }
        inside {
            rest = $0
            while (match(rest, /\/\* [0-9]+(, [0-9]+)*( \*\/|:)/)) {
                numbers = substr(rest, RSTART + 3, RLENGTH - 3)
                rest = substr(rest, RSTART + RLENGTH)
                n = split(numbers, number, /[^0-9]+/)
                for (i = 1; i <= n; i++) {
                    if (number[i] == "") continue
                    if (number[i] != ++line) { print "line " number[i] " follows line " line - 1; wrong = 1 }
                }
            }
        }
        END {
            if (!found) print "no function " name
            if (line != last) print line + 0 " lines; the slide has " last
            exit wrong || !found || line != last
        }' "$1"
}

while read -r file function lines; do
    attempt "$function has the slide's $lines lines in their order" has_lines "$chapter/$file" "$function" "$lines"
done <<END
b.c sa_head 11
b.c self_attention 5
b.c transformer_dec 5
b.c transformer_lm 5
b.c transformer_lm_train 8
b.c transformer_lm_generation 6
z.c z_attention 4
z.c z_multi_head 6
z.c z_transformer_layer 3
END

# The check itself notices a line that is missing.
notices() {
    sed '/\/\* 9 \*\//s/\/\* 9 \*\///' "$chapter/b.c" >"$work/b.c"
    ! has_lines "$work/b.c" sa_head 11 >/dev/null
}
attempt 'a line that is missing is noticed' notices

done_testing
