/* strided.c: see kernels/strided.h.
 *
 * Each function hands all rows to one kernel of the table. The invariant of all of them: what one
 * row writes, no other thread's rows write. A sum, where all rows write one element or one row
 * (stride 0), therefore stays on one thread. */
#include "tensor/kernels/strided.h"

#include "tensor/threads/parallel.h"

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct Rows Rows;
struct Rows {
    void (*row)(const Rows *r, const StridedRows *w); /* computes the present row of w */
    StridedRows rows;
    BinaryKernel *kernel;
    real *y;
    const real *a, *b;
};

/* The rows from begin to end - 1, for one thread. */
static void rows_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    StridedRows w = r->rows;
    strided_rows_seek(&w, begin);
    for (; begin < end; begin++, strided_rows_next(&w))
        r->row(r, &w);
}

enum { ROW_COST = 32 }; /* of moving to a row and calling the kernel, as parallel_grain counts */

/* Computes all rows. `apart`: each row writes memory of its own, so threads may share the rows. */
static void for_rows(Rows *r, bool apart)
{
    int64_t rows = strided_rows_count(&r->rows);
    if (rows == 1) { /* contiguous arrays: nothing to move through */
        r->row(r, &r->rows);
        return;
    }
    bool shared = apart && rows >= parallel_threads();
    parallel_for(rows, shared ? parallel_grain(r->rows.length + ROW_COST) : rows, rows_body, r);
}

/* Is every row of the first array in memory of its own?
 * Stride 0 on an axis around the row means that several rows write the same elements. */
static bool rows_apart(const StridedRows *w)
{
    for (int i = 0; i < w->outer_rank; i++)
        if (w->stride[0][i] == 0)
            return false;
    return true;
}

/* Is the first array a single row, and the second many rows of that length, one after the other?
 * Then both are contiguous matrices of one row and of many. */
static bool is_sum_of_rows(const StridedRows *w)
{
    int64_t next = w->length;
    bool is = w->outer_rank > 0 && w->inner[0] == 1 && w->inner[1] == 1;
    for (int i = w->outer_rank - 1; is && i >= 0; i--) {
        is = w->stride[0][i] == 0 && w->stride[1][i] == next;
        next *= w->dim[i];
    }
    return is;
}

/* ---- the kernel of a row --------------------------------------------------------------------- */

/* y = kernel(a, b) along one row. */
static void combine_row(const Rows *r, const StridedRows *w)
{
    r->kernel(r->y + w->offset[0], r->a + w->offset[1], w->inner[1], r->b + w->offset[2],
              w->inner[2], w->length);
}

void strided_binary(StridedRows w, BinaryKernel *kernel, real *y, const real *a, const real *b)
{
    for_rows(&(Rows){.row = combine_row, .rows = w, .kernel = kernel, .y = y, .a = a, .b = b},
             true);
}

/* y = x along one row; the kernel writes with stride 1, any other stride is a plain loop. */
static void copy_row(const Rows *r, const StridedRows *w)
{
    real *to = r->y + w->offset[0];
    const real *from = r->a + w->offset[1];
    if (w->inner[0] == 1)
        kernels->copy(to, from, w->inner[1], w->length);
    else
        for (int64_t i = 0; i < w->length; i++)
            to[i * w->inner[0]] = from[i * w->inner[1]];
}

void strided_copy(StridedRows w, real *y, const real *x)
{
    for_rows(&(Rows){.row = copy_row, .rows = w, .y = y, .a = x}, true);
}

/* y += a b along one row; with stride 0 the dot product. */
static void muladd_row(const Rows *r, const StridedRows *w)
{
    kernels->muladd(r->y + w->offset[0], w->inner[0], 1, r->a + w->offset[1], w->inner[1],
                    r->b + w->offset[2], w->inner[2], w->length);
}

/* The gradient of a row that was used many times, as a bias is, has a kernel of its own, which does
 * not round the sum to a real after each row. */
void strided_axpy(StridedRows w, real *y, real alpha, const real *x)
{
    if (!w.done && is_sum_of_rows(&w))
        kernels->add_rows(y, alpha, x, strided_rows_count(&w), w.length);
    else
        for_rows(&(Rows){.row = muladd_row, .rows = w, .y = y, .a = x, .b = &alpha},
                 rows_apart(&w));
}

void strided_muladd(StridedRows w, real *y, const real *a, const real *b)
{
    for_rows(&(Rows){.row = muladd_row, .rows = w, .y = y, .a = a, .b = b}, rows_apart(&w));
}
