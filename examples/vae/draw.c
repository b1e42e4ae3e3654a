/* draw.c: see draw.h. All pictures but map are mosaics of decoded (or given) digits in greys, light
 * on dark as in the data. */
#include "examples/vae/draw.h"

#include "examples/vae/mosaic.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, SAMPLE_SEED = 4713 };

static bool show(Mosaic *s, const char *name, const char *title, const char *rows,
                 const char *columns, const Common *c)
{
    char path[EXAMPLE_PATH];
    return mosaic_draw(s, example_path(c, name, path), title, rows, columns, ALL_FORMATS);
}

/* ---- through the model ----------------------------------------------------------------------- */

/* Writes the means of q(z|x) of the test images first .. first + n - 1 into z (n, d). */
static bool encode(const Vae *m, Tape *tape, const Pictures *pictures, int first, int n, real *z,
                   real *x, int32_t *labels)
{
    Tensor *mean, *log_variance;
    if (!pictures_test(pictures, first, n, x, labels))
        return false;
    tape_reset(tape);
    vae_encode(m, tape_input(tape, x, shape2(n, m->config.pixels)), &mean, &log_variance);
    if (tensor_is_poison(mean))
        return false;
    memcpy(z, mean->data, (size_t)n * (size_t)m->config.latent * sizeof *z);
    return true;
}

/* ---- the pictures ---------------------------------------------------------------------------- */

/* The buffers of the functions below: z for the codes of MANY images, x for their pixels and
 * codes. */
enum { MANY = 400, MAP_MOST = 2000 };
typedef struct {
    const Vae *m;
    const Pictures *pictures;
    const Common *common;
    Tape *tape;
    real *z, *x;
} Studio;

static bool draw_reconstructions(const Studio *s)
{
    enum { ACROSS = 14, PAIRS = 4 };
    Mosaic mosaic;
    int side = s->pictures->side, n = s->m->config.pixels;
    if (s->pictures->test_count < ACROSS * PAIRS)
        return example_fail("draw_all: found %d test images; expected at least %d",
                            s->pictures->test_count, ACROSS * PAIRS);
    if (!encode(s->m, s->tape, s->pictures, 0, ACROSS * PAIRS, s->z, s->x, NULL) ||
        !mosaic_init(&mosaic, 2 * PAIRS, ACROSS, side))
        return false;
    const real *back = vae_pictures(s->m, s->tape, s->z, ACROSS * PAIRS);
    for (int i = 0; back && i < ACROSS * PAIRS; i++) {
        mosaic_put(&mosaic, i / ACROSS * 2, i % ACROSS, s->x + (int64_t)i * n);
        mosaic_put(&mosaic, i / ACROSS * 2 + 1, i % ACROSS, back + (int64_t)i * n);
    }
    return back && show(&mosaic, "reconstructions",
                        "test images, each with its reconstruction below", "", "", s->common);
}

static bool draw_samples(const Studio *s)
{
    enum { DOWN = 8, ACROSS = 15 };
    Mosaic mosaic;
    Rng rng = {.seed = SAMPLE_SEED};
    for (int i = 0; i < DOWN * ACROSS * s->m->config.latent; i++)
        s->z[i] = (real)rng_normal(&rng);
    return mosaic_init(&mosaic, DOWN, ACROSS, s->pictures->side) &&
           mosaic_decode(&mosaic, s->m, s->tape, s->z) &&
           show(&mosaic, "samples", "decoded from z ~ N(0, 1)", "", "", s->common);
}

/* ---- two latents ----------------------------------------------------------------------------- */

static bool draw_manifold(const Studio *s)
{
    enum { SIDE = 18 };
    Mosaic mosaic;
    return mosaic_init(&mosaic, SIDE, SIDE, s->pictures->side) &&
           mosaic_manifold(&mosaic, s->m, s->tape) &&
           show(&mosaic, "manifold", "decoded from a grid of equally probable codes", "z2, upwards",
                "z1", s->common);
}

typedef struct {
    double x[10][MAP_MOST], y[10][MAP_MOST];
    int count[10];
} Map;

static bool fill_map(const Studio *s, Map *map)
{
    int all = s->pictures->test_count < MAP_MOST ? s->pictures->test_count : MAP_MOST;
    for (int i = 0; i < all; i++) {
        int32_t label;
        if (!encode(s->m, s->tape, s->pictures, i, 1, s->z, s->x, &label))
            return false;
        map->x[label][map->count[label]] = (double)s->z[0];
        map->y[label][map->count[label]++] = (double)s->z[1];
    }
    return true;
}

static bool draw_map(const Studio *s)
{
    static const char *const digit[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    PlotSeries series[10];
    int count = 0;
    char path[EXAMPLE_PATH];
    Map *map = example_alloc(sizeof *map);
    bool ok = map && fill_map(s, map);
    for (int k = 0; ok && k < 10; k++)
        if (map->count[k] > 0)
            series[count++] = (PlotSeries){digit[k], map->x[k], map->y[k], map->count[k]};
    if (ok) {
        PlotCurves curves = {.series = series,
                             .count = count,
                             .title = "codes of the test images",
                             .x_name = "z1",
                             .y_name = "z2",
                             .points = true};
        ok = plot_curves(example_path(s->common, "map", path), &curves, ALL_FORMATS);
    }
    free(map);
    return ok;
}

bool draw_all(const Vae *m, const Pictures *pictures, const Common *c)
{
    Studio s = {.m = m, .pictures = pictures, .common = c, .tape = tape_new(0)};
    s.z = example_alloc((size_t)MANY * (size_t)m->config.latent * sizeof *s.z);
    s.x = example_alloc((size_t)MANY * (size_t)(m->config.pixels + m->config.latent) * sizeof *s.x);
    bool ok = s.tape && s.z && s.x;
    if (ok)
        s.tape->no_grad = true;
    ok = ok && draw_reconstructions(&s) && draw_samples(&s) &&
         (m->config.latent != 2 || (draw_manifold(&s) && draw_map(&s)));
    if (ok)
        printf("%s in %s/\n", example_written(), c->out);
    free(s.x);
    free(s.z);
    tape_free(s.tape);
    return ok;
}
