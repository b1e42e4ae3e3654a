/* kernels_fast_attention_tile.c: a tile of attention: what stands where, what is seen, and its products. See
 * kernels_fast_attention.h for the picture. */
#include "tensor/kernels_fast_attention.h"
#include "tensor/kernels_fast_random.h"

/* ---- taking up queries and keys ---------------------------------------------------------------------- */

Tile FAST(attention_tile)(const Attention *a, const AttentionGrad *g, int64_t z)
{
    int64_t b = z / a->heads, h = z % a->heads;
    return (Tile){
        .a = a,
        .g = g,
        .s = room_part(a->room),
        .z = z,
        .tile = FAST(attention_tile_size)(a),
        .depth = round_up(a->d),
        .depth_v = round_up(a->dv),
        .q_offset = b * a->q_stride[0] + h * a->q_stride[1],
        .k_offset = b * a->k_stride[0] + h * a->k_stride[1],
        .v_offset = b * a->v_stride[0] + h * a->v_stride[1],
        .out_offset = (b * a->queries * a->heads + h) * a->dv,
    };
}

int64_t FAST(attention_tile_size)(const Attention *a)
{
    int64_t depth = round_up(a->d > a->dv ? a->d : a->dv), tile = TILE;
    while (tile * depth > PLACE)
        tile /= 2;
    return tile;
}

int64_t FAST(attention_cost)(const Attention *a, int64_t queries, int64_t products)
{
    return queries * (a->keys + 8) * (products * (a->d + a->dv) / 16 + 4);
}

/* Copied where a row is not whole vectors, or where rows push each other out of the nearest cache: a line's
 * place there is its address modulo 4096. */
Strip FAST(attention_strip)(const Tile *t, Operand operand, float *place, const float *x,
                            int64_t stride, int64_t rows, int64_t n)
{
    attention_brings(t, operand);
    int64_t width = round_up(n);
    if (width == n && stride % 256 != 0)
        return (Strip){x, stride, operand};
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < width; c += W)
            store(place + r * width + c, load_some(x + r * stride + c, n - c, 0));
    return (Strip){place, width, operand};
}

void FAST(attention_turn)(const Tile *t, float *to, const float *x, int64_t stride, int64_t n)
{
    for (int64_t c = 0; c < n; c += W)
        for (int64_t r = 0; r < t->across; r += W)
            turn(to + c * t->tile + r, t->tile, x + r * stride + c, stride, t->queries - r,
                 n - c < W ? n - c : W);
}

void FAST(attention_take_queries)(Tile *t, int64_t i0)
{
    const Attention *a = t->a;
    const KernelMask *mask = &a->mask;
    const float *q = a->q + t->q_offset + i0 * a->q_stride[2];
    attention_brings(t, OF_Q);
    t->i0 = i0;
    t->queries = a->queries - i0 < t->tile ? a->queries - i0 : t->tile;
    t->across = round_up(t->queries);
    t->last = a->keys;
    if (mask->lengths && mask->lengths[t->z / mask->heads] < t->last)
        t->last = mask->lengths[t->z / mask->heads];
    int64_t diagonal = i0 + t->queries + a->keys - a->queries;
    if (mask->causal && diagonal < t->last)
        t->last = diagonal;
    FAST(attention_turn)(t, t->s->q_turned, q, a->q_stride[2], a->d);
    for (int64_t c = 0; c < a->d; c++)
        for (int64_t i = 0; i < t->across; i += W) {
            float *at = t->s->q_turned + c * t->tile + i;
            store(at, load(at) * a->scale);
        }
}

/* ---- what is seen ------------------------------------------------------------------------------------- */

/* The distance that a window reaches to either side. */
static int64_t reach(const KernelMask *mask)
{
    return mask->window * mask->dilation;
}

