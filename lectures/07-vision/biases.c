/* biases.c: what a ViT assumes of pictures (row 48).
 *
 *   J "Transformer Encoder for Image Classification": free of inductive bias; a special [CLASS] token,
 *   or average pooling over the patches
 *
 * One fixed order of the pixels is applied to every picture, in training and in the test. For whom
 * is the task the same?
 *   patches in any order, pixels of a patch in any order (one for all patches)  the same for a ViT: relabel its weights
 *   all 784 pixels in any order                                                 no relabelling; measured
 *   either                                                                      not the same for a convolution */
#include "lectures/07-vision/digit_models.h"

/* ---- [CLASS], or the average over the patches ------------------------------------------------ */

static double both_trained(Trial *t)
{
    DigitModelKind other = broken(t, "unordered") ? DIGIT_UNORDERED : DIGIT_MEAN;
    double token =
        digit_model_accuracy(digit_model(t->seed, DIGIT_TRAINED, STRAIGHT, false), t->seed);
    double mean = digit_model_accuracy(digit_model(t->seed, other, STRAIGHT, false), t->seed);
    explain(t, "[CLASS] %.4f, mean over patches%s %.4f: %+.4f, standard error %.4f", token,
            other == DIGIT_MEAN ? "" : " without positions", mean, mean - token,
            digit_model_error(token, mean));
    return fabs(token - mean);
}

/* ---- the same function with other labels ----------------------------------------------------- */

/* dL/dE of a ViT with initial weights, and its logits in *logits, for one batch of the test digits
 * in its order. */
static Tensor *one_pass(DigitModel *m, uint64_t seed, Tape *tape, Tensor **logits)
{
    static real x[DIGIT_BATCH * DIGIT_PIXELS];
    int32_t labels[DIGIT_BATCH];
    if (!pictures_test(digit_model_digits(seed), 0, DIGIT_BATCH, x, labels))
        return tensor_poison();
    order_apply(&m->order, x, DIGIT_BATCH);
    *logits = digit_model_logits(m, tape, x, DIGIT_BATCH);
    Tensor *E = m->vit.embed.weight;
    if (!ag_backward(ag_cross_entropy(*logits, tape_ids(tape, labels, shape1(DIGIT_BATCH)))))
        return tensor_poison();
    return tape_input(tape, E->grad, E->shape);
}

/* The columns of a (C, 49) in the order of a patch's pixels. */
static Tensor *columns_in_order(Tensor *a, const int *within)
{
    return ag_transpose(values_permuted(ag_transpose(a, 0, 1), within), 0, 1);
}

/* max |difference| of logits and of dL/dE between a ViT on straight pictures and one on rearranged
 * ones. */
static double relabelled(Trial *t)
{
    DigitModel straight, other;
    Tensor *logits = NULL, *other_logits = NULL;
    Tape *tape = tape_new(t->seed), *second = tape_new(t->seed);
    Arrangement a = broken(t, "own-orders")  ? OWN_ORDERS
                    : broken(t, "scattered") ? SCATTERED
                                             : SHUFFLED;
    bool ok = digit_model_begin(&straight, DIGIT_CLASS, STRAIGHT, false, t->seed) &&
              digit_model_begin(&other, DIGIT_CLASS, a, !broken(t, "same-weights"), t->seed);
    Tensor *g = ok ? one_pass(&straight, t->seed, tape, &logits) : tensor_poison();
    Tensor *h = ok ? one_pass(&other, t->seed, second, &other_logits) : tensor_poison();
    double values = values_difference(logits, other_logits);
    Tensor *same = columns_in_order(g, other.order.within[0]);
    double slopes = values_difference(same, h);
    explain(t, "logits of %d digits, of size up to %.2f: max |difference| %.2g", DIGIT_BATCH,
            values_largest(logits), values);
    explain(t, "dL/dE', of size up to %.2g, less dL/dE with its columns in the pixels' order: %.2g",
            values_largest(h), slopes);
    tape_free(second);
    tape_free(tape);
    digit_model_end(&straight);
    digit_model_end(&other);
    return values_worst(values, slopes);
}

/* ---- all pixels ------------------------------------------------------------------------------ */

static double scattered(Trial *t)
{
    DigitModelKind kinds[] = {DIGIT_CLASS, broken(t, "vit") ? DIGIT_CLASS : DIGIT_CONVNET};
    Arrangement a = broken(t, "straight") ? STRAIGHT : SCATTERED;
    double loss[2];
    for (int k = 0; k < 2; k++) {
        double before =
            digit_model_accuracy(digit_model(t->seed, kinds[k], STRAIGHT, false), t->seed);
        double after = digit_model_accuracy(digit_model(t->seed, kinds[k], a, false), t->seed);
        loss[k] = before - after;
        explain(t, "%s: %.3f on straight pictures, %.3f on scattered ones: %+.3f +- %.3f",
                k ? "convolutions" : "ViT         ", before, after, -loss[k],
                digit_model_error(before, after));
    }
    return loss[1] - loss[0];
}

