/* Cross-entropy of logits against target classes, which may be softened.
 *                                B "Training Transformer-based LM", Z "Encoder transformers"
 *   L = 1/N sum over counted rows of (log sum_j exp(x_j) - x_target),  N their number
 *   dL/dx_j = (softmax(x)_j - [j = target]) / N for counted rows, exactly 0 for ignored ones
 * With label smoothing e (Szegedy et al. 2016; "Attention is all you need", 5.4) the target's share is
 * 1 - e + e / V and that of any other class e / V instead of 1 and 0.
 * logits: (..., V), targets: ids (...) -> rank 0.  With no row counted the loss is 0.
 * Error: a target outside 0..V-1 that is not the ignored id; e outside 0..1. */
#include "autograd/ops/op.h"

typedef struct {
    bool ignores; /* is there an ignored id? */
    int ignore;   /* it; else one that is no class */
    real smoothing;
} CrossEntropyAttrs;

static bool cross_entropy_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *target = n->in[1];
    const CrossEntropyAttrs *attrs = n->attrs;
    Shape wanted = x->shape;
    wanted.rank = x->shape.rank > 0 ? x->shape.rank - 1 : 0;
    *y = shape0();
    if (x->shape.rank < 1 || !shape_equal(wanted, target->shape))
        return tensor_fail(
            "cross_entropy: logits are %s, targets %s; need logits (..., V), targets (...)",
            tensor_describe(x), tensor_describe(target));
    if (!(attrs->smoothing >= 0 && attrs->smoothing <= 1))
        return tensor_fail("cross_entropy: label smoothing is %g; need 0 to 1",
                           (double)attrs->smoothing);
    for (int64_t i = 0; i < tensor_size(n->in[1]); i++)
        if (!(attrs->ignores && target->ids[i] == attrs->ignore) &&
            (target->ids[i] < 0 || target->ids[i] >= shape_last(x->shape)))
            return tensor_fail(
                "cross_entropy: target %d at position %lld; logits %s have classes 0 to "
                "%lld",
                target->ids[i], (long long)i, tensor_describe(x),
                (long long)shape_last(x->shape) - 1);
    return true;
}

/* The log-sum-exp of each row, then the rows' losses. */
static int64_t cross_entropy_saved(const Node *n)
{
    return 2 * tensor_size(n->in[1]);
}

static int64_t counted(const Node *n)
{
    const CrossEntropyAttrs *attrs = n->attrs;
    int64_t count = 0;
    for (int64_t i = 0; i < tensor_size(n->in[1]); i++)
        count += n->in[1]->ids[i] != attrs->ignore;
    return count;
}

static void cross_entropy_forward(Node *n)
{
    const Tensor *x = n->in[0];
    const CrossEntropyAttrs *attrs = n->attrs;
    int64_t rows = tensor_size(n->in[1]), count = counted(n);
    real *lse = n->saved, *losses = n->saved + rows;
    kernels->cross_entropy(losses, lse, x->data, n->in[1]->ids, attrs->ignore, rows,
                           shape_last(x->shape));
    if (attrs->smoothing > 0)
        kernels->smooth(losses, x->data, n->in[1]->ids, attrs->ignore, attrs->smoothing, rows,
                        shape_last(x->shape));
    kernels->sum(n->out->data, losses, (real)1 / (real)(count > 0 ? count : 1), 1, rows, 1);
}

static void cross_entropy_backward(Node *n)
{
    const Tensor *x = n->in[0];
    const CrossEntropyAttrs *attrs = n->attrs;
    int64_t count = counted(n), rows = tensor_size(n->in[1]), classes = shape_last(x->shape);
    if (count == 0)
        return;
    real alpha = n->out->grad[0] / (real)count;
    kernels->cross_entropy_back(x->grad, alpha, x->data, n->saved, n->in[1]->ids, attrs->ignore,
                                rows, classes);
    if (attrs->smoothing > 0)
        kernels->smooth_back(x->grad, alpha, n->in[1]->ids, attrs->ignore, attrs->smoothing, rows,
                             classes);
}

const Op op_cross_entropy = {.name = "cross_entropy",
                             .ids = 1 << 1,
                             .shape = cross_entropy_shape,
                             .saved = cross_entropy_saved,
                             .forward = cross_entropy_forward,
                             .backward = cross_entropy_backward};

Tensor *ag_cross_entropy(Tensor *logits, Tensor *targets)
{
    CrossEntropyAttrs attrs = {.ignore = -1};
    return ag_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &attrs, sizeof attrs);
}

Tensor *ag_cross_entropy_ignore(Tensor *logits, Tensor *targets, int ignore)
{
    return ag_cross_entropy_smooth(logits, targets, ignore, 0);
}

Tensor *ag_cross_entropy_smooth(Tensor *logits, Tensor *targets, int ignore, real smoothing)
{
    CrossEntropyAttrs attrs = {true, ignore, smoothing};
    return ag_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &attrs, sizeof attrs);
}
