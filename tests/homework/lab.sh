#!/bin/sh
# Tests of the labs, which are written with gradus, printed as TAP:  sh tests/homework/lab.sh SOURCE GRADER [CACHE]
# Every lab is tried with `./gradus test --all`; otherwise lab-op alone, without its mistakes.
# shellcheck source=tests/homework/grader.sh
. "$(dirname "$0")/grader.sh"

confusion() { grade "$1" --confusion || { cat "$work/report" && return 1; }; }

for folder in "$homework"/lab-*/; do
    lab=$(basename "$folder")
    attempt "$lab: the hand-out is written" hand_out "$lab" "$work/$lab"
    attempt "$lab: the solution is written" hand_out "$lab" "$work/$lab-solved" --solution
    attempt "$lab: no mark is in the hand-out" fails grep -qrE 'SOLUTION|stub\|' "$work/$lab" "$work/$lab-solved"
    attempt "$lab: the hand-out compiles beside the library" \
        "${CC:-cc}" -Wall -Wextra -Wno-unused-parameter -Werror -I "$source" -c -o "$work/try.o" "$work/$lab/$lab.c"
    all || [ "$lab" = lab-op ] || continue
    attempt "$lab: the solution reaches all points" grade "$lab" "$work/$lab-solved/$lab.c"
    attempt "$lab: the hand-out none" fails grade "$lab" "$work/$lab/$lab.c"
    attempt "$lab: and hears what to do first" shows "$work/report" '0 of 100 points' 'Begin with '
    for file in "$source/tests/homework/lab/$lab"-other*.c; do
        attempt "$lab: $(basename "$file"), a right answer in another style, reaches all points" grade "$lab" "$file"
    done
    all || continue
    # Those of lab-train train for more than a minute: ./gradus grade lab-train --confusion tries them.
    if [ "$lab" = lab-train ]; then
        attempt "$lab: each mistake finds its lines" grade "$lab" --check
    else
        attempt "$lab: each mistake is named as itself" confusion "$lab"
    fi
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
answer file "safetensors_write(\"$work/leak\", 0, 0, 0, 0); return x;"
attempt 'no file is written through the library' fails grade lab-op "$work/file.c" --test rms_norm
attempt 'and none is there' fails test -e "$work/leak"
answer handler 'ag_apply(0, 0, 0, 0, 0); return ag_add(x, gain);'
attempt 'an error of the library is told' fails grade lab-op "$work/handler.c" --test rms_norm
attempt 'with the line of the submission' shows "$work/report" 'handler.c:3: ag_apply: '
attempt 'there is no archive to grade a lab at home' fails hand_out lab-op "$work/kit.zip"

# ---- lab-op ----------------------------------------------------------------------------------------------

attempt 'an op that is composed of others loses points' fails grade lab-op "$source/tests/homework/lab/lab-op-composed.c"
attempt 'where one node is expected, and refusals of its own' shows "$work/report" 'failed     5. one node' 'failed    10. one node' '86 of 100'
changed() { # LAB FROM TO: the solution of a lab with another line
    awk -v from="$2" -v to="$3" '{ at = index($0, from) } at { $0 = substr($0, 1, at - 1) to substr($0, at + length(from)) } { print }' \
        "$work/$1-solved/$1.c" >"$work/changed.c" && grade "$1" "$work/changed.c"
}
attempt 'an op that takes strides and ignores them fails' fails changed lab-op '.name = "swiglu",' '.name = "swiglu", .strided = true,'
attempt 'in the op test of views' shows "$work/report" 'the op test "views" failed'
attempt 'an op that forgets that gradients may be absent crashes' fails changed lab-op 'if (x->grad)' 'if (gate)'
attempt 'in the op tests alone' shows "$work/report" 'failed    11.' '92 of 100'

# ---- lab-module, lab-train, lab-plot ---------------------------------------------------------------------

all || { done_testing; exit; }
printf '#include "lab-module.h"\n#undef nn_attention\nvoid *f(void) { return nn_attention; }\n' >"$work/forbidden.c"
attempt 'lab-module: the library'"'"'s own attention may not be called' fails grade lab-module "$work/forbidden.c"
attempt 'and is named' shows "$work/report" 'poisoned "nn_attention"' '0 of 100'
attempt 'lab-module: keys that are copied to half of the heads are not shared right' fails changed lab-module \
    'shape5(batch, tokens, groups, each, size)' 'shape5(batch, tokens, each, groups, size)'
attempt 'lab-claim: a claim that always holds has no points but the fault'"'"'s' fails changed lab-claim \
    'return ran && largest < 1e-4;' 'return true;'
attempt 'lab-claim: because it holds without a mask, too' shows "$work/report" 'whatever the implementation does, without a mask, too' \
    'passed     7. a fault of its own' '16 of 100'
attempt 'lab-train: a model that is told the next letter is refused' fails changed lab-train \
    'Tensor *y = nn_linear(&m->down, ag_gelu(nn_linear(&m->up, window)));' \
    'Tensor *y = ag_slice(ag_pad(ag_scale(x, 9), NULL, (int64_t[]){0, 1, 0}, 0), 1, 1, LENGTH + 1);'
attempt 'as a leak' shows "$work/report" 'later letters change earlier logits' '0 of 100'
attempt 'lab-plot: a figure with weights of another head is not the figure' fails changed lab-plot \
    'weight(A, head.head, i, j)' 'weight(A, 3 - head.head, i, j)'
attempt 'in its panels' shows "$work/report" 'failed     3. the figure' '68 of 100'
done_testing
