/* pictures.c: a variational autoencoder (examples/vae/model.h) on pictures whose entropy is known:
 * one of 4 rows or 4 columns of 4 x 4 pixels is black; each pixel is then the other one with
 * probability 0.05. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/values.h"

#include "examples/vae/model.h"

#include <stdlib.h>

enum { SIDE = 4, PIXELS = 16, LATENT = 2, WIDTH = 32, BATCH = 32, HELD = 256, GRID = 3 };

typedef struct Network {
    Vae vae;
    real held[HELD * PIXELS];
} Network;

static void draw_pictures(Rng *rng, real *x, int n)
{
    for (int i = 0; i < n; i++) {
        int bar = (int)rng_below(rng, 2 * SIDE);
        for (int k = 0; k < PIXELS; k++) {
            bool black = bar < SIDE ? k / SIDE == bar : k % SIDE == bar - SIDE;
            x[i * PIXELS + k] = black != (rng_uniform(rng) < 0.05);
        }
    }
}

static bool init(Run *r)
{
    Network *m = r->network = calloc(1, sizeof *m);
    if (!m || !vae_init(&m->vae, r->params, (VaeConfig){PIXELS, WIDTH, LATENT}))
        return false;
    draw_pictures(&(Rng){.seed = r->seed, .stream = 3}, m->held, HELD);
    return true;
}

/* -ELBO of n pictures, with the KL divergence as it should be. */
static Pass pass(Run *r, const real *x, int n)
{
    const Vae *vae = &r->network->vae;
    double deviation = faulty(r, "no-noise") ? 0 : 1;
    Tensor *in = tape_input(r->tape, x, shape2(n, PIXELS)), *mean, *log_variance;
    Tensor *noise = values_normal(r->tape, &r->noise, shape2(n, LATENT), deviation);
    if (faulty(r, "variance-whole")) {
        vae_encode(vae, in, &mean, &log_variance);
        noise = ag_mul(noise, ag_exp(ag_scale(log_variance, (real)0.5)));
    }
    return vae_pass(vae, in, noise);
}

static Tensor *loss(Run *r)
{
    real x[BATCH * PIXELS];
    draw_pictures(&r->data, x, BATCH);
    Pass p = pass(r, x, BATCH);
    if (faulty(r, "kl-whole"))
        return ag_add(p.loss, p.kl);
    if (faulty(r, "kl-left-out"))
        return p.reconstruction;
    if (faulty(r, "collapse"))
        return ag_add(ag_scale(p.reconstruction, (real)1 / PIXELS), p.kl);
    return p.loss;
}

static double held(Run *r)
{
    tape_reset(r->tape);
    return (double)tensor_item(pass(r, r->network->held, HELD).loss);
}

static double mean_of(Tensor *x)
{
    return (double)tensor_item(ag_mean(x));
}

/* Pictures of z on a grid of 3 x 3, from -1.5 to 1.5. */
static void measure_grid(Run *r)
{
    real z[GRID * GRID * LATENT];
    for (int i = 0; i < GRID * GRID; i++) {
        z[i * LATENT] = (real)1.5 * (real)(i % GRID - 1);
        z[i * LATENT + 1] = (real)1.5 * (real)(i / GRID - 1);
    }
    Tensor *logits =
        vae_decode(&r->network->vae, tape_input(r->tape, z, shape2(GRID * GRID, LATENT)));
    Tensor *x = ag_reshape(ag_sigmoid(logits), shape4(GRID, GRID, SIDE, SIDE));
    x = ag_reshape(ag_permute(x, (int[]){0, 2, 1, 3}), shape2(GRID * SIDE, GRID * SIDE));
    Tensor *apart = ag_sub(x, ag_mean(x));
    *run_line(r, MAPS, 1, "grid of z, mean") = mean_of(x);
    *run_line(r, MAPS, 1, "grid of z, deviation") = sqrt(mean_of(ag_mul(apart, apart)));
    r->map = (PlotHeatmap){.map = x,
                           .row_name = "z_2",
                           .column_name = "z_1",
                           .scale = {.high = 1, .name = "probability of black"}};
}

static bool measure(Run *r)
{
    tape_reset(r->tape);
    Pass p = pass(r, r->network->held, HELD);
    *run_line(r, LATENTS, 1, "-log p(x|z)") = mean_of(p.reconstruction);
    *run_line(r, LATENTS, 1, "KL(q(z|x) || p(z))") = mean_of(p.kl);
    *run_line(r, LATENTS, 1, "z, deviation of its means") = sqrt(mean_of(ag_mul(p.mean, p.mean)));
    *run_line(r, LATENTS, 1, "z, deviation around them") = sqrt(mean_of(ag_exp(p.log_variance)));
    measure_grid(r);
    return !r->tape->failed;
}

const Learner pictures = {"pictures", 5.24695, 0, 1500, 50, 6e-3, init, loss, held, measure};
