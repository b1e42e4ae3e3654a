/* amounts.c: what a bias is good for (row 48). V "RNNs vs. Transformers": requires lots of data
 *
 * A convolution gives a moved picture the same numbers, moved; the mean over all positions then
 * gives the same features. A ViT has to learn each position by itself, and so it needs more
 * data. */
#include "lectures/07-vision/digit_models.h"

enum { AMOUNTS = 5 };
static const int amounts[AMOUNTS] = {125, 500, 1000, 2000, 4000};

/* The accuracy of a model that was trained for DIGIT_STEPS steps on so many digits. */
static double trained_on(uint64_t seed, DigitModelKind kind, int count)
{
    Pictures some = {0};
    DigitModel m;
    double accuracy = (double)NAN;
    if (pictures_drawn(&some, count, 1, seed) &&
        digit_model_begin(&m, kind, STRAIGHT, false, seed) && digit_model_train(&m, &some, seed))
        accuracy = digit_model_accuracy(&m, seed);
    digit_model_end(&m);
    pictures_free(&some);
    return accuracy;
}

static double few_digits(Trial *t)
{
    enum { FEW = 125 };
    double vit = trained_on(t->seed, DIGIT_CLASS, FEW);
    double other = trained_on(t->seed, broken(t, "vit") ? DIGIT_CLASS : DIGIT_CONVNET, FEW);
    explain(t, "trained on %d digits: ViT %.3f, convolutions %.3f, standard error %.3f", FEW, vit,
            other, digit_model_error(vit, other));
    return other - vit;
}

const Claim amounts_claims[] = {
    {48, few_digits, "trained on 125 digits convolutions classify more new ones than a small ViT",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "accuracy of convolutions - of the ViT, 300 steps on 125 digits",
     AT_LEAST(0.06, "4 standard errors of two shares near 1/2 of 2,000 digits, 0.015"),
     .faults = {{"vit", "a ViT in place of the convolutions"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_amounts(const Sketch *s)
{
    double x[AMOUNTS], share[2][AMOUNTS];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < AMOUNTS; i++) {
            x[i] = amounts[i];
            share[k][i] = trained_on(s->seed, k ? DIGIT_CLASS : DIGIT_CONVNET, amounts[i]);
        }
    const PlotSeries series[] = {{"three convolutions", x, share[0], AMOUNTS},
                                 {"ViT", x, share[1], AMOUNTS}};
    return SKETCH_CURVES(s, "How many digits to learn from", series, .x_name = "digits to train on",
                         .y_name = "accuracy on 2,000 new ones", .log_x = true, .y_low = 0,
                         .y_high = 1);
}

const Figure amounts_figures[] = {
    {48, "amounts", draw_amounts,
     .what = "accuracy over the number of training digits: convolutions need fewer than a ViT"},
    {0},
};
