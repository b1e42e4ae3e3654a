#!/bin/sh
# Follows a guide in gdb, line by line:  sh tests/lectures/stepping.sh SOURCE PROGRAM GUIDE [argument of the program...]
# GUIDE is a page in lectures, such as 04-attention/stepping.md.
# Each "(gdb) COMMAND" is typed, in one session; the lines below it must be in the answer, in their order.
set -u
source=$(cd "$1" && pwd) || exit 1
program=$2
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
guide=$3
page=$source/lectures/$guide
shift 3
arguments="$*"
export ASAN_OPTIONS=detect_leaks=0 # it cannot look for leaks under a debugger
unset GRADUS_KERNELS OMP_NUM_THREADS

command -v gdb >/dev/null || skip_all 'there is no gdb'
gdb -nx -batch -ex 'python print(1)' 2>&1 | grep -qx 1 || skip_all 'this gdb has no Python'
gdb -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' -ex 'break main' -ex run --args "$program" \
    >"$work/seen" 2>&1 </dev/null
grep -q '^Breakpoint 1, main' "$work/seen" || skip_all 'gdb cannot run a program here (ptrace)'

# "3 command" for each, and "3=line" for what is to be answered; code blocks without a language only.
awk '/^```/ { block = !block; inside = block && $0 == "```"; next }
    inside && sub(/^\(gdb\) /, "") { print ++n " " $0 > (dir "/typed"); next }
    inside && n { print n "=" $0 > (dir "/answers") }' dir="$work" "$page"
has_commands() { [ -s "$work/typed" ] && [ -s "$work/answers" ]; }
attempt 'the guide has commands and answers' has_commands

set -- -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' -x "$source/tensor/gradus-gdb.py" \
    -ex 'set width 0' -ex 'set confirm off'
while read -r number command; do
    set -- "$@" -ex "echo @@$number\\n" -ex "$command"
done <"$work/typed"
# shellcheck disable=SC2086  # no argument, or several words
gdb "$@" --args "$program" $arguments >"$work/seen" 2>&1 </dev/null

# answered NUMBER: the answer to it has its lines, and is no complaint.
answered() {
    sed -n "/^@@$1\$/,/^@@$(($1 + 1))\$/p" "$work/seen" | sed '/^@@/d' >"$work/answer"
    sed -n "s/^$1=//p" "$work/answers" >"$work/wanted"
    awk 'FILENAME == list { wanted[++n] = $0; next }
        /^No symbol|^Undefined|^The program is not being run|^No stack|^Function .* not defined|^Attempt to|^No function/ { print "gdb: " $0; bad = 1 }
        at < n && index($0, wanted[at + 1]) { at++ }
        END { if (at < n) print "lacks: " wanted[at + 1]; exit bad || at < n }' list="$work/wanted" \
        "$work/wanted" "$work/answer" ||
        { cat "$work/answer" && return 1; }
}
while read -r number command; do
    attempt "$number: ${command%%%*}" answered "$number" # no %, no backslash in a title
done <"$work/typed"

# What follows is about the program of chapter 4.
case $guide in
04-attention/*) ;;
*)
    done_testing
    exit
    ;;
esac

# From the call of a module to the softmax: the frames in between, and the source files that a reader opens.
is_near() {
    gdb -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' -ex 'set width 0' -ex 'break nn_attention' \
        -ex 'run --module' -ex 'break softmax' -ex continue -ex 'backtrace -frame-arguments none' --args "$program" \
        >"$work/seen" 2>&1 </dev/null
    awk '/^#0 .*softmax / { inside = 1 }
        inside && /^#/ { frames++; file = $0; sub(/.* at /, "", file); sub(/:[0-9]+$/, "", file); files += !seen[file]++ }
        inside && / nn_attention / { reached = 1; exit }
        END { print frames " frames, " files " files"; exit !reached || frames > 12 || files > 12 }' "$work/seen" ||
        { cat "$work/seen" && return 1; }
}
attempt 'from nn_attention to the softmax: at most a dozen frames and files' is_near

# A debug build obeys whoever asks for other kernels, or for more threads.
obeys() {
    for asked in GRADUS_KERNELS=base OMP_NUM_THREADS=3; do
        env "$asked" gdb -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' -ex 'break three_tokens' \
            -ex run -ex 'print kernels->name' -ex 'print (int)tensor_threads()' --args "$program" 2>&1 </dev/null
    done >"$work/seen"
    shows "$work/seen" '"base"' '= 1' '"ref"' '= 3'
}
attempt 'GRADUS_KERNELS and OMP_NUM_THREADS choose otherwise' obeys

done_testing
