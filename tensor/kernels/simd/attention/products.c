/* products.c: the products of a tile of attention. kernels/simd/attention/attention.h has the
 * picture.
 *
 * In a tile on the diagonal, each register tile of rows is multiplied only as far as its queries
 * see.
 *
 * A product with the rows of queries (attention_to_queries) sums over keys, one with the rows of
 * keys (attention_to_keys) sums over queries; both read the weights as they are stored, (keys,
 * queries), the first through strides that transpose them. The dots need an operand transposed, (d,
 * queries), so that the queries are along the lanes. */
#include "tensor/kernels/simd/attention/attention.h"

/* to_jq = sum_c x_jc y_qc, for panels of NR queries. Key j is computed for a panel where the
 * panel's last query sees it; scores that this leaves out are above the diagonal and never read. */
void ISA_NAME(attention_dots)(Tile *t, float *to, Operand rows)
{
    const TileOperand *x = ISA_NAME(attention_contiguous)(t, rows);
    const float *transposed = ISA_NAME(attention_transposed)(t, rows == OF_K ? OF_Q : OF_OUT_GRAD);
    PanelProduct p = {.k = x->n,
                      .a = x->x,
                      .a_row = x->stride,
                      .a_step = 1,
                      .b_step = t->tile,
                      .c_row = t->tile,
                      .c_column = 1};
    for (int64_t q = 0; q < t->padded_queries; q += NR) {
        int64_t seen = q + NR + t->diagonal;
        p.m = seen < t->keys ? seen : t->keys;
        p.n = t->padded_queries - q < NR ? t->padded_queries - q : NR;
        p.b = transposed + q;
        p.c = to + q;
        if (p.m <= 0)
            continue;
        p.a_next = tile_height(p.m) * x->stride;
        ISA_NAME(kernels_panel_product)(&p);
    }
}

/* ---- weights times rows ---------------------------------------------------------------------- */

/* Is every element finite? 0 times one that is not is NaN, and so is the sum. Four sums side by
 * side, since each addition waits for the one before. */
static bool all_finite(const TileOperand *x, int64_t rows)
{
    Vector sum[4] = {0};
    for (int64_t r = 0; r < rows; r++) {
        const float *row = x->x + r * x->stride;
        int64_t i = 0;
        for (; i + 4 * W <= x->n; i += 4 * W)
            for (int k = 0; k < 4; k++)
                sum[k] += 0 * load(row + i + k * W);
        for (; i < x->n; i += W)
            sum[0] += 0 * load_partial(row + i, x->n - i, 0);
    }
    return horizontal_sum((sum[0] + sum[1]) + (sum[2] + sum[3])) == 0;
}

/* Would a hidden weight 0 meet a NaN or an infinity? A product of vectors multiplies hidden pairs
 * as well; 0 times a finite element adds 0, whereas 0 times NaN or infinity would add NaN. Tiles
 * that hide nothing need no test. */
static bool hides_non_finite(const Tile *t, const TileOperand *m, int64_t rows)
{
    return (t->masked || t->diagonal < TILE) && !all_finite(m, rows);
}

/* The product pair by pair, leaving out hidden pairs, because 0 times a hidden NaN or infinity is
 * NaN. A loop over pairs is slow, but non-finite elements in hidden rows are rare: padding that was
 * never written, a model that diverged. */
static void masked_product(const Tile *t, const float *w, const TileOperand *m, float *to,
                           int64_t row, bool to_keys)
{
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t q = 0; q < t->queries; q++) {
            float number = w[j * t->tile + q], *at = to + (to_keys ? j : q) * row;
            const float *from = m->x + (to_keys ? q : j) * m->stride;
            for (int64_t i = 0; attention_sees(t, q, j) && i < m->n; i++)
                at[i] += number * from[i];
        }
}

/* to_q (+)= sum_j w_jq m_j, for the keys j that query q sees. */
void ISA_NAME(attention_to_queries)(Tile *t, const float *w, Operand which, float *to, int64_t row,
                                    bool add)
{
    const TileOperand *m = ISA_NAME(attention_contiguous)(t, which);
    if (hides_non_finite(t, m, t->keys)) {
        for (int64_t q = 0; !add && q < t->queries; q++)
            for (int64_t c = 0; c < m->n; c++)
                to[q * row + c] = 0;
        masked_product(t, w, m, to, row, false);
        return;
    }
    /* In a tile on the diagonal, each register tile of rows is multiplied only by the keys that its
     * queries see. */
    int64_t rows = t->diagonal < TILE ? tile_height(t->queries) : t->queries;
    for (int64_t q = 0; q < t->queries; q += rows) {
        PanelProduct p = {.m = t->queries - q < rows ? t->queries - q : rows,
                          .n = m->n,
                          .a = w + q,
                          .a_row = 1,
                          .a_step = t->tile,
                          .a_next = tile_height(t->queries),
                          .b = m->x,
                          .b_step = m->stride,
                          .b_next = NR,
                          .c = to + q * row,
                          .c_row = row,
                          .c_column = 1,
                          .from = add ? to + q * row : NULL,
                          .from_row = row,
                          .from_column = 1};
        int64_t seen = q + p.m + t->diagonal;
        p.k = seen < 0 ? 0 : seen < t->keys ? seen : t->keys;
        if (p.k > 0 || !add)
            ISA_NAME(kernels_panel_product)(&p);
    }
}

/* to_j += sum_q w_jq m_q. On the diagonal, key j starts at the first query that sees it, j -
 * diagonal. */
void ISA_NAME(attention_to_keys)(Tile *t, const float *w, Operand which, float *to, int64_t row)
{
    const TileOperand *m = ISA_NAME(attention_contiguous)(t, which);
    if (hides_non_finite(t, m, t->queries)) {
        masked_product(t, w, m, to, row, true);
        return;
    }
    int64_t rows = t->diagonal < TILE ? tile_height(t->keys) : t->keys;
    for (int64_t j = 0; j < t->keys; j += rows) {
        int64_t first = t->diagonal < TILE && j > t->diagonal ? j - t->diagonal : 0;
        PanelProduct p = {.m = t->keys - j < rows ? t->keys - j : rows,
                          .n = m->n,
                          .k = t->queries - first,
                          .a = w + j * t->tile + first,
                          .a_row = t->tile,
                          .a_step = 1,
                          .a_next = tile_height(t->keys) * t->tile,
                          .b = m->x + first * m->stride,
                          .b_step = m->stride,
                          .b_next = NR,
                          .c = to + j * row,
                          .c_row = row,
                          .c_column = 1,
                          .from = to + j * row,
                          .from_row = row,
                          .from_column = 1};
        if (p.k > 0)
            ISA_NAME(kernels_panel_product)(&p);
    }
}
