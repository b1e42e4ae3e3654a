/* shapes.c: how ops are tried that pick numbers and place them. */
#include "tests/autograd/ops/op_tests.h"

static const OpSample embedding_samples[] = {
    {"plain", "5,3 4"},
    {"batch", "7,3 2,6"},
    {"one id", "5,3 ()"},
    {"size 1", "5,1 1"},
    {"size 0", "5,3 0"},
    {"small table", "2,3 6", {0}, "expected 0 to 1"},
    {"scalar", "() 2", {0}, "table (V, C)"},
    {"rank", "5 2", {0}, "table (V, C)"},
    {0},
};

CALL(gather, ag_gather(in[0], (int)arg[0], in[1]))

static const OpSample gather_samples[] = {
    {"plain", "4,3 4,2", {1}},
    {"first axis", "3,4 5,4", {0}},
    {"middle axis", "2,3,4 2,5,4", {-2}},
    {"a part of x", "4,3,5 2,7,3", {1}},
    {"last axis", "2,2,5 2,2,4", {-1}},
    {"vector", "3 7", {0}},
    {"size 1", "3,1 1,1", {0}},
    {"size 0", "3,4 0,4", {0}},
    {"outside",
     "2,3 1,3",
     {0},
     "id 2 at position 2 of ids (1, 3); expected 0 to 1, along axis 0 of x (2, 3)"},
    {"longer", "3,2 3,3", {0}, "no longer than x along the axes other than 0"},
    {"rank", "3,2 3", {0}, "of the same rank"},
    {"axis", "3 3", {1}, "axis"},
    {"scalar", "() ()", {0}, "axis"},
    {0},
};

/* args: axis, number, whether along a new axis. */
CALL(concat, (arg[2] != 0 ? ag_stack : ag_concat)(in, (int)arg[1], (int)arg[0]))

static const OpSample concat_samples[] = {
    {"plain", "2,3 2,3", {0, 2}},
    {"last axis", "2,3 2,1 2,4", {-1, 3}},
    {"middle", "2,1,3 2,2,3", {1, 2}},
    {"one", "2,3", {0, 1}},
    {"size 0", "2,0 2,3", {1, 2}},
    {"size 1", "1 1", {0, 2}},
    {"length", "2,3 1,3", {1, 2}, "expected shapes that differ along axis"},
    {"axis", "2,3 2,3", {2, 2}, "axis"},
    {"rank", "2,3 2", {0, 2}, "expected shapes that differ along axis"},
    {"scalar", "() ()", {0, 2}, "axis"},
    {"stack", "2,3 2,3", {0, 2, 1}},
    {"stack, last axis", "2,3 2,3 2,3", {-1, 3, 1}},
    {"stack, middle", "2,3 2,3", {1, 2, 1}},
    {"stack, one but last", "2,2,3", {-2, 1, 1}},
    {"stack, scalars", "() () ()", {0, 3, 1}},
    {"stack, size 0", "2,0 2,0", {1, 2, 1}},
    {"stack, size 1", "1 1", {1, 2, 1}},
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
    {"plain", "2,3", {1, 2, 2, 1}},
    {"last axis", "2,3", {0, 2}},
    {"first axis", "2,3,2", {0, 0, 1, 0}},
    {"outer axes", "2,2,3", {3, 0, 0, 2}},
    {"nothing", "2,3"},
    {"vector", "5", {2, 0}},
    {"scalar", "()"},
    {"size 0", "2,0", {1, 2}},
    {"size 1", "1,1", {1, 1, 1, 1}},
    {"negative", "2,3", {0, -1}, "0 before and -1 after axis 1 of (2, 3)"},
    {"negative before", "2,3", {0, 0, -2, 3}, "-2 before and 3 after axis 0"},
    {"too long", "2,3", {0x1p62, 0x1p62}, "below 2^63"},
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
    {"column", "3,1", {3, 4, 0, 2}},
    {"row", "1,3", {4, -1, 0, 2}},
    {"new axis", "2,3", {4, -1, 3, 3}},
    {"both", "2,1", {3, 2, 4, 3}},
    {"as it is", "2,3", {-1, -1, 0, 2}},
    {"scalar", "()", {2, 3, 0, 2}},
    {"scalar to scalar", "()"},
    {"size 1", "1", {2, 1, 5, 3}},
    {"size 0", "1,0", {3, 0, 0, 2}},
    {"to nothing", "2,1", {2, 0, 0, 2}},
    {"length", "2,3", {4, 3, 0, 2}, "x is (2, 3), the shape (4, 3); expected"},
    {"new axis of -1", "3", {-1, 3, 0, 2}, "-1"},
    {"negative", "1", {-2, 0, 0, 1}, "(-2,)"},
    {"fewer axes", "1,3", {3, 0, 0, 1}, "expected 2 to 6 axes"},
    {"rank 1000", "1,3", {3, 0, 0, 1000}, "expected 2 to 6 axes"},
    {0},
};

/* args: what the mask is multiplied by, for a wrong one. */
CALL(where, ag_where(arg[0] != 0 ? ag_scale(in[0], (real)arg[0]) : in[0], in[1], in[2]))

static const OpSample where_samples[] = {
    {"plain", "3,4 3,4 3,4"},
    {"all broadcast", "3,1 4 2,1,1"},
    {"row mask", "4 3,4 3,4"},
    {"against a number", "2,5 2,5 ()"},
    {"number against", "2,5 () 5"},
    {"scalars", "() () ()"},
    {"size 1", "1,1 1 1"},
    {"size 0", "2,1 2,0 1"},
    {"wrong", "2,3 2,4 2,1", {0}, "the mask is (2, 3), a is (2, 4), b is (2, 1); expected"},
    {"wrong pair", "2,1 2,4 2,3", {0}, "equal lengths or 1"},
    {"no mask", "4 4 4", {2}, "has 2 at element 0; expected 0 or 1"},
    {0},
};

const OpTest shapes_tests[] = {
    {"embedding", "torch.nn.functional.embedding(b, a)", embedding_samples, .two = ag_embedding,
     .ids_below = 5},
    {"gather", "torch.gather(a, n0, b)", gather_samples, .call = gather_call, .ids_below = 3},
    {"concat",
     "(torch.stack if n2 else torch.cat)([x for x in (a, b, c) if x is not None], int(n0))",
     concat_samples, .call = concat_call},
    {"pad",
     "a.clone() if a.dim() == 0 else torch.nn.functional.pad("
     "a, (n0, n1) + (0, 0) * (a.dim() - 2) + ((n2, n3) if a.dim() > 1 else ()), "
     "value=0.75)",
     pad_samples, .call = pad_call},
    {"expand", "a.expand((n0, n1, n2)[:n3]).clone()", expand_samples, .call = expand_call},
    {"where", "torch.where(a != 0, b, c)", where_samples, .call = where_call, .constant = 1 << 0},
    {0},
};
