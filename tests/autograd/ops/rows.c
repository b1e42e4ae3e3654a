/* rows.c: how ops along the last axis are tried, and attention. */
#include "tests/autograd/ops/op_tests.h"

static const OpSample softmax_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1},
    {.label = "deep", .in = {SHAPE(2, 3, 5)}, .inputs = 1},
    {.label = "size 0", .in = {SHAPE(3, 0)}, .inputs = 1},
    {.label = "size 1", .in = {SHAPE(3, 1)}, .inputs = 1},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .fails = "expected rank 1 or more"},
    {0},
};

static Tensor *layernorm_call(Tensor **in, const double *arg)
{
    return ag_layernorm(in[0], in[1], in[2], (real)arg[0]);
}

static const OpSample layernorm_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(4), SHAPE(4)}, .inputs = 3, .arg = {1e-5}},
    {.label = "deep", .in = {SHAPE(2, 3, 7), SHAPE(7), SHAPE(7)}, .inputs = 3, .arg = {1e-5}},
    {.label = "large epsilon", .in = {SHAPE(2, 4), SHAPE(4), SHAPE(4)}, .inputs = 3, .arg = {0.5}},
    {.label = "vector", .in = {SHAPE(5), SHAPE(5), SHAPE(5)}, .inputs = 3, .arg = {1e-5}},
    {.label = "size 1", .in = {SHAPE(3, 1), SHAPE(1), SHAPE(1)}, .inputs = 3, .arg = {1e-5}},
    {.label = "size 0", .in = {SHAPE(0, 4), SHAPE(4), SHAPE(4)}, .inputs = 3, .arg = {1e-5}},
    {.label = "gain", .in = {SHAPE(3, 4), SHAPE(3), SHAPE(4)}, .inputs = 3, .fails = "gain (C)"},
    {.label = "bias", .in = {SHAPE(3, 4), SHAPE(4), SHAPE(1)}, .inputs = 3, .fails = "bias (C)"},
    {.label = "scalar", .in = {{0}, SHAPE(1), SHAPE(1)}, .inputs = 3, .fails = "x (..., C)"},
    {.label = "epsilon",
     .in = {SHAPE(3, 4), SHAPE(4), SHAPE(4)},
     .inputs = 3,
     .arg = {-1},
     .fails = "0 or more"},
    {0},
};

/* args: causal, window, dilation, global */
static Mask mask_of(const double *arg, Tensor *lengths, Tensor *keep)
{
    return (Mask){.causal = arg[0] != 0,
                  .lengths = lengths,
                  .keep = keep,
                  .window = (int)arg[1],
                  .dilation = (int)arg[2],
                  .global = (int)arg[3]};
}

/* Operands: scores, lengths, keep. */
static Tensor *masked_softmax_call(Tensor **in, const double *arg)
{
    return ag_masked_softmax(in[0], mask_of(arg, in[1], in[2]));
}

static const OpSample masked_softmax_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1},
    {.label = "causal", .in = {SHAPE(2, 2, 4, 4)}, .inputs = 1, .arg = {1}},
    {.label = "causal, fewer queries", .in = {SHAPE(2, 2, 5)}, .inputs = 1, .arg = {1}},
    {.label = "lengths", .in = {SHAPE(3, 2, 2, 4), SHAPE(3)}, .inputs = 2},
    {.label = "window", .in = {SHAPE(1, 7, 7)}, .inputs = 1, .arg = {0, 1}},
    {.label = "dilated, global", .in = {SHAPE(1, 9, 9)}, .inputs = 1, .arg = {0, 2, 2, 1}},
    {.label = "keep matrix",
     .in = {SHAPE(2, 2, 3, 4), {0}, SHAPE(3, 4)},
     .inputs = 3,
     .absent = 1 << 1},
    {.label = "keep matrix for each sequence, causal",
     .in = {SHAPE(2, 2, 3, 4), {0}, SHAPE(2, 3, 4)},
     .inputs = 3,
     .absent = 1 << 1,
     .arg = {1}},
    {.label = "keep matrix for each head, lengths",
     .in = {SHAPE(2, 2, 3, 4), SHAPE(2), SHAPE(2, 2, 3, 4)},
     .inputs = 3},
    {.label = "sees nothing", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {1, 1}},
    {.label = "first rows see nothing", .in = {SHAPE(4, 2)}, .inputs = 1, .arg = {1}},
    {.label = "size 0", .in = {SHAPE(2, 0, 4)}, .inputs = 1},
    {.label = "size 1", .in = {SHAPE(1, 1)}, .inputs = 1, .arg = {1}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .fails = "scores are ()"},
    {.label = "lengths", .in = {SHAPE(3, 2, 4), SHAPE(2)}, .inputs = 2, .fails = "3 sequences"},
    {.label = "too long",
     .in = {SHAPE(3, 2, 2), SHAPE(3)},
     .inputs = 2,
     .fails = "expected 0 to 2, the number of keys"},
    {.label = "keep matrix of another shape",
     .in = {SHAPE(2, 3, 4), {0}, SHAPE(4, 3)},
     .inputs = 3,
     .absent = 1 << 1,
     .fails = "keep matrix is (4, 3)"},
    {.label = "negative window",
     .in = {SHAPE(2, 2)},
     .inputs = 1,
     .arg = {0, -1},
     .fails = "window"},
    {0},
};

