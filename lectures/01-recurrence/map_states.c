/* map_states.c: models with discrete states: a mixture of normal distributions, and the hidden
 * Markov model (row 1).
 *
 *   state z_1 ~ first,  z_t ~ next[z_(t-1)],  x_t ~ N(mean, covariance of z_t)       V "Taxonomy of Generative Models"
 *   log p(x_1 .. x_T) by the forward algorithm, in T steps of K^2 terms;  T = 1: a mixture of K normal distributions
 *
 * EM raises it: the E-step counts how often each state and each step between states is expected,
 * given x; the M-step takes relative frequencies, means and covariances of these counts. The
 * expected counts are gradients:
 *
 *   d log p(x) / d log next[j][k] = expected number of steps from j to k, given x
 *   d log p(x) / d log b_t(k)     = p(z_t = k | x),   b_t(k) = p(x_t | z_t = k)
 *
 * so that ag_backward through the forward algorithm is the E-step. */
#include "lectures/01-recurrence/map.h"

enum {
    MOST_STATES = 12,
    FEATURES = 6,
    ROUNDS = 40,
    SEQUENCES = 64,
    STEPS = 32,
};

/* log b(k) = coefficient[k] . (x_1^2, x_1 x_2, x_2^2, x_1, x_2, 1): a normal density is linear in
 * these features. */
typedef struct {
    int states;
    real log_first[MOST_STATES], log_next[MOST_STATES * MOST_STATES];
    real coefficient[MOST_STATES * FEATURES];
    double occupied[MOST_STATES];  /* how often each state is expected, as a share */
    double log_likelihood[ROUNDS]; /* of the training data, per point            */
} States;

/* The numbers of a States on a tape, and log b_t(k), (B, T, K). */
typedef struct {
    Tensor *first, *next, *coefficient, *log_b;
} StatesOnTape;

static StatesOnTape put_on_tape(Tape *tape, const States *s)
{
    return (StatesOnTape){.first = tape_leaf(tape, s->log_first, shape1(s->states)),
                          .next = tape_leaf(tape, s->log_next, shape2(s->states, s->states)),
                          .coefficient =
                              tape_leaf(tape, s->coefficient, shape2(s->states, FEATURES))};
}

/* ---- the forward algorithm ------------------------------------------------------------------- */

static Tensor *features(Tensor *x)
{
    int axis = x->shape.rank - 1;
    Tensor *x1 = ag_slice(x, axis, 0, 1), *x2 = ag_slice(x, axis, 1, 2);
    Tensor *one = ag_exp(ag_scale(x1, 0));
    Tensor *all[FEATURES] = {ag_mul(x1, x1), ag_mul(x1, x2), ag_mul(x2, x2), x1, x2, one};
    return ag_concat(all, FEATURES, axis);
}

/* x (B, T, 2) -> log p(x_1 .. x_T), (B, 1):
 *   alpha_1(k) = log first(k) + log b_1(k)
 *   alpha_t(k) = log sum_j exp(alpha_(t-1)(j) + log next(j, k)) + log b_t(k) */
static Tensor *forward(StatesOnTape *s, Tensor *x)
{
    int64_t B = x->shape.dim[0], T = x->shape.dim[1], K = s->first->shape.dim[0];
    s->log_b = ag_keep(ag_linear(features(x), s->coefficient, NULL));
    Tensor *alpha = s->first;
    for (int64_t t = 0; t < T; t++) {
        Tensor *log_b = ag_reshape(ag_slice(s->log_b, 1, t, t + 1), shape2(B, K));
        if (t > 0)
            alpha = ag_logsumexp(ag_add(ag_reshape(alpha, shape3(B, K, 1)), s->next), 1, false);
        alpha = ag_add(alpha, log_b);
    }
    return ag_logsumexp(alpha, 1, true);
}

/* ---- EM -------------------------------------------------------------------------------------- */

/* The coefficients of log N(x; m, S), S = ((s[0], s[1]), (s[1], s[2])). */
static void set_normal(real *coefficient, const double m[2], const double s[3])
{
    double det = s[0] * s[2] - s[1] * s[1];
    double p[3] = {s[2] / det, -s[1] / det, s[0] / det}; /* the inverse of S */
    double pm[2] = {p[0] * m[0] + p[1] * m[1], p[1] * m[0] + p[2] * m[1]};
    double constant = -0.5 * (pm[0] * m[0] + pm[1] * m[1] + log(det)) - log(2 * MOONS_PI);
    double all[FEATURES] = {-0.5 * p[0], -p[1], -0.5 * p[2], pm[0], pm[1], constant};
    for (int i = 0; i < FEATURES; i++)
        coefficient[i] = (real)all[i];
}

