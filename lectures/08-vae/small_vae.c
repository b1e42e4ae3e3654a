/* small_vae.c: what a trained variational autoencoder does (row 57). The model and its digits:
 * small.h.
 *
 *   loss = distortion + beta rate,   H "Training VAEs"
 *   distortion = -E_q log p(x | z),   rate = KL(q(z | x) || p(z))
 *
 *   L_k  = E log (1/k) sum_i p(x, z_i) / q(z_i | x),   z_1 ... z_k from q(z | x)
 *   L_1 = ELBO <= L_k <= log p(x)
 *
 * (Burda, Grosse and Salakhutdinov, "Importance weighted autoencoders", 2016). */
#include "lectures/08-vae/small.h"

enum { STREAM = 5710 };

/* q(z | x) of n pictures, each repeated `times` times: mean and log-variance (n times, d), pictures
 * x (n times, pixels). */
typedef struct {
    Tensor *x, *mean, *log_variance;
} Codes;

static Tensor *repeated(Tensor *a, int times)
{
    int64_t n = a->shape.dim[0], d = a->shape.dim[1];
    Tensor *all = ag_expand(ag_reshape(a, shape3(n, 1, d)), shape3(n, times, d));
    return ag_reshape(ag_copy(all), shape2(n * times, d));
}

static Codes codes_of(const SmallVae *s, Tape *tape, const real *x, int n, int times)
{
    Codes c = {.x = tape_input(tape, x, shape2(n, SMALL_PIXELS))};
    vae_encode(&s->vae, c.x, &c.mean, &c.log_variance);
    if (times > 1)
        c = (Codes){repeated(c.x, times), repeated(c.mean, times), repeated(c.log_variance, times)};
    return c;
}

/* z = mean + e^(v/2) e. `whole`: with e^v, as if v were the logarithm of the deviation. */
static Tensor *sample(const Codes *c, Rng *rng, bool whole)
{
    Tensor *e = values_normal(c->x->tape, rng, c->mean->shape, 1);
    Tensor *deviation = ag_exp(ag_scale(c->log_variance, (real)(whole ? 1 : 0.5)));
    return ag_add(c->mean, ag_mul(deviation, e));
}

static Tape *tape_without_gradients(uint64_t seed)
{
    Tape *tape = tape_new(seed);
    tape->no_grad = true;
    return tape;
}

/* ---- the KL, computed twice ------------------------------------------------------------------ */

static double kl_twice(Trial *t)
{
    enum { N = 200, DRAWS = 100 };
    static real x[N * SMALL_PIXELS];
    const SmallVae *s = small_vae(t->seed, SMALL_PLAIN);
    if (!s || !pictures_test(small_digits(t->seed), 0, N, x, NULL))
        return (double)NAN;
    double mean = 0, variance = 0; /* of the estimate: its pictures' variances add up */
    Tape *tape = tape_without_gradients(t->seed);
    Codes one = codes_of(s, tape, x, N, 1), c = codes_of(s, tape, x, N, DRAWS);
    double formula = (double)tensor_item(ag_gaussian_kl(one.mean, one.log_variance)) / N;
    Tensor *z = sample(&c, trial_rng(t, STREAM), broken(t, "whole"));
    Tensor *log_q = small_log_normal(z, c.mean, c.log_variance);
    Tensor *ratio = ag_sub(log_q, small_log_normal(z, NULL, NULL));
    for (int i = 0; !tensor_is_poison(ratio) && i < N; i++) {
        double sum = 0, square = 0;
        for (int k = 0; k < DRAWS; k++) {
            double r = (double)ratio->data[i * DRAWS + k];
            sum += r / DRAWS;
            square += r * r / DRAWS;
        }
        mean += sum / N;
        variance += (square - sum * sum) / (DRAWS - 1) / N / N;
    }
    explain(
        t, "KL(q(z | x) || N(0, I)): closed form %.4f nats, from %d samples of each z %.4f +- %.4f",
        formula, DRAWS, mean, sqrt(variance));
    tape_free(tape);
    return fabs(mean - formula) / sqrt(variance);
}

/* ---- bounds from several samples ------------------------------------------------------------- */

enum { SEEN = 500, SAMPLES = 400, PER_PASS = 10, LEVELS = 4, MANY = 1000 };

/* log of the mean of k weights, averaged over the groups of k; `log_inside`: the mean of the
 * logarithms. */
static double mean_of_groups(const real *log_w, int samples, int k, bool log_inside)
{
    double total = 0;
    for (int g = 0; g < samples; g += k) {
        double largest = -INFINITY, sum = 0, logs = 0;
        for (int i = g; i < g + k; i++) {
            largest = values_worst(largest, (double)log_w[i]);
            logs += (double)log_w[i] / k;
        }
        for (int i = g; i < g + k; i++)
            sum += exp((double)log_w[i] - largest);
        total += log_inside ? logs : largest + log(sum / k);
    }
    return total / (samples / k);
}

