/* Rotary position embedding: the channels i and i + n of a token at position p are rotated by the
 * angle p f_i.
 *                                                      Su et al., "RoFormer" (2021), section 3.4.2
 *   y_i     = x_i cos(p f_i) - x_(i+n) sin(p f_i)
 *   y_(i+n) = x_(i+n) cos(p f_i) + x_i sin(p f_i),      i = 0 .. n-1;   y_c = x_c from c = 2 n on
 *   backward: the same rotation by the opposite angle
 * x: (..., T, d), table: (P, 2 n) of cosines and sines, positions: (T), (B, T) or none -> y: (...,
 * T, d). The table is a constant: it takes no gradient. Errors: a table wider than d or of an odd
 * width, a position that is no row of the table.
 *
 * Why it works: the product of a query rotated by p f_i and a key rotated by q f_i depends on p -
 * q alone, as that of two vectors depends on the angle between them. So attention sees distances,
 * and no position is added to a token. */
#include "autograd/ops/shared/op.h"
#include "tensor/threads/parallel.h"

enum { X, TABLE, POSITIONS, OPERANDS };

static bool rotary_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[X], *table = n->in[TABLE], *positions = n->in[POSITIONS];
    Shape s = *y, p = positions ? positions->shape : shape0();
    int64_t T = s.rank >= 2 ? s.dim[s.rank - 2] : 0;
    bool fits = s.rank >= 2 && table->shape.rank == 2 && table->shape.dim[1] % 2 == 0 &&
                table->shape.dim[1] <= shape_last(s);
    if (fits && positions)
        fits = shape_equal(p, shape1(T)) || (s.rank >= 3 && shape_equal(p, shape2(s.dim[0], T)));
    if (!fits)
        return op_fail(n,
                       "x is %s, table %s, positions %s; expected x (..., T, d), table (P, 2 n) "
                       "with 2 n <= d, "
                       "positions (T), (B, T) or none",
                       tensor_describe(x), tensor_describe(table),
                       positions ? tensor_describe(positions) : "none");
    int64_t P = table->shape.dim[0];
    if (!positions && T > P)
        return op_fail(n, "x is %s; expected at most the %lld positions of the table",
                       tensor_describe(x), (long long)P);
    for (int64_t i = 0; positions && i < tensor_size(positions); i++)
        if (positions->ids[i] < 0 || positions->ids[i] >= P)
            return op_fail(n, "position %d at element %lld; expected 0 to %lld, a row of the table",
                           positions->ids[i], (long long)i, (long long)P - 1);
    return true;
}

/* The table's row for row `row` of x: of sequence b, token t. */
static const real *angles(const Node *n, int64_t row)
{
    const Tensor *table = n->in[TABLE], *positions = n->in[POSITIONS];
    Shape s = n->out->shape;
    int64_t T = s.dim[s.rank - 2], t = row % T, p = t;
    if (positions && positions->shape.rank == 2)
        p = positions->ids[row / (shape_rows(s) / s.dim[0]) * T + t];
    else if (positions)
        p = positions->ids[t];
    return table->data + p * table->shape.dim[1];
}

static int64_t row_offset(const Tensor *x, int64_t row)
{
    int64_t at = 0;
    for (int axis = x->shape.rank - 2; axis >= 0; row /= x->shape.dim[axis--])
        at += row % x->shape.dim[axis] * x->stride[axis];
    return at;
}

/* The body of parallel_for: the rows begin to end - 1, a row being one token of one head. */
static void forward_rows(int64_t begin, int64_t end, void *context)
{
    const Node *n = context;
    const Tensor *x = n->in[X];
    int64_t d = shape_last(x->shape), half = n->in[TABLE]->shape.dim[1] / 2;
    for (int64_t row = begin; row < end; row++) {
        const real *cosine = angles(n, row), *sine = cosine + half,
                   *a = x->data + row_offset(x, row);
        real *y = n->out->data + row * d;
        for (int64_t i = 0; i < half; i++) {
            y[i] = a[i] * cosine[i] - a[i + half] * sine[i];
            y[i + half] = a[i + half] * cosine[i] + a[i] * sine[i];
        }
        for (int64_t i = 2 * half; i < d; i++)
            y[i] = a[i];
    }
}

/* The transpose of the rotation, which is its inverse, applied to dL/dy and added. Rows of x do
 * not overlap, so that each thread adds to gradients of its own. */
static void backward_rows(int64_t begin, int64_t end, void *context)
{
    const Node *n = context;
    const Tensor *x = n->in[X];
    int64_t d = shape_last(x->shape), half = n->in[TABLE]->shape.dim[1] / 2;
    for (int64_t row = begin; row < end; row++) {
        const real *cosine = angles(n, row), *sine = cosine + half, *g = n->out->grad + row * d;
        real *dx = x->grad + row_offset(x, row);
        for (int64_t i = 0; i < half; i++) {
            dx[i] += g[i] * cosine[i] + g[i + half] * sine[i];
            dx[i + half] += g[i + half] * cosine[i] - g[i] * sine[i];
        }
        for (int64_t i = 2 * half; i < d; i++)
            dx[i] += g[i];
    }
}

static void rotary_forward(Node *n)
{
    Shape s = n->out->shape;
    parallel_for(shape_rows(s), parallel_grain(shape_last(s)), forward_rows, n);
}

static void rotary_backward(Node *n)
{
    Shape s = n->out->shape;
    if (n->in[X]->grad)
        parallel_for(shape_rows(s), parallel_grain(shape_last(s)), backward_rows, n);
}

const Op op_rotary = {.name = "rotary",
                      .optional = 1 << POSITIONS,
                      .ids = 1 << POSITIONS,
                      .strided = true,
                      .shape = rotary_shape,
                      .forward = rotary_forward,
                      .backward = rotary_backward};

Tensor *ag_rotary(Tensor *x, Tensor *table, Tensor *positions)
{
    /* Rows have unit stride. Two elements may share a number (ag_expand copies), two rows never. */
    if (!tensor_is_poison(x) && x->data && x->shape.rank >= 1 &&
        x->stride[x->shape.rank - 1] != 1 && shape_last(x->shape) != 1)
        x = ag_copy(x);
    return op_apply(&op_rotary, (Tensor *[]){x, contiguous(table), positions}, OPERANDS, NULL, 0);
}
