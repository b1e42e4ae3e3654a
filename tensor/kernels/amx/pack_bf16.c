/* pack_bf16.c: floats to panels of bfloat16 pieces.
 *
 *      step l       x  x  x ..  one register row holds      lane:  | l, piece p | l + 16, piece p |
 *      step l + 16  y  y  y ..  two steps side by side             `-- 2 bytes -'---- 2 bytes ----'
 *
 * The unit adds up pairs of steps, whichever: with 16 steps between them, a row of lanes is one vector shifted and
 * blended with another, and no number changes its lane. Where a matrix lies the other way round, 16 x 16 floats are
 * turned in registers first (kernels/simd/pack.h). */
#include "tensor/kernels/amx/tile_bf16.h"
#include "tensor/kernels/simd/pack.h"

/* The upper halves of a and b as lanes of two. */
static inline __m512i halves(__m512i a, __m512i b)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(a, 16), b);
}

/* The upper half of x, as a float again, is taken off x. */
static inline __m512 rest(__m512 x, __m512i upper)
{
    return _mm512_sub_ps(x,
                         _mm512_castsi512_ps(_mm512_and_si512(upper, _mm512_set1_epi32(-0x10000))));
}

/* One register of each piece: row i from the vectors at x + i * stride and `second` behind it. The first piece is
 * cut off; the second is rounded, so that what the product leaves out has either sign. Returns sums that are NaN
 * where a number was not finite: an infinity less itself. */
static inline Vector split(unsigned char *to, const float *x, int64_t stride, int64_t second)
{
    const __m512i round = _mm512_set1_epi32(0x8000);
    __m512 odd = _mm512_setzero_ps();
#pragma GCC unroll 2
    for (int i = 0; i < REG; i++, x += stride, to += 64) {
        __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + second);
        __m512i ai = _mm512_castps_si512(a), bi = _mm512_castps_si512(b);
        _mm512_store_si512((void *)to, halves(ai, bi));
        a = rest(a, ai);
        b = rest(b, bi);
        ai = _mm512_add_epi32(_mm512_castps_si512(a), round);
        bi = _mm512_add_epi32(_mm512_castps_si512(b), round);
        _mm512_store_si512((void *)(to + 2 * REG_BYTES), halves(ai, bi));
        a = rest(a, ai);
        b = rest(b, bi);
        _mm512_store_si512((void *)(to + 4 * REG_BYTES),
                           halves(_mm512_castps_si512(a), _mm512_castps_si512(b)));
        odd = _mm512_add_ps(odd, _mm512_add_ps(a, b));
    }
    return (Vector)odd;
}

void amx_gather(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                int64_t step, int64_t rows, int64_t steps)
{
    if (step == 1 && to_row == 1)
        turn(to, to_step, x, row, rows, steps);
    else if (row == 1 && to_step == 1)
        turn(to, to_row, x, step, steps, rows);
    else if (step == 1)
        for (int64_t r = 0; r < rows; r++)
            store(to + r * to_row, load_some(x + r * row, steps, 0));
    else if (row == 1)
        for (int64_t l = 0; l < steps; l++)
            store(to + l * to_step, load_some(x + l * step, rows, 0));
    else
        for (int64_t r = 0; r < rows; r++)
            for (int64_t l = 0; l < steps; l++)
                to[r * to_row + l * to_step] = x[r * row + l * step];
}

/* REG rows and STEPS steps, of which fewer may be there, copied to where split finds them. */
static void gather(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                   int64_t step, int64_t rows, int64_t steps)
{
    if (rows < REG || steps < STEPS)
        memset(to, 0, sizeof(float) * REG * STEPS);
    for (int64_t l = 0; l < steps; l += REG)
        amx_gather(to + l * to_step, to_row, to_step, x + l * step, row, step, rows,
                   steps - l < REG ? steps - l : REG);
}

/* One register of each piece of at most REG rows and STEPS steps. */
static Vector pack_tile(unsigned char *to, Side side, const float *x, int64_t row, int64_t step,
                        int64_t rows, int64_t steps)
{
    float near[REG * STEPS] __attribute__((aligned(64)));
    if (rows > REG)
        rows = REG;
    if (steps > STEPS)
        steps = STEPS;
    bool whole = rows == REG && steps == STEPS;
    if (side == SIDE_A) {
        if (whole && step == 1)
            return split(to, x, row, REG);
        gather(near, STEPS, 1, x, row, step, rows, steps);
        return split(to, near, STEPS, REG);
    }
    if (whole && row == 1)
        return split(to, x, step, REG * step);
    gather(near, 1, REG, x, row, step, rows, steps);
    return split(to, near, REG, REG * REG);
}

/* Memory is read in its order: along a row where its steps lie side by side, else all rows' steps l.. */
bool amx_pack(unsigned char *to, int64_t next, Side side, const float *x, int64_t row, int64_t step,
              int64_t rows, int64_t steps)
{
    Vector odd = {0};
    int64_t high = step == 1 ? REG : rows, wide = step == 1 ? steps : STEPS;
    for (int64_t l0 = 0; l0 < steps; l0 += wide)
        for (int64_t r0 = 0; r0 < rows; r0 += high)
            for (int64_t l = l0; l < l0 + wide && l < steps; l += STEPS)
                for (int64_t r = r0; r < r0 + high && r < rows; r += REG)
                    odd += pack_tile(to + r / PANEL * next + r % PANEL / REG * REG_BYTES +
                                         l / STEPS * STEP_BYTES,
                                     side, x + r * row + l * step, row, step, rows - r, steps - l);
    return lanes_sum(odd) == lanes_sum(odd);
}