bool small_bounds(const SmallVae *s, const real *x, int n, int k, int samples, bool log_inside,
                  Rng *rng, double *bound)
{
    bool ok = true;
    Tape *tape = tape_without_gradients(1);
    for (int first = 0; ok && first < n; first += PER_PASS) {
        tape_reset(tape);
        Codes c = codes_of(s, tape, x + first * SMALL_PIXELS, PER_PASS, samples);
        Tensor *z = sample(&c, rng, false);
        Tensor *log_joint =
            ag_add(small_log_likelihood(&s->vae, c.x, z), small_log_normal(z, NULL, NULL));
        Tensor *log_w = ag_sub(log_joint, small_log_normal(z, c.mean, c.log_variance));
        ok = !tensor_is_poison(log_w);
        for (int i = 0; ok && i < PER_PASS; i++)
            bound[first + i] = mean_of_groups(log_w->data + i * samples, samples, k, log_inside);
    }
    tape_free(tape);
    return ok;
}

/* The mean of b - a, and its standard error over the pictures. */
static double rise(const double *a, const double *b, double *error)
{
    double sum = 0, square = 0;
    for (int i = 0; i < SEEN; i++) {
        sum += (b[i] - a[i]) / SEEN;
        square += (b[i] - a[i]) * (b[i] - a[i]) / SEEN;
    }
    *error = sqrt((square - sum * sum) / (SEEN - 1));
    return sum;
}

/* L_1, L_4, L_16 and L_1,000, each from samples of its own, and log p(x) by quadrature: the least
 * rise from one to the next, and from L_16 to log p(x), in standard errors. */
static double bounds_rise(Trial *t)
{
    static const int ks[LEVELS] = {1, 4, 16, MANY};
    static real x[SEEN * SMALL_PIXELS];
    static double bound[LEVELS][SEEN], log_p[SEEN];
    double least = INFINITY, error;
    const SmallVae *s = small_vae(t->seed, SMALL_PLAIN);
    if (!s || !pictures_test(small_digits(t->seed), 0, SEEN, x, NULL) ||
        !small_log_p(&s->vae, x, SEEN, 0.1, log_p))
        return (double)NAN;
    for (int l = 0; l < LEVELS; l++)
        if (!small_bounds(s, x, SEEN, ks[l], ks[l] > SAMPLES ? ks[l] : SAMPLES,
                          broken(t, "log-inside"), trial_rng(t, STREAM + 1), bound[l]))
            return (double)NAN;
    for (int l = 0; l < LEVELS; l++) {
        double left = rise(bound[l], log_p, &error);
        explain(t, "k = %4d: log p(x) - L_k = %7.4f +- %.4f nats a picture", ks[l], left, error);
        if (l == LEVELS - 2)
            least = values_least(least, left / error);
        if (l > 0) {
            double up = rise(bound[l - 1], bound[l], &error);
            least = values_least(least, up / error);
            explain(t, "          L_k rose by %7.4f +- %.4f", up, error);
        }
    }
    return least;
}

/* ---- reconstructions ------------------------------------------------------------------------- */

/* -log p(x) of n pictures whose pixels are independent, each with its share of 1 among the training
 * digits. */
static void independent_nats(uint64_t seed, const real *x, int n, double *nats)
{
    const Pictures *digits = small_digits(seed);
    for (int k = 0; k < n; k++)
        nats[k] = 0;
    for (int i = 0; i < SMALL_PIXELS; i++) {
        double p = 0.5 / (SMALL_TRAIN + 1); /* half a picture more of each kind: no p is 0 */
        for (int k = 0; k < SMALL_TRAIN; k++)
            p += (digits->train.bytes[k * SMALL_PIXELS + i] ? 1.0 : 0.0) / (SMALL_TRAIN + 1);
        for (int k = 0; k < n; k++)
            nats[k] -= x[k * SMALL_PIXELS + i] > (real)0.5 ? log(p) : log(1 - p);
    }
}

/* Test digits decoded from their own codes and from those of the next digit, against independent
 * pixels: the smaller of what the own code saves, its rate paid, and what the other one costs, in
 * standard errors. */
