#!/bin/sh
# The file to read first, lectures/00-backprop/gpt.c, printed as TAP:  sh tests/lectures/first_file.sh SOURCE
set -u
source=$(cd "$1" && pwd) || exit 1
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
file=$source/lectures/00-backprop/gpt.c
cd "$work" || exit 1

is_short() { [ "$(wc -l <"$file")" -le 200 ] && ! grep '^ *# *define' "$file"; }
attempt 'at most 200 lines, and no macro' is_short

for compiler in gcc clang tcc; do
    compiles() {
        $compiler -std=c99 -O2 -Wall -Wextra -Wshadow -Werror "$file" -lm -o "$compiler-gpt" &&
            $compiler -O2 "$file" -lm -o "$compiler-gpt"
    }
    if command -v $compiler >/dev/null; then
        attempt "$compiler takes it without a warning" compiles
    else
        skip "$compiler takes it without a warning" "no $compiler"
    fi
done

# The losses fall, to less than half of log 27 = 3.30, that of guessing; ten lines have a name that is not in the list or is;
# the shares of the last line sum to 1, but for the rounding of ten numbers to 0.01.
learns_and_writes() {
    seconds=$(date +%s)
    for program in ./*-gpt; do break; done
    "$program" >written || return
    [ $(($(date +%s) - seconds)) -lt 10 ] || { echo 'it took more than 10 s' && return 1; }
    cat written
    awk '/^step/ { if (NR > 1 && $4 >= last) wrong = 1; last = $4; next }
        / [0-9]\.[0-9]/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]/) sum += $i; next }
        /known/ { known++; next }
        { new++ }
        END { exit wrong || last > 1.65 || new < 3 || known + new != 20 || sum < 0.95 || sum > 1.05 }' written
}
attempt 'it learns, writes names of its own, and shows what the last letter attends to' learns_and_writes
done_testing
