/* mask.c: checking a Mask, and translating it for the kernels.
 *
 * A mask says which keys are kept. Its settings are attributes of the op; its tensors (key lengths,
 * keep matrix) are operands, so that they are checked as all operands are. */
#include "autograd/ops/shared/op.h"

Mask mask_at(const Node *n, Mask mask, int first)
{
    mask.lengths = n->in[first];
    mask.keep = n->in[first + 1];
    return mask;
}

/* Every number of every tensor of the mask is looked at, so that kernels need no test. */
bool mask_check(const Node *n, Mask mask, Scores s)
{
    const Tensor *lengths = mask.lengths, *keep = mask.keep;
    if (mask.window < 0 || mask.dilation < 0 || mask.global < 0)
        return op_fail(n, "mask window is %d, dilation %d, global %d; expected 0 or more",
                       mask.window, mask.dilation, mask.global);
    if (lengths && !shape_equal(lengths->shape, shape1(s.batch)))
        return op_fail(n, "mask lengths are %s; expected one for each of %lld sequences",
                       tensor_describe(lengths), (long long)s.batch);
    for (int64_t b = 0; lengths && b < s.batch; b++)
        if (lengths->ids[b] < 0 || lengths->ids[b] > s.S)
            return op_fail(
                n, "mask length %d of sequence %lld; expected 0 to %lld, the number of keys",
                lengths->ids[b], (long long)b, (long long)s.S);
    Shape all = shape2(s.T, s.S), each = shape3(s.batch, s.T, s.S);
    Shape every = shape4(s.batch, s.heads, s.T, s.S);
    if (keep && !shape_equal(keep->shape, all) && !shape_equal(keep->shape, each) &&
        !shape_equal(keep->shape, every))
        return op_fail(n, "keep matrix is %s; expected %s, %s or %s", tensor_describe(keep),
                       shape_str(all), shape_str(each), shape_str(every));
    for (int64_t i = 0; keep && i < tensor_size(keep); i++)
        if (keep->data[i] != 0 && keep->data[i] != 1)
            return op_fail(n, "keep matrix %s has %g at element %lld; expected 1 (keep) or 0",
                           tensor_describe(keep), (double)keep->data[i], (long long)i);
    return true;
}

/* A keep matrix of rank 2 serves all matrices, of rank 3 a sequence's heads, of rank 4 one head. */
KernelMask mask_resolve(Mask mask, int64_t heads)
{
    KernelMask m = {.causal = mask.causal,
                    .lengths = mask.lengths ? mask.lengths->ids : NULL,
                    .heads = heads,
                    .window = mask.window,
                    .dilation = mask.dilation > 0 ? mask.dilation : 1,
                    .global = mask.global};
    if (mask.keep) {
        m.keep = mask.keep->data;
        m.keep_share = mask.keep->shape.rank == 2 ? 0 : mask.keep->shape.rank == 3 ? heads : 1;
    }
    return m;
}
