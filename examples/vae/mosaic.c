/* mosaic.c: see mosaic.h. */
#include "examples/vae/mosaic.h"

#include "examples/common/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 }; /* the width of the lines, in pixels */

bool mosaic_init(Mosaic *s, int down, int across, int side)
{
    *s = (Mosaic){.down = down, .across = across, .side = side};
    s->pixels = tensor_new(
        shape2((int64_t)down * (side + GAP) - GAP, (int64_t)across * (side + GAP) - GAP));
    for (int64_t i = 0; s->pixels && i < tensor_size(s->pixels); i++)
        s->pixels->data[i] = (real)0.25; /* the lines */
    return s->pixels != NULL;
}

void mosaic_free(Mosaic *s)
{
    tensor_free(s->pixels);
    s->pixels = NULL;
}

void mosaic_put(Mosaic *s, int row, int column, const real *picture)
{
    int64_t width = s->pixels->shape.dim[1];
    for (int y = 0; y < s->side; y++)
        memcpy(s->pixels->data + (row * (s->side + GAP) + y) * width + column * (s->side + GAP),
               picture + y * s->side, (size_t)s->side * sizeof *picture);
}

bool mosaic_draw(Mosaic *s, const char *stem, const char *title, const char *rows,
                 const char *columns, unsigned formats)
{
    PlotHeatmap map = {.map = s->pixels,
                       .pixels = true,
                       .title = title,
                       .row_name = rows,
                       .column_name = columns,
                       .scale = {.high = 1, .grey = true}};
    bool ok = plot_heatmap(stem, &map, formats);
    mosaic_free(s);
    return ok;
}

const real *vae_pictures(const Vae *m, Tape *tape, const real *z, int n)
{
    tape_reset(tape);
    Tensor *x = ag_sigmoid(vae_decode(m, tape_input(tape, z, shape2(n, m->config.latent))));
    return tensor_is_poison(x) ? NULL : x->data;
}

bool mosaic_decode(Mosaic *s, const Vae *m, Tape *tape, const real *z)
{
    const real *x = vae_pictures(m, tape, z, s->down * s->across);
    for (int i = 0; x && i < s->down * s->across; i++)
        mosaic_put(s, i / s->across, i % s->across, x + (int64_t)i * m->config.pixels);
    return x != NULL;
}

/* The quantile of the standard normal distribution at p, by bisection of erf. */
static double normal_quantile(double p)
{
    double low = -8, high = 8;
    while (high - low > 1e-9) {
        double middle = (low + high) / 2;
        *(0.5 * (1 + erf(middle / sqrt(2))) < p ? &low : &high) = middle;
    }
    return low;
}

bool mosaic_manifold(Mosaic *s, const Vae *m, Tape *tape)
{
    int cells = s->down * s->across;
    real *z = example_alloc(2 * (size_t)cells * sizeof *z);
    for (int i = 0; z && i < cells; i++) {
        z[2 * i] = (real)normal_quantile((i % s->across + 0.5) / s->across);
        z[2 * i + 1] = (real)normal_quantile(1 - (i / s->across + 0.5) / s->down);
    }
    bool ok = z && mosaic_decode(s, m, tape, z);
    free(z);
    return ok;
}
