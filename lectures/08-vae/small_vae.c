/* small_vae.c: what a trained variational autoencoder does (row 57). The model and its digits:
 * small.h.
 *
 *   loss = distortion + beta rate,   H "Training VAEs"
 *   distortion = -E_q log p(x | z),   rate = KL(q(z | x) || p(z)) */
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

/* ---- the KL, computed twice ------------------------------------------------------------------ */

static double kl_twice(Trial *t)
{
    enum { N = 200, DRAWS = 100 };
    static real x[N * SMALL_PIXELS];
    const SmallVae *s = small_vae(t->seed, SMALL_PLAIN);
    if (!s || !pictures_test(small_digits(t->seed), 0, N, x, NULL))
        return (double)NAN;
    double mean = 0, variance = 0; /* of the estimate: its pictures' variances add up */
    Tape *tape = trial_tape(t);
    tape->no_grad = true;
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
    return fabs(mean - formula) / sqrt(variance);
}

enum { SEEN = 500 };

/* ---- independent pixels ---------------------------------------------------------------------- */

/* The share of 1 of a pixel among the training digits, with `more` pictures of half 0 and half
 * 1. */
static double share_of(const Pictures *digits, int pixel, double more)
{
    double ones = more / 2;
    for (int n = 0; n < SMALL_TRAIN; n++)
        ones += digits->train.bytes[n * SMALL_PIXELS + pixel] ? 1 : 0;
    return ones / (SMALL_TRAIN + more);
}

/* ---- reconstructions ------------------------------------------------------------------------- */

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
    double rate = 0;
    Tape *tape = trial_tape(t);
    tape->no_grad = true;
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
    for (int k = 0; k < SEEN; k++)
        nats[2][k] = 0;
    for (int i = 0; i < SMALL_PIXELS; i++) {
        double p = share_of(small_digits(t->seed), i, 1); /* so no p is 0 */
        for (int k = 0; k < SEEN; k++)
            nats[2][k] -= x[k * SMALL_PIXELS + i] > (real)0.5 ? log(p) : log(1 - p);
    }
    Mean saved = values_mean_difference(nats[2], nats[0], SEEN),
         lost = values_mean_difference(nats[1], nats[2], SEEN);
    saved.mean -= rate;
    explain(t,
            "own code: %.2f nats a digit fewer than independent pixels, %.2f of them for the code",
            saved.mean + rate, rate);
    explain(t, "so %.2f +- %.2f are saved; with the code of the next digit %.2f +- %.2f are lost",
            saved.mean, saved.error, lost.mean, lost.error);
    return values_least(saved.mean / saved.error, lost.mean / lost.error);
}

/* ---- rate and distortion --------------------------------------------------------------------- */

static double collapse(Trial *t)
{
    const SmallVae *s = small_vae(t->seed, broken(t, "beta-1") ? SMALL_PLAIN : SMALL_COLLAPSED);
    if (!s)
        return (double)NAN;
    RateDistortion r = small_rate_distortion(s, t->seed);
    double independent = 0; /* -E log p(x) of a training digit */
    for (int i = 0; i < SMALL_PIXELS; i++) {
        double p = share_of(small_digits(t->seed), i, 0);
        independent -= p > 0 && p < 1 ? p * log(p) + (1 - p) * log(1 - p) : 0;
    }
    explain(t, "beta = %.0f: rate %.5f; distortion %.3f nats a picture; independent pixels %.3f",
            s->beta, r.rate, r.distortion, independent);
    return r.rate + fabs(r.distortion - independent);
}

const Claim small_vae_claims[] = {
    {57, kl_twice,
     "the KL of the loss has a closed form, and samples of log q - log p agree with it",
     .slides = {"H: Training VAEs", "H: Variational Autoencoders"},
     .quantity = "|samples - closed form| in standard errors, 200 test digits",
     AT_MOST(4.5, "one nearly normal number: once in 150,000 runs"),
     .faults = {{"whole", "the deviation is e^v instead of e^(v/2)"}}},
    {57, reconstructed,
     "decoded from its own code a new digit costs fewer nats than by independent pixels, code "
     "included; decoded from another digit's code, more",
     .slides = {"H: Training VAEs", "H: The VAE Model"},
     .quantity =
         "smaller of nats saved and nats lost in standard errors, 500 test digits, beta = 1",
     AT_LEAST(4, "4 standard errors above 0 are chance once in 30,000"),
     .faults = {{"beta-20", "the model of beta = 20, whose decoder does without z"},
                {"exchanged", "each digit has the code of the next one, and the other way round"}}},
    {57, collapse, "with beta = 20 the code collapses: KL is 0, and the decoder does without z",
     .slides = {"H: Training VAEs"},
     .quantity = "KL + |distortion - nats of independent pixels|, beta = 20",
     AT_MOST(0.1, "0.1 of 48 nats; spread over 196 pixels a probability is off by 2 %"),
     .faults = {{"beta-1", "the model of beta = 1"}}},
    {0},
};
