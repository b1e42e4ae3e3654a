/* small_figures.c: pictures of the small VAE (row 57). The model: small.h. */
#include "examples/vae/mosaic.h"
#include "lectures/08-vae/small.h"

enum { STREAM = 5720 };

/* ---- the plane of codes ------------------------------------------------------------------------------------------ */

/* The share of N(0, 1) below z. */
static double below(double z)
{
    return 0.5 * (1 + erf(z / sqrt(2)));
}

/* A code drawn for each test digit, on the axes of the manifold: the share of p(z) below z1 and below z2. If q(z) were
 * p(z), the codes would fill the square evenly. */
static bool draw_codes_of(const SmallVae *s, const Sketch *sketch, const char *title)
{
    enum { N = SMALL_TEST };
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static double across[10][N], up[10][N];
    static real x[N * SMALL_PIXELS];
    int32_t labels[N];
    int count[10] = {0};
    PlotSeries series[10];
    Tensor *mean, *log_variance;
    if (!pictures_test(small_digits(sketch->seed), 0, N, x, labels))
        return false;
    Rng rng = {.seed = sketch->seed, .stream = STREAM};
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    vae_encode(&s->vae, tape_input(tape, x, shape2(N, SMALL_PIXELS)), &mean, &log_variance);
    for (int i = 0; !tensor_is_poison(mean) && i < N; i++) {
        double z[SMALL_LATENT];
        for (int d = 0; d < SMALL_LATENT; d++)
            z[d] = (double)mean->data[2 * i + d] +
                   exp((double)log_variance->data[2 * i + d] / 2) * rng_normal(&rng);
        across[labels[i]][count[labels[i]]] = below(z[0]);
        up[labels[i]][count[labels[i]]++] = below(z[1]);
    }
    tape_free(tape);
    for (int k = 0; k < 10; k++)
        series[k] = (PlotSeries){names[k], across[k], up[k], count[k]};
    PlotCurves curves = {.series = series,
                         .count = 10,
                         .title = sketch_title(sketch, title),
                         .x_name = "share of p(z) below z\xe2\x82\x81",
                         .y_name = "share of p(z) below z\xe2\x82\x82",
                         .y_high = 1,
                         .points = true};
    return plot_curves(sketch->stem, &curves, sketch->formats);
}

/* The trained model's, and a frame for each of FRAMES numbers of steps. */
static bool draw_codes(const Sketch *sketch)
{
    enum { FRAMES = 7 };
    static const int steps[FRAMES] = {0, 10, 30, 60, 120, 300, SMALL_STEPS};
    const SmallVae *trained = small_vae(sketch->seed, SMALL_PLAIN);
    bool ok = trained != NULL;
    for (int i = 0; ok && i < FRAMES; i++) {
        char stem[SKETCH_STEM], title[64];
        SmallVae s;
        Sketch frame = sketch_frame(sketch, i + 1, stem);
        snprintf(title, sizeof title, "Codes of 500 test digits after %d steps", steps[i]);
        ok = small_begun(&s, sketch->seed, steps[i]) && draw_codes_of(&s, &frame, title);
        small_free(&s);
    }
    return ok && draw_codes_of(trained, sketch, "Codes of 500 test digits");
}

const Figure figure_codes = {
    .row = 57,
    .name = "codes",
    .what =
        "a code drawn for each of 500 test digits, on the manifold's axes; and a series of frames",
    .draw = draw_codes,
};

static bool draw_manifold(const Sketch *sketch)
{
    Mosaic mosaic;
    const SmallVae *s = small_vae(sketch->seed, SMALL_PLAIN);
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    bool ok = s && mosaic_init(&mosaic, 14, 14, SMALL_SIDE) &&
              mosaic_manifold(&mosaic, &s->vae, tape) &&
              mosaic_draw(&mosaic, sketch->stem,
                          sketch_title(sketch, "Decoded from a grid of equally probable codes"),
                          "z\xe2\x82\x82, upwards", "z\xe2\x82\x81", sketch->formats);
    tape_free(tape);
    return ok;
}

/* The decoder's weights, the mean code of each test digit with its label, and some codes with what the decoder gives: the
 * probability of each pixel. */
