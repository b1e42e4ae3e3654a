/* mixture.c: a mixture of Gaussians by expectation-maximisation (row 52).
 *
 *   p(x) = sum_z p(z) p(x | z),   p(z) = pi_z for K classes,   p(x | z) = N(x; mu_z, v_z I)
 *   E-step:  Q(z) = p(z | x) = p(z) p(x | z) / sum_k p(k) p(x | k)
 *   M-step:  the pi, mu and v that maximise sum over x and z of Q(z) log p(x, z)
 *                                                          H "VAE is a Generative Model", "Let's try EM"
 *
 * Bayes' rule is a softmax over z of log p(x, z): the E-step is ag_softmax, and log p(x) is
 * ag_logsumexp. */
#include "lectures/08-vae/vae.h"

enum { K = MIXTURE_CLASSES, POINTS = MIXTURE_POINTS, STREAM = 5200 };

static const Mixture truth = {{0.6, 0.3, 0.1}, {{-1.5, 0}, {1, 1}, {1, -1.5}}, {0.6, 0.3, 0.5}};

Tensor *mixture_points(Tape *tape, uint64_t seed)
{
    real x[POINTS * 2];
    Rng rng = {.seed = seed, .stream = STREAM};
    for (int n = 0; n < POINTS; n++) {
        double u = rng_uniform(&rng);
        int z = u < truth.pi[0] ? 0 : u < truth.pi[0] + truth.pi[1] ? 1 : 2;
        for (int d = 0; d < 2; d++)
            x[2 * n + d] = (real)(truth.mu[z][d] + sqrt(truth.v[z]) * rng_normal(&rng));
    }
    return tape_input(tape, x, shape2(POINTS, 2));
}

/* ---- the model as tensors -------------------------------------------------------------------- */

/* The parameters as leaves: logits of pi (K), mu (K, 2), log v (K). */
typedef struct {
    Tensor *logits, *mu, *log_v;
} Leaves;

static Leaves leaves_of(Tape *tape, const Mixture *m)
{
    real logits[K], mu[2 * K], log_v[K];
    for (int k = 0; k < K; k++) {
        logits[k] = (real)log(m->pi[k]);
        log_v[k] = (real)log(m->v[k]);
        mu[2 * k] = (real)m->mu[k][0];
        mu[2 * k + 1] = (real)m->mu[k][1];
    }
    return (Leaves){tape_leaf(tape, logits, shape1(K)), tape_leaf(tape, mu, shape2(K, 2)),
                    tape_leaf(tape, log_v, shape1(K))};
}

/* log p(x, z) = log pi_z - log(2 pi v_z) - |x - mu_z|^2 / (2 v_z), (N, K) */
static Tensor *log_joint(Tensor *x, Leaves m, bool with_prior)
{
    Tape *tape = x->tape;
    int64_t N = x->shape.dim[0];
    Tensor *d = ag_sub(ag_reshape(x, shape3(N, 1, 2)), ag_reshape(m.mu, shape3(1, K, 2)));
    Tensor *square = ag_sum_axis(ag_mul(d, d), 2, false); /* (N, K) */
    Tensor *half = ag_scale(ag_exp(ag_neg(m.log_v)), (real)0.5);
    Tensor *normaliser = ag_add(m.log_v, tape_full(tape, (real)log(2 * M_PI), shape1(1)));
    Tensor *likelihood = ag_neg(ag_add(ag_mul(square, half), normaliser));
    return with_prior ? ag_add(likelihood, ag_log_softmax(m.logits)) : likelihood;
}

/* ---- EM -------------------------------------------------------------------------------------- */

/* Q(z) of point n, divided by the sum of its row: floats add up to 1 only nearly. */
static double share(const Tensor *Q, int n, int k)
{
    double row = 0;
    for (int i = 0; i < K; i++)
        row += (double)Q->data[n * K + i];
    return (double)Q->data[n * K + k] / row;
}

/* What solves the M-step for class k: its share of the points, their weighted mean, and the
 * weighted mean square about it, over both axes. */
static void m_step(Mixture *m, const Tensor *x, const Tensor *Q, int k)
{
    double weight = 0, mean[2] = {0}, square = 0;
    for (int n = 0; n < POINTS; n++) {
        weight += share(Q, n, k);
        for (int d = 0; d < 2; d++)
            mean[d] += share(Q, n, k) * (double)x->data[2 * n + d];
    }
    for (int d = 0; d < 2; d++)
        m->mu[k][d] = mean[d] / weight;
    for (int n = 0; n < POINTS; n++)
        for (int d = 0; d < 2; d++) {
            double off = (double)x->data[2 * n + d] - m->mu[k][d];
            square += share(Q, n, k) * off * off;
        }
    m->pi[k] = weight / POINTS;
    m->v[k] = square / (2 * weight);
}

double mixture_joint(const Mixture *m, const real *p, int k)
{
    double dx = (double)p[0] - m->mu[k][0], dy = (double)p[1] - m->mu[k][1];
    return m->pi[k] * exp(-(dx * dx + dy * dy) / (2 * m->v[k])) / (2 * M_PI * m->v[k]);
}

