/* map_linear.c: models with a continuous state: PPCA, and the linear dynamical system (row 1).
 *
 *   z_1 ~ N(0, 1),  z_t = a z_(t-1) + sqrt(1 - a^2) w_t,   x_t = m + c z_t + sqrt(r) v_t;   w, v standard normal
 *   log p(x_1 .. x_T) by the Kalman filter;  T = 1: probabilistic PCA        V "Taxonomy of Generative Models"
 *
 * The same picture as map_states.c has, with a number as the state in place of one of K: sums over
 * states become integrals of normal densities. One state, two coordinates: m and c are (1, 2). */
#include "lectures/01-recurrence/map.h"

#include <stdlib.h>

enum { SEQUENCES = 64, STEPS = 32 };

typedef struct {
    Tensor *m, *c;         /* (1, 2) */
    Tensor *log_r, *a_raw; /* (1, 1); a = tanh(a_raw) */
} Gaussian;

static bool gaussian_init(Gaussian *g, Params *p)
{
    g->m = params_add(p, "m", shape2(1, 2), nn_constant(0));
    g->c = params_add(p, "c", shape2(1, 2), nn_normal(0.5));
    g->log_r = params_add(p, "log_r", shape2(1, 1), nn_constant(0));
    g->a_raw = params_add(p, "a_raw", shape2(1, 1), nn_constant(0.5));
    return g->m && g->c && g->log_r && g->a_raw;
}

/* ---- the Kalman filter ----------------------------------------------------------------------- */

/* What is known of z_t given x_1 .. x_(t-1), and then x_t as well: N(mean, variance); the variance
 * is the same for all sequences. */
typedef struct {
    Tensor *mean, *variance; /* (B, 1), (1, 1) */
} Belief;

/* x (B, 2), one step: adds log p(x_t | x_1 .. x_(t-1)) to *log_p, and x_t to the belief.
 *   e = x - m - c mean;   x_t ~ N(m + c mean, r I + variance c c^T),  whose determinant is r s,  s = r + variance |c|^2
 *   mean = mean + (variance / s) c.e;   variance = variance r / s */
static void observe(const Gaussian *g, Tensor *x, Belief *z, Tensor **log_p)
{
    Tensor *c = tape_param(x->tape, g->c), *r = ag_exp(tape_param(x->tape, g->log_r));
    Tensor *s = ag_add(r, ag_mul(z->variance, ag_sum_axis(ag_mul(c, c), 1, true)));
    Tensor *e = ag_sub(ag_sub(x, g->m), ag_mul(z->mean, c));
    Tensor *along = ag_sum_axis(ag_mul(e, c), 1, true); /* c.e, (B, 1) */
    Tensor *gain = ag_div(z->variance, s);
    Tensor *square = ag_sub(ag_sum_axis(ag_mul(e, e), 1, true), ag_mul(gain, ag_mul(along, along)));
    Tensor *log_normal = ag_add(ag_div(square, r), ag_add(ag_log(r), ag_log(s)));
    log_normal = ag_add(ag_scale(log_normal, (real)-0.5),
                        tape_full(x->tape, (real)-log(2 * MOONS_PI), shape2(1, 1)));
    *log_p = *log_p ? ag_add(*log_p, log_normal) : log_normal;
    z->mean = ag_add(z->mean, ag_mul(gain, along));
    z->variance = ag_div(ag_mul(z->variance, r), s);
}

/* z_(t+1) = a z_t + noise:  mean = a mean,  variance = a^2 variance + 1 - a^2. */
static void predict(const Gaussian *g, Belief *z)
{
    Tape *tape = z->mean->tape;
    Tensor *a = ag_tanh(tape_param(tape, g->a_raw)), *one = tape_full(tape, 1, shape2(1, 1));
    z->mean = ag_mul(a, z->mean);
    z->variance = ag_add(one, ag_mul(ag_mul(a, a), ag_sub(z->variance, one)));
}

/* x (B, T, 2) -> log p(x_1 .. x_T), (B, 1). */
static Tensor *kalman(const Gaussian *g, Tensor *x)
{
    int64_t B = x->shape.dim[0], T = x->shape.dim[1];
    Tensor *log_p = NULL;
    Belief z = {tape_full(x->tape, 0, shape2(1, 1)), tape_full(x->tape, 1, shape2(1, 1))};
    for (int64_t t = 0; t < T; t++) {
        if (t > 0)
            predict(g, &z);
        observe(g, ag_reshape(ag_slice(x, 1, t, t + 1), shape2(B, 2)), &z, &log_p);
    }
    return log_p;
}

/* ---- the two families ------------------------------------------------------------------------ */

static Kept kept_ppca, kept_lds;
static Gaussian ppca, lds;

