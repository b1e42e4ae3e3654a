/* elbo.c: the evidence lower bound and its gap, for a z of few classes (row 54).
 *
 *   ELBO(x; Q, theta) = sum_z Q(z) log (p(x, z; theta) / Q(z)) = log p(x) - KL(Q || p(z | x))
 *                                                              H "Recap: ELBO", "Let's try EM"
 *
 * The joint is that of a mixture of K Gaussians with means theta at one point x. */
#include "lectures/08-vae/vae.h"

enum { K = 8, STREAM = 5400 };

/* log p(x, z) + a constant for z = 1 to K: a prior from random logits, and unit Gaussians about
 * theta (K, 2). */
typedef struct {
    Tensor *prior, *theta, *log_joint; /* each with a row for each z */
} Model;

static Model model_draw(Tape *tape, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = STREAM};
    Tensor *logits = values_normal(tape, &rng, shape1(K), 0.5),
           *theta = values_leaf(tape, &rng, shape2(K, 2), 1),
           *x = values_normal(tape, &rng, shape2(1, 2), 0.5);
    Tensor *prior = ag_log_softmax(logits), *d = ag_sub(x, theta);
    Tensor *lj = ag_add(prior, ag_scale(ag_sum_axis(ag_mul(d, d), 1, false), (real)-0.5));
    return (Model){prior, theta, lj};
}

/* ---- distributions over z, in double --------------------------------------------------------- */

static void normalise(double *p)
{
    double sum = 0;
    for (int z = 0; z < K; z++)
        sum += p[z];
    for (int z = 0; z < K; z++)
        p[z] /= sum;
}

static void softmax_of(const Tensor *logits, double *p)
{
    for (int z = 0; z < K; z++)
        p[z] = exp((double)logits->data[z]);
    normalise(p);
}

static double elbo(const double *Q, const Tensor *log_joint)
{
    double sum = 0;
    for (int z = 0; z < K; z++)
        sum += Q[z] * ((double)log_joint->data[z] - log(Q[z]));
    return sum;
}

static double kl(const double *a, const double *b)
{
    double sum = 0;
    for (int z = 0; z < K; z++)
        sum += a[z] * log(a[z] / b[z]);
    return sum;
}

static double log_evidence(const Tensor *log_joint)
{
    double p = 0;
    for (int z = 0; z < K; z++)
        p += exp((double)log_joint->data[z]);
    return log(p);
}

static void random_Q(Rng *rng, double *Q)
{
    for (int z = 0; z < K; z++)
        Q[z] = exp(2 * rng_normal(rng));
    normalise(Q);
}

/* ---- the identity, and its maximum ----------------------------------------------------------- */

enum { TRIED = 1000 };

static double identity(Trial *t)
{
    double worst = 0, posterior[K], Q[K];
    Model m = model_draw(trial_tape(t), t->seed);
    double log_p = log_evidence(m.log_joint);
    softmax_of(m.log_joint, posterior);
    for (int i = 0; i < TRIED; i++) {
        random_Q(trial_rng(t, STREAM + 1), Q);
        double bound = elbo(Q, m.log_joint),
               gap = broken(t, "turned") ? kl(posterior, Q) : kl(Q, posterior);
        worst = values_worst(worst, fabs(log_p - bound - gap));
        if (i < 5)
            explain(t, "Q %d: ELBO %8.4f + KL %.4f = %8.4f; log p(x) = %8.4f", i + 1, bound, gap,
                    bound + gap, log_p);
    }
    return worst;
}

static double maximum(Trial *t)
{
    double largest = -INFINITY, best[K], Q[K];
    Model m = model_draw(trial_tape(t), t->seed);
    softmax_of(broken(t, "prior") ? m.prior : m.log_joint, best);
    double top = elbo(best, m.log_joint);
    for (int i = 0; i < TRIED; i++) {
        random_Q(trial_rng(t, STREAM + 2), Q);
        for (int z = 0; z < K; z++) /* half of them close to the supposed maximum */
            Q[z] = i % 2 ? best[z] * pow(Q[z], 0.1) : Q[z];
        normalise(Q);
        largest = values_worst(largest, elbo(Q, m.log_joint) - top);
    }
    explain(t, "ELBO(%s) = %.4f, log p(x) = %.4f; the best of %d others is %.2g above it",
            broken(t, "prior") ? "p(z)" : "p(z | x)", top, log_evidence(m.log_joint), TRIED,
            largest);
    return largest;
}

/* ---- the M-step's objective ------------------------------------------------------------------ */

/* sum_z Q(z) (log p(x, z) - log Q(z)), or without the entropy of Q. */
static Tensor *objective(Tensor *Q, Tensor *log_Q, Tensor *log_joint, bool entropy)
{
    Tensor *each = entropy ? ag_sub(log_joint, log_Q) : log_joint;
    return ag_sum(ag_mul(Q, each));
}

