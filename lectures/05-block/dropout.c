/* dropout.c: numbers left out at random (row 33).
 *
 *   a = w_0 x + w_1 y;  with each input dropped with p = 1/2:  E[a] = (w_0 x + w_1 y) / 2
 *                                       J "Regularization: Dropout", "Dropout: Test Time", "At test time...."
 *
 * J scales down at test time. The library scales up in training, by 1 / (1 - p) ("inverted"
 * dropout), so that nothing is left to do at test time; in expectation both are the same. */
#include "lectures/05-block/block.h"

/* ---- the slide's neuron ---------------------------------------------------------------------- */

static const real w[2] = {(real)0.8, (real)1.5}, in[2] = {2, (real)0.6};

/* The neuron w . (mask * x) under the four masks: bit 0 of the mask's number keeps x, bit 1 keeps
 * y. */
static double four_masks(Trial *t)
{
    static const real masks[] = {0, 0, 1, 0, 0, 1, 1, 1};
    double p = broken(t, "quarter") ? 0.25 : 0.5, mean = 0;
    double sum = (double)w[0] * (double)in[0] + (double)w[1] * (double)in[1];
    Tape *tape = trial_tape(t);
    Tensor *kept =
        ag_mul(tape_input(tape, masks, shape2(4, 2)), tape_input(tape, in, shape2(1, 2)));
    Tensor *a = ag_linear(kept, tape_input(tape, w, shape2(1, 2)), NULL); /* (4, 1) */
    for (int mask = 0; mask < 4; mask++) {
        double chance = (mask & 1 ? 1 - p : p) * (mask & 2 ? 1 - p : p);
        mean += chance * (double)a->data[mask];
        explain(t, "x %s, y %s: a = %5.2f, with probability %.4f", mask & 1 ? "kept   " : "dropped",
                mask & 2 ? "kept   " : "dropped", (double)a->data[mask], chance);
    }
    explain(t, "E[a] = %.4f; (w_0 x + w_1 y) / 2 = %.4f; test time without scaling: %.4f", mean,
            sum / 2, sum);
    return fabs(mean - sum / 2);
}

/* ---- the library's --------------------------------------------------------------------------- */

/* The mean of dropout(x) over many masks, against x, in standard errors of the mean: x sqrt(p / ((1
 * - p) n)). */
static double inverted(Trial *t)
{
    enum { UNITS = 8, DRAWS = 4000 };
    Tape *tape = trial_tape(t);
    const double p = 0.3;
    double sum[UNITS] = {0}, worst = 0;
    tape->training = true;
    for (int d = 0; d < DRAWS; d++) {
        tape_reset(tape);
        Tensor *y = ag_dropout(tape_full(tape, 2, shape1(UNITS)), (real)p);
        if (broken(t, "not-inverted"))
            y = ag_scale(y, (real)(1 - p));
        for (int i = 0; i < UNITS; i++)
            sum[i] += (double)y->data[i] / DRAWS;
    }
    for (int i = 0; i < UNITS; i++) {
        double error = 2 * sqrt(p / (1 - p) / DRAWS);
        worst = values_worst(worst, fabs(sum[i] - 2) / error);
        explain(t, "unit %d: mean over %d masks %.4f +- %.4f; without dropout 2", i + 1, DRAWS,
                sum[i], error);
    }
    return worst;
}

/* ---- an ensemble ----------------------------------------------------------------------------- */

enum { HIDDEN = 10, OUTPUTS = 4, NETWORKS = 1 << HIDDEN };

/* Logits of the 2^HIDDEN networks that dropout makes of one, (NETWORKS, OUTPUTS), for one input,
 * whose hidden units are the same in all; and, in *scaled (1, OUTPUTS), those of one pass with
 * every unit kept and halved. */
static Tensor *all_networks(Tape *tape, uint64_t seed, Tensor **scaled)
{
    static real masks[NETWORKS * HIDDEN];
    Rng rng = {.seed = seed, .stream = 331};
    Tensor *hidden = values_normal(tape, &rng, shape2(1, HIDDEN), 1);
    Tensor *second = values_normal(tape, &rng, shape2(OUTPUTS, HIDDEN), 0.5);
    for (int i = 0; i < NETWORKS * HIDDEN; i++)
        masks[i] = (real)(i / HIDDEN >> i % HIDDEN & 1);
    *scaled = ag_linear(ag_scale(hidden, (real)0.5), second, NULL);
    Tensor *kept = ag_mul(tape_input(tape, masks, shape2(NETWORKS, HIDDEN)), hidden);
    return ag_linear(kept, second, NULL);
}

/* p_k ~ prod_m p_k(m)^(1/M): the normalised geometric mean of the networks' probabilities, in three
 * lines.
 *   1  log p_k(m) = s_k(m) - log sum_j exp s_j(m)          softmax of each network's scores s(m)
 *   2  its mean over m is mean s_k(m) + a number that does not depend on k
 *   3  mean s_k(m) is the score of the halved pass, since s is linear in the kept units */
static double ensemble(Trial *t)
{
    Tensor *scaled, *scores = all_networks(trial_tape(t), t->seed, &scaled);
    Tensor *arithmetic = ag_mean_axis(ag_softmax(scores), 0, true);
    Tensor *geometric = ag_softmax(ag_mean_axis(ag_log_softmax(scores), 0, true));
    Tensor *pass = ag_softmax(scaled);
    double exact = values_difference(geometric, pass), near = values_difference(arithmetic, pass);
    explain(t, "geometric mean of 1,024 networks, normalised, and the halved pass: %.1g apart",
            exact);
    explain(t, "arithmetic mean and the halved pass: %.4f apart", near);
    return broken(t, "arithmetic-mean") ? near : exact;
}

const Claim dropout_claims[] = {
    {33, four_masks,
     "the mean over the four dropout masks of two inputs is E[a] = (w_0 x + w_1 y) / 2",
     .slides = {"J: Dropout: Test Time", "J: At test time....", "J: Regularization: Dropout"},
     .quantity = "|E[a] - half of the sum|, all four enumerated",
     AT_MOST(1e-6, "four floats of size 1 to 3, each rounded by some 1e-7"),
     .faults = {{"quarter", "p is 1/4: a factor 1/2 no longer fits"}}},
    {33, inverted, "scaled by 1 / (1 - p), dropout leaves the expectation as it is",
     .slides = {"J: At test time....", "J: Residual Connections, Dropout, and Normalization"},
     .quantity = "largest |mean - x| in standard errors, 8 units, p = 0.3",
     AT_MOST(5, "5 standard errors: by chance once in 200,000 such tables of 8"),
     .faults = {{"not-inverted", "kept numbers stay as they are"}}},
    {33, ensemble,
     "of one dropped layer before a softmax the halved pass is the geometric mean of 2^n networks",
     .slides = {"J: Dropout: Test Time", "J: Waaaaait a second..."},
     .quantity = "max |normalised geometric mean of 1,024 networks - halved pass|",
     AT_MOST(1e-5, "an identity, by three lines; a sum of 1,024 floats is rounded by some 1e-6"),
     .faults = {{"arithmetic-mean", "the mean of the probabilities, which is only near"}}},
    {0},
};
