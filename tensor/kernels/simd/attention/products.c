/* products.c: the products of a tile of attention. See kernels/simd/attention/attention.h for the picture.
 *
 * Of a tile on the diagonal, rows are taken by the tile of registers, each with what it sees. Where the processor has a
 * tile unit, what is large enough goes there (kernels/amx/attention.c). */
#include "tensor/kernels/simd/attention/attention.h"

void FAST(attention_dots)(Tile *t, float *to, Operand rows)
{
#ifdef TILE_UNIT
    if (amx_attention_dots(t, to, rows))
        return;
#endif
    const Strip *x = FAST(attention_near)(t, rows);
    const float *turned = FAST(attention_turned)(t, rows == OF_K ? OF_Q : OF_UP);
    Product p = {.k = x->n,
                 .a = x->x,
                 .a_row = x->stride,
                 .a_step = 1,
                 .b_step = t->tile,
                 .c_row = t->tile,
                 .c_column = 1};
    for (int64_t q = 0; q < t->across; q += NR) {
        int64_t seen = q + NR + t->diagonal;
        p.m = seen < t->keys ? seen : t->keys;
        p.n = t->across - q < NR ? t->across - q : NR;
        p.b = turned + q;
        p.c = to + q;
        if (p.m <= 0)
            continue;
        p.a_next = tile_height(p.m) * x->stride;
        FAST(kernels_product)(&p);
    }
}

/* ---- weights times rows --------------------------------------------------------------------------------- */

/* Whether 0 times each of its numbers is 0. */
static bool is_tame(const Strip *x, int64_t rows)
{
    Vector some = {0};
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < x->n; c += W) {
            Vector v = load_some(x->x + r * x->stride + c, x->n - c, 0);
            some += v - v; /* 0, or NaN of a NaN or an infinity */
        }
    return lanes_sum(some) == 0;
}

/* Is something hidden whose weight 0 would meet a NaN or an infinity? */
static bool is_wild(const Tile *t, const Strip *m, int64_t rows)
{
    return (t->masked || t->diagonal < TILE) && !is_tame(m, rows);
}

/* Element by element, where 0 times what is hidden would not be 0. */
static void wild_product(const Tile *t, const float *w, const Strip *m, Out to, bool to_keys)
{
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t q = 0; q < t->queries; q++) {
            float number = w[j * t->tile + q], *at = to.x + (to_keys ? j : q) * to.row;
            const float *from = m->x + (to_keys ? q : j) * m->stride;
            for (int64_t i = 0; attention_sees(t, q, j) && i < m->n; i++)
                at[i * to.column] += number * from[i];
        }
}

void FAST(attention_to_queries)(Tile *t, const Weights *weights, Operand operand, const Out *out,
                                bool add)
{
#ifdef TILE_UNIT
    if (amx_attention_to_queries(t, weights, operand, out, add))
        return;
#endif
    const float *w = weights->at;
    const Strip *m = FAST(attention_near)(t, operand);
    if (is_wild(t, m, t->keys)) {
        for (int64_t q = 0; !add && q < t->queries; q++)
            for (int64_t c = 0; c < m->n; c++)
                out->x[q * out->row + c * out->column] = 0;
        wild_product(t, w, m, *out, false);
        return;
    }
    /* Of a diagonal tile, rows are taken by the tile of registers, each with the keys that it sees. */
    int64_t rows = t->diagonal < TILE ? tile_height(t->queries) : t->queries;
    for (int64_t q = 0; q < t->queries; q += rows) {
        Product p = {.m = t->queries - q < rows ? t->queries - q : rows,
                     .n = m->n,
                     .a = w + q,
                     .a_row = 1,
                     .a_step = t->tile,
                     .a_next = tile_height(t->queries),
                     .b = m->x,
                     .b_step = m->stride,
                     .b_next = NR,
                     .c = out->x + q * out->row,
                     .c_row = out->row,
                     .c_column = out->column,
                     .from = add ? out->x + q * out->row : NULL,
                     .from_row = out->row,
                     .from_column = out->column};
        int64_t seen = q + p.m + t->diagonal;
        p.k = seen < 0 ? 0 : seen < t->keys ? seen : t->keys;
        if (p.k > 0 || !add)
            FAST(kernels_product)(&p);
    }
}

void FAST(attention_to_keys)(Tile *t, const Weights *weights, Operand operand, float *c,
                             int64_t c_row)
{
#ifdef TILE_UNIT
    if (amx_attention_to_keys(t, weights, operand, c, c_row))
        return;
#endif
    const float *w = weights->at;
    const Strip *m = FAST(attention_near)(t, operand);
    if (is_wild(t, m, t->queries)) {
        wild_product(t, w, m, (Out){c, c_row, 1, m->n}, true);
        return;
    }
    int64_t rows = t->diagonal < TILE ? tile_height(t->keys) : t->keys;
    for (int64_t j = 0; j < t->keys; j += rows) {
        int64_t first = t->diagonal < TILE && j > t->diagonal ? j - t->diagonal : 0;
        Product p = {.m = t->keys - j < rows ? t->keys - j : rows,
                     .n = m->n,
                     .k = t->queries - first,
                     .a = w + j * t->tile + first,
                     .a_row = t->tile,
                     .a_step = 1,
                     .a_next = tile_height(t->keys) * t->tile,
                     .b = m->x + first * m->stride,
                     .b_step = m->stride,
                     .b_next = NR,
                     .c = c + j * c_row,
                     .c_row = c_row,
                     .c_column = 1,
                     .from = c + j * c_row,
                     .from_row = c_row,
                     .from_column = 1};
        if (p.k > 0)
            FAST(kernels_product)(&p);
    }
}