static double reconstructed(Trial *t)
{
    static real x[SEEN * SMALL_PIXELS];
    static double nats[3][SEEN]; /* own, another's, independent */
    const SmallVae *s = small_vae(t->seed, broken(t, "beta-20") ? SMALL_COLLAPSED : SMALL_PLAIN);
    if (!s || !pictures_test(small_digits(t->seed), 0, SEEN, x, NULL))
        return (double)NAN;
    double error[2], rate = 0;
    Tape *tape = tape_without_gradients(t->seed);
    Codes c = codes_of(s, tape, x, SEEN, 1);
    Tensor *z = sample(&c, trial_rng(t, STREAM + 4), false);
    Tensor *next = ag_concat((Tensor *[]){ag_slice(z, 0, 1, SEEN), ag_slice(z, 0, 0, 1)}, 2, 0);
    for (int other = 0; other < 2; other++) {
        bool exchanged = other != broken(t, "exchanged");
        Tensor *log_p = small_log_likelihood(&s->vae, c.x, exchanged ? next : z);
        for (int i = 0; i < SEEN; i++)
            nats[other][i] = tensor_is_poison(log_p) ? (double)NAN : -(double)log_p->data[i];
    }
    rate = (double)tensor_item(ag_gaussian_kl(c.mean, c.log_variance)) / SEEN;
    tape_free(tape);
    independent_nats(t->seed, x, SEEN, nats[2]);
    double saved = rise(nats[0], nats[2], &error[0]) - rate,
           lost = rise(nats[2], nats[1], &error[1]);
    explain(t,
            "own code: %.2f nats a digit fewer than independent pixels, %.2f of them for the code",
            saved + rate, rate);
    explain(t, "so %.2f +- %.2f are saved; with the code of the next digit %.2f +- %.2f are lost",
            saved, error[0], lost, error[1]);
    return values_least(saved / error[0], lost / error[1]);
}

/* ---- rate and distortion --------------------------------------------------------------------- */

/* At a minimum of D + beta R no other (R, D) is below the line of slope -beta through it. Two
 * minima, for b < c: D_b + b R_b <= D_c + b R_c and D_c + c R_c <= D_b + c R_b, so b <= (D_c - D_b)
 * / (R_b - R_c) <= c. (With beta = 1/4 training may end half a nat above the best minimum, so the
 * chain begins at 1.) */
static double slope_between(Trial *t)
{
    static const int chain[] = {SMALL_PLAIN, 4, SMALL_COLLAPSED};
    double least = INFINITY;
    RateDistortion before = {0, 0};
    for (int i = 0; i < 3; i++) {
        const SmallVae *s = small_vae(t->seed, chain[i]);
        if (!s)
            return (double)NAN;
        RateDistortion r = small_rate_distortion(s, t->seed);
        double low = i ? small_betas[chain[i - 1]] : 0, high = s->beta;
        explain(t, "beta = %5.2f: rate %.3f, distortion %.3f nats a picture", high, r.rate,
                r.distortion);
        if (i) {
            double slope = (r.distortion - before.distortion) / (before.rate - r.rate);
            if (broken(t, "inverse"))
                slope = 1 / slope;
            least = values_least(least, values_least(slope / low, high / slope));
            explain(t, "    distortion gained for each nat of rate: %.3f, between %.2f and %.2f",
                    slope, low, high);
        }
        before = r;
    }
    return least;
}

/* The nats of a picture whose pixels are independent, each with its mean over the training
 * digits. */
static double independent_pixels(uint64_t seed)
{
    const Pictures *digits = small_digits(seed);
    double nats = 0;
    for (int i = 0; i < SMALL_PIXELS; i++) {
        double p = 0;
        for (int n = 0; n < SMALL_TRAIN; n++)
            p += (digits->train.bytes[n * SMALL_PIXELS + i] ? 1.0 : 0.0) / SMALL_TRAIN;
        if (p > 0 && p < 1)
            nats -= p * log(p) + (1 - p) * log(1 - p);
    }
    return nats;
}

static double collapse(Trial *t)
{
    const SmallVae *s = small_vae(t->seed, broken(t, "beta-1") ? SMALL_PLAIN : SMALL_COLLAPSED);
    if (!s)
        return (double)NAN;
    RateDistortion r = small_rate_distortion(s, t->seed);
    double independent = independent_pixels(t->seed);
    explain(t, "beta = %.0f: rate %.5f; distortion %.3f nats a picture; independent pixels %.3f",
            s->beta, r.rate, r.distortion, independent);
    return r.rate + fabs(r.distortion - independent);
}

/* ---- all codes together ---------------------------------------------------------------------- */

/* log q(z) for each z (N, d), where q(z) is the mean of q(z | x) over all N pictures; `own`: q(z |
 * x) of its own. */
