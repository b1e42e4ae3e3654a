/* small_figures.c: pictures of the small VAE (row 57). The model: small.h. */
#include "examples/vae/mosaic.h"
#include "lectures/08-vae/small.h"

#include <string.h>

enum { STREAM = 5720 };

/* ---- the plane of codes ---------------------------------------------------------------------- */

/* The share of N(0, 1) below z. */
static double below(double z)
{
    return 0.5 * (1 + erf(z / sqrt(2)));
}

/* The cell of the manifold for a code drawn from N(mean, e^log_variance): one of GRID rows or
 * columns that are equally probable under p(z). */
enum { GRID = 14 };

static int cell_of(real mean, real log_variance, Rng *rng)
{
    double z = (double)mean + exp((double)log_variance / 2) * rng_normal(rng);
    int cell = (int)(below(z) * GRID);
    return cell < GRID ? cell : GRID - 1;
}

/* A code drawn for each test digit, on the cells of the manifold: each cell shows the first digit
 * whose code lies in it. If q(z) were p(z), a cell would be empty with probability (1 - 1 /
 * 196)^500 = 0.08. */
static bool draw_codes(const Sketch *sketch)
{
    enum { N = SMALL_TEST };
    static real x[N * SMALL_PIXELS];
    static const real empty[SMALL_PIXELS]; /* black */
    bool taken[GRID * GRID] = {false};
    Tensor *mean, *log_variance;
    Mosaic mosaic;
    const SmallVae *s = small_vae(sketch->seed, SMALL_PLAIN);
    if (!s || !pictures_test(small_digits(sketch->seed), 0, N, x, NULL) ||
        !mosaic_init(&mosaic, GRID, GRID, SMALL_SIDE))
        return false;
    for (int i = 0; i < GRID * GRID; i++)
        mosaic_put(&mosaic, i / GRID, i % GRID, empty);
    Rng rng = {.seed = sketch->seed, .stream = STREAM};
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    vae_encode(&s->vae, tape_input(tape, x, shape2(N, SMALL_PIXELS)), &mean, &log_variance);
    for (int i = 0; !tensor_is_poison(mean) && i < N; i++) {
        int column = cell_of(mean->data[2 * i], log_variance->data[2 * i], &rng),
            row = GRID - 1 - cell_of(mean->data[2 * i + 1], log_variance->data[2 * i + 1], &rng);
        if (!taken[row * GRID + column])
            mosaic_put(&mosaic, row, column, x + i * SMALL_PIXELS);
        taken[row * GRID + column] = true;
    }
    tape_free(tape);
    return mosaic_draw(&mosaic, sketch->stem,
                       sketch_title(sketch, "Where 500 test digits are encoded"),
                       "z\xe2\x82\x82, upwards", "z\xe2\x82\x81", sketch->formats);
}

static bool draw_manifold(const Sketch *sketch)
{
    Mosaic mosaic;
    const SmallVae *s = small_vae(sketch->seed, SMALL_PLAIN);
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    bool ok = s && mosaic_init(&mosaic, GRID, GRID, SMALL_SIDE) &&
              mosaic_manifold(&mosaic, &s->vae, tape) &&
              mosaic_draw(&mosaic, sketch->stem,
                          sketch_title(sketch, "Decoded from a grid of equally probable codes"),
                          "z\xe2\x82\x82, upwards", "z\xe2\x82\x81", sketch->formats);
    tape_free(tape);
    return ok;
}

/* What the page's figure needs: the decoder's weights, and the mean codes of test digits with their
 * labels. */
enum { CODES = 300 };

/* The four tensors of the decoder, with their names. */
static int decoder_of(const Vae *m, Tensor *weight[4], const char *name[4])
{
    weight[0] = m->decode.weight, name[0] = "manifold/hidden";
    weight[1] = m->decode.bias, name[1] = "manifold/hidden-bias";
    weight[2] = m->picture.weight, name[2] = "manifold/picture";
    weight[3] = m->picture.bias, name[3] = "manifold/picture-bias";
    return 4;
}

