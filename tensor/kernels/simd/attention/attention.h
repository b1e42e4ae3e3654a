/* attention.h: one tile of queries against one tile of keys (internal).
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
 * would be zero. With a tile unit a tile has 128 of each, since operands become digits once for their tile. */
#ifndef GRADUS_KERNELS_FAST_ATTENTION_H
#define GRADUS_KERNELS_FAST_ATTENTION_H

#include "tensor/kernels/simd/microkernel.h"
/* The build defines TILE_UNIT for the set "amx". */
#ifdef TILE_UNIT
#include "tensor/kernels/amx/tile_int8.h"
#endif

/* Queries or keys in a tile: fewer where they are deep, so that a tile's numbers fit in PLACE. */
#ifdef TILE_UNIT
enum { TILE = 128, PLACE = TILE * 64, DEEPEST = PLACE / 16 };
#else
enum { TILE = 64, PLACE = TILE * 128, DEEPEST = PLACE / 16 };
#endif

/* The matrices that a tile of queries, and one of keys, bring. */
typedef enum { OF_Q, OF_UP, OF_K, OF_V, OPERANDS } Operand;

/* Where products are made of digits (kernels/amx/tile_int8.h): an operand's, along the depth or step by step, made when
 * first wanted. Keys and values are met by every tile of queries of their matrix: so many tiles of them stay made, and
 * those behind them share one place. A tile of them has three: K and V along the depth, and one of both step by step
 * (forward V, backward K). */
#ifdef TILE_UNIT
typedef enum { AS_DEPTH, AS_STEPS, FORMS } Form;
enum { KEPT = 19, OF_QUERIES = 2 * FORMS, OF_KEYS = 3, PLACES = OF_QUERIES + (KEPT + 1) * OF_KEYS };
typedef struct {
    unsigned char bytes[PLACE * DIGITS] __attribute__((aligned(64)));
    float scale[TILE];
} Digits;
#define ATTENTION_DIGITS                                                       \
    Digits digits[PLACES];                                                     \
    bool made[PLACES], tame[PLACES];                                           \
    int64_t matrix; /* whose keys they are */                                  \
    unsigned char weights[PANEL * TILE * DIGITS] __attribute__((aligned(64))); \
    float weights_scale[PANEL];                                                \
    AmxDigits making;
#else
#define ATTENTION_DIGITS
#endif

/* Scores, weights or their gradients: (keys, queries). Digits are measured by the largest of each query and key; four
 * keys' are written at a time. */
typedef struct {
    float at[TILE * TILE];
    float of_queries[TILE], of_keys[TILE + 3];
} Weights;

/* A thread's own. */
typedef struct {
    float turned[2][PLACE];      /* (d, queries): scale times Q, and dL/dO */
    float near[OPERANDS][PLACE]; /* copies, where rows are not whole vectors in memory */
    float out[PLACE];            /* O so far */
    Weights s, dp;
    float keep[TILE * TILE]; /* (keys, queries) */
    float max[TILE], total[TILE], shrink[TILE], lse[TILE], r[TILE];
    ATTENTION_DIGITS
} __attribute__((aligned(64))) Scratch;
_Static_assert(sizeof(Scratch) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for attention");

/* An operand's rows as they stand, `stride` apart. A product of floats wants them near (attention_near), and what goes
 * along the queries turned (attention_turned): made when first wanted. */
typedef struct {
    const float *x;
    int64_t stride, rows, n;
    bool near, turned;
} Strip;

/* What queries receive, values or gradients: query q's number c is added up at x[q * row + c * column]. Where products
 * are made of digits, queries stand along the lanes here, too, so that their weights need not be turned. */
typedef struct {
    float *x;
    int64_t row, column, n;
} Out;

typedef struct {
    const Attention *a;
    const AttentionGrad *g;
    Scratch *s;
    int64_t z, tile;
    int64_t q_offset, k_offset, v_offset, out_offset;
    int64_t i0, queries, across; /* across: queries, rounded up alike */
    int64_t j0, keys, last;      /* no query of the tile sees key `last` or a later one */
    int64_t
        diagonal; /* query q sees no key of the tile after q + diagonal; TILE where it sees all */
    bool masked;  /* there is more that the mask hides */
    Strip strip[OPERANDS];
} Tile;

/* Are the tile's products made of digits? */
static inline bool attention_has_digits(const Tile *t)
{
#ifdef TILE_UNIT
    return t->tile == TILE && t->queries > PANEL && t->keys > PANEL;
#else
    (void)t;
    return false;
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

/* The tile of queries from i0 on; up: dL/dO of its matrix, or NULL where there is none. */
void FAST(attention_take_queries)(Tile *t, int64_t i0, const float *up);
/* The keys from j0 on. False where no query of the tile sees any of them. */
bool FAST(attention_take_keys)(Tile *t, int64_t j0);
/* An operand's rows, `stride` apart, that may be read up to whole vectors: as they stand or copied. */
const Strip *FAST(attention_near)(Tile *t, Operand operand);
/* Scale times Q, or dL/dO, turned: (n, queries). */
const float *FAST(attention_turned)(Tile *t, Operand operand);

/* to (keys, queries) = K (scale Q)^T, or V (dL/dO)^T, as far as queries see keys. */
void FAST(attention_dots)(Tile *t, float *to, Operand rows);
/* Scores, -infinity where query and key may not meet. */
void FAST(attention_scores)(Tile *t);
/* The factors 0 or 1 / (1 - p) of dropout. */
void FAST(attention_keep)(const Tile *t);
/* The place in the scratch for what the tile's queries receive, n numbers each. */
Out FAST(attention_out)(const Tile *t, int64_t n);
/* From there to rows in memory: times a number for each query, or added to what is there where `times` is NULL. */
void FAST(attention_put_out)(const Tile *t, const Out *out, float *to, int64_t row,
                             const float *times);
/* out (queries, n) (+)= w^T (queries, keys) m (keys, n);  c (keys, n) += w (keys, queries) m (queries, n) */
void FAST(attention_to_queries)(Tile *t, const Weights *w, Operand m, const Out *out, bool add);
void FAST(attention_to_keys)(Tile *t, const Weights *w, Operand m, float *c, int64_t c_row);

#ifdef TILE_UNIT
/* Are digits worth it, and so larger tiles? */
bool amx_attention_pays(const Attention *a);
void amx_attention_begin(KernelScratch scratch);
/* Should queries stand along the lanes of Out? */
bool amx_attention_turns(const Tile *t);
void amx_attention_takes_queries(const Tile *t);
void amx_attention_takes_keys(const Tile *t);
/* The same three products as integers. False, with nothing done, where they do not pay or a number is none. */
bool amx_attention_dots(Tile *t, float *to, Operand rows);
bool amx_attention_to_queries(Tile *t, const Weights *w, Operand m, const Out *out, bool add);
bool amx_attention_to_keys(Tile *t, const Weights *w, Operand m, float *c, int64_t c_row);
#endif

/* Before a thread's first tile, and after its last. */
static inline void attention_begin(const Attention *a)
{
#ifdef TILE_UNIT
    amx_attention_begin(a->scratch);
#else
    (void)a;
#endif
}

static inline void attention_end(void)
{
#ifdef TILE_UNIT
    amx_end();
#endif
}

/* Forward, without tiles. False, with nothing done, where there are queries enough for tiles, dropout, or a backward
 * that follows. */
bool FAST(attention_few)(const Attention *a);

void FAST(attention_backward)(const Attention *a, const AttentionGrad *g);

#endif
