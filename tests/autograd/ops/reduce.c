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

static Tensor *logsumexp_call(Tensor **in, const double *arg)
{
    return ag_logsumexp(in[0], (int)arg[1], arg[2] != 0);
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
    {.op = "logsumexp",
     .oracle = "torch.logsumexp(a, n1, keepdim=bool(n2))",
     .call = logsumexp_call,
     .samples = axis_samples},
    {0},
};