/* Is every key of the tile beyond every query's window? */
static bool out_of_window(const Tile *t)
{
    const KernelMask *mask = &t->a->mask;
    int64_t at = t->i0 + t->a->keys - t->a->queries; /* the first query's place among the keys */
    if (mask->window <= 0 || t->j0 < mask->global || at < mask->global)
        return false;
    return t->j0 + t->keys <= at - reach(mask) || t->j0 > at + t->queries - 1 + reach(mask);
}

/* Does a window hide nothing of the tile? */
static bool inside_window(const Tile *t)
{
    const KernelMask *mask = &t->a->mask;
    int64_t at = t->i0 + t->a->keys - t->a->queries;
    return mask->window <= 0 ||
           (mask->dilation == 1 && t->j0 >= at + t->queries - 1 - mask->window &&
            t->j0 + t->keys - 1 <= at + mask->window);
}

bool FAST(attention_take_keys)(Tile *t, int64_t j0)
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
    t->k = FAST(attention_strip)(t, OF_K, t->s->k, a->k + t->k_offset + j0 * a->k_stride[2],
                                 a->k_stride[2], t->keys, a->d);
    t->v = FAST(attention_strip)(t, OF_V, t->s->v, a->v + t->v_offset + j0 * a->v_stride[2],
                                 a->v_stride[2], t->keys, a->dv);
    return true;
}

/* Lengths have been seen to by `last`. What the diagonal hides has no score yet. */
static void mask_scores(const Tile *t)
{
    float *s = t->s->s;
    Vector place = {0};
    for (int l = 0; l < W; l++)
        place[l] = (float)l;
    for (int64_t j = 0; t->diagonal < TILE && j < t->keys; j++) {
        int64_t first = j - t->diagonal; /* the first query that sees key j */
        for (int64_t q = 0; q < t->across && q < first; q += W) {
            float *at = s + j * t->tile + q;
            store(at, choose(place < (float)(first - q), splat(-INFINITY), load(at)));
        }
    }
    for (int64_t j = 0; t->masked && j < t->keys; j++)
        for (int64_t q = 0; q < t->queries; q++)
            if (!attention_sees(t, q, j))
                s[j * t->tile + q] = -INFINITY;
}

void FAST(attention_scores)(const Tile *t)
{
    FAST(attention_dots)(t, t->s->s, t->k, t->a->d, t->s->q_turned);
    mask_scores(t);
}

/* ---- dropout ------------------------------------------------------------------------------------------------ */

/* Of W queries from q on, by the rule of kernel_keeps: the numbers of a query come in order along its keys, from
 * wherever in a block of four its first one stands, and are turned to stand along the queries. */
static void keep_queries(const Tile *t, int64_t q)
{
    const Attention *a = t->a;
    const Dropout d = {a->seed, a->stream, a->dropout};
    const float kept = 1 / (1 - a->dropout);
    float rows[W][TILE + 5 * W];
    for (int64_t r = 0; r < W && q + r < t->queries; r++) {
        uint64_t place = (uint64_t)((t->z * a->queries + t->i0 + q + r) * a->keys + t->j0);
        int64_t before = (int64_t)(place % 4);
        for (int64_t j = 0; j < before + t->keys; j += 4 * W) {
            Words numbers[4];
            random_words(&d, (place - (uint64_t)before + (uint64_t)j) / 4, numbers);
            for (int v = 0; v < 4; v++)
                store(rows[r] + j + v * W,
                      choose(words_keep(&d, numbers[v]), splat(kept), (Vector){0}));
        }
        memmove(rows[r], rows[r] + before, (size_t)t->keys * sizeof **rows);
    }
    int64_t left = t->queries - q < W ? t->queries - q : W;
    for (int64_t j = 0; j < t->keys; j += W)
        turn(t->s->keep + j * t->tile + q, t->tile, rows[0] + j, TILE + 5 * W, left,
             t->keys - j < W ? t->keys - j : W);
}

void FAST(attention_keep)(const Tile *t)
{
    for (int64_t q = 0; q < t->queries; q += W)
        keep_queries(t, q);
}
