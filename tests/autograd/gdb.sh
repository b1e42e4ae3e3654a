#!/bin/sh
# Tests of what gdb shows of gradus, printed as TAP:  sh tests/autograd/gdb.sh SOURCE PROGRAM PROGRAM-F64 STEP-PROGRAM MOST
# The programs are gdb_program.c, compiled for a debugger, and step_program.c. MOST: the most steps to a loop.
#
# shellcheck disable=SC2016  # what stands in single quotes is gdb's: $1, $_streq
set -u
source=$(cd "$1" && pwd) || exit 1
shift
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
export ASAN_OPTIONS=detect_leaks=0 # it cannot look for leaks under a debugger

# debug PROGRAM COMMAND...: runs gdb on it with the commands; what they print goes to $work/seen.
debug() {
    debugged=$1
    shift
    for command in "$@"; do
        shift
        set -- "$@" -ex "$command" # goes on after an error, as a file of commands would not
    done
    gdb -nx -batch -iex 'set auto-load off' -iex 'set debuginfod enabled off' \
        -x "$source/tensor/gradus-gdb.py" -ex 'set width 0' "$@" \
        --args "$debugged" "$work/printed" >"$work/seen" 2>&1 </dev/null
}

command -v gdb >/dev/null || skip_all 'there is no gdb'
gdb -nx -batch -ex 'python print(1)' 2>&1 | grep -qx 1 || skip_all 'this gdb has no Python'
debug "$1" 'break main' run
grep -q '^Breakpoint 1, main' "$work/seen" || skip_all 'gdb cannot run a program here (ptrace)'

# The numbers alone: what follows the line that describes the tensor.
same_as_tensor_print() {
    debug "$1" 'break stop_here' run 'set print elements 1000' \
        'python for i in range(16): print("== %d" % i); gdb.execute("output *x[%d]" % i); print()'
    awk '/^== /, 0' "$work/seen" | awk '/^== / { print; getline; next } 1' >"$work/numbers"
    [ "$(grep -c '^==' "$work/numbers")" -eq 16 ] && diff "$work/printed" "$work/numbers"
}
attempt 'numbers look exactly as tensor_print writes them, in float' same_as_tensor_print "$1"
attempt 'numbers look exactly as tensor_print writes them, in double' same_as_tensor_print "$2"

# line TEXT: the line of gdb_program.c that has it.
line() { grep -nF "$1" "$source/tests/autograd/gdb_program.c" | sed 's/:.*//'; }
softmax_line=$(line 'ag_softmax(x[0])')
mul_line=$(line 'ag_mul(x[13], x[0])')

describes() {
    debug "$1" 'break stop_here' run 'print x[0]' 'print *x[1]' 'print x[2]' 'print x[13]' \
        'print x[10]->shape' 'print x[3]->shape' 'print x[8]->shape' 'print x[5]'
    shows "$work/seen" "\$1 = Tensor 'plain' (2, 3), with gradient" \
        "\$2 = Tensor (3, 2), strides (1, 3), view of 'plain', with gradient" \
        '$3 = ids (4,)' \
        "\$4 = Tensor 'probabilities' (2, 3), from softmax at gdb_program.c:$softmax_line, with gradient" \
        '$5 = (2, 3, 2, 2)' '$6 = ()' '$7 = (200,)' '$8 = Tensor (60, 40)'
}
attempt 'print x: name, shape, strides, base, op and its line, gradient' describes "$1"

in_a_backtrace() {
    debug "$1" 'break stop_here' run backtrace 'break after_reset' continue backtrace
    shows "$work/seen" "first=Tensor 'plain' (2, 3)) at " &&
        shows "$work/seen" "#0  after_reset (tape=Tape in step 1: 0 ops, 0 names, 0 bytes, old=" \
            'none=0x0, wild=no Tensor (not set yet?)) at '
}
if gdb -nx -batch -ex 'python print(gdb.print_options)' 2>&1 | grep -q built-in; then
    attempt 'in a backtrace each argument is one line' in_a_backtrace "$1"
else
    skip 'in a backtrace each argument is one line' 'gdb before 13 does not tell a backtrace from print'
fi

what_is_no_tensor() {
    debug "$1" 'break after_reset' run 'print old' 'print none' 'print wild' continue 'print wild' \
        'print/r tape->resets'
    shows "$work/seen" "\$1 = Tensor 'probabilities' (2, 3) of step 0, which is over" \
        '$2 = (Tensor *) 0x0' '$3 = no Tensor (not set yet?)' '$4 = no Tensor (not set yet?)' '$5 = 1'
}
attempt 'a tensor of a step that is over, NULL and wild pointers are told apart' what_is_no_tensor "$1"

tapes() {
    debug "$1" 'break stop_here' run 'print tape' 'print *tape->node[0]' tape 'tape x[13]->node' up tape \
        'tape x[13]' 'tape x[13]->shape'
    row='softmax  (2, 3) -> (2, 3)         gdb_program.c:'$softmax_line"  'probabilities'"
    shows "$work/seen" '$1 = Tape in step 0: 3 ops, 2 names, ' \
        "\$2 = softmax: (2, 3) -> 'probabilities' (2, 3), at gdb_program.c:$softmax_line" \
        "1  mul      (2, 3) (2, 3) -> (2, 3)  gdb_program.c:$mul_line" \
        "2  sum      (2, 3) -> ()             gdb_program.c:$mul_line" \
        'tape: x[13]->shape leads to no tape' && [ "$(grep -cF "0  $row" "$work/seen")" -eq 4 ]
}
attempt 'tape lists the ops: number, op, shapes, place, name' tapes "$1"

