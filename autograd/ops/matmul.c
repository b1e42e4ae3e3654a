/* The matrix product; leading axes are a batch, and broadcast.
 *   y_ij = sum_l a_il b_lj
 *   dL/da = g b^T,  dL/db = a^T g,  g = dL/dy
 * a: (..., m, k), b: (..., k, n) -> y: (..., m, n). Operands may be views: a transpose copies
 * nothing. Lecture: J "Matrix Calculation of Self-Attention" (lectures/README.md). The loop:
 * ref_gemm in tensor/kernels/ref/gemm.c, through shared/matrix.h. */
#include "autograd/ops/shared/matrix.h"

#include "tensor/threads/parallel.h"
#include "tensor/strided_rows.h"

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
        return op_fail(n,
                       "a is %s, b is %s; expected a (m, k) times b (k, n), and leading axes that "
                       "are equal or 1",
                       tensor_describe(a), tensor_describe(b));
    batch.dim[batch.rank++] = a->shape.dim[ra - 2];
    batch.dim[batch.rank++] = b->shape.dim[rb - 1];
    *y = batch;
    return true;
}

/* The matrices in a tensor's last two axes, one for each element of the batch. */
typedef struct {
    Matrix first;
    int64_t stride[TENSOR_MAX_RANK]; /* along the batch axes; 0 where one matrix serves several */
} Matrices;

/* t's matrices in `at`, its numbers or its gradient, one for each element of y's batch. */
static Matrices matrices(const Tensor *t, real *at, const Tensor *y)
{
    int rank = t->shape.rank;
    Matrices m = {.first = {at, t->shape.dim[rank - 2], t->shape.dim[rank - 1], t->stride[rank - 2],
                            t->stride[rank - 1]}};
    Tensor batch = *t;
    batch.shape = batch_shape(t->shape);
    broadcast_strides(&batch, batch_shape(y->shape), m.stride);
    return m;
}

/* The transposes of all matrices of the batch, by exchanged strides. */
static Matrices each_transposed(Matrices m)
{
    m.first = transposed(m.first);
    return m;
}

/* One product C = A B, or C += A B, for each element of the batch. */
typedef struct {
    StridedRows products; /* the offsets of C, A and B for each element of the batch */
    Matrix c, a, b;       /* of the first                                            */
    bool add;
    const Tape *tape;
} Batch;

/* The matrix so many numbers after m. */
static Matrix matrix_after(Matrix m, int64_t offset)
{
    m.at += offset;
    return m;
}

/* The body of parallel_for: the products begin to end - 1 of the batch. */
static void batch_body(int64_t begin, int64_t end, void *context)
{
    const Batch *h = context;
    StridedRows w = h->products;
    strided_rows_seek(&w, begin);
    for (; begin < end; begin++, strided_rows_next(&w))
        multiply_biased(h->tape, matrix_after(h->c, w.offset[0]), matrix_after(h->a, w.offset[1]),
                        matrix_after(h->b, w.offset[2]), h->add, NULL);
}

/* Threads compute whole products where there are several, each of which has a C of its own. In
 * backward, the matrices of a broadcast operand add to one gradient, with stride 0 of C: then one
 * thread computes all products, in order. */
static int64_t batch_grain(const Tensor *y, Matrices c, Matrices a)
{
    Shape shape = batch_shape(y->shape);
    for (int i = 0; i < shape.rank; i++)
        if (shape.dim[i] > 1 && c.stride[i] == 0)
            return shape_size(shape);
    int64_t work = c.first.rows * c.first.columns * a.first.columns / 8;
    return scratch_grain(tape_scratch(y->tape), shape_size(shape), parallel_grain(work));
}

static void batch_run(const Tensor *y, Matrices c, Matrices a, Matrices b, bool add)
{
    Batch batch = {.c = c.first, .a = a.first, .b = b.first, .add = add, .tape = y->tape};
    batch.products = strided_indices(batch_shape(y->shape), 3,
                                     (const int64_t *[]){c.stride, a.stride, b.stride});
    parallel_for(strided_rows_count(&batch.products), batch_grain(y, c, a), batch_body, &batch);
}

static void matmul_forward(Node *n)
{
    const Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    batch_run(y, matrices(y, y->data, y), matrices(a, a->data, y), matrices(b, b->data, y), false);
}

/* Both gradients are such products, added over the batch axes of a broadcast operand. */
static void matmul_backward(Node *n)
{
    const Tensor *a = n->in[0], *b = n->in[1], *y = n->out;
    Matrices G = matrices(y, y->grad, y);
    if (a->grad)
        batch_run(y, matrices(a, a->grad, y), G, each_transposed(matrices(b, b->data, y)), true);
    if (b->grad)
        batch_run(y, matrices(b, b->grad, y), each_transposed(matrices(a, a->data, y)), G, true);
}

const Op op_matmul = {.name = "matmul",
                      .strided = true,
                      .shape = matmul_shape,
                      .forward = matmul_forward,
                      .backward = matmul_backward,
                      .inside = &(const struct OpInside){.scratch = true}};

Tensor *ag_matmul(Tensor *a, Tensor *b)
{
    return op_apply(&op_matmul, (Tensor *[]){a, b}, 2, NULL, 0);
}
