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

enum { K = 3, POINTS = 400, STREAM = 5200 };

static const Mixture truth = {{0.6, 0.3, 0.1}, {{-1.5, 0}, {1, 1}, {1, -1.5}}, {0.6, 0.3, 0.5}};

/* POINTS draws from the true mixture: first the class, then the point. */
static Tensor *draw_points(Tape *tape, uint64_t seed)
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

/* p(z) p(x | z) of one point, in double. */
static double joint(const Mixture *m, const real *p, int k)
{
    double dx = (double)p[0] - m->mu[k][0], dy = (double)p[1] - m->mu[k][1];
    return m->pi[k] * exp(-(dx * dx + dy * dy) / (2 * m->v[k])) / (2 * M_PI * m->v[k]);
}

/* The mean of log p(x), in double. */
static double log_likelihood(const Mixture *m, const Tensor *x)
{
    double sum = 0;
    for (int n = 0; n < POINTS; n++) {
        double p = 0;
        for (int k = 0; k < K; k++)
            p += joint(m, x->data + 2 * n, k);
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

/* Three of the points as means, the variance of all for each class. */
static Mixture random_start(const Tensor *x, Rng *rng)
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
        Tensor *x = draw_points(tape, t->seed);
        Mixture m = run == 0 ? truth : random_start(x, trial_rng(t, STREAM + 1));
        double before = log_likelihood(&m, x), first = before;
        for (int step = 0; step < STEPS; step++) {
            tape_reset(tape);
            x = draw_points(tape, t->seed);
            m = mixture_em_step(&m, x, !broken(t, "no-prior"));
            double after = log_likelihood(&m, x);
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
    Tensor *x = draw_points(tape, t->seed);
    Tensor *Q = ag_softmax(log_joint(x, leaves_of(tape, &truth), !broken(t, "no-prior")));
    for (int n = 0; n < POINTS; n++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += joint(&truth, x->data + 2 * n, k);
        for (int k = 0; k < K; k++) {
            double bayes = joint(&truth, x->data + 2 * n, k) / sum;
            worst = values_worst(worst, fabs((double)Q->data[n * K + k] - bayes));
            if (n < 2)
                explain(t, "x = (%5.2f, %5.2f): p(z = %d | x) = %.4f by Bayes, %.4f by softmax",
                        (double)x->data[2 * n], (double)x->data[2 * n + 1], k + 1, bayes,
                        (double)Q->data[n * K + k]);
        }
    }
    return worst;
}

/* ---- the gradient of log p(x) ---------------------------------------------------------------- */

/* The gradients of the mean of log p(x), or of the M-step's objective with Q held fixed, at
 * parameters off the maximum: those of mu (K, 2). */
static void gradient_of(Tape *tape, uint64_t seed, const Mixture *m, bool m_objective, bool prior,
                        double *gradient)
{
    tape_reset(tape);
    Tensor *x = draw_points(tape, seed);
    Leaves leaves = leaves_of(tape, m);
    Tensor *lj = log_joint(x, leaves, true);
    Tensor *Q = prior ? ag_expand(ag_softmax(leaves.logits), lj->shape) : ag_softmax(lj);
    Tensor *each =
        m_objective ? ag_sum_axis(ag_mul(ag_detach(Q), lj), 1, false) : ag_logsumexp(lj, 1, false);
    ag_backward(ag_mean(each));
    for (int i = 0; i < 2 * K; i++)
        gradient[i] = (double)leaves.mu->grad[i];
}

static double fisher(Trial *t)
{
    double worst = 0, largest = 0, a[2 * K], b[2 * K];
    Mixture off = truth;
    Tape *tape = trial_tape(t);
    off.mu[0][0] += 0.5;
    off.mu[1][1] -= 0.5;
    gradient_of(tape, t->seed, &off, false, false, a);
    gradient_of(tape, t->seed, &off, true, broken(t, "prior"), b);
    for (int i = 0; i < 2 * K; i++) {
        worst = values_worst(worst, fabs(a[i] - b[i]));
        largest = values_worst(largest, fabs(a[i]));
        explain(t, "mu_%d, axis %d: d log p(x) = %9.6f, d sum_z Q log p(x, z) = %9.6f", i / 2 + 1,
                i % 2 + 1, a[i], b[i]);
    }
    return worst / largest;
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
    {52, fisher,
     "with Q = p(z | x) held fixed, the M-step's objective has the gradient of log p(x)",
     .slides = {"H: Let's try EM"},
     .quantity = "max difference of the gradients of mu, relative to the largest",
     AT_MOST(1e-4, "means of 400 terms in floats: at most 400 roundings of 6e-8, 2.4e-5, in each "
                   "of the two"),
     .faults = {{"prior", "Q is p(z) instead of the posterior"}}},
    {0},
};

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

/* The points in grey, and in black the circle of one standard deviation about each mean. Cells are
 * square, so circles stay circles. */
static PlotHeatmap plane(Tape *tape, const Mixture *m, const double *px, const double *py,
                         const char *title)
{
    Tensor *map = tape_full(tape, 1, shape2(TALL, WIDE));
    for (int n = 0; n < POINTS; n++)
        mark(map, px[n], py[n], 0.6);
    for (int i = 0; i < K * ROUND; i++) {
        double angle = 2 * M_PI * i / ROUND, deviation = sqrt(m->v[i / ROUND]);
        mark(map, m->mu[i / ROUND][0] + deviation * cos(angle),
             m->mu[i / ROUND][1] + deviation * sin(angle), 0);
    }
    return (PlotHeatmap){.map = map,
                         .pixels = true,
                         .title = title,
                         .row_name = "x\xe2\x82\x82, upwards",
                         .column_name = "x\xe2\x82\x81",
                         .scale = {.high = 1, .grey = true}};
}

/* The points, and the mixture after each number of steps, from random means. */
static void trajectory(uint64_t seed, const int *shown, int count, Mixture *m, double *px,
                       double *py)
{
    Rng rng = {.seed = seed, .stream = STREAM + 1};
    Tape *tape = tape_new(seed);
    Tensor *points = draw_points(tape, seed);
    Mixture now = random_start(points, &rng);
    for (int n = 0; n < POINTS; n++) {
        px[n] = (double)points->data[2 * n];
        py[n] = (double)points->data[2 * n + 1];
    }
    for (int i = 0, step = 0; i < count; i++) {
        for (; step < shown[i]; step++) {
            tape_reset(tape);
            now = mixture_em_step(&now, draw_points(tape, seed), true);
        }
        m[i] = now;
    }
    tape_free(tape);
}

/* Three stages in one picture, and a frame for each of FRAMES numbers of steps. */
static bool draw_em(const Sketch *s)
{
    enum { FRAMES = 9 };
    static const int shown[FRAMES] = {0, 1, 2, 3, 5, 8, 12, 20, 40};
    static const int stages[SHOWN] = {0, 4, 8}; /* of `shown`: the start, 5 and 40 steps */
    static const char *const names[SHOWN] = {"start", "5 steps", "40 steps"};
    static double px[POINTS], py[POINTS];
    PlotHeatmap maps[SHOWN];
    Mixture m[FRAMES];
    bool ok = true;
    trajectory(s->seed, shown, FRAMES, m, px, py);
    Tape *tape = tape_new(s->seed);
    for (int i = 0; ok && i < FRAMES; i++) {
        char stem[SKETCH_STEM], title[64];
        Sketch frame = sketch_frame(s, i + 1, stem);
        snprintf(title, sizeof title, "EM after %d step%s", shown[i], shown[i] == 1 ? "" : "s");
        maps[0] = plane(tape, &m[i], px, py, sketch_title(s, title));
        ok = plot_heatmap(frame.stem, maps, s->formats);
    }
    for (int i = 0; i < SHOWN; i++)
        maps[i] = plane(tape, &m[stages[i]], px, py, names[i]);
    ok =
        ok &&
        plot_heatmaps(s->stem, maps, SHOWN,
                      sketch_title(s, "EM moves three Gaussians (circles: one standard deviation)"),
                      s->formats);
    tape_free(tape);
    return ok;
}

/* The points, the mixture after 0 to 40 steps as rows (pi, mu, v) of the three classes, log p(x) of
 * each, and the gradient of log p(x) with respect to mu at the start. */
static bool live_em(Live *l, uint64_t seed)
{
    enum { STEPS = 40, ROW = 12 };
    static double px[POINTS], py[POINTS], rows[(STEPS + 1) * ROW], log_p[STEPS + 1];
    static int all[STEPS + 1];
    static Mixture m[STEPS + 1];
    double gradient[2 * K];
    for (int i = 0; i <= STEPS; i++)
        all[i] = i;
    trajectory(seed, all, STEPS + 1, m, px, py);
    Tape *tape = tape_new(seed);
    for (int i = 0; i <= STEPS; i++) {
        for (int k = 0; k < K; k++) {
            double *row = rows + i * ROW + 4 * k;
            row[0] = m[i].pi[k], row[1] = m[i].mu[k][0], row[2] = m[i].mu[k][1], row[3] = m[i].v[k];
        }
        tape_reset(tape);
        log_p[i] = log_likelihood(&m[i], draw_points(tape, seed));
    }
    gradient_of(tape, seed, &m[0], false, false, gradient);
    tape_free(tape);
    return live_doubles(l, "x", POINTS, px) && live_doubles(l, "y", POINTS, py) &&
           live_doubles(l, "rows", (STEPS + 1) * ROW, rows) &&
           live_doubles(l, "log-p", STEPS + 1, log_p) &&
           live_doubles(l, "gradient", 2 * K, gradient);
}

const Figure mixture_figures[] = {
    {52, "em", draw_em,
     .what = "a mixture of three Gaussians after 0, 5 and 40 steps of EM; and a series of frames",
     .live = "em", .live_numbers = live_em},
    {0},
};
