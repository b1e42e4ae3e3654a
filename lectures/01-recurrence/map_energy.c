/* map_energy.c: an energy-based model: a network's number, made a density by its normaliser (row
 * 1).
 *
 *   q(x) = exp(-E(x)) / Z,   Z = integral of exp(-E(x))           V "Taxonomy of Generative Models"
 *
 * E is any network. In two dimensions Z is a sum over a grid; in many, Z cannot be computed, and
 * its gradient is estimated from points of q, which a Markov chain draws without knowing Z:
 *   d log Z / d theta = -mean over q of dE / d theta */
#include "lectures/01-recurrence/map.h"

static const Grid coarse = {.left = -3.2, .bottom = -2.7, .step = 0.15, .across = 43, .up = 36};
enum { COARSE_POINTS = 43 * 36 };

static Kept kept;
static Net energy_net;

/* E(x) = network + |x|^2 / 2, (N, 1). The second part lets exp(-E) vanish far from the data. */
static Tensor *energy(Tensor *x)
{
    Tensor *square = ag_sum_axis(ag_mul(x, x), 1, true);
    return ag_add(net(&energy_net, x), ag_scale(square, (real)0.5));
}

/* -E at the points of the grid, (COARSE_POINTS, 1). */
static Tensor *minus_energy_on_grid(Tape *tape)
{
    static real points[COARSE_POINTS * 2];
    grid_points(&coarse, points);
    return ag_neg(energy(tape_input(tape, points, shape2(COARSE_POINTS, 2))));
}

/* log Z = log sum exp(-E) + log(area of a cell), (1, 1). */
static Tensor *log_normaliser(Tape *tape)
{
    Tensor *sum = ag_logsumexp(minus_energy_on_grid(tape), 0, true);
    return ag_add(sum, tape_full(tape, (real)(2 * log(coarse.step)), shape2(1, 1)));
}

static Tensor *energy_log_density(Tensor *x)
{
    return ag_neg(ag_add(energy(x), log_normaliser(x->tape)));
}

static Tensor *no_normaliser(Tensor *x)
{
    return ag_neg(energy(x));
}

static bool train_energy(uint64_t seed)
{
    if (!map_kept(&kept, seed))
        kept.trained = net_init(&energy_net, kept.params, "energy", 2, 48, 1) &&
                       map_fit(kept.params, energy_log_density, seed, 600, 1e-2);
    return kept.trained;
}

const Family family_energy = {
    .branch = "energy-based",
    .name = "network E(x)",
    .train = train_energy,
    .log_density = energy_log_density,
    .fault = "no-normaliser",
    .flawed = no_normaliser,
};

/* ---- points without Z ------------------------------------------------------------------------ */

/* CHAINS independent chains of Langevin steps (Roberts and Tweedie 1996):
 *   y = x - STEP grad E(x) + sqrt(2 STEP) n,   n ~ N(0, I)
 *   y is accepted with probability min(1, exp(E(x) - E(y)) k(x | y) / k(y | x)),  k(y | x) the density of y given x
 * In E(x) - E(y) Z cancels. */
enum { CHAINS = 1000, ROUNDS = 500, PARTS = 40, WEIGHTS = 4 * 48 + 48 * 48 + 48 + 1 };
#define STEP 0.02

/* E and its gradient at points (CHAINS, 2). */
static bool energy_and_slope(Tape *tape, const real *points, double *e, double *slope)
{
    tape_reset(tape);
    Tensor *x = tape_leaf(tape, points, shape2(CHAINS, 2)), *y = energy(x);
    bool ok = ag_backward(ag_sum(y));
    for (int i = 0; ok && i < CHAINS; i++) {
        e[i] = (double)y->data[i];
        slope[2 * i] = (double)x->grad[2 * i];
        slope[2 * i + 1] = (double)x->grad[2 * i + 1];
    }
    params_zero_grad(kept.params);
    return ok;
}

/* log k(y | x) without its constant. */
static double log_step(const real *x, const double *slope, const real *y)
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        sum += pow((double)y[i] - (double)x[i] + STEP * slope[i], 2);
    return -sum / (4 * STEP);
}

typedef struct {
    real x[2 * CHAINS];
    double e[CHAINS], slope[2 * CHAINS];
} Chains;

/* One step of all chains. noise: sqrt(2 STEP), or 0, which only descends. Returns the share that
 * was accepted. */
