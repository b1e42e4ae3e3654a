/* reduce.c: sums along one axis of (outer, n, inner), and their gradients.
 *
 *    inner = 1: each row is contiguous and summed in double  inner > 1: strips of W columns, row by row
 *
 * One thread computes a sum, in one order of additions. Several strips of a matrix proceed side by
 * side:
 *
 *      row 0   | strip 0 | strip 1 | strip 2 | strip 3 | strip 4 ..
 *      row 1   |    +    |    +    |    +    |    +    |
 *      ..       <-------- STRIPS at a time --------->
 *
 * because memory delivers whole cache lines, and four sums do not wait for each other. The number
 * of strips side by side does not change the order of additions in a column. */
#include "tensor/kernels/simd/simd.h"

/* ---- the sum of all elements ----------------------------------------------------------------- */

/* The array is cut into the same number of parts whatever the number of threads, so that the result
 * is the same. A short array is summed in one part. */
enum { PARTS = 32, SERIAL_MAX = 4096, DOUBLES = 32 };

typedef double SumOf(const float *x, int64_t n);

/* A sum over one long array, and its partial sums. */
typedef struct {
    const float *x;
    int64_t n;
    SumOf *of;
    double sum[PARTS];
} Parts;

/* The body of parallel_for: the parts begin to end - 1. Part i has the elements n i / PARTS to
 * before n (i + 1) / PARTS. */
static void parts_body(int64_t begin, int64_t end, void *context)
{
    Parts *p = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = p->n * i / PARTS, to = p->n * (i + 1) / PARTS;
        p->sum[i] = p->of(p->x + from, to - from);
    }
}

/* The sum of an array by `of`, added up in the order of the parts. */
static double sum_by_parts(SumOf *of, const float *x, int64_t n)
{
    Parts p = {.x = x, .n = n, .of = of};
    double total = 0;
    if (n <= SERIAL_MAX)
        return of(x, n);
    parallel_for(PARTS, parallel_grain(n / PARTS * COST_ADD), parts_body, &p);
    for (int i = 0; i < PARTS; i++)
        total += p.sum[i];
    return total;
}

/* The partial sums do not wait for each other. A square is formed in double, where it cannot
 * overflow. */
static double squares_of(const float *x, int64_t n)
{
    double sum[DOUBLES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + DOUBLES <= n; i += DOUBLES)
        for (int l = 0; l < DOUBLES; l++)
            sum[l] += (double)x[i + l] * (double)x[i + l];
    for (int l = 0; i < n; i++, l++)
        sum[l] += (double)x[i] * (double)x[i];
    for (int l = 0; l < DOUBLES; l++)
        total += sum[l];
    return total;
}

double ISA_NAME(squares)(const float *x, int64_t n)
{
    return sum_by_parts(squares_of, x, n);
}

/* ---- along an axis --------------------------------------------------------------------------- */

typedef struct {
    float *y;
    const float *x;
    float scalar; /* the factor of every sum */
    int64_t n, inner;
    bool add; /* to y */
} Sums;

/* inner = 1: y_row = scalar times the sum of row `row`, which is rounded to float once. */
static void sum_rows_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    for (int64_t row = begin; row < end; row++)
        r->y[row] = (float)((double)r->scalar * sum_of(r->x + row * r->n, r->n));
}

/* y_j = scalar sum_row x_row,j of a matrix x (n, inner), or += that, for the strips from column j
 * on. More than one strip are all whole vectors. */
static inline __attribute__((always_inline)) void sum_strips(const Sums *r, const float *x,
                                                             float *y, int64_t j, int strips)
{
    const int64_t left = strips > 1 ? W : r->inner - j;
    Vector total[STRIPS] = {0};
    for (int64_t row = 0; row < r->n; row += FLOAT_ROWS) {
        int64_t end = r->n - row < FLOAT_ROWS ? r->n : row + FLOAT_ROWS;
        Vector some[STRIPS] = {0};
        for (int64_t i = row; i < end; i++)
            for (int v = 0; v < strips; v++)
                some[v] += load_partial(x + i * r->inner + j + v * W, left, 0);
        for (int v = 0; v < strips; v++)
            total[v] += some[v];
    }
    for (int v = 0; v < strips; v++, j += W)
        if (r->add)
            store_partial(y + j, load_partial(y + j, left, 0) + r->scalar * total[v], left);
        else
            store_partial(y + j, r->scalar * total[v], left);
}

/* The body of parallel_for: the items begin to end - 1, an item being (matrix, strip). STRIPS
 * items are taken together where they are whole and lie in one matrix. */
static void sum_columns_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    int64_t strips = (r->inner + W - 1) / W;
    for (int64_t item = begin, taken; item < end; item += taken) {
        int64_t o = item / strips, j = item % strips * W;
        const float *x = r->x + o * r->n * r->inner;
        taken = end - item >= STRIPS && j + STRIPS * W <= r->inner ? STRIPS : 1;
        if (taken == STRIPS)
            sum_strips(r, x, r->y + o * r->inner, j, STRIPS);
        else
            sum_strips(r, x, r->y + o * r->inner, j, 1);
    }
}

/* A single row is cut into parts; otherwise a thread owns whole rows or strips. */
void ISA_NAME(sum)(float *y, const float *x, float alpha, int64_t outer, int64_t n, int64_t inner)
{
    Sums r = {.y = y, .x = x, .scalar = alpha, .n = n, .inner = inner};
    if (inner == 1 && outer == 1)
        y[0] = (float)((double)alpha * sum_by_parts(sum_of, x, n));
    else if (inner == 1)
        parallel_for(outer, parallel_grain(n * COST_ADD), sum_rows_body, &r);
    else
        parallel_for(outer * ((inner + W - 1) / W), parallel_grain(n * W * COST_ADD),
                     sum_columns_body, &r);
}

/* The gradient of a bias. */
void ISA_NAME(add_rows)(float *y, float alpha, const float *x, int64_t rows, int64_t n)
{
    Sums r = {.y = y, .x = x, .scalar = alpha, .n = rows, .inner = n, .add = true};
    parallel_for((n + W - 1) / W, parallel_grain(rows * W * COST_ADD), sum_columns_body, &r);
}

/* Adds dy (inner) to each of the rows dx (n, inner) of one matrix.
 * Item `row` is (matrix, j). */
static void sum_backward_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    for (int64_t row = begin; row < end; row++) {
        const float *restrict dy = r->x + row / r->n * r->inner;
        float *restrict dx = r->y + row * r->inner;
        for (int64_t j = 0; j < r->inner; j++)
            dx[j] += r->scalar * dy[j];
    }
}

/* Adds one number to each element of a row. The elements of all rows are divided among the threads,
 * since there may be a single row. */
static void sum_backward_rows_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    for (int64_t i = begin; i < end;) {
        int64_t row = i / r->n, last = (row + 1) * r->n < end ? (row + 1) * r->n : end;
        const float add = r->scalar * r->x[row];
        for (; i < last; i++)
            r->y[i] += add;
    }
}

void ISA_NAME(sum_backward)(float *dx, const float *dy, float alpha, int64_t outer, int64_t n,
                            int64_t inner)
{
    Sums r = {.y = dx, .x = dy, .scalar = alpha, .n = n, .inner = inner};
    if (inner == 1)
        parallel_for(outer * n, parallel_grain(COST_ADD), sum_backward_rows_body, &r);
    else
        parallel_for(outer * n, parallel_grain(inner * COST_ADD), sum_backward_body, &r);
}
