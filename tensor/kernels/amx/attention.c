/* attention.c: the products of a tile of attention from int8 slices (kernels/amx/tile_int8.h).
 *
 *    S^T = K Q^T,  dP^T = V G^T         sums over the depth
 *    O^T += V^T P^T,  dQ^T += K^T dS^T  sums over the keys; weights sliced for 32 queries at a time
 *    dV += P^T G,  dK += dS^T Q         sums over the queries; weights sliced for 32 keys at a time
 *
 * Only the weights are sliced for each pair of tiles, and the softmax has already found their
 * absolute maxima. Slices of queries are kept for their tile, those of keys and values for their
 * matrix. Queries are along the lanes in S^T, dP^T, O^T and dQ^T, so that no weights are
 * transposed. On the diagonal, pairs that no query of a tile register sees are skipped.
 *
 * Where the tile is too small to pay or meets an element that has no slices (NaN, an infinity,
 * 2^100 or more), the float product computes it; of a tile with few keys for its first queries, or
 * few queries for its last keys, only these groups of 16.
 *
 * Causal, 4 heads of 64, forward and backward, two threads: T 256 0.39 ms (AVX-512: 0.54), 1024 4.4
 * (7.4), 4096 68 (117), on a Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/simd/attention/attention.h"

/* Slicing costs as much as many products, so that short sequences and small heads are computed in
 * floats. The time of forward and backward with one thread, relative to floats: heads of 64 without
 * a mask: T 96 0.91, 128 0.81, 256 0.67, 512 0.61; causal: 128 1.02, 192 0.87, 256 0.81, 512 0.70;
 * heads of 32 without a mask: 128 0.96, 192 0.93, 512 0.81; causal: 256 1.05, 384 0.95, 512 0.91;
 * heads of 16: 1.05 and more (a Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21). */
bool amx_attention_pays(const Attention *a)
{
    int64_t depth = a->d < a->dv ? a->d : a->dv;
    int64_t met = a->queries < a->keys ? a->queries : a->keys;
    if (a->mask.causal)
        met /= 2;
    if (a->mask.window > 0 && met > 2 * a->mask.window * a->mask.dilation)
        met = 2 * a->mask.window * a->mask.dilation;
    return depth > TILE_ROWS && met * depth >= 96 * 64;
}

/* Int8 products store O and dL/dQ with the queries along the lanes, for every tile of keys or for
 * none. */
bool amx_attention_transposes_out(const Tile *t)
{
    return t->tile == TILE && t->queries > PANEL;
}

/* No matrix's keys are sliced yet in this call: what the scratch memory holds is from another
 * one. */
void amx_attention_begin(KernelScratch scratch)
{
    ((Scratch *)scratch_part(scratch))->matrix = -1;
    amx_configure();
}

/* The first sliced operand of the tile's keys and values. */
static int64_t key_slot(const Tile *t)
{
    int64_t tile = t->j0 / t->tile;
    return SLICED_PER_QUERY_TILE +
           (tile < CACHED_TILES ? tile : CACHED_TILES) * SLICED_PER_KEY_TILE;
}

/* Forgets the slices of the tile of queries before. */
void amx_attention_set_queries(const Tile *t)
{
    memset(t->s->ready, 0, SLICED_PER_QUERY_TILE);
}

/* Forgets all slices of keys where the tile belongs to another matrix, else only those in the slot
 * that later tiles share. */
void amx_attention_set_keys(const Tile *t)
{
    Scratch *s = t->s;
    int64_t stay = s->matrix == t->z ? SLICED_PER_QUERY_TILE + CACHED_TILES * SLICED_PER_KEY_TILE
                                     : SLICED_PER_QUERY_TILE;
    memset(s->ready + stay, 0, (size_t)(SLICED_OPERANDS - stay));
    s->matrix = t->z;
}

/* Where an operand in a form is kept. A call uses either K or V along the rows, never both, so
 * that they share the third slot of a tile of keys. */
static int64_t operand_slot(const Tile *t, Operand o, Form form)
{
    if (o == OF_Q || o == OF_OUT_GRAD)
        return o * FORMS + form;
    return key_slot(t) + (form == ALONG_ROWS ? 2 : o == OF_K ? 0 : 1);
}

