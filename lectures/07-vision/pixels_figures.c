/* pixels_figures.c: pictures of the model that writes digits (row 49). The model: pixels.h. */
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

/* ---- completions ----------------------------------------------------------------------------- */

enum { SHOWN = 6, WAYS = 5 };

/* Draws the lower half of SHOWN pictures pixel by pixel, given the upper. */
static bool complete(const Raster *r, Rng *rng, const int *upper, int *whole)
{
    int prompt[SHOWN * (HALF + 1)], lower[SHOWN * HALF];
    Tape *tape = tape_new(1);
    for (int k = 0; k < SHOWN; k++) {
        prompt[k * (HALF + 1)] = BOS;
        memcpy(prompt + k * (HALF + 1) + 1, upper + k * N, HALF * sizeof *prompt);
    }
    tape->no_grad = true;
    bool ok = pixels_write(&r->model, tape, rng, 1, prompt, SHOWN, HALF + 1, lower, HALF);
    for (int k = 0; ok && k < SHOWN; k++)
        memcpy(whole + k * N + HALF, lower + k * HALF, HALF * sizeof *whole);
    tape_free(tape);
    return ok;
}

static bool draw_completions(const Sketch *s)
{
    static const char *const titles[WAYS] = {"given", "network", "network", "network", "true"};
    int x[SHOWN * N];
    Mosaic column[WAYS] = {0};
    PlotHeatmap maps[WAYS];
    const RasterDigits *d = raster_digits(s->seed);
    Rng rng = {.seed = s->seed, .stream = 4920};
    Raster r;
    bool ok = raster_begin(&r, true) && d;
    for (int w = 0; ok && w < WAYS; w++) {
        memcpy(x, d->test, sizeof x);
        ok = mosaic_init(&column[w], SHOWN, 1, SIDE) &&
             (w < 1 || w > 3 || complete(&r, &rng, d->test, x));
        for (int k = 0; ok && k < SHOWN; k++)
            put(&column[w], k, 0, x + k * N, w ? N : HALF);
        maps[w] = sketch_picture(column[w].pixels, titles[w]);
        maps[w].scale.high = 1;
    }
    ok = ok && plot_heatmaps(s->stem, maps, WAYS,
                             sketch_title(s, "The lower half, given the upper"), s->formats);
    for (int w = 0; w < WAYS; w++)
        mosaic_free(&column[w]);
    raster_end(&r);
    return ok;
}

/* ---- pixel by pixel -------------------------------------------------------------------------- */

static bool draw_drawing(const Sketch *s)
{
    enum { DOWN = 4, ACROSS = 8 };
    static int x[DOWN * ACROSS * N], first[DOWN * ACROSS];
    Rng rng = {.seed = s->seed, .stream = 4921};
    Raster r;
    Mosaic m = {0};
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    for (int k = 0; k < DOWN * ACROSS; k++)
        first[k] = BOS;
    bool ok = raster_begin(&r, true) &&
              pixels_write(&r.model, tape, &rng, 1, first, DOWN * ACROSS, 1, x, N) &&
              mosaic_init(&m, DOWN, ACROSS, SIDE);
    for (int k = 0; ok && k < DOWN * ACROSS; k++)
        put(&m, k / ACROSS, k % ACROSS, x + k * N, N);
    tape_free(tape);
    raster_end(&r);
    return ok && mosaic_draw(&m, s->stem, sketch_title(s, "Digits drawn pixel by pixel"), "", "",
                             s->formats);
}

const Figure pixels_figures[] = {
    {49, "drawing", draw_drawing, .what = "digits drawn pixel by pixel by the trained model"},
    {49, "completions", draw_completions,
     .what = "lower halves drawn given the upper halves, beside the true ones"},
    {0},
};
