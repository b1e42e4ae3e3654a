/* pixels_figures.c: pictures of the model that writes digits (row 49). The model and the baselines:
 * pixels.h. */
#include "examples/vae/mosaic.h"
#include "lectures/07-vision/pixels.h"

#include <string.h>

enum { N = RASTER_PIXELS, SIDE = RASTER_SIDE, HALF = N / 2 };

/* ---- mosaics of binary pictures -------------------------------------------------------------- */

/* Puts the first `known` pixels of a picture into a cell; the others are grey. */
static void put(Mosaic *m, int row, int column, const int *x, int known)
{
    real grey[N];
    for (int i = 0; i < N; i++)
        grey[i] = i < known ? (real)x[i] : (real)0.5;
    mosaic_put(m, row, column, grey);
}

static PlotHeatmap picture_of(const Mosaic *m, const char *title)
{
    return (PlotHeatmap){.map = m->pixels,
                         .pixels = true,
                         .title = title,
                         .row_name = "",
                         .column_name = "",
                         .scale = {.high = 1, .grey = true}};
}

/* ---- completions ----------------------------------------------------------------------------- */

enum { SHOWN = 6, WAYS = 7 };

/* Pixels of the lower halves of `whole` drawn with the known digits' shares of white. */
static void draw_independent(const RasterDigits *d, Rng *rng, int *whole)
{
    double white[N] = {0};
    for (int i = 0; i < RASTER_KNOWN * N; i++)
        white[i % N] += (double)d->known[i] / RASTER_KNOWN;
    for (int i = 0; i < SHOWN * N; i++)
        if (i % N >= HALF)
            whole[i] = rng_uniform(rng) < white[i % N];
}

static bool draw_completions(const Sketch *s)
{
    static const char *const titles[WAYS] = {"given",  "network",     "network", "network",
                                             "copied", "independent", "true"};
    static int x[WAYS][SHOWN * N];
    Mosaic column[WAYS] = {0};
    PlotHeatmap maps[WAYS];
    const RasterDigits *d = raster_digits(s->seed);
    Rng rng = {.seed = s->seed, .stream = 4920};
    bool ok = d != NULL;
    for (int w = 0; ok && w < WAYS; w++) {
        memcpy(x[w], d->test, sizeof x[w]);
        ok = mosaic_init(&column[w], SHOWN, 1, SIDE) &&
             (w < 1 || w > 3 || raster_complete(&rng, d->test, SHOWN, x[w]));
        if (w == 5)
            draw_independent(d, &rng, x[w]);
        for (int k = 0; ok && k < SHOWN; k++) {
            const int *from = d->known + nearest_upper(d, d->test + k * N) * N;
            if (w == 4)
                memcpy(x[w] + k * N + HALF, from + HALF, HALF * sizeof *from);
            put(&column[w], k, 0, x[w] + k * N, w ? N : HALF);
        }
        maps[w] = picture_of(&column[w], titles[w]);
    }
    ok = ok && plot_heatmaps(s->stem, maps, WAYS,
                             sketch_title(s, "The lower half, given the upper"), s->formats);
    for (int w = 0; w < WAYS; w++)
        mosaic_free(&column[w]);
    return ok;
}

/* ---- pixel by pixel -------------------------------------------------------------------------- */

enum { STAGES = 6, DOWN = 4, ACROSS = 8 };

/* The first `known` pixels of DOWN x ACROSS pictures. */
static bool draw_stage(const Sketch *s, const int *x, int known)
{
    char title[64];
    Mosaic m = {0};
    snprintf(title, sizeof title, "%d of %d pixels drawn", known, N);
    bool ok = mosaic_init(&m, DOWN, ACROSS, SIDE);
    for (int k = 0; ok && k < DOWN * ACROSS; k++)
        put(&m, k / ACROSS, k % ACROSS, x + k * N, known);
    return ok && mosaic_draw(&m, s->stem, sketch_title(s, title), "", "", s->formats);
}

