/* nine_claims.c: the product over nine pixels is a distribution, is drawn from, and learned (row
 * 49). The pictures: nine.h.
 *
 *   p(x) = p(x_1) p(x_2 | x_1) ... p(x_9 | x_1 ... x_8)        Z "Generative image transformers" */
#include "lectures/07-vision/nine.h"

#include <string.h>

enum { SIDE = NINE_SIDE, N = NINE, PICTURES = NINE_PICTURES, BARS = NINE_BARS };

static Sees what_is_seen(const Trial *t)
{
    return broken(t, "sees-itself") ? SEES_ITSELF : broken(t, "no-mask") ? SEES_ALL : SEES_EARLIER;
}

/* ---- a distribution -------------------------------------------------------------------------- */

/* |sum over all pictures - 1|, and for each first row of pixels |sum over the 64 pictures that
 * begin with it - the product of its own three factors|: Z's p(x_11), p(x_12 | x_11), ... are the
 * marginals of the whole. */
static double picture_sum(Trial *t)
{
    enum { ROWS = 1 << SIDE, EACH = PICTURES / ROWS };
    const Nine *m = nine_model(t->seed, what_is_seen(t), RASTER);
    double all = 0, worst = 0;
    for (int row = 0; m && row < ROWS; row++) {
        double sum = 0, product = 1;
        for (int k = row * EACH; k < (row + 1) * EACH; k++)
            sum += exp(nine_log_q(m, k));
        for (int i = 0; i < SIDE; i++)
            product *= exp(m->factor[row * EACH * N + i]);
        explain(t, "first row %d%d%d: its three factors %.6f, the 64 pictures that begin so %.6f",
                row >> 2, row >> 1 & 1, row & 1, product, sum);
        worst = values_worst(worst, fabs(sum - product));
        all += sum;
    }
    explain(t, "all 512 pictures: sum of q = %.8f", all);
    return m ? values_worst(worst, fabs(all - 1)) : (double)NAN;
}

/* ---- sampling -------------------------------------------------------------------------------- */

enum { PER_PASS = 500, PASSES = 40, DRAWN = PER_PASS * PASSES };

/* How often each picture is written in DRAWN pictures, pixel after pixel, each drawn given those
 * before it. */
static bool write_pictures(const Nine *m, uint64_t seed, double temperature, int *count)
{
    static int first[PER_PASS], out[PER_PASS * N];
    Rng rng = {.seed = seed, .stream = 4901};
    Tape *tape = tape_new(seed);
    bool ok = true;
    tape->no_grad = true;
    for (int b = 0; b < PER_PASS; b++)
        first[b] = BOS;
    for (int pass = 0; ok && pass < PASSES; pass++) {
        ok = pixels_write(&m->gpt, tape, &rng, temperature, first, PER_PASS, 1, out, N);
        for (int b = 0; ok && b < PER_PASS; b++) {
            int k = 0;
            for (int i = 0; i < N; i++)
                k = 2 * k + out[b * N + i];
            count[k]++;
        }
    }
    tape_free(tape);
    return ok;
}

/* As above, but each pixel from its own marginal, whatever the others are. */
static void write_marginals(const Nine *m, uint64_t seed, int *count)
{
    Rng rng = {.seed = seed, .stream = 4902};
    double white[N] = {0};
    for (int k = 0; k < PICTURES; k++)
        for (int i = 0; i < N; i++)
            white[i] += nine_pixel(k, i) * exp(nine_log_q(m, k));
    for (int d = 0; d < DRAWN; d++) {
        int k = 0;
        for (int i = 0; i < N; i++)
            k = 2 * k + (rng_uniform(&rng) < white[i]);
        count[k]++;
    }
}

/* chi^2 of the counts as a normal deviate (Wilson and Hilferty 1931); pictures that are expected
 * less than 10 times are counted together. */
static double chi_deviate(const Nine *m, const int *count, int *cells)
{
    double chi2 = 0, rare = 0, rare_count = 0;
    *cells = 0;
    for (int k = 0; k < PICTURES; k++) {
        double expected = DRAWN * exp(nine_log_q(m, k));
        if (expected < 10) {
            rare += expected;
            rare_count += count[k];
            continue;
        }
        chi2 += (count[k] - expected) * (count[k] - expected) / expected;
        ++*cells;
    }
    chi2 += rare > 0 ? (rare_count - rare) * (rare_count - rare) / rare : 0;
    double f = *cells; /* one cell more, one constraint */
    return (cbrt(chi2 / f) - (1 - 2 / (9 * f))) / sqrt(2 / (9 * f));
}

