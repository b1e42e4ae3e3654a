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
Strip FAST(attention_strip)(float *place, const float *x, int64_t stride, int64_t rows, int64_t n)
{
    int64_t width = round_up(n);
    if (width == n && stride % 256 != 0)
        return (Strip){x, stride};
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < width; c += W)
            store(place + r * width + c, load_some(x + r * stride + c, n - c, 0));
    return (Strip){place, width};
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
    for (int64_t i = 0; i < a->d * t->tile; i += W)
        store(t->s->q_turned + i, load(t->s->q_turned + i) * a->scale);
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

bool FAST(attention_strip_is_tame)(Strip x, int64_t rows, int64_t n)
{
    Vector some = {0};
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < n; c += W) {
            Vector v = load_some(x.x + r * x.stride + c, n - c, 0);
            some += v - v; /* 0, or NaN of a NaN or an infinity */
        }
    return lanes_sum(some) == 0;
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
    t->k = FAST(attention_strip)(t->s->k, a->k + t->k_offset + j0 * a->k_stride[2], a->k_stride[2],
                                 t->keys, a->d);
    t->v = FAST(attention_strip)(t->s->v, a->v + t->v_offset + j0 * a->v_stride[2], a->v_stride[2],
                                 t->keys, a->dv);
    t->wild =
        (t->masked || t->diagonal < TILE) && !(FAST(attention_strip_is_tame)(t->k, t->keys, a->d) &&
                                               FAST(attention_strip_is_tame)(t->v, t->keys, a->dv));
    return true;
}

static bool sees(const Tile *t, int64_t q, int64_t j)
{
    return mask_keeps(&t->a->mask, t->z, t->i0 + q, t->j0 + j, t->a->queries, t->a->keys);
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
            if (!sees(t, q, j))
                s[j * t->tile + q] = -INFINITY;
}

/* ---- products --------------------------------------------------------------------------------------------- */

void FAST(attention_dots)(const Tile *t, float *to, Strip x, int64_t n, const float *turned)
{
    Product p = {.k = n,
                 .a = x.x,
                 .a_row = x.stride,
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
        p.a_next = tile_height(p.m) * x.stride;
        FAST(kernels_product)(&p);
    }
}

void FAST(attention_scores)(const Tile *t)
{
    FAST(attention_dots)(t, t->s->s, t->k, t->a->d, t->s->q_turned);
    mask_scores(t);
}

/* Element by element, where 0 times what is hidden would not be 0. */
static void wild_product(const Tile *t, const float *w, Strip m, int64_t n, float *c, int64_t c_row,
                         bool to_keys)
{
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t q = 0; q < t->queries; q++) {
            float number = w[j * t->tile + q], *to = c + (to_keys ? j : q) * c_row;
            const float *from = m.x + (to_keys ? q : j) * m.stride;
            for (int64_t i = 0; sees(t, q, j) && i < n; i++)
                to[i] += number * from[i];
        }
}

void FAST(attention_to_queries)(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                                int64_t c_row, bool add)
{
    if (t->wild) {
        for (int64_t q = 0; !add && q < t->queries; q++)
            memset(c + q * c_row, 0, (size_t)n * sizeof *c);
        wild_product(t, w, m, n, c, c_row, false);
        return;
    }
    /* Of a diagonal tile, rows are taken by the tile of registers, each with the keys that it sees. */
    int64_t rows = t->diagonal < TILE ? tile_height(t->queries) : t->queries;
    for (int64_t q = 0; q < t->queries; q += rows) {
        Product p = {.m = t->queries - q < rows ? t->queries - q : rows,
                     .n = n,
                     .a = w + q,
                     .a_row = 1,
                     .a_step = t->tile,
                     .a_next = tile_height(t->queries),
                     .b = m.x,
                     .b_step = m.stride,
                     .b_next = NR,
                     .c = c + q * c_row,
                     .c_row = c_row,
                     .c_column = 1,
                     .from = add ? c + q * c_row : NULL,
                     .from_row = c_row,
                     .from_column = 1};
        int64_t seen = q + p.m + t->diagonal;
        p.k = seen < 0 ? 0 : seen < t->keys ? seen : t->keys;
        if (p.k > 0 || !add)
            FAST(kernels_product)(&p);
    }
}

void FAST(attention_to_keys)(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                             int64_t c_row)
{
    if (t->wild) {
        wild_product(t, w, m, n, c, c_row, true);
        return;
    }
    int64_t rows = t->diagonal < TILE ? tile_height(t->keys) : t->keys;
    for (int64_t j = 0; j < t->keys; j += rows) {
        int64_t first = t->diagonal < TILE && j > t->diagonal ? j - t->diagonal : 0;
        Product p = {.m = t->keys - j < rows ? t->keys - j : rows,
                     .n = n,
                     .k = t->queries - first,
                     .a = w + j * t->tile + first,
                     .a_row = t->tile,
                     .a_step = 1,
                     .a_next = tile_height(t->keys) * t->tile,
                     .b = m.x + first * m.stride,
                     .b_step = m.stride,
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
