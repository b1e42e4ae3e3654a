#!/bin/sh
# Tests of what lldb shows of gradus, printed as TAP:  sh tests/autograd/lldb.sh SOURCE PROGRAM PROGRAM-F64 STEP-PROGRAM MOST
# The programs are those of gdb.sh, and so is what is expected of them. MOST: the most steps to a loop.
set -u
source=$(cd "$1" && pwd) || exit 1
shift
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
# shellcheck source=.launcher/debugger.sh
. "$source/.launcher/debugger.sh"
export ASAN_OPTIONS=detect_leaks=0 # it cannot look for leaks under a debugger

# debug PROGRAM COMMAND...: runs lldb on it with the commands, also after one that fails; what they print goes to $work/seen.
debug() {
    debugged=$1
    shift
    printf '%s\n' "$@" >"$work/script"
    lldb -x -b -o "command script import $source/tensor/gradus_lldb.py" -o 'settings set interpreter.stop-command-source-on-error false' \
        -s "$work/script" -- "$debugged" "$work/printed" >"$work/seen" 2>&1 </dev/null
}

command -v lldb >/dev/null || skip_all 'there is no lldb'
lldb_has_python || skip_all 'this lldb has no Python'
debug "$1" 'break main' run
grep -q 'stop reason = breakpoint 1' "$work/seen" || skip_all 'lldb cannot run a program here (ptrace)'

# The numbers alone: what follows the line that describes the tensor.
same_as_tensor_print() {
    set -- "$1" 'break stop_here' run 'script import gradus_lldb; gradus_lldb.Host.most = lambda self: 1000'
    for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do set -- "$@" "print *x[$i]"; done
    debug "$@" kill
    awk '/^\(lldb\) kill/ { exit }
        /^\(lldb\) print/ { gsub(/[^0-9]/, ""); print "== " $0; getline; inside = 1; next }
        inside' "$work/seen" >"$work/numbers"
    [ "$(grep -c '^==' "$work/numbers")" -eq 16 ] && diff "$work/printed" "$work/numbers"
}
attempt 'numbers look exactly as tensor_print writes them, in float' same_as_tensor_print "$1"
attempt 'numbers look exactly as tensor_print writes them, in double' same_as_tensor_print "$2"

# line TEXT: the line of gdb_program.c that has it.
line() { grep -nF "$1" "$source/tests/autograd/gdb_program.c" | sed 's/:.*//'; }
softmax_line=$(line 'ag_softmax(x[0])')

describes() {
    debug "$1" 'break stop_here' run 'print x[0]' 'print *x[1]' 'print x[2]' 'print x[13]' 'print x[10]->shape' 'print x[5]'
    shows "$work/seen" "Tensor 'plain' (2, 3), with gradient" "Tensor (3, 2), strides (1, 3), view of 'plain', with gradient" \
        'ids (4,)' "Tensor 'probabilities' (2, 3), from softmax at gdb_program.c:$softmax_line, with gradient" '(2, 3, 2, 2)' 'Tensor (60, 40)'
}
attempt 'print x: name, shape, strides, base, op and its line, gradient' describes "$1"

what_is_no_tensor() {
    debug "$1" 'break after_reset' run 'print old' 'print none' 'print wild' 'print nothing_of_that_name'
    shows "$work/seen" "Tensor 'probabilities' (2, 3) of step 0, which is over" '= 0x0000000000000000' 'no Tensor (not set yet?)' \
        "undeclared identifier 'nothing_of_that_name'"
}
attempt 'a tensor of a step that is over, NULL and wild pointers are told apart' what_is_no_tensor "$1"

tapes() {
    debug "$1" tape 'break stop_here' run 'print tape' 'print *tape->node[0]' tape 'tape x[13]->node' 'tape x[13]->shape'
    shows "$work/seen" 'tape: no program is running' 'Tape in step 0: 3 ops, 2 names, ' \
        "softmax: (2, 3) -> 'probabilities' (2, 3), at gdb_program.c:$softmax_line" 'tape: x[13]->shape leads to no tape' &&
        [ "$(grep -cF "0  softmax  (2, 3) -> (2, 3)         gdb_program.c:$softmax_line  'probabilities'" "$work/seen")" -eq 2 ]
}
attempt 'tape lists the ops: number, op, shapes, place, name' tapes "$1"

