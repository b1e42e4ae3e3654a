/* grid.c: does a model that reads pixels in one row find the rows of the picture? (row 49). The
 * model: pixels.h.
 *
 *   influence of pixel j on pixel i > j:  E |log-odds of x_i with x_j as it is - with x_j changed| */
#include "lectures/07-vision/pixels.h"

#include <string.h>

enum { N = RASTER_PIXELS, SIDE = RASTER_SIDE, SEEN = 50, FLIPS = 9 };

/* Pixels in the middle of the picture, where strokes are. */
static int flipped(int f)
{
    return (4 + 2 * (f / 3)) * SIDE + 5 + 2 * (f % 3);
}

static double log_odds(double log_p, int x)
{
    double other = log1p(-exp(log_p));
    return x == WHITE ? log_p - other : other - log_p;
}

bool grid_influence(uint64_t seed, bool trained, double mean[GRID_REACH + 1])
{
    static int x[SEEN * N];
    static double as_is[SEEN * N], changed[SEEN * N];
    const RasterDigits *d = raster_digits(seed);
    memset(mean, 0, (GRID_REACH + 1) * sizeof *mean);
    if (!d || !raster_log_p(trained, d->test, SEEN, as_is))
        return false;
    for (int f = 0; f < FLIPS; f++) {
        int j = flipped(f);
        memcpy(x, d->test, sizeof x);
        for (int b = 0; b < SEEN; b++)
            x[b * N + j] = !x[b * N + j];
        if (!raster_log_p(trained, x, SEEN, changed))
            return false;
        for (int i = 0; i < SEEN * (GRID_REACH + 1); i++) {
            int k = i % (GRID_REACH + 1), at = i / (GRID_REACH + 1) * N + j + k;
            if (k)
                mean[k] += fabs(log_odds(as_is[at], x[at]) - log_odds(changed[at], x[at])) /
                           (SEEN * FLIPS);
        }
    }
    return true;
}

/* The influence of the pixel above, 14 tokens before, over the largest of those 4 to 11 tokens
 * before. */
static double finds_rows(Trial *t)
{
    double mean[GRID_REACH + 1], between = 0;
    if (!grid_influence(t->seed, !broken(t, "untrained"), mean))
        return (double)NAN;
    for (int k = 4; k <= 11; k++)
        between = values_worst(between, mean[k]);
    explain(t, "1 before (left): %.3f; 2 before: %.3f; 4 to 11 before: at most %.3f", mean[1],
            mean[2], between);
    explain(t, "13 before (above, to the right): %.3f; 14 (above): %.3f; 15: %.3f; 28: %.3f",
            mean[13], mean[14], mean[15], mean[28]);
    return mean[SIDE] / between;
}

const Claim vision_grid_claims[] = {
    {49, finds_rows,
     "with 1-D positions a GPT over pixels learns that the pixel above, 14 tokens back, matters "
     "more than those 4 to 11 back",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity =
         "change of log-odds by the pixel above / by any 4 to 11 tokens before; one training",
     AT_LEAST(2, "whatever falls with the distance in tokens gives less than 1; the double is no "
                 "accident"),
     .faults = {{"untrained", "the weights that training began with"}}},
    {0},
};
