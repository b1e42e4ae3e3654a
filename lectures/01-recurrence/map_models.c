/* map_models.c: two families of V's tree, on points whose density p is known (row 1).
 *                                                                  V "Taxonomy of Generative Models"
 *   Markov model  x_1 and x_2 in bins; p(x_1) and p(x_2 | x_1) are relative frequencies
 *   VAE           z ~ N(0, 1),  x = d(z) + s v;  log p(x) = log integral of N(z; 0, 1) N(x; d(z), s^2 I) dz
 *                 ELBO(x) = mean over q(z | x) of log p(x | z) - KL(q(z | x) || N(0, 1))  <=  log p(x)
 *
 * The ELBO is derived and measured in chapter 8, rows 53 to 57. The mean of log q over other points
 * of p is -h(p) - KL(p || q), never above -h(p). */
#include "lectures/01-recurrence/map.h"

#include <string.h>

/* ---- Markov model: a table ------------------------------------------------------------------- */

/* Bins of 1/4, six cells of the plane: FIRST bins of x_1 on [-5, 5), NEXT bins of x_2 on [-4, 4).
 * Each begins with the count `prior`, so that none has the probability 0. */
enum { FIRST = 40, NEXT = 32 };
static const double width = 0.25, prior = 0.01;
static real log_table[FIRST * NEXT]; /* log p(x_1, x_2) */

static int bin(real x, int bins)
{
    double i = floor((double)x / width) + bins / 2;
    return i < 0 ? 0 : i < bins ? (int)i : bins - 1;
}

static bool train_markov(uint64_t seed)
{
    static double first[FIRST], pair[FIRST][NEXT];
    const real *x = moons_training(seed);
    for (int i = 0; i < FIRST; i++) {
        first[i] = NEXT * prior;
        for (int j = 0; j < NEXT; j++)
            pair[i][j] = prior;
    }
    for (int i = 0; i < MOONS_TRAIN; i++) {
        first[bin(x[2 * i], FIRST)]++;
        pair[bin(x[2 * i], FIRST)][bin(x[2 * i + 1], NEXT)]++;
    }
    for (int i = 0; i < FIRST; i++)
        for (int j = 0; j < NEXT; j++) {
            double p_first = first[i] / (MOONS_TRAIN + FIRST * NEXT * prior);
            double p_next = pair[i][j] / first[i];
            log_table[i * NEXT + j] = (real)log(p_first * p_next / (width * width));
        }
    return true;
}

static Tensor *markov_log_density(Tensor *x)
{
    enum { MOST = 1024 };
    int id[MOST], n = (int)x->shape.dim[0];
    for (int i = 0; i < n && i < MOST; i++)
        id[i] = bin(x->data[2 * i], FIRST) * NEXT + bin(x->data[2 * i + 1], NEXT);
    Tensor *table = tape_input(x->tape, log_table, shape2(FIRST * NEXT, 1));
    return ag_embedding(table, tape_ids(x->tape, id, shape1(n)));
}

/* ---- VAE: a latent number -------------------------------------------------------------------- */

/* Nodes of the trapezoidal rule for z on [-LIMIT, LIMIT]. */
enum { Z_NODES = 400, LIMIT = 5 };

/* Three linear layers, in -> hidden -> hidden -> out, with silu between them. */
typedef struct {
    Linear layer[3];
} Net;

static Params *vae; /* its weights, of one seed */
static Net encoder, decoder;
static Tensor *log_s; /* (1) */

static bool net_init(Net *n, Params *p, const char *name, int in, int hidden, int out)
{
    return nn_linear_init(&n->layer[0], p, params_path(p, "%s.0", name), in, hidden, true) &&
           nn_linear_init(&n->layer[1], p, params_path(p, "%s.1", name), hidden, hidden, true) &&
           nn_linear_init(&n->layer[2], p, params_path(p, "%s.2", name), hidden, out, true);
}

static Tensor *net(const Net *n, Tensor *x)
{
    x = ag_silu(nn_linear(&n->layer[0], ag_scale(x, 4)));
    x = ag_silu(nn_linear(&n->layer[1], x));
    return nn_linear(&n->layer[2], x);
}

static Tensor *batch(Tape *tape, Rng *rng, uint64_t seed, int count)
{
    enum { MOST = 1024 };
    real points[MOST * 2];
    const real *all = moons_training(seed);
    for (int i = 0; i < count && i < MOST; i++)
        memcpy(points + 2 * i, all + 2 * rng_below(rng, MOONS_TRAIN), 2 * sizeof(real));
    return tape_input(tape, points, shape2(count, 2));
}

static Tensor *constant(Tape *tape, double number)
{
    return tape_full(tape, (real)number, shape1(1));
}

/* mean and log variance of q(z | x): x (N, 2) -> (N, 1) each. */
static void encode(Tensor *x, Tensor **mean, Tensor **log_variance)
{
    Tensor *both = net(&encoder, x);
    *mean = ag_slice(both, 1, 0, 1);
    *log_variance = ag_slice(both, 1, 1, 2);
}

