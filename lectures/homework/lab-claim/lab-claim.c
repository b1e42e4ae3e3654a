/* lab-claim.c: a claim about causal attention, and its fault. README.md says what is asked. */
#include "lab-claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* BEGIN SOLUTION: perhaps functions that draw numbers and compare two results */
enum { B = 2, H = 2, D = 2, LONGEST = 18, MOST = B * H * LONGEST * D };

/* Numbers from -2 to 2. */
static void draw(real *to, int count, unsigned *state)
{
    for (int i = 0; i < count; i++) {
        *state = *state * 1664525u + 1013904223u;
        to[i] = (real)((*state >> 8) / 4194304.0 - 2);
    }
}

/* Other numbers for the tokens after `position`. */
static void change_later(real *to, int tokens, int position, unsigned *state)
{
    for (int row = 0; row < B * H * tokens; row++)
        if (row % tokens > position)
            draw(to + row * D, D, state);
}

/* y of q, k and v, which are next to each other. False where there is none. */
static bool run(Attention attention, Tape *tape, const real *qkv, int tokens, real *y)
{
    Shape shape = shape4(B, H, tokens, D);
    int count = B * H * tokens * D;
    tape_reset(tape);
    Tensor *q = tape_input(tape, qkv, shape);
    Tensor *k = tape_input(tape, qkv + count, shape);
    Tensor *v = tape_input(tape, qkv + 2 * count, shape);
    Tensor *result = attention(q, k, v);
    bool good = result && !tensor_is_poison(result) && shape_equal(result->shape, shape);
    if (good)
        tensor_read(result, y);
    return good;
}

/* NaN where one is NaN. */
static double larger(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

/* The largest change of a result up to `position`. */
static double largest_change(const real *y, const real *z, int tokens, int position)
{
    double largest = 0;
    for (int i = 0; i < B * H * tokens * D; i++) {
        if (i / D % tokens <= position)
            largest = larger(largest, fabs((double)y[i] - (double)z[i]));
    }
    return largest;
}
/* END SOLUTION */

bool claim(Attention attention, unsigned seed, char said[SAID])
{
    /* BEGIN SOLUTION: change what comes later, and see whether an earlier result changes */
    static real qkv[3 * MOST], changed[3 * MOST], y[MOST], z[MOST];
    static const int lengths[] = {2, 5, LONGEST};
    double largest = 0;
    bool ran = true;
    Tape *tape = tape_new(1);
    for (int i = 0; i < 3 && ran; i++) {
        int tokens = lengths[i], count = B * H * tokens * D;
        draw(qkv, 3 * count, &seed);
        ran = run(attention, tape, qkv, tokens, y);
        for (int position = 0; position < tokens - 1 && ran; position++) {
            memcpy(changed, qkv, sizeof qkv);
            for (int part = 0; part < 3; part++)
                change_later(changed + part * count, tokens, position, &seed);
            ran = run(attention, tape, changed, tokens, z);
            largest = larger(largest, largest_change(y, z, tokens, position));
        }
    }
    tape_free(tape);
    snprintf(said, SAID, "later tokens change an earlier result by up to %.3g", largest);
    return ran && largest < 1e-4;
    /* END SOLUTION */
}

Tensor *fault(Tensor *q, Tensor *k, Tensor *v)
{
    /* BEGIN SOLUTION: attention of which the claim is false */
    Mask mask = {.causal = false};
    return ag_attention(q, k, v, mask, 0);
    /* END SOLUTION */
}
