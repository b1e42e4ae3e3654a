/* train.c: see train.h. Adam with a constant learning rate. */
#include "examples/vae/train.h"

#include <math.h>
#include <stdlib.h>

enum { TEST_BATCH = 100, KL_SAMPLES = 32, TEST_SEED = 4711, KL_SEED = 4712 };

/* Images and noise of one step. */
typedef struct {
    int B;
    real *x;     /* (B, n) */
    real *noise; /* (B, d) */
} Batch;

static bool batch_init(Batch *b, const Vae *m, int B)
{
    *b = (Batch){.B = B,
                 .x = example_alloc((size_t)B * (size_t)m->config.pixels * sizeof(real)),
                 .noise = example_alloc((size_t)B * (size_t)m->config.latent * sizeof(real))};
    return b->x && b->noise;
}

static void batch_free(Batch *b)
{
    free(b->x);
    free(b->noise);
}

static void draw_noise(Batch *b, const Vae *m, Rng *rng)
{
    for (int i = 0; i < b->B * m->config.latent; i++)
        b->noise[i] = (real)rng_normal(rng);
}

static Pass forward(const Vae *m, Tape *tape, const Batch *b)
{
    Tensor *x = tape_input(tape, b->x, shape2(b->B, m->config.pixels));
    return vae_pass(m, x, tape_input(tape, b->noise, shape2(b->B, m->config.latent)));
}

/* ---- the test -------------------------------------------------------------------------------- */

/* Runs over the test images in batches; `use` accumulates the results. */
static bool each_batch(const Vae *m, const Pictures *pictures, uint64_t seed,
                       void (*use)(const Vae *, const Pass *, const Batch *, Rng *, void *),
                       void *sums)
{
    Tape *tape = tape_new(0);
    Batch b;
    Rng rng = {.seed = seed};
    bool ok = batch_init(&b, m, TEST_BATCH) && tape;
    if (ok)
        tape->no_grad = true;
    for (int first = 0; ok && first < pictures->test_count; first += b.B) {
        int left = pictures->test_count - first;
        b.B = left < TEST_BATCH ? left : TEST_BATCH;
        ok = pictures_test(pictures, first, b.B, b.x, NULL);
        if (!ok)
            break;
        draw_noise(&b, m, &rng);
        tape_reset(tape);
        Pass pass = forward(m, tape, &b);
        ok = !tensor_is_poison(pass.loss);
        if (ok)
            use(m, &pass, &b, &rng, sums);
    }
    batch_free(&b);
    tape_free(tape);
    return ok;
}

static void add_elbo(const Vae *m, const Pass *pass, const Batch *b, Rng *rng, void *sums)
{
    Elbo *e = sums;
    (void)m;
    (void)rng;
    e->reconstruction += b->B * (double)tensor_item(pass->reconstruction);
    e->kl += b->B * (double)tensor_item(pass->kl);
}

bool vae_test(const Vae *m, const Pictures *pictures, Elbo *e)
{
    *e = (Elbo){0};
    bool ok = each_batch(m, pictures, TEST_SEED, add_elbo, e);
    e->reconstruction /= pictures->test_count;
    e->kl /= pictures->test_count;
    e->loss = e->reconstruction + e->kl;
    return ok;
}

/* ---- the KL, computed twice ------------------------------------------------------------------ */

/* Sums over the images. variance: that of an image's mean over samples. */
typedef struct {
    double formula, samples, variance;
} KLSums;

/* log q(z|x) - log p(z) for a sample z = m + e^(v/2) e, all coordinates together. */
static double log_ratio(const real *mean, const real *log_variance, int d, Rng *rng)
{
    double sum = 0;
    for (int k = 0; k < d; k++) {
        double e = rng_normal(rng), v = (double)log_variance[k];
        double z = (double)mean[k] + exp(v / 2) * e;
        sum += 0.5 * (z * z - e * e - v);
    }
    return sum;
}

static void add_kl(const Vae *m, const Pass *pass, const Batch *b, Rng *rng, void *sums)
{
    KLSums *s = sums;
    int d = m->config.latent;
    s->formula += b->B * (double)tensor_item(pass->kl);
    for (int i = 0; i < b->B; i++) {
        double mean = 0,
               squares = 0; /* Welford's algorithm: running mean and sum of squared deviations */
        for (int n = 1; n <= KL_SAMPLES; n++) {
            double r =
                log_ratio(pass->mean->data + i * d, pass->log_variance->data + i * d, d, rng);
            double off = r - mean;
            mean += off / n;
            squares += off * (r - mean);
        }
        s->samples += mean;
        s->variance += squares / (KL_SAMPLES - 1) / KL_SAMPLES;
    }
}

bool vae_compare_kl(const Vae *m, const Pictures *pictures, KL *kl)
{
    KLSums s = {0};
    bool ok = each_batch(m, pictures, KL_SEED, add_kl, &s);
    double n = pictures->test_count;
    *kl = (KL){s.formula / n, s.samples / n, sqrt(s.variance) / n};
    return ok;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One training step. Returns the two parts of the loss and their sum, which is NaN after an error;
 * *norm is the length of the gradient, which is not shortened. */
static Elbo train_step(const Vae *m, Params *p, Adam *adam, Tape *tape, const Batch *b,
                       double *norm)
{
    tape_reset(tape);
    Pass pass = forward(m, tape, b);
    if (!ag_backward(pass.loss))
        return (Elbo){.loss = (double)NAN};
    *norm = params_grad_norm(p);
    return (Elbo){.reconstruction = (double)tensor_item(pass.reconstruction),
                  .kl = (double)tensor_item(pass.kl),
                  .loss = adam_step(adam, p) ? (double)tensor_item(pass.loss) : (double)NAN};
}

static bool train(const Vae *m, Params *p, Pictures *pictures, const Common *c, Adam *adam,
                  Tape *tape, Batch *b)
{
    Rng rng = {.seed = (uint64_t)c->seed, .stream = 1};
    Run run = {.common = c,
               .total = example_steps(c, pictures->train_count / b->B),
               .unit = "pictures",
               .per_step = b->B,
               .also = {"reconstruction", "KL"},
               .y_name = "nats a picture; loss is -ELBO, their sum",
               .state = {.params = p, .adam = adam, .tape = tape, .rng = &rng, .rngs = 1}};
    if (!run_begin(&run))
        return false;
    tape->training = true;
    while (run_more(&run)) {
        if (!pictures_batch(pictures, run.step, b->B, b->x, NULL))
            break;
        draw_noise(b, m, &rng);
        double norm;
        Elbo e = train_step(m, p, adam, tape, b, &norm);
        if (isnan(e.loss))
            break;
        run_step(&run, e.loss, norm, (double[]){e.reconstruction, e.kl});
        if (run_due(&run, c->epochs) && vae_test(m, pictures, &e))
            run_measure(&run, "test", e.loss, (double[]){e.reconstruction, e.kl});
    }
    return run_end(&run);
}

bool vae_train(const Vae *m, Params *p, Pictures *pictures, const Common *c, int batch)
{
    Tape *tape = tape_new((uint64_t)c->seed);
    Adam adam = {0};
    Batch b;
    bool ok = batch_init(&b, m, batch) && tape && adam_init(&adam, p, c->rate) &&
              train(m, p, pictures, c, &adam, tape, &b);
    adam_free(&adam);
    batch_free(&b);
    tape_free(tape);
    return ok;
}
