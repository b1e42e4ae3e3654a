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
    {"plain", "4,6 4"},
    {"batch", "2,3,5 2,3"},
    {"ignore", "7,6 7", {1, 3}},
    {"all ignored", "1,6 1", {1, 3}},
    {"smooth", "4,6 4", {0, 0, 0.1}},
    {"smooth, ignore", "2,4,6 2,4", {1, 3, 0.3}},
    {"all the same", "3,5 3", {0, 0, 1}},
    {"smooth, all ignored", "1,6 1", {1, 3, 0.3}},
    {"one row", "5 ()"},
    {"size 1", "1,5 1"},
    {"size 0", "0,5 0"},
    {"smoothing 2", "4,6 4", {0, 0, 2}, "smoothing is 2; expected 0 to 1"},
    {"smoothing < 0", "4,6 4", {0, 0, -0.1}, "expected 0 to 1"},
    {"few classes", "5,2 5", {0}, "expected a class from 0 to 1"},
    {"scalar", "() ()", {0}, "expected logits (..., V)"},
    {"rows", "4,6 3", {0}, "targets (...)"},
    {0},
};

/* Of losses on two tensors of one shape, whose error names them as the loss's prototype does. */
#define LOSS_SAMPLES(name, first, second)                                                        \
    static const OpSample name[] = {                                                             \
        {"plain", "3,4 3,4"},                                                                    \
        {"odd", "2,3,17 2,3,17"},                                                                \
        {"scalars", "() ()"},                                                                    \
        {"size 1", "1,1 1,1"},                                                                   \
        {"size 0", "2,0 2,0"},                                                                   \
        {"shape", "3,4 4,3", {0}, first " is (3, 4), " second " is (4, 3); expected one shape"}, \
        {"no broadcast",                                                                         \
         "4,1 4",                                                                                \
         {0},                                                                                    \
         first " is (4, 1), " second " is (4,); expected one shape"},                            \
        {0},                                                                                     \
    }
LOSS_SAMPLES(mse_samples, ": y", "target");
LOSS_SAMPLES(bce_with_logits_samples, ": logits", "targets");
LOSS_SAMPLES(gaussian_kl_samples, ": mean", "log_variance");

const OpTest losses_tests[] = {
    {"cross_entropy",
     "a.sum() * 0 if not (b != (n1 if n0 else -100)).any() else "
     "torch.nn.functional.cross_entropy("
     "a.reshape(-1, a.shape[-1]), b.reshape(-1), ignore_index=int(n1) if n0 else -100, "
     "label_smoothing=n2)",
     cross_entropy_samples, .call = cross_entropy_call, .ids_below = 5},
    {"mse", "torch.nn.functional.mse_loss(a, b)", mse_samples, .two = ag_mse},
    {"bce_with_logits", "torch.nn.functional.binary_cross_entropy_with_logits(a, b)",
     bce_with_logits_samples, .two = ag_bce_with_logits},
    {"gaussian_kl",
     "torch.distributions.kl_divergence(torch.distributions.Normal(a, (b / 2).exp()), "
     "torch.distributions.Normal(0.0, 1.0)).sum()",
     gaussian_kl_samples, .two = ag_gaussian_kl},
    {0},
};
