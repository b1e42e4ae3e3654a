/* step_program.c: one step with the ops on READING.md's path, for debuggers.sh, which counts how
 * many `step`s lead from each op's backward to the loop that computes it. */
#include "gradus.h"

static Tensor *leaf(Tape *tape, Shape shape)
{
    real numbers[64];
    for (int i = 0; i < 64; i++)
        numbers[i] = (real)(i % 7) - 3;
    return tape_leaf(tape, numbers, shape);
}

int main(void)
{
    Tape *tape = tape_new(1);
    Tensor *x = leaf(tape, shape2(4, 6)), *w = leaf(tape, shape2(5, 6)), *b = leaf(tape, shape1(5));
    Tensor *h = ag_add(ag_mul(x, leaf(tape, shape2(4, 6))), leaf(tape, shape1(6)));
    Tensor *y = ag_linear(ag_softmax(h), w, b);
    Tensor *n = ag_layernorm(ag_gelu(y), b, leaf(tape, shape1(5)), (real)1e-5);
    Tensor *k = ag_reshape(n, shape3(1, 4, 5)), *q = leaf(tape, shape3(1, 4, 5));
    Tensor *a = ag_attention(q, k, ag_scale(q, 2), (Mask){.causal = true}, 0);
    Tensor *logits = ag_matmul(ag_reshape(a, shape2(4, 5)), ag_transpose(y, 0, 1));
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, (int[]){0, 1, 2, 3}, shape1(4)));
    bool done = ag_backward(loss);
    tape_free(tape);
    return done ? 0 : 1;
}
