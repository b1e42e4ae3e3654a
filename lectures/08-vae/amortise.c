/* amortise.c: one network for the q of all x, or a q for each x alone (row 55).
 *
 *   log p(x) - ELBO(network) = [log p(x) - ELBO(best normal q)] + [ELBO(best normal q) - ELBO(network)]
 *                                  approximation gap                   amortisation gap
 *                                  (Cremer, Li and Duvenaud, "Inference suboptimality in variational autoencoders", 2018)
 *
 * The decoder is a parabola: z ~ N(0, 1), x = (z, z^2) + s e in R^2. Each expectation over q is a
 * sum over nodes, and so is log p(x), so that no number has noise of sampling. */
#include "lectures/08-vae/vae.h"

enum { POINTS = 1000, NODES = 41, GRID = 1201, STREAM = 5550 };
static const double noise = 0.5;

static void draw_points(uint64_t seed, real *x)
{
    Rng rng = {.seed = seed, .stream = STREAM};
    for (int n = 0; n < POINTS; n++) {
        double z = rng_normal(&rng);
        x[2 * n] = (real)(z + noise * rng_normal(&rng));
        x[2 * n + 1] = (real)(z * z + noise * rng_normal(&rng));
    }
}

/* log p(x | z) of each x (N, 2) for each of its z (N or 1, K): (N, K) */
static Tensor *log_likelihood(Tensor *x, Tensor *z)
{
    Tensor *across = ag_sub(ag_slice(x, 1, 0, 1), z);
    Tensor *up = ag_sub(ag_slice(x, 1, 1, 2), ag_mul(z, z));
    Tensor *square = ag_add(ag_mul(across, across), ag_mul(up, up));
    Tensor *constant = tape_full(x->tape, (real)log(2 * M_PI * noise * noise), shape1(1));
    return ag_sub(ag_scale(square, (real)(-0.5 / (noise * noise))), constant);
}

/* -5, -4.75, ..., 5, and their shares of N(0, 1): the trapezoid rule, exact to 1e-6 for a
 * polynomial of degree 4. */
static void nodes(Tape *tape, Tensor **e, Tensor **share)
{
    real at[NODES], weight[NODES];
    for (int k = 0; k < NODES; k++) {
        at[k] = (real)(0.25 * k - 5);
        weight[k] = (real)(0.25 * exp(-0.5 * (double)at[k] * (double)at[k]) / sqrt(2 * M_PI));
    }
    *e = tape_input(tape, at, shape2(1, NODES));
    *share = tape_input(tape, weight, shape2(1, NODES));
}

/* The ELBO of each x (N, 2) with q = N(mean, e^v), mean and v (N, 1): (N) */
static Tensor *elbo_of_each(Tensor *x, Tensor *mean, Tensor *v)
{
    Tensor *e, *share;
    nodes(x->tape, &e, &share);
    Tensor *z = ag_add(mean, ag_mul(ag_exp(ag_scale(v, (real)0.5)), e)); /* (N, K) */
    Tensor *fit = ag_sum_axis(ag_mul(share, log_likelihood(x, z)), 1, true);
    Tensor *kl = ag_sub(ag_add(ag_mul(mean, mean), ag_exp(v)), v); /* 2 KL + 1 */
    Tensor *half = tape_full(x->tape, (real)0.5, shape1(1));
    return ag_reshape(ag_add(ag_sub(fit, ag_scale(kl, (real)0.5)), half), shape1(POINTS));
}

/* ---- two kinds of q -------------------------------------------------------------------------- */

/* A network of x, one hidden layer of tanh; or, with `free`, two numbers for each x. */
typedef struct {
    Params *params;
    Linear in, out;
    Tensor *free; /* (POINTS, 2), or NULL */
} Q;

/* mean and v of each x, side by side: (N, 2) */
static Tensor *q_of(const Q *q, Tensor *x)
{
    return q->free ? tape_param(x->tape, q->free)
                   : nn_linear(&q->out, ag_tanh(nn_linear(&q->in, x)));
}

/* Gradient ascent on the mean ELBO of all x; the ELBO of each x and q's numbers at the end. */
static void climb(const Q *q, const real *points, int steps, double *each, real *numbers)
{
    Tape *tape = tape_new(1);
    Adam adam;
    adam_init(&adam, q->params, 0.03);
    for (int step = 0; step <= steps; step++) {
        tape_reset(tape);
        Tensor *x = tape_input(tape, points, shape2(POINTS, 2)), *both = q_of(q, x);
        Tensor *elbo = elbo_of_each(x, ag_slice(both, 1, 0, 1), ag_slice(both, 1, 1, 2));
        for (int i = 0; step == steps && !tensor_is_poison(elbo) && i < POINTS; i++) {
            each[i] = (double)elbo->data[i];
            numbers[2 * i] = both->data[2 * i];
            numbers[2 * i + 1] = both->data[2 * i + 1];
        }
        adam.rate = nn_warmup_cosine(step, 0, steps + 1, 0.03, 0.0003);
        if (step < steps && !(ag_backward(ag_neg(ag_mean(elbo))) && adam_step(&adam, q->params)))
            break;
    }
    adam_free(&adam);
    tape_free(tape);
}

