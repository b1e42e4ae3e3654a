/* attention.c: the products of a tile of attention, as integers (kernels/amx/tile_int8.h).
 *
 *      S^T = K Q^T,  dP^T = V G^T            digits along the depth
 *      O^T += V^T P^T,  dQ^T += K^T dS^T     digits of weights for 32 queries; of values and keys step by step
 *      dV += P^T G,  dK += dS^T Q            digits of weights for 32 keys; of upstream and queries step by step
 *
 * Only the weights become digits anew for each pair of tiles, and softmax has found their largest numbers on its way.
 * Digits of queries last for their tile, those of keys and values for their matrix. Queries stand along the lanes in S^T,
 * dP^T, O^T and dQ^T, so that no weights need turning. On the diagonal, what no query of a register sees is left out.
 *
 * Each product returns false, with nothing done, where the tile is too small to be worth it, or it meets a number
 * that is no integer (NaN, an infinity, one from 2^100 on): then the product of floats does it.
 *
 * Causal, 4 heads of 64, forward and backward, two threads: T 256 0.39 ms (AVX-512: 0.54), 1024 4.4 (7.4), 4096 68
 * (117): a Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21. */
#include "tensor/kernels/simd/attention/attention.h"

/* Digits cost as much as many products: short sequences, and shallow heads, are left to floats. Forward and
 * backward by one thread, floats' time being 1: heads of 64, all keys seen: T 96 0.91, 128 0.81, 256 0.67, 512 0.61;
 * causal: 128 1.02, 192 0.87, 256 0.81, 512 0.70; heads of 32, all: 128 0.96, 192 0.93, 512 0.81; causal: 256 1.05, 384
 * 0.95, 512 0.91; heads of 16 1.05 and more (a Xeon with AVX-512 and AMX, gcc 12 -O3, 2026-11-21). */
bool amx_attention_pays(const Attention *a)
{
    int64_t depth = a->d < a->dv ? a->d : a->dv;
    int64_t met = a->queries < a->keys ? a->queries : a->keys;
    if (a->mask.causal)
        met /= 2;
    if (a->mask.window > 0 && met > 2 * a->mask.window * a->mask.dilation)
        met = 2 * a->mask.window * a->mask.dilation;
    return depth > REG && met * depth >= 96 * 64;
}

bool amx_attention_turns(const Tile *t)
{
    return t->tile == TILE && t->queries > PANEL;
}

void amx_attention_begin(KernelScratch scratch)
{
    ((Scratch *)scratch_part(scratch))->matrix = -1;
    amx_begin();
}

/* Where digits of the tile's keys and values stand. */
static int64_t place_of_keys(const Tile *t)
{
    int64_t tile = t->j0 / t->tile;
    return OF_QUERIES + (tile < KEPT ? tile : KEPT) * OF_KEYS;
}

void amx_attention_takes_queries(const Tile *t)
{
    memset(t->s->made, 0, OF_QUERIES);
}

void amx_attention_takes_keys(const Tile *t)
{
    Scratch *s = t->s;
    int64_t stay = s->matrix == t->z ? OF_QUERIES + KEPT * OF_KEYS : OF_QUERIES;
    memset(s->made + stay, 0, (size_t)(PLACES - stay));
    s->matrix = t->z;
}

static int64_t place_of(const Tile *t, Operand o, Form form)
{
    if (o == OF_Q || o == OF_UP)
        return o * FORMS + form;
    return place_of_keys(t) + (form == AS_STEPS ? 2 : o == OF_K ? 0 : 1);
}

static void make(const Tile *t, Operand o, Form form, int64_t place)
{
    Scratch *s = t->s;
    Digits *d = &s->digits[place];
    const Strip *x = &t->strip[o];
    bool deep = form == AS_DEPTH;
    int64_t row = deep ? x->stride : 1, step = deep ? 1 : x->stride;
    int64_t rows = deep ? x->rows : x->n, steps = deep ? x->n : x->rows;
    amx_digits_begin(&s->making, d->bytes, amx_group_bytes(steps), o >= OF_K ? SIDE_A : SIDE_B,
                     d->scale, x->x, row, step, rows, steps);
    amx_digits_some(&s->making, INT64_MAX);
    for (int64_t r = 0; o == OF_Q && deep && r < rows; r++)
        d->scale[r] *= t->a->scale;
    s->tame[place] = s->making.tame;
    s->made[place] = true;
}

/* An operand's digits; NULL where a number is none. */
static const Digits *take(const Tile *t, Operand o, Form form)
{
    int64_t place = place_of(t, o, form);
    if (!t->s->made[place])
        make(t, o, form, place);
    return t->s->tame[place] ? &t->s->digits[place] : NULL;
}