# Before the program runs: its forward, then its backward, in the op's file and in no kernel of that name.
stops_at() {
    debug "$1" 'break-op softmax' run 'backtrace 1' continue 'backtrace 1'
    shows "$work/seen" 'frame #0:' 'softmax_forward(n=softmax: (2, 3) -> ' 'softmax_backward(n=softmax: ' &&
        fails grep -q 'softmax_.* at rows.c' "$work/seen"
}
attempt 'break-op stops in the forward and in the backward' stops_at "$1"

shared_functions() {
    debug "$1" 'break-op conv2d' 'break main' run 'break-op conv2d' 'break-op masked_softmax' continue
    shows "$work/seen" 'which function has the forward of conv2d is known once' 'conv_forward in conv' 'conv_backward in conv' 'masked_softmax_forward in masked_softmax.c' 'softmax_backward in softmax.c' \
        'exited with status = 0'
}
attempt 'break-op of ops that share their functions stops for the one named' shared_functions "$1"

wrong_names() {
    debug "$1" 'break-op sotfmax' 'break-op' 'break-op zzzzzz'
    shows "$work/seen" 'there is no op "sotfmax"; did you mean "softmax"?' 'break-op: found no name' 'there is no op "zzzzzz"'
}
attempt 'break-op of an unknown op says which was meant' wrong_names "$1"

keeps_maps() {
    debug "$1" keep-maps 'break stop_here' run 'print tape->keep_maps' && shows "$work/seen" '= true' &&
        debug "$1" 'break stop_here' run 'print tape->keep_maps' && shows "$work/seen" '= false'
}
attempt 'keep-maps sets keep_maps of every new tape' keeps_maps "$1"

gradients() {
    debug "$1" 'break stop_here' run 'grad x[0]' 'grad x[10]' 'grad' 'grad tape' 'grad none_of_these'
    shows "$work/seen" "gradient of Tensor 'plain' (2, 3)" 'has no gradient: ' 'grad: found no name' 'grad: tape is no tensor' \
        "undeclared identifier 'none_of_these'"
}
attempt 'grad prints a gradient' gradients "$1"

opens() { # a view's values are those of its axes, not those in memory
    debug "$1" 'break stop_here' run 'frame variable x[1]->shape' 'script t = lldb.frame.GetValueForVariablePath("x[1]"); t.SetPreferSyntheticValue(True)' \
        'script print("\n".join("%s %s" % (c.GetName(), [[float(y.GetValue()) for y in x] for x in c if len(x)]) for c in t))' 'print *x[1]'
    shows "$work/seen" 'shape' 'values [[' 'gradient [['
    awk '/^values/ { gsub(/[^-0-9. ]/, ""); opened = $0 } /^ ?\[/ { gsub(/[^-0-9. ]/, ""); printed = printed " " $0 }
        END { n = split(opened, a, " "); m = split(printed, b, " "); for (i = 1; i <= n; i++) if (a[i] - b[i] > 1e-4 || b[i] - a[i] > 1e-4) exit 1; exit n != 6 || m != n }' "$work/seen"
}
attempt 'a tensor opens as its shape, values and gradient, in the order of its axes' opens "$1"

# From the first line of the op's backward to a reference kernel; 100 where none is reached.
most=$4
few_steps() {
    cat >"$work/count.py" <<'END'
import lldb


def count(debugger, op, context, result, _):
    target, process = context.GetTarget(), context.GetProcess()
    files = lldb.SBFileSpecList()
    files.Append(lldb.SBFileSpec("%s.c" % op))
    stop = target.BreakpointCreateByName(op + "_backward", lldb.eFunctionNameTypeAuto, lldb.SBFileSpecList(), files)
    stop.SetOneShot(True)
    process.Continue()
    thread = process.GetSelectedThread()
    for n in range(1, 100):
        thread.StepInto()
        if "kernels/ref" in str(thread.GetFrameAtIndex(0).GetLineEntry().GetFileSpec()):
            break
    result.AppendMessage("steps %s %d" % (op, n))
END
    set -- "$1" "command script import $work/count.py" 'command script add -f count.count count' 'break main' run
    for op in cross_entropy matmul attention layernorm linear softmax add mul; do set -- "$@" "count $op"; done
    GRADUS_KERNELS=ref OMP_NUM_THREADS=1 debug "$@"
    [ "$(grep -c '^steps ' "$work/seen")" -eq 8 ] && awk -v most="$most" '/^steps / && $3 > most { print; bad = 1 } END { exit bad }' "$work/seen"
}
attempt 'from the backward of each op on the reading path to its loop: few steps' few_steps "$3"

done_testing
