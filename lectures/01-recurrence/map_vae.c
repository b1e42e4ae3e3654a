/* map_vae.c: a variational autoencoder with one latent number (row 1).
 *
 *   z ~ N(0, 1),  x = d(z) + s v;    log p(x) = log integral of N(z; 0, 1) N(x; d(z), s^2 I) dz
 *   ELBO(x) = mean over q(z | x) of log p(x | z) - KL(q(z | x) || N(0, 1))  <=  log p(x)
 *                                         V "Taxonomy of Generative Models"; derived in chapter 8, rows 53 to 57
 *
 * Where d and the mean of q are linear, this is PPCA. */
#include "lectures/01-recurrence/map.h"

/* Nodes of the trapezoidal rule on [-LIMIT, LIMIT]: over z, and over (z - mean) / deviation of
 * q. */
enum { Z_NODES = 400, Q_NODES = 81, LIMIT = 5 };

static Kept kept;
static Net encoder, decoder;
static Tensor *log_s; /* (1) */

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
        Tensor *x = map_batch(tape, &rng, seed, BATCH);
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
    if (!map_kept(&kept, seed))
        kept.trained = vae_init(kept.params) && train_elbo(kept.params, seed);
    return kept.trained;
}

/* ---- by quadrature --------------------------------------------------------------------------- */

/* Nodes u and log(weight N(u; 0, 1)) of the trapezoidal rule, (nodes, 1) each. */
static void normal_nodes(Tape *tape, int nodes, Tensor **u, Tensor **log_weight)
{
    real node[Z_NODES], weight[Z_NODES];
    double step = 2.0 * LIMIT / (nodes - 1);
    for (int j = 0; j < nodes; j++) {
        double x = -LIMIT + j * step;
        node[j] = (real)x;
        weight[j] = (real)(log(step) - 0.5 * x * x - 0.5 * log(2 * MOONS_PI));
    }
    *u = tape_input(tape, node, shape2(nodes, 1));
    *log_weight = tape_input(tape, weight, shape2(nodes, 1));
}

/* log p(x) = log sum_j exp(log weight_j + log p(x | z_j)), (N, 1). */
static Tensor *vae_log_density(Tensor *x)
{
    Tensor *z, *log_weight;
    normal_nodes(x->tape, Z_NODES, &z, &log_weight);
    Tensor *each = log_p_given(ag_reshape(x, shape3(-1, 1, 2)), z); /* (N, nodes, 1) */
    return ag_logsumexp(ag_add(each, log_weight), 1, false);
}

const Family family_vae = {
    .branch = "latent variables, prescribed",
    .name = "VAE",
    .train = train_vae,
    .log_density = vae_log_density,
};

/* ---- the bound ------------------------------------------------------------------------------- */

enum { CHECKED = 500 };

/* The ELBO of each point, with its mean over q(z | x) by quadrature: x (N, 2) -> (N, 1). */
static Tensor *elbo(Tensor *x, bool with_kl)
{
    int64_t N = x->shape.dim[0];
    Tensor *u, *log_weight, *mean, *log_variance;
    normal_nodes(x->tape, Q_NODES, &u, &log_weight);
    encode(x, &mean, &log_variance);
    Tensor *deviation = ag_reshape(ag_exp(ag_scale(log_variance, (real)0.5)), shape3(N, 1, 1));
    Tensor *z =
        ag_add(ag_reshape(mean, shape3(N, 1, 1)), ag_mul(deviation, u)); /* (N, Q_NODES, 1) */
    Tensor *each = ag_mul(ag_exp(log_weight), log_p_given(ag_reshape(x, shape3(N, 1, 2)), z));
    Tensor *expected = ag_sum_axis(each, 1, false);
    return with_kl ? ag_sub(expected, kl(mean, log_variance)) : expected;
}

static double bound(Trial *t)
{
    Tape *tape = trial_tape(t);
    double worst = -INFINITY, gap = 0, mean = 0;
    bool ok = train_vae(t->seed);
    tape->no_grad = true;
    Tensor *x = tape_input(tape, moons_testing(t->seed), shape2(CHECKED, 2));
    Tensor *log_p = vae_log_density(x), *below = elbo(x, !broken(t, "no-kl"));
    for (int i = 0; i < CHECKED; i++) {
        double off = ok ? (double)(below->data[i] - log_p->data[i]) : (double)NAN;
        worst = values_worst(worst, off);
        gap -= off / CHECKED;
        mean += (double)log_p->data[i] / CHECKED;
    }
    explain(t, "mean log p(x) = %.4f; the ELBO is lower by %.4f on average, by %.2g at least", mean,
            gap, -worst);
    return gap != 0 ? worst : (double)NAN;
}

const Claim map_vae_claims[] = {
    {1, bound, "a VAE's ELBO is below its log p(x) at every point",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "max (ELBO - log p(x)) over 500 points, both by quadrature",
     AT_MOST(1e-4, "the gap is a KL divergence, never below 0; rounding of log p in float: 1e-5"),
     .faults = {{"no-kl", "the ELBO without its KL term"}}},
    {0},
};
