/* tile_int8.h: products of floats as products of int8 slices (internal).
 *
 * The tile unit multiplies int8 twice as fast as bfloat16, and adds the products exactly. So each
 * row of A and each column of B is scaled by its absolute maximum: a float becomes a 24-bit integer
 * and is split into three int8 slices, balanced digits of base 256 from -128 to 127,
 *
 *      x = s n + rounding,  n = 65536 n0 + 256 n1 + n2      s: the row's absolute maximum / 8355584
 *
 * and a sum of products is six sums of products of slices, added by order (the omitted products are
 * a part in 2^24):
 *
 *      a b = s t (2^32 a0 b0 + 2^24 (a0 b1 + a1 b0) + 2^16 (a0 b2 + a1 b1 + a2 b0))
 *
 * This is the Ozaki scheme; Ootomo, Ozaki and Yokota, "DGEMM on integer matrix multiplication unit"
 * (2024), use it for doubles.
 *
 * Accuracy. An element is rounded by half a unit s, where a float is rounded relative to itself;
 * the three products that six leave out add at most 2 / 2^24 of the largest product to each. No
 * rounding occurs within a sum. So what matters is the spread of a row, its absolute maximum over
 * its mean |x|: 4 for normal numbers, k for a one-hot row of k elements. With a spread of T_a and
 * T_b, the error of a sum of k products relative to the sum of their absolute values is about
 *
 *      six products   0.46 T_a T_b / (sqrt(k) 2^24)  +  0.7 (T_a + T_b) / (sqrt(k) 2^24)
 *      nine products                                    0.7 (T_a + T_b) / (sqrt(k) 2^24)
 *
 * Packing computes the spread of each row, and a group of 16 rows takes the largest. A tile of 16 x
 * 16 elements of C is computed from six products where the first bound is small enough, else from
 * all nine where the second is, else from bfloat16 slices, which keep all bits of a float and take
 * twice as long (amx_int8_mode). The choice depends on the tile's rows and columns alone, never on
 * threads.
 *
 * Before a group is found too wide, its slices leave out what makes it so: rows of A with few
 * elements that are not 0 (the gradient of a hidden unit that ReLU mostly masks), a few steps of A
 * (outlier channels, the gradient of one token), or a few elements of B. Their products are
 * computed in floats and added (kernels/amx/left_out_int8.h).
 *
 * A granular row, in which the last mantissa bit of every element is 0, gets a power of two as its
 * unit; where a group with such a row meets another one, all nine products are added in doubles. So
 * products of whole numbers, of powers of two and of one-hot rows are exact wherever float
 * multiply-adds are.
 *
 * tests/kernels/test_exactness.c holds the element-wise error, |C - A B| / |A||B|, to twice that of
 * PyTorch's sgemm, and tests/bench/EXACTNESS.md lists the figures. What remains: spreads do not
 * show that large elements of A meet small ones of B in every product. With channels of A scaled by
 * 10^u and those of B by 10^-u, u from -2 to 2, the error is 300 times sgemm's for k = 384, 908 /
 * 2^24 of |A||B|; GRADUS_KERNELS=avx512 computes such products in floats.
 *
 * In attention (kernels/amx/attention.c), where no unit is chosen as a power of two, a row is a
 * query, a key or a channel of one tile of 128; the softmax computes the spreads of weights. Rows
 * of results and gradients have at most twice the error of floats
 * (tests/kernels/test_attention_tiles.c).
 *
 * A row with NaN, an infinity or an element from 2^100 on is out of range: it counts as zeros here
 * and is computed in floats (kernels/amx/left_out_int8.c). Sums of fewer than 56 products use
 * bfloat16 slices (kernels/amx/tile_bf16.h). */
#ifndef GRADUS_KERNELS_AMX_TILE_INT8_H
#define GRADUS_KERNELS_AMX_TILE_INT8_H

#include "tensor/kernels/amx/tile_bf16.h"

