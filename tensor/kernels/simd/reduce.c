/* reduce.c: sums along one axis of (outer, n, inner), and their gradients, fast.
 *
 *      inner = 1: rows of numbers that lie side by side, in double     inner > 1: strips of W columns, downwards
 *
 * A sum has one owner and one order of additions. Of one matrix, several strips go down beside each other:
 *
 *      row 0   | strip 0 | strip 1 | strip 2 | strip 3 | strip 4 ..
 *      row 1   |    +    |    +    |    +    |    +    |
 *      ..       <-------- BESIDE at a time --------->
 *
 * since memory is read in pieces longer than one, and four sums do not wait for each other. Which strips stand
 * beside each other changes nothing in a column's sum. */
#include "tensor/kernels/simd/simd.h"

enum { CHEAP = 1 };

/* How many rows are added up in a float before their sum goes to the others. */
enum { STRETCH = 64, BESIDE = 4 };

/* ---- all numbers to one --------------------------------------------------------------------------------- */

/* Cut into as many parts for one thread as for many, so that the sum of the parts' sums is the same. Few numbers stay
 * together. */
enum { PARTS = 32, FEW_NUMBERS = 4096, BESIDE_DOUBLES = 32 };

typedef double SumOf(const float *x, int64_t n);

typedef struct {
    const float *x;
    int64_t n;
    SumOf *of;
    double sum[PARTS];
} Parts;

static void parts_body(int64_t begin, int64_t end, void *context)
{
    Parts *p = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = p->n * i / PARTS, to = p->n * (i + 1) / PARTS;
        p->sum[i] = p->of(p->x + from, to - from);
    }
}

static double sum_by_parts(SumOf *of, const float *x, int64_t n)
{
    Parts p = {.x = x, .n = n, .of = of};
    double total = 0;
    if (n <= FEW_NUMBERS)
        return of(x, n);
    parallel_for(PARTS, parallel_grain(n / PARTS * CHEAP), parts_body, &p);
    for (int i = 0; i < PARTS; i++)
        total += p.sum[i];
    return total;
}

/* Sums side by side need not wait for each other. */
static double squares_of(const float *x, int64_t n)
{
    double sum[BESIDE_DOUBLES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + BESIDE_DOUBLES <= n; i += BESIDE_DOUBLES)
        for (int l = 0; l < BESIDE_DOUBLES; l++)
            sum[l] += (double)x[i + l] * (double)x[i + l];
    for (int l = 0; i < n; i++, l++)
        sum[l] += (double)x[i] * (double)x[i];
    for (int l = 0; l < BESIDE_DOUBLES; l++)
        total += sum[l];
    return total;
}

static double squares(const float *x, int64_t n)
{
    return sum_by_parts(squares_of, x, n);
}

/* ---- along an axis --------------------------------------------------------------------------------------- */

typedef struct {
    float *y;
    const float *x;
    float number; /* that all is multiplied by */
    int64_t n, inner;
} Sums;

static void sum_rows_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    for (int64_t row = begin; row < end; row++)
        r->y[row] = (float)((double)r->number * sum_of(r->x + row * r->n, r->n));
}

/* The sums of the strips from column j on of x (n, inner). All are whole if they are more than one. */
static inline __attribute__((always_inline)) void
strips_sum(Vector total[BESIDE], const float *x, int64_t n, int64_t inner, int64_t j, int strips)
{
    int64_t left = strips > 1 ? W : inner - j;
    for (int v = 0; v < strips; v++)
        total[v] = (Vector){0};
    for (int64_t row = 0; row < n; row += STRETCH) {
        int64_t end = n - row < STRETCH ? n : row + STRETCH;
        Vector some[BESIDE] = {0};
        for (int64_t i = row; i < end; i++)
            for (int v = 0; v < strips; v++)
                some[v] += load_some(x + i * inner + j + v * W, left, 0);
        for (int v = 0; v < strips; v++)
            total[v] += some[v];
    }
}