static bool live_manifold(Live *l, uint64_t seed)
{
    enum { N = SMALL_TEST, TRIED = 4 };
    static const real codes[TRIED * SMALL_LATENT] = {0, 0, 1, -1, (real)-1.5, (real)0.5, 2, 2};
    static real x[N * SMALL_PIXELS], label[N];
    int32_t labels[N];
    Tensor *mean, *log_variance;
    const SmallVae *s = small_vae(seed, SMALL_PLAIN);
    if (!s || !pictures_test(small_digits(seed), 0, N, x, labels))
        return false;
    for (int i = 0; i < N; i++)
        label[i] = (real)labels[i];
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    vae_encode(&s->vae, tape_input(tape, x, shape2(N, SMALL_PIXELS)), &mean, &log_variance);
    Tensor *p =
        ag_sigmoid(vae_decode(&s->vae, tape_input(tape, codes, shape2(TRIED, SMALL_LATENT))));
    const Linear *in = &s->vae.decode, *out = &s->vae.picture;
    bool ok = !tensor_is_poison(mean) && !tensor_is_poison(p) &&
              live_add(l, "in", in->weight->shape, in->weight->data, 16) &&
              live_add(l, "in-bias", in->bias->shape, in->bias->data, 16) &&
              live_add(l, "out", out->weight->shape, out->weight->data, 16) &&
              live_add(l, "out-bias", out->bias->shape, out->bias->data, 16) &&
              live_add(l, "means", mean->shape, mean->data, 16) &&
              live_add(l, "labels", shape1(N), label, 0) &&
              live_add(l, "tried", shape2(TRIED, SMALL_LATENT), codes, 0) &&
              live_add(l, "decoded", p->shape, p->data, 0);
    tape_free(tape);
    return ok;
}

const Figure figure_manifold = {
    .row = 57,
    .name = "manifold",
    .what = "pictures decoded from a grid of two latents, each cell equally probable",
    .draw = draw_manifold,
    .live = "latent",
    .live_numbers = live_manifold,
};

/* ---- rate and distortion ----------------------------------------------------------------------------------------- */

static bool draw_rate_distortion(const Sketch *sketch)
{
    static char names[SMALL_BETAS][32];
    static double rate[SMALL_BETAS], distortion[SMALL_BETAS];
    PlotSeries series[SMALL_BETAS + 1] = {{NULL, rate, distortion, SMALL_BETAS}};
    for (int i = 0; i < SMALL_BETAS; i++) {
        const SmallVae *s = small_vae(sketch->seed, i);
        if (!s)
            return false;
        RateDistortion r = small_rate_distortion(s, sketch->seed);
        rate[i] = r.rate;
        distortion[i] = r.distortion;
        snprintf(names[i], sizeof names[i], "beta = %g", s->beta);
        series[i + 1] = (PlotSeries){names[i], &rate[i], &distortion[i], 1};
    }
    PlotCurves curves = {.series = series,
                         .count = SMALL_BETAS + 1,
                         .title = sketch_title(sketch, "A larger beta: less rate, more distortion"),
                         .x_name = "rate, KL(q(z | x) || p(z)), nats a picture",
                         .y_name = "distortion, -log p(x | z), nats a picture"};
    return plot_curves(sketch->stem, &curves, sketch->formats);
}

const Figure figure_rate_distortion = {
    .row = 57,
    .name = "rate_distortion",
    .what = "rate and distortion of six models with beta from 1/4 to 20",
    .draw = draw_rate_distortion,
};

/* ---- the bounds --------------------------------------------------------------------------------------------------- */

static bool draw_bounds(const Sketch *sketch)
{
    enum { N = 250, LEVELS = 5 };
    static const int ks[LEVELS] = {1, 4, 20, 100, 500};
    static real x[N * SMALL_PIXELS];
    double k[LEVELS], mean[LEVELS] = {0}, high[LEVELS], low[LEVELS], exact[LEVELS] = {0}, L[N];
    const SmallVae *s = small_vae(sketch->seed, SMALL_PLAIN);
    Rng rng = {.seed = sketch->seed, .stream = STREAM + 1};
    double log_p[N];
    if (!s || !pictures_test(small_digits(sketch->seed), 0, N, x, NULL) ||
        !small_log_p(&s->vae, x, N, 0.1, log_p))
        return false;
    for (int l = 0; l < LEVELS; l++) {
        double square = 0;
        if (!small_bounds(s, x, N, ks[l], 500, false, &rng, L))
            return false;
        for (int i = 0; i < N; i++) {
            mean[l] += (L[i] - log_p[i]) / N;
            square += (L[i] - log_p[i]) * (L[i] - log_p[i]) / N;
        }
        double error = sqrt((square - mean[l] * mean[l]) / (N - 1));
        k[l] = ks[l];
        low[l] = mean[l] - error;
        high[l] = mean[l] + error;
    }
    const PlotSeries series[] = {{"the bound of k samples", k, mean, LEVELS},
                                 {"one standard error above and below", k, high, LEVELS},
                                 {NULL, k, low, LEVELS},
                                 {"log p(x), by quadrature", k, exact, LEVELS}};
    PlotCurves curves = {.series = series,
                         .count = 4,
                         .title = sketch_title(sketch, "More samples, a tighter bound"),
                         .x_name = "samples k",
                         .y_name = "L\xe2\x82\x96 - log p(x), nats a picture",
                         .log_x = true};
    return plot_curves(sketch->stem, &curves, sketch->formats);
}

const Figure figure_bounds = {
    .row = 57,
    .name = "bounds",
    .what = "importance-weighted bounds of 1 to 500 samples, and log p(x) by quadrature",
    .draw = draw_bounds,
};
