/* variational.c: q(z | x; phi) in the posterior's role (row 55).
 *
 *   ELBO(phi, theta) = mean over x of E_q [log p(x, z; theta) - log q(z | x; phi)]
 *   (H "Approximate Posterior", "Training VAEs")
 *
 * The model is linear, so that every quantity is known: z ~ N(0, 1), x = w z + s e in R^2, and
 * q(z | x) = N(a . x, v).
 *
 *   p(z | x) = N(w . x / (|w|^2 + s^2), s^2 / (|w|^2 + s^2))
 *   ELBO     = -log(2 pi s^2) - (|x - w m|^2 + |w|^2 v) / (2 s^2) - (m^2 + v - 1 - log v) / 2,   m = a . x
 *   the largest likelihood: s^2 = l_2 and |w|^2 = l_1 - l_2, of the eigenvalues l_1 > l_2 of the data's covariance
 *                                             (Tipping and Bishop, "Probabilistic principal component analysis", 1999) */
#include "lectures/08-vae/vae.h"

enum { POINTS = 200, STREAM = 5500 };

/* theta = (w, log s^2), phi = (a, log v). With `shared`, q's mean is one number c for all x, in the
 * first entry of a. */
typedef struct {
    Params *params;
    Tensor *w, *log_s2, *a, *log_v;
    bool shared;
} Model;

static void model_init(Model *m, uint64_t seed, bool shared)
{
    m->params = params_new(seed);
    m->shared = shared;
    m->w = params_add(m->params, "w", shape2(2, 1), nn_normal(1));
    m->log_s2 = params_add(m->params, "log_s2", shape1(1), nn_constant(0));
    m->a = params_add(m->params, "a", shape2(shared ? 1 : 2, 1), nn_constant(0));
    m->log_v = params_add(m->params, "log_v", shape1(1), nn_constant(0));
}

/* x = (2, 1) z + 0.7 e, minus its mean. */
static void draw_points(uint64_t seed, real *x)
{
    double mean[2] = {0};
    Rng rng = {.seed = seed, .stream = STREAM};
    for (int n = 0; n < POINTS; n++) {
        double z = rng_normal(&rng);
        for (int d = 0; d < 2; d++) {
            x[2 * n + d] = (real)((2 - d) * z + 0.7 * rng_normal(&rng));
            mean[d] += (double)x[2 * n + d] / POINTS;
        }
    }
    for (int i = 0; i < 2 * POINTS; i++)
        x[i] -= (real)mean[i % 2];
}

/* m = a . x, or the one number of all x: (N, 1) */
static Tensor *means_of(const Model *m, Tensor *x)
{
    Tensor *a = tape_param(x->tape, m->a);
    return m->shared ? ag_expand(a, shape2(POINTS, 1)) : ag_matmul(x, a);
}

static Tensor *elbo(const Model *m, Tensor *x)
{
    Tape *tape = x->tape;
    Tensor *w = tape_param(tape, m->w), *log_s2 = tape_param(tape, m->log_s2),
           *log_v = tape_param(tape, m->log_v), *v = ag_exp(log_v);
    Tensor *mean = means_of(m, x), *off = ag_sub(x, ag_matmul(mean, ag_transpose(w, 0, 1)));
    Tensor *square = ag_mean(ag_sum_axis(ag_mul(off, off), 1, false));
    Tensor *spread = ag_mul(ag_sum(ag_mul(w, w)), v);
    Tensor *precision = ag_scale(ag_exp(ag_neg(log_s2)), (real)0.5);
    Tensor *fit = ag_add(ag_mul(ag_add(square, spread), precision), log_s2);
    Tensor *kl = ag_sub(ag_add(ag_mean(ag_mul(mean, mean)), v), log_v);
    Tensor *constant = tape_full(tape, (real)(0.5 - log(2 * M_PI)), shape1(1));
    return ag_sum(ag_sub(constant, ag_add(fit, ag_scale(kl, (real)0.5))));
}

/* ---- training -------------------------------------------------------------------------------- */

enum {
    JOINT = 0,
    ONLY_THETA = -1,
    ONLY_PHI = -2
}; /* or n > 0: phi for n steps, then theta for n */

/* Which half moves in this step. */
static void choose(Model *m, int way, int step)
{
    bool phi = way == ONLY_PHI || (way > 0 && step / way % 2 == 0);
    bool theta = way == ONLY_THETA || (way > 0 && !phi);
    params_freeze(m->params, "w", phi);
    params_freeze(m->params, "log_s2", phi);
    params_freeze(m->params, "a", theta);
    params_freeze(m->params, "log_v", theta);
}

