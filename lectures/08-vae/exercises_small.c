/* exercises_small.c: the exercises of row 57 (exercises.c). */
#include "lectures/08-vae/exercises.h"

/* ---- the bound from several samples ---------------------------------------------------------- */

/* log_w (n): logarithms of n weights. Now: the mean of the n logarithms, an estimate of L_1. Change
 * it: the best estimate of L_2, the mean of log((w_i + w_j) / 2) over all pairs i < j. The
 * logarithms may be -1000: exp of that is 0 in double. */
static double bound_of_pairs(const double *log_w, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += log_w[i];
    return sum / n;
}

static double bound_is_right(Trial *t)
{
    double worst = 0; /* weights in the ratios 5 : 1 : 3, whose pairs have the means 2, 3 and 4 */
    for (double shift = 0; shift >= -1000; shift -= 500) {
        double log_w[3] = {shift + log(5), shift, shift + log(3)},
               expected = shift + log(2 * 3 * 4) / 3;
        double bound = TRIED(t, bound_of_pairs, bound_of_pairs_solved,
                             bound_of_pairs_wrong_underflow, bound_of_pairs_wrong_itself)(log_w, 3);
        worst = values_worst(worst, fabs(bound - expected));
        explain(t, "log w about %5.0f: %.4f; expected (log 2 + log 3 + log 4) / 3 more, %.4f",
                shift, bound, expected);
    }
    return worst;
}

/* ---- free bits ------------------------------------------------------------------------------- */

/* kl (B, n): KL(q || p) of B pictures in each of n entries of z. Now: the rate as a VAE's loss has
 * it, the mean over the pictures, added over the entries. Change it: training shall gain nothing by
 * pushing an entry's mean over the pictures below `least` nats. An entry there costs `least` and
 * has no gradient; the others are as before (free bits, Kingma et al. 2016). */
static Tensor *free_bits(Tensor *kl, real least)
{
    (void)least;
    return ag_sum(ag_mean_axis(kl, 0, false));
}

/* Entries with the means 1/4, 3 and 1; the last one is below 1/2 in one picture, not on average.
 * Then all 16 times smaller, so that each mean is below 1/2. */
static double free_bits_are_right(Trial *t)
{
    enum { B = 2, N = 3 };
    static const real numbers[B * N] = {0.125, 2, 0.25, 0.375, 4, 1.75};
    static const double rates[2] = {0.5 + 3 + 1, 1.5}, gradients[N] = {0, 0.5, 0.5};
    FreeBits *rate_of = TRIED(t, free_bits, free_bits_solved, free_bits_wrong_each_picture,
                              free_bits_wrong_whole_rate);
    double worst = 0;
    for (int small = 0; small < 2; small++) {
        Tensor *kl = tape_leaf(trial_tape(t), numbers, shape2(B, N));
        for (int i = 0; i < B * N; i++)
            kl->data[i] *= small ? (real)0.0625 : 1;
        Tensor *rate = rate_of(kl, 0.5);
        worst = values_worst(worst, fabs((double)tensor_item(rate) - rates[small]));
        explain(t, "rate %.4f; expected %g", (double)tensor_item(rate), rates[small]);
        if (!ag_backward(rate))
            return (double)NAN;
        for (int i = 0; i < B * N; i++) {
            double gradient = (double)kl->grad[i], expected = small ? 0 : gradients[i % N];
            worst = values_worst(worst, fabs(gradient - expected));
            explain(t, "picture %d, entry %d: KL %.3f, gradient %.2f; expected %.2f", i / N, i % N,
                    (double)kl->data[i], gradient, expected);
        }
        tape_reset(trial_tape(t));
    }
    return worst;
}

const Claim vae_exercises_small[] = {
    EXERCISE(57, "bound_of_pairs: L_2 from n weights", "H: Training VAEs",
             "max |bound - mean over the pairs|", 1e-9,
             "a few roundings in double, also where every weight is 0 in double", bound_is_right,
             {"underflow", "exp of the logarithms as they are"},
             {"itself", "pairs of a weight with itself, too"}),
    EXERCISE(57, "free_bits: an entry of z costs at least so many nats", "H: Training VAEs",
             "max |rate, gradients - by hand|, means 1/4, 3, 1 and a 16th of them", 1e-6,
             "binary fractions: exact; a rounding of a number below 8 is 2.4e-7",
             free_bits_are_right, {"each_picture", "the maximum before the mean over the pictures"},
             {"whole_rate", "the rate of all entries together is at least n times as much"}),
    {0},
};
