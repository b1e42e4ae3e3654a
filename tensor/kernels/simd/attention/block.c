/* block.c: a tile of attention: what stands where, what is seen, and its products. See
 * kernels/simd/attention/attention.h for the picture. */
#include "tensor/kernels/simd/attention/attention.h"
#include "tensor/kernels/simd/philox.h"

/* ---- taking up queries and keys ---------------------------------------------------------------------- */

Tile FAST(attention_tile)(const Attention *a, const AttentionGrad *g, int64_t z)
{
    int64_t b = z / a->heads, h = z % a->heads, kv = attention_kv_head(a, h);
    return (Tile){
        .a = a,
        .g = g,
        .s = scratch_part(a->scratch),
        .z = z,
        .tile = FAST(attention_tile_size)(a),
        .q_offset = b * a->q_stride[0] + h * a->q_stride[1],
        .k_offset = b * a->k_stride[0] + kv * a->k_stride[1],
        .v_offset = b * a->v_stride[0] + kv * a->v_stride[1],
        .out_offset = (b * a->queries * a->heads + h) * a->dv,
    };
}

int64_t FAST(attention_tile_size)(const Attention *a)
{
    int64_t depth = round_up(a->d > a->dv ? a->d : a->dv), tile = TILE;
#ifdef TILE_UNIT
    if (!amx_attention_pays(a))
        tile = TILE / 2;
#endif
    int64_t most = a->queries > a->keys ? a->queries : a->keys;
    while (tile * depth > PLACE || (tile > W && tile / 2 >= most))
        tile /= 2;
    return tile;
}

int64_t FAST(attention_cost)(const Attention *a, int64_t queries, int64_t products)
{
    return queries * (a->keys + 8) * (products * (a->d + a->dv) / 16 + 4);
}

/* Copied where a row is not whole vectors, or where rows push each other out of the nearest cache: a line's
 * place there is its address modulo 4096. */
const Strip *FAST(attention_near)(Tile *t, Operand operand)
{
    Strip *s = &t->strip[operand];
    int64_t width = round_up(s->n);
    if (s->near || (width == s->n && s->stride % 256 != 0))
        return s;
    float *place = t->s->near[operand];
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t c = 0; c < width; c += W)
            store(place + r * width + c, load_some(s->x + r * s->stride + c, s->n - c, 0));
    s->x = place;
    s->stride = width;
    s->near = true;
    return s;
}

const float *FAST(attention_turned)(Tile *t, Operand operand)
{
    Strip *s = &t->strip[operand];
    float *to = t->s->turned[operand];
    Vector scale = splat(operand == OF_Q ? t->a->scale : 1);
    if (s->turned)
        return to;
    for (int64_t c = 0; c < s->n; c += W)
        for (int64_t r = 0; r < t->across; r += W)
            turn(to + c * t->tile + r, t->tile, s->x + r * s->stride + c, s->stride, s->rows - r,
                 s->n - c < W ? s->n - c : W);
    for (int64_t c = 0; operand == OF_Q && c < s->n; c++)
        for (int64_t r = 0; r < t->across; r += W)
            store(to + c * t->tile + r, load(to + c * t->tile + r) * scale);
    s->turned = true;
    return to;
}

void FAST(attention_take_queries)(Tile *t, int64_t i0, const float *up)
{
    const Attention *a = t->a;
    const KernelMask *mask = &a->mask;
    t->i0 = i0;
    t->queries = a->queries - i0 < t->tile ? a->queries - i0 : t->tile;
    t->across = round_up(t->queries);
    t->last = a->keys;
    if (mask->lengths && mask->lengths[t->z / mask->heads] < t->last)
        t->last = mask->lengths[t->z / mask->heads];
    int64_t diagonal = i0 + t->queries + a->keys - a->queries;
    if (mask->causal && diagonal < t->last)
        t->last = diagonal;
    t->strip[OF_Q] = (Strip){.x = a->q + t->q_offset + i0 * a->q_stride[2],
                             .stride = a->q_stride[2],
                             .rows = t->queries,
                             .n = a->d};
    t->strip[OF_UP] = (Strip){.x = up, .stride = a->heads * a->dv, .rows = t->queries, .n = a->dv};
#ifdef TILE_UNIT
    amx_attention_takes_queries(t);
#endif
}

/* ---- what queries receive ------------------------------------------------------------------------------- */

Out FAST(attention_out)(const Tile *t, int64_t n)
{
#ifdef TILE_UNIT
    if (amx_attention_turns(t))
        return (Out){t->s->out, 1, t->tile, n};
#endif
    return (Out){t->s->out, round_up(n), 1, n};
}

/* W queries from q on, turned back. */
static const float *turned_back(const Out *out, int64_t q, int64_t c, float *block)
{
    if (out->column == 1)
        return out->x + q * out->row + c;
    turn(block, W, out->x + c * out->column + q, out->column, out->n - c, W);
    return block;
}

void FAST(attention_put_out)(const Tile *t, const Out *out, float *to, int64_t row,
                             const float *times)
{
    float block[W * W];
    int64_t from_row = out->column == 1 ? out->row : W;
    for (int64_t q = 0; q < t->queries; q += W)
        for (int64_t c = 0; c < out->n; c += W) {
            const float *from = turned_back(out, q, c, block);
            for (int64_t r = 0; r < W && q + r < t->queries; r++) {
                float *at = to + (q + r) * row + c;
                Vector v = load(from + r * from_row);
                v = times ? v * times[q + r] : v + load_some(at, out->n - c, 0);
                store_some(at, v, out->n - c);
            }
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
    int64_t there = a->keys - j0 < t->tile ? a->keys - j0 : t->tile;
    t->strip[OF_K] = (Strip){.x = a->k + t->k_offset + j0 * a->k_stride[2],
                             .stride = a->k_stride[2],
                             .rows = there,
                             .n = a->d};
    t->strip[OF_V] = (Strip){.x = a->v + t->v_offset + j0 * a->v_stride[2],
                             .stride = a->v_stride[2],
                             .rows = there,
                             .n = a->dv};
#ifdef TILE_UNIT
    amx_attention_takes_keys(t);
#endif
    return true;
}

/* Lengths have been seen to by `last`. What the diagonal hides has no score yet. */
static void mask_scores(const Tile *t)
{
    float *s = t->s->s.at;
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

void FAST(attention_scores)(Tile *t)
{
    FAST(attention_dots)(t, t->s->s.at, OF_K);
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
