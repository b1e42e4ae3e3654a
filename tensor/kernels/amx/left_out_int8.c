/* left_out_int8.c: the products in floats that complete those of int8 slices.
 *
 * Four kinds are added: those of steps that the slices of 16 rows of A leave out, of rows of A that
 * they leave out, which have few elements that are not 0, of elements that 16 columns of B leave
 * out, and of rows and columns that are out of range. */
#include "tensor/kernels/amx/left_out_int8.h"

/* The mode of the tile of a half of the rows and the columns from j on. */
static inline Int8Mode mode_at(const Int8Panel *p, int half, int64_t j)
{
    return (Int8Mode)p->mode[half][j / TILE_ROWS];
}

static inline int64_t columns_from(const Int8Panel *p, int64_t j)
{
    return p->nc - j < TILE_ROWS ? p->nc - j : TILE_ROWS;
}

/* The columns from j on that are in range. */
static inline __mmask16 in_range(const Int8Panel *p, int64_t j)
{
    return first_lanes(columns_from(p, j)) &
           _mm512_cmp_ps_mask(_mm512_loadu_ps(p->b_scale + j), _mm512_setzero_ps(), _CMP_NEQ_OQ);
}

/* C's element in row r and column j of the panel. */
static inline float *c_at(const Int8Panel *p, int64_t r, int64_t j)
{
    return p->g->c + (p->i + r) * p->g->c_row + (p->j + j) * p->g->c_column;
}