no_tape_here() {
    debug "$1" tape 'break main' run tape 'tape 3'
    shows "$work/seen" 'tape: no program is running' 'no variable here leads to one' 'tape: 3 leads to no tape'
}
attempt 'tape says when there is none' no_tape_here "$1"

# Before the program runs, and then while it does: forward first, then backward.
stops_at() {
    debug "$1" 'break-op softmax' run 'backtrace 1' continue 'backtrace 1'
    shows "$work/seen" '#0  softmax_forward (n=softmax: (2, 3) -> ' '#0  softmax_backward (n=softmax: '
}
attempt 'break-op stops in the forward and in the backward' stops_at "$1"

# The kernels have a function of that name, too, and the op's backward calls it.
stops_nowhere_else() {
    debug "$1" 'break-op softmax' 'info breakpoints' run continue continue 'info breakpoints'
    [ "$(grep -c 'in softmax_.* at .*autograd/ops/softmax.c' "$work/seen")" -eq 4 ] &&
        fails grep -q 'softmax_.* at .*kernels' "$work/seen"
}
attempt 'and nowhere else: not in the kernels of that name' stops_nowhere_else "$1"

# Each tape of the program keeps its maps, from its first op on.
keeps_maps() {
    debug "$1" keep-maps 'break stop_here' run 'print tape->keep_maps' && shows "$work/seen" '$1 = true' &&
        fails grep -q 'Temporary breakpoint' "$work/seen" && debug "$1" 'break stop_here' run 'print tape->keep_maps' &&
        shows "$work/seen" '$1 = false'
}
attempt 'keep-maps sets keep_maps of every new tape' keeps_maps "$1"

shared_functions() {
    debug "$1" 'break-op conv2d' start 'break-op conv2d' 'info breakpoints' continue
    shows "$work/seen" 'in conv_forward at' 'in conv_backward at' \
        'stop only if $_streq(n->op->name, "conv2d")' &&
        fails grep -q 'Breakpoint .*, conv_' "$work/seen"
}
attempt 'break-op of ops that share their functions stops for the one named' shared_functions "$1"

# masked_softmax has a forward of its own and the backward of softmax.
half_shared() {
    debug "$1" start 'break-op masked_softmax' 'info breakpoints' continue
    shows "$work/seen" 'in masked_softmax_forward at' 'in softmax_backward at' 'stop only if $_streq(n->op->name, "masked_softmax")' &&
        fails grep -q 'in softmax_backward at .*kernels\|Breakpoint .*, softmax_backward' "$work/seen"
}
attempt 'break-op of an op that shares its backward alone stops in both, for the one named' half_shared "$1"

wrong_names() {
    debug "$1" 'break-op sotfmax' 'break-op' 'break-op zzzzzz' 'info breakpoints'
    shows "$work/seen" 'there is no op "sotfmax"; did you mean "softmax"?' 'break-op: found no name' \
        'there is no op "zzzzzz"' 'No breakpoints'
}
attempt 'break-op of an unknown op says which was meant' wrong_names "$1"

calls_nothing() {
    fails grep -nE 'call\(|parse_and_eval\("' "$source/tensor/gradus-gdb.py" &&
        debug "$1" 'break stop_here' run 'set may-call-functions off' 'print x[0]' tape &&
        shows "$work/seen" "Tensor 'plain'" "0  softmax"
}
attempt 'nothing is called in the program' calls_nothing "$1"

# Without the skips it is 150 for mul and 170 for matmul.
ops='cross_entropy matmul attention layernorm linear softmax add mul' # in the order of backward
most=$4
few_steps() {
    cat >"$work/count.py" <<'END'
def steps(op):
    """From the first line of the op's backward to a reference kernel; 100 where none is reached."""
    gdb.execute("tbreak -source ops/%s.c -function %s_backward" % (op, op), to_string=True)
    gdb.execute("continue", to_string=True)
    for n in range(1, 100):
        gdb.execute("step", to_string=True)
        table = gdb.selected_frame().find_sal().symtab
        if table and "kernels/ref/" in table.filename:
            return n
    return 100
END
    set -- "$1" 'break main' run "source $work/count.py"
    for op in $ops; do
        set -- "$@" "python print('steps $op', steps('$op'))"
    done
    GRADUS_KERNELS=ref OMP_NUM_THREADS=1 debug "$@"
    [ "$(grep -c '^steps ' "$work/seen")" -eq 8 ] &&
        awk -v most="$most" '/^steps / && $3 > most { print; bad = 1 } END { exit bad }' "$work/seen"
}
attempt 'from the backward of each op on the reading path to its loop: few steps' few_steps "$3"

gradients() {
    debug "$1" 'break stop_here' run 'grad x[0]' 'grad x[10]' 'grad' 'grad tape' 'grad none_of_these'
    shows "$work/seen" "gradient of Tensor 'plain' (2, 3)" 'has no gradient: ' 'grad: found no name' \
        'grad: tape is no tensor' 'grad: No symbol "none_of_these"'
}
attempt 'grad prints a gradient' gradients "$1"

done_testing
