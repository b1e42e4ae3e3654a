/* reduce.c: how sums are tried, and whatever else goes along an axis. */
#include "tests/autograd/ops/op_tests.h"

/* args: all, axis, keepdim. The first two are over all, which logsumexp has not. */
static const OpSample reduce_samples[] = {
    {"all", "3,4", {1}},
    {"scalar, all", "()", {1}},
    {"first axis", "3,4", {0, 0}},
    {"middle axis", "2,3,4", {0, 1}},
    {"last axis kept", "2,3,4", {0, -1, 1}},
    {"size 0", "0,3", {0, 1}},
    {"size 1", "1,1", {0, 1}},
    {"no such axis", "2,3", {0, 2}, "axis"},
    {"scalar", "()", {0}, "expected none"},
    {0},
};

CALL(sum, arg[0] != 0 ? ag_sum(in[0]) : ag_sum_axis(in[0], (int)arg[1], arg[2] != 0))
CALL(mean, arg[0] != 0 ? ag_mean(in[0]) : ag_mean_axis(in[0], (int)arg[1], arg[2] != 0))
CALL(logsumexp, ag_logsumexp(in[0], (int)arg[1], arg[2] != 0))

const OpTest reduce_tests[] = {
    {"sum", "a.sum() if n0 else a.sum(int(n1), keepdim=bool(n2))", reduce_samples,
     .call = sum_call},
    {"mean", "a.mean() if n0 else a.mean(int(n1), keepdim=bool(n2))", reduce_samples,
     .call = mean_call},
    {"logsumexp", "torch.logsumexp(a, n1, keepdim=bool(n2))", reduce_samples + 2,
     .call = logsumexp_call},
    {0},
};