enum {
    SLICES = 3,
    ORDERS = 2 * SLICES - 1, /* of the products of slices */
    INT8_STEPS = 64, /* steps in a tile register: a lane holds the steps l, l + TILE_ROWS, .. */
    INT8_GROUP_BYTES = SLICES * TILE_BYTES, /* of TILE_ROWS rows and INT8_STEPS steps */
    INT8_LEFT_OUT = 32,   /* steps that the slices of a group leave out, at most */
    STATISTICS_PARTS = 4, /* of finding the statistics of a group */
};

/* How many significant bits a group of TILE_ROWS rows needs: see "Accuracy" above. */
typedef struct {
    float spread;  /* the largest spread of a row; -INFINITY where all elements are 0 */
    bool granular; /* at least one row is granular */
} Int8Quality;

/* How a tile of 16 x 16 elements of C is computed. */
typedef enum {
    INT8_FAST,    /* from six products of slices                   */
    INT8_FULL,    /* from all nine                                 */
    INT8_EXACT,   /* from all nine, which are added in doubles     */
    INT8_ZERO,    /* all sums are 0: from no slices                */
    INT8_INEXACT, /* not here: slices are not exact enough       */
} Int8Mode;

/* What the slices of a group leave out, as if it were 0. The caller adds its products in floats. */
typedef struct {
    __mmask16 rows; /* whole rows */
    int steps;      /* of the other rows, some steps: */
    uint16_t step[INT8_LEFT_OUT];
    __mmask16 without[INT8_LEFT_OUT]; /* the rows that leave it out; on SIDE_A all of them */
} Int8LeftOut;

/* The packing of a matrix into groups of TILE_ROWS rows (columns, for B) of slices: row r of `rows`
 * and step l of `steps` is x[r * row + l * step]. Group i begins at to + i * next and is 0 beyond
 * the end of the matrix. */
typedef struct {
    unsigned char *to;
    int64_t next;
    Side side;
    const float *x;
    int64_t row, step, rows, steps;
    float root;           /* the square root of steps */
    float *scale;         /* of each row: 2^16 units, or 0 where the row is out of range */
    bool in_range;        /* all rows so far are finite and below 2^100 */
    Int8Quality *quality; /* of each group, or NULL */
    /* What each group leaves out; NULL: all is sliced, and granular rows are treated as others are.
     * It needs quality and rest. A group that no mode reads, of zeros or with too wide a row, is
     * then not sliced at all. */
    Int8LeftOut *left_out;
    /* Memory for a group without what it leaves out: TILE_ROWS numbers for each step, aligned to 64
     * bytes. */
    float *rest;
    /* The absolute maximum of each row, padded to whole groups; NULL: not known. */
    const float *known_absmax;
    const float *group; /* the group's rows, in x or in rest: */
    int64_t group_row, group_step;
    int64_t at_row, at_step; /* the row and step at which the next tile register begins, */
    int at_part;             /* how many of its parts are done, */
    bool absmax_known;       /* and whether the absolute maxima of its rows are known */
    uint32_t absmax[TILE_ROWS] __attribute__((aligned(64))); /* as bits */
    float sum[TILE_ROWS] __attribute__((aligned(64)));       /* of |x| */
    float units[TILE_ROWS] __attribute__((aligned(64)));     /* the reciprocal of the unit */
    union {
        float numbers[TILE_ROWS * INT8_STEPS];
        unsigned char slices[INT8_GROUP_BYTES];
    } staging __attribute__((aligned(64))); /* a tile register whose elements are not contiguous */
} Int8Packing;

/* The maximum of `most` and |x| as bits: floats without their signs are ordered as integers,
 * infinities and NaN last. */
static inline __m512i max_abs_bits(__m512i most, __m512 x)
{
    return _mm512_max_epu32(most,
                            _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MAX)));
}

/* `op` over the lanes of each of four vectors. After two rounds, four lanes each belong to the
 * vectors 0, 1, 2, 3. */
