/* schedule.c: learning-rate schedules. Each is a function of the step alone, so that a checkpoint
 * need not save it. All are 0-based: step 0 is the first step, and its rate is not 0, so that no
 * step is lost. Times are counted in steps, not in epochs. */
#include "nn/nn.h"

#include <math.h>

static double half_cosine(double a, double b, double progress)
{
    return b + (a - b) * 0.5 * (1 + cos(M_PI * progress));
}

/* Linear warm-up (Goyal et al. 2017), 1/warmup of the peak at step 0 and the peak at step
 * warmup - 1; then down to floor at step `total`. */
static double warm_up(int64_t step, int64_t warmup, int64_t total, double peak, double floor,
                      bool cosine)
{
    if (step < warmup)
        return peak * (double)(step + 1) / (double)warmup;
    if (step >= total)
        return floor;
    double since = (double)step - (double)warmup, all = (double)total - (double)warmup;
    return cosine ? half_cosine(peak, floor, since / all) : peak + (floor - peak) * since / all;
}

/* "SGDR" (Loshchilov and Hutter 2017) without restarts, after a warm-up. */
double nn_warmup_cosine(int64_t step, int64_t warmup, int64_t total, double peak, double floor)
{
    return warm_up(step, warmup, total, peak, floor, true);
}

/* A straight line: BERT was trained with it. */
double nn_warmup_linear(int64_t step, int64_t warmup, int64_t total, double peak, double floor)
{
    return warm_up(step, warmup, total, peak, floor, false);
}

double nn_noam(int64_t step, int64_t channels, int64_t warmup, double factor)
{
    double n = step < 0 ? 1 : (double)step + 1;
    double rising = warmup > 0 ? n * pow((double)warmup, -1.5) : INFINITY;
    return factor / sqrt((double)channels) * fmin(1 / sqrt(n), rising);
}

/* Smith and Topin, "Super-convergence" (2018), with the constants of PyTorch's OneCycleLR. The peak
 * is at 0.3 total - 1, which need not be a whole number. */
double nn_one_cycle(int64_t step, int64_t total, double peak)
{
    double first = peak / 25, last = first / 1e4;
    double top = 0.3 * (double)total - 1, end = (double)total - 1, at = step > 0 ? (double)step : 0;
    if (at >= end)
        return last;
    return at <= top ? half_cosine(first, peak, at / top)
                     : half_cosine(peak, last, (at - top) / (end - top));
}