/* Gradient ascent with Adam; the ELBO at the end. */
static double train(Model *m, const real *points, int way, int steps)
{
    double bound = 0;
    Tape *tape = tape_new(1);
    Adam adam;
    adam_init(&adam, m->params, 0.05);
    for (int step = 0; step <= steps; step++) {
        tape_reset(tape);
        choose(m, way, step);
        adam.rate = nn_warmup_cosine(step, 0, steps, 0.05, 0.0005);
        Tensor *loss = ag_neg(elbo(m, tape_input(tape, points, shape2(POINTS, 2))));
        bound = -(double)tensor_item(loss);
        if (step < steps) {
            ag_backward(loss);
            adam_step(&adam, m->params);
        }
    }
    adam_free(&adam);
    tape_free(tape);
    return bound;
}

/* The covariance of the points: c_11, c_12, c_22. */
static void covariance(const real *x, double c[3])
{
    c[0] = c[1] = c[2] = 0;
    for (int n = 0; n < POINTS; n++) {
        c[0] += (double)x[2 * n] * (double)x[2 * n] / POINTS;
        c[1] += (double)x[2 * n] * (double)x[2 * n + 1] / POINTS;
        c[2] += (double)x[2 * n + 1] * (double)x[2 * n + 1] / POINTS;
    }
}

/* The mean log p(x) at the largest likelihood: -log(2 pi) - log(l_1 l_2) / 2 - 1. */
static double largest_likelihood(const real *x)
{
    double c[3];
    covariance(x, c);
    return -log(2 * M_PI) - log(c[0] * c[2] - c[1] * c[1]) / 2 - 1; /* l_1 l_2 is the determinant */
}

/* The mean log p(x) of the model: x is normal with the covariance w w' + s^2. */
static double log_likelihood(const Model *m, const real *x)
{
    double c[3], w[2] = {(double)m->w->data[0], (double)m->w->data[1]},
                 s2 = exp((double)m->log_s2->data[0]), both = s2 + w[0] * w[0] + w[1] * w[1];
    covariance(x, c);
    double along = w[0] * w[0] * c[0] + 2 * w[0] * w[1] * c[1] + w[1] * w[1] * c[2];
    return -log(2 * M_PI) - log(s2 * both) / 2 - (c[0] + c[2] - along / both) / (2 * s2);
}

enum { STEPS = 1000 };

static double one_objective(Trial *t)
{
    static const int ways[] = {JOINT, 1, 5, 20};
    double worst = 0;
    real x[2 * POINTS];
    draw_points(t->seed, x);
    double top = largest_likelihood(x);
    for (int i = 0; i < 4; i++) {
        Model m;
        model_init(&m, t->seed, false);
        double bound = train(&m, x, broken(t, "no-E-step") ? ONLY_THETA : ways[i], STEPS);
        worst = values_worst(worst, fabs(bound - top));
        explain(t, "turns of %2d steps%s: ELBO %.5f; largest mean log p(x) %.5f", ways[i],
                ways[i] ? "              " : " (both at once)", bound, top);
        params_free(m.params);
    }
    return worst;
}

/* ---- one q for all x ------------------------------------------------------------------------- */

/* Trains q with theta fixed at the data's own, first for each x and then shared. */
static double single_q(Trial *t)
{
    real x[2 * POINTS];
    Model free_q, one_q;
    draw_points(t->seed, x);
    model_init(&free_q, t->seed, false);
    double each = train(&free_q, x, JOINT, STEPS);
    model_init(&one_q, t->seed, !broken(t, "sees-x"));
    one_q.w->data[0] = free_q.w->data[0];
    one_q.w->data[1] = free_q.w->data[1];
    one_q.log_s2->data[0] = free_q.log_s2->data[0];
    double shared = train(&one_q, x, ONLY_PHI, STEPS);
    double w[2] = {(double)free_q.w->data[0], (double)free_q.w->data[1]},
           s2 = exp((double)free_q.log_s2->data[0]), precision = w[0] * w[0] + w[1] * w[1] + s2,
           variance = 0;
    for (int n = 0; n < POINTS; n++) { /* of the posterior means over the data, whose mean is 0 */
        double mean = (w[0] * (double)x[2 * n] + w[1] * (double)x[2 * n + 1]) / precision;
        variance += mean * mean / POINTS;
    }
    double theory = variance / (2 * s2 / precision);
    explain(t, "ELBO with q(z | x) %.4f, with one q(z) %.4f: lost %.4f, theory %.4f", each, shared,
            each - shared, theory);
    params_free(free_q.params);
    params_free(one_q.params);
    return fabs(each - shared - theory) / theory;
}

