/* kernels_amx_pack.c: floats to panels of bfloat16 pieces.
 *
 *      step l       x  x  x ..  one register row holds      lane:  | l, piece p | l + 16, piece p |
 *      step l + 16  y  y  y ..  two steps side by side             `-- 2 bytes -'---- 2 bytes ----'
 *
 * The unit adds up pairs of steps, whichever: with 16 steps between them, a row of lanes is one vector shifted and
 * blended with another, and no number changes its lane. Where a matrix lies the other way round, 16 x 16 floats are
 * turned in registers first (kernels_fast_pack.h).
 *
 * It goes by quarters of a register, of 80 to 200 instructions each: so many find room between those of the tile unit,
 * while that is busy, and cost little time of their own. */
#include "tensor/kernels_amx.h"
#include "tensor/kernels_fast_pack.h"

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

/* n rows of a register of each piece: row i from the vectors at x + i * stride and `second` behind it. The first piece
 * is cut off; the second is rounded, so that what the product leaves out has either sign. Returns sums that are NaN
 * where a number was not finite: an infinity less itself. */
static inline __attribute__((always_inline)) Vector split(unsigned char *to, const float *x,
                                                          int64_t stride, int64_t second, int n)
{
    const __m512i round = _mm512_set1_epi32(0x8000);
    __m512 odd = _mm512_setzero_ps();
#pragma GCC unroll 2
    for (int i = 0; i < n; i++, x += stride, to += 64) {
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

/* At most REG rows and REG steps, copied to where split finds them. */
static void gather(float *to, int64_t to_row, int64_t to_step, const float *x, int64_t row,
                   int64_t step, int64_t rows, int64_t steps)
{
    if (step == 1 && to_row == 1)
        turn(to, to_step, x, row, rows, steps);
    else if (row == 1 && to_step == 1)
        turn(to, to_row, x, step, steps, rows);
    else
        for (int64_t r = 0; r < rows; r++)
            for (int64_t l = 0; l < steps; l++)
                to[r * to_row + l * to_step] = x[r * row + l * step];
}

/* A quarter of a register whose numbers do not lie as they must, or are not all there: in the first two, one half of
 * its steps each is brought near, and in the others half of it is split. */
static void quarter_gathered(AmxPacking *p, unsigned char *to, const float *x)
{
    const bool is_a = p->side == SIDE_A;
    const int64_t rows = p->rows - p->at_row < REG ? p->rows - p->at_row : REG;
    const int64_t steps = p->steps - p->at_step < STEPS ? p->steps - p->at_step : STEPS;
    const int64_t first = p->at_quarter * REG, left = steps - first;
    const int64_t to_row = is_a ? STEPS : 1, to_step = is_a ? 1 : REG;
    if (p->at_quarter == 0 && (rows < REG || steps < STEPS))
        memset(p->near, 0, sizeof p->near);
    if (p->at_quarter < 2) {
        if (left > 0)
            gather(p->near + first * to_step, to_row, to_step, x + first * p->step, p->row, p->step,
                   rows, left < REG ? left : REG);
        return;
    }
    const int half = REG / 2, from = (p->at_quarter - 2) * half;
    to += from * REG * 4;
    p->odd += is_a ? split(to, p->near + from * STEPS, STEPS, REG, half)
                   : split(to, p->near + from * REG, REG, REG * REG, half);
}

/* The quarter that is next or, where none is done yet and there is time, the whole register; how many quarters. */
static int64_t pack_register(AmxPacking *p, int64_t quarters)
{
    const int64_t r = p->at_row, l = p->at_step;
    const int64_t along = p->side == SIDE_A ? p->step : p->row;
    const int64_t stride = p->side == SIDE_A ? p->row : p->step;
    const int64_t second = p->side == SIDE_A ? REG : REG * stride;
    const float *x = p->x + r * p->row + l * p->step;
    unsigned char *to =
        p->to + r / PANEL * p->next + r % PANEL / REG * REG_BYTES + l / STEPS * STEP_BYTES;
    if (along != 1 || r + REG > p->rows || l + STEPS > p->steps) {
        quarter_gathered(p, to, x);
        return 1;
    }
    if (p->at_quarter == 0 && quarters >= 4) {
        p->odd += split(to, x, stride, second, REG);
        return 4;
    }
    const int from = p->at_quarter * REG / 4;
    p->odd += split(to + from * REG * 4, x + from * stride, stride, second, REG / 4);
    return 1;
}

/* To the next register. Memory is read in its order: along a row where its steps lie side by side, else all rows'
 * steps l.. */
static void advance(AmxPacking *p)
{
    p->at_quarter = 0;
    if (p->step == 1) {
        p->at_step += STEPS;
        if (p->at_step < p->steps)
            return;
        p->at_step = 0;
        p->at_row += REG;
    } else {
        p->at_row += REG;
        if (p->at_row < p->rows || p->at_step + STEPS >= p->steps)
            return;
        p->at_row = 0;
        p->at_step += STEPS;
    }
}

void amx_pack_begin(AmxPacking *p, unsigned char *to, int64_t next, Side side, const float *x,
                    int64_t row, int64_t step, int64_t rows, int64_t steps)
{
    p->to = to;
    p->next = next;
    p->side = side;
    p->x = x;
    p->row = row;
    p->step = step;
    p->rows = steps > 0 ? rows : 0;
    p->steps = steps;
    p->at_row = p->at_step = 0;
    p->at_quarter = 0;
    p->odd = (Vector){0};
}

void amx_pack_some(AmxPacking *p, int64_t quarters)
{
    while (quarters > 0 && p->at_row < p->rows) {
        int64_t done = pack_register(p, quarters);
        quarters -= done;
        p->at_quarter += (int)done;
        if (p->at_quarter == 4)
            advance(p);
    }
}

int64_t amx_pack_quarters(const AmxPacking *p)
{
    return (p->rows + REG - 1) / REG * ((p->steps + STEPS - 1) / STEPS) * 4;
}

bool amx_pack_tame(const AmxPacking *p)
{
    return lanes_sum(p->odd) == lanes_sum(p->odd);
}

bool amx_pack(unsigned char *to, int64_t next, Side side, const float *x, int64_t row, int64_t step,
              int64_t rows, int64_t steps)
{
    AmxPacking p;
    amx_pack_begin(&p, to, next, side, x, row, step, rows, steps);
    amx_pack_some(&p, INT64_MAX);
    return amx_pack_tame(&p);
}
