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

/* ---- what reaches the token ------------------------------------------------------------------ */

/* max |logits of one picture - of another| of a ViT with initial weights; NaN where no logits were
 * computed. */
static double pictures_apart(uint64_t seed, Pool pool, int layers)
{
    enum { SIDE = 8 };
    Model m;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = STREAM + 1};
    vit_init(&m, p,
             (ModelConfig){.side = SIDE,
                           .colours = 1,
                           .patch = 2,
                           .channels = 16,
                           .heads = 2,
                           .layers = layers,
                           .classes = 10,
                           .position = POSITION_LEARNED,
                           .pool = (int)pool});
    Tensor *x = values_normal(tape, &rng, shape4(2, 1, SIDE, SIDE), 1);
    Tensor *logits = vit_logits(&m, x);
    bool computed = values_largest(logits) > 0;
    Tensor *apart = ag_sub(ag_slice(logits, 0, 0, 1), ag_slice(logits, 0, 1, 2));
    double largest = computed ? values_largest(apart) : (double)NAN;
    tape_free(tape);
    params_free(p);
    return largest;
}

static double only_attention(Trial *t)
{
    bool mean = broken(t, "mean"), layer = broken(t, "one-layer");
    double without = pictures_apart(t->seed, mean ? POOL_MEAN : POOL_CLASS, layer ? 1 : 0);
    explain(t, "two pictures, no layer: logits of [CLASS] differ by %.2g, of the mean by %.2g",
            pictures_apart(t->seed, POOL_CLASS, 0), pictures_apart(t->seed, POOL_MEAN, 0));
    explain(t, "with one layer of attention:            %.2g                %.2g",
            pictures_apart(t->seed, POOL_CLASS, 1), pictures_apart(t->seed, POOL_MEAN, 1));
    return without;
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
    {48, only_attention,
     "[CLASS] is the same for every picture: it learns about the picture through attention alone",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "max |difference| of two pictures' logits, [CLASS] without a layer",
     EXACTLY(0, "without attention its row of numbers is c + p_0, whatever the patches are"),
     .faults = {{"mean", "the mean over patches, which sees each of them"},
                {"one-layer", "one layer of attention"}}},
    {48, both_trained,
     "after 1,000 steps average pooling in place of [CLASS] classifies as many digits correctly, "
     "within 0.04",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "|accuracy with [CLASS] - with the mean|, 2,000 digits",
     AT_MOST(0.04, "4 times 0.01: two accuracies of 0.9 on 2,000 digits differ by 0 +- 0.0095"),
     .faults = {{"unordered", "the mean over patches without positions"}}},
    {0},
};
