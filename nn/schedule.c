/* schedule.c: the learning rate over time. */
#include "nn/nn.h"

#include <math.h>

double nn_warmup_cosine(int64_t step, int64_t warmup, int64_t total, double peak, double floor)
{
    if (step < warmup)
        return peak * (double)(step + 1) / (double)warmup;
    if (step >= total)
        return floor;
    double progress = (double)(step - warmup) / (double)(total - warmup);
    return floor + (peak - floor) * 0.5 * (1 + cos(M_PI * progress));
}
