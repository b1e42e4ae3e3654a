/* kernels_fast_attention.h: one tile of queries against one tile of keys (internal).
 *
 * Scores stand transposed, queries along the lanes, so that what softmax does along the keys goes down a
 * tile, with nothing to fold between lanes:
 *
 *             query 0 .. query 63                          c = 0 .. d-1
 *     key 0  |  s   s   s  ..  |               query 0    |  o  o  ..  |
 *     key 1  |  .   s   s  ..  |  down: max    query 1    |  o  o  ..  |    O = P V
 *     ..     |  .   .   s  ..  |  and sum      ..         |  ..        |
 *     key 63 |  .   .   .  ..  |               query 63   |            |
 *
 * On the diagonal of a causal mask the dots are never computed: neither score nor exp, nor the products that
 * would be zero. With a tile unit a tile has 128 of each, since operands are split once for their tile. */
#ifndef GRADUS_KERNELS_FAST_ATTENTION_H
#define GRADUS_KERNELS_FAST_ATTENTION_H

#include "tensor/kernels_fast_product.h"
/* The build defines TILE_UNIT for the set "amx". */
#ifdef TILE_UNIT
#include "tensor/kernels_amx.h"
#define WITH_TILE_UNIT(begin_or_end) begin_or_end()
#else
#define WITH_TILE_UNIT(begin_or_end)
#endif

/* Queries or keys in a tile: fewer where they are deep, so that a tile's numbers fit in PLACE. */
#ifdef TILE_UNIT
enum { TILE = 128, PLACE = TILE * 64, DEEPEST = PLACE / 16 };
#else
enum { TILE = 64, PLACE = TILE * 128, DEEPEST = PLACE / 16 };
#endif

/* The matrices that a tile of queries, and one of keys, bring. */
typedef enum { OF_Q, OF_UP, OF_K, OF_V, OPERANDS } Operand;

/* Where products are made of pieces (kernels_amx.h): each operand's, split when they are first wanted, along the depth
 * or step by step, and whether all are finite; and those of a panel of weights. */
#ifdef TILE_UNIT
typedef enum { AS_DEPTH, AS_STEPS, FORMS } Form;
enum { PLACE_BYTES = PLACE * 2 * PIECES, WEIGHT_BYTES = PANEL * TILE * 2 * PIECES };
#define ATTENTION_PIECES                                                             \
    unsigned char pieces[OPERANDS][FORMS][PLACE_BYTES] __attribute__((aligned(64))); \
    unsigned char weights[WEIGHT_BYTES] __attribute__((aligned(64)));                \
    bool split[OPERANDS][FORMS], tame[OPERANDS][FORMS];
#else
#define ATTENTION_PIECES
#endif

/* A thread's own. */
typedef struct {
    float q_turned[PLACE], g_turned[PLACE]; /* (d, queries): scale times Q, and dL/dO            */
    float q[PLACE], g[PLACE], k[PLACE],
        v[PLACE];     /* copies, where rows are not whole vectors in memory */
    float out[PLACE]; /* O so far */
    float s[TILE * TILE], dp[TILE * TILE], keep[TILE * TILE]; /* (keys, queries) */
    float max[TILE], total[TILE], shrink[TILE], lse[TILE], r[TILE];
    ATTENTION_PIECES
} __attribute__((aligned(64))) Scratch;
_Static_assert(sizeof(Scratch) <= KERNEL_ROOM, "KERNEL_ROOM is too small for attention");

/* Rows of numbers, `stride` apart, that may be read up to whole vectors. */
typedef struct {
    const float *x;
    int64_t stride;
    Operand operand;
} Strip;

typedef struct {
    const Attention *a;
    const AttentionGrad *g;
    Scratch *s;
    int64_t z, tile, depth, depth_v; /* depth: d, rounded up to whole vectors */
    int64_t q_offset, k_offset, v_offset, out_offset;
    int64_t i0, queries, across; /* across: queries, rounded up alike */
    int64_t j0, keys, last;      /* no query of the tile sees key `last` or a later one */
    int64_t
        diagonal; /* query q sees no key of the tile after q + diagonal; TILE where it sees all */
    bool masked;  /* there is more that the mask hides */
    Strip q, k, v, up;
} Tile;

/* An operand of the tile is another one now. */
static inline void attention_brings(const Tile *t, Operand operand)
{
#ifdef TILE_UNIT
    memset(t->s->split[operand], 0, sizeof t->s->split[operand]);
#else
    (void)t;
    (void)operand;
#endif
}

/* May query q of the tile see its key j? */
static inline bool attention_sees(const Tile *t, int64_t q, int64_t j)
{
    return mask_keeps(&t->a->mask, t->z, t->i0 + q, t->j0 + j, t->a->queries, t->a->keys);
}

static inline int64_t round_up(int64_t n)
{
    return (n + W - 1) / W * W;
}

/* The order in which tiles are taken: first, last, second, last but one, ... Under a causal mask the first meets
 * one tile of the others and the last all; so neighbours together cost the same, and threads get equal shares. */
static inline int64_t from_both_ends(int64_t item, int64_t tiles)
{
    return item % 2 == 0 ? item / 2 : tiles - 1 - item / 2;
}

Tile FAST(attention_tile)(const Attention *a, const AttentionGrad *g, int64_t z);
/* Queries in a tile, a power of 2 from 16 to TILE: a function of the shape alone. */
int64_t FAST(attention_tile_size)(const Attention *a);
/* What some queries cost against all keys, for parallel_grain. */
int64_t FAST(attention_cost)(const Attention *a, int64_t queries, int64_t products);

void FAST(attention_take_queries)(Tile *t, int64_t i0);
/* The rows of an operand, as they stand or copied to `place`. */
Strip FAST(attention_strip)(const Tile *t, Operand operand, float *place, const float *x,
                            int64_t stride, int64_t rows, int64_t n);
/* The same, turned: (n, rows). */
void FAST(attention_turn)(const Tile *t, float *to, const float *x, int64_t stride, int64_t n);
/* The keys from j0 on. False where no query of the tile sees any of them. */
bool FAST(attention_take_keys)(Tile *t, int64_t j0);

/* to (keys, queries) = x (keys, n) times turned (n, queries), as far as queries see keys. */
void FAST(attention_dots)(const Tile *t, float *to, Strip x, int64_t n, const float *turned);
/* Scores, -infinity where query and key may not meet. */
void FAST(attention_scores)(const Tile *t);
/* The factors 0 or 1 / (1 - p) of dropout. */
void FAST(attention_keep)(const Tile *t);
/* c (queries, n) (+)= w^T (queries, keys) m (keys, n);  c (keys, n) += w (keys, queries) m (queries, n) */
void FAST(attention_to_queries)(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                                int64_t c_row, bool add);
void FAST(attention_to_keys)(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                             int64_t c_row);

#ifdef TILE_UNIT
/* The same three in pieces. False, with nothing done, where they do not pay or a number is not finite. */
bool amx_attention_dots(const Tile *t, float *to, Strip x, int64_t n, const float *turned);
bool amx_attention_to_queries(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                              int64_t c_row, bool add);
bool amx_attention_to_keys(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                           int64_t c_row);
#endif

/* Forward, without tiles. False, with nothing done, where there are queries enough for tiles, or dropout. */
bool FAST(attention_few)(const Attention *a);

void FAST(attention_back)(const Attention *a, const AttentionGrad *g);

#endif
