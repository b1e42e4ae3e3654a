/* attention.h: fused attention: one tile of queries against one tile of keys (internal).
 *
 *   forward.c   softmax(Q K^T / sqrt(d)) V without storing the weights: the online softmax
 *   backward.c  the gradients of Q, K and V; the weights are recomputed from each query's log-sum-exp
 *   decode.c    forward for one to four queries, without tiles: a step of a decoder
 *   block.c     a tile's operands, masks and dropout
 *   products.c  the products of a tile with the micro-kernel
 *
 * The online softmax (Milakov and Gimelshein, 2018; Dao et al., "FlashAttention", 2022). A query
 * meets the keys tile by tile. It keeps the maximum m of the scores so far, the sum l of exp(s - m)
 * and the unnormalised output o. A new tile with the maximum m' rescales l and o by exp(m - max(m,
 * m')) before its own terms are added. After the last tile the output is o / l, and m + log l is
 * the log-sum-exp that backward needs.
 *
 * Scores are stored transposed, queries along the lanes, so that the softmax of each query runs
 * down a tile, with no reduction across lanes:
 *
 *             query 0 .. query 63                          c = 0 .. d-1
 *     key 0  |  s   s   s  ..  |               query 0    |  o  o  ..  |
 *     key 1  |  .   s   s  ..  |  down: max    query 1    |  o  o  ..  |    O = P V
 *     ..     |  .   .   s  ..  |  and sum      ..         |  ..        |
 *     key 63 |  .   .   .  ..  |               query 63   |            |
 *
 * Above the diagonal of a causal mask (the dots), neither score nor exp nor product is computed. */
#ifndef GRADUS_KERNELS_SIMD_ATTENTION_H
#define GRADUS_KERNELS_SIMD_ATTENTION_H

#include "tensor/kernels/simd/microkernel.h"

/* The queries and the keys of a tile: fewer for a large head size, so that an operand has at most
 * TILE_FLOATS elements. */
enum { TILE = 64, TILE_FLOATS = TILE * 128, MAX_DEPTH = TILE_FLOATS / 16 };

/* The operands of the products of a tile: Q, dL/dO, K and V. */
typedef enum { OF_Q, OF_OUT_GRAD, OF_K, OF_V, OPERANDS } Operand;

/* The scratch memory of one thread. */
typedef struct {
    float transposed[2][TILE_FLOATS]; /* (d, queries): scale times Q, and dL/dO */
    float
        contiguous[OPERANDS]
                  [TILE_FLOATS]; /* copies of operands whose rows are not whole vectors in memory */
    float out[TILE_FLOATS];      /* the unnormalised output */
    float s[TILE * TILE],
        dp[TILE * TILE];               /* (keys, queries): scores, then weights; their gradients */
    float dropout_factor[TILE * TILE]; /* (keys, queries) */
    float max[TILE], total[TILE], rescale[TILE], lse[TILE], r[TILE];
} __attribute__((aligned(64))) Scratch;
_Static_assert(sizeof(Scratch) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for attention");

/* The rows of an operand, `stride` floats apart in memory. Products need them contiguous
 * (attention_contiguous) or transposed (attention_transposed); both are made on first use. */
typedef struct {
    const float *x;
    int64_t stride, rows, n;
    bool contiguous, transposed;
} TileOperand;

typedef struct {
    const Attention *a;
    const AttentionGrad *g;
    Scratch *s;
    int64_t z, tile;
    int64_t q_offset, k_offset, v_offset, out_offset;
    int64_t i0, queries, padded_queries; /* padded_queries: rounded up to whole vectors */
    int64_t j0, keys, last;              /* no query of the tile sees key `last` or a later one */
    /* query q sees no key of the tile after q + diagonal; TILE where it sees all */
    int64_t diagonal;
    bool masked; /* the mask hides more than the diagonal and `last` do */
    TileOperand operand[OPERANDS];
} Tile;

/* Does query q of the tile see its key j? */
static inline bool attention_sees(const Tile *t, int64_t q, int64_t j)
{
    return mask_keeps(&t->a->mask, t->z, t->i0 + q, t->j0 + j, t->a->queries, t->a->keys);
}

/* No query before `end` sees this key or a later one: the sequence's length and the diagonal cut
 * off keys. 0 or negative where they see none. */
static inline int64_t attention_last_key(const Attention *a, int64_t z, int64_t end)
{
    const KernelMask *mask = &a->mask;
    int64_t last = a->keys, diagonal = end + a->keys - a->queries;
    if (mask->lengths && mask->lengths[z / mask->heads] < last)
        last = mask->lengths[z / mask->heads];
    return mask->causal && diagonal < last ? diagonal : last;
}

/* n rounded up to whole vectors. */
static inline int64_t round_up(int64_t n)
{
    return (n + W - 1) / W * W;
}

/* The order of the tiles: first, last, second, last but one, ... Under a causal mask the first tile
 * meets one tile of the others and the last meets all; so neighbouring pairs cost the same, and
 * threads receive equal shares. */
static inline int64_t from_both_ends(int64_t item, int64_t tiles)
{
    return item % 2 == 0 ? item / 2 : tiles - 1 - item / 2;
}

/* A tile of matrix z, with no queries or keys set; g is NULL in forward. */
Tile ISA_NAME(attention_tile)(const Attention *a, const AttentionGrad *g, int64_t z);
/* The queries in a tile, a power of 2 from 16 to TILE: a function of the shape alone. */
int64_t ISA_NAME(attention_tile_size)(const Attention *a);
/* The cost of some queries against all keys, for parallel_grain. */
int64_t ISA_NAME(attention_cost)(const Attention *a, int64_t queries, int64_t products);

/* Sets the tile of queries from i0 on; up: dL/dO of its matrix, or NULL in forward. */
void ISA_NAME(attention_set_queries)(Tile *t, int64_t i0, const float *up);
/* Sets the tile of keys from j0 on. False where no query of the tile sees any of them. */
bool ISA_NAME(attention_set_keys)(Tile *t, int64_t j0);
/* An operand with rows that may be read up to whole vectors: in place or copied. */
const TileOperand *ISA_NAME(attention_contiguous)(Tile *t, Operand which);
/* Scale times Q, or dL/dO, transposed: (n, queries). */
const float *ISA_NAME(attention_transposed)(Tile *t, Operand which);

/* to (keys, queries) = K (scale Q)^T or V (dL/dO)^T, for the keys that each query sees. */
void ISA_NAME(attention_dots)(Tile *t, float *to, Operand rows);
/* The scores, -infinity where the mask hides the key from the query. */
void ISA_NAME(attention_scores)(Tile *t);
/* The factors 0 or 1 / (1 - p) of dropout. */
void ISA_NAME(attention_dropout_factors)(const Tile *t);
/* Row q of `to` (queries, n) (+)= sum_j w_jq m_j, and row j of `to` (keys, n) += sum_q w_jq m_q;
 * the weights w are (keys, queries), m is the operand, n its width, and
 * `row` the distance of the rows of `to`. */
void ISA_NAME(attention_to_queries)(Tile *t, const float *w, Operand m, float *to, int64_t row,
                                    bool add);
void ISA_NAME(attention_to_keys)(Tile *t, const float *w, Operand m, float *to, int64_t row);

/* Forward without tiles. False, with nothing done, where there are more queries than it takes,
 * dropout, or a backward that follows. */
bool ISA_NAME(attention_decode)(const Attention *a);

#endif
