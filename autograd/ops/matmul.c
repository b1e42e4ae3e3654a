/* Matrix product; leading axes are a batch, and broadcast.
 *                                J "Matrix Calculation of Self-Attention"
 *   y_ij = sum_l a_il b_lj
 *   dL/da = g b^T,  dL/db = a^T g,  g = dL/dy
 * a: (..., m, k), b: (..., k, n) -> y: (..., m, n).  Operands may be views: a transpose costs nothing. */
#include "autograd/ops/op.h"

#include "tensor/parallel.h"
#include "tensor/walk.h"

/* The axes before the last two. */
static Shape batch_shape(Shape s)
{
    s.rank -= 2;
    return s;
}

static bool matmul_shape(const Node *n, Shape *y)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    int ra = a->shape.rank, rb = b->shape.rank;
    Shape batch;
    if (ra < 2 || rb < 2 || a->shape.dim[ra - 1] != b->shape.dim[rb - 2] ||
        !shape_broadcast(batch_shape(a->shape), batch_shape(b->shape), &batch))
        return tensor_fail(
            "matmul: a is %s, b is %s; need a (m, k) times b (k, n), and leading axes "
            "that are equal or 1",
            tensor_describe(a), tensor_describe(b));
    if (batch.rank + 2 > TENSOR_MAX_RANK)
        return tensor_fail("matmul: a is %s, b is %s; at most %d axes", tensor_describe(a),
                           tensor_describe(b), TENSOR_MAX_RANK);
    batch.dim[batch.rank++] = a->shape.dim[ra - 2];
    batch.dim[batch.rank++] = b->shape.dim[rb - 1];
    *y = batch;
    return true;
}

/* One product C = A B per element of the batch. The three tensors are those of y = a b with their roles
 * exchanged on the way back; row and column say how each is read. */
typedef struct {
    const Node *node;
    Gemm gemm; /* with the pointers of the first of the batch */
    int64_t count;
    int64_t stride[3][TENSOR_MAX_RANK]; /* of A, B, C over the batch axes */
} Batch;

static int64_t row_stride(const Tensor *t)
{
    return t->stride[t->shape.rank - 2];
}

static int64_t column_stride(const Tensor *t)
{
    return t->stride[t->shape.rank - 1];
}

/* The strides of t along the batch axes of y: 0 where t has one matrix for several. */
static void batch_strides(const Tensor *t, const Tensor *y, int64_t *stride)
{
    Tensor matrices = *t;
    matrices.shape = batch_shape(t->shape);
    walk_broadcast_strides(&matrices, batch_shape(y->shape), stride);
}

static void batch_body(int64_t begin, int64_t end, void *context)
{
    const Batch *b = context;
    Shape shape = batch_shape(b->node->out->shape);
    for (int64_t i = begin; i < end; i++) {
        int64_t offset[3] = {0}, rest = i;
        for (int axis = shape.rank - 1; axis >= 0; axis--) {
            for (int k = 0; k < 3; k++)
                offset[k] += rest % shape.dim[axis] * b->stride[k][axis];
            rest /= shape.dim[axis];
        }
        Gemm g = b->gemm;
        g.a += offset[0];
        g.b += offset[1];
        g.c += offset[2];
        kernels->gemm(&g);
    }
}

/* Threads take whole products where there are several, each with a C of its own. */
static void batch_run(Batch *b)
{
    Shape shape = batch_shape(b->node->out->shape);
    b->count = shape_size(shape);
    bool shared = false;
    for (int i = 0; i < shape.rank; i++)
        shared |= shape.dim[i] > 1 && b->stride[2][i] == 0;
    int64_t work = b->gemm.m * b->gemm.n * b->gemm.k / 8;
    parallel_for(b->count, shared ? b->count : parallel_grain(work), batch_body, b);
}

static void matmul_forward(Node *n)
{
    const Tensor *a = n->in[0], *b = n->in[1];
    Tensor *y = n->out;
    int64_t m = y->shape.dim[y->shape.rank - 2], columns = shape_last(y->shape);
    Batch all = {.node = n,
                 .gemm = {.m = m,
                          .n = columns,
                          .k = shape_last(a->shape),
                          .a = a->data,
                          .a_row = row_stride(a),
                          .a_column = column_stride(a),
                          .b = b->data,
                          .b_row = row_stride(b),
                          .b_column = column_stride(b),
                          .c = y->data,
                          .c_row = columns,
                          .c_column = 1}};
    batch_strides(a, y, all.stride[0]);
    batch_strides(b, y, all.stride[1]);
    batch_strides(y, y, all.stride[2]);
    batch_run(&all);
}

static void matmul_backward(Node *n)
{
    const Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    int64_t m = y->shape.dim[y->shape.rank - 2], columns = shape_last(y->shape);
    int64_t inner = shape_last(a->shape);
    if (a->grad) { /* (m, inner) += g (m, columns) times b^T (columns, inner) */
        Batch all = {.node = n,
                     .gemm = {.m = m,
                              .n = inner,
                              .k = columns,
                              .add = true,
                              .a = y->grad,
                              .a_row = columns,
                              .a_column = 1,
                              .b = b->data,
                              .b_row = column_stride(b),
                              .b_column = row_stride(b),
                              .c = a->grad,
                              .c_row = row_stride(a),
                              .c_column = column_stride(a)}};
        batch_strides(y, y, all.stride[0]);
        batch_strides(b, y, all.stride[1]);
        batch_strides(a, y, all.stride[2]);
        batch_run(&all);
    }
    if (b->grad) { /* (inner, columns) += a^T (inner, m) times g (m, columns) */
        Batch all = {.node = n,
                     .gemm = {.m = inner,
                              .n = columns,
                              .k = m,
                              .add = true,
                              .a = a->data,
                              .a_row = column_stride(a),
                              .a_column = row_stride(a),
                              .b = y->grad,
                              .b_row = columns,
                              .b_column = 1,
                              .c = b->grad,
                              .c_row = row_stride(b),
                              .c_column = column_stride(b)}};
        batch_strides(a, y, all.stride[0]);
        batch_strides(y, y, all.stride[1]);
        batch_strides(b, y, all.stride[2]);
        batch_run(&all);
    }
}

const Op op_matmul = {
    .name = "matmul",
    .required = 2,
    .flags = OP_STRIDED,
    .shape = matmul_shape,
    .forward = matmul_forward,
    .backward = matmul_backward,
};

Tensor *ag_matmul(Tensor *a, Tensor *b)
{
    return ag_apply(&op_matmul, (Tensor *[]){a, b}, 2, NULL, 0);
}
