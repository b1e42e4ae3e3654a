#!/bin/sh
# Tests of what gdb or lldb shows of gradus, printed as TAP:
#   sh tests/autograd/debuggers.sh DEBUGGER SOURCE PROGRAM PROGRAM-F64 STEP-PROGRAM MOST
# The programs are gdb_program.c, compiled for a debugger, and step_program.c. MOST: the most steps to a loop.
#
# shellcheck disable=SC2016  # what stands in single quotes is gdb's: $_streq
set -u
debugger=$1
source=$(cd "$2" && pwd) || exit 1
shift 2
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
# shellcheck source=.launcher/debugger.sh
. "$source/.launcher/debugger.sh"
export ASAN_OPTIONS=detect_leaks=0 # it cannot look for leaks under a debugger

# debug PROGRAM COMMAND...: runs the debugger on it with the commands, also after one that fails; what they print goes to $work/seen.
debug() {
    debugged=$1
    shift
    if [ "$debugger" = lldb ]; then
        printf '%s\n' "$@" >"$work/script"
        lldb -x -b -o "command script import $source/tensor/gradus_lldb.py" \
            -o 'settings set interpreter.stop-command-source-on-error false' \
            -s "$work/script" -- "$debugged" "$work/printed" >"$work/seen" 2>&1 </dev/null
        return
    fi
    for command in "$@"; do
        shift
        set -- "$@" -ex "$command" # goes on after an error, as a file of commands would not
    done
    gdb -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' \
        -x "$source/tensor/gradus-gdb.py" -ex 'set width 0' "$@" \
        --args "$debugged" "$work/printed" >"$work/seen" 2>&1 </dev/null
}
is() { [ "$debugger" = "$1" ]; }

command -v "$debugger" >/dev/null || skip_all "there is no $debugger"
if is lldb; then lldb_has_python; else gdb -nx -batch -ex 'python print(1)' 2>&1 | grep -qx 1; fi || skip_all "this $debugger has no Python"
debug "$1" 'break main' run
grep -q '^Breakpoint 1, main\|stop reason = breakpoint 1' "$work/seen" || skip_all "$debugger cannot run a program here (ptrace)"