static bool give_manifold(uint64_t seed)
{
    static real x[CODES * SMALL_PIXELS];
    int32_t label[CODES];
    Tensor *mean, *log_variance, *weight[4];
    const char *name[4];
    const SmallVae *s = small_vae(seed, SMALL_PLAIN);
    real *codes = computed_give("manifold/codes", CODES * SMALL_LATENT),
         *labels = computed_give("manifold/labels", CODES);
    if (!s || !codes || !labels || !pictures_test(small_digits(seed), 0, CODES, x, label))
        return false;
    for (int i = 0; i < CODES; i++)
        labels[i] = (real)label[i];
    for (int i = 0; i < decoder_of(&s->vae, weight, name); i++) {
        real *numbers = computed_give(name[i], (int)tensor_size(weight[i]));
        if (!numbers)
            return false;
        memcpy(numbers, weight[i]->data, (size_t)tensor_size(weight[i]) * sizeof *numbers);
    }
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    vae_encode(&s->vae, tape_input(tape, x, shape2(CODES, SMALL_PIXELS)), &mean, &log_variance);
    const bool ok = !tensor_is_poison(mean);
    if (ok)
        memcpy(codes, mean->data, CODES * SMALL_LATENT * sizeof *codes);
    tape_free(tape);
    return ok;
}

/* The decoder with the weights that are given. */
static bool given_decoder(Vae *m, Params *params)
{
    Tensor *weight[4];
    const char *name[4];
    if (!params || !vae_init(m, params, small_config))
        return false;
    for (int i = 0; i < decoder_of(m, weight, name); i++) {
        const real *numbers = computed_given(name[i], (int)tensor_size(weight[i]));
        if (!numbers)
            return false;
        memcpy(weight[i]->data, numbers, (size_t)tensor_size(weight[i]) * sizeof *numbers);
    }
    return true;
}

/* The codes as the digits that they stand for; returns the digit that is nearest to z. */
static int put_codes(const real *codes, const real *labels, const double *z)
{
    double least = INFINITY;
    int nearest = 0;
    for (int i = 0; i < CODES; i++) {
        const double x = (double)codes[2 * i], y = (double)codes[2 * i + 1];
        const double square = (x - z[0]) * (x - z[0]) + (y - z[1]) * (y - z[1]);
        const char digit[] = {(char)('0' + (int)labels[i]), 0};
        computed_label(x, y, digit);
        if (square < least)
            least = square, nearest = (int)labels[i];
    }
    return nearest;
}

static bool compute_manifold(const double *value, const char *text)
{
    const real *codes = computed_given("manifold/codes", CODES * SMALL_LATENT),
               *labels = computed_given("manifold/labels", CODES);
    const real z[] = {(real)value[0], (real)value[1]};
    Vae vae;
    Params *params = params_new(1);
    Tape *tape = tape_new(1);
    (void)text;
    bool ok = tape && codes && labels && given_decoder(&vae, params);
    if (ok) {
        const Tensor *p =
            ag_sigmoid(vae_decode(&vae, tape_input(tape, z, shape2(1, SMALL_LATENT))));
        ok = !tensor_is_poison(p);
        computed_axes("z₁", "z₂", false);
        const int nearest = put_codes(codes, labels, value);
        computed_points("z", 1, &value[0], &value[1]);
        computed_fact("z = (%.2f, %.2f). The nearest code is that of a %d.", value[0], value[1],
                      nearest);
        if (ok)
            computed_map("the picture that is decoded from z", SMALL_SIDE, SMALL_SIDE, p->data);
    }
    tape_free(tape);
    params_free(params);
    return ok;
}

const ComputedFigure manifold_computed = {
    .name = "manifold",
    .title = "The latent plane",
    .about = "Each number stands at the mean code of a test digit. Drag over the plane, or use the "
             "sliders: the decoder draws what it makes of z. Between two kinds of digits lie "
             "pictures that are none.",
    .control = {{"z₁", -3, 3, 0.05, 0.5}, {"z₂", -3, 3, 0.05, 0.5}},
    .pointed = true,
    .compute = compute_manifold};