/* Mean and covariance of a state from its expected sums of features; 1e-6 keeps the covariance
 * invertible. */
static void normal_of_counts(real *coefficient, const real *sum)
{
    double n = (double)sum[5], m[2] = {(double)sum[3] / n, (double)sum[4] / n};
    double s[3] = {(double)sum[0] / n - m[0] * m[0] + 1e-6, (double)sum[1] / n - m[0] * m[1],
                   (double)sum[2] / n - m[1] * m[1] + 1e-6};
    set_normal(coefficient, m, s);
}

/* Logarithms of relative frequencies. */
static void log_shares(real *log_p, const real *count, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)count[i];
    for (int i = 0; i < n; i++)
        log_p[i] = (real)log((double)count[i] / sum + 1e-9);
}

/* E-step: expected counts are gradients of log p(x). M-step: relative frequencies, means,
 * covariances of them. weigh_by_p: the gradient of p(x) instead, which leaves out that
 * responsibilities are divided by p(x). Returns the log-likelihood per point before the step. */
static double em_step(States *s, Tape *tape, Tensor *x, bool weigh_by_p)
{
    int K = s->states;
    StatesOnTape on = put_on_tape(tape, s);
    Tensor *log_p = forward(&on, x);
    double points = (double)(x->shape.dim[0] * x->shape.dim[1]), sum = 0;
    if (!ag_backward(ag_sum(weigh_by_p ? ag_exp(log_p) : log_p)))
        return (double)NAN;
    for (int64_t i = 0; i < tensor_size(log_p); i++)
        sum += (double)log_p->data[i];
    log_shares(s->log_first, on.first->grad, K);
    for (int k = 0; k < K; k++) {
        const real *counts = on.coefficient->grad + k * FEATURES;
        normal_of_counts(s->coefficient + k * FEATURES, counts);
        s->occupied[k] = (double)counts[5] / points;
        if (x->shape.dim[1] > 1)
            log_shares(s->log_next + k * K, on.next->grad + k * K, K);
    }
    return sum / points;
}

/* From means at points of the data, and wide covariances; x holds B sequences of T points. */
static bool train_states(States *s, int states, uint64_t seed, const real *x, int B, int T,
                         bool weigh_by_p)
{
    static const double wide[3] = {0.2, 0, 0.2};
    Rng rng = {.seed = seed, .stream = 104};
    Tape *tape = tape_new(seed);
    *s = (States){.states = states};
    for (int k = 0; k < states; k++) {
        const real *point = x + 2 * rng_below(&rng, B * T);
        set_normal(s->coefficient + k * FEATURES,
                   (const double[]){(double)point[0], (double)point[1]}, wide);
        s->log_first[k] = (real)-log(states);
        for (int j = 0; j < states; j++)
            s->log_next[k * states + j] = (real)-log(states);
    }
    bool ok = tape;
    for (int i = 0; ok && i < ROUNDS; i++) {
        tape_reset(tape);
        s->log_likelihood[i] = em_step(s, tape, tape_input(tape, x, shape3(B, T, 2)), weigh_by_p);
        ok = isfinite(s->log_likelihood[i]);
    }
    tape_free(tape);
    return ok;
}

/* ---- the two families ------------------------------------------------------------------------ */

static const real *training_walks(uint64_t seed)
{
    static real walks[SEQUENCES * STEPS * 2];
    Rng rng = {.seed = seed, .stream = 105};
    moons_walk(&rng, walks, SEQUENCES, STEPS);
    return walks;
}

enum { MIXTURE_STATES = 8, HMM_STATES = 12 };
static States mixture, hmm;

static bool train_mixture(uint64_t seed)
{
    static uint64_t of;
    static bool ok;
    if (!ok || of != seed)
        ok = train_states(&mixture, MIXTURE_STATES, seed, moons_training(seed), MOONS_TRAIN, 1,
                          false);
    of = seed;
    return ok;
}

static bool train_hmm(uint64_t seed)
{
    static uint64_t of;
    static bool ok;
    if (!ok || of != seed)
        ok = train_states(&hmm, HMM_STATES, seed, training_walks(seed), SEQUENCES, STEPS, false);
    of = seed;
    return ok;
}

static Tensor *mixture_log_density(Tensor *x)
{
    StatesOnTape s = put_on_tape(x->tape, &mixture);
    return forward(&s, ag_reshape(x, shape3(-1, 1, 2)));
}

