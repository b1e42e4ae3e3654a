/* mask.c: from a Mask to what the kernels read.
 *
 * A mask says what is kept. Its settings are attributes of the op; its tensors (key lengths, keep matrix)
 * are operands, so that they are checked like all others. */
#include "autograd/ops/op.h"

MaskAttrs mask_attrs(Mask mask)
{
    return (MaskAttrs){mask.causal, mask.window, mask.dilation > 0 ? mask.dilation : 1,
                       mask.global};
}

static bool lengths_fit(const char *who, const Tensor *lengths, int64_t batch, int64_t S)
{
    if (!shape_equal(lengths->shape, shape1(batch)))
        return tensor_fail("%s: mask lengths are %s; need one for each of %lld sequences", who,
                           tensor_describe(lengths), (long long)batch);
    for (int64_t b = 0; b < batch; b++)
        if (lengths->ids[b] < 0 || lengths->ids[b] > S)
            return tensor_fail("%s: mask length %d of sequence %lld; there are %lld keys", who,
                               lengths->ids[b], (long long)b, (long long)S);
    return true;
}

static bool keep_fits(const char *who, const Tensor *keep, int64_t batch, int64_t heads, int64_t T,
                      int64_t S)
{
    if (!shape_equal(keep->shape, shape2(T, S)) && !shape_equal(keep->shape, shape3(batch, T, S)) &&
        !shape_equal(keep->shape, shape4(batch, heads, T, S)))
        return tensor_fail("%s: keep matrix is %s; need %s, %s or %s", who, tensor_describe(keep),
                           shape_str(shape2(T, S)), shape_str(shape3(batch, T, S)),
                           shape_str(shape4(batch, heads, T, S)));
    for (int64_t i = 0; i < tensor_size(keep); i++)
        if (keep->data[i] != 0 && keep->data[i] != 1)
            return tensor_fail("%s: keep matrix %s has %g at element %lld; need 1 (keep) or 0", who,
                               tensor_describe(keep), (double)keep->data[i], (long long)i);
    return true;
}

bool mask_check(const char *who, MaskAttrs attrs, const Tensor *lengths, const Tensor *keep,
                int64_t batch, int64_t heads, int64_t T, int64_t S)
{
    if (attrs.window < 0 || attrs.global < 0)
        return tensor_fail("%s: mask window is %d, global %d; need 0 or more", who, attrs.window,
                           attrs.global);
    return (!lengths || lengths_fit(who, lengths, batch, S)) &&
           (!keep || keep_fits(who, keep, batch, heads, T, S));
}

KernelMask mask_resolve(MaskAttrs attrs, const Tensor *lengths, const Tensor *keep, int64_t heads)
{
    return (KernelMask){
        .causal = attrs.causal,
        .lengths = lengths ? lengths->ids : NULL,
        .heads = heads,
        .window = attrs.window,
        .dilation = attrs.dilation,
        .global = attrs.global,
        .keep = keep ? keep->data : NULL,
        .keep_share = !keep || keep->shape.rank == 2 ? 0
                      : keep->shape.rank == 3        ? heads
                                                     : 1,
    };
}
