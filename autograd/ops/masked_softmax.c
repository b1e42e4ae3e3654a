/* Softmax over the keys that a mask keeps.
 *   y_ij = exp(x_ij - m_i) / sum over kept k of exp(x_ik - m_i), and exactly 0 where j is not kept
 *   dL/dx_ij = y_ij (g_ij - sum_k g_ik y_ik),  g = dL/dy
 * scores: (T, S), (B, T, S) or (B, H, T, S) -> the same.  A query that keeps no key gets zeros.
 * Lectures: V "Decoder Block: Masked MSA", J "Masked self-attention layer", H "Masked Attention", B
 * "Masked Decoding" (lectures/README.md). The loops: ref_masked_softmax and ref_softmax_backward in
 * tensor/kernels/ref/softmax.c. */
#include "autograd/ops/shared/op.h"

/* (T, S) is one sequence with one head, (B, T, S) a batch with one head. */
static Scores scores_of(Shape s)
{
    Scores r = {1, 1, 1, shape_last(s)};
    if (s.rank >= 2)
        r.T = s.dim[s.rank - 2];
    if (s.rank >= 3)
        r.batch = s.dim[0];
    if (s.rank == 4)
        r.heads = s.dim[1];
    return r;
}

static bool masked_softmax_shape(const Node *n, Shape *y)
{
    Scores s = scores_of(*y);
    if (y->rank < 2 || y->rank > 4)
        return op_fail(n, "scores are %s; expected (T, S), (B, T, S) or (B, H, T, S)",
                       tensor_describe(n->in[0]));
    return mask_check(n, mask_at(n, *(const Mask *)n->attrs, 1), s);
}

static void masked_softmax_forward(Node *n)
{
    Scores s = scores_of(n->in[0]->shape);
    KernelMask mask = mask_resolve(mask_at(n, *(const Mask *)n->attrs, 1), s.heads);
    kernels->masked_softmax(n->out->data, n->in[0]->data, &mask, s.batch * s.heads, s.T, s.S);
}

/* The gradient rule is softmax's: it gives 0 where y is 0, so backward does not read the mask. */
const Op op_masked_softmax = {.name = "masked_softmax",
                              .optional = 1 << 1 | 1 << 2,
                              .ids = 1 << 1,
                              .shape = masked_softmax_shape,
                              .forward = masked_softmax_forward,
                              .backward = softmax_backward};

Tensor *ag_masked_softmax(Tensor *scores, Mask mask)
{
    Tensor *in[] = {scores, mask.lengths, mask.keep};
    return op_apply(&op_masked_softmax, in, 3, &mask, sizeof mask);
}
