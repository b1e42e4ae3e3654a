/* Rows of a table.               V "Word to Word Embedding" (there a column of E), Z "Word embedding"
 *   y_t = E_(id_t)                         the same as one-hot times E
 *   dL/dE_v = sum of dL/dy_t over all t with id_t = v; rows not used get exactly 0
 * E: (V, C), ids: (...) -> y: (..., C).  Error: an id outside 0..V-1, with its position. */
#include "autograd/ops/op.h"

static bool embedding_shape(const Node *n, Shape *y)
{
    const Tensor *table = n->in[0], *ids = n->in[1];
    if (table->shape.rank != 2 || ids->shape.rank + 1 > TENSOR_MAX_RANK)
        return tensor_fail(
            "embedding: table is %s, ids are %s; need table (V, C) and ids of rank <= %d",
            tensor_describe(table), tensor_describe(ids), TENSOR_MAX_RANK - 1);
    for (int64_t i = 0; i < tensor_size(ids); i++)
        if (ids->ids[i] < 0 || ids->ids[i] >= table->shape.dim[0])
            return tensor_fail(
                "embedding: id %d at position %lld of ids %s; table %s has ids 0 to %lld",
                ids->ids[i], (long long)i, tensor_describe(ids), tensor_describe(table),
                (long long)table->shape.dim[0] - 1);
    *y = ids->shape;
    y->dim[y->rank++] = table->shape.dim[1];
    return true;
}

static void embedding_forward(Node *n)
{
    const Tensor *table = n->in[0], *ids = n->in[1];
    kernels->embedding(n->out->data, table->data, ids->ids, tensor_size(ids), table->shape.dim[1]);
}

static void embedding_backward(Node *n)
{
    const Tensor *table = n->in[0], *ids = n->in[1];
    kernels->embedding_back(table->grad, n->out->grad, ids->ids, tensor_size(ids),
                            table->shape.dim[1]);
}

static Tensor *embedding_call(Tensor **in, const double *arg)
{
    (void)arg;
    return ag_embedding(in[0], in[1]);
}

static const OpSample embedding_samples[] = {
    {.label = "plain", .in = {SHAPE(5, 3), SHAPE(4)}, .inputs = 2},
    {.label = "batch", .in = {SHAPE(7, 3), SHAPE(2, 6)}, .inputs = 2},
    {.label = "one id", .in = {SHAPE(5, 3), {0}}, .inputs = 2},
    {.label = "size 1", .in = {SHAPE(5, 1), SHAPE(1)}, .inputs = 2},
    {.label = "size 0", .in = {SHAPE(5, 3), SHAPE(0)}, .inputs = 2},
    {.label = "small table", .in = {SHAPE(2, 3), SHAPE(6)}, .inputs = 2, .fails = "has ids 0 to 1"},
    {.label = "scalar", .in = {{0}, SHAPE(2)}, .inputs = 2, .fails = "table (V, C)"},
    {.label = "rank", .in = {SHAPE(5), SHAPE(2)}, .inputs = 2, .fails = "table (V, C)"},
    {0},
};
static const OpTest embedding_test = {
    .call = embedding_call,
    .oracle = "torch.nn.functional.embedding(b, a)",
    .ids_below = 5,
    .samples = embedding_samples,
};

const Op op_embedding = {
    .name = "embedding",
    .required = 2,
    .ids = 1 << 1,
    .shape = embedding_shape,
    .forward = embedding_forward,
    .backward = embedding_backward,
    .test = &embedding_test,
};

Tensor *ag_embedding(Tensor *table, Tensor *ids)
{
    return ag_apply(&op_embedding, (Tensor *[]){table, ids}, 2, NULL, 0);
}
