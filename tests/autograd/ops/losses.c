/* losses.c: how losses are tried. */
#include "tests/autograd/ops/op_tests.h"

/* args: whether an id is ignored, which; the smoothing. */
static Tensor *cross_entropy_call(Tensor **in, const double *arg)
{
    if (arg[2] != 0)
        return ag_cross_entropy_smooth(in[0], in[1], arg[0] != 0 ? (int)arg[1] : -100,
                                       (real)arg[2]);
    return arg[0] != 0 ? ag_cross_entropy_ignore(in[0], in[1], (int)arg[1])
                       : ag_cross_entropy(in[0], in[1]);
}

static const OpSample cross_entropy_samples[] = {
    {.label = "plain", .in = {SHAPE(4, 6), SHAPE(4)}, .inputs = 2},
    {.label = "batch", .in = {SHAPE(2, 3, 5), SHAPE(2, 3)}, .inputs = 2},
    {.label = "ignore", .in = {SHAPE(7, 6), SHAPE(7)}, .inputs = 2, .arg = {1, 3}},
    {.label = "all ignored", .in = {SHAPE(1, 6), SHAPE(1)}, .inputs = 2, .arg = {1, 3}},
    {.label = "smooth", .in = {SHAPE(4, 6), SHAPE(4)}, .inputs = 2, .arg = {0, 0, 0.1}},
    {.label = "smooth, ignore",
     .in = {SHAPE(2, 4, 6), SHAPE(2, 4)},
     .inputs = 2,
     .arg = {1, 3, 0.3}},
    {.label = "all the same", .in = {SHAPE(3, 5), SHAPE(3)}, .inputs = 2, .arg = {0, 0, 1}},
    {.label = "smooth, all ignored",
     .in = {SHAPE(1, 6), SHAPE(1)},
     .inputs = 2,
     .arg = {1, 3, 0.3}},
    {.label = "one row", .in = {SHAPE(5), {0}}, .inputs = 2},
    {.label = "size 1", .in = {SHAPE(1, 5), SHAPE(1)}, .inputs = 2},
    {.label = "size 0", .in = {SHAPE(0, 5), SHAPE(0)}, .inputs = 2},
    {.label = "smoothing 2",
     .in = {SHAPE(4, 6), SHAPE(4)},
     .inputs = 2,
     .arg = {0, 0, 2},
     .fails = "smoothing is 2; expected 0 to 1"},
    {.label = "smoothing < 0",
     .in = {SHAPE(4, 6), SHAPE(4)},
     .inputs = 2,
     .arg = {0, 0, -0.1},
     .fails = "expected 0 to 1"},
    {.label = "few classes",
     .in = {SHAPE(5, 2), SHAPE(5)},
     .inputs = 2,
     .fails = "expected a class from 0 to 1"},
    {.label = "scalar", .in = {{0}, {0}}, .inputs = 2, .fails = "expected logits (..., V)"},
    {.label = "rows", .in = {SHAPE(4, 6), SHAPE(3)}, .inputs = 2, .fails = "targets (...)"},
    {0},
};

/* Of losses on two tensors of one shape, whose error names them as the loss's prototype does. */
#define LOSS_SAMPLES(first, second)                                                   \
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 2},                \
        {.label = "odd", .in = {SHAPE(2, 3, 17), SHAPE(2, 3, 17)}, .inputs = 2},      \
        {.label = "scalars", .in = {{0}, {0}}, .inputs = 2},                          \
        {.label = "size 1", .in = {SHAPE(1, 1), SHAPE(1, 1)}, .inputs = 2},           \
        {.label = "size 0", .in = {SHAPE(2, 0), SHAPE(2, 0)}, .inputs = 2},           \
        {.label = "shape",                                                            \
         .in = {SHAPE(3, 4), SHAPE(4, 3)},                                            \
         .inputs = 2,                                                                 \
         .fails = ": " first " is (3, 4), " second " is (4, 3); expected one shape"}, \
    {                                                                                 \
        .label = "no broadcast", .in = {SHAPE(4, 1), SHAPE(4)}, .inputs = 2,          \
        .fails = ": " first " is (4, 1), " second " is (4,); expected one shape"      \
    }
static const OpSample mse_samples[] = {LOSS_SAMPLES("y", "target"), {0}};
static const OpSample bce_with_logits_samples[] = {LOSS_SAMPLES("logits", "targets"), {0}};
static const OpSample gaussian_kl_samples[] = {LOSS_SAMPLES("mean", "log_variance"), {0}};

const OpTest losses_tests[] = {
    {.op = "cross_entropy",
     .oracle = "a.sum() * 0 if not (b != (n1 if n0 else -100)).any() else "
               "torch.nn.functional.cross_entropy("
               "a.reshape(-1, a.shape[-1]), b.reshape(-1), ignore_index=int(n1) if n0 else -100, "
               "label_smoothing=n2)",
     .call = cross_entropy_call,
     .ids_below = 5,
     .samples = cross_entropy_samples},
    {.op = "mse",
     .oracle = "torch.nn.functional.mse_loss(a, b)",
     .two = ag_mse,
     .samples = mse_samples},
    {.op = "bce_with_logits",
     .oracle = "torch.nn.functional.binary_cross_entropy_with_logits(a, b)",
     .two = ag_bce_with_logits,
     .samples = bce_with_logits_samples},
    {.op = "gaussian_kl",
     .oracle = "torch.distributions.kl_divergence(torch.distributions.Normal(a, (b / 2).exp()), "
               "torch.distributions.Normal(0.0, 1.0)).sum()",
     .two = ag_gaussian_kl,
     .samples = gaussian_kl_samples},
    {0},
};
