#!/bin/sh
# Tests of the labs, which are written with gradus, printed as TAP:  sh tests/homework/lab.sh SOURCE GRADER [CACHE]
# The mistakes of every lab are tried with `./gradus test --all`; otherwise those of one, which changes from day to day.
set -u
source=$(cd "${1:-$(dirname "$0")/../..}" && pwd) || exit 1
grader=${2:?the grader}
cache=${3:-}
# shellcheck source=tests/harness/tap.sh
. "$source/tests/harness/tap.sh"
: "${cache:=$work/cache}" # what is built of a homework is kept there
homework=$source/lectures/homework
TMPDIR=$work
export TMPDIR

grade() { "$grader" "$homework" "$cache" grade "$@" >"$work/report" 2>&1; }
hand_out() { "$grader" "$homework" "$cache" handout "$@"; }

set -- "$homework"/lab-*/
shift $(($(today $#) - 1))
chosen=$(basename "$1")
for folder in "$homework"/lab-*/; do
    lab=$(basename "$folder")
    attempt "$lab: the hand-out is written" hand_out "$lab" "$work/$lab"
    attempt "$lab: the solution is written" hand_out "$lab" "$work/$lab-solved" --solution
    attempt "$lab: no mark is in the hand-out" fails grep -qrE 'SOLUTION|stub\|' "$work/$lab" "$work/$lab-solved"
    attempt "$lab: the hand-out compiles beside the library" \
        "${CC:-cc}" -Wall -Wextra -Werror -I "$source" -c -o "$work/try.o" "$work/$lab/$lab.c"
    attempt "$lab: the solution reaches all points" grade "$lab" "$work/$lab-solved/$lab.c"
    attempt "$lab: the hand-out none" fails grade "$lab" "$work/$lab/$lab.c"
    attempt "$lab: and hears what to do first" shows "$work/report" '0 of 100 points' 'A good beginning: write '
    for file in "$source/tests/homework/lab/$lab"-other*.c; do
        attempt "$lab: $(basename "$file"), a right answer in another style, reaches all points" grade "$lab" "$file"
    done
    all || [ "$lab" = "$chosen" ] || continue
    attempt "$lab: each mistake is named as itself" grade "$lab" --confusion
done

# ---- the walls around a lab ------------------------------------------------------------------------------

# answer NAME TEXT: a submission to lab-op whose rms_norm has this body.
answer() {
    printf '#include "lab-op.h"\n%s\nTensor *rms_norm(Tensor *x, Tensor *gain, real epsilon) { (void)gain, (void)epsilon; %s }\n' \
        "${3:-}" "$2" >"$work/$1.c"
}
answer inside 'return ref_kernels() ? x : gain;' 'void *ref_kernels(void);'
attempt 'a function that is inside of the library is refused' fails grade lab-op "$work/inside.c"
attempt 'by its name' shows "$work/report" 'your file calls ref_kernels' '0 of 100'
answer header 'return x;' '#include "autograd/ops/shared/op.h"'
attempt 'a header that is inside of the library is refused' fails grade lab-op "$work/header.c"
attempt 'and not shown' shows "$work/report" 'autograd/ops/shared/op.h' 'It was not run'
answer file "tensor_npy_write(\"$work/leak\", x); return x;"
attempt 'no file is written through the library' fails grade lab-op "$work/file.c" --test rms_norm
attempt 'and none is there' fails test -e "$work/leak"
answer handler 'ag_apply(0, 0, 0, 0, 0); return ag_add(x, gain);'
attempt 'an error of the library is told' fails grade lab-op "$work/handler.c" --test rms_norm
attempt 'with the line of the submission' shows "$work/report" 'handler.c:3: ag_apply: '
attempt 'there is no archive to grade a lab at home' fails hand_out lab-op "$work/kit.zip"

# ---- lab-op ----------------------------------------------------------------------------------------------

attempt 'an op that is composed of others loses points' fails grade lab-op "$source/tests/homework/lab/lab-op-composed.c"
attempt 'where one node is expected, and refusals of its own' shows "$work/report" 'failed     5. one node' 'failed    10. one node' '86 of 100'
grade_changed() { # FROM TO: the solution with another line
    awk -v from="$1" -v to="$2" '{ at = index($0, from) } at { $0 = substr($0, 1, at - 1) to substr($0, at + length(from)) } { print }' \
        "$work/lab-op-solved/lab-op.c" >"$work/changed.c" && grade lab-op "$work/changed.c"
}
attempt 'an op that takes strides and ignores them fails' fails grade_changed '.name = "swiglu",' '.name = "swiglu", .strided = true,'
attempt 'in the op test of views' shows "$work/report" 'the op test "views" failed'
attempt 'an op that forgets that gradients may be absent crashes' fails grade_changed 'if (x->grad)' 'if (gate)'
attempt 'in the op tests alone' shows "$work/report" 'failed    11.' '92 of 100'
done_testing