#define HORIZONTAL_OF_FOUR(name, op)                                                          \
    static inline __m128i name(const __m512i *v)                                              \
    {                                                                                         \
        __m512i a = op(_mm512_unpacklo_epi32(v[0], v[2]), _mm512_unpackhi_epi32(v[0], v[2])); \
        __m512i b = op(_mm512_unpacklo_epi32(v[1], v[3]), _mm512_unpackhi_epi32(v[1], v[3])); \
        a = op(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));                     \
        a = op(a, _mm512_shuffle_i32x4(a, a, _MM_SHUFFLE(1, 0, 3, 2)));                       \
        a = op(a, _mm512_shuffle_i32x4(a, a, _MM_SHUFFLE(2, 3, 0, 1)));                       \
        return _mm512_castsi512_si128(a);                                                     \
    }
#define ADD_FLOATS(a, b) \
    _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
HORIZONTAL_OF_FOUR(horizontal_max_of_four, _mm512_max_epu32)
HORIZONTAL_OF_FOUR(horizontal_sum_of_four, ADD_FLOATS)
#undef ADD_FLOATS

/* How the tiles of a product are computed, given the quality of the rows and of the columns and the
 * square root of the number of steps. */
Int8Mode amx_int8_mode(Int8Quality a, Int8Quality b, float root);

/* The part'th quarter of finding the statistics of the group at at_row: of its rows where steps are
 * contiguous, else of its steps. */
void amx_int8_find_statistics(Int8Packing *d, int part);
/* Those of the group's rows that are granular. */
__mmask16 amx_int8_granular(const Int8Packing *d, __mmask16 rows);
/* How many elements of these rows of the group are not 0: exact up to `limit`, and larger
 * otherwise. */
int64_t amx_int8_count_nonzero(const Int8Packing *d, __mmask16 rows, int64_t limit);
/* Copies the group to `rest` without the steps (on SIDE_B: without the elements) in which an
 * element exceeds `spread` times the mean |x| of its row, and finds the statistics of the copy,
 * from which the packing then reads. False where no element does, more than INT8_LEFT_OUT or a
 * quarter of the steps have one, or a row is out of range: then nothing is left out. */
bool amx_int8_leave_out(Int8Packing *d, Int8LeftOut *left_out, float spread);

/* Begins a packing; the caller may then set quality, left_out with rest, and known_absmax. Each
 * call of amx_int8_packing_advance does so many parts of the work, or what is left; INT64_MAX
 * completes it. */
void amx_int8_packing_begin(Int8Packing *d, unsigned char *to, int64_t next, Side side,
                            float *scale, const float *x, int64_t row, int64_t step, int64_t rows,
                            int64_t steps);
void amx_int8_packing_advance(Int8Packing *d, int64_t parts);
/* How many parts the whole packing has. */
int64_t amx_int8_packing_parts(const Int8Packing *d);

/* C (m, n) = from + A B, of groups of so many steps, rounded up to INT8_STEPS. The strides of
 * `from` may be 0. */
typedef struct {
    int64_t m, n, steps; /* at most PANEL rows */
    const unsigned char *a, *b;
    int64_t next; /* from one group to the next */
    const float *a_scale, *b_scale;
    float *c;
    int64_t c_row, c_column;
    /* The initial value of C: NULL for zeros, C itself to add to it, or a bias. */
    const float *from;
    int64_t from_row, from_column;
    /* A packing that advances by parts_per_step at every step of every tile. */
    Int8Packing *overlapped;
    int64_t parts_per_step;
    Int8Mode mode_of_half[2]; /* where `mode` is NULL */
    const uint8_t *mode[2];   /* Int8Mode of each group of columns, for each half of the rows */
} Int8Product;

/* Computes the product in the calling thread, which has called amx_configure, and advances the
 * overlapped packing. */
void amx_multiply_int8(const Int8Product *p);

/* The bytes of a group of so many steps. */
static inline int64_t int8_group_bytes(int64_t steps)
{
    return (steps + INT8_STEPS - 1) / INT8_STEPS * INT8_GROUP_BYTES;
}

#endif
