/* tests.c: the tests of homework 14. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw14.h"

#include <math.h>

enum { KEYS_MOST = 32, CHANNELS_MOST = 8 };

/* A state that is empty or has seen keys, and the next tile. In every third case the largest score
 * so far is low, so that the state of several queries is rescaled. */
static void tile_of(Case *c, int empty, double scale)
{
    int low = case_turn(c, "low", 0, 2) == 2;
    int n = case_size(c, "n", 1 + low, 3), tile = case_size(c, "tile", 1, 5);
    int d = case_size(c, "d", 1, 4), width = case_size(c, "c", 1 + low, 3);
    const real *q = case_input_scaled(c, "q", scale, 2, n, d);
    const real *k = case_input_scaled(c, "k", scale, 2, tile, d);
    const real *v = case_input(c, "v", 2, tile, width);
    real *before = case_given(c, "before", 2, n, width + 2); /* m, l and y of each query */
    for (int i = 0; i < n; i++) {
        real *state = before + i * (width + 2);
        state[0] = empty ? -(real)INFINITY : (real)(scale * scale * (case_normal(c) - 6 * low));
        state[1] = empty ? 0 : (real)(1 + case_random(c));
        for (int e = 0; e < width; e++)
            state[2 + e] = empty ? 0 : (real)case_normal(c);
    }
    real *m = case_output(c, "m", 1, n), *l = case_output(c, "l", 1, n);
    real *y = case_output(c, "y", 2, n, width);
    for (int i = 0; i < n; i++) {
        const real *state = before + i * (width + 2);
        m[i] = state[0], l[i] = state[1];
        for (int e = 0; e < width; e++)
            y[i * width + e] = state[2 + e];
    }
    add_tile(m, l, y, q, k, v, n, tile, d, width);
}

static void tile_first_case(Case *c)
{
    tile_of(c, 1, 1);
}

static void tile_next_case(Case *c)
{
    tile_of(c, 0, 1);
}

static void tile_large_case(Case *c)
{
    tile_of(c, 0, 32);
}

static void finish_case(Case *c)
{
    int n = case_size(c, "n", 1, 4), width = case_size(c, "c", 1, 4);
    const real *m = case_input_scaled(c, "m", 64, 1, n);
    const real *sums = case_input(c, "sums", 2, n, width);
    real *l = case_given(c, "l", 1, n);
    for (int i = 0; i < n; i++)
        l[i] = (real)(1 + 4 * case_random(c));
    real *y = case_output(c, "y", 2, n, width);
    for (int i = 0; i < n * width; i++)
        y[i] = sums[i];
    finish(y, case_output(c, "log_sum", 1, n), m, l, n, width);
}

typedef struct {
    int n, tiles, tile, d, width;
    const real *q, *k, *v;
} Attention;

static Attention attention_of(Case *c)
{
    Attention a = {.n = case_size(c, "n", 1, 3), .tiles = case_choice(c, "tiles", 1, 3)};
    a.tile = case_size(c, "tile", 1, 4), a.d = case_size(c, "d", 1, 4);
    a.width = case_size(c, "c", 1, 3);
    a.q = case_input(c, "q", 2, a.n, a.d);
    a.k = case_input(c, "k", 2, a.tiles * a.tile, a.d);
    a.v = case_input(c, "v", 2, a.tiles * a.tile, a.width);
    return a;
}

static void attend(const Attention *a, real *y, real *log_sum)
{
    real m[KEYS_MOST], l[KEYS_MOST] = {0};
    for (int i = 0; i < a->n; i++)
        m[i] = -(real)INFINITY;
    for (int i = 0; i < a->n * a->width; i++)
        y[i] = 0;
    for (int t = 0; t < a->tiles; t++)
        add_tile(m, l, y, a->q, a->k + t * a->tile * a->d, a->v + t * a->tile * a->width, a->n,
                 a->tile, a->d, a->width);
    finish(y, log_sum, m, l, a->n, a->width);
}

static void attention_case(Case *c)
{
    real log_sum[KEYS_MOST];
    Attention a = attention_of(c);
    attend(&a, case_output(c, "y", 2, a.n, a.width), log_sum);
}

static void tile_backward_case(Case *c)
{
    real y[KEYS_MOST], log_sum[KEYS_MOST];
    Attention a = attention_of(c);
    const real *dy = case_input(c, "dy", 2, a.n, a.width);
    real *dq = case_sum(c, "dq", 2, a.n, a.d), *dk = case_sum(c, "dk", 2, a.tiles * a.tile, a.d);
    real *dv = case_sum(c, "dv", 2, a.tiles * a.tile, a.width);
    attend(&a, y, log_sum);
    for (int t = 0; t < a.tiles; t++) {
        int at = t * a.tile * a.d, values = t * a.tile * a.width;
        tile_backward(dq, dk + at, dv + values, dy, y, log_sum, a.q, a.k + at, a.v + values, a.n,
                      a.tile, a.d, a.width);
    }
}