/* Adds the sums of these columns to row r, from column j on. */
static void add_to_row(const Int8Panel *p, int64_t r, int64_t j, __mmask16 columns, __m512 sum)
{
    float *c = c_at(p, r, j), of[TILE_ROWS];
    if (p->g->c_column == 1) {
        _mm512_mask_storeu_ps(c, columns, _mm512_add_ps(_mm512_maskz_loadu_ps(columns, c), sum));
        return;
    }
    _mm512_storeu_ps(of, sum);
    for (unsigned left = columns; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        c[l * p->g->c_column] += of[l];
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Steps of 16 rows of A and 16 columns of B whose products are added. */
typedef struct {
    float a[INT8_LEFT_OUT][TILE_ROWS], b[INT8_LEFT_OUT][TILE_ROWS];
    int64_t step[INT8_LEFT_OUT]; /* of the product */
    int count;
} __attribute__((aligned(64))) Rest; /* a and b first, so that their rows are aligned as well */

/* The `rows` of one half of the panel. */
static void gather_rows(const Int8Panel *p, Rest *rest, int half, __mmask16 rows)
{
    const Gemm *g = p->g;
    for (int s = 0; s < rest->count; s++) {
        const float *x = g->a + (p->i + half * TILE_ROWS) * g->a_row + rest->step[s] * g->a_column;
        if (g->a_row == 1) {
            _mm512_store_ps(rest->a[s], _mm512_maskz_loadu_ps(rows, x));
            continue;
        }
        for (int r = 0; r < TILE_ROWS; r++)
            rest->a[s][r] = rows >> r & 1 ? x[r * g->a_row] : 0;
    }
}

/* The columns `there` from j on, in step s. */
static void gather_columns(const Int8Panel *p, Rest *rest, int s, int64_t j, __mmask16 there)
{
    const Gemm *g = p->g;
    const float *x = g->b + rest->step[s] * g->b_row + (p->j + j) * g->b_column;
    if (g->b_column == 1) {
        _mm512_store_ps(rest->b[s], _mm512_maskz_loadu_ps(there, x));
        return;
    }
    for (int64_t l = 0; l < TILE_ROWS; l++)
        rest->b[s][l] = there >> l & 1 ? x[l * g->b_column] : 0;
}

enum { ROWS_AT_ONCE = 8 }; /* sums that do not wait for one another */

/* Adds the products of the gathered steps to `rows` rows from `first` on. */
static void add_steps(const Int8Panel *p, const Rest *rest, int64_t first, int64_t rows, int64_t j)
{
    for (int64_t part = 0; part < rows; part += ROWS_AT_ONCE) {
        __m512 sum[ROWS_AT_ONCE] = {0};
        for (int s = 0; s < rest->count; s++) {
            const __m512 b = _mm512_load_ps(rest->b[s]);
#pragma GCC unroll 8
            for (int r = 0; r < ROWS_AT_ONCE; r++)
                sum[r] = _mm512_fmadd_ps(_mm512_set1_ps(rest->a[s][part + r]), b, sum[r]);
        }
        for (int64_t r = 0; r < ROWS_AT_ONCE && part + r < rows; r++)
            add_to_row(p, first + part + r, j, first_lanes(columns_from(p, j)), sum[r]);
    }
}

/* The steps that 16 rows of A leave out, with all columns that are in range. */
static void add_steps_of_a(const Int8Panel *p, int half, int64_t rows)
{
    const Int8LeftOut *left_out = &p->a_left_out[half];
    Rest rest;
    rest.count = left_out->steps;
    for (int s = 0; s < rest.count; s++)
        rest.step[s] = p->l + left_out->step[s];
    gather_rows(p, &rest, half, first_lanes(rows));
    for (int64_t j = 0; j < p->nc; j += TILE_ROWS) {
        if (mode_at(p, half, j) == INT8_INEXACT)
            continue;
        const __mmask16 there = in_range(p, j);
        for (int s = 0; s < rest.count; s++)
            gather_columns(p, &rest, s, j, there);
        add_steps(p, &rest, half * TILE_ROWS, rows, j);
    }
}

/* Whether the half leaves step l out, so that its products with all columns are added. */
static bool leaves_out(const Int8LeftOut *left_out, int l)
{
    for (int s = 0; s < left_out->steps; s++)
        if (left_out->step[s] == l)
            return true;
    return false;
}

/* The elements that 16 columns of B leave out, with the rows of A that are sliced. */
static void add_elements_of_b(const Int8Panel *p, int half, int64_t rows, int64_t j)
{
    const Int8LeftOut *left_out = &p->b_left_out[j / TILE_ROWS];
    Rest rest;
    rest.count = 0;
    for (int s = 0; s < left_out->steps; s++) {
        if (leaves_out(&p->a_left_out[half], left_out->step[s]))
            continue;
        rest.step[rest.count] = p->l + left_out->step[s];
        gather_columns(p, &rest, rest.count, j, left_out->without[s]);
        rest.count++;
    }
    const __mmask16 sliced = _mm512_cmp_ps_mask(_mm512_loadu_ps(p->a_scale + half * TILE_ROWS),
                                                _mm512_setzero_ps(), _CMP_NEQ_OQ);
    gather_rows(p, &rest, half, first_lanes(rows) & sliced);
    add_steps(p, &rest, half * TILE_ROWS, rows, j);
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { VECTORS_AT_ONCE = 8, MOST_NONZERO = 256 }; /* half a block's steps and more */

/* The elements of a row of A that are not 0. */
typedef struct {
    int count;
    float x[MOST_NONZERO];
    uint16_t step[MOST_NONZERO]; /* after p->l */
} SparseRow;

/* The sums of the row's products with VECTORS_AT_ONCE vectors of columns, or with the existing
 * ones, from column j on. */
static void multiply_sparse(const Int8Panel *p, const SparseRow *row, int64_t j, float *sum)
{
    const Gemm *g = p->g;
    const float *b = g->b + p->l * g->b_row + (p->j + j) * g->b_column;
    if (g->b_column == 1 && p->nc - j >= VECTORS_AT_ONCE * TILE_ROWS) {
        __m512 of[VECTORS_AT_ONCE] = {0};
        for (int s = 0; s < row->count; s++) {
            const __m512 x = _mm512_set1_ps(row->x[s]);
            const float *at = b + row->step[s] * g->b_row;
#pragma GCC unroll 8
            for (int v = 0; v < VECTORS_AT_ONCE; v++)
                of[v] = _mm512_fmadd_ps(x, _mm512_loadu_ps(at + v * TILE_ROWS), of[v]);
        }
        for (int v = 0; v < VECTORS_AT_ONCE; v++)
            _mm512_storeu_ps(sum + v * TILE_ROWS, of[v]);
        return;
    }
    memset(sum, 0, sizeof *sum * VECTORS_AT_ONCE * TILE_ROWS);
    for (int s = 0; s < row->count; s++)
        for (int64_t c = 0; c < p->nc - j && c < VECTORS_AT_ONCE * TILE_ROWS; c++)
            sum[c] += row->x[s] * b[row->step[s] * g->b_row + c * g->b_column];
}

/* Row r of the panel. */
static void add_sparse_row(const Int8Panel *p, int64_t r)
{
    const Gemm *g = p->g;
    const float *a = g->a + (p->i + r) * g->a_row + p->l * g->a_column;
    float sum[VECTORS_AT_ONCE * TILE_ROWS];
    SparseRow row;
    row.count = 0;
    for (int64_t l = 0; l < p->kc && row.count < MOST_NONZERO; l++)
        if (a[l * g->a_column] != 0) {
            row.x[row.count] = a[l * g->a_column];
            row.step[row.count++] = (uint16_t)l;
        }
    for (int64_t j = 0; j < p->nc; j += TILE_ROWS) {
        const int64_t at = j % (VECTORS_AT_ONCE * TILE_ROWS);
        if (at == 0)
            multiply_sparse(p, &row, j, sum);
        if (mode_at(p, (int)(r / TILE_ROWS), j) != INT8_INEXACT)
            add_to_row(p, r, j, in_range(p, j), _mm512_loadu_ps(sum + at));
    }
}

void amx_int8_add_left_out(const Int8Panel *p)
{
    for (int half = 0; half * TILE_ROWS < p->m; half++) {
        const int64_t left = p->m - half * TILE_ROWS, rows = left < TILE_ROWS ? left : TILE_ROWS;
        if (p->a_left_out[half].steps > 0)
            add_steps_of_a(p, half, rows);
        for (unsigned row = p->a_left_out[half].rows; row; row &= row - 1)
            add_sparse_row(p, half * TILE_ROWS + __builtin_ctz(row));
        for (int64_t j = 0; j < p->nc; j += TILE_ROWS)
            if (p->b_left_out[j / TILE_ROWS].steps > 0 && mode_at(p, half, j) != INT8_INEXACT)
                add_elements_of_b(p, half, rows, j);
    }
}

/* ---- out of range ---------------------------------------------------------------------------- */

/* Such elements (NaN, infinities, 2^100 or more) are rare, so that plain loops suffice. A sum ends
 * at the first NaN. */
void amx_int8_add_out_of_range(const Int8Panel *p)
{
    const Gemm *g = p->g;
    for (int64_t r = 0; r < p->m; r++) {
        const bool left_out = p->a_left_out[r / TILE_ROWS].rows >> r % TILE_ROWS & 1;
        for (int64_t j = 0; j < p->nc; j++) {
            if (((p->a_scale[r] != 0 || left_out) && p->b_scale[j] != 0) ||
                mode_at(p, (int)(r / TILE_ROWS), j) == INT8_INEXACT)
                continue;
            float sum = 0;
            for (int64_t l = p->l; l < p->l + p->kc && sum == sum; l++)
                sum += g->a[(p->i + r) * g->a_row + l * g->a_column] *
                       g->b[l * g->b_row + (p->j + j) * g->b_column];
            *c_at(p, r, j) += sum;
        }
    }
}
