/* kernels_amx_attention.c: the products of a tile of attention, in pieces (kernels_amx.h).
 *
 *      S^T = K Q^T,  dP^T = V G^T     both operands split once for their tile, along the depth
 *      O += P V,  dQ += dS K          weights (keys, queries), turned; values and keys step by step
 *      dV += P^T G,  dK += dS^T Q     weights as they stand; upstream and queries step by step
 *
 * Only the weights are split anew for each pair of tiles. On the diagonal, panels of 32 leave out what none of their
 * queries sees. Each function returns false, with nothing done, where the tile is too small to be worth it, or an
 * operand is not finite: then the product of floats does it.
 *
 * Causal, 4 heads of 64, forward and backward, two threads: T 1024 5.7 ms (AVX-512: 7.1), T 4096 84 (110): a Xeon with
 * AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels_fast_attention.h"

/* What is split for a small tile is used too few times. Forward and backward by one thread, AVX-512's time being 1:
 * tiles of 48 to 80 queries and keys 1.0 to 1.2 of it, 96 and more 0.8 to 1.0, with 32 to 64 channels; with 16 the same
 * (a Xeon with AMX, gcc 12, 2026-11-21). */
static bool suits(const Tile *t, int64_t n)
{
    return t->queries >= 3 * PANEL && t->keys >= 3 * PANEL && n > REG;
}

/* An operand's pieces in one form; NULL where a number is not finite. */
static const unsigned char *pieces(const Tile *t, Operand operand, Form form, Side side,
                                   const float *x, int64_t row, int64_t step, int64_t rows,
                                   int64_t steps)
{
    Scratch *s = t->s;
    unsigned char *to = s->pieces[operand][form];
    if (!s->split[operand][form])
        s->tame[operand][form] =
            amx_pack(to, amx_panel_bytes(steps), side, x, row, step, rows, steps);
    s->split[operand][form] = true;
    return s->tame[operand][form] ? to : NULL;
}

bool amx_attention_dots(const Tile *t, float *to, Strip x, int64_t n, const float *turned)
{
    if (!suits(t, n))
        return false;
    Operand other = x.operand == OF_K ? OF_Q : OF_UP;
    const unsigned char *a = pieces(t, x.operand, AS_DEPTH, SIDE_A, x.x, x.stride, 1, t->keys, n);
    const unsigned char *b = pieces(t, other, AS_DEPTH, SIDE_B, turned, 1, t->tile, t->across, n);
    if (!a || !b)
        return false;
    int64_t next = amx_panel_bytes(n);
    AmxProduct p = {.steps = n, .a = a, .a_next = next, .c_row = t->tile, .c_column = 1};
    for (int64_t q = 0; q < t->across; q += PANEL) {
        int64_t seen = q + PANEL + t->diagonal;
        p.m = round_up(seen < t->keys ? seen : t->keys);
        p.n = t->across - q < PANEL ? t->across - q : PANEL;
        p.b = b + q / PANEL * next;
        p.c = to + q;
        if (seen > 0)
            amx_product(&p);
    }
    return true;
}

/* So many of the weights' rows and steps to a panel of A. */
static bool take_weights(const Tile *t, const float *w, int64_t row, int64_t step, int64_t rows,
                         int64_t steps)
{
    return amx_pack(t->s->weights, 0, SIDE_A, w, row, step, rows, steps);
}

bool amx_attention_to_queries(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                              int64_t c_row, bool add)
{
    if (!suits(t, n))
        return false;
    const unsigned char *b = pieces(t, m.operand, AS_STEPS, SIDE_B, m.x, 1, m.stride, n, t->keys);
    if (!b)
        return false;
    AmxProduct p = {.n = n,
                    .a = t->s->weights,
                    .b = b,
                    .b_next = amx_panel_bytes(t->keys),
                    .c_row = c_row,
                    .c_column = 1,
                    .from_row = c_row,
                    .from_column = 1};
    for (int64_t q = 0; q < t->queries; q += PANEL) {
        int64_t seen = q + PANEL + t->diagonal;
        p.m = t->queries - q < PANEL ? t->queries - q : PANEL;
        p.steps = seen < 0 ? 0 : seen < t->keys ? seen : t->keys;
        p.c = c + q * c_row;
        p.from = add ? p.c : NULL;
        take_weights(t, w + q, 1, t->tile, round_up(p.m), p.steps);
        if (p.steps > 0 || !add)
            amx_product(&p);
    }
    return true;
}

bool amx_attention_to_keys(const Tile *t, const float *w, Strip m, int64_t n, float *c,
                           int64_t c_row)
{
    if (!suits(t, n))
        return false;
    const unsigned char *b =
        pieces(t, m.operand, AS_STEPS, SIDE_B, m.x, 1, m.stride, n, t->queries);
    if (!b)
        return false;
    AmxProduct p = {.n = n,
                    .a = t->s->weights,
                    .b_next = amx_panel_bytes(t->queries),
                    .c_row = c_row,
                    .c_column = 1,
                    .from_row = c_row,
                    .from_column = 1};
    for (int64_t j = 0; j < t->keys; j += PANEL) {
        int64_t hidden = t->diagonal < TILE && j > t->diagonal ? j - t->diagonal : 0;
        int64_t first = hidden / STEPS * STEPS;
        p.m = t->keys - j < PANEL ? t->keys - j : PANEL;
        p.steps = t->queries - first;
        p.b = b + first / STEPS * STEP_BYTES;
        p.c = c + j * c_row;
        p.from = p.c;
        if (p.steps <= 0)
            continue;
        take_weights(t, w + j * t->tile + first, t->tile, 1, p.m, p.steps);
        amx_product(&p);
    }
    return true;
}
