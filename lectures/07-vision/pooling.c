/* pooling.c: one vector for a picture (row 48).
 *
 *   J "Transformer Encoder for Image Classification": a special [CLASS] token aggregates the image's information;
 *   alternatively, average pooling over the patches
 *
 * Attention of one query: y = sum_i a_i v_i, a = softmax(q.k_1 ... q.k_n / sqrt(d)). */
#include "lectures/07-vision/digit_models.h"

enum { STREAM = 4840, PATCHES = 16, D = 8 };

/* ---- averaging is attention ------------------------------------------------------------------ */

static double mean_is_attention(Trial *t)
{
    Shape tokens = shape4(1, 1, PATCHES, D), one = shape4(1, 1, 1, D);
    Tensor *k = trial_normal(t, STREAM, tokens), *v = trial_normal(t, STREAM, tokens);
    Tensor *random = trial_normal(t, STREAM, one), *zero = tape_full(trial_tape(t), 0, one);
    Tensor *q = broken(t, "random-query") ? random : zero;
    Tensor *mean = ag_mean_axis(v, 2, true);
    double off = values_difference(ag_attention(q, k, v, (Mask){0}, 0), mean);
    explain(t, "q = 0: %d equal scores, weights 1/%d; max |attention - mean of v| = %.2g", PATCHES,
            PATCHES, off);
    explain(t, "a random q: max |attention - mean of v| = %.2g",
            values_difference(ag_attention(random, k, v, (Mask){0}, 0), mean));
    return off;
}

/* ---- both, trained --------------------------------------------------------------------------- */

static double both_trained(Trial *t)
{
    DigitModelKind other = broken(t, "unordered") ? DIGIT_UNORDERED : DIGIT_MEAN;
    double token =
        digit_model_accuracy(digit_model(t->seed, DIGIT_TRAINED, STRAIGHT, false), t->seed, 0);
    double mean = digit_model_accuracy(digit_model(t->seed, other, STRAIGHT, false), t->seed, 0);
    explain(t, "[CLASS] %.4f, mean over patches%s %.4f: %+.4f, standard error %.4f", token,
            other == DIGIT_MEAN ? "" : " without positions", mean, mean - token,
            digit_model_error(token, mean));
    return fabs(token - mean);
}

const Claim pooling_claims[] = {
    {48, mean_is_attention,
     "attention of one query whose scores are all equal is the average of the values",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "max |attention of a zero query - mean of the values|, 16 patches",
     AT_MOST(1e-5, "weights of exp(0) / 16; a sum of 16 numbers of size 1 is rounded by some 1e-7"),
     .faults = {{"random-query", "a query that scores the patches differently"}}},
    {48, both_trained,
     "after 1,000 steps average pooling in place of [CLASS] classifies as many digits correctly, "
     "within 0.04",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "|accuracy with [CLASS] - with the mean|, 2,000 digits",
     AT_MOST(0.04, "4 times 0.01: two accuracies of 0.9 on 2,000 digits differ by 0 +- 0.0095"),
     .faults = {{"unordered", "the mean over patches without positions"}}},
    {0},
};
