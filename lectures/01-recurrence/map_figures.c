/* map_figures.c: the picture of the map: what each family has learned, on the tree of V's slide
 * (row 1). */
#include "lectures/01-recurrence/map.h"

#include <string.h>

enum { PANELS = 15, DRAWN = 20000, TITLE = 64 };

/* Numbers of the cells of `view`, from the top row to the bottom row. */
static Tensor *picture(const double *cells)
{
    static real upright[VIEW_POINTS];
    for (int j = 0; j < view.up; j++)
        for (int i = 0; i < view.across; i++)
            upright[(view.up - 1 - j) * view.across + i] = (real)cells[j * view.across + i];
    return tensor_from(upright, shape2(view.up, view.across));
}

static Tensor *picture_of_density(LogDensity f)
{
    static real points[VIEW_POINTS * 2];
    static double cells[VIEW_POINTS];
    grid_points(&view, points);
    bool ok = !f || map_log_density(f, points, VIEW_POINTS, cells);
    for (int i = 0; ok && i < VIEW_POINTS; i++)
        cells[i] = exp(f ? cells[i] : moons_log_p(points + 2 * i));
    return ok ? picture(cells) : NULL;
}

/* The density of DRAWN points with normal noise of deviation BLUR, without which single points
 * would be seen; the data's own deviation of 0.15 becomes 0.16. */
#define BLUR 0.06
static Tensor *picture_of_points(const Family *f, uint64_t seed)
{
    enum { REACH = 4 };
    static real points[DRAWN * 2];
    static double cells[VIEW_POINTS];
    memset(cells, 0, sizeof cells);
    if (!f->sample(seed, points, DRAWN))
        return NULL;
    for (int k = 0; k < DRAWN; k++) {
        double x = ((double)points[2 * k] - view.left) / view.step - 0.5;
        double y = ((double)points[2 * k + 1] - view.bottom) / view.step - 0.5;
        for (int j = (int)floor(y) - REACH; j <= (int)floor(y) + REACH; j++)
            for (int i = (int)floor(x) - REACH; i <= (int)floor(x) + REACH; i++) {
                double off = ((i - x) * (i - x) + (j - y) * (j - y)) * view.step * view.step;
                if (i >= 0 && i < view.across && j >= 0 && j < view.up)
                    cells[j * view.across + i] +=
                        exp(-off / (2 * BLUR * BLUR)) / (2 * MOONS_PI * BLUR * BLUR * DRAWN);
            }
    }
    return picture(cells);
}

/* The i-th panel: the data, then the families. */
static bool panel(int i, uint64_t seed, PlotHeatmap *map, char title[TITLE])
{
    static const Family data = {.name = "the data"};
    const Family *f = i ? map_families[i - 1] : &data;
    if (i && !f->train(seed))
        return false;
    map->branch = f->branch;
    map->title = title;
    map->map = f->sample ? picture_of_points(f, seed) : picture_of_density(f->log_density);
    if (!i)
        snprintf(title, TITLE, "the data");
    else if (f->sample)
        snprintf(title, TITLE, "%s, blurred", f->name);
    else
        snprintf(title, TITLE, "%s: %.2f", f->name, map_divergence(f->log_density, seed));
    return map->map != NULL;
}

static bool draw_map(const Sketch *s)
{
    static char title[PANELS][TITLE];
    PlotHeatmap maps[PANELS];
    bool ok = true;
    for (int i = 0; i < PANELS; i++) {
        maps[i] = (PlotHeatmap){.pixels = true, .scale = {.high = 0.5, .name = "density"}};
        ok = ok && panel(i, s->seed, &maps[i], title[i]);
    }
    ok = ok &&
         plot_heatmaps(s->stem, maps, PANELS,
                       sketch_title(s, "generative models of two moons, and KL(p || q) in nats"),
                       s->formats);
    for (int i = 0; i < PANELS; i++)
        tensor_free((Tensor *)maps[i].map);
    return ok;
}

const Figure map_figures[] = {
    {1, "map", draw_map,
     .what = "the families of the taxonomy, each trained on two moons, on their tree"},
    {0},
};