/* Of one point of a sequence: each state as often as it is expected. */
static Tensor *hmm_log_density(Tensor *x)
{
    real log_share[HMM_STATES];
    StatesOnTape s = put_on_tape(x->tape, &hmm);
    for (int k = 0; k < HMM_STATES; k++)
        log_share[k] = (real)log(hmm.occupied[k]);
    s.first = tape_input(x->tape, log_share, shape1(HMM_STATES));
    return forward(&s, ag_reshape(x, shape3(-1, 1, 2)));
}

const Family family_mixture = {
    .branch = "latent variables, prescribed",
    .name = "mixture",
    .train = train_mixture,
    .log_density = mixture_log_density,
};

const Family family_hmm = {
    .branch = "Markov models",
    .name = "HMM",
    .train = train_hmm,
    .log_density = hmm_log_density,
};

/* ---- claims: against all paths --------------------------------------------------------------- */

enum { SMALL_STATES = 3, SMALL_STEPS = 6, PATHS = 729, SMALL_BATCH = 5 };

static const double small_covariance[3] = {0.5, 0.2, 0.7};

/* Random transitions and means, and short walks x. log_b: log N(x_t; mean of k, covariance) of
 * each, from its formula. */
static void small_model(uint64_t seed, States *s, real *x, double *log_b)
{
    Rng rng = {.seed = seed, .stream = 119};
    real share[SMALL_STATES];
    double mean[SMALL_STATES][2];
    const double *c = small_covariance, det = c[0] * c[2] - c[1] * c[1];
    *s = (States){.states = SMALL_STATES};
    for (int k = -1; k < SMALL_STATES; k++) {
        for (int j = 0; j < SMALL_STATES; j++)
            share[j] = (real)(0.05 + rng_uniform(&rng));
        log_shares(k < 0 ? s->log_first : s->log_next + k * SMALL_STATES, share, SMALL_STATES);
    }
    for (int k = 0; k < SMALL_STATES; k++) {
        mean[k][0] = rng_normal(&rng), mean[k][1] = rng_normal(&rng);
        set_normal(s->coefficient + k * FEATURES, mean[k], c);
    }
    moons_walk(&rng, x, SMALL_BATCH, SMALL_STEPS);
    for (int i = 0; i < SMALL_BATCH * SMALL_STEPS * SMALL_STATES; i++) {
        const real *point = x + i / SMALL_STATES * 2;
        double u = (double)point[0] - mean[i % SMALL_STATES][0],
               v = (double)point[1] - mean[i % SMALL_STATES][1];
        double square = (c[2] * u * u - 2 * c[1] * u * v + c[0] * v * v) / det;
        log_b[i] = -0.5 * (square + log(det)) - log(2 * MOONS_PI);
    }
}

/* What all paths together say of one sequence: p(x), and p(z_t = k, x). */
typedef struct {
    double p, best, state[SMALL_STEPS][SMALL_STATES];
} AllPaths;

/* log_b (SMALL_STEPS, SMALL_STATES): of this sequence. */
static AllPaths all_paths(const States *s, const double *log_b)
{
    AllPaths all = {0};
    for (int path = 0; path < PATHS; path++) {
        int z[SMALL_STEPS];
        double log_p = 0;
        for (int t = 0, rest = path; t < SMALL_STEPS; t++, rest /= SMALL_STATES) {
            z[t] = rest % SMALL_STATES;
            log_p += (double)(t ? s->log_next[z[t - 1] * SMALL_STATES + z[t]] : s->log_first[z[t]]);
            log_p += log_b[t * SMALL_STATES + z[t]];
        }
        double p = exp(log_p);
        all.p += p;
        all.best = p > all.best ? p : all.best;
        for (int t = 0; t < SMALL_STEPS; t++)
            all.state[t][z[t]] += p;
    }
    return all;
}

static double against_paths(Trial *t)
{
    States s;
    real x[SMALL_BATCH * SMALL_STEPS * 2];
    double log_b[SMALL_BATCH * SMALL_STEPS * SMALL_STATES];
    Tape *tape = trial_tape(t);
    double worst = 0;
    small_model(t->seed, &s, x, log_b);
    StatesOnTape on = put_on_tape(tape, &s);
    Tensor *log_p = forward(&on, tape_input(tape, x, shape3(SMALL_BATCH, SMALL_STEPS, 2)));
    for (int i = 0; i < SMALL_BATCH; i++) {
        AllPaths all = all_paths(&s, log_b + i * SMALL_STEPS * SMALL_STATES);
        double expected = log(broken(t, "best-path") ? all.best : all.p);
        explain(t, "sequence %d: log p = %.5f by the forward algorithm, %.5f by %d paths", i + 1,
                (double)log_p->data[i], expected, PATHS);
        worst = values_worst(worst, fabs((double)log_p->data[i] - expected));
    }
    return worst;
}

