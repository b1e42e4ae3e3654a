/* block.c: a tile of attention: its operands, its masks and its dropout.
 * kernels/simd/attention/attention.h has the picture.
 *
 * A tile of queries is set once (attention_set_queries) and meets one tile of keys after another
 * (attention_set_keys); copies and transposes of an operand are made when a product first asks for
 * them and stay valid until the operand's tile is replaced. */
#include "tensor/kernels/simd/attention/attention.h"
#include "tensor/kernels/simd/philox.h"

/* ---- the operands of a tile ------------------------------------------------------------------ */

/* The tile of matrix z = (batch, head), with no queries or keys yet. Offsets locate the matrix in
 * Q, K, V and O; grouped heads share K and V. The scratch memory is the calling thread's; a Tile
 * must not pass from one thread to another. */
Tile ISA_NAME(attention_tile)(const Attention *a, const AttentionGrad *g, int64_t z)
{
    int64_t b = z / a->heads, h = z % a->heads, kv = attention_kv_head(a, h);
    return (Tile){
        .a = a,
        .g = g,
        .s = scratch_part(a->scratch),
        .z = z,
        .tile = ISA_NAME(attention_tile_size)(a),
        .q_offset = b * a->q_stride[0] + h * a->q_stride[1],
        .k_offset = b * a->k_stride[0] + kv * a->k_stride[1],
        .v_offset = b * a->v_stride[0] + kv * a->v_stride[1],
        .out_offset = (b * a->queries * a->heads + h) * a->dv,
    };
}

/* Halves the tile until an operand fits into TILE_FLOATS, and further while half of it holds the
 * longer sequence: a short sequence should not compute padding. */
int64_t ISA_NAME(attention_tile_size)(const Attention *a)
{
    int64_t depth = round_up(a->d > a->dv ? a->d : a->dv), tile = TILE;
    int64_t most = a->queries > a->keys ? a->queries : a->keys;
    while (tile * depth > TILE_FLOATS || (tile > W && tile / 2 >= most))
        tile /= 2;
    return tile;
}

/* Per pair of query and key: `products` sums over d and dv elements, 16 multiply-adds counting as
 * one elementary operation, and about 4 operations of the softmax. Eight keys more stand for what
 * each query costs by itself. */
int64_t ISA_NAME(attention_cost)(const Attention *a, int64_t queries, int64_t products)
{
    return queries * (a->keys + 8) * (products * (a->d + a->dv) / 16 + 4);
}

/* Copies where a row is not whole vectors, or where rows evict
 * each other from the first-level cache, in which the set of a line is its address modulo 4096. */
const TileOperand *ISA_NAME(attention_contiguous)(Tile *t, Operand which)
{
    TileOperand *s = &t->operand[which];
    int64_t width = round_up(s->n);
    if (s->contiguous || (width == s->n && s->stride % 256 != 0))
        return s;
    float *copy = t->s->contiguous[which];
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t c = 0; c < width; c += W)
            store(copy + r * width + c, load_partial(s->x + r * s->stride + c, s->n - c, 0));
    s->x = copy;
    s->stride = width;
    s->contiguous = true;
    return s;
}

/* (n, queries), rows of t->tile floats. Lanes of queries beyond the last receive zeros. Q is
 * multiplied by the scale of the scores here, once for each tile instead of once for each score. */
const float *ISA_NAME(attention_transposed)(Tile *t, Operand which)
{
    TileOperand *s = &t->operand[which];
    float *to = t->s->transposed[which];
    Vector scale = fill_lanes(which == OF_Q ? t->a->scale : 1);
    if (s->transposed)
        return to;
    for (int64_t c = 0; c < s->n; c += W)
        for (int64_t r = 0; r < t->padded_queries; r += W)
            transpose(to + c * t->tile + r, t->tile, s->x + r * s->stride + c, s->stride,
                      s->rows - r, s->n - c < W ? s->n - c : W);
    for (int64_t c = 0; which == OF_Q && c < s->n; c++)
        for (int64_t r = 0; r < t->padded_queries; r += W)
            store(to + c * t->tile + r, load(to + c * t->tile + r) * scale);
    s->transposed = true;
    return to;
}

void ISA_NAME(attention_set_queries)(Tile *t, int64_t i0, const float *up)
{
    const Attention *a = t->a;
    t->i0 = i0;
    t->queries = a->queries - i0 < t->tile ? a->queries - i0 : t->tile;
    t->padded_queries = round_up(t->queries);
    t->last = attention_last_key(a, t->z, i0 + t->queries);
    t->operand[OF_Q] = (TileOperand){.x = a->q + t->q_offset + i0 * a->q_stride[2],
                                     .stride = a->q_stride[2],
                                     .rows = t->queries,
                                     .n = a->d};
    t->operand[OF_OUT_GRAD] =
        (TileOperand){.x = up, .stride = a->heads * a->dv, .rows = t->queries, .n = a->dv};
}

/* ---- the mask -------------------------------------------------------------------------------- */

/* Is every key of the tile outside every query's window?
 * Global tokens see all and are seen by all, so that their tiles are never skipped. */
