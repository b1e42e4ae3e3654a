/* moved.c: what a bias is good for, and what a ViT learns in its place (row 48).
 *
 * A convolution gives a moved picture the same numbers, moved; the mean over all positions then
 * gives the same features. A ViT has to learn each position by itself: it meets moved digits as new
 * ones, and so it needs more data. */
#include "lectures/07-vision/digit_models.h"

enum { MOVED = 3, MOST = 6 };

/* ---- moved digits ---------------------------------------------------------------------------- */

static double moved(Trial *t)
{
    int right = broken(t, "not-moved") ? 0 : MOVED;
    const DigitModel *kind[] = {digit_model(t->seed, DIGIT_CLASS, STRAIGHT, false),
                                digit_model(t->seed, broken(t, "vit") ? DIGIT_CLASS : DIGIT_CONVNET,
                                            STRAIGHT, false)};
    double fall[2];
    for (int k = 0; k < 2; k++) {
        double before = digit_model_accuracy(kind[k], t->seed, 0);
        double after = digit_model_accuracy(kind[k], t->seed, right);
        fall[k] = before - after;
        explain(t, "%s: %.3f; moved by %d pixels to the right %.3f: %+.3f +- %.3f",
                k ? "convolutions" : "ViT         ", before, right, after, -fall[k],
                digit_model_error(before, after));
    }
    return fall[0] - fall[1];
}

/* ---- how many digits to learn from ----------------------------------------------------------- */

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
        accuracy = digit_model_accuracy(&m, seed, 0);
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

const Claim moved_claims[] = {
    {48, moved,
     "digits moved by 3 pixels, unseen in 300 steps of training, cost the ViT more than "
     "convolutions",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "accuracy that the ViT loses - accuracy that the convolutions lose, 2,000 digits",
     AT_LEAST(0.1, "over 20 seeds the difference is 0.19 to 0.4, so trainings differ by some 0.06 "
                   "(the digits alone: 0.017); models that lose alike have 0"),
     .faults = {{"not-moved", "the digits are not moved"},
                {"vit", "a ViT in place of the convolutions"}}},
    {48, few_digits, "trained on 125 digits convolutions classify more new ones than a small ViT",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "accuracy of convolutions - of the ViT, 300 steps on 125 digits",
     AT_LEAST(0.06, "4 standard errors of two shares near 1/2 of 2,000 digits, 0.015"),
     .faults = {{"vit", "a ViT in place of the convolutions"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_moved(const Sketch *s)
{
    static const char *const names[] = {"three convolutions, mean over positions",
                                        "ViT, learned positions"};
    double x[MOST + 1], share[2][MOST + 1], error[2][MOST + 1];
    const double *errors[] = {error[0], error[1]};
    PlotSeries series[2];
    for (int k = 0; k < 2; k++) {
        const DigitModel *model =
            digit_model(s->seed, k ? DIGIT_CLASS : DIGIT_CONVNET, STRAIGHT, false);
        for (int m = 0; m <= MOST; m++) {
            x[m] = m;
            share[k][m] = digit_model_accuracy(model, s->seed, m);
            error[k][m] = sqrt(share[k][m] * (1 - share[k][m]) / DIGIT_TEST);
        }
        series[k] = (PlotSeries){.name = names[k], .x = x, .y = share[k], .count = MOST + 1};
    }
    return plot_curves(s->stem,
                       &(PlotCurves){.series = series,
                                     .count = 2,
                                     .title = sketch_title(s, "Digits that are moved in the test"),
                                     .x_name = "pixels to the right",
                                     .y_name = "accuracy",
                                     .y_low = 0,
                                     .y_high = 1,
                                     .errors = errors},
                       s->formats);
}

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
    return plot_curves(s->stem,
                       &(PlotCurves){.series = series,
                                     .count = 2,
                                     .title = sketch_title(s, "How many digits to learn from"),
                                     .x_name = "digits to train on",
                                     .y_name = "accuracy on 2,000 new ones",
                                     .log_x = true,
                                     .y_low = 0,
                                     .y_high = 1},
                       s->formats);
}

const Figure moved_figures[] = {
    {48, "amounts", draw_amounts,
     .what = "accuracy over the number of training digits: convolutions need fewer than a ViT"},
    {48, "moved", draw_moved,
     .what = "moved digits: convolutions read them as before, a ViT does not"},
    {0},
};