/* log p(x) of each x by the trapezoid rule on [-6, 6]. */
static void log_p_of_each(const real *points, double *log_p)
{
    real z[GRID], log_share[GRID];
    for (int k = 0; k < GRID; k++) {
        z[k] = (real)(0.01 * k - 6);
        log_share[k] = (real)(-0.5 * (double)z[k] * (double)z[k] - 0.5 * log(2 * M_PI) + log(0.01));
    }
    Tape *tape = tape_new(1);
    tape->no_grad = true;
    Tensor *each = log_likelihood(tape_input(tape, points, shape2(POINTS, 2)),
                                  tape_input(tape, z, shape2(1, GRID)));
    Tensor *sum =
        ag_logsumexp(ag_add(each, tape_input(tape, log_share, shape2(1, GRID))), 1, false);
    for (int i = 0; !tensor_is_poison(sum) && i < POINTS; i++)
        log_p[i] = (double)sum->data[i];
    tape_free(tape);
}

/* The mean of a - b over the points, and its standard error. */
static double gap(const double *a, const double *b, double *error)
{
    double sum = 0, square = 0;
    for (int i = 0; i < POINTS; i++) {
        sum += (a[i] - b[i]) / POINTS;
        square += (a[i] - b[i]) * (a[i] - b[i]) / POINTS;
    }
    *error = sqrt((square - sum * sum) / (POINTS - 1));
    return sum;
}

/* Both gaps with their standard errors: [0] approximation, [1] amortisation. */
typedef struct {
    double gap[2], error[2];
} Gaps;

/* Trains a network of `hidden` units, then from its numbers a free q for each x. */
static Gaps gaps_of(Trial *t, const real *x, const double *log_p, int hidden)
{
    static double network[POINTS], alone[POINTS];
    static real numbers[2 * POINTS];
    Gaps g;
    Q q = {.params = params_new(t->seed)}, own = {.params = params_new(t->seed)};
    nn_linear_init(&q.in, q.params, "in", 2, hidden, true);
    nn_linear_init(&q.out, q.params, "out", hidden, 2, true);
    climb(&q, x, 600, network, numbers);
    own.free = params_add(own.params, "free", shape2(POINTS, 2), nn_constant(0));
    for (int i = 0; i < 2 * POINTS; i++)
        own.free->data[i] = numbers[i];
    climb(&own, x, broken(t, "not-free") ? 0 : 300, alone, numbers);
    g.gap[0] = gap(log_p, alone, &g.error[0]);
    g.gap[1] = gap(alone, network, &g.error[1]);
    explain(t,
            "%2d hidden units: approximation gap %.4f +- %.4f, amortisation gap %.4f +- %.4f nats",
            hidden, g.gap[0], g.error[0], g.gap[1], g.error[1]);
    params_free(q.params);
    params_free(own.params);
    return g;
}

/* How far the amortisation gap falls from 2 hidden units to 16, in standard errors; or the
 * approximation gap of 16, if that is less. */
static double amortisation(Trial *t)
{
    static real x[2 * POINTS];
    static double log_p[POINTS];
    draw_points(t->seed, x);
    log_p_of_each(x, log_p);
    Gaps narrow = gaps_of(t, x, log_p, 2);
    if (t->notes) /* only to be read */
        gaps_of(t, x, log_p, 4);
    Gaps wide = gaps_of(t, x, log_p, broken(t, "narrow") ? 2 : 16);
    return values_least((narrow.gap[1] - wide.gap[1]) / hypot(narrow.error[1], wide.error[1]),
                        wide.gap[0] / wide.error[0]);
}

const Claim amortise_claims[] = {
    {55, amortisation,
     "what one network for all x loses falls with its width; what a normal q of each x loses "
     "remains",
     .slides = {"H: Approximate Posterior", "H: Training VAEs"},
     .quantity = "fall of the amortisation gap from 2 to 16 hidden units, and the approximation "
                 "gap; the smaller in standard errors, 1,000 points",
     AT_LEAST(4, "4 standard errors above 0 are chance once in 30,000. (That no gap is below 0 "
                 "needs no measurement: the free q could be the network's.)"),
     .faults = {{"not-free", "each x keeps the q that the network gave it"},
                {"narrow", "the wide network has 2 hidden units, too"}}},
    {0},
};