/* Of one matrix; y its columns j.. */
static inline __attribute__((always_inline)) void sum_strips(const Sums *r, const float *x,
                                                             float *y, int64_t j, int strips)
{
    Vector total[BESIDE];
    strips_sum(total, x, r->n, r->inner, j, strips);
    for (int v = 0; v < strips; v++, j += W)
        store_some(y + j, r->number * total[v], strips > 1 ? W : r->inner - j);
}

static void sum_columns_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    int64_t strips = (r->inner + W - 1) / W;
    for (int64_t item = begin, taken; item < end; item += taken) {
        int64_t o = item / strips, j = item % strips * W;
        const float *x = r->x + o * r->n * r->inner;
        taken = end - item >= BESIDE && j + BESIDE * W <= r->inner ? BESIDE : 1;
        if (taken == BESIDE)
            sum_strips(r, x, r->y + o * r->inner, j, BESIDE);
        else
            sum_strips(r, x, r->y + o * r->inner, j, 1);
    }
}

static void sum(float *y, const float *x, float alpha, int64_t outer, int64_t n, int64_t inner)
{
    Sums r = {.y = y, .x = x, .number = alpha, .n = n, .inner = inner};
    if (inner == 1 && outer == 1)
        y[0] = (float)((double)alpha * sum_by_parts(sum_of, x, n));
    else if (inner == 1)
        parallel_for(outer, parallel_grain(n * CHEAP), sum_rows_body, &r);
    else
        parallel_for(outer * ((inner + W - 1) / W), parallel_grain(n * W * CHEAP), sum_columns_body,
                     &r);
}

static inline __attribute__((always_inline)) void add_strips(const Sums *r, int64_t j, int strips)
{
    Vector total[BESIDE];
    strips_sum(total, r->x, r->n, r->inner, j, strips);
    for (int v = 0; v < strips; v++, j += W) {
        int64_t left = strips > 1 ? W : r->inner - j;
        store_some(r->y + j, load_some(r->y + j, left, 0) + r->number * total[v], left);
    }
}

static void add_rows_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    int64_t strip = begin, whole = end * W <= r->inner ? end : end - 1;
    for (; strip + BESIDE <= whole; strip += BESIDE)
        add_strips(r, strip * W, BESIDE);
    for (; strip < end; strip++)
        add_strips(r, strip * W, 1);
}

static void add_rows(float *y, float alpha, const float *x, int64_t rows, int64_t n)
{
    Sums r = {.y = y, .x = x, .number = alpha, .n = rows, .inner = n};
    parallel_for((n + W - 1) / W, parallel_grain(rows * W * CHEAP), add_rows_body, &r);
}

/* dy (inner) to each of the rows dx (n, inner) of one matrix. */
static void sum_backward_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    for (int64_t row = begin; row < end; row++) {
        const float *dy = r->x + row / r->n * r->inner;
        float *dx = r->y + row * r->inner;
        for (int64_t j = 0; j < r->inner; j += W)
            store_some(dx + j,
                       load_some(dx + j, r->inner - j, 0) +
                           r->number * load_some(dy + j, r->inner - j, 0),
                       r->inner - j);
    }
}

/* One number to each element of a row: the rows are shared out in blocks, since there may be one alone. */
static void sum_back_rows_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    for (int64_t i = begin; i < end;) {
        int64_t row = i / r->n, last = (row + 1) * r->n < end ? (row + 1) * r->n : end;
        Vector add = splat(r->number * r->x[row]);
        for (; i < last; i += W)
            store_some(r->y + i, load_some(r->y + i, last - i, 0) + add, last - i);
        i = last;
    }
}

static void sum_backward(float *dx, const float *dy, float alpha, int64_t outer, int64_t n,
                         int64_t inner)
{
    Sums r = {.y = dx, .x = dy, .number = alpha, .n = n, .inner = inner};
    if (inner == 1)
        parallel_for(outer * n, parallel_grain(CHEAP), sum_back_rows_body, &r);
    else
        parallel_for(outer * n, parallel_grain(inner * CHEAP), sum_backward_body, &r);
}

void FAST(kernels_fill_sums)(Kernels *k)
{
    k->sum = sum;
    k->sum_backward = sum_backward;
    k->squares = squares;
    k->add_rows = add_rows;
}
