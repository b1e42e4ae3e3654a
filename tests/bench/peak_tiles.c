/* peak_tiles.c: bfloat16 tile products, with two new tiles from the first-level cache for every
 * four products.
 *
 * The operands are random: on zeros, or on the same tiles again and again, the tile unit is a fifth
 * faster, because fewer bits switch, and a processor at its power limit then raises its clock. */
#include "tests/bench/peak_loop.h"

#include <immintrin.h>
#include <stdint.h>

/* Pseudo-random bfloat16 of either sign from 1 to 2, from a linear congruential generator (Knuth,
 * "The Art of Computer Programming", 3.3.4). */
static void fill(uint16_t *x, int n)
{
    uint32_t state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (uint16_t)(0x3f80 | (state >> 16 & 0x807f));
    }
}

double tile_loop(long n)
{
    enum { ROWS = 16, FOURS = 16, PRODUCTS = 8, TILE = 2 * ROWS * FOURS, SETS = 8 };
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    uint16_t x[SETS * 2 * TILE] __attribute__((aligned(64)));
    for (int i = 0; i < 8; i++) {
        shape.bytes[i] = 4 * FOURS;
        shape.rows[i] = ROWS;
    }
    fill(x, SETS * 2 * TILE);
    __asm__ volatile("" ::"r"(x), "r"(&shape) : "memory");
    _tile_loadconfig(&shape);
    _tile_loadd(6, x, 4 * FOURS);
    _tile_loadd(7, x + TILE, 4 * FOURS);
    for (long i = 0; i < n; i++) {
        const uint16_t *a = x + i % SETS * 2 * TILE, *b = x + (i + 3) % SETS * 2 * TILE;
        _tile_loadd(4, a, 4 * FOURS);
        _tile_loadd(5, a + TILE, 4 * FOURS);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
        _tile_loadd(6, b, 4 * FOURS);
        _tile_loadd(7, b + TILE, 4 * FOURS);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_release();
    return (double)n * PRODUCTS * 2 * ROWS * ROWS * 2 * FOURS;
}
