/* tape_numbers.c: see tape_page.h. */
#include "plot/tape/tape_page.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* A tensor of which the numbers are read one by one, in row-major order. */
typedef struct {
    const Tensor *tensor;
    const real *numbers, *before;
    bool contiguous;
} Reader;

static double number_at(const Reader *r, int64_t element)
{
    const Shape *s = &r->tensor->shape;
    int64_t at = r->contiguous ? element : 0;
    for (int i = s->rank - 1; i >= 0 && !r->contiguous; element /= s->dim[i--])
        at += element % s->dim[i] * r->tensor->stride[i];
    if (!r->numbers)
        return r->tensor->ids[at];
    return (double)r->numbers[at] - (r->before ? (double)r->before[at] : 0);
}

/* Smallest, largest, mean and norm. Sums are in double. */
static void describe(const Reader *r, int64_t count, TapeNumbers *n)
{
    double sum = 0, squares = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < count; i++) {
        double x = number_at(r, i);
        if (!isfinite(x)) {
            n->not_finite++;
            continue;
        }
        n->low = finite == 0 || x < n->low ? x : n->low;
        n->high = finite == 0 || x > n->high ? x : n->high;
        sum += x;
        squares += x * x;
        finite++;
    }
    n->mean = finite ? sum / (double)finite : 0;
    n->norm = sqrt(squares);
}

/* Is a number of this row other than 0, among those that are shown? */
static bool shows_something(const Reader *r, int64_t row, int64_t length, int columns)
{
    for (int c = 0; c < columns; c++)
        if (number_at(r, row * length + c) != 0) /* NaN differs from 0 */
            return true;
    return false;
}

TapeNumbers tape_numbers_of(const Tensor *t, const real *numbers, const real *before)
{
    TapeNumbers n = {0};
    Reader r = {t, numbers, before, tensor_is_contiguous(t)};
    int64_t count = tensor_size(t), length = t->shape.rank ? shape_last(t->shape) : 1;
    if (count == 0 || (!numbers && !t->ids))
        return n;
    int64_t rows = shape_rows(t->shape);
    n.columns = length < TAPE_COLUMNS ? (int)length : TAPE_COLUMNS;
    while (n.row < rows && !shows_something(&r, n.row, length, n.columns))
        n.row++;
    if (n.row == rows) /* all are 0 */
        n.row = 0;
    n.rows = rows - n.row < TAPE_ROWS ? (int)(rows - n.row) : TAPE_ROWS;
    for (int i = 0; i < n.rows * n.columns; i++)
        n.number[i] = number_at(&r, (n.row + i / n.columns) * length + i % n.columns);
    describe(&r, count, &n);
    return n;
}

/* ---- gradients ------------------------------------------------------------------------------- */

static real *copy_gradient(const Tensor *x)
{
    const Tensor *owner = x && x->base ? x->base : x;
    size_t bytes = owner ? (size_t)tensor_size(owner) * sizeof(real) : 0;
    real *copy = bytes && x->needs_grad && owner->grad ? mem_alloc(bytes) : NULL;
    return copy ? memcpy(copy, owner->grad, bytes) : NULL;
}

void tape_gradients_copy(TapeGradients *g, const Node *n)
{
    for (int i = 0; i < TAPE_OPERANDS; i++)
        g->before[i] = i < n->inputs ? copy_gradient(n->in[i]) : NULL;
}

bool tape_gradients_added(const TapeGradients *g, const Node *n, int i, TapeNumbers *added)
{
    bool shown = g->before[i] != NULL;
    for (int k = 0; shown && k < i; k++)
        shown = n->in[k] != n->in[i];
    if (shown)
        *added = tape_numbers_of(n->in[i], n->in[i]->grad,
                                 g->before[i] + (n->in[i]->base ? n->in[i]->offset : 0));
    return shown;
}

void tape_gradients_free(TapeGradients *g)
{
    for (int i = 0; i < TAPE_OPERANDS; i++)
        mem_free(g->before[i]);
    *g = (TapeGradients){0};
}