# Whole tensors, whatever the debugger's limit is. The numbers alone: what follows the line that describes a tensor.
same_as_tensor_print() {
    set -- "$1" 'break stop_here' run
    if is lldb; then set -- "$@" 'script import gradus_lldb; gradus_lldb.Host.most = lambda self: 1000'; else set -- "$@" 'set print elements 1000'; fi
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        if is lldb; then set -- "$@" "print *x[$i]"; else set -- "$@" "echo == $i\\n" "output *x[$i]" 'echo \n'; fi
    done
    is gdb || set -- "$@" kill # in gdb it would ask
    debug "$@"
    awk '/^\(lldb\) kill/ { exit }
        /^\(lldb\) print/ { gsub(/[^0-9]/, ""); $0 = "== " $0 }
        /^== / { print; getline; inside = 1; next }
        inside && !/^\[Inferior/' "$work/seen" >"$work/numbers"
    [ "$(grep -c '^==' "$work/numbers")" -eq 16 ] && diff "$work/printed" "$work/numbers"
}
attempt 'numbers look exactly as tensor_print writes them, in float' same_as_tensor_print "$1"
attempt 'numbers look exactly as tensor_print writes them, in double' same_as_tensor_print "$2"

# line TEXT: the line of gdb_program.c that has it.
line() { grep -nF "$1" "$source/tests/autograd/gdb_program.c" | sed 's/:.*//'; }
softmax_line=$(line 'ag_softmax(x[0])')
mul_line=$(line 'ag_mul(x[13], x[0])')

describes() {
    debug "$1" 'break stop_here' run 'print x[0]' 'print *x[1]' 'print x[2]' 'print x[13]' 'print x[10]->shape' 'print x[8]->shape' 'print x[5]'
    shows "$work/seen" "Tensor 'plain' (2, 3), with gradient" "Tensor (3, 2), strides (1, 3), view of 'plain', with gradient" \
        'ids (4,)' "Tensor 'probabilities' (2, 3), from softmax at gdb_program.c:$softmax_line, with gradient" \
        '(2, 3, 2, 2)' '(200,)' 'Tensor (60, 40)'
}
attempt 'print x: name, shape, strides, base, op and its line, gradient' describes "$1"

what_is_no_tensor() {
    debug "$1" 'break after_reset' run 'print old' 'print none' 'print wild' 'print nothing_of_that_name'
    shows "$work/seen" "Tensor 'probabilities' (2, 3) of step 0, which is over" ' 0x0' 'no Tensor (not set yet?)' nothing_of_that_name
}
attempt 'a tensor of a step that is over, NULL and wild pointers are told apart' what_is_no_tensor "$1"

tapes() {
    debug "$1" tape 'break stop_here' run 'print tape' 'print *tape->node[0]' tape 'tape x[13]->node' 'tape x[13]->shape'
    shows "$work/seen" 'tape: no program is running' 'Tape in step 0: 3 ops, 2 names, ' \
        "softmax: (2, 3) -> 'probabilities' (2, 3), at gdb_program.c:$softmax_line" "1  mul      (2, 3) (2, 3) -> (2, 3)  gdb_program.c:$mul_line" \
        "2  sum      (2, 3) -> ()             gdb_program.c:$mul_line" 'tape: x[13]->shape leads to no tape' &&
        [ "$(grep -cF "0  softmax  (2, 3) -> (2, 3)         gdb_program.c:$softmax_line  'probabilities'" "$work/seen")" -eq 2 ]
}
attempt 'tape lists the ops: number, op, shapes, place, name' tapes "$1"

# Before the program runs: its forward, then its backward, in the op's file and in no kernel of that name.
stops_at() {
    debug "$1" 'break-op softmax' run 'backtrace 1' continue 'backtrace 1' continue
    sed 's/ (n=/(n=/' "$work/seen" >"$work/calls"
    shows "$work/calls" 'softmax_forward(n=softmax: (2, 3) -> ' 'softmax_backward(n=softmax: ' &&
        fails grep -q 'softmax_.* at .*\(kernels\|rows\.c\)' "$work/seen"
}
attempt 'break-op stops in the forward and in the backward, and in no kernel of that name' stops_at "$1"

# The convolutions share both functions, masked_softmax has a forward of its own and the backward of softmax.
shared_functions() {
    debug "$1" 'break main' run 'break-op conv2d' 'break-op masked_softmax' 'info breakpoints' continue # lldb has told where already
    for function in conv_forward conv_backward masked_softmax_forward softmax_backward; do
        grep -q "in $function at\|$function in " "$work/seen" || { echo "no $function" && cat "$work/seen" && return 1; }
    done
    fails grep -q 'Breakpoint .*, \(conv\|softmax\)_' "$work/seen" && grep -q 'exited normally\|exited with status = 0' "$work/seen"
}
attempt 'break-op of ops that share their functions stops for the one named' shared_functions "$1"

wrong_names() {
    debug "$1" 'break-op sotfmax' 'break-op' 'break-op zzzzzz'
    shows "$work/seen" 'there is no op "sotfmax"; did you mean "softmax"?' 'break-op: found no name' 'there is no op "zzzzzz"'
}
attempt 'break-op of an unknown op says which was meant' wrong_names "$1"

# Each tape of the program keeps its maps, from its first op on.
keeps_maps() {
    debug "$1" keep-maps 'break stop_here' run 'print tape->keep_maps' && shows "$work/seen" '= true' &&
        debug "$1" 'break stop_here' run 'print tape->keep_maps' && shows "$work/seen" '= false'
}
attempt 'keep-maps sets keep_maps of every new tape' keeps_maps "$1"

gradients() {
    debug "$1" 'break stop_here' run 'grad x[0]' 'grad x[10]' 'grad' 'grad tape' 'grad none_of_these'
    shows "$work/seen" "gradient of Tensor 'plain' (2, 3)" 'has no gradient: ' 'grad: found no name' 'grad: tape is no tensor' none_of_these
}
attempt 'grad prints a gradient' gradients "$1"

in_a_backtrace() {
    debug "$1" 'break after_reset' run backtrace
    shows "$work/seen" "#0  after_reset (tape=Tape in step 1: 0 ops, 0 names, 0 bytes, old=" 'none=0x0, wild=no Tensor (not set yet?)) at '
}
calls_nothing() {
    fails grep -nE 'call\(|parse_and_eval\("' "$source/tensor/gradus-gdb.py" &&
        debug "$1" 'break stop_here' run 'set may-call-functions off' 'print x[0]' tape &&
        shows "$work/seen" "Tensor 'plain'" "0  softmax"
}
opens() { # a view's values are those of its axes, not those in memory
    debug "$1" 'break stop_here' run 'frame variable x[1]->shape' 'script t = lldb.frame.GetValueForVariablePath("x[1]"); t.SetPreferSyntheticValue(True)' \
        'script print("\n".join("%s %s" % (c.GetName(), [[float(y.GetValue()) for y in x] for x in c if len(x)]) for c in t))' 'print *x[1]'
    shows "$work/seen" 'shape' 'values [[' 'gradient [['
    awk '/^values/ { gsub(/[^-0-9. ]/, ""); opened = $0 } /^ ?\[/ { gsub(/[^-0-9. ]/, ""); printed = printed " " $0 }
        END { n = split(opened, a, " "); m = split(printed, b, " "); for (i = 1; i <= n; i++) if (a[i] - b[i] > 1e-4 || b[i] - a[i] > 1e-4) exit 1; exit n != 6 || m != n }' "$work/seen"
}
if is lldb; then
    attempt 'a tensor opens as its shape, values and gradient, in the order of its axes' opens "$1"
else
    attempt 'nothing is called in the program' calls_nothing "$1"
    if gdb -nx -batch -ex 'python print(gdb.print_options)' 2>&1 | grep -q built-in; then
        attempt 'in a backtrace each argument is one line' in_a_backtrace "$1"
    else
        skip 'in a backtrace each argument is one line' 'gdb before 13 does not tell a backtrace from print'
    fi
fi

# From the first line of the op's backward to a reference kernel; 100 where none is reached. Without the skips it is 150 for mul and
# 170 for matmul.
most=$4
few_steps() {
    cat >"$work/count.py" <<'END'
def steps(stop, step, place):
    stop()
    for n in range(1, 100):
        step()
        if "kernels/ref/" in place():
            return n
    return 100


def of_gdb(op):
    def place():
        table = gdb.selected_frame().find_sal().symtab
        return table.filename if table else ""

    def stop():
        gdb.execute("tbreak -source ops/%s.c -function %s_backward" % (op, op), to_string=True)
        gdb.execute("continue", to_string=True)
    print("steps", op, steps(stop, lambda: gdb.execute("step", to_string=True), place))


def of_lldb(debugger, op, context, result, _):
    import lldb
    process = context.GetProcess()

    def stop():
        files = lldb.SBFileSpecList()
        files.Append(lldb.SBFileSpec("%s.c" % op))
        context.GetTarget().BreakpointCreateByName(op + "_backward", lldb.eFunctionNameTypeAuto, lldb.SBFileSpecList(), files).SetOneShot(True)
        process.Continue()
    result.AppendMessage("steps %s %d" % (op, steps(stop, lambda: process.GetSelectedThread().StepInto(),
                                                    lambda: str(process.GetSelectedThread().GetFrameAtIndex(0).GetLineEntry().GetFileSpec()))))
END
    set -- "$1" 'break main' run
    if is lldb; then set -- "$@" "command script import $work/count.py" 'command script add -f count.of_lldb count'; else set -- "$@" "source $work/count.py"; fi
    for op in cross_entropy matmul attention layernorm linear softmax add mul; do # in the order of backward
        if is lldb; then set -- "$@" "count $op"; else set -- "$@" "python of_gdb('$op')"; fi
    done
    GRADUS_KERNELS=ref OMP_NUM_THREADS=1 debug "$@"
    [ "$(grep -c '^steps ' "$work/seen")" -eq 8 ] && awk -v most="$most" '/^steps / && $3 > most { print; bad = 1 } END { exit bad }' "$work/seen"
}
attempt 'from the backward of each op on the reading path to its loop: few steps' few_steps "$3"

done_testing
