/* mixture_figures.c: pictures of EM on the mixture (row 52). The model: mixture.c. */
#include "lectures/08-vae/vae.h"

enum { K = MIXTURE_CLASSES, POINTS = MIXTURE_POINTS, STREAM = 5201 /* of random means */ };

/* ---- the picture ----------------------------------------------------------------------------- */

/* The plane from LEFT to RIGHT and from -HIGH to HIGH, FINE cells to a unit. */
enum { ROUND = 2000, SHOWN = 3, LEFT = -4, RIGHT = 3, HIGH = 3, FINE = 30 };
enum { WIDE = (RIGHT - LEFT) * FINE, TALL = 2 * HIGH * FINE };

static void mark(Tensor *map, double x, double y, double grey)
{
    int column = (int)floor((x - LEFT) * FINE), row = (int)floor((HIGH - y) * FINE);
    for (int i = 0; i < 4; i++) /* 2 x 2 cells */
        if (column >= 0 && column < WIDE - 1 && row >= 0 && row < TALL - 1)
            map->data[(row + i / 2) * WIDE + column + i % 2] = (real)grey;
}

/* The points in grey, and in white the circle of one standard deviation about each mean, on black
 * as the digits are. Cells are square, so circles stay circles. */
static PlotHeatmap plane(Tape *tape, const Mixture *m, const Tensor *points, const char *title)
{
    Tensor *map = tape_full(tape, 0, shape2(TALL, WIDE));
    for (int n = 0; n < POINTS; n++)
        mark(map, (double)points->data[2 * n], (double)points->data[2 * n + 1], 0.6);
    for (int i = 0; i < K * ROUND; i++) {
        double angle = 2 * M_PI * i / ROUND, deviation = sqrt(m->v[i / ROUND]);
        mark(map, m->mu[i / ROUND][0] + deviation * cos(angle),
             m->mu[i / ROUND][1] + deviation * sin(angle), 1);
    }
    PlotHeatmap picture = sketch_picture(map, title);
    picture.row_name = "x\xe2\x82\x82, upwards";
    picture.column_name = "x\xe2\x82\x81";
    picture.scale.high = 1;
    return picture;
}

enum { EM_STEPS = 40 };

/* m and log p(x) of each step, from random means. */
static bool climb(uint64_t seed, bool by_gradient, double rate, Mixture m[EM_STEPS + 1],
                  double log_p[EM_STEPS + 1])
{
    Rng rng = {.seed = seed, .stream = STREAM};
    Tape *tape = tape_new(seed);
    bool ok = tape != NULL;
    for (int i = 0; ok && i <= EM_STEPS; i++) {
        tape_reset(tape);
        Tensor *x = mixture_points(tape, seed);
        m[i] = i == 0 ? mixture_start(x, &rng) : m[i - 1];
        if (i > 0 && by_gradient)
            ok = mixture_gradient_step(&m[i], x, rate);
        else if (i > 0)
            m[i] = mixture_em_step(&m[i - 1], x, true);
        log_p[i] = mixture_log_p(&m[i], x);
    }
    tape_free(tape);
    return ok;
}

/* Three stages in one picture, and a frame for each of FRAMES numbers of steps. */
static bool draw_em(const Sketch *s)
{
    enum { FRAMES = 9 };
    static const int shown[FRAMES] = {0, 1, 2, 3, 5, 8, 12, 20, 40};
    static const int stages[SHOWN] = {0, 4, 8}; /* of `shown`: the start, 5 and 40 steps */
    static const char *const names[SHOWN] = {"start", "5 steps", "40 steps"};
    PlotHeatmap maps[SHOWN];
    Mixture m[EM_STEPS + 1];
    double log_p[EM_STEPS + 1];
    bool ok = climb(s->seed, false, 0, m, log_p);
    Tape *tape = tape_new(s->seed);
    const Tensor *points = mixture_points(tape, s->seed);
    for (int i = 0; ok && i < FRAMES; i++) {
        char stem[SKETCH_STEM], title[64];
        Sketch frame = sketch_frame(s, i + 1, stem);
        snprintf(title, sizeof title, "EM after %d step%s", shown[i], shown[i] == 1 ? "" : "s");
        maps[0] = plane(tape, &m[shown[i]], points, sketch_title(s, title));
        ok = plot_heatmap(frame.stem, maps, s->formats);
    }
    for (int i = 0; i < SHOWN; i++)
        maps[i] = plane(tape, &m[shown[stages[i]]], points, names[i]);
    ok =
        ok &&
        plot_heatmaps(s->stem, maps, SHOWN,
                      sketch_title(s, "EM moves three Gaussians (circles: one standard deviation)"),
                      s->formats);
    tape_free(tape);
    return ok;
}

