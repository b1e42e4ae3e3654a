/* unary.c: the way back of an op on one operand, element by element.
 *
 * A kernel adds: dx += dy slope. Where dx is to take the place of dy, a block at a time is taken out of the way:
 *
 *      dy |  block 0  |  block 1  | ..          apart = block; block = 0; block += apart slope
 *               |  ^
 *               v  |                            both stay in the nearest cache, so that memory is read and
 *             apart                             written once, and dx needs no memory of its own */
#include "autograd/ops/op.h"

#include "tensor/parallel.h"

#include <string.h>

enum { BLOCK = 1024, COST = 3 }; /* numbers; of one, as parallel_grain counts */

typedef struct {
    UnaryBack kernel;
    real *grad;
    const real *known;
    int64_t n;
} InPlace;

static void in_place_body(int64_t begin, int64_t end, void *context)
{
    const InPlace *p = context;
    _Alignas(64) real apart[BLOCK];
    for (int64_t i = begin * BLOCK; begin < end; begin++, i += BLOCK) {
        int64_t n = p->n - i < BLOCK ? p->n - i : BLOCK;
        memcpy(apart, p->grad + i, (size_t)n * sizeof *apart);
        memset(p->grad + i, 0, (size_t)n * sizeof *apart);
        p->kernel(p->grad + i, apart, p->known + i, n);
    }
}

void unary_backward(Node *n, UnaryBack kernel, const Tensor *known)
{
    real *dx = n->in[0]->grad, *dy = n->out->grad;
    int64_t size = tensor_size(n->out);
    if (dx != dy)
        kernel(dx, dy, known->data, size);
    else
        parallel_for((size + BLOCK - 1) / BLOCK, parallel_grain(BLOCK * COST), in_place_body,
                     &(InPlace){kernel, dx, known->data, size});
}