/* ---- reconstructions ------------------------------------------------------------------------- */

/* Test digits, what the decoder makes of their mean codes with beta = 1, and with beta = 20. */
static bool draw_reconstructions(const Sketch *sketch)
{
    enum { SIDE = 4, N = SIDE * SIDE, MAPS = 3 };
    static const char *const titles[MAPS] = {"test digits", "decoded, beta = 1",
                                             "decoded, beta = 20"};
    static const int models[MAPS] = {SMALL_PLAIN, SMALL_PLAIN, SMALL_COLLAPSED};
    static real x[N * SMALL_PIXELS];
    PlotHeatmap maps[MAPS];
    Mosaic mosaic[MAPS] = {0};
    Tensor *mean, *log_variance;
    bool ok = pictures_test(small_digits(sketch->seed), 0, N, x, NULL);
    for (int k = 0; ok && k < MAPS; k++) {
        const SmallVae *s = small_vae(sketch->seed, models[k]);
        Tape *tape = tape_new(1);
        tape->no_grad = true;
        ok = s && mosaic_init(&mosaic[k], SIDE, SIDE, SMALL_SIDE);
        if (ok) {
            vae_encode(&s->vae, tape_input(tape, x, shape2(N, SMALL_PIXELS)), &mean, &log_variance);
            Tensor *p = ag_sigmoid(vae_decode(&s->vae, mean));
            for (int i = 0; !tensor_is_poison(p) && i < N; i++)
                mosaic_put(&mosaic[k], i / SIDE, i % SIDE, (k ? p->data : x) + i * SMALL_PIXELS);
        }
        tape_free(tape);
        maps[k] = sketch_picture(mosaic[k].pixels, titles[k]);
        maps[k].scale.high = 1;
    }
    ok = ok && plot_heatmaps(sketch->stem, maps, MAPS,
                             sketch_title(sketch, "Sixteen digits, decoded from their codes"),
                             sketch->formats);
    for (int k = 0; k < MAPS; k++)
        mosaic_free(&mosaic[k]);
    return ok;
}

/* ---- rate and distortion --------------------------------------------------------------------- */

static bool draw_rate_distortion(const Sketch *sketch)
{
    static char names[SMALL_BETAS][32];
    static double rate[SMALL_BETAS], distortion[SMALL_BETAS];
    PlotLabel labels[SMALL_BETAS];
    for (int i = 0; i < SMALL_BETAS; i++) {
        const SmallVae *s = small_vae(sketch->seed, i);
        if (!s)
            return false;
        RateDistortion r = small_rate_distortion(s, sketch->seed);
        rate[i] = r.rate;
        distortion[i] = r.distortion;
        snprintf(names[i], sizeof names[i], "beta = %g", s->beta);
        labels[i] = (PlotLabel){rate[i], distortion[i] + 0.5, names[i], false};
    }
    PlotCurves curves = {.series = &(PlotSeries){NULL, rate, distortion, SMALL_BETAS},
                         .count = 1,
                         .labels = labels,
                         .label_count = SMALL_BETAS,
                         .title = sketch_title(sketch, "A larger beta: less rate, more distortion"),
                         .x_name = "rate, KL(q(z | x) || p(z)), nats a picture",
                         .y_name = "distortion, -log p(x | z), nats a picture"};
    return plot_curves(sketch->stem, &curves, sketch->formats);
}

const Figure small_figures[] = {
    {57, "codes", draw_codes,
     .what = "test digits in the cells of the manifold where their codes lie"},
    {57, "manifold", draw_manifold,
     .what = "pictures decoded from a grid of two latents, each cell equally probable",
     .computed = &manifold_computed, .give = give_manifold},
    {57, "rate_distortion", draw_rate_distortion,
     .what = "rate and distortion of six models with beta from 1/4 to 20"},
    {57, "reconstructions", draw_reconstructions,
     .what =
         "test digits, and what the decoder makes of their codes with beta = 1 and with beta = 20"},
    {0},
};