static void window_case(Case *c)
{
    int n = case_size(c, "n", 1, 8), d = case_size(c, "d", 1, 4), width = case_size(c, "c", 1, 3);
    int w = case_choice(c, "w", 1, 6);
    const real *q = case_input(c, "q", 2, n, d), *k = case_input(c, "k", 2, n, d);
    const real *v = case_input(c, "v", 2, n, width);
    window(case_output(c, "y", 2, n, width), q, k, v, n, d, width, w);
}

static void ring_store_case(Case *c)
{
    int capacity = case_size(c, "capacity", 1, 5), d = case_size(c, "d", 1, 3);
    int position = case_choice(c, "position", 0, 12);
    const real *x = case_input(c, "x", 1, d), *before = case_input(c, "before", 2, capacity, d);
    real *cache = case_output(c, "cache", 2, capacity, d);
    for (int i = 0; i < capacity * d; i++)
        cache[i] = before[i];
    ring_store(cache, x, position, capacity, d);
}

static void ring_position_case(Case *c)
{
    int capacity = case_size(c, "capacity", 1, 6), last = case_choice(c, "last", 0, 14);
    int *position = case_output_integers(c, "position", 1, capacity);
    for (int slot = 0; slot < capacity; slot++)
        position[slot] = ring_position(slot, last, capacity);
}

/* Rows of empty slots hold numbers, too: nobody may look at them. */
static void ring_attend_case(Case *c)
{
    int capacity = case_size(c, "capacity", 1, 6), last = case_choice(c, "last", 0, 14);
    int d = case_size(c, "d", 1, 4), width = case_size(c, "c", 1, 3);
    const real *slope = case_input(c, "slope", 0), *q = case_input(c, "q", 1, d);
    const real *keys = case_input(c, "keys", 2, capacity, d);
    const real *values = case_input(c, "values", 2, capacity, width);
    ring_attend(case_output(c, "y", 1, width), q, keys, values, last, capacity, d, width, *slope);
}

typedef struct {
    int rows, in, out, r;
    const real *x, *w, *a, *b, *scale;
} Lora;

static Lora lora_of(Case *c)
{
    Lora l = {.rows = case_size(c, "rows", 1, 4), .in = case_size(c, "in", 1, 5)};
    l.out = case_size(c, "out", 1, 6), l.r = case_size(c, "r", 1, 3);
    l.x = case_input(c, "x", 2, l.rows, l.in);
    l.w = case_input(c, "w", 2, l.out, l.in);
    l.a = case_input(c, "a", 2, l.r, l.in);
    l.b = case_input(c, "b", 2, l.out, l.r), l.scale = case_input(c, "scale", 0);
    return l;
}

static void lora_forward_case(Case *c)
{
    Lora l = lora_of(c);
    lora_forward(case_output(c, "y", 2, l.rows, l.out), l.x, l.w, l.a, l.b, l.rows, l.in, l.out,
                 l.r, *l.scale);
}

static void lora_backward_case(Case *c)
{
    Lora l = lora_of(c);
    const real *dy = case_input(c, "dy", 2, l.rows, l.out);
    real *dx = case_sum(c, "dx", 2, l.rows, l.in), *da = case_sum(c, "da", 2, l.r, l.in);
    lora_backward(dx, da, case_sum(c, "db", 2, l.out, l.r), dy, l.x, l.w, l.a, l.b, l.rows, l.in,
                  l.out, l.r, *l.scale);
}

static void lora_merge_case(Case *c)
{
    Lora l = lora_of(c);
    lora_merge(case_output(c, "merged", 2, l.out, l.in), l.w, l.a, l.b, l.in, l.out, l.r, *l.scale);
}

const Test tests[] = {
    {"tile_first", "add_tile", "the first tile", POINTS(8), tile_first_case, .cases = 24},
    {"tile_next", "add_tile", "a later tile", POINTS(12), tile_next_case, .cases = 24},
    {"tile_large", "add_tile", "large scores", POINTS(4), tile_large_case, .needs = "tile_next"},
    {"finish", "finish", "after the last tile", POINTS(6), finish_case},
    {"tile_backward", "tile_backward", "a tile, backward", POINTS(18), tile_backward_case,
     .forward = attention_case, .gradients = "dq:q dk:k dv:v", .upstream = "dy:y"},
    {"window", "window", "attention within a window", POINTS(12), window_case, .cases = 24},
    {"ring_store", "ring_store", "store in a ring cache", POINTS(4), ring_store_case, .cases = 24},
    {"ring_position", "ring_position", "which position is in a slot", POINTS(8), ring_position_case,
     .cases = 45},
    {"ring_attend", "ring_attend", "attention over a ring cache", POINTS(10), ring_attend_case,
     .cases = 45},
    {"lora_forward", "lora_forward", "a change of low rank", POINTS(6), lora_forward_case},
    {"lora_backward", "lora_backward", "a change of low rank, backward", POINTS(8),
     lora_backward_case, .forward = lora_forward_case, .gradients = "dx:x da:a db:b",
     .upstream = "dy:y"},
    {"lora_merge", "lora_merge", "merge the change", POINTS(4), lora_merge_case},
    {0},
};