/* The gradient of log p by log b_t(k), against p(z_t = k | x) of all paths; filtered: given x_1 ..
 * x_t only, which is the gradient of log p(x_1 .. x_t). */
static double expected_counts(Trial *t)
{
    States s;
    real x[SMALL_BATCH * SMALL_STEPS * 2];
    double log_b[SMALL_BATCH * SMALL_STEPS * SMALL_STATES];
    Tape *tape = trial_tape(t);
    double worst = 0;
    int steps = broken(t, "filtered") ? SMALL_STEPS - 1 : SMALL_STEPS;
    small_model(t->seed, &s, x, log_b);
    StatesOnTape on = put_on_tape(tape, &s);
    Tensor *all_x = tape_input(tape, x, shape3(SMALL_BATCH, SMALL_STEPS, 2));
    bool ok = ag_backward(ag_sum(forward(&on, ag_slice(all_x, 1, 0, steps))));
    for (int i = 0; ok && i < SMALL_BATCH; i++) {
        AllPaths all = all_paths(&s, log_b + i * SMALL_STEPS * SMALL_STATES);
        for (int step = 0; step < steps; step++)
            for (int k = 0; k < SMALL_STATES; k++) {
                double g = (double)on.log_b->grad[(i * steps + step) * SMALL_STATES + k];
                double posterior = all.state[step][k] / all.p;
                if (i == 0 && step < 2)
                    explain(t, "t = %d, state %d: gradient %.5f, p(z_t = k | x) = %.5f", step + 1,
                            k + 1, g, posterior);
                worst = values_worst(worst, fabs(g - posterior));
            }
    }
    return ok ? worst : (double)NAN;
}

/* ---- claims: training ------------------------------------------------------------------------ */

static double never_falls(Trial *t)
{
    static States s;
    double least = INFINITY, rise = INFINITY;
    bool by_p = broken(t, "by-p");
    bool ok = by_p ? train_states(&s, MIXTURE_STATES, t->seed, moons_training(t->seed), MOONS_TRAIN,
                                  1, true)
                   : train_mixture(t->seed) && train_hmm(t->seed);
    const States *const model[] = {by_p ? &s : &mixture, by_p ? &s : &hmm};
    for (int m = 0; ok && m < 2; m++) {
        explain(t, "%d states: log-likelihood per point %.4f, %.4f, %.4f, ... %.4f",
                model[m]->states, model[m]->log_likelihood[0], model[m]->log_likelihood[1],
                model[m]->log_likelihood[2], model[m]->log_likelihood[ROUNDS - 1]);
        for (int i = 1; i < ROUNDS; i++)
            least =
                values_least(least, model[m]->log_likelihood[i] - model[m]->log_likelihood[i - 1]);
        rise =
            values_least(rise, model[m]->log_likelihood[ROUNDS - 1] - model[m]->log_likelihood[0]);
    }
    return ok && rise != 0 ? least
                           : (double)NAN; /* a likelihood that was never computed does not fall */
}

const Claim map_states_claims[] = {
    {1, against_paths, "the forward algorithm adds up all paths of an HMM in T steps of K^2 terms",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "max |log p(x) - log of the sum over 729 paths|, 5 sequences",
     AT_MOST(1e-4, "rounding of numbers up to 100 in 6 steps: 6 x 6e-6"),
     .faults = {{"best-path", "the best path only, as Viterbi's algorithm finds it"}}},
    {1, expected_counts,
     "backward through the forward algorithm is the E-step: gradients are posteriors",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "max |d log p(x) / d log b_t(k) - p(z_t = k | x)|, 90 of them",
     AT_MOST(1e-5, "rounding of numbers up to 1 in 12 steps"),
     .faults = {{"filtered", "the last point is not seen"}}},
    {1, never_falls, "no round of EM lowers the likelihood, of a mixture or of an HMM",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "the least change of the log-likelihood per point in 39 rounds, the worse of both",
     AT_LEAST(-1e-5, "EM's bound touches the likelihood before each round; rounding in float: "
                     "1e-6"),
     .faults = {{"by-p", "gradients of p(x): responsibilities that are not divided by p(x)"}}},
    {0},
};

Tensor *map_hmm_sequences(Tensor *x)
{
    StatesOnTape s = put_on_tape(x->tape, &hmm);
    return forward(&s, x);
}
