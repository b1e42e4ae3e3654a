/* ink.c: which patches the class token needs: its arc to one patch is cut (row 48).
 *
 *   A_0j = 0 in all heads: the class token gets nothing from patch j, and the rest is computed again
 *
 * The model is a ViT of one layer (digit_models.h), so that a patch reaches the answer by this arc
 * alone. */
#include "lectures/07-vision/digit_models.h"

#include "autograd/inspect.h"

enum { INK_DIGITS = 200, INK_SIDE = 7, INK_PATCHES = 16 };

/* Has the patch a pixel of ink? */
static bool has_ink(const real *x, int patch)
{
    int row = patch / 4 * INK_SIDE, column = patch % 4 * INK_SIDE;
    for (int i = 0; i < INK_SIDE * INK_SIDE; i++)
        if (x[(row + i / INK_SIDE) * DIGIT_SIDE + column + i % INK_SIDE] > (real)0.5)
            return true;
    return false;
}

/* log p of the digit without the arcs to a patch; -1: with all. */
static double log_p_without(const DigitModel *m, Tape *tape, const real *x, int label, int patch,
                            bool spared)
{
    tape_reset(tape);
    Edit e = {.part = {[2] = {0, 1}, [3] = {patch + 1, patch + 2}}};
    if (spared)
        e.kind = EDIT_SCALE, e.factor = 1;
    if (patch >= 0)
        tape_edit(tape, "blocks.0.attn.A", e);
    Tensor *logits = digit_model_logits(m, tape, x, 1);
    return (double)logits->data[label] - (double)tensor_item(ag_logsumexp(logits, 1, false));
}

/* By how much log p of the digit falls, on average over the patches with ink less those without.
 * (In absolute value it changes more by patches with ink before training, too: they differ
 * more.) */
static double ink_matters(Trial *t)
{
    static real x[INK_DIGITS * DIGIT_PIXELS];
    int32_t label[INK_DIGITS];
    double with[INK_DIGITS], without[INK_DIGITS], n_with = 0, n_without = 0;
    DigitModel begun = {0};
    Tape *tape = trial_tape(t);
    const DigitModel *m = &begun;
    if (broken(t, "untrained"))
        digit_model_begin(&begun, DIGIT_TRAINED, STRAIGHT, false, t->seed);
    else
        m = digit_model(t->seed, DIGIT_TRAINED, STRAIGHT, false);
    pictures_test(digit_model_digits(t->seed), 0, INK_DIGITS, x, label);
    for (int i = 0; i < INK_DIGITS; i++) {
        const real *picture = x + i * DIGIT_PIXELS;
        double sum[2] = {0}, count[2] = {0};
        double whole = log_p_without(m, tape, picture, label[i], -1, false);
        for (int k = 0; k < INK_PATCHES; k++) {
            bool ink = has_ink(picture, k);
            sum[ink] += whole - log_p_without(m, tape, picture, label[i], k, broken(t, "spared"));
            count[ink]++;
        }
        with[i] = sum[1] / count[1];
        without[i] = count[0] > 0 ? sum[0] / count[0] : 0;
        n_with += count[1] / INK_DIGITS, n_without += count[0] / INK_DIGITS;
    }
    digit_model_end(&begun);
    Mean difference = values_mean_difference(with, without, INK_DIGITS);
    explain(t, "%.1f patches with ink, %.1f without", n_with, n_without);
    explain(t, "without its arc log p falls by %.3f and %.3f; difference %.3f +- %.3f",
            values_mean(with, INK_DIGITS).mean, values_mean(without, INK_DIGITS).mean,
            difference.mean, difference.error);
    return difference.mean;
}

const Claim ink_claims[] = {
    {48, ink_matters, "the class token needs the patches under the digit more than the blank ones",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "fall of log p by cutting the arc to a patch, ink less blank, in nats, 200 digits",
     AT_LEAST(0.05, "the mean over 200 digits has an error of 0.02; before training log p falls "
                    "by 0.01 or less, whichever patch is cut"),
     .faults = {{"untrained", "the weights it began with"}, {"spared", "nothing is cut"}}},
    {0},
};