static double langevin(Tape *tape, Rng *rng, Chains *now, Chains *next, double noise)
{
    int accepted = 0;
    for (int i = 0; i < 2 * CHAINS; i++)
        next->x[i] = (real)((double)now->x[i] - STEP * now->slope[i] + noise * rng_normal(rng));
    if (!energy_and_slope(tape, next->x, next->e, next->slope))
        return (double)NAN;
    for (int i = 0; i < CHAINS; i++) {
        double log_ratio = now->e[i] - next->e[i] +
                           log_step(next->x + 2 * i, next->slope + 2 * i, now->x + 2 * i) -
                           log_step(now->x + 2 * i, now->slope + 2 * i, next->x + 2 * i);
        bool accept = noise == 0 || log(1 - rng_uniform(rng)) < log_ratio;
        for (int k = 2 * i; accept && k < 2 * i + 2; k++)
            now->x[k] = next->x[k], now->slope[k] = next->slope[k];
        now->e[i] = accept ? next->e[i] : now->e[i];
        accepted += accept;
    }
    return (double)accepted / CHAINS;
}

static bool run_chains(uint64_t seed, double noise, Chains *now, double *accepted)
{
    static Chains next;
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 118};
    for (int i = 0; i < 2 * CHAINS; i++)
        now->x[i] = (real)rng_normal(&rng);
    bool ok = tape && energy_and_slope(tape, now->x, now->e, now->slope);
    for (int round = 0; ok && round < ROUNDS; round++) {
        *accepted = langevin(tape, &rng, now, &next, noise);
        ok = !isnan(*accepted);
    }
    tape_free(tape);
    return ok;
}

/* d loss / d theta of all weights, into gradient; the weights' own are set to 0 again. */
static bool weights_gradient(Tensor *loss, double *gradient)
{
    bool ok = ag_backward(loss);
    int n = 0;
    for (int l = 0; ok && l < 3; l++)
        for (int k = 0; k < 2; k++) {
            const Tensor *w = k ? energy_net.layer[l].bias : energy_net.layer[l].weight;
            for (int64_t i = 0; i < tensor_size(w); i++)
                gradient[n++] = (double)w->grad[i];
        }
    params_zero_grad(kept.params);
    return ok;
}

/* Part of the chains: -mean dE/dtheta, as a share of d log Z / dtheta, along which it is
 * projected. */
static double share_of(Tape *tape, const Chains *c, int part, const double *exact)
{
    static double g[WEIGHTS];
    double product = 0, square = 0;
    enum { EACH = CHAINS / PARTS };
    tape_reset(tape);
    Tensor *x = tape_input(tape, c->x + 2 * EACH * part, shape2(EACH, 2));
    if (!weights_gradient(ag_neg(ag_mean(energy(x))), g))
        return (double)NAN;
    for (int i = 0; i < WEIGHTS; i++) {
        product += g[i] * exact[i];
        square += exact[i] * exact[i];
    }
    return product / square;
}

/* The mean of E over q, by the grid. */
static double mean_energy(Tape *tape)
{
    tape_reset(tape);
    Tensor *minus = minus_energy_on_grid(tape);
    Tensor *q = ag_softmax(ag_reshape(minus, shape1(COARSE_POINTS)));
    return -(double)tensor_item(ag_sum(ag_mul(q, ag_reshape(minus, shape1(COARSE_POINTS)))));
}

static double by_chains(Trial *t)
{
    static Chains c;
    static double exact[WEIGHTS], share[PARTS];
    Tape *tape = trial_tape(t);
    double accepted = 0;
    if (!train_energy(t->seed) || !weights_gradient(log_normaliser(tape), exact) ||
        !run_chains(t->seed, broken(t, "no-noise") ? 0 : sqrt(2 * STEP), &c, &accepted))
        return (double)NAN;
    for (int part = 0; part < PARTS; part++)
        share[part] = share_of(tape, &c, part, exact);
    double expected = mean_energy(tape);
    Mean mean = values_mean(c.e, CHAINS), along = values_mean(share, PARTS);
    explain(t, "%d chains of %d Langevin steps, of which %.0f %% are accepted", CHAINS, ROUNDS,
            100 * accepted);
    explain(t, "mean of E over their points: %.4f +- %.4f; over q, by the grid: %.4f", mean.mean,
            mean.error, expected);
    explain(t, "-mean of dE/dtheta over their points: %.3f +- %.3f of d log Z/dtheta", along.mean,
            along.error);
    return values_worst(values_deviation(mean, expected), values_deviation(along, 1));
}

const Claim map_energy_claims[] = {
    {1, by_chains,
     "a Markov chain draws points of q = exp(-E) / Z without Z; the mean of -dE/dtheta over them "
     "is d log Z/dtheta",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "the worse error of mean E and of d log Z/dtheta, in standard errors",
     AT_MOST(4.7, "Student's t with 39 degrees of freedom is beyond 4.7 once in 30,000 draws"),
     .faults = {{"no-noise", "the chains only descend, into the minima of E"}}},
    {0},
};
