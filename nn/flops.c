/* flops.c: the operations of a forward pass.
 *
 * A matrix product of (m, k) and (k, n) takes m n k multiplications and as many additions: 2 m n k
 * operations. All other ops of a transformer take few operations beside these and are not counted,
 * as in the lectures' tables of complexity: H, J "Complexity" (lectures/README.md). The backward
 * pass takes about twice as many. */
#include "nn/internal.h"

#include <string.h>

/* The multiplications of a node, each with its addition. */
static int64_t products(const Node *n)
{
    const char *op = n->op->name;
    if (strcmp(op, "matmul") == 0 || strcmp(op, "linear") == 0)
        return tensor_size(n->out) * shape_last(n->in[0]->shape);
    /* Scores of all queries with all keys, q k^T, then A v; masked scores are counted too. */
    if (strcmp(op, "attention") == 0)
        return (tensor_size(n->in[0]) + tensor_size(n->out)) * n->in[1]->shape.dim[2];
    if (strcmp(op, "conv1d") != 0 && strcmp(op, "conv2d") != 0)
        return 0;
    Shape w =
        n->in[1]->shape; /* (out, in, k) or (out, in, kh, kw): in k, or in kh kw, for each output */
    return w.dim[0] == 0 ? 0 : tensor_size(n->out) * (shape_size(w) / w.dim[0]);
}

int64_t nn_flops(const Tape *tape)
{
    int64_t all = 0;
    if (!tape)
        return tensor_fail("nn_flops: the tape is NULL; expected the tape of a forward pass");
    for (int i = 0; i < tape->nodes; i++)
        all += 2 * products(tape->node[i]);
    return all;
}