/* Operands: x, table (of 0 and 1: the op is linear in it), positions. */
static Tensor *rotary_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_rotary(in[0], in[1], in[2]);
}

static const OpSample rotary_samples[] = {
    {.label = "plain", .in = {SHAPE(2, 3, 4), SHAPE(5, 4)}, .inputs = 2},
    {.label = "heads, positions", .in = {SHAPE(2, 2, 3, 6), SHAPE(3, 6), SHAPE(2, 3)}, .inputs = 3},
    {.label = "one row of positions",
     .in = {SHAPE(2, 2, 3, 4), SHAPE(4, 4), SHAPE(3)},
     .inputs = 3},
    {.label = "part of the channels", .in = {SHAPE(2, 3, 7), SHAPE(4, 4)}, .inputs = 2},
    {.label = "matrix", .in = {SHAPE(3, 2), SHAPE(3, 2), SHAPE(3)}, .inputs = 3},
    {.label = "size 1", .in = {SHAPE(1, 1, 2), SHAPE(1, 2)}, .inputs = 2},
    {.label = "one channel, none rotated", .in = {SHAPE(2, 1), SHAPE(3, 0)}, .inputs = 2},
    {.label = "size 0", .in = {SHAPE(2, 0, 4), SHAPE(3, 4)}, .inputs = 2},
    {.label = "scalar", .in = {{0}, SHAPE(3, 4)}, .inputs = 2, .fails = "x (..., T, d)"},
    {.label = "vector", .in = {SHAPE(4), SHAPE(3, 4)}, .inputs = 2, .fails = "x (..., T, d)"},
    {.label = "odd table",
     .in = {SHAPE(2, 4), SHAPE(3, 3)},
     .inputs = 2,
     .fails = "table (P, 2 n)"},
    {.label = "wide table", .in = {SHAPE(2, 4), SHAPE(3, 6)}, .inputs = 2, .fails = "2 n <= d"},
    {.label = "too long",
     .in = {SHAPE(4, 4), SHAPE(3, 4)},
     .inputs = 2,
     .fails = "at most the 3 positions"},
    {.label = "position",
     .in = {SHAPE(3, 4), SHAPE(2, 4), SHAPE(3)},
     .inputs = 3,
     .fails = "expected 0 to 1"},
    {0},
};

/* Operands: q, k, v, lengths, keep. */
static Tensor *attention_call(Tensor **in, const double *arg)
{
    return ag_attention(in[0], in[1], in[2], mask_of(arg, in[3], in[4]), 0);
}