/* Slices an operand into its slot. The scores' factor 1 / sqrt(d) is put into the scales of Q,
 * which costs nothing. */
static void slice_operand(const Tile *t, Operand o, Form form, int64_t slot)
{
    Scratch *s = t->s;
    SlicedOperand *d = &s->sliced[slot];
    Int8Quality quality[(MAX_DEPTH > TILE ? MAX_DEPTH : TILE) / TILE_ROWS];
    const TileOperand *x = &t->operand[o];
    bool along_depth = form == ALONG_DEPTH;
    int64_t row = along_depth ? x->stride : 1, step = along_depth ? 1 : x->stride;
    int64_t rows = along_depth ? x->rows : x->n, steps = along_depth ? x->n : x->rows;
    amx_int8_packing_begin(&s->packing, d->bytes, int8_group_bytes(steps),
                           o >= OF_K ? SIDE_A : SIDE_B, d->scale, x->x, row, step, rows, steps);
    s->packing.quality = quality;
    amx_int8_packing_advance(&s->packing, INT64_MAX);
    d->spread = 0;
    for (int64_t r = 0; r < rows; r += TILE_ROWS)
        if (quality[r / TILE_ROWS].spread > d->spread)
            d->spread = quality[r / TILE_ROWS].spread;
    for (int64_t r = 0; o == OF_Q && along_depth && r < rows; r++)
        d->scale[r] *= t->a->scale;
    s->in_range[slot] = s->packing.in_range;
    s->ready[slot] = true;
}

/* An operand's slices; NULL where an element has none.
 * Slices are made on first use and then kept. */
static const SlicedOperand *sliced_operand(const Tile *t, Operand o, Form form)
{
    int64_t slot = operand_slot(t, o, form);
    if (!t->s->ready[slot])
        slice_operand(t, o, form, slot);
    return t->s->in_range[slot] ? &t->s->sliced[slot] : NULL;
}

/* Slices so many rows (columns, for B) and steps of the weights.
 * known_absmax spares the first of the two passes over the weights. */
static void slice_weights(const Tile *t, Side side, const float *w, const float *absmax,
                          int64_t row, int64_t step, int64_t rows, int64_t steps, int64_t next)
{
    Scratch *s = t->s;
    amx_int8_packing_begin(&s->packing, s->weights, next, side, s->weights_scale, w, row, step,
                           rows, steps);
    s->packing.known_absmax = absmax;
    amx_int8_packing_advance(&s->packing, INT64_MAX);
}

/* ---- which products -------------------------------------------------------------------------- */

/* Bounds of spreads; see amx_int8_mode, whose bounds are tighter. Weights and their gradients have
 * been rounded several times before they are sliced, and softmax makes errors of scores smaller.
 * With these bounds, the rows of results and gradients have at most twice the error of floats
 * (tests/kernels/test_attention_tiles.c). */
static const float FULL_SPREAD = 5.6f, FAST_SPREADS = 6.6f, FAST_WEIGHTS = 10;

/* How K Q^T or V (dL/dO)^T is computed. a and b are the operands' spreads, steps is the depth. */
static Int8Mode mode_of_dots(float a, float b, int64_t steps)
{
    const float root = sqrtf((float)steps);
    if (!(a <= FULL_SPREAD * root && b <= FULL_SPREAD * root))
        return INT8_INEXACT;
    return a * b <= FAST_SPREADS * root ? INT8_FAST : INT8_FULL;
}

/* A query that sees so few keys, or a key that so few queries see, that their rounding does not
 * average out, is computed in floats with its group of TILE_ROWS. Under a causal mask these are the
 * first queries and the last keys. */
enum { FEW = 8 };