static Tensor *log_aggregated(const Codes *c, Tensor *z, bool own)
{
    int64_t N = z->shape.dim[0];
    if (own)
        return small_log_normal(z, c->mean, c->log_variance);
    Tensor *mean = ag_expand(c->mean, shape3(N, N, SMALL_LATENT)),
           *log_variance = ag_expand(c->log_variance, shape3(N, N, SMALL_LATENT));
    Tensor *each = small_log_normal(repeated(z, (int)N),
                                    ag_reshape(ag_copy(mean), shape2(N * N, SMALL_LATENT)),
                                    ag_reshape(ag_copy(log_variance), shape2(N * N, SMALL_LATENT)));
    Tensor *sum = ag_logsumexp(ag_reshape(each, shape2(N, N)), 1, false);
    return ag_shift(sum, -log((double)N));
}

static double aggregated(Trial *t)
{
    enum { N = SMALL_TEST };
    static real x[N * SMALL_PIXELS];
    const SmallVae *s = small_vae(t->seed, SMALL_PLAIN);
    if (!s || !pictures_test(small_digits(t->seed), 0, N, x, NULL))
        return (double)NAN;
    Tape *tape = tape_without_gradients(t->seed);
    Codes c = codes_of(s, tape, x, N, 1);
    Tensor *z = sample(&c, trial_rng(t, STREAM + 3), false);
    Tensor *log_q = log_aggregated(&c, z, broken(t, "own"));
    Tensor *each = ag_sub(log_q, small_log_normal(z, NULL, NULL));
    double all = (double)tensor_item(ag_mean(each)),
           rate = (double)tensor_item(ag_gaussian_kl(c.mean, c.log_variance)) / N;
    explain(t, "mean of KL(q(z | x) || p(z)) over %d test digits: %.3f nats", N, rate);
    explain(t, "KL(q(z) || p(z)) of all their codes together:     %.3f nats", all);
    explain(t, "the rest, %.3f nats, is what z tells about x (at most log %d = %.2f)", rate - all,
            N, log(N));
    tape_free(tape);
    return fabs(all) / rate;
}

const Claim small_vae_claims[] = {
    {57, kl_twice,
     "the KL of the loss has a closed form, and samples of log q - log p agree with it",
     .slides = {"H: Training VAEs", "H: Variational Autoencoders"},
     .quantity = "|samples - closed form| in standard errors, 200 test digits",
     AT_MOST(4.5, "one nearly normal number: once in 150,000 runs"),
     .faults = {{"whole", "the deviation is e^v instead of e^(v/2)"}}},
    {57, bounds_rise,
     "the ELBO is the lowest of the bounds: ELBO = L_1 < L_4 < L_16 < L_1,000, L_16 < log p(x)",
     .slides = {"H: Training VAEs", "H: Recap: ELBO"},
     .quantity = "least rise from one to the next in standard errors, 500 test digits",
     AT_LEAST(4, "each bound has samples of its own: 4 standard errors above 0 are chance once in "
                 "30,000"),
     .faults = {{"log-inside", "the mean of log w instead of the logarithm of the mean"}}},
    {57, reconstructed,
     "decoded from its own code a new digit costs fewer nats than by independent pixels, code "
     "included; decoded from another digit's code, more",
     .slides = {"H: Training VAEs", "H: The VAE Model"},
     .quantity =
         "smaller of nats saved and nats lost in standard errors, 500 test digits, beta = 1",
     AT_LEAST(4, "4 standard errors above 0 are chance once in 30,000"),
     .faults = {{"beta-20", "the model of beta = 20, whose decoder does without z"},
                {"exchanged", "each digit has the code of the next one, and the other way round"}}},
    {57, slope_between,
     "beta is the price of a nat of rate: the slope from one beta to the next is between them",
     .slides = {"H: Training VAEs"},
     .quantity = "least of slope / smaller beta and larger beta / slope; beta = 1, 4, 20",
     AT_LEAST(1, "the minimum for one beta is no better than another's at its own: both ratios "
                 "are >= 1"),
     .faults = {{"inverse", "rate for each nat of distortion"}}},
    {57, collapse, "with beta = 20 the code collapses: KL is 0, and the decoder does without z",
     .slides = {"H: Training VAEs"},
     .quantity = "KL + |distortion - nats of independent pixels|, beta = 20",
     AT_MOST(0.1, "0.1 of 48 nats; spread over 196 pixels a probability is off by 2 %"),
     .faults = {{"beta-1", "the model of beta = 1"}}},
    {57, aggregated,
     "with beta = 1 the codes of all digits together are nearly N(0, I), though those of one digit "
     "are not",
     .slides = {"H: Training VAEs", "H: The VAE Model"},
     .quantity = "KL(q(z) || p(z)) as a share of the mean KL(q(z | x) || p(z)), 500 test digits",
     AT_MOST(0.1, "a tenth of 3 nats is the KL of a normal whose two deviations are 1.4 instead "
                  "of 1"),
     .faults = {{"own", "q(z | x) of the digit itself for q(z)"}}},
    {0},
};
