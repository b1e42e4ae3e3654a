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

static bool cross_entropy_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[0], *target = n->in[1];
    Shape wanted = x->shape;
    wanted.rank = x->shape.rank > 0 ? x->shape.rank - 1 : 0;
    *y = shape0();
    if (x->shape.rank < 1 || !shape_equal(wanted, target->shape))
        return op_fail(n, "logits are %s, targets %s; expected logits (..., V), targets (...)",
                       tensor_describe(x), tensor_describe(target));
    return targets_check(n, target, shape_last(x->shape), "logits", x);
}

bool targets_check(const Node *n, const Tensor *target, int64_t classes, const char *what,
                   const Tensor *x)
{
    const TargetAttrs *options = n->attrs;
    if (!(options->smoothing >= 0 && options->smoothing <= 1))
        return op_fail(n, "label smoothing is %g; expected 0 to 1", options->smoothing);
    for (int64_t i = 0; i < tensor_size(target); i++)
        if (!(options->ignores && target->ids[i] == options->ignore) &&
            (target->ids[i] < 0 || target->ids[i] >= classes))
            return op_fail(
                n, "target %d at position %lld; expected a class from 0 to %lld, as %s %s have",
                target->ids[i], (long long)i, (long long)classes - 1, what, tensor_describe(x));
    return true;
}

/* Forward keeps the maximum of each row and the logarithm of its sum, then each row's loss. */
static int64_t cross_entropy_saved(const Node *n)
{
    return 3 * tensor_size(n->in[1]);
}

Targets targets_of(const Node *n, const Tensor *target, int64_t classes)
{
    const TargetAttrs *options = n->attrs;
    int32_t ignore = options->ignores ? options->ignore : -1; /* -1 is no class */
    Targets t = {target->ids, ignore, (real)options->smoothing, tensor_size(target), classes, 0};
    for (int64_t i = 0; i < t.rows; i++)
        t.counted += t.ids[i] != ignore;
    return t;
}

void targets_losses(const Targets *t, real *losses, real *stats, const real *logits, int64_t from,
                    int64_t rows)
{
    const int32_t *ids = t->ids + from;
    kernels->cross_entropy(losses + from, stats + 2 * from, logits, ids, t->ignore, rows,
                           t->classes);
    if (t->smoothing > 0)
        kernels->smooth(losses + from, logits, ids, t->ignore, t->smoothing, rows, t->classes);
}

void targets_backward(const Targets *t, real *dlogits, real g, const real *logits,
                      const real *stats, int64_t from, int64_t rows)
{
    const int32_t *ids = t->ids + from;
    real alpha = g / (real)t->counted;
    kernels->cross_entropy_backward(dlogits, alpha, logits, stats + 2 * from, ids, t->ignore, rows,
                                    t->classes);
    if (t->smoothing > 0)
        kernels->smooth_backward(dlogits, alpha, ids, t->ignore, t->smoothing, rows, t->classes);
}

real targets_mean(const Targets *t, const real *losses)
{
    real mean;
    kernels->sum(&mean, losses, (real)1 / (real)(t->counted > 0 ? t->counted : 1), 1, t->rows, 1);
    return mean;
}

/* One kernel call for the losses of all rows, one for their mean. Probabilities are never stored:
 * backward computes them from the saved maximum and log-sum. */
static void cross_entropy_forward(Node *n)
{
    const Tensor *x = n->in[0];
    Targets t = targets_of(n, n->in[1], shape_last(x->shape));
    real *stats = n->saved, *losses = stats + 2 * t.rows;
    targets_losses(&t, losses, stats, x->data, 0, t.rows);
    n->out->data[0] = targets_mean(&t, losses);
}

static void cross_entropy_backward(Node *n)
{
    const Tensor *x = n->in[0];
    Targets t = targets_of(n, n->in[1], shape_last(x->shape));
    if (t.counted > 0)
        targets_backward(&t, x->grad, n->out->grad[0], x->data, n->saved, 0, t.rows);
}

const Op op_cross_entropy = {.name = "cross_entropy",
                             .ids = 1 << 1,
                             .shape = cross_entropy_shape,
                             .saved = cross_entropy_saved,
                             .forward = cross_entropy_forward,
                             .backward = cross_entropy_backward};

Tensor *ag_cross_entropy(Tensor *logits, Tensor *targets)
{
    TargetAttrs all = {0};
    return op_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &all, sizeof all);
}

Tensor *ag_cross_entropy_ignore(Tensor *logits, Tensor *targets, int32_t ignore)
{
    TargetAttrs some = {.ignores = 1, .ignore = ignore};
    return op_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &some, sizeof some);
}

Tensor *ag_cross_entropy_smooth(Tensor *logits, Tensor *targets, int32_t ignore, double smoothing)
{
    TargetAttrs some = {.ignores = 1, .ignore = ignore, .smoothing = (real)smoothing};
    return op_apply(&op_cross_entropy, (Tensor *[]){logits, targets}, 2, &some, sizeof some);
}