const Claim biases_claims[] = {
    {48, both_trained,
     "after 1,000 steps average pooling in place of [CLASS] classifies as many digits correctly, "
     "within 0.04",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "|accuracy with [CLASS] - with the mean|, 2,000 digits",
     AT_MOST(0.04, "4 times 0.01: two accuracies of 0.9 on 2,000 digits differ by 0 +- 0.0095"),
     .faults = {{"unordered", "the mean over patches without positions"}}},
    {48, relabelled,
     "a ViT computes the same on pictures with permuted patches and pixels, if its weights are "
     "permuted likewise",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "max |difference| of logits and of dL/dE, shuffled against straight pictures",
     AT_MOST(1e-4, "the same sums in another order: numbers of size 1 through some ten ops of 50 "
                   "terms, each rounded by 6e-8"),
     .faults = {{"own-orders", "the pixels of each patch have an order of their own"},
                {"scattered", "all 784 pixels in another order"},
                {"same-weights", "the weights are not relabelled"}},
     .against = {QUALIFIED, "J: Transformer Encoder for Image Classification",
                 "\"Free of inductive bias\", beside \"1D is sufficient\" (it is free of one about "
                 "the order of the patches; that a patch is one token, and that one matrix reads "
                 "all of them, is a bias)"}},
    {48, scattered,
     "one fixed order of all pixels costs convolutions more accuracy than a small ViT, trained for "
     "300 steps",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "accuracy that convolutions lose - accuracy that the ViT loses, 2,000 digits",
     AT_LEAST(0.1, "over 20 seeds the difference is 0.19 to 0.45, so trainings differ by some "
                   "0.06 (the digits alone: 0.018); models that lose alike have 0"),
     .faults = {{"straight", "the pictures stay as they are"},
                {"vit", "a ViT in place of the convolutions"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

enum { SHOWN = 4 };
static const Arrangement shown[SHOWN] = {STRAIGHT, PATCHES_ALONE, SHUFFLED, SCATTERED};

/* The same two digits in the four orders. */
static bool draw_arranged(const Sketch *s)
{
    static const char *const names[SHOWN] = {"straight", "patches permuted", "shuffled",
                                             "all pixels scattered"};
    real x[2 * DIGIT_PIXELS];
    PlotHeatmap maps[2 * SHOWN];
    PixelOrder o;
    Tape *tape = tape_new(s->seed);
    bool ok = true;
    for (int k = 0; k < 2 * SHOWN; k++) {
        ok = ok && pictures_test(digit_model_digits(s->seed), 0, 2, x, NULL);
        order_draw(&o, shown[k % SHOWN], s->seed);
        order_apply(&o, x, 2);
        Tensor *picture =
            tape_input(tape, x + k / SHOWN * DIGIT_PIXELS, shape2(DIGIT_SIDE, DIGIT_SIDE));
        maps[k] = sketch_picture(picture, names[k % SHOWN]);
    }
    ok = ok && plot_heatmaps(s->stem, maps, 2 * SHOWN, sketch_title(s, "Two digits in four orders"),
                             s->formats);
    tape_free(tape);
    return ok;
}

/* The accuracy of both models on pictures in the four orders. */
static bool draw_orders(const Sketch *s)
{
    static const char *const names[2 * SHOWN] = {
        "ViT: straight", "ViT: patches permuted", "ViT: shuffled", "ViT: scattered",
        "CNN: straight", "CNN: patches permuted", "CNN: shuffled", "CNN: scattered",
    };
    double share[2 * SHOWN], error = 0;
    char title[80];
    for (int i = 0; i < 2 * SHOWN; i++) {
        DigitModelKind kind = i < SHOWN ? DIGIT_CLASS : DIGIT_CONVNET;
        Arrangement a = shown[i % SHOWN];
        bool relabelled = kind == DIGIT_CLASS && (a == SHUFFLED || a == PATCHES_ALONE);
        share[i] = digit_model_accuracy(digit_model(s->seed, kind, a, relabelled), s->seed);
        error = values_worst(error, sqrt(share[i] * (1 - share[i]) / DIGIT_TEST));
    }
    snprintf(title, sizeof title, "Accuracy on 2,000 digits (standard error at most %.3f)", error);
    const PlotBars bars = {.names = names, .values = share, .count = 2 * SHOWN};
    return plot_bars(s->stem, &bars, 1, sketch_title(s, title), s->formats);
}

const Figure biases_figures[] = {
    {48, "arranged", draw_arranged,
     .what = "two digits straight, with permuted patches, with permuted pixels in these, and "
             "scattered"},
    {48, "orders", draw_orders,
     .what = "accuracy on pictures in four orders: a ViT keeps it, convolutions do not"},
    {0},
};
