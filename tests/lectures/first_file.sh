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

# The page says what the last loss is as the file stands, and with one += made =, where rand is glibc's.
page=$source/lectures/00-backprop/README.md
says_the_loss() { # LOSS OLD NEW
    [ "$2" = "$3" ] || [ "$(grep -cF -- "$2" "$file")" -eq 1 ] || { echo "$2: not once in gpt.c" && return 1; }
    awk -v old="$2" -v new="$3" '{ i = index($0, old); if (i) $0 = substr($0, 1, i - 1) new substr($0, i + length(old)); print }' "$file" >changed.c
    cc -O2 changed.c -lm -o changed || return
    ./changed >seen
    loss=$(awk '/^step 1000/ { print $4 }' seen)
    awk -v loss="$loss" -v said="$1" 'BEGIN { exit !(loss - said < 0.006 * said && said - loss < 0.006 * said) }' || { echo "the loss is $loss" && return 1; }
    tr '\n' ' ' <"$page" | grep -qF -- "$1" || { echo "the page does not say $1" && return 1; }
}
if command -v cc >/dev/null && getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
    attempt 'its last loss is what the page says' says_the_loss 0.98 x x
    attempt 'with = for the left operand of a matrix product, too' says_the_loss 2.33 'a.grad[ik] += ' 'a.grad[ik] = '
    attempt 'and for the right one' says_the_loss 24.6 'b.grad[kj] += ' 'b.grad[kj] = '
    attempt 'and for a sum, where it does not matter' says_the_loss 0.98 'n->a.grad[i] += n->y.grad[i], n' 'n->a.grad[i] = n->y.grad[i], n'
else
    skip 'the losses of the page' 'another C library'
fi
counts() { [ "$(sed -n '/^static const char names/,/;$/p' "$file" | grep -oE '[a-z]+' | grep -vcE '^(static|const|char|names)$')" -eq 66 ] && grep -q 'WEIGHTS = (LETTERS + T + 12 \* C + LETTERS) \* C' "$file" && [ $(((27 + 16 + 12 * 16 + 27) * 16)) -eq 4192 ]; }
attempt 'it has 66 names and 4,192 weights' counts
done_testing