static bool out_of_window(const Tile *t)
{
    const KernelMask *mask = &t->a->mask;
    int64_t at = t->i0 + t->a->keys - t->a->queries; /* the first query's position among the keys */
    int64_t reach = mask->window * mask->dilation;
    if (mask->window <= 0 || t->j0 < mask->global || at < mask->global)
        return false;
    return t->j0 + t->keys <= at - reach || t->j0 > at + t->queries - 1 + reach;
}

/* Does the window hide nothing of the tile?
 * Then no pair needs a test. */
static bool inside_window(const Tile *t)
{
    const KernelMask *mask = &t->a->mask;
    int64_t at = t->i0 + t->a->keys - t->a->queries;
    return mask->window <= 0 ||
           (mask->dilation == 1 && t->j0 >= at + t->queries - 1 - mask->window &&
            t->j0 + t->keys - 1 <= at + mask->window);
}

bool ISA_NAME(attention_set_keys)(Tile *t, int64_t j0)
{
    const Attention *a = t->a;
    t->j0 = j0;
    t->keys = t->last - j0 < t->tile ? t->last - j0 : t->tile;
    t->diagonal = TILE;
    if (t->keys <= 0 || out_of_window(t))
        return false;
    int64_t diagonal = t->i0 + a->keys - a->queries - j0;
    if (a->mask.causal && diagonal < t->keys - 1)
        t->diagonal = diagonal;
    t->masked = a->mask.keep || !inside_window(t);
    int64_t there = a->keys - j0 < t->tile ? a->keys - j0 : t->tile;
    t->operand[OF_K] = (TileOperand){.x = a->k + t->k_offset + j0 * a->k_stride[2],
                                     .stride = a->k_stride[2],
                                     .rows = there,
                                     .n = a->d};
    t->operand[OF_V] = (TileOperand){.x = a->v + t->v_offset + j0 * a->v_stride[2],
                                     .stride = a->v_stride[2],
                                     .rows = there,
                                     .n = a->dv};
    return true;
}

/* `last` already accounts for lengths. The scores above the diagonal have not been computed.
 * First the diagonal of a causal mask, with vectors; then, where the mask has other conditions,
 * every pair by itself. */
static void mask_scores(const Tile *t)
{
    float *s = t->s->s;
    Vector lane = {0};
    for (int l = 0; l < W; l++)
        lane[l] = (float)l;
    for (int64_t j = 0; t->diagonal < TILE && j < t->keys; j++) {
        int64_t first = j - t->diagonal; /* the first query that sees key j */
        for (int64_t q = 0; q < t->padded_queries && q < first; q += W) {
            float *at = s + j * t->tile + q;
            store(at, select_lanes(lane < (float)(first - q), fill_lanes(-INFINITY), load(at)));
        }
    }
    for (int64_t j = 0; t->masked && j < t->keys; j++)
        for (int64_t q = 0; q < t->queries; q++)
            if (!attention_sees(t, q, j))
                s[j * t->tile + q] = -INFINITY;
}

/* Without a mask on this tile, mask_scores does nothing. */
void ISA_NAME(attention_scores)(Tile *t)
{
    ISA_NAME(attention_dots)(t, t->s->s, OF_K);
    mask_scores(t);
}

/* ---- dropout --------------------------------------------------------------------------------- */

/* The dropout factors of W queries from q on, by the rule of kernel_keeps. The random numbers of a
 * query are consecutive along its keys and may begin inside a block of four; they are transposed to
 * stand along the queries. The numbers before the first key are discarded by memmove. */
static void query_dropout_factors(const Tile *t, int64_t q)
{
    const Attention *a = t->a;
    const Dropout d = {a->seed, a->stream, a->dropout};
    const float kept = 1 / (1 - a->dropout);
    float rows[W][TILE + 5 * W];
    for (int64_t r = 0; r < W && q + r < t->queries; r++) {
        uint64_t first = (uint64_t)((t->z * a->queries + t->i0 + q + r) * a->keys + t->j0);
        int64_t before = (int64_t)(first % 4);
        for (int64_t j = 0; j < before + t->keys; j += 4 * W) {
            Uint32Lanes numbers[4];
            philox_numbers(&d, (first - (uint64_t)before + (uint64_t)j) / 4, numbers);
            for (int v = 0; v < 4; v++)
                store(rows[r] + j + v * W,
                      select_lanes(philox_keeps(&d, numbers[v]), fill_lanes(kept), (Vector){0}));
        }
        memmove(rows[r], rows[r] + before, (size_t)t->keys * sizeof **rows);
    }
    int64_t left = t->queries - q < W ? t->queries - q : W;
    for (int64_t j = 0; j < t->keys; j += W)
        transpose(t->s->dropout_factor + j * t->tile + q, t->tile, rows[0] + j, TILE + 5 * W, left,
                  t->keys - j < W ? t->keys - j : W);
}

/* dropout_factor (keys, queries) of the tile, the same numbers in forward and in backward. */
void ISA_NAME(attention_dropout_factors)(const Tile *t)
{
    for (int64_t q = 0; q < t->queries; q += W)
        query_dropout_factors(t, q);
}
