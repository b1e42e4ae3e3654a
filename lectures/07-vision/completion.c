/* completion.c: what the trained model of digits knows (row 49). The model and the baselines:
 * pixels.h.
 *
 *   -log p(x) = sum_i -log p(x_i | x_1 ... x_(i-1)),  -log p(lower | upper) = the same sum over the lower half alone
 *
 * In raster order the upper half comes first, so the model completes it without being trained to:
 * it is a prompt. */
#include "lectures/07-vision/pixels.h"

#include <string.h>

enum { N = RASTER_PIXELS, SIDE = RASTER_SIDE, HALF = N / 2, TEST = RASTER_TEST };

/* ---- nats ------------------------------------------------------------------------------------ */

/* The nats of pixels first ... N-1 of each test digit, from log p of all pixels (TEST, N). */
static void nats_from(const double *log_p, int first, double *nats)
{
    for (int k = 0; k < TEST; k++) {
        nats[k] = 0;
        for (int i = first; i < N; i++)
            nats[k] -= log_p[k * N + i];
    }
}

/* The mean of b - a over the test digits in standard errors: by how much a is the better one.
 * Prints both means. */
static double advantage(const Trial *t, const char *name, const double *a, const double *b)
{
    Mean fewer = values_mean_difference(b, a, TEST);
    explain(t, "%-38s %6.2f nats; the network's are %.2f +- %.2f fewer", name,
            values_mean(b, TEST).mean, fewer.mean, fewer.error);
    return fewer.mean == 0 ? 0 : fewer.mean / fewer.error; /* a model against itself */
}

/* The test digits mirrored: column for row. A distribution, but not that of the training. */
static void transpose(int *x)
{
    for (int k = 0; k < TEST; k++)
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < row; column++) {
                int *a = &x[k * N + row * SIDE + column], *b = &x[k * N + column * SIDE + row];
                int kept = *a;
                *a = *b;
                *b = kept;
            }
}

static double digit_nats(Trial *t)
{
    static int x[TEST * N];
    static double log_p[TEST * N], network[TEST], other[TEST];
    const RasterDigits *d = raster_digits(t->seed);
    if (!d)
        return (double)NAN;
    memcpy(x, d->test, sizeof x);
    if (broken(t, "columns"))
        transpose(x);
    if (!raster_log_p(!broken(t, "untrained"), x, TEST, log_p))
        return (double)NAN;
    nats_from(log_p, 0, network);
    independent_log_p(d, log_p);
    nats_from(log_p, 0, other);
    double least = advantage(t, "independent pixels", network, other);
    neighbours_log_p(d, log_p);
    nats_from(log_p, 0, other);
    return values_least(least, advantage(t, "a table of the 10 nearest before", network, other));
}

/* ---- what looks prove ------------------------------------------------------------------------ */

enum { FILLED = 200 };
typedef enum { TRUE_HALF, COPIED, BLANK, INDEPENDENT, FILLINGS } Filling;

/* Fills the lower half of test digit k, pixel by pixel. white (N): the share of white of each
 * pixel. */
static void fill(const RasterDigits *d, int k, Filling how, const double *white, Rng *rng, int *x)
{
    const int *copied = d->known + nearest_upper(d, d->test + k * N) * N;
    memcpy(x, d->test + k * N, N * sizeof *x);
    for (int i = HALF; i < N && how != TRUE_HALF; i++)
        x[i] = how == COPIED ? copied[i] : how == BLANK ? BLACK : rng_uniform(rng) < white[i];
}

/* The mean number of pixels in which filled digits differ from the nearest of the known ones,
 * relative to true digits: the largest ratio for lower halves that are blank or copied. */
static double looks(Trial *t)
{
    static const char *const names[] = {"the true one", "copied from the nearest upper half",
                                        "blank", "independent pixels"};
    const RasterDigits *d = raster_digits(t->seed);
    double white[N] = {0}, mean[FILLINGS] = {0};
    int x[N];
    for (int i = 0; d && i < RASTER_KNOWN * N; i++)
        white[i % N] += (double)d->known[i] / RASTER_KNOWN;
    for (int how = 0; d && how < FILLINGS; how++) {
        for (int k = 0; k < FILLED; k++) {
            fill(d, k, (Filling)how, white, trial_rng(t, 4911), x);
            mean[how] += (double)nearest_distance(d, x) / FILLED;
        }
        explain(t, "lower half %-34s: %5.2f pixels from the nearest known digit", names[how],
                mean[how]);
    }
    double worst = values_worst(mean[BLANK], mean[COPIED]);
    return (broken(t, "independent") ? mean[INDEPENDENT] : worst) / mean[TRUE_HALF];
}

const Claim completion_claims[] = {
    {49, digit_nats,
     "a GPT over pixels, trained on 192,000 digits, needs fewer nats for new ones than independent "
     "pixels and a table of near pixels",
     .slides = {"Z: Generative image transformers",
                "V: Next Two Lectures: Iterations of Transformers"},
     .quantity =
         "least advantage in standard errors, 500 digits that no training has seen; one training",
     AT_LEAST(4, "4 errors of 500 digits are chance once in 30,000; another training would add "
                 "its own"),
     .faults = {{"untrained", "the weights that training began with"},
                {"columns", "the digits are given column by column"}}},
    {49, looks,
     "a small distance to a digit proves nothing: blank or copied lower halves have it as well",
     .slides = {"Z: Generative image transformers"},
     .quantity = "distance to the nearest of 2,000 digits, of blank or copied / of true halves",
     AT_MOST(1.2, "1: as near as true digits; two means of 200, each to 0.035: 4 errors of their "
                  "ratio"),
     .faults = {{"independent", "lower halves of independent pixels, which this measure does see"}},
     HOLDS_POISONED("compares pictures; no kernel is run")},
    {0},
};
