/* pairs.c: how ops on two operands are tried whose shapes meet by broadcasting. */
#include "tests/autograd/ops/op_tests.h"

static const OpSample broadcast_samples[] = {
    {"plain", "3,4 3,4"},
    {"row", "3,4 4"},
    {"column", "3,1 3,4"},
    {"both", "2,1,4 3,1"},
    {"scalar", "2,3 ()"},
    {"scalars", "() ()"},
    {"size 1", "1 1,1"},
    {"size 0", "0,3 3"},
    {"size 0 and 1", "2,1 2,0"},
    {"wrong", "2,3 2,4", {0}, "equal lengths or 1"},
    {0},
};

const OpTest pairs_tests[] = {
    {"add", "a + b", broadcast_samples, .two = ag_add},
    {"sub", "a - b", broadcast_samples, .two = ag_sub},
    {"mul", "a * b", broadcast_samples, .two = ag_mul},
    {"div", "a / b", broadcast_samples, .two = ag_div, .low = 0.5, .high = 2.5},
    {"maximum", "torch.maximum(a, b)", broadcast_samples, .two = ag_maximum},
    {0},
};
