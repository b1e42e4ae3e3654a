/* Rows of a table, named by ids.
 *   y_t = E_(id_t),  the same as one-hot(id) E
 *   dL/dE_v = sum of dL/dy_t over all t with id_t = v; rows that no id names get exactly 0
 * E: (V, C), ids: (...) -> y: (..., C).  Error: an id outside 0..V-1, with its position.
 * Lectures: V "Word to Word Embedding" (there a column of E), Z "Word embedding"
 * (lectures/README.md). The loops: ref_embedding and ref_embedding_backward in
 * tensor/kernels/ref/embedding.c. */
#include "autograd/ops/shared/op.h"

/* All ids are checked before a row is read: a tokeniser or a file may give any number. */
static bool embedding_shape(const Node *n, Shape *y)
{
    const Tensor *table = n->in[0], *ids = n->in[1];
    if (table->shape.rank != 2 || ids->shape.rank + 1 > TENSOR_MAX_RANK)
        return op_fail(n, "table is %s, ids are %s; expected table (V, C) and ids of rank <= %d",
                       tensor_describe(table), tensor_describe(ids), TENSOR_MAX_RANK - 1);
    for (int64_t i = 0; i < tensor_size(ids); i++)
        if (ids->ids[i] < 0 || ids->ids[i] >= table->shape.dim[0])
            return op_fail(
                n, "id %d at position %lld of ids %s; expected 0 to %lld, the rows of table %s",
                ids->ids[i], (long long)i, tensor_describe(ids), (long long)table->shape.dim[0] - 1,
                tensor_describe(table));
    *y = ids->shape;
    y->dim[y->rank++] = table->shape.dim[1];
    return true;
}

static void embedding_forward(Node *n)
{
    const Tensor *table = n->in[0], *ids = n->in[1];
    kernels->embedding(n->out->data, table->data, ids->ids, tensor_size(ids), table->shape.dim[1]);
}

/* A scatter-add: rows of dL/dy are added, in the order of t, to the rows that the ids name. */
static void embedding_backward(Node *n)
{
    const Tensor *table = n->in[0], *ids = n->in[1];
    kernels->embedding_backward(table->grad, n->out->grad, ids->ids, tensor_size(ids),
                                table->shape.dim[1]);
}

const Op op_embedding = {.name = "embedding",
                         .ids = 1 << 1,
                         .shape = embedding_shape,
                         .forward = embedding_forward,
                         .backward = embedding_backward};

Tensor *ag_embedding(Tensor *table, Tensor *ids)
{
    return op_apply(&op_embedding, (Tensor *[]){table, ids}, 2, NULL, 0);
}