/* Can all weights, whose largest in so many rows these are, become digits? */
static bool are_tame(const float *largest, int64_t rows)
{
    bool tame = true;
    for (int64_t r = 0; r < rows; r++)
        tame &= largest[r] < 0x1p100f;
    return tame;
}

/* So many rows (columns, of B) and steps of the weights. */
static void take_weights(const Tile *t, Side side, const float *w, const float *largest,
                         int64_t row, int64_t step, int64_t rows, int64_t steps, int64_t next)
{
    Scratch *s = t->s;
    amx_digits_begin(&s->making, s->weights, next, side, s->weights_scale, w, row, step, rows,
                     steps);
    s->making.known = largest;
    amx_digits_some(&s->making, INT64_MAX);
}

bool amx_attention_dots(Tile *t, float *to, Operand rows)
{
    if (!attention_has_digits(t))
        return false;
    const Digits *a = take(t, rows, AS_DEPTH);
    const Digits *b = take(t, rows == OF_K ? OF_Q : OF_UP, AS_DEPTH);
    if (!a || !b)
        return false;
    int64_t next = amx_group_bytes(t->strip[rows].n);
    AmxIntegers p = {.steps = t->strip[rows].n,
                     .next = next,
                     .c_row = t->tile,
                     .c_column = 1,
                     .meanwhile = &t->s->making};
    for (int64_t j = 0; j < t->keys; j += PANEL) {
        int64_t first = j > t->diagonal ? (j - t->diagonal) / REG * REG : 0;
        if (first >= t->across)
            break;
        p.m = t->keys - j < PANEL ? t->keys - j : PANEL;
        p.n = t->across - first;
        p.a = a->bytes + j / REG * next;
        p.a_scale = a->scale + j;
        p.b = b->bytes + first / REG * next;
        p.b_scale = b->scale + first;
        p.c = to + j * t->tile + first;
        amx_integers(&p);
    }
    return true;
}

bool amx_attention_to_queries(Tile *t, const Weights *w, Operand m, const Out *out, bool add)
{
    const Digits *a = out->row == 1 && attention_has_digits(t) ? take(t, m, AS_STEPS) : NULL;
    if (!a || !are_tame(w->of_queries, t->queries))
        return false;
    AmxIntegers p = {.next = amx_group_bytes(t->strip[m].rows),
                     .b = t->s->weights,
                     .b_scale = t->s->weights_scale,
                     .c_row = out->column,
                     .c_column = 1,
                     .from_row = out->column,
                     .from_column = 1,
                     .meanwhile = &t->s->making};
    for (int64_t q = 0; q < t->across; q += PANEL) {
        int64_t seen = q + PANEL + t->diagonal;
        p.n = t->across - q < PANEL ? t->across - q : PANEL;
        p.steps = seen < 0 ? 0 : seen < t->keys ? seen : t->keys;
        if (p.steps == 0 && add)
            continue;
        take_weights(t, SIDE_B, w->at + q, w->of_queries + q, 1, t->tile, p.n, p.steps, p.next);
        for (int64_t c = 0; c < t->strip[m].n; c += PANEL) {
            p.m = t->strip[m].n - c < PANEL ? t->strip[m].n - c : PANEL;
            p.a = a->bytes + c / REG * p.next;
            p.a_scale = a->scale + c;
            p.c = out->x + c * out->column + q;
            p.from = add ? p.c : NULL;
            amx_integers(&p);
        }
    }
    return true;
}

bool amx_attention_to_keys(Tile *t, const Weights *w, Operand m, float *c, int64_t c_row)
{
    const Digits *b = attention_has_digits(t) ? take(t, m, AS_STEPS) : NULL;
    if (!b || !are_tame(w->of_keys, t->keys))
        return false;
    AmxIntegers p = {.n = t->strip[m].n,
                     .next = amx_group_bytes(t->queries),
                     .a = t->s->weights,
                     .a_scale = t->s->weights_scale,
                     .b_scale = b->scale,
                     .c_row = c_row,
                     .c_column = 1,
                     .from_row = c_row,
                     .from_column = 1,
                     .meanwhile = &t->s->making};
    for (int64_t j = 0; j < t->keys; j += PANEL) {
        int64_t hidden = j > t->diagonal ? j - t->diagonal : 0;
        int64_t first = hidden / DIGIT_STEPS * DIGIT_STEPS;
        p.m = t->keys - j < PANEL ? t->keys - j : PANEL;
        p.steps = t->queries - first;
        p.b = b->bytes + first / DIGIT_STEPS * DIGIT_BYTES;
        p.c = c + j * c_row;
        p.from = p.c;
        if (p.steps <= 0)
            continue;
        take_weights(t, SIDE_A, w->at + j * t->tile + first, w->of_keys + j, t->tile, 1, p.m,
                     p.steps, p.next);
        amx_integers(&p);
    }
    return true;
}
