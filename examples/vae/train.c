/* train.c: see train.h. Adam with a constant learning rate. */
#include "examples/vae/train.h"

#include <math.h>
#include <stdlib.h>

enum { TEST_BATCH = 100, TEST_SEED = 4711 };

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

bool vae_test(const Vae *m, const Pictures *pictures, Elbo *e)
{
    Tape *tape = tape_new(0);
    Batch b;
    Rng rng = {.seed = TEST_SEED};
    const int all = pictures->test_count;
    bool ok = batch_init(&b, m, TEST_BATCH) && tape;
    *e = (Elbo){0};
    if (ok)
        tape->no_grad = true;
    for (int first = 0; ok && first < all; first += b.B) {
        b.B = all - first < TEST_BATCH ? all - first : TEST_BATCH;
        draw_noise(&b, m, &rng);
        tape_reset(tape);
        ok = pictures_test(pictures, first, b.B, b.x, NULL);
        Pass pass = forward(m, tape, &b);
        ok = ok && !tensor_is_poison(pass.loss);
        e->reconstruction += b.B * (double)tensor_item(pass.reconstruction);
        e->kl += b.B * (double)tensor_item(pass.kl);
    }
    e->reconstruction /= all;
    e->kl /= all;
    e->loss = e->reconstruction + e->kl;
    batch_free(&b);
    tape_free(tape);
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

bool vae_train(const Vae *m, Params *p, Pictures *pictures, const Common *c, int batch)
{
    Batch b;
    Rng rng = {.seed = (uint64_t)c->seed, .stream = 1};
    Run run = {.common = c,
               .total = example_steps(c, pictures->train_count / batch),
               .unit = "pictures",
               .per_step = batch,
               .also = {"reconstruction", "KL"},
               .y_name = "nats a picture; loss is -ELBO, their sum",
               .state = {.params = p, .rng = &rng, .rngs = 1}};
    bool ok = batch_init(&b, m, batch) && run_begin(&run);
    while (ok && run_more(&run)) {
        if (!pictures_batch(pictures, run.step, batch, b.x, NULL))
            break;
        draw_noise(&b, m, &rng);
        double norm;
        Elbo e = train_step(m, p, &run.adam, run.tape, &b, &norm);
        if (isnan(e.loss))
            break;
        run_step(&run, e.loss, norm, (double[]){e.reconstruction, e.kl});
        if (run_due(&run, c->epochs) && vae_test(m, pictures, &e))
            run_measure(&run, "test", e.loss, (double[]){e.reconstruction, e.kl});
    }
    ok = ok && run_end(&run);
    batch_free(&b);
    return ok;
}