/* Adam on all sequences x (B, T, 2) at once. */
static bool fit_all(Gaussian *g, Params *p, const real *x, int B, int T, int steps, double rate)
{
    Tape *tape = tape_new(0);
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, p, rate);
    for (int step = 0; ok && step < steps; step++) {
        adam.rate = nn_warmup_cosine(step, 1, steps, rate, 0);
        tape_reset(tape);
        Tensor *log_p = kalman(g, tape_input(tape, x, shape3(B, T, 2)));
        ok = ag_backward(ag_scale(ag_mean(log_p), (real)(-1.0 / T))) && adam_step(&adam, p);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

static bool train_ppca(uint64_t seed)
{
    if (!map_kept(&kept_ppca, seed))
        kept_ppca.trained =
            gaussian_init(&ppca, kept_ppca.params) &&
            fit_all(&ppca, kept_ppca.params, moons_training(seed), MOONS_TRAIN, 1, 300, 0.05);
    return kept_ppca.trained;
}

static bool train_lds(uint64_t seed)
{
    static real walks[SEQUENCES * STEPS * 2];
    Rng rng = {.seed = seed, .stream = 105};
    if (map_kept(&kept_lds, seed))
        return true;
    moons_walk(&rng, walks, SEQUENCES, STEPS);
    kept_lds.trained = gaussian_init(&lds, kept_lds.params) &&
                       fit_all(&lds, kept_lds.params, walks, SEQUENCES, STEPS, 100, 0.05);
    return kept_lds.trained;
}

static Tensor *ppca_log_density(Tensor *x)
{
    return kalman(&ppca, ag_reshape(x, shape3(-1, 1, 2)));
}

/* Of one point of a sequence: z_t ~ N(0, 1) at every t. */
static Tensor *lds_log_density(Tensor *x)
{
    return kalman(&lds, ag_reshape(x, shape3(-1, 1, 2)));
}

const Family family_ppca = {
    .branch = "latent variables, prescribed",
    .name = "PPCA",
    .train = train_ppca,
    .log_density = ppca_log_density,
};

const Family family_lds = {
    .branch = "Markov models",
    .name = "LDS",
    .train = train_lds,
    .log_density = lds_log_density,
};

/* ---- claims ---------------------------------------------------------------------------------- */

/* Eigenvalues of a covariance (s[0], s[1]; s[1], s[2]), the larger one first, and the direction of
 * the first. */
static void eigenvectors(const double s[3], double value[2], double direction[2])
{
    double middle = (s[0] + s[2]) / 2, apart = hypot((s[0] - s[2]) / 2, s[1]);
    double angle = atan2(2 * s[1], s[0] - s[2]) / 2;
    value[0] = middle + apart, value[1] = middle - apart;
    direction[0] = cos(angle), direction[1] = sin(angle);
}

/* In closed form (Tipping and Bishop 1999), one state, two coordinates: c = sqrt(l_1 - l_2) u_1 and
 * r = l_2, with the eigenvalues l_1, l_2 of the covariance and the eigenvector u_1. */
static double closed_form(Trial *t)
{
    double s[3], l[2], u[2];
    if (!train_ppca(t->seed))
        return (double)NAN;
    moons_covariance(moons_training(t->seed), s);
    eigenvectors(s, l, u);
    double c[2] = {(double)ppca.c->data[0], (double)ppca.c->data[1]};
    double r = exp((double)ppca.log_r->data[0]), square = c[0] * c[0] + c[1] * c[1];
    double along = c[0] * u[0] + c[1] * u[1];
    double off_direction = 1 - along * along / square;
    double noise = broken(t, "no-noise") ? 0 : l[1];
    double off_c = fabs(square / (l[0] - noise) - 1), off_r = fabs(r / l[1] - 1);
    explain(t, "eigenvalues %.5f and %.5f, first eigenvector (%.4f, %.4f)", l[0], l[1], u[0], u[1]);
    explain(t, "trained: |c|^2 = %.5f, r = %.5f, c / |c| = (%.4f, %.4f)", square, r,
            c[0] / sqrt(square), c[1] / sqrt(square));
    return values_worst(off_direction, values_worst(off_c, off_r));
}

/* Sequences short enough for their joint density. */
enum { JOINT_STEPS = 6, JOINT = 2 * JOINT_STEPS, JOINT_BATCH = 5 };

/* log N(x; 0, S) by Cholesky's decomposition S = L L^T: L y = x, log p = -(|y|^2 + log det S + n
 * log 2 pi) / 2. */
static double log_normal(int n, double s[][JOINT], const double *x)
{
    double y[JOINT], sum = n * log(2 * MOONS_PI);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double entry = s[i][j];
            for (int k = 0; k < j; k++)
                entry -= s[i][k] * s[j][k];
            s[i][j] = i == j ? sqrt(entry) : entry / s[j][j];
        }
        y[i] = x[i];
        for (int k = 0; k < i; k++)
            y[i] -= s[i][k] * y[k];
        y[i] /= s[i][i];
        sum += y[i] * y[i] + 2 * log(s[i][i]);
    }
    return -sum / 2;
}

/* All points of a sequence x are jointly normal: cov(x_s, x_t) = a^|s - t| c c^T, and r more where
 * s = t. */
