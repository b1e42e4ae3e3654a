/* digits.c: what the trained model of digits knows (row 49). The model: pixels.h.
 *
 *   -log p(x) = sum_i -log p(x_i | x_1 ... x_(i-1)) */
#include "lectures/07-vision/pixels.h"

enum { N = RASTER_PIXELS, SIDE = RASTER_SIDE, TEST = RASTER_TEST, PER_PASS = 50 };

/* ---- models of digits that are no network ---------------------------------------------------- */

/* (count + 1/2) / (all + 1), the estimate of Krichevsky and Trofimov: never 0 and never 1. */
static double estimate(int count, int all)
{
    return (count + 0.5) / (all + 1.0);
}

static double log_of(double white, int x)
{
    return log(x == WHITE ? white : 1 - white);
}

static void independent_log_p(const RasterDigits *d, double *log_p)
{
    for (int i = 0; i < N; i++) {
        int count = 0;
        for (int k = 0; k < RASTER_KNOWN; k++)
            count += d->known[k * N + i];
        for (int k = 0; k < TEST; k++)
            log_p[k * N + i] = log_of(estimate(count, RASTER_KNOWN), d->test[k * N + i]);
    }
}

enum { NEAR = 10, CONTEXTS = 1 << NEAR };

/* Ten of the pixels that come before pixel i, as a number: four to its left, five above, one above
 * these. */
static int context(const int *x, int i)
{
    static const int down[NEAR] = {0, 0, 0, 0, -1, -1, -1, -1, -1, -2};
    static const int right[NEAR] = {-4, -3, -2, -1, -2, -1, 0, 1, 2, 0};
    int c = 0;
    for (int n = 0; n < NEAR; n++) {
        int row = i / SIDE + down[n], column = i % SIDE + right[n];
        bool inside = row >= 0 && column >= 0 && column < SIDE;
        c = 2 * c + (inside ? x[row * SIDE + column] : BLACK);
    }
    return c;
}

static void neighbours_log_p(const RasterDigits *d, double *log_p)
{
    int all[CONTEXTS] = {0}, white[CONTEXTS] = {0};
    for (int k = 0; k < RASTER_KNOWN * N; k++) {
        int c = context(d->known + k / N * N, k % N);
        all[c]++;
        white[c] += d->known[k];
    }
    for (int k = 0; k < TEST * N; k++) {
        int c = context(d->test + k / N * N, k % N);
        log_p[k] = log_of(estimate(white[c], all[c]), d->test[k]);
    }
}

/* ---- nats ------------------------------------------------------------------------------------ */

/* log p of each pixel of count pictures x, given the pixels before it, into log_p (count, N): of
 * the trained model, or of the one that training began with. */
static bool raster_log_p(bool trained, const int *x, int count, double *log_p)
{
    Raster r;
    Tape *tape = tape_new(1);
    bool ok = raster_begin(&r, trained) && tape;
    tape->no_grad = true;
    for (int i = 0; ok && i < count; i += PER_PASS) {
        int n = count - i < PER_PASS ? count - i : PER_PASS;
        ok = pixels_log_p(&r.model, tape, SEES_EARLIER, x + i * N, n, log_p + i * N);
    }
    tape_free(tape);
    raster_end(&r);
    return ok;
}

/* The nats of each test digit, from log p of all pixels (TEST, N). */
static void nats_of(const double *log_p, double *nats)
{
    for (int k = 0; k < TEST; k++) {
        nats[k] = 0;
        for (int i = 0; i < N; i++)
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

static double digit_nats(Trial *t)
{
    static double log_p[TEST * N], network[TEST], other[TEST];
    const RasterDigits *d = raster_digits(t->seed);
    if (!d || !raster_log_p(!broken(t, "untrained"), d->test, TEST, log_p))
        return (double)NAN;
    nats_of(log_p, network);
    independent_log_p(d, log_p);
    nats_of(log_p, other);
    double least = advantage(t, "independent pixels", network, other);
    neighbours_log_p(d, log_p);
    nats_of(log_p, other);
    return values_least(least, advantage(t, "a table of the 10 nearest before", network, other));
}

const Claim digits_claims[] = {
    {49, digit_nats,
     "a GPT over pixels, trained on 192,000 digits, needs fewer nats for new ones than independent "
     "pixels and a table of near pixels",
     .slides = {"Z: Generative image transformers",
                "V: Next Two Lectures: Iterations of Transformers"},
     .quantity =
         "least advantage in standard errors, 500 digits that no training has seen; one training",
     AT_LEAST(4, "4 errors of 500 digits are chance once in 30,000; another training would add "
                 "its own"),
     .faults = {{"untrained", "the weights that training began with"}}},
    {0},
};
