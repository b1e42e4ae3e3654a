/* pairs.c: how ops on two operands are tried whose shapes meet by broadcasting. */
#include "tests/autograd/ops/op_tests.h"

static const OpSample broadcast_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 2},
    {.label = "row", .in = {SHAPE(3, 4), SHAPE(4)}, .inputs = 2},
    {.label = "column", .in = {SHAPE(3, 1), SHAPE(3, 4)}, .inputs = 2},
    {.label = "both", .in = {SHAPE(2, 1, 4), SHAPE(3, 1)}, .inputs = 2},
    {.label = "scalar", .in = {SHAPE(2, 3), {0}}, .inputs = 2},
    {.label = "scalars", .in = {{0}, {0}}, .inputs = 2},
    {.label = "size 1", .in = {SHAPE(1), SHAPE(1, 1)}, .inputs = 2},
    {.label = "size 0", .in = {SHAPE(0, 3), SHAPE(3)}, .inputs = 2},
    {.label = "size 0 and 1", .in = {SHAPE(2, 1), SHAPE(2, 0)}, .inputs = 2},
    {.label = "wrong",
     .in = {SHAPE(2, 3), SHAPE(2, 4)},
     .inputs = 2,
     .fails = "equal lengths or 1"},
    {0},
};

const OpTest pairs_tests[] = {
    {.op = "add", .oracle = "a + b", .two = ag_add, .samples = broadcast_samples},
    {.op = "sub", .oracle = "a - b", .two = ag_sub, .samples = broadcast_samples},
    {.op = "mul", .oracle = "a * b", .two = ag_mul, .samples = broadcast_samples},
    {.op = "div",
     .oracle = "a / b",
     .two = ag_div,
     .low = 0.5,
     .high = 2.5,
     .samples = broadcast_samples},
    {.op = "maximum",
     .oracle = "torch.maximum(a, b)",
     .two = ag_maximum,
     .samples = broadcast_samples},
    {0},
};