static double joint_log_density(const Gaussian *g, double a, const real *x)
{
    double s[JOINT][JOINT], point[JOINT], r = exp((double)g->log_r->data[0]);
    for (int i = 0; i < JOINT; i++) {
        point[i] = (double)x[i];
        for (int j = 0; j < JOINT; j++) {
            double cc = (double)g->c->data[i % 2] * (double)g->c->data[j % 2];
            s[i][j] = pow(a, abs(i / 2 - j / 2)) * cc + (i == j ? r : 0);
        }
    }
    return log_normal(JOINT, s, point);
}

static double joint(Trial *t)
{
    Params *p = trial_params(t);
    Gaussian g;
    real x[JOINT_BATCH * JOINT];
    double worst = 0;
    gaussian_init(&g, p);
    double a = broken(t, "no-memory") ? 0 : tanh((double)g.a_raw->data[0]);
    moons_walk(trial_rng(t, 121), x, JOINT_BATCH, JOINT_STEPS);
    Tensor *log_p = kalman(&g, tape_input(trial_tape(t), x, shape3(JOINT_BATCH, JOINT_STEPS, 2)));
    for (int b = 0; b < JOINT_BATCH; b++) {
        double expected = joint_log_density(&g, a, x + b * JOINT);
        explain(t, "sequence %d: log p = %.5f by the filter, %.5f by the joint normal density",
                b + 1, (double)log_p->data[b], expected);
        worst = values_worst(worst, fabs((double)log_p->data[b] - expected));
    }
    return worst;
}

static Tensor *lds_sequences(Tensor *x)
{
    return kalman(&lds, x);
}

/* The mean over sequences of (log p of the whole sequence, less the sum of its points' own) /
 * steps, in standard errors: what the state carries from one point to the next. */
static double memory_of(LogDensity whole, LogDensity alone, uint64_t seed, bool independent,
                        double *nats)
{
    static real x[SEQUENCES * STEPS * 2];
    Rng rng = {.seed = seed, .stream = 120};
    Tape *tape = tape_new(0);
    double gain[SEQUENCES];
    moons_walk(&rng, x, independent ? SEQUENCES * STEPS : SEQUENCES, independent ? 1 : STEPS);
    tape->no_grad = true;
    Tensor *together = whole(tape_input(tape, x, shape3(SEQUENCES, STEPS, 2)));
    Tensor *each = alone(tape_input(tape, x, shape2(SEQUENCES * STEPS, 2)));
    Tensor *sum = ag_sum_axis(ag_reshape(each, shape2(SEQUENCES, STEPS)), 1, true);
    Tensor *more = ag_scale(ag_sub(together, sum), (real)(1.0 / STEPS));
    for (int i = 0; i < SEQUENCES; i++)
        gain[i] = (double)more->data[i];
    tape_free(tape);
    Mean m = values_mean(gain, SEQUENCES);
    *nats = m.mean;
    return m.mean / m.error;
}

/* For discrete and for continuous states. */
static double memory(Trial *t)
{
    double nats[2], z[2];
    bool alone = broken(t, "independent");
    if (!family_hmm.train(t->seed) || !train_lds(t->seed))
        return (double)NAN;
    z[0] = memory_of(map_hmm_sequences, family_hmm.log_density, t->seed, alone, &nats[0]);
    z[1] = memory_of(lds_sequences, lds_log_density, t->seed, alone, &nats[1]);
    explain(t,
            "hidden Markov model: %.3f nats a point more than without memory, %.0f standard errors",
            nats[0], z[0]);
    explain(t, "linear dynamical system: %.3f nats a point more, %.0f standard errors", nats[1],
            z[1]);
    return values_least(z[0], z[1]);
}

const Claim map_linear_claims[] = {
    {1, closed_form,
     "probabilistic PCA, trained by gradients, finds the eigenvectors of the covariance",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "the worst of 1 - cos^2, and the relative errors of |c|^2 = l_1 - l_2 and r = l_2",
     AT_MOST(1e-3, "Adam's steps fall to 0 along a cosine; the likelihood has no other maximum"),
     .faults = {{"no-noise", "|c|^2 = l_1, as PCA without noise has it"}}},
    {1, joint, "the Kalman filter adds up to the joint normal density of the whole sequence",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "max |log p(x_1 .. x_6) - log of the 12-dimensional normal density|, 5 sequences",
     AT_MOST(1e-4, "rounding of numbers up to 20 in 6 steps"),
     .faults = {{"no-memory", "a = 0: points that are independent"}}},
    {1, memory,
     "the state of an HMM or LDS carries memory: the whole walk is likelier than its points one by "
     "one",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "nats per point above those of the points alone, in standard errors, the lesser",
     AT_LEAST(5, "an error from 64 sequences, Student's t: beyond 5 once in 400,000, were there "
                 "no memory"),
     .faults = {{"independent", "points that are drawn independently, instead of walks"}}},
    {0},
};