/* The points in the colours of their likeliest classes, and a circle of one deviation for each. */
static void put_plane(const Mixture *m, const Tensor *points)
{
    enum { CIRCLE = 60 };
    static const char *const names[K] = {"class 1", "class 2", "class 3"};
    computed_axes("x₁", "x₂", false);
    for (int k = 0; k < K; k++) {
        double x[POINTS], y[POINTS], circle_x[CIRCLE + 1], circle_y[CIRCLE + 1];
        int count = 0;
        for (int n = 0; n < POINTS; n++) {
            const real *p = points->data + 2 * n;
            int likeliest = 0;
            for (int j = 1; j < K; j++)
                likeliest = mixture_joint(m, p, j) > mixture_joint(m, p, likeliest) ? j : likeliest;
            if (likeliest == k)
                x[count] = (double)p[0], y[count++] = (double)p[1];
        }
        for (int i = 0; i <= CIRCLE; i++) {
            circle_x[i] = m->mu[k][0] + sqrt(m->v[k]) * cos(2 * M_PI * i / CIRCLE);
            circle_y[i] = m->mu[k][1] + sqrt(m->v[k]) * sin(2 * M_PI * i / CIRCLE);
        }
        computed_points(names[k], count, x, y);
        computed_line(names[k], CIRCLE + 1, circle_x, circle_y);
        computed_fact("; class %d: π %.3f, μ (%.2f, %.2f), v %.2f", k + 1, m->pi[k], m->mu[k][0],
                      m->mu[k][1], m->v[k]);
    }
}

static bool compute_em(const double *value, const char *text)
{
    static const char *const ways[] = {"EM", "gradient ascent"};
    static Mixture m[2][EM_STEPS + 1];
    static double steps[EM_STEPS + 1], log_p[2][EM_STEPS + 1];
    const int step = (int)value[0], way = value[1] > 0;
    const uint64_t seed = (uint64_t)value[3];
    (void)text;
    for (int i = 0; i <= EM_STEPS; i++)
        steps[i] = i;
    Tape *tape = tape_new(seed);
    const bool ok = tape && climb(seed, false, 0, m[0], log_p[0]) &&
                    climb(seed, true, value[2], m[1], log_p[1]);
    if (ok) {
        computed_fact("Step %d of %s: mean log p(x) = %.4f", step, ways[way], log_p[way][step]);
        put_plane(&m[way][step], mixture_points(tape, seed));
        computed_fact(".");
        computed_axes("step", "mean log p(x)", false);
        for (int i = 0; i < 2; i++)
            computed_line(ways[i], EM_STEPS + 1, steps, log_p[i]);
        computed_points("this step", 1, &steps[step], &log_p[way][step]);
    }
    tape_free(tape);
    return ok;
}

const ComputedFigure em_computed = {
    .name = "em",
    .title = "EM and gradient ascent, step by step",
    .about = "400 points, each in the colour of its likeliest class; a ring is one deviation "
             "about a mean. No step of EM lowers the mean of log p(x); gradient ascent climbs the "
             "same hill, by steps of its rate.",
    .control = {{"step", 0, EM_STEPS, 1, 5},
                {"by gradient ascent", 0, 1, 1, 0},
                {"rate", 0.1, 4, 0.1, 0.5},
                {"seed", 1, 20, 1, 1}},
    .plays = true,
    .compute = compute_em};

const Figure mixture_figures[] = {
    {52, "em", draw_em,
     .what = "a mixture of three Gaussians after 0, 5 and 40 steps of EM; and a series of frames",
     .computed = &em_computed},
    {0},
};