/* log N(x; d(z), s^2 I): x (..., 2), z (..., 1) -> (..., 1); the axes in front broadcast. */
static Tensor *log_p_given(Tensor *x, Tensor *z)
{
    Tensor *s = tape_param(x->tape, log_s);
    Tensor *off = ag_mul(ag_sub(x, net(&decoder, z)), ag_exp(ag_neg(s)));
    Tensor *square = ag_sum_axis(ag_mul(off, off), -1, true);
    Tensor *norm = ag_add(ag_scale(s, 2), constant(x->tape, log(2 * MOONS_PI)));
    return ag_neg(ag_add(ag_scale(square, (real)0.5), norm));
}

/* KL(N(mean, variance) || N(0, 1)) of each point, (N, 1). */
static Tensor *kl(Tensor *mean, Tensor *log_variance)
{
    Tensor *sum = ag_add(ag_mul(mean, mean), ag_sub(ag_exp(log_variance), log_variance));
    return ag_scale(ag_sub(sum, constant(mean->tape, 1)), (real)0.5);
}

/* The ELBO with z = mean + deviation noise; noise (..., 1), x (..., 2). One draw a point, while it
 * is trained. */
static Tensor *sampled_elbo(Tensor *x, Tensor *noise)
{
    Tensor *mean, *log_variance;
    encode(x, &mean, &log_variance);
    Tensor *z = ag_add(mean, ag_mul(ag_exp(ag_scale(log_variance, (real)0.5)), noise));
    return ag_sub(log_p_given(x, z), kl(mean, log_variance));
}

