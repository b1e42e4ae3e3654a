/* Cross-entropy of logits against target classes, with label smoothing.
 *   L = 1/N sum over counted rows of (log sum_j exp(x_j) - x_target),  N their number
 *   dL/dx_j = (softmax(x)_j - [j = target]) / N for counted rows, exactly 0 for ignored ones
 * With label smoothing e (Szegedy et al. 2016; "Attention is all you need", section 5.4) the target
 * class has the weight 1 - e + e / V and any other class e / V instead of 1 and 0. logits: (...,
 * V), targets: ids (...) -> rank 0. With no counted row the loss is 0. Errors: a target outside
 * 0..V-1 that is not the ignored id; e outside 0..1. Lectures: B "Training Transformer-based LM", Z
 * "Encoder transformers" (lectures/README.md). The loops: ref_cross_entropy, ref_smooth and their
 * gradients in tensor/kernels/ref/losses.c. */
#include "autograd/ops/shared/op.h"

/* What is ignored, or NOTHING (ag_cross_entropy_ignore), and label smoothing. */
typedef struct {
    double smoothing;
    int64_t ignore;
} TargetAttrs;
#define NOTHING INT64_MIN /* no id */

/* The targets of one call, as the kernels take them. */
typedef struct {
    const int32_t *ids;
    int32_t ignore; /* the ignored id, or one that is no class */
    real smoothing;
    int64_t rows, classes, counted; /* rows that are not ignored */
} Targets;

static bool targets_check(const Node *n)
{
    const Tensor *x = n->in[0], *target = n->in[1];
    const TargetAttrs *options = n->attrs;
    int64_t classes = shape_last(x->shape);
    if (!(options->smoothing >= 0 && options->smoothing <= 1))
        return op_fail(n, "label smoothing is %g; expected 0 to 1", options->smoothing);
    for (int64_t i = 0; i < tensor_size(target); i++)
        if (target->ids[i] != options->ignore && (target->ids[i] < 0 || target->ids[i] >= classes))
            return op_fail(
                n, "target %d at position %lld; expected a class from 0 to %lld, as logits %s have",
                target->ids[i], (long long)i, (long long)classes - 1, tensor_describe(x));
    return true;
}

static bool cross_entropy_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *target = n->in[1];
    Shape wanted = x->shape;
    wanted.rank = x->shape.rank > 0 ? x->shape.rank - 1 : 0;
    *y = shape0();
    if (x->shape.rank < 1 || !shape_equal(wanted, target->shape))
        return op_fail(n, "logits are %s, targets %s; expected logits (..., V), targets (...)",
                       tensor_describe(x), tensor_describe(target));
    return targets_check(n);
}

/* Forward keeps the maximum of each row and the logarithm of its sum, then each row's loss. */
static int64_t cross_entropy_saved(const Node *n)
{
    return 3 * tensor_size(n->in[1]);
}

static Targets targets_of(const Node *n)
{
    const TargetAttrs *options = n->attrs;
    const Tensor *target = n->in[1];
    int32_t ignore = options->ignore == NOTHING ? -1 : (int32_t)options->ignore;
    Targets t = {.ids = target->ids,
                 .ignore = ignore,
                 .smoothing = (real)options->smoothing,
                 .rows = tensor_size(target),
                 .classes = shape_last(n->in[0]->shape)};
    for (int64_t i = 0; i < t.rows; i++)
        t.counted += t.ids[i] != ignore;
    return t;
}

/* One kernel call for the losses of all rows, one for their mean. Probabilities are never stored:
 * backward computes them from the saved maximum and log-sum. */
static void cross_entropy_forward(Node *n)
{
    const real *x = n->in[0]->data;
    Targets t = targets_of(n);
    real *stats = n->saved, *losses = stats + 2 * t.rows;
    kernels->cross_entropy(losses, stats, x, t.ids, t.ignore, t.rows, t.classes);
    if (t.smoothing > 0)
        kernels->smooth(losses, x, t.ids, t.ignore, t.smoothing, t.rows, t.classes);
    kernels->sum(n->out->data, losses, (real)1 / (real)(t.counted > 0 ? t.counted : 1), 1, t.rows,
                 1);
}

static void cross_entropy_backward(Node *n)
{
    const Tensor *x = n->in[0];
    Targets t = targets_of(n);
    if (t.counted == 0) {
        gradient_clear(n, 0);
        return;
    }
    real alpha = n->out->grad[0] / (real)t.counted;
    kernels->cross_entropy_backward(x->grad, alpha, x->data, n->saved, t.ids, t.ignore, t.rows,
                                    t.classes, !gradient_is_unwritten(n, 0));
    if (t.smoothing > 0)
        kernels->smooth_backward(x->grad, alpha, t.ids, t.ignore, t.smoothing, t.rows, t.classes);
}

const Op op_cross_entropy = {.name = "cross_entropy",
                             .ids = 1 << 1,
                             .shape = cross_entropy_shape,
                             .saved = cross_entropy_saved,
                             .forward = cross_entropy_forward,
                             .backward = cross_entropy_backward,
                             .inside = &(const struct OpInside){.writes = 1 << 0}};

Tensor *ag_cross_entropy(Tensor *logits, Tensor *targets)
{
    TargetAttrs all = {.ignore = NOTHING};
    return op_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &all, sizeof all);
}

Tensor *ag_cross_entropy_ignore(Tensor *logits, Tensor *targets, int32_t ignore)
{
    TargetAttrs some = {.ignore = ignore};
    return op_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &some, sizeof some);
}

Tensor *ag_cross_entropy_smooth(Tensor *logits, Tensor *targets, int32_t ignore, double smoothing)
{
    TargetAttrs some = {.ignore = ignore, .smoothing = (real)smoothing};
    return op_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &some, sizeof some);
}