/* How many queries from the tile's first on are computed in floats: whole groups. */
static int64_t queries_of_few(const Tile *t)
{
    const Attention *a = t->a;
    const int64_t few = a->mask.causal ? FEW - 1 - (t->i0 + a->keys - a->queries) : 0;
    if (few <= 0)
        return 0;
    const int64_t groups = (few + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
    return groups < t->queries ? groups : t->queries;
}

/* The key from which on the tile's keys are computed in floats: the first of a group, or
 * t->keys. */
static int64_t keys_of_few(const Tile *t)
{
    const Attention *a = t->a;
    const int64_t first = a->mask.causal ? a->keys - FEW + 1 - t->j0 : t->keys;
    if (first >= t->keys)
        return t->keys;
    return first > 0 ? first / TILE_ROWS * TILE_ROWS : 0;
}

/* How the products of weights with an operand are computed, for each group of TILE_ROWS queries or
 * keys. Row r has at most first + r * step weights that are not 0, and at most `most`: zeros are
 * not rounded, so that its error relative to its sum is that of absmax sqrt(count) / sum. False
 * where floats have to do it, also for a weight that is out of range. */
static bool weights_modes(uint8_t *mode, const float *absmax, const float *sum, int64_t rows,
                          int64_t first, int64_t step, int64_t most, float operand)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512 zero = _mm512_setzero_ps();
    float widest = operand / sqrtf((float)most);
    for (int64_t r = 0; r < rows; r += TILE_ROWS) {
        const __mmask16 there = first_lanes(rows - r);
        const __m512 largest = _mm512_maskz_loadu_ps(there, absmax + r);
        const __m512 total = _mm512_maskz_loadu_ps(there, sum + r);
        if (_mm512_cmp_ps_mask(largest, _mm512_set1_ps(0x1p100f), _CMP_NLT_UQ))
            return false;
        const __m512i seen =
            _mm512_add_epi32(_mm512_set1_epi32((int)(first + r * step)),
                             _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)step)));
        const __m512 count =
            _mm512_cvtepi32_ps(_mm512_min_epi32(seen, _mm512_set1_epi32((int)most)));
        const __mmask16 counts = there & _mm512_cmp_ps_mask(total, zero, _CMP_GT_OQ) &
                                 _mm512_cmp_ps_mask(count, zero, _CMP_GT_OQ);
        const float spread = _mm512_reduce_max_ps(
            _mm512_maskz_div_ps(counts, _mm512_mul_ps(largest, _mm512_maskz_sqrt_ps(counts, count)),
                                total));
        widest = spread > widest ? spread : widest;
        mode[r / TILE_ROWS] = spread * operand <= FAST_WEIGHTS ? INT8_FAST : INT8_FULL;
    }
    return widest <= FULL_SPREAD;
}

/* ---- the products ---------------------------------------------------------------------------- */

/* to (keys, queries), 32 keys at a time. On the diagonal, a panel of keys begins with the first
 * group of 16 queries that sees its first key. */
bool amx_attention_dots(Tile *t, float *to, Operand rows)
{
    if (!attention_uses_int8(t))
        return false;
    const SlicedOperand *a = sliced_operand(t, rows, ALONG_DEPTH);
    const SlicedOperand *b = sliced_operand(t, rows == OF_K ? OF_Q : OF_OUT_GRAD, ALONG_DEPTH);
    if (!a || !b)
        return false;
    const Int8Mode mode = mode_of_dots(a->spread, b->spread, t->operand[rows].n);
    if (mode == INT8_INEXACT)
        return false;
    int64_t next = int8_group_bytes(t->operand[rows].n);
    Int8Product p = {.steps = t->operand[rows].n,
                     .next = next,
                     .c_row = t->tile,
                     .c_column = 1,
                     .overlapped = &t->s->packing,
                     .mode_of_half = {mode, mode}};
    for (int64_t j = 0; j < t->keys; j += PANEL) {
        int64_t first = j > t->diagonal ? (j - t->diagonal) / TILE_ROWS * TILE_ROWS : 0;
        if (first >= t->padded_queries)
            break;
        p.m = t->keys - j < PANEL ? t->keys - j : PANEL;
        p.n = t->padded_queries - first;
        p.a = a->bytes + j / TILE_ROWS * next;
        p.a_scale = a->scale + j;
        p.b = b->bytes + first / TILE_ROWS * next;
        p.b_scale = b->scale + first;
        p.c = to + j * t->tile + first;
        amx_multiply_int8(&p);
    }
    return true;
}

