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

/* ---- the rows found -------------------------------------------------------------------------- */

const Figure pixels_figures[] = {
    {49, "drawing", draw_drawing,
     .what = "digits drawn pixel by pixel by the trained model; and a series of frames"},
    {49, "completions", draw_completions,
     .what = "lower halves drawn given the upper halves, beside copied and independent ones"},
    {0},
};
