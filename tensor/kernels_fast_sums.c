/* kernels_fast_sums.c: sums along one axis of (outer, n, inner), and their gradients, fast.
 *
 *      inner = 1: rows of numbers that lie side by side, in double     inner > 1: strips of W columns, downwards
 *
 * A sum has one owner and one order of additions. */
#include "tensor/kernels_fast.h"

enum { CHEAP = 1 };

/* How many rows are added up in a float before their sum goes to the others. */
enum { STRETCH = 64 };

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

/* x is (n, inner) here; y its columns j.. of one strip. */
static void sum_strip(const Sums *r, const float *x, float *y, int64_t j)
{
    int64_t left = r->inner - j;
    Vector total = {0};
    for (int64_t row = 0; row < r->n; row += STRETCH) {
        int64_t end = r->n - row < STRETCH ? r->n : row + STRETCH;
        Vector some = {0};
        for (int64_t i = row; i < end; i++)
            some += load_some(x + i * r->inner + j, left, 0);
        total += some;
    }
    store_some(y + j, r->number * total, left);
}

static void sum_columns_body(int64_t begin, int64_t end, void *context)
{
    const Sums *r = context;
    int64_t strips = (r->inner + W - 1) / W;
    for (int64_t item = begin; item < end; item++) {
        int64_t o = item / strips;
        sum_strip(r, r->x + o * r->n * r->inner, r->y + o * r->inner, item % strips * W);
    }
}

static void sum(float *y, const float *x, float alpha, int64_t outer, int64_t n, int64_t inner)
{
    Sums r = {.y = y, .x = x, .number = alpha, .n = n, .inner = inner};
    if (inner == 1)
        parallel_for(outer, parallel_grain(n * CHEAP), sum_rows_body, &r);
    else
        parallel_for(outer * ((inner + W - 1) / W), parallel_grain(n * W * CHEAP), sum_columns_body,
                     &r);
}

/* dy (inner) to each of the rows dx (n, inner) of one matrix. */
static void sum_back_body(int64_t begin, int64_t end, void *context)
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

static void sum_back(float *dx, const float *dy, float alpha, int64_t outer, int64_t n,
                     int64_t inner)
{
    Sums r = {.y = dx, .x = dy, .number = alpha, .n = n, .inner = inner};
    if (inner == 1)
        parallel_for(outer * n, parallel_grain(CHEAP), sum_back_rows_body, &r);
    else
        parallel_for(outer * n, parallel_grain(inner * CHEAP), sum_back_body, &r);
}

void FAST(kernels_fill_sums)(Kernels *k)
{
    k->sum = sum;
    k->sum_back = sum_back;
}
