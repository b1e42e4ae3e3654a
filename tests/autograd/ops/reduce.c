/* reduce.c: how sums are tried, and whatever else goes along an axis. */
#include "tests/autograd/ops/op_tests.h"

/* The samples along one axis; they close the list. args: all, axis, keepdim */
#define REDUCE_AXIS_SAMPLES                                                                  \
    {.label = "first axis", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {0, 0}},                \
        {.label = "middle axis", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, 1}},        \
        {.label = "last axis kept", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, -1, 1}}, \
        {.label = "size 0", .in = {SHAPE(0, 3)}, .inputs = 1, .arg = {0, 1}},                \
        {.label = "size 1", .in = {SHAPE(1, 1)}, .inputs = 1, .arg = {0, 1}},                \
        {.label = "no such axis",                                                            \
         .in = {SHAPE(2, 3)},                                                                \
         .inputs = 1,                                                                        \
         .arg = {0, 2},                                                                      \
         .fails = "axis"},                                                                   \
        {.label = "scalar", .in = {{0}}, .inputs = 1, .fails = "expected none"},             \
    {                                                                                        \
        0                                                                                    \
    }

static const OpSample axis_samples[] = {REDUCE_AXIS_SAMPLES};

/* The same, and over all. */
static const OpSample reduce_samples[] = {
    {.label = "all", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {1}},
    {.label = "scalar, all", .in = {{0}}, .inputs = 1, .arg = {1}},
    REDUCE_AXIS_SAMPLES,
};

static Tensor *sum_call(Tensor **in, const double *arg)
{
    return arg[0] != 0 ? ag_sum(in[0]) : ag_sum_axis(in[0], (int)arg[1], arg[2] != 0);
}

static Tensor *mean_call(Tensor **in, const double *arg)
{
    return arg[0] != 0 ? ag_mean(in[0]) : ag_mean_axis(in[0], (int)arg[1], arg[2] != 0);
}

static Tensor *variance_call(Tensor **in, const double *arg)
{
    bool unbiased = arg[3] != 0;
    return arg[0] != 0 ? ag_variance(in[0], unbiased)
                       : ag_variance_axis(in[0], (int)arg[1], unbiased, arg[2] != 0);
}

/* args: all, axis, keepdim, unbiased */
static const OpSample variance_samples[] = {
    {.label = "all", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {1}},
    {.label = "all, unbiased", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {1, 0, 0, 1}},
    {.label = "middle, unbiased", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, -2, 0, 1}},
    {.label = "last kept, unbiased", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, -1, 1, 1}},
    {.label = "scalar, all", .in = {{0}}, .inputs = 1, .arg = {1}},
    REDUCE_AXIS_SAMPLES,
};

static Tensor *max_call(Tensor **in, const double *arg)
{
    return ag_max_axis(in[0], (int)arg[1], arg[2] != 0);
}

static const OpSample max_samples[] = {
    {.label = "nothing",
     .in = {SHAPE(2, 0)},
     .inputs = 1,
     .arg = {0, -1},
     .fails = "at least one number"},
    REDUCE_AXIS_SAMPLES,
};

static Tensor *logsumexp_call(Tensor **in, const double *arg)
{
    return ag_logsumexp(in[0], (int)arg[1], arg[2] != 0);
}

static Tensor *cumsum_call(Tensor **in, const double *arg)
{
    return ag_cumsum(in[0], (int)arg[1]);
}

const OpTest reduce_tests[] = {
    {.op = "sum",
     .oracle = "a.sum() if n0 else a.sum(int(n1), keepdim=bool(n2))",
     .call = sum_call,
     .samples = reduce_samples},
    {.op = "mean",
     .oracle = "a.mean() if n0 else a.mean(int(n1), keepdim=bool(n2))",
     .call = mean_call,
     .samples = reduce_samples},
    {.op = "variance",
     .oracle = "torch.var(a, unbiased=bool(n3)) if n0 else"
               " torch.var(a, n1, unbiased=bool(n3), keepdim=bool(n2))",
     .call = variance_call,
     .samples = variance_samples},
    {.op = "max",
     .oracle = "torch.max(a, n1, keepdim=bool(n2)).values",
     .call = max_call,
     .samples = max_samples},
    {.op = "logsumexp",
     .oracle = "torch.logsumexp(a, n1, keepdim=bool(n2))",
     .call = logsumexp_call,
     .samples = axis_samples},
    {.op = "cumsum", .oracle = "torch.cumsum(a, n1)", .call = cumsum_call, .samples = axis_samples},
    {0},
};