static bool train_elbo(Params *p, uint64_t seed)
{
    enum { BATCH = 256, STEPS = 2000 };
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 106};
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, p, 1e-2);
    for (int step = 0; ok && step < STEPS; step++) {
        adam.rate = nn_warmup_cosine(step, 10, STEPS, 1e-2, 0);
        tape_reset(tape);
        Tensor *x = batch(tape, &rng, seed, BATCH);
        Tensor *loss =
            ag_neg(ag_mean(sampled_elbo(x, values_normal(tape, &rng, shape2(BATCH, 1), 1))));
        ok = ag_backward(loss) && adam_step(&adam, p);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

static bool vae_init(Params *p)
{
    log_s = params_add(p, "log_s", shape1(1), nn_constant(-0.5));
    return log_s && net_init(&decoder, p, "decoder", 1, 32, 2) &&
           net_init(&encoder, p, "encoder", 2, 32, 2);
}

static bool train_vae(uint64_t seed)
{
    static Made made;
    if (made_for(&made, seed))
        return true;
    params_free(vae);
    vae = params_new(seed);
    return made.is = vae && vae_init(vae) && train_elbo(vae, seed);
}

/* ---- by quadrature --------------------------------------------------------------------------- */

/* log p(x) = log sum_j exp(log weight_j + log p(x | z_j)), (N, 1), with the weights of the
 * trapezoidal rule times N(z_j; 0, 1). */
static Tensor *vae_log_density(Tensor *x)
{
    real node[Z_NODES], weight[Z_NODES];
    double step = 2.0 * LIMIT / (Z_NODES - 1);
    for (int j = 0; j < Z_NODES; j++) {
        double z = -LIMIT + j * step;
        node[j] = (real)z;
        weight[j] = (real)(log(step) - 0.5 * z * z - 0.5 * log(2 * MOONS_PI));
    }
    Tensor *z = tape_input(x->tape, node, shape2(Z_NODES, 1));
    Tensor *log_weight = tape_input(x->tape, weight, shape2(Z_NODES, 1));
    Tensor *each = log_p_given(ag_reshape(x, shape3(-1, 1, 2)), z); /* (N, Z_NODES, 1) */
    return ag_logsumexp(ag_add(each, log_weight), 1, false);
}

/* ---- a density at many points ---------------------------------------------------------------- */

typedef Tensor *(*LogDensity)(Tensor *x); /* x (N, 2) -> log q(x), (N, 1) */

enum { MODELS = 2 };
static const struct {
    const char *name;
    bool (*train)(uint64_t seed); /* keeps the model of one seed */
    LogDensity log_density;
} models[MODELS] = {{"Markov model", train_markov, markov_log_density},
                    {"VAE", train_vae, vae_log_density}};

/* log q at n points, after train. False after an error of the library. */
static bool log_density_at(LogDensity f, const real *points, int n, double *log_q)
{
    enum { CHUNK = 1024 };
    Tape *tape = tape_new(0);
    bool ok = tape;
    for (int i = 0; ok && i < n; i += CHUNK) {
        int count = n - i < CHUNK ? n - i : CHUNK;
        tape_reset(tape);
        tape->no_grad = true;
        Tensor *y = f(tape_input(tape, points + 2 * i, shape2(count, 2)));
        ok = !tensor_is_poison(y);
        for (int k = 0; ok && k < count; k++)
            log_q[i + k] = (double)y->data[k];
    }
    tape_free(tape);
    return ok;
}

/* The plane, and log p there, which no seed changes. */
static const double *log_p_of_plane(const real **points)
{
    static real at[PLANE_POINTS * 2];
    static double log_p[PLANE_POINTS];
    static bool done;
    grid_points(&plane, at);
    for (int i = 0; !done && i < PLANE_POINTS; i++)
        log_p[i] = moons_log_p(at + 2 * i);
    done = true;
    *points = at;
    return log_p;
}

/* KL(p || q), or h(p) where there is no q, by quadrature. */
static double divergence(LogDensity f)
{
    static double log_q[PLANE_POINTS];
    const real *points;
    const double *log_p = log_p_of_plane(&points);
    double sum = 0;
    if (f && !log_density_at(f, points, PLANE_POINTS, log_q))
        return (double)NAN;
    for (int i = 0; i < PLANE_POINTS; i++)
        if (exp(log_p[i]) > 0)
            sum += plane.step * plane.step * exp(log_p[i]) *
                   ((f ? log_p[i] : 0) - (f ? log_q[i] : log_p[i]));
    return sum;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* Two routes to the mean of log q over the data: test points, and -h(p) - KL(p || q) by
 * quadrature. */
static double likelihoods(Trial *t)
{
    static double log_q[MOONS_TEST];
    const double h = divergence(NULL);
    double worst = 0;
    explain(t, "the data's own: -h(p) = %.4f nats", -h);
    for (int i = 0; i < MODELS; i++) {
        double mean = 0, square = 0;
        if (!models[i].train(t->seed) ||
            !log_density_at(models[i].log_density, moons_testing(t->seed), MOONS_TEST, log_q))
            return (double)NAN;
        for (int k = 0; k < MOONS_TEST; k++)
            mean += log_q[k] / MOONS_TEST;
        for (int k = 0; k < MOONS_TEST; k++)
            square += (log_q[k] - mean) * (log_q[k] - mean) / MOONS_TEST;
        mean += broken(t, "other-units") ? log(4) : 0;
        double kl_p_q = divergence(models[i].log_density), error = sqrt(square / MOONS_TEST);
        explain(t, "%-12s mean log q = %.4f +- %.4f;  KL(p || q) = %.4f: %.4f", models[i].name,
                mean, error, kl_p_q, -h - kl_p_q);
        worst = values_worst(worst, kl_p_q > 0 ? fabs(mean + h + kl_p_q) / error : (double)NAN);
    }
    return worst;
}

const Claim map_claims[] = {
    {1, likelihoods,
     "the mean of log q over new points of p is -h(p) - KL(p || q), within its standard errors",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity =
         "the worse |mean log q + h(p) + KL by quadrature| of two models, in standard errors",
     AT_MOST(5, "4,000 test points; the larger of two normal numbers is beyond 5 once in 900,000"),
     .faults = {{"other-units",
                 "log q of the points in units of two, not converted: log 4 too much"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* q, or p where there is no model, in the cells of `view`, from the top row to the bottom row. */
static Tensor *picture_of(LogDensity f)
{
    static real points[VIEW_POINTS * 2], upright[VIEW_POINTS];
    static double cells[VIEW_POINTS];
    grid_points(&view, points);
    if (f && !log_density_at(f, points, VIEW_POINTS, cells))
        return NULL;
    for (int i = 0; i < VIEW_POINTS; i++) {
        int row = i / view.across, column = i % view.across;
        double log_q = f ? cells[i] : moons_log_p(points + 2 * i);
        upright[(view.up - 1 - row) * view.across + column] = (real)exp(log_q);
    }
    return tensor_from(upright, shape2(view.up, view.across));
}

static bool draw_map(const Sketch *s)
{
    enum { PANELS = 1 + MODELS };
    char title[PANELS][64] = {"the data"};
    PlotHeatmap maps[PANELS];
    bool ok = true;
    for (int i = 0; i < PANELS; i++) {
        LogDensity f = i ? models[i - 1].log_density : NULL;
        ok = ok && (!i || models[i - 1].train(s->seed));
        if (i)
            snprintf(title[i], sizeof title[i], "%s: %.2f", models[i - 1].name, divergence(f));
        maps[i] = (PlotHeatmap){.map = picture_of(f),
                                .title = title[i],
                                .pixels = true,
                                .scale = {.high = 0.5, .name = "density"}};
        ok = ok && maps[i].map;
    }
    ok = ok && plot_heatmaps(s->stem, maps, PANELS,
                             sketch_title(s, "Two models of two moons, and KL(p || q) in nats"),
                             s->formats);
    for (int i = 0; i < PANELS; i++)
        tensor_free((Tensor *)maps[i].map);
    return ok;
}

const Figure map_figures[] = {
    {1, "map", draw_map, .what = "the density of two moons, and what two models learned of it"},
    {0},
};
