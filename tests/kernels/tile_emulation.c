/* tile_emulation.c: the tile unit in software; see tile_emulation.h. Compiled for AVX-512. */
#include "tests/kernels/tile_emulation.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 8, ROWS = 16, ROW_BYTES = 64 };

/* Of palette 1; the layout of LDTILECFG's operand. */
typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} Config;
_Static_assert(sizeof(Config) == 64, "LDTILECFG reads 64 bytes");

typedef struct {
    int8_t row[ROWS][ROW_BYTES] __attribute__((aligned(64)));
} Tile;

/* A thread's tile registers. */
static _Thread_local Config config;
static _Thread_local Tile tile[REGISTERS];
static _Thread_local long products;

long emulated_products(void)
{
    return products;
}

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "tile_emulation: %s\n", what);
    abort();
}

static void require_configured(int t)
{
    require(config.palette == 1, "an instruction before LDTILECFG or after TILERELEASE");
    require(t >= 0 && t < REGISTERS && config.rows[t] > 0 && config.bytes[t] > 0,
            "a register that is not configured");
}

void emulated_loadconfig(const void *from)
{
    Config c;
    memcpy(&c, from, sizeof c);
    require(c.palette <= 1 && c.start_row == 0, "LDTILECFG: palette above 1, or a start row");
    for (int i = 0; i < 14; i++)
        require(c.reserved[i] == 0, "LDTILECFG: a reserved byte that is not 0");
    for (int t = 0; t < 16; t++) {
        require(c.rows[t] <= ROWS && c.bytes[t] <= ROW_BYTES, "LDTILECFG: a register too large");
        require(t < REGISTERS || (c.rows[t] == 0 && c.bytes[t] == 0),
                "LDTILECFG: a register beyond the eighth");
    }
    config = c;
    memset(tile, 0, sizeof tile);
}

void emulated_release(void)
{
    memset(&config, 0, sizeof config);
    memset(tile, 0, sizeof tile);
}

void emulated_zero(int to)
{
    require_configured(to);
    memset(&tile[to], 0, sizeof tile[to]);
}

/* What lies beyond the register's shape becomes 0. */
void emulated_loadd(int to, const void *from, ptrdiff_t stride)
{
    emulated_zero(to);
    for (int r = 0; r < config.rows[to]; r++)
        memcpy(tile[to].row[r], (const char *)from + r * stride, config.bytes[to]);
}

void emulated_stored(int from, void *to, ptrdiff_t stride)
{
    require_configured(from);
    for (int r = 0; r < config.rows[from]; r++)
        memcpy((char *)to + r * stride, tile[from].row[r], config.bytes[from]);
}

/* A product needs C (m, n), A (m, k) and B (k, n), k in units of four bytes. */
static void require_shapes(int c, int a, int b)
{
    require_configured(a);
    require_configured(b);
    require_configured(c);
    require(a != b && a != c && b != c, "a product whose registers are not different");
    require(config.rows[c] == config.rows[a] && config.bytes[c] == config.bytes[b] &&
                config.bytes[a] == 4 * config.rows[b] && config.bytes[c] % 4 == 0,
            "a product of shapes that do not fit");
    products++;
}

/* The bfloat16 in the lower or upper half of each lane, as a float. */
static __m512 lower_half(__m512i x)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(x, 16));
}

static __m512 upper_half(__m512i x)
{
    return _mm512_castsi512_ps(_mm512_and_si512(x, _mm512_set1_epi32(-0x10000)));
}

/* For each element of C, two sums of fused multiply-adds over k, one of the even and one of the odd
 * bfloat16, which are added to each other and then to C. */
static __attribute__((noinline)) void multiply_bf16(int c, int a, int b)
{
    for (int m = 0; m < config.rows[c]; m++) {
        __m512 even = _mm512_setzero_ps(), odd = even, sum = _mm512_load_ps(tile[c].row[m]);
        for (int k = 0; k < config.rows[b]; k++) {
            int32_t pair;
            memcpy(&pair, &tile[a].row[m][4 * k], sizeof pair);
            const __m512i x = _mm512_set1_epi32(pair), y = _mm512_load_si512(tile[b].row[k]);
            even = _mm512_fmadd_ps(lower_half(x), lower_half(y), even);
            odd = _mm512_fmadd_ps(upper_half(x), upper_half(y), odd);
        }
        sum = _mm512_add_ps(sum, _mm512_add_ps(even, odd));
        _mm512_store_ps(tile[c].row[m],
                        _mm512_maskz_mov_ps((__mmask16)((1 << config.bytes[c] / 4) - 1), sum));
    }
}

/* Until end_flushing with the result: rounding to nearest, denormal operands taken for 0 and
 * denormal results made 0, whatever MXCSR says. */
static unsigned begin_flushing(void)
{
    enum { DAZ = 0x0040, MASKS = 0x1f80, FTZ = 0x8000 };
    const unsigned before = _mm_getcsr();
    _mm_setcsr(DAZ | MASKS | FTZ);
    __asm__ volatile("" ::: "memory");
    return before;
}

static void end_flushing(unsigned before)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(before);
}

void emulated_dpbf16ps(int c, int a, int b)
{
    require_shapes(c, a, b);
    const unsigned before = begin_flushing();
    multiply_bf16(c, a, b);
    end_flushing(before);
}

/* Not inlined, so that the arithmetic stays between the changes of MXCSR. */
static __attribute__((noinline)) __m512 dot(__m512 sum, __m512i x, __m512i y)
{
    sum = _mm512_fmadd_ps(upper_half(x), upper_half(y), sum);
    return _mm512_fmadd_ps(lower_half(x), lower_half(y), sum);
}

__m512 emulated_dot(__m512 sum, __m512bh a, __m512bh b)
{
    const unsigned before = begin_flushing();
    sum = dot(sum, (__m512i)a, (__m512i)b);
    end_flushing(before);
    return sum;
}