/* Gradient ascent over the logits of Q. Writes Q and, unless NULL, the ELBO before each step. */
static void ascend(uint64_t seed, bool entropy, int steps, double *Q, double *bounds)
{
    static const real rate = 1;
    real logits[K] = {0};
    Tape *tape = tape_new(seed);
    for (int step = 0; step < steps; step++) {
        tape_reset(tape);
        Model m = model_draw(tape, seed);
        Tensor *a = tape_leaf(tape, logits, shape1(K)), *log_Q = ag_log_softmax(a);
        softmax_of(log_Q, Q);
        if (bounds)
            bounds[step] = elbo(Q, m.log_joint);
        ag_backward(objective(ag_exp(log_Q), log_Q, ag_detach(m.log_joint), entropy));
        for (int z = 0; z < K; z++)
            logits[z] += rate * a->grad[z];
    }
    tape_free(tape);
}

/* max log p(x, z) - sum_z Q(z) log p(x, z): 0 where all mass lies on the best z. */
static double regret(const double *Q, const Tensor *log_joint)
{
    double best = -INFINITY, mean = 0;
    for (int z = 0; z < K; z++) {
        best = values_worst(best, (double)log_joint->data[z]);
        mean += Q[z] * (double)log_joint->data[z];
    }
    return best - mean;
}

static double without_entropy(Trial *t)
{
    double Q[K], posterior[K];
    Model m = model_draw(trial_tape(t), t->seed);
    softmax_of(m.log_joint, posterior);
    ascend(t->seed, broken(t, "entropy"), 1500, Q, NULL);
    for (int z = 0; z < K; z++)
        explain(t, "z = %d: log p(x, z) = %7.3f, Q(z) = %.4f, p(z | x) = %.4f", z + 1,
                (double)m.log_joint->data[z], Q[z], posterior[z]);
    return regret(Q, m.log_joint) / regret(posterior, m.log_joint);
}

const Claim elbo_claims[] = {
    {54, identity, "log p(x) = ELBO(Q) + KL(Q || p(z | x)) for every Q",
     .slides = {"H: Recap: ELBO"}, .quantity = "max |log p(x) - ELBO - KL|, 1,000 random Q",
     AT_MOST(1e-10, "the sums have 8 terms below 100 in double: 1e-13"),
     .faults = {{"turned", "KL(p(z | x) || Q) instead of KL(Q || p(z | x))"}},
     .holds_on_zeros = "the identity holds for every joint, also for one of zeros"},
    {54, maximum, "no Q has a larger ELBO than the posterior",
     .slides = {"H: Recap: ELBO", "H: Let's try EM"},
     .quantity = "ELBO of the best of 1,000 other Q, minus that of p(z | x)",
     AT_MOST(1e-12, "KL >= 0; the rest is rounding in double"),
     .faults = {{"prior", "p(z) in the posterior's role"}},
     .holds_on_zeros = "the maximum lies at the posterior for every joint, also for one of zeros"},
    {54, without_entropy,
     "maximised over Q, the M-step's sum_z Q log p(x, z) puts all mass on the best z",
     .slides = {"H: Let's try EM"},
     .quantity = "max log p(x, z) - sum_z Q log p(x, z), as a share of the posterior's",
     AT_MOST(0.05, "0 at the maximum, a corner; after n steps of gradient ascent on a softmax of "
                   "8 numbers some 8 / n is left: 0.005 for 1,500"),
     .faults = {{"entropy",
                 "the entropy of Q is kept: this is the ELBO, whose maximum is the posterior"}}},
    {0},
};

/* ---- the picture ----------------------------------------------------------------------------- */

static bool draw_elbo(const Sketch *s)
{
    enum { STEPS = 60 };
    static double bound[STEPS], collapsed[STEPS], log_p[STEPS];
    double Q[K];
    Tape *tape = tape_new(s->seed);
    double top = log_evidence(model_draw(tape, s->seed).log_joint);
    tape_free(tape);
    ascend(s->seed, true, STEPS, Q, bound);
    ascend(s->seed, false, STEPS, Q, collapsed);
    for (int i = 0; i < STEPS; i++)
        log_p[i] = top;
    const PlotSeries series[] = {{"log p(x)", NULL, log_p, STEPS},
                                 {"ascent on the ELBO", NULL, bound, STEPS},
                                 {"ascent without the entropy", NULL, collapsed, STEPS}};
    return SKETCH_CURVES(s, "The gap to log p(x) is KL(Q || p(z | x))", series,
                         .x_name = "steps of gradient ascent over Q", .y_name = "ELBO");
}

const Figure elbo_figures[] = {
    {54, "elbo", draw_elbo,
     .what = "the ELBO rises to log p(x); without the entropy it falls again"},
    {0},
};