static const OpSample attention_samples[] = {
    {.label = "plain",
     .in = {SHAPE(2, 2, 3, 4), SHAPE(2, 2, 3, 4), SHAPE(2, 2, 3, 4)},
     .inputs = 3},
    {.label = "matrices", .in = {SHAPE(3, 2), SHAPE(5, 2), SHAPE(5, 3)}, .inputs = 3},
    {.label = "without heads", .in = {SHAPE(2, 3, 2), SHAPE(2, 5, 2), SHAPE(2, 5, 3)}, .inputs = 3},
    {.label = "causal",
     .in = {SHAPE(1, 2, 4, 3), SHAPE(1, 2, 4, 3), SHAPE(1, 2, 4, 3)},
     .inputs = 3,
     .arg = {1}},
    {.label = "causal, fewer queries",
     .in = {SHAPE(2, 3), SHAPE(5, 3), SHAPE(5, 3)},
     .inputs = 3,
     .arg = {1}},
    {.label = "causal, more queries",
     .in = {SHAPE(4, 3), SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 3,
     .arg = {1}},
    {.label = "lengths",
     .in = {SHAPE(3, 2, 2, 3), SHAPE(3, 2, 4, 3), SHAPE(3, 2, 4, 2), SHAPE(3)},
     .inputs = 4},
    {.label = "keep matrix",
     .in = {SHAPE(2, 2, 3, 4), SHAPE(2, 2, 5, 4), SHAPE(2, 2, 5, 2), {0}, SHAPE(3, 5)},
     .inputs = 5,
     .absent = 1 << 3},
    {.label = "keep matrix for each sequence",
     .in = {SHAPE(2, 2, 3, 2), SHAPE(2, 2, 3, 2), SHAPE(2, 2, 3, 2), {0}, SHAPE(2, 3, 3)},
     .inputs = 5,
     .absent = 1 << 3},
    {.label = "keep matrix for each head, lengths, causal",
     .in = {SHAPE(2, 2, 3, 2), SHAPE(2, 2, 4, 2), SHAPE(2, 2, 4, 2), SHAPE(2), SHAPE(2, 2, 3, 4)},
     .inputs = 5,
     .arg = {1}},
    {.label = "window", .in = {SHAPE(6, 2), SHAPE(6, 2), SHAPE(6, 2)}, .inputs = 3, .arg = {0, 1}},
    {.label = "dilated, global",
     .in = {SHAPE(9, 2), SHAPE(9, 2), SHAPE(9, 2)},
     .inputs = 3,
     .arg = {0, 2, 2, 1}},
    {.label = "size 1", .in = {SHAPE(1, 1), SHAPE(1, 1), SHAPE(1, 1)}, .inputs = 3},
    {.label = "no queries", .in = {SHAPE(0, 2), SHAPE(3, 2), SHAPE(3, 2)}, .inputs = 3},
    {.label = "size 0", .in = {SHAPE(2, 2), SHAPE(0, 2), SHAPE(0, 3)}, .inputs = 3},
    {.label = "width",
     .in = {SHAPE(3, 2), SHAPE(3, 4), SHAPE(3, 4)},
     .inputs = 3,
     .fails = "expected (B"},
    {.label = "keys",
     .in = {SHAPE(3, 2), SHAPE(3, 2), SHAPE(4, 2)},
     .inputs = 3,
     .fails = "expected (B"},
    {.label = "scalar", .in = {{0}, {0}, {0}}, .inputs = 3, .fails = "expected (B"},
    {.label = "grouped heads",
     .in = {SHAPE(2, 4, 3, 5), SHAPE(2, 2, 4, 5), SHAPE(2, 2, 4, 3)},
     .inputs = 3,
     .arg = {1}},
    {.label = "one head of keys",
     .in = {SHAPE(1, 3, 2, 4), SHAPE(1, 1, 2, 4), SHAPE(1, 1, 2, 4)},
     .inputs = 3},
    {.label = "heads that no group divides",
     .in = {SHAPE(1, 3, 2, 4), SHAPE(1, 2, 2, 4), SHAPE(1, 2, 2, 4)},
     .inputs = 3,
     .fails = "a divisor of H"},
    {0},
};

const OpTest rows_tests[] = {
    {.op = "softmax",
     .oracle = "torch.softmax(a, -1)",
     .one = ag_softmax,
     .samples = softmax_samples},
    {.op = "log_softmax",
     .oracle = "torch.log_softmax(a, -1)",
     .one = ag_log_softmax,
     .samples = softmax_samples},
    {.op = "layernorm",
     .oracle = "torch.nn.functional.layer_norm(a, a.shape[-1:], b, c, n0)",
     .call = layernorm_call,
     .samples = layernorm_samples},
    {.op = "masked_softmax",
     .oracle = "masked_softmax(a, kept(a.shape, n0, b, c, n1, n2, n3))",
     .call = masked_softmax_call,
     .ids_below = 4,
     .constant = 1 << 2,
     .samples = masked_softmax_samples},
    {.op = "rotary",
     .oracle = "rotary(a, b, c)",
     .call = rotary_call,
     .constant = 1 << 1,
     .ids_below = 3,
     .samples = rotary_samples},
    {.op = "attention",
     .oracle = "masked_softmax(a @ grouped(b, a).transpose(-2, -1) / math.sqrt(a.shape[-1]), "
               "kept((*a.shape[:-1], b.shape[-2]), n0, d, e, n1, n2, n3)) @ grouped(c, a)",
     .call = attention_call,
     .ids_below = 4,
     .constant = 1 << 4,
     .samples = attention_samples},
    {0},
};
