/* elements.c: how ops on one operand are tried that work element by element. */
#include "autograd/ops/shared/op.h"
#include "tests/autograd/ops/op_tests.h"

#include <math.h>

/* Where the op works on one element at a time, the shape hardly matters. */
static const OpSample elementwise[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1},
    {.label = "odd", .in = {SHAPE(2, 3, 17)}, .inputs = 1},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1},
    {.label = "size 1", .in = {SHAPE(1, 1)}, .inputs = 1},
    {.label = "scalar", .in = {{0}}, .inputs = 1},
    {0},
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
    {.label = "p 0", .in = {SHAPE(3, 4)}, .inputs = 1},
    {.label = "half", .in = {SHAPE(3, 5)}, .inputs = 1, .arg = {0.5}},
    {.label = "size 0", .in = {SHAPE(0, 4)}, .inputs = 1, .arg = {0.5}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {0.1}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {0.1}},
    {.label = "p 1", .in = {SHAPE(3)}, .inputs = 1, .arg = {1}, .fails = "0 <= p < 1"},
    {.label = "p < 0", .in = {SHAPE(3)}, .inputs = 1, .arg = {-0.1}, .fails = "0 <= p < 1"},
    {0},
};

static Tensor *pow_call(Tensor **in, const double *arg)
{
    return ag_pow(in[0], (real)arg[0]);
}

static const OpSample pow_samples[] = {
    {.label = "square", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {2}},
    {.label = "fractional", .in = {SHAPE(2, 3, 17)}, .inputs = 1, .arg = {-1.5}},
    {.label = "0", .in = {SHAPE(3)}, .inputs = 1, .arg = {0}},
    {.label = "1", .in = {SHAPE(3)}, .inputs = 1, .arg = {1}},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {3}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {-1}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {0.5}},
    {0},
};

static Tensor *scale_call(Tensor **in, const double *arg)
{
    return ag_scale(in[0], (real)arg[0]);
}

static const OpSample scale_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {-1.5}},
    {.label = "by 0", .in = {SHAPE(3)}, .inputs = 1, .arg = {0}},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {2}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {2}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {0.25}},
    {0},
};

static Tensor *shift_call(Tensor **in, const double *arg)
{
    return ag_shift(in[0], arg[0]);
}

static const OpSample shift_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {-1.5}},
    {.label = "odd", .in = {SHAPE(2, 3, 17)}, .inputs = 1, .arg = {1}},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {2}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {2}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {0.25}},
    {0},
};

static Tensor *clamp_call(Tensor **in, const double *arg)
{
    return ag_clamp(in[0], arg[0], arg[1]);
}

static const OpSample clamp_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {-0.5, 0.75}},
    {.label = "odd", .in = {SHAPE(2, 3, 17)}, .inputs = 1, .arg = {0, 100}},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {-1, 1}},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {5, 5}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {-3, 3}},
    {.label = "bounds", .in = {SHAPE(3)}, .inputs = 1, .arg = {1, 0}, .fails = "from 1 to 0"},
    {0},
};

const OpTest elements_tests[] = {
    {.op = "abs", .oracle = "torch.abs(a)", .one = ag_abs, .samples = elementwise},
    {.op = "clamp",
     .oracle = "torch.clamp(a, n0, n1)",
     .call = clamp_call,
     .samples = clamp_samples},
    {.op = "copy", .oracle = "a.clone()", .one = ag_copy, .samples = elementwise},
    {.op = "dropout",
     .oracle = "a.clone() if n0 == 0 else None",
     .call = dropout_call,
     .samples = dropout_samples},
    {.op = "exp", .oracle = "torch.exp(a)", .one = ag_exp, .samples = elementwise},
    {.op = "gelu", .oracle = "torch.nn.functional.gelu(a)", .one = ag_gelu, .samples = elementwise},
    {.op = "gelu_tanh",
     .oracle = "torch.nn.functional.gelu(a, approximate='tanh')",
     .one = ag_gelu_tanh,
     .samples = elementwise},
    {.op = "log",
     .oracle = "torch.log(a)",
     .one = ag_log,
     .low = 0.3,
     .high = 3,
     .samples = elementwise},
    {.op = "pow",
     .oracle = "torch.pow(a, n0)",
     .call = pow_call,
     .low = 0.3,
     .high = 3,
     .samples = pow_samples},
    {.op = "relu", .oracle = "torch.relu(a)", .one = ag_relu, .samples = elementwise},
    {.op = "scale", .oracle = "a * n0", .call = scale_call, .samples = scale_samples},
    {.op = "shift", .oracle = "a + n0", .call = shift_call, .samples = shift_samples},
    {.op = "sigmoid", .oracle = "torch.sigmoid(a)", .one = ag_sigmoid, .samples = elementwise},
    {.op = "silu", .oracle = "torch.nn.functional.silu(a)", .one = ag_silu, .samples = elementwise},
    {.op = "softplus",
     .oracle = "torch.nn.functional.softplus(a)",
     .one = ag_softplus,
     .samples = elementwise},
    {.op = "sqrt",
     .oracle = "torch.sqrt(a)",
     .one = ag_sqrt,
     .low = 0.3,
     .high = 3,
     .samples = elementwise},
    {.op = "tanh", .oracle = "torch.tanh(a)", .one = ag_tanh, .samples = elementwise},
    {0},
};