double mixture_log_p(const Mixture *m, const Tensor *x)
{
    double sum = 0;
    for (int n = 0; n < POINTS; n++) {
        double p = 0;
        for (int k = 0; k < K; k++)
            p += mixture_joint(m, x->data + 2 * n, k);
        sum += log(p);
    }
    return sum / POINTS;
}

Mixture mixture_em_step(const Mixture *m, Tensor *x, bool with_prior)
{
    Tensor *Q = ag_softmax(log_joint(x, leaves_of(x->tape, m), with_prior)); /* the E-step */
    Mixture next;
    for (int k = 0; k < K; k++)
        m_step(&next, x, Q, k);
    return next;
}

bool mixture_gradient_step(Mixture *m, Tensor *x, double rate)
{
    const Leaves l = leaves_of(x->tape, m);
    double sum = 0;
    if (!ag_backward(ag_mean(ag_logsumexp(log_joint(x, l, true), 1, false))))
        return false;
    for (int k = 0; k < K; k++) {
        sum += m->pi[k] *= exp(rate * (double)l.logits->grad[k]);
        m->v[k] *= exp(rate * (double)l.log_v->grad[k]);
        for (int d = 0; d < 2; d++)
            m->mu[k][d] += rate * (double)l.mu->grad[2 * k + d];
    }
    for (int k = 0; k < K; k++)
        m->pi[k] /= sum;
    return true;
}

Mixture mixture_start(const Tensor *x, Rng *rng)
{
    Mixture m;
    for (int k = 0; k < K; k++) {
        const real *p = x->data + 2 * rng_below(rng, POINTS);
        m.pi[k] = 1.0 / K;
        m.v[k] = 1.5;
        m.mu[k][0] = (double)p[0];
        m.mu[k][1] = (double)p[1];
    }
    return m;
}

/* Runs of EM: the first begins at the truth, the others anywhere. The least change of log p(x) in a
 * step. */
static double em_rises(Trial *t)
{
    enum { RUNS = 4, STEPS = 40 };
    double least = INFINITY;
    Tape *tape = trial_tape(t);
    for (int run = 0; run < RUNS; run++) {
        tape_reset(tape);
        Tensor *x = mixture_points(tape, t->seed);
        Mixture m = run == 0 ? truth : mixture_start(x, trial_rng(t, STREAM + 1));
        double before = mixture_log_p(&m, x), first = before;
        for (int step = 0; step < STEPS; step++) {
            tape_reset(tape);
            x = mixture_points(tape, t->seed);
            m = mixture_em_step(&m, x, !broken(t, "no-prior"));
            double after = mixture_log_p(&m, x);
            least = values_least(least, after - before);
            before = after;
        }
        explain(t, "run %d from %s: mean log p(x) from %.4f to %.4f", run + 1,
                run == 0 ? "the truth     " : "random means", first, before);
    }
    return least;
}

/* ---- the E-step is a softmax ----------------------------------------------------------------- */

static double bayes_softmax(Trial *t)
{
    double worst = 0;
    Tape *tape = trial_tape(t);
    Tensor *x = mixture_points(tape, t->seed);
    Tensor *Q = ag_softmax(log_joint(x, leaves_of(tape, &truth), !broken(t, "no-prior")));
    for (int n = 0; n < POINTS; n++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += mixture_joint(&truth, x->data + 2 * n, k);
        for (int k = 0; k < K; k++) {
            double bayes = mixture_joint(&truth, x->data + 2 * n, k) / sum;
            worst = values_worst(worst, fabs((double)Q->data[n * K + k] - bayes));
            if (n < 2)
                explain(t, "x = (%5.2f, %5.2f): p(z = %d | x) = %.4f by Bayes, %.4f by softmax",
                        (double)x->data[2 * n], (double)x->data[2 * n + 1], k + 1, bayes,
                        (double)Q->data[n * K + k]);
        }
    }
    return worst;
}

const Claim mixture_claims[] = {
    {52, em_rises, "no step of EM lowers the likelihood",
     .slides = {"H: Let's try EM", "H: VAE is a Generative Model"},
     .quantity = "least change of the mean log p(x) in 160 steps",
     AT_LEAST(-1e-9, "log p(x) >= ELBO, with equality before the M-step up to KL(Q in floats || "
                     "posterior) = 1e-13"),
     .faults = {{"no-prior", "the E-step takes p(x | z) for p(z) p(x | z)"}}},
    {52, bayes_softmax,
     "with K classes the posterior can be computed: it is a softmax over z of log p(x, z)",
     .slides = {"H: Let's try EM", "H: VAE is a Generative Model"},
     .quantity = "max |softmax - Bayes|, 400 points, 3 classes",
     AT_MOST(5e-5, "log p(x, z) up to 60 in size, six roundings of 6e-8 each: 2e-5"),
     .faults = {{"no-prior", "p(z) is left out"}}},
    {0},
};