/* out (n, queries) (+)= m^T (n, keys) w (keys, queries), 32 queries at a time, each with the keys
 * that it sees. The weights are B, sliced once for all panels of channels. */
int64_t amx_attention_to_queries(Tile *t, const Weights *w, Operand m, const Out *out, bool add)
{
    const SlicedOperand *a =
        out->row == 1 && attention_uses_int8(t) ? sliced_operand(t, m, ALONG_ROWS) : NULL;
    uint8_t mode[TILE / TILE_ROWS];
    if (!a || !weights_modes(mode, w->query_absmax, w->query_sum, t->queries, t->diagonal + 1, 1,
                             t->keys, a->spread))
        return t->queries;
    const int64_t few = queries_of_few(t);
    if (few == t->queries)
        return few;
    Int8Product p = {.next = int8_group_bytes(t->operand[m].rows),
                     .b = t->s->weights,
                     .b_scale = t->s->weights_scale,
                     .c_row = out->column,
                     .c_column = 1,
                     .from_row = out->column,
                     .from_column = 1,
                     .overlapped = &t->s->packing};
    for (int64_t q = few, end; q < t->padded_queries; q = end) {
        end = q - q % PANEL + PANEL < t->padded_queries ? q - q % PANEL + PANEL : t->padded_queries;
        int64_t seen = end + t->diagonal;
        p.mode[0] = p.mode[1] = mode + q / TILE_ROWS;
        p.n = end - q;
        p.steps = seen < 0 ? 0 : seen < t->keys ? seen : t->keys;
        if (p.steps == 0 && add)
            continue;
        slice_weights(t, SIDE_B, w->at + q, w->query_absmax + q, 1, t->tile, p.n, p.steps, p.next);
        for (int64_t c = 0; c < t->operand[m].n; c += PANEL) {
            p.m = t->operand[m].n - c < PANEL ? t->operand[m].n - c : PANEL;
            p.a = a->bytes + c / TILE_ROWS * p.next;
            p.a_scale = a->scale + c;
            p.c = out->x + c * out->column + q;
            p.from = add ? p.c : NULL;
            amx_multiply_int8(&p);
        }
    }
    return few;
}

/* c (keys, n) += w (keys, queries) m (queries, n), 32 keys at a time. The queries before a key's
 * diagonal are skipped in whole registers of 64. */
int64_t amx_attention_to_keys(Tile *t, const Weights *w, Operand m, float *c, int64_t c_row)
{
    const SlicedOperand *b = attention_uses_int8(t) ? sliced_operand(t, m, ALONG_ROWS) : NULL;
    uint8_t mode[TILE / TILE_ROWS];
    if (!b || !weights_modes(mode, w->key_absmax, w->key_sum, t->keys, t->queries + t->diagonal, -1,
                             t->queries, b->spread))
        return 0;
    const int64_t few = keys_of_few(t);
    Int8Product p = {.n = t->operand[m].n,
                     .next = int8_group_bytes(t->queries),
                     .a = t->s->weights,
                     .a_scale = t->s->weights_scale,
                     .b_scale = b->scale,
                     .c_row = c_row,
                     .c_column = 1,
                     .from_row = c_row,
                     .from_column = 1,
                     .overlapped = &t->s->packing};
    for (int64_t j = 0; j < few; j += PANEL) {
        int64_t hidden = j > t->diagonal ? j - t->diagonal : 0;
        int64_t first = hidden / INT8_STEPS * INT8_STEPS;
        p.mode_of_half[0] = (Int8Mode)mode[j / TILE_ROWS];
        p.mode_of_half[1] = (Int8Mode)mode[j / TILE_ROWS + (j + TILE_ROWS < few)];
        p.m = few - j < PANEL ? few - j : PANEL;
        p.steps = t->queries - first;
        p.b = b->bytes + first / INT8_STEPS * INT8_GROUP_BYTES;
        p.c = c + j * c_row;
        p.from = p.c;
        if (p.steps <= 0)
            continue;
        slice_weights(t, SIDE_A, w->at + j * t->tile + first, w->key_absmax + j, t->tile, 1, p.m,
                      p.steps, p.next);
        amx_multiply_int8(&p);
    }
    return few;
}