/* With theta trained for the one q, too, x is best explained without z: the ELBO's terms in w are
 * -|w|^2 (c^2 + v) / (2 s^2), so that w = 0. What is lost is log((l_1 + l_2) / 2) - log(l_1 l_2) /
 * 2. */
static double z_dropped(Trial *t)
{
    real x[2 * POINTS];
    double c[3];
    Model m;
    draw_points(t->seed, x);
    covariance(x, c);
    model_init(&m, t->seed, !broken(t, "sees-x"));
    double lost = largest_likelihood(x) - train(&m, x, JOINT, STEPS);
    double theory = log((c[0] + c[2]) / 2) - log(c[0] * c[2] - c[1] * c[1]) / 2;
    double w = hypot((double)m.w->data[0], (double)m.w->data[1]);
    explain(t, "lost %.4f nats a point, w = 0 loses %.4f; |w| = %.2g", lost, theory, w);
    params_free(m.params);
    return fabs(lost - theory) + w;
}

const Claim variational_claims[] = {
    {55, one_objective,
     "in a linear model E-step and M-step in turn, or one step over phi and theta, reach the same "
     "ELBO",
     .slides = {"H: Training VAEs"},
     .quantity =
         "largest |ELBO - largest mean log p(x)|, together and in turns of 1, 5 and 20 steps",
     AT_MOST(1e-3, "q contains the posterior, so the gap can close; 1e-3 is what 1,000 steps may "
                   "leave"),
     .faults = {{"no-E-step", "phi keeps its first values"}}},
    {55, single_q,
     "one q(z) for all x loses the mean KL to the posteriors: in a linear model var(mean of z | x) "
     "/ (2 var(z | x))",
     .slides = {"H: Approximate Posterior"}, .quantity = "|loss - theory|, relative",
     AT_MOST(0.005, "both ELBOs are within 1e-3 of their maxima, and theory is about 5 nats"),
     .faults = {{"sees-x", "q depends on x"}}},
    {55, z_dropped, "with one q(z) for all x and theta trained with it the decoder drops z",
     .slides = {"H: Approximate Posterior", "H: Training VAEs"},
     .quantity = "|nats lost - what w = 0 loses| + |w|",
     AT_MOST(0.01, "a |w| of 0.01 costs 1e-4 nats, as much as 1,000 steps may leave"),
     .faults = {{"sees-x", "q depends on x"}}},
    {0},
};

/* ---- the picture ----------------------------------------------------------------------------- */

enum { SHOWN = 3000, TURN = 100 };

/* Plain gradient ascent, whose path has no momentum: phi and theta in turn for TURN steps each, or
 * together. The gap log p(x) - ELBO, and log p(x), after each step. */
static void walk(uint64_t seed, int way, double *gap, double *log_p)
{
    Model m;
    Sgd sgd;
    Tape *tape = tape_new(seed);
    real x[2 * POINTS];
    draw_points(seed, x);
    model_init(&m, seed, false);
    sgd_init(&sgd, m.params, 0.02, 0, 0);
    for (int step = 0; step <= SHOWN; step++) {
        tape_reset(tape);
        choose(&m, way, step);
        Tensor *loss = ag_neg(elbo(&m, tape_input(tape, x, shape2(POINTS, 2))));
        log_p[step] = log_likelihood(&m, x);
        gap[step] = log_p[step] + (double)tensor_item(loss);
        ag_backward(loss);
        sgd_step(&sgd, m.params);
    }
    sgd_free(&sgd);
    tape_free(tape);
    params_free(m.params);
}

static bool draw_zigzag(const Sketch *s)
{
    static double gap[2][SHOWN + 1], log_p[2][SHOWN + 1];
    walk(s->seed, TURN, gap[0], log_p[0]);
    walk(s->seed, JOINT, gap[1], log_p[1]);
    for (int i = 0; i <= 2 * SHOWN + 1; i++) /* below 1e-4 nothing is to be seen */
        if (gap[i / (SHOWN + 1)][i % (SHOWN + 1)] < 1e-4)
            gap[i / (SHOWN + 1)][i % (SHOWN + 1)] = (double)NAN;
    const PlotSeries series[] = {{"in turn, 100 steps each", gap[0], log_p[0], SHOWN + 1},
                                 {"together", gap[1], log_p[1], SHOWN + 1}};
    return SKETCH_CURVES(s, "Ascent on the ELBO: in turn, and together", series,
                         .x_name = "gap, log p(x) - ELBO, nats", .y_name = "mean log p(x), nats",
                         .log_x = true);
}

const Figure variational_figures[] = {
    {55, "zigzag", draw_zigzag,
     .what = "gap and log p(x) along ascent on the ELBO: in turn a staircase, together a curve, to "
             "one end"},
    {0},
};
