/* nine.c: all binary pictures of 3 x 3 pixels (row 49): the product over nine pixels is a
 * distribution, and is drawn from.
 *
 *   p(x) = p(x_1) p(x_2 | x_1) ... p(x_9 | x_1 ... x_8)        Z "Generative image transformers"
 *
 * The pictures are bars: one of the three rows or three columns is white, each equally likely; then
 * each pixel changes its value with probability 1/20. Picture k has the number 0 to 511 whose bits
 * are its pixels, the first one the highest. */
#include "lectures/07-vision/pixels.h"

#include <string.h>

enum { SIDE = 3, N = SIDE * SIDE, PICTURES = 512, BARS = 2 * SIDE };
enum { BATCH = 64, STEPS = 500 };
#define NOISE 0.05

/* ---- the source ------------------------------------------------------------------------------ */

/* Pixel i of picture number k. */
static int pixel(int k, int i)
{
    return k >> (N - 1 - i) & 1;
}

static bool in_bar(int bar, int i)
{
    return bar < SIDE ? i / SIDE == bar : i % SIDE == bar - SIDE;
}

static int source_draw(Rng *rng)
{
    int k = 0, bar = (int)rng_below(rng, BARS);
    for (int i = 0; i < N; i++)
        k = 2 * k + (in_bar(bar, i) != (rng_uniform(rng) < NOISE));
    return k;
}

/* ---- the models ------------------------------------------------------------------------------ */

/* A trained network, and its factors: log q(pixel i of picture k | what it sees) at 9 k + i. */
typedef struct {
    Params *params;
    Gpt gpt;
    double factor[PICTURES * N];
} Nine;

/* Picture k as a sequence. */
static void sequence(int k, int *x)
{
    for (int i = 0; i < N; i++)
        x[i] = pixel(k, i);
}

static bool train(Nine *m, uint64_t seed, Sees sees)
{
    int x[BATCH * N];
    Rng rng = {.seed = seed, .stream = 4900};
    Tape *tape = tape_new(seed);
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, m->params, 0.01);
    for (int step = 0; ok && step < STEPS; step++) {
        for (int b = 0; b < BATCH; b++)
            sequence(source_draw(&rng), x + b * N);
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, STEPS, 0.01, 0.0002);
        Tensor *logits = pixels_logits(&m->gpt, tape, sees, x, BATCH);
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, x, shape2(BATCH, N)));
        ok = ag_backward(loss) && adam_step(&adam, m->params);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

/* The factors of all pictures. */
static bool factors(Nine *m, Sees sees)
{
    static int x[PICTURES * N];
    Tape *tape = tape_new(1);
    for (int k = 0; k < PICTURES; k++)
        sequence(k, x + k * N);
    tape->no_grad = true;
    bool ok = pixels_log_p(&m->gpt, tape, sees, x, PICTURES, m->factor);
    tape_free(tape);
    return ok;
}

/* Trained once, in half a second, and kept until another seed is asked for; NULL after an error. */
static const Nine *nine_model(uint64_t seed, Sees sees)
{
    static Nine models[SEES_KINDS];
    static Made made[SEES_KINDS];
    Nine *m = &models[sees];
    if (made_for(&made[sees], seed))
        return m;
    params_free(m->params);
    *m = (Nine){.params = params_new(seed)};
    made[sees].is = m->params && pixels_init(&m->gpt, m->params, N, 16, 2) &&
                    train(m, seed, sees) && factors(m, sees);
    return made[sees].is ? m : NULL;
}

/* log of the product of the factors of picture k. */
static double nine_log_q(const Nine *m, int k)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += m->factor[k * N + i];
    return sum;
}

double nine_shifted_mask(Trial *t)
{
    const Nine *m = nine_model(t->seed, SEES_ITSELF);
    double sum = m ? 0 : (double)NAN;
    for (int k = 0; m && k < PICTURES; k++)
        sum += exp(nine_log_q(m, k));
    return sum;
}

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
    const Nine *m = nine_model(t->seed, what_is_seen(t));
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
    const Nine *m = nine_model(t->seed, SEES_EARLIER);
    memset(count, 0, sizeof count);
    if (!m || !write_pictures(m, t->seed, broken(t, "temperature") ? 0.8 : 1, count))
        return (double)NAN;
    double z = chi_deviate(m, count, &cells);
    explain(t, "chi^2 over %d pictures, and the rarer ones together, as a normal deviate: %.2f",
            cells, z);
    return z;
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
     .faults = {{"temperature", "each factor at temperature 0.8: sharper, and another product"}}},
    {0},
};
