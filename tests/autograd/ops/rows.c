/* rows.c: how ops along the last axis are tried, and attention. */
#include "tests/autograd/ops/op_tests.h"

static const OpSample softmax_samples[] = {
    {"plain", "3,4"},
    {"deep", "2,3,5"},
    {"size 0", "3,0"},
    {"size 1", "3,1"},
    {"scalar", "()", {0}, "expected rank 1 or more"},
    {0},
};

CALL(layernorm, ag_layernorm(in[0], in[1], in[2], (real)arg[0]))

static const OpSample layernorm_samples[] = {
    {"plain", "3,4 4 4", {1e-5}},
    {"deep", "2,3,7 7 7", {1e-5}},
    {"large epsilon", "2,4 4 4", {0.5}},
    {"vector", "5 5 5", {1e-5}},
    {"size 1", "3,1 1 1", {1e-5}},
    {"size 0", "0,4 4 4", {1e-5}},
    {"gain", "3,4 3 4", {0}, "gain (C)"},
    {"bias", "3,4 4 1", {0}, "bias (C)"},
    {"scalar", "() 1 1", {0}, "x (..., C)"},
    {"epsilon", "3,4 4 4", {-1}, "0 or more"},
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
CALL(masked_softmax, ag_masked_softmax(in[0], mask_of(arg, in[1], in[2])))

static const OpSample masked_softmax_samples[] = {
    {"plain", "3,4"},
    {"causal", "2,2,4,4", {1}},
    {"causal, fewer queries", "2,2,5", {1}},
    {"lengths", "3,2,2,4 3"},
    {"window", "1,7,7", {0, 1}},
    {"dilated, global", "1,9,9", {0, 2, 2, 1}},
    {"keep matrix", "2,2,3,4 - 3,4"},
    {"keep matrix for each sequence, causal", "2,2,3,4 - 2,3,4", {1}},
    {"keep matrix for each head, lengths", "2,2,3,4 2 2,2,3,4"},
    {"sees nothing", "2,3", {1, 1}},
    {"first rows see nothing", "4,2", {1}},
    {"size 0", "2,0,4"},
    {"size 1", "1,1", {1}},
    {"scalar", "()", {0}, "scores are ()"},
    {"lengths", "3,2,4 2", {0}, "3 sequences"},
    {"too long", "3,2,2 3", {0}, "expected 0 to 2, the number of keys"},
    {"keep matrix of another shape", "2,3,4 - 4,3", {0}, "keep matrix is (4, 3)"},
    {"negative window", "2,2", {0, -1}, "window"},
    {0},
};

/* Operands: x, table (of 0 and 1: the op is linear in it), positions. */
CALL(rotary, ag_rotary(in[0], in[1], in[2]))

static const OpSample rotary_samples[] = {
    {"plain", "2,3,4 5,4"},
    {"heads, positions", "2,2,3,6 3,6 2,3"},
    {"one row of positions", "2,2,3,4 4,4 3"},
    {"part of the channels", "2,3,7 4,4"},
    {"matrix", "3,2 3,2 3"},
    {"size 1", "1,1,2 1,2"},
    {"one channel, none rotated", "2,1 3,0"},
    {"size 0", "2,0,4 3,4"},
    {"scalar", "() 3,4", {0}, "x (..., T, d)"},
    {"vector", "4 3,4", {0}, "x (..., T, d)"},
    {"odd table", "2,4 3,3", {0}, "table (P, 2 n)"},
    {"wide table", "2,4 3,6", {0}, "2 n <= d"},
    {"too long", "4,4 3,4", {0}, "at most the 3 positions"},
    {"position", "3,4 2,4 3", {0}, "expected 0 to 1"},
    {0},
};

/* Operands: q, k, v, lengths, keep. */
CALL(attention, ag_attention(in[0], in[1], in[2], mask_of(arg, in[3], in[4]), 0))

static const OpSample attention_samples[] = {
    {"plain", "2,2,3,4 2,2,3,4 2,2,3,4"},
    {"matrices", "3,2 5,2 5,3"},
    {"without heads", "2,3,2 2,5,2 2,5,3"},
    {"causal", "1,2,4,3 1,2,4,3 1,2,4,3", {1}},
    {"causal, fewer queries", "2,3 5,3 5,3", {1}},
    {"causal, more queries", "4,3 2,3 2,3", {1}},
    {"lengths", "3,2,2,3 3,2,4,3 3,2,4,2 3"},
    {"keep matrix", "2,2,3,4 2,2,5,4 2,2,5,2 - 3,5"},
    {"keep matrix for each sequence", "2,2,3,2 2,2,3,2 2,2,3,2 - 2,3,3"},
    {"keep matrix for each head, lengths, causal", "2,2,3,2 2,2,4,2 2,2,4,2 2 2,2,3,4", {1}},
    {"window", "6,2 6,2 6,2", {0, 1}},
    {"dilated, global", "9,2 9,2 9,2", {0, 2, 2, 1}},
    {"size 1", "1,1 1,1 1,1"},
    {"no queries", "0,2 3,2 3,2"},
    {"size 0", "2,2 0,2 0,3"},
    {"width", "3,2 3,4 3,4", {0}, "expected (B"},
    {"keys", "3,2 3,2 4,2", {0}, "expected (B"},
    {"scalar", "() () ()", {0}, "expected (B"},
    {"grouped heads", "2,4,3,5 2,2,4,5 2,2,4,3", {1}},
    {"one head of keys", "1,3,2,4 1,1,2,4 1,1,2,4"},
    {"heads that no group divides", "1,3,2,4 1,2,2,4 1,2,2,4", {0}, "a divisor of H"},
    {0},
};

const OpTest rows_tests[] = {
    {"softmax", "torch.softmax(a, -1)", softmax_samples, .one = ag_softmax},
    {"log_softmax", "torch.log_softmax(a, -1)", softmax_samples, .one = ag_log_softmax},
    {"layernorm", "torch.nn.functional.layer_norm(a, a.shape[-1:], b, c, n0)", layernorm_samples,
     .call = layernorm_call},
    {"masked_softmax", "masked_softmax(a, kept(a.shape, n0, b, c, n1, n2, n3))",
     masked_softmax_samples, .call = masked_softmax_call, .ids_below = 4, .constant = 1 << 2},
    {"rotary", "rotary(a, b, c)", rotary_samples, .call = rotary_call, .constant = 1 << 1,
     .ids_below = 3},
    {"attention",
     "masked_softmax(a @ grouped(b, a).transpose(-2, -1) / math.sqrt(a.shape[-1]), "
     "kept((*a.shape[:-1], b.shape[-2]), n0, d, e, n1, n2, n3)) @ grouped(c, a)",
     attention_samples, .call = attention_call, .ids_below = 4, .constant = 1 << 4},
    {0},
};
