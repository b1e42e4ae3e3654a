/* shapes.c: how ops are tried that pick numbers and place them. */
#include "tests/autograd/ops/op_tests.h"

static const OpSample embedding_samples[] = {
    {.label = "plain", .in = {SHAPE(5, 3), SHAPE(4)}, .inputs = 2},
    {.label = "batch", .in = {SHAPE(7, 3), SHAPE(2, 6)}, .inputs = 2},
    {.label = "one id", .in = {SHAPE(5, 3), {0}}, .inputs = 2},
    {.label = "size 1", .in = {SHAPE(5, 1), SHAPE(1)}, .inputs = 2},
    {.label = "size 0", .in = {SHAPE(5, 3), SHAPE(0)}, .inputs = 2},
    {.label = "small table",
     .in = {SHAPE(2, 3), SHAPE(6)},
     .inputs = 2,
     .fails = "expected 0 to 1"},
    {.label = "scalar", .in = {{0}, SHAPE(2)}, .inputs = 2, .fails = "table (V, C)"},
    {.label = "rank", .in = {SHAPE(5), SHAPE(2)}, .inputs = 2, .fails = "table (V, C)"},
    {0},
};

static Tensor *gather_call(Tensor **in, const double *arg)
{
    return ag_gather(in[0], (int)arg[0], in[1]);
}

static const OpSample gather_samples[] = {
    {.label = "plain", .in = {SHAPE(4, 3), SHAPE(4, 2)}, .inputs = 2, .arg = {1}},
    {.label = "first axis", .in = {SHAPE(3, 4), SHAPE(5, 4)}, .inputs = 2, .arg = {0}},
    {.label = "middle axis", .in = {SHAPE(2, 3, 4), SHAPE(2, 5, 4)}, .inputs = 2, .arg = {-2}},
    {.label = "a part of x", .in = {SHAPE(4, 3, 5), SHAPE(2, 7, 3)}, .inputs = 2, .arg = {1}},
    {.label = "last axis", .in = {SHAPE(2, 2, 5), SHAPE(2, 2, 4)}, .inputs = 2, .arg = {-1}},
    {.label = "vector", .in = {SHAPE(3), SHAPE(7)}, .inputs = 2, .arg = {0}},
    {.label = "size 1", .in = {SHAPE(3, 1), SHAPE(1, 1)}, .inputs = 2, .arg = {0}},
    {.label = "size 0", .in = {SHAPE(3, 4), SHAPE(0, 4)}, .inputs = 2, .arg = {0}},
    {.label = "outside",
     .in = {SHAPE(2, 3), SHAPE(1, 3)},
     .inputs = 2,
     .arg = {0},
     .fails = "id 2 at position 2 of ids (1, 3); expected 0 to 1, along axis 0 of x (2, 3)"},
    {.label = "longer",
     .in = {SHAPE(3, 2), SHAPE(3, 3)},
     .inputs = 2,
     .arg = {0},
     .fails = "no longer than x along the axes other than 0"},
    {.label = "rank", .in = {SHAPE(3, 2), SHAPE(3)}, .inputs = 2, .fails = "of the same rank"},
    {.label = "axis", .in = {SHAPE(3), SHAPE(3)}, .inputs = 2, .arg = {1}, .fails = "axis"},
    {.label = "scalar", .in = {{0}, {0}}, .inputs = 2, .fails = "axis"},
    {0},
};

static Tensor *concat_call(Tensor **in, const double *arg)
{
    return ag_concat(in, (int)arg[1], (int)arg[0]);
}