static double pixel_sampling(Trial *t)
{
    static int count[PICTURES];
    int cells;
    const Nine *m = nine_model(t->seed, SEES_EARLIER, RASTER);
    memset(count, 0, sizeof count);
    bool ok = m != NULL;
    if (ok && broken(t, "marginals"))
        write_marginals(m, t->seed, count);
    else if (ok)
        ok = write_pictures(m, t->seed, broken(t, "temperature") ? 0.8 : 1, count);
    if (!ok)
        return (double)NAN;
    double z = chi_deviate(m, count, &cells);
    for (int bar = 0; bar < BARS; bar++) {
        int k = 0;
        for (int i = 0; i < N; i++)
            k = 2 * k + nine_in_bar(bar, i);
        explain(t, "%s %d without noise: drawn %d times, %.1f expected",
                bar < SIDE ? "row" : "column", bar % SIDE + 1, count[k],
                DRAWN * exp(nine_log_q(m, k)));
    }
    explain(t, "chi^2 over %d pictures, and the rarer ones together, as a normal deviate: %.2f",
            cells, z);
    return z;
}

/* ---- the order ------------------------------------------------------------------------------- */

/* E |log q(x) - log q'(x)| as a share of E sum_i |log factor_i - log factor'_i|, q in raster order
 * and q' in a spiral. */
static double order_cancels(Trial *t)
{
    const Nine *a = nine_model(t->seed, SEES_EARLIER, RASTER);
    Nine *b = nine_model(t->seed, SEES_EARLIER, broken(t, "same-order") ? RASTER : SPIRAL);
    double whole = 0, parts = 0, sum[2] = {0};
    bool misread = broken(t, "misread");
    if (!a || !b || (misread && !nine_factors(b, SEES_EARLIER, RASTER)))
        return (double)NAN;
    for (int k = 0; k < PICTURES; k++) {
        double p = nine_source(k);
        whole += p * fabs(nine_log_q(a, k) - nine_log_q(b, k));
        for (int i = 0; i < N; i++)
            parts += p * fabs(a->factor[k * N + i] - b->factor[k * N + i]);
        sum[0] += exp(nine_log_q(a, k));
        sum[1] += exp(nine_log_q(b, k));
    }
    explain(t, "sum over 512 pictures: raster order %.7f, spiral %.7f", sum[0], sum[1]);
    explain(t, "the nine factors differ by %.4f nats in all, their product by %.4f", parts, whole);
    if (misread)
        nine_factors(b, SEES_EARLIER, SPIRAL);
    return whole / parts;
}

const Claim nine_claims[] = {
    {49, picture_sum, "the products over all 512 binary pictures of 3 x 3 pixels sum to 1",
     .slides = {"Z: Generative image transformers"},
     .quantity = "max |sum of q - 1|, |sum over pictures with a first row - its three factors|",
     AT_MOST(1e-5, "an identity; nine factors that are each rounded by some 1e-7"),
     .faults = {{"sees-itself", "the mask is shifted by one: each factor has seen its own pixel"},
                {"no-mask", "each factor has seen all pixels"}}},
    {49, pixel_sampling,
     "drawn pixel by pixel, each given those before it, pictures have probability p(x)",
     .slides = {"Z: Generative image transformers"},
     .quantity = "chi^2 of 20,000 pictures against the 512 products, as a normal deviate",
     AT_MOST(4, "one nearly normal number: beyond 4 once in 30,000 runs"),
     .faults = {{"marginals", "each pixel is drawn from its own marginal p(x_i)"},
                {"temperature", "each factor at temperature 0.8: sharper, and another product"}}},
    {49, order_cancels, "another order of the pixels changes each factor, but hardly the product",
     .slides = {"Z: Generative image transformers"},
     .quantity =
         "E |difference of log q| / E sum of |differences of its factors|, raster and spiral",
     AT_MOST(0.25, "0 if both are p; nine differences of random sign would leave 1/3, and 1 if "
                   "none cancelled"),
     .faults = {{"same-order", "both are the same network: 0/0"},
                {"misread", "the network of the spiral is given the pixels in raster order"}}},
    {0},
};
