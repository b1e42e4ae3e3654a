/* elements.c: how ops on one operand are tried that work element by element. */
#include "autograd/ops/shared/op.h"
#include "tests/autograd/ops/op_tests.h"

#include <math.h>

/* Where the op works on one element at a time, the shape hardly matters. */
static const OpSample elementwise[] = {
    {"plain", "3,4"},  {"odd", "2,3,17"}, {"size 0", "2,0"},
    {"size 1", "1,1"}, {"scalar", "()"},  {0},
};

/* Dropout's choice is our own, so the oracle is asked only where nothing falls;
 * tests/autograd/test_dropout.c checks the rest against the definition. By ag_apply, for the same
 * elements in each call. */
static Tensor *dropout_call(Tensor **in, const double *arg)
{
    DropoutAttrs attrs = {.p = arg[0], .stream = 1};
    return ag_apply(&op_dropout, in, 1, &attrs, sizeof attrs);
}

static const OpSample dropout_samples[] = {
    {"p 0", "3,4"},
    {"half", "3,5", {0.5}},
    {"size 0", "0,4", {0.5}},
    {"size 1", "1", {0.1}},
    {"scalar", "()", {0.1}},
    {"p 1", "3", {1}, "0 <= p < 1"},
    {"p < 0", "3", {-0.1}, "0 <= p < 1"},
    {0},
};

CALL(pow, ag_pow(in[0], (real)arg[0]))

static const OpSample pow_samples[] = {
    {"square", "3,4", {2}},  {"fractional", "2,3,17", {-1.5}},
    {"0", "3", {0}},         {"1", "3", {1}},
    {"size 0", "2,0", {3}},  {"size 1", "1", {-1}},
    {"scalar", "()", {0.5}}, {0},
};

CALL(scale, ag_scale(in[0], (real)arg[0]))

static const OpSample scale_samples[] = {
    {"plain", "3,4", {-1.5}}, {"by 0", "3", {0}},       {"size 0", "2,0", {2}},
    {"size 1", "1", {2}},     {"scalar", "()", {0.25}}, {0},
};

CALL(shift, ag_shift(in[0], arg[0]))

static const OpSample shift_samples[] = {
    {"plain", "3,4", {-1.5}}, {"odd", "2,3,17", {1}},   {"size 0", "2,0", {2}},
    {"size 1", "1", {2}},     {"scalar", "()", {0.25}}, {0},
};

CALL(clamp, ag_clamp(in[0], arg[0], arg[1]))

static const OpSample clamp_samples[] = {
    {"plain", "3,4", {-0.5, 0.75}},
    {"odd", "2,3,17", {0, 100}},
    {"size 0", "2,0", {-1, 1}},
    {"size 1", "1", {5, 5}},
    {"scalar", "()", {-3, 3}},
    {"bounds", "3", {1, 0}, "from 1 to 0"},
    {0},
};

const OpTest elements_tests[] = {
    {"clamp", "torch.clamp(a, n0, n1)", clamp_samples, .call = clamp_call},
    {"copy", "a.clone()", elementwise, .one = ag_copy},
    {"dropout", "a.clone() if n0 == 0 else None", dropout_samples, .call = dropout_call},
    {"exp", "torch.exp(a)", elementwise, .one = ag_exp},
    {"gelu", "torch.nn.functional.gelu(a)", elementwise, .one = ag_gelu},
    {"gelu_tanh", "torch.nn.functional.gelu(a, approximate='tanh')", elementwise,
     .one = ag_gelu_tanh},
    {"log", "torch.log(a)", elementwise, .one = ag_log, .low = 0.3, .high = 3},
    {"pow", "torch.pow(a, n0)", pow_samples, .call = pow_call, .low = 0.3, .high = 3},
    {"relu", "torch.relu(a)", elementwise, .one = ag_relu},
    {"scale", "a * n0", scale_samples, .call = scale_call},
    {"shift", "a + n0", shift_samples, .call = shift_call},
    {"sigmoid", "torch.sigmoid(a)", elementwise, .one = ag_sigmoid},
    {"silu", "torch.nn.functional.silu(a)", elementwise, .one = ag_silu},
    {"softplus", "torch.nn.functional.softplus(a)", elementwise, .one = ag_softplus},
    {"sqrt", "torch.sqrt(a)", elementwise, .one = ag_sqrt, .low = 0.3, .high = 3},
    {"tanh", "torch.tanh(a)", elementwise, .one = ag_tanh},
    {0},
};
