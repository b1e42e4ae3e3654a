/* broadcast.c: ops on two operands whose shapes meet by NumPy's rule.
 *
 * Forward walks both operands in step; a broadcast axis is walked with stride 0. On the way back the
 * same element of a broadcast operand receives the gradients of all the places where it was used, so
 * they are summed: the walk's stride of 0 does just that. Where a whole row was used again and again, as a
 * bias is, the sum has a kernel of its own. */
#include "autograd/ops/op.h"

#include "tensor/parallel.h"
#include "tensor/walk.h"

bool broadcast_shape(const Node *n, Shape *y)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    if (shape_broadcast(a->shape, b->shape, y))
        return true;
    return tensor_fail("%s: a is %s, b is %s; from the last axis on, lengths must be equal or 1",
                       n->op->name, tensor_describe(a), tensor_describe(b));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

typedef struct Rows Rows;
struct Rows {
    void (*row)(const Rows *r, const Walk *w); /* what is done at each row of the walk */
    Walk walk;
    BinaryKernel kernel;
    real *y;
    const real *a, *b;
    real alpha;
};

static void rows_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    Walk w = r->walk;
    walk_to(&w, begin);
    for (; begin < end; begin++, walk_next(&w))
        r->row(r, &w);
}

enum { ROW_COST = 32 }; /* of a step of the walk and a call, as parallel_grain counts */

/* Many rows are shared out among the threads, if each writes its own numbers; of a few long ones the kernel shares
 * out each. */
static void for_rows(Rows *r, bool apart)
{
    int64_t rows = walk_rows(&r->walk);
    bool shared = apart && rows >= parallel_threads();
    parallel_for(rows, shared ? parallel_grain(r->walk.length + ROW_COST) : rows, rows_body, r);
}

/* Does no row of the walk's first array stand where another does? */
static bool rows_apart(const Walk *w)
{
    for (int i = 0; i < w->outer_rank; i++)
        if (w->stride[0][i] == 0)
            return false;
    return true;
}

/* Is the first array one row of numbers, and the second many such rows, one behind the other? */
static bool is_sum_of_rows(const Walk *w)
{
    int64_t behind = w->length;
    bool is = w->outer_rank > 0 && w->inner[0] == 1 && w->inner[1] == 1;
    for (int i = w->outer_rank - 1; is && i >= 0; i--) {
        is = w->stride[0][i] == 0 && w->stride[1][i] == behind;
        behind *= w->dim[i];
    }
    return is;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static void combine_row(const Rows *r, const Walk *w)
{
    r->kernel(r->y + w->offset[0], r->a + w->offset[1], w->inner[1], r->b + w->offset[2],
              w->inner[2], w->length);
}

void broadcast_forward(Node *n, BinaryKernel kernel)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    Tensor *y = n->out;
    for_rows(&(Rows){.row = combine_row,
                     .walk = walk_tensors(y->shape, 3, (const Tensor *[]){y, a, b}),
                     .kernel = kernel,
                     .y = y->data,
                     .a = a->data,
                     .b = b->data},
             true);
}

static void copy_row(const Rows *r, const Walk *w)
{
    real *to = r->y + w->offset[0];
    const real *from = r->a + w->offset[1];
    if (w->inner[0] == 1)
        kernels->copy(to, from, w->inner[1], w->length);
    else
        for (int64_t i = 0; i < w->length; i++)
            to[i * w->inner[0]] = from[i * w->inner[1]];
}

void broadcast_copy(Tensor *y, const Tensor *x)
{
    for_rows(&(Rows){.row = copy_row,
                     .walk = walk_tensors(y->shape, 2, (const Tensor *[]){y, x}),
                     .y = y->data,
                     .a = x->data},
             true);
}

/* ---- gradients --------------------------------------------------------------------------------------------- */

static void add_row(const Rows *r, const Walk *w)
{
    kernels->axpy(r->y + w->offset[0], w->inner[0], r->alpha, r->a + w->offset[1], w->inner[1],
                  w->length);
}

void broadcast_add_grad(Tensor *x, const Tensor *y, real alpha)
{
    if (!x->grad)
        return;
    Walk w = walk_tensors(y->shape, 2, (const Tensor *[]){x, y});
    if (!w.done && is_sum_of_rows(&w))
        kernels->add_rows(x->grad, alpha, y->grad, walk_rows(&w), w.length);
    else
        for_rows(&(Rows){.row = add_row, .walk = w, .y = x->grad, .a = y->grad, .alpha = alpha},
                 rows_apart(&w));
}

static void mul_row(const Rows *r, const Walk *w)
{
    kernels->muladd(r->y + w->offset[0], w->inner[0], 1, r->a + w->offset[1], w->inner[1],
                    r->b + w->offset[2], w->inner[2], w->length);
}

void broadcast_mul_grad(Tensor *x, const Tensor *y, const Tensor *other)
{
    if (!x->grad)
        return;
    Walk w = walk_tensors(y->shape, 3, (const Tensor *[]){x, y, other});
    for_rows(&(Rows){.row = mul_row, .walk = w, .y = x->grad, .a = y->grad, .b = other->data},
             rows_apart(&w));
}

void broadcast_share_grad(Node *n, Tensor *x, Tensor *more, Tensor *less)
{
    if (!x->grad)
        return;
    Tensor share = *n->out;
    share.data = n->saved;
    Node compare = {.in = (Tensor *[]){more, less}, .out = &share};
    broadcast_forward(&compare, kernels->larger_share);
    broadcast_mul_grad(x, n->out, &share);
}