/* All pixels, and as frames after 0, 42, 70, 98, 126 and 154 pixels. */
static bool draw_drawing(const Sketch *s)
{
    static const int stages[STAGES] = {0, 3 * SIDE, 5 * SIDE, 7 * SIDE, 9 * SIDE, 11 * SIDE};
    static int x[DOWN * ACROSS * N], first[DOWN * ACROSS];
    Rng rng = {.seed = s->seed, .stream = 4921};
    Raster r;
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    for (int k = 0; k < DOWN * ACROSS; k++)
        first[k] = BOS;
    bool ok = raster_begin(&r, true) &&
              pixels_write(&r.model, tape, &rng, 1, first, DOWN * ACROSS, 1, x, N);
    for (int i = 0; ok && i <= STAGES; i++) {
        char stem[SKETCH_STEM];
        Sketch frame = sketch_frame(s, i + 1, stem);
        ok = draw_stage(&frame, x, i < STAGES ? stages[i] : N);
    }
    tape_free(tape);
    raster_end(&r);
    return ok && draw_stage(s, x, N);
}

/* ---- nats by pixel --------------------------------------------------------------------------- */

enum { MODELS = 3 };

/* log p of each pixel of the test digits by model number w. */
static bool model_log_p(const RasterDigits *d, int w, double *log_p)
{
    if (w == 2)
        return raster_log_p(true, d->test, RASTER_TEST, log_p);
    (w ? neighbours_log_p : independent_log_p)(d, log_p);
    return true;
}

static bool draw_pixel_nats(const Sketch *s)
{
    static const char *const names[MODELS] = {"independent", "10 neighbours", "network"};
    static double log_p[RASTER_TEST * N];
    char titles[MODELS][64];
    PlotHeatmap maps[MODELS];
    const RasterDigits *d = raster_digits(s->seed);
    Tape *tape = tape_new(1);
    bool ok = d && tape;
    for (int w = 0; ok && w < MODELS; w++) {
        Tensor *map = tape_full(tape, 0, shape2(SIDE, SIDE));
        double all = 0;
        ok = model_log_p(d, w, log_p);
        for (int i = 0; i < RASTER_TEST * N; i++) {
            map->data[i % N] -= (real)(log_p[i] / RASTER_TEST);
            all -= log_p[i] / RASTER_TEST;
        }
        snprintf(titles[w], sizeof titles[w], "%s: %.1f nats", names[w], all);
        maps[w] = (PlotHeatmap){.map = map,
                                .pixels = true,
                                .title = titles[w],
                                .row_name = "",
                                .column_name = "",
                                .scale = {.high = log(2), .name = "nats a pixel"}};
    }
    ok = ok && plot_heatmaps(s->stem, maps, MODELS,
                             sketch_title(s, "Nats of each pixel, mean of 500 digits"), s->formats);
    tape_free(tape);
    return ok;
}

/* ---- the rows found -------------------------------------------------------------------------- */

static bool draw_rows(const Sketch *s)
{
    static double x[GRID_REACH], mean[2][GRID_REACH + 1];
    for (int k = 0; k < GRID_REACH; k++)
        x[k] = k + 1;
    if (!grid_influence(s->seed, true, mean[0]) || !grid_influence(s->seed, false, mean[1]))
        return false;
    const PlotSeries series[] = {{"trained", x, mean[0] + 1, GRID_REACH},
                                 {"first weights", x, mean[1] + 1, GRID_REACH}};
    const PlotLabel labels[] = {{1, mean[0][1], "left", false},
                                {SIDE, mean[0][SIDE], "above", false},
                                {2 * SIDE - 1, mean[0][2 * SIDE] + 0.12, "two rows above", false},
                                {3 * SIDE - 4, mean[0][3 * SIDE] + 0.15, "three rows above",
                                 false}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title = sketch_title(s, "Told one dimension, it finds the rows"),
                               .x_name = "tokens before",
                               .y_name = "change of a pixel's log-odds",
                               .labels = labels,
                               .label_count = 4};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure pixels_figures[] = {
    {49, "drawing", draw_drawing,
     .what = "digits drawn pixel by pixel by the trained model; and a series of frames"},
    {49, "completions", draw_completions,
     .what = "lower halves drawn given the upper halves, beside copied and independent ones"},
    {49, "pixel_nats", draw_pixel_nats,
     .what = "nats of each pixel of a digit: independent, given its neighbours, given all before"},
    {49, "rows", draw_rows,
     .what = "how much a pixel's log-odds change with the pixel k tokens before it"},
    {0},
};
