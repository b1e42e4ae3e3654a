/* baselines.c: models of digits that are no network, for row 49. See pixels.h. */
#include "lectures/07-vision/pixels.h"

enum { N = RASTER_PIXELS, SIDE = RASTER_SIDE };

/* (count + 1/2) / (all + 1), the estimate of Krichevsky and Trofimov: never 0 and never 1. */
static double estimate(int count, int all)
{
    return (count + 0.5) / (all + 1.0);
}

static double log_of(double white, int x)
{
    return log(x == WHITE ? white : 1 - white);
}

void independent_log_p(const RasterDigits *d, double *log_p)
{
    for (int i = 0; i < N; i++) {
        int count = 0;
        for (int k = 0; k < RASTER_KNOWN; k++)
            count += d->known[k * N + i];
        for (int k = 0; k < RASTER_TEST; k++)
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

void neighbours_log_p(const RasterDigits *d, double *log_p)
{
    int all[CONTEXTS] = {0}, white[CONTEXTS] = {0};
    for (int k = 0; k < RASTER_KNOWN * N; k++) {
        int c = context(d->known + k / N * N, k % N);
        all[c]++;
        white[c] += d->known[k];
    }
    for (int k = 0; k < RASTER_TEST * N; k++) {
        int c = context(d->test + k / N * N, k % N);
        log_p[k] = log_of(estimate(white[c], all[c]), d->test[k]);
    }
}

/* ---- nearest neighbours ---------------------------------------------------------------------- */

enum { HALF = N / 2 };

static int differences(const int *a, const int *b, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] != b[i];
    return sum;
}

int nearest_upper(const RasterDigits *d, const int *x)
{
    int best = 0;
    for (int n = 1; n < RASTER_KNOWN; n++)
        if (differences(x, d->known + n * N, HALF) < differences(x, d->known + best * N, HALF))
            best = n;
    return best;
}

int nearest_distance(const RasterDigits *d, const int *x)
{
    int least = N;
    for (int n = 0; n < RASTER_KNOWN; n++) {
        int off = differences(x, d->known + n * N, N);
        least = off < least ? off : least;
    }
    return least;
}
