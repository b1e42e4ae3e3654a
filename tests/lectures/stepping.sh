#!/bin/sh
# Follows a guide in a debugger, line by line:  sh tests/lectures/stepping.sh SOURCE DEBUGGER PROGRAM GUIDE [argument of the program...]
# DEBUGGER is gdb or lldb; GUIDE is a page in lectures, such as 04-attention/stepping.md.
# Each "(gdb) COMMAND" is typed, in one session; the lines below it must be in the answer, in their order. A "(lldb) COMMAND" that
# stands below it is what lldb is given in its place.
set -u
source=$(cd "$1" && pwd) || exit 1
debugger=$2
program=$3
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
# shellcheck source=.launcher/debugger.sh
. "$source/.launcher/debugger.sh"
guide=$4
page=$source/lectures/$guide
shift 4
arguments="$*"
export ASAN_OPTIONS=detect_leaks=0 # it cannot look for leaks under a debugger
unset GRADUS_KERNELS OMP_NUM_THREADS

# "3 command" for each, and "3=line" for what is to be answered; code blocks without a language only. After the command that
# walks.tsv names, what `steps walk` asks is typed, too; where the guide lacks that command, its line, of which the debugger complains.
asked=$source/lectures/steps/walks.tsv
awk 'function ask(    k, part) {
        for (k = 1; k <= asks; k++) {
            split(line[k], part, "\t")
            if (part[2] == last && !typed[k]++) {
                command[++n] = part[3]
                print n "== " part[4] > (dir "/answers")
            }
        }
    }
    FILENAME == list { if (index($0, name "\t") == 1) line[++asks] = $0; next }
    /^```/ { block = !block; inside = block && $0 == "```"; next }
    inside && sub(/^\(gdb\) /, "") { ask(); command[++n] = last = $0; next }
    inside && sub(/^\(lldb\) /, "") { if (debugger == "lldb") command[n] = $0; next }
    inside && n { print n "=" $0 > (dir "/answers") }
    END {
        ask()
        for (k = 1; k <= asks; k++) if (!typed[k]) command[++n] = line[k]
        for (i = 1; i <= n; i++) print i " " command[i] > (dir "/typed")
    }' list="$asked" \
    name="$(basename "$guide" .md)" dir="$work" debugger="$debugger" "$asked" "$page"
has_commands() { [ -s "$work/typed" ] && [ -s "$work/answers" ]; }

# session: types all of them; what is shown goes to $work/seen, with a line @@NUMBER before each answer.
gdb_session() {
    set -- -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' -x "$source/tensor/gradus-gdb.py" \
        -ex 'set width 0' -ex 'set confirm off'
    while read -r number command; do
        set -- "$@" -ex "echo @@$number\\n" -ex "$command"
    done <"$work/typed"
    # shellcheck disable=SC2086  # no argument, or several words
    gdb "$@" --args "$program" $arguments >"$work/seen" 2>&1 </dev/null
}
lldb_session() {
    sed 's/^\([0-9]*\) \(.*\)/# @@\1\n\2/' "$work/typed" >"$work/script"
    # shellcheck disable=SC2086
    lldb -x -b -o "command script import $source/tensor/gradus_lldb.py" -o 'settings set interpreter.stop-command-source-on-error false' \
        -o 'settings set auto-confirm true' -s "$work/script" -- "$program" $arguments </dev/null 2>&1 |
        sed 's/^(lldb) # @@/@@/' >"$work/seen"
}

can_run() {
    command -v "$debugger" >/dev/null || skip_all "there is no $debugger"
    if [ "$debugger" = gdb ]; then
        gdb -nx -batch -ex 'python print(1)' 2>&1 | grep -qx 1 || skip_all 'this gdb has no Python'
        gdb -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' -ex 'break main' -ex run --args "$program" \
            >"$work/seen" 2>&1 </dev/null
    else
        lldb_has_python || skip_all 'this lldb has no Python'
        lldb -x -b -o 'b main' -o run -- "$program" >"$work/seen" 2>&1 </dev/null
    fi
    grep -q '^Breakpoint 1, main\|stop reason = breakpoint 1' "$work/seen" || skip_all "$debugger cannot run a program here (ptrace)"
}
can_run
attempt 'the guide has commands and answers' has_commands
"${debugger}_session"

# answered NUMBER: the answer to it has its lines, and is no complaint. A frame has other spaces, and no #, in lldb.
answered() {
    sed -n "/^@@$1\$/,/^@@$(($1 + 1))\$/p" "$work/seen" | sed '/^@@/d' >"$work/answer"
    sed -n "s/^$1=//p" "$work/answers" >"$work/wanted"
    awk 'function normal(line) { sub(/^#[0-9]+ +/, "", line); gsub(/ +\(/, "(", line); return debugger == "lldb" ? line : $0 }
        FILENAME == list { wanted[++n] = normal($0); next }
        /^No symbol|^Undefined|^The program is not being run|^No stack|^Function .* not defined|^Attempt to|^No function|^error:/ {
            print "it complains: " $0
            bad = 1
        }
        at < n && index(normal($0), wanted[at + 1]) { at++ }
        END { if (at < n) print "lacks: " wanted[at + 1]; exit bad || at < n }' list="$work/wanted" debugger="$debugger" \
        "$work/wanted" "$work/answer" ||
        { cat "$work/answer" && return 1; }
}
while read -r number command; do
    attempt "$number: ${command%%%*}" answered "$number" # no %, no backslash in a title
done <"$work/typed"

# What follows is about the program of chapter 4, in gdb.
case $debugger:$guide in
gdb:04-attention/*) ;;
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
