/* moved.c: what a bias is good for, and what a ViT learns in its place (row 48).
 *
 * A convolution gives a moved picture the same numbers, moved; the mean over all positions then
 * gives the same features. A ViT has to learn each position by itself: it meets moved digits as new
 * ones. What it learns of the positions from digits that are moved in training is the grid of the
 * picture: chapter 3, row 15, finds it in patches that are counted row by row; here they are
 * counted in a random order. */
#include "lectures/07-vision/digit_models.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM = 4830, MOVED = 3, MOST = 6 };

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

/* ---- the grid that positions find ------------------------------------------------------------ */

enum { GRID = 7, PATCHES = GRID * GRID, PERMUTATIONS = 500 };

/* cos(c_i, c_j) of the codes of a ViT's patches: (PATCHES, PATCHES). */
static Tensor *cosines(const DigitModel *model, Tape *tape)
{
    Tensor *codes =
        ag_slice(tape_param(tape, model->vit.encoder.position.weight), 0, 1, 1 + PATCHES);
    Tensor *length = ag_sqrt(ag_sum_axis(ag_mul(codes, codes), 1, true));
    Tensor *unit = ag_div(codes, length);
    return ag_matmul(unit, ag_transpose(unit, 0, 1));
}

/* The mean cosine of two codes whose patches are neighbours, where code i belongs to patch at[i] of
 * the grid. */
static double neighbours_cosine(const Tensor *cosine, const int *at)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < PATCHES; i++)
        for (int j = 0; j < PATCHES; j++)
            if (abs(at[i] / GRID - at[j] / GRID) + abs(at[i] % GRID - at[j] % GRID) == 1) {
                sum += (double)cosine->data[i * PATCHES + j];
                count++;
            }
    return sum / count;
}

/* How far that lies above its mean over random assignments of codes to patches, in standard
 * deviations of these. */
static double above_random(const Tensor *cosine, const int *at, uint64_t seed, double *value)
{
    int random[PATCHES];
    double sum = 0, square = 0;
    Rng rng = {.seed = seed, .stream = STREAM};
    memcpy(random, at, sizeof random);
    for (int k = 0; k < PERMUTATIONS; k++) {
        rng_shuffle(&rng, random, PATCHES);
        double c = neighbours_cosine(cosine, random);
        sum += c / PERMUTATIONS;
        square += c * c / PERMUTATIONS;
    }
    *value = neighbours_cosine(cosine, at);
    return (*value - sum) / sqrt(square - sum * sum);
}

static double grid_found(Trial *t)
{
    DigitModel first;
    double of_picture, of_numbers;
    bool untrained = broken(t, "untrained");
    const DigitModel *model = &first;
    if (untrained ? !digit_model_begin(&first, DIGIT_FINE, SHUFFLED, false, t->seed)
                  : !(model = digit_model(t->seed, DIGIT_FINE, SHUFFLED, false)))
        return (double)NAN;
    int counted[PATCHES];
    for (int i = 0; i < PATCHES; i++)
        counted[i] = i;
    Tape *tape = trial_tape(t);
    tape->no_grad = true;
    const Tensor *cosine = cosines(model, tape);
    double picture = above_random(cosine, model->order.patch, t->seed, &of_picture);
    double numbers = above_random(cosine, counted, t->seed, &of_numbers);
    explain(t, "codes of neighbours in the picture: mean cosine %.3f, %.1f deviations above chance",
            of_picture, picture);
    explain(t, "of neighbours in the grid of their numbers:         %.3f, %.1f deviations",
            of_numbers, numbers);
    if (untrained)
        digit_model_end(&first);
    return broken(t, "numbers") ? numbers : picture;
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
    {48, grid_found,
     "trained on moved digits, 1-D positions find the picture's grid, however the patches are "
     "counted",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity =
         "mean cosine of 84 neighbours' codes above random pairs, in deviations of such a mean",
     AT_LEAST(4, "codes without a grid: 4 deviations of a mean of 84 pairs are chance once in "
                 "30,000"),
     .faults = {{"untrained", "random initial weights"},
                {"numbers", "neighbours in the grid of the numbers, not of the picture"}}},
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

/* The cosines of one code with all others: where the patches are in the picture, and in the order
 * of their numbers. */
static bool draw_grid(const Sketch *s)
{
    enum { SHOWN = 2 * GRID + 2 }; /* row 2, column 2 */
    static const char *const titles[] = {"the patches where they are in the picture",
                                         "the patches by their numbers"};
    real map[2][PATCHES];
    PlotHeatmap maps[2];
    const DigitModel *m = digit_model(s->seed, DIGIT_FINE, SHUFFLED, false);
    if (!m)
        return false;
    Tape *tape = tape_new(s->seed);
    const Tensor *cosine = cosines(m, tape);
    int i = 0;
    while (m->order.patch[i] != SHOWN)
        i++;
    for (int j = 0; j < PATCHES; j++)
        map[0][m->order.patch[j]] = map[1][j] = cosine->data[i * PATCHES + j];
    for (int k = 0; k < 2; k++)
        maps[k] =
            (PlotHeatmap){.map = tape_input(tape, map[k], shape2(GRID, GRID)),
                          .title = titles[k],
                          .row_name = "",
                          .column_name = "",
                          .pixels = true,
                          .scale = {.diverging = true, .high = 1, .name = "cosine of the codes"}};
    bool ok =
        plot_heatmaps(s->stem, maps, 2,
                      sketch_title(s, "Which codes are like that of row 2, column 2?"), s->formats);
    tape_free(tape);
    return ok;
}

const Figure moved_figures[] = {
    {48, "moved", draw_moved,
     .what = "moved digits: convolutions read them as before, a ViT does not"},
    {48, "grid", draw_grid,
     .what = "patches counted in a random order: codes are alike where patches are neighbours"},
    {0},
};