static const OpSample concat_samples[] = {
    {.label = "plain", .in = {SHAPE(2, 3), SHAPE(2, 3)}, .inputs = 2, .arg = {0, 2}},
    {.label = "last axis",
     .in = {SHAPE(2, 3), SHAPE(2, 1), SHAPE(2, 4)},
     .inputs = 3,
     .arg = {-1, 3}},
    {.label = "middle", .in = {SHAPE(2, 1, 3), SHAPE(2, 2, 3)}, .inputs = 2, .arg = {1, 2}},
    {.label = "one", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {0, 1}},
    {.label = "size 0", .in = {SHAPE(2, 0), SHAPE(2, 3)}, .inputs = 2, .arg = {1, 2}},
    {.label = "size 1", .in = {SHAPE(1), SHAPE(1)}, .inputs = 2, .arg = {0, 2}},
    {.label = "length",
     .in = {SHAPE(2, 3), SHAPE(1, 3)},
     .inputs = 2,
     .arg = {1, 2},
     .fails = "expected shapes that differ along axis"},
    {.label = "axis",
     .in = {SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 2,
     .arg = {2, 2},
     .fails = "axis"},
    {.label = "rank",
     .in = {SHAPE(2, 3), SHAPE(2)},
     .inputs = 2,
     .arg = {0, 2},
     .fails = "expected shapes that differ along axis"},
    {.label = "scalar", .in = {{0}, {0}}, .inputs = 2, .arg = {0, 2}, .fails = "axis"},
    {0},
};

static Tensor *stack_call(Tensor **in, const double *arg)
{
    return ag_stack(in, (int)arg[1], (int)arg[0]);
}

static const OpSample stack_samples[] = {
    {.label = "plain", .in = {SHAPE(2, 3), SHAPE(2, 3)}, .inputs = 2, .arg = {0, 2}},
    {.label = "last axis",
     .in = {SHAPE(2, 3), SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 3,
     .arg = {-1, 3}},
    {.label = "middle", .in = {SHAPE(2, 3), SHAPE(2, 3)}, .inputs = 2, .arg = {1, 2}},
    {.label = "one but last", .in = {SHAPE(2, 2, 3)}, .inputs = 1, .arg = {-2, 1}},
    {.label = "scalars", .in = {{0}, {0}, {0}}, .inputs = 3, .arg = {0, 3}},
    {.label = "size 0", .in = {SHAPE(2, 0), SHAPE(2, 0)}, .inputs = 2, .arg = {1, 2}},
    {.label = "size 1", .in = {SHAPE(1), SHAPE(1)}, .inputs = 2, .arg = {1, 2}},
    {.label = "shape",
     .in = {SHAPE(2, 3), SHAPE(2, 4)},
     .inputs = 2,
     .arg = {0, 2},
     .fails = "operand 2 is (2, 4), operand 1 is (2, 3); expected one shape"},
    {.label = "axis",
     .in = {SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 2,
     .arg = {3, 2},
     .fails = "axis 3; expected -3 to 2"},
    {.label = "axis < 0",
     .in = {SHAPE(2, 3), SHAPE(2, 3)},
     .inputs = 2,
     .arg = {-4, 2},
     .fails = "axis -4"},
    {.label = "rank",
     .in = {SHAPE(1, 1, 1, 1, 1, 2)},
     .inputs = 1,
     .arg = {0, 1},
     .fails = "at most 5 axes"},
    {.label = "ranks",
     .in = {SHAPE(2, 3), SHAPE(2)},
     .inputs = 2,
     .arg = {0, 2},
     .fails = "operand 2 is (2,)"},
    {0},
};

/* args: before and after the last axis, before and after the first of several. */
static Tensor *pad_call(Tensor **in, const double *arg)
{
    int64_t before[TENSOR_MAX_RANK] = {0}, after[TENSOR_MAX_RANK] = {0};
    int rank = in[0] ? in[0]->shape.rank : 0;
    if (rank > 1) {
        before[0] = (int64_t)arg[2];
        after[0] = (int64_t)arg[3];
    }
    if (rank > 0) {
        before[rank - 1] = (int64_t)arg[0];
        after[rank - 1] = (int64_t)arg[1];
    }
    return ag_pad(in[0], before, rank > 1 ? after : arg[1] != 0 ? after : NULL, (real)0.75);
}

static const OpSample pad_samples[] = {
    {.label = "plain", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {1, 2, 2, 1}},
    {.label = "last axis", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {0, 2}},
    {.label = "first axis", .in = {SHAPE(2, 3, 2)}, .inputs = 1, .arg = {0, 0, 1, 0}},
    {.label = "outer axes", .in = {SHAPE(2, 2, 3)}, .inputs = 1, .arg = {3, 0, 0, 2}},
    {.label = "nothing", .in = {SHAPE(2, 3)}, .inputs = 1},
    {.label = "vector", .in = {SHAPE(5)}, .inputs = 1, .arg = {2, 0}},
    {.label = "scalar", .in = {{0}}, .inputs = 1},
    {.label = "size 0", .in = {SHAPE(2, 0)}, .inputs = 1, .arg = {1, 2}},
    {.label = "size 1", .in = {SHAPE(1, 1)}, .inputs = 1, .arg = {1, 1, 1, 1}},
    {.label = "negative",
     .in = {SHAPE(2, 3)},
     .inputs = 1,
     .arg = {0, -1},
     .fails = "0 before and -1 after axis 1 of (2, 3)"},
    {.label = "negative before",
     .in = {SHAPE(2, 3)},
     .inputs = 1,
     .arg = {0, 0, -2, 3},
     .fails = "-2 before and 3 after axis 0"},
    {.label = "too long",
     .in = {SHAPE(2, 3)},
     .inputs = 1,
     .arg = {0x1p62, 0x1p62},
     .fails = "below 2^63"},
    {0},
};

/* args: up to three lengths, and how many they are. */
static Tensor *expand_call(Tensor **in, const double *arg)
{
    Shape shape = {.rank = (int)arg[3]};
    for (int i = 0; i < 3; i++)
        shape.dim[i] = (int64_t)arg[i];
    return ag_expand(in[0], shape);
}

static const OpSample expand_samples[] = {
    {.label = "column", .in = {SHAPE(3, 1)}, .inputs = 1, .arg = {3, 4, 0, 2}},
    {.label = "row", .in = {SHAPE(1, 3)}, .inputs = 1, .arg = {4, -1, 0, 2}},
    {.label = "new axis", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {4, -1, 3, 3}},
    {.label = "both", .in = {SHAPE(2, 1)}, .inputs = 1, .arg = {3, 2, 4, 3}},
    {.label = "as it is", .in = {SHAPE(2, 3)}, .inputs = 1, .arg = {-1, -1, 0, 2}},
    {.label = "scalar", .in = {{0}}, .inputs = 1, .arg = {2, 3, 0, 2}},
    {.label = "scalar to scalar", .in = {{0}}, .inputs = 1},
    {.label = "size 1", .in = {SHAPE(1)}, .inputs = 1, .arg = {2, 1, 5, 3}},
    {.label = "size 0", .in = {SHAPE(1, 0)}, .inputs = 1, .arg = {3, 0, 0, 2}},
    {.label = "to nothing", .in = {SHAPE(2, 1)}, .inputs = 1, .arg = {2, 0, 0, 2}},
    {.label = "length",
     .in = {SHAPE(2, 3)},
     .inputs = 1,
     .arg = {4, 3, 0, 2},
     .fails = "x is (2, 3), the shape (4, 3); expected"},
    {.label = "new axis of -1", .in = {SHAPE(3)}, .inputs = 1, .arg = {-1, 3, 0, 2}, .fails = "-1"},
    {.label = "negative", .in = {SHAPE(1)}, .inputs = 1, .arg = {-2, 0, 0, 1}, .fails = "(-2,)"},
    {.label = "fewer axes",
     .in = {SHAPE(1, 3)},
     .inputs = 1,
     .arg = {3, 0, 0, 1},
     .fails = "expected 2 to 6 axes"},
    {.label = "rank 1000",
     .in = {SHAPE(1, 3)},
     .inputs = 1,
     .arg = {3, 0, 0, 1000},
     .fails = "expected 2 to 6 axes"},
    {0},
};

/* args: what the mask is multiplied by, for a wrong one. */
static Tensor *where_call(Tensor **in, const double *arg)
{
    return ag_where(arg[0] != 0 ? ag_scale(in[0], (real)arg[0]) : in[0], in[1], in[2]);
}

static const OpSample where_samples[] = {
    {.label = "plain", .in = {SHAPE(3, 4), SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 3},
    {.label = "all broadcast", .in = {SHAPE(3, 1), SHAPE(4), SHAPE(2, 1, 1)}, .inputs = 3},
    {.label = "row mask", .in = {SHAPE(4), SHAPE(3, 4), SHAPE(3, 4)}, .inputs = 3},
    {.label = "against a number", .in = {SHAPE(2, 5), SHAPE(2, 5), {0}}, .inputs = 3},
    {.label = "number against", .in = {SHAPE(2, 5), {0}, SHAPE(5)}, .inputs = 3},
    {.label = "scalars", .in = {{0}, {0}, {0}}, .inputs = 3},
    {.label = "size 1", .in = {SHAPE(1, 1), SHAPE(1), SHAPE(1)}, .inputs = 3},
    {.label = "size 0", .in = {SHAPE(2, 1), SHAPE(2, 0), SHAPE(1)}, .inputs = 3},
    {.label = "wrong",
     .in = {SHAPE(2, 3), SHAPE(2, 4), SHAPE(2, 1)},
     .inputs = 3,
     .fails = "the mask is (2, 3), a is (2, 4), b is (2, 1); expected"},
    {.label = "wrong pair",
     .in = {SHAPE(2, 1), SHAPE(2, 4), SHAPE(2, 3)},
     .inputs = 3,
     .fails = "equal lengths or 1"},
    {.label = "no mask",
     .in = {SHAPE(4), SHAPE(4), SHAPE(4)},
     .inputs = 3,
     .arg = {2},
     .fails = "has 2 at element 0; expected 0 or 1"},
    {0},
};

const OpTest shapes_tests[] = {
    {.op = "embedding",
     .oracle = "torch.nn.functional.embedding(b, a)",
     .two = ag_embedding,
     .ids_below = 5,
     .samples = embedding_samples},
    {.op = "gather",
     .oracle = "torch.gather(a, n0, b)",
     .call = gather_call,
     .ids_below = 3,
     .samples = gather_samples},
    {.op = "concat",
     .oracle = "torch.cat([x for x in (a, b, c) if x is not None], int(n0))",
     .call = concat_call,
     .samples = concat_samples},
    {.op = "stack",
     .oracle = "torch.stack([x for x in (a, b, c) if x is not None], n0)",
     .call = stack_call,
     .samples = stack_samples},
    {.op = "pad",
     .oracle = "a.clone() if a.dim() == 0 else torch.nn.functional.pad("
               "a, (n0, n1) + (0, 0) * (a.dim() - 2) + ((n2, n3) if a.dim() > 1 else ()), "
               "value=0.75)",
     .call = pad_call,
     .samples = pad_samples},
    {.op = "expand",
     .oracle = "a.expand((n0, n1, n2)[:n3]).clone()",
     .call = expand_call,
     .samples = expand_samples},
    {.op = "where",
     .oracle = "torch.where(a != 0, b, c)",
     .call = where_call,
     .constant = 1 << 0,
     .samples = where_samples},
    {0},
};
