/* pictures.c: a variational autoencoder (examples/vae/model.h) on pictures whose entropy is known:
 * one of 4 rows or 4 columns of 4 x 4 pixels is black; each pixel is then the other one with
 * probability 0.05. */
#include "lectures/mystery/mystery.h"

#include "examples/vae/model.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, PIXELS = 16, BARS = 8, LATENT = 2, WIDTH = 32, BATCH = 32, HELD = 256 };
static const double other = 0.05;

typedef struct Network {
    Vae vae;
    real held[HELD * PIXELS];
    Pass pass; /* the last one */
} Network;

/* ---- the pictures ---------------------------------------------------------------------------- */

static bool in_bar(int bar, int pixel)
{
    return bar < SIDE ? pixel / SIDE == bar : pixel % SIDE == bar - SIDE;
}

static void draw_pictures(Rng *rng, real *x, int n)
{
    for (int i = 0; i < n; i++) {
        int bar = (int)rng_below(rng, BARS);
        for (int k = 0; k < PIXELS; k++)
            x[i * PIXELS + k] = in_bar(bar, k) != (rng_uniform(rng) < other);
    }
}

static double entropy(void)
{
    double nats = 0;
    for (unsigned x = 0; x < 1u << PIXELS; x++) {
        double p = 0;
        for (int bar = 0; bar < BARS; bar++) {
            int wrong = 0;
            for (int k = 0; k < PIXELS; k++)
                wrong += in_bar(bar, k) != (x >> k & 1);
            p += pow(other, wrong) * pow(1 - other, PIXELS - wrong) / BARS;
        }
        nats -= p * log(p);
    }
    return nats;
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool init(Run *r)
{
    Network *m = r->network = calloc(1, sizeof *m);
    if (!m || !vae_init(&m->vae, r->params, (VaeConfig){PIXELS, WIDTH, LATENT}))
        return false;
    draw_pictures(&(Rng){.seed = r->seed, .stream = 3}, m->held, HELD);
    return true;
}

static Tensor *noise(Run *r, int n)
{
    real e[HELD * LATENT];
    for (int i = 0; i < n * LATENT; i++)
        e[i] = faulty(r, "no-noise") ? 0 : (real)rng_normal(&r->noise);
    return tape_input(r->tape, e, shape2(n, LATENT));
}

/* -ELBO of n pictures, with the KL divergence as it should be. */
static Pass pass(Run *r, const real *x, int n)
{
    Network *m = r->network;
    Tensor *in = tape_input(r->tape, x, shape2(n, PIXELS)), *e = noise(r, n), *mean, *log_variance;
    if (faulty(r, "variance-whole")) {
        vae_encode(&m->vae, in, &mean, &log_variance);
        e = ag_mul(e, ag_exp(ag_scale(log_variance, (real)0.5)));
    }
    return m->pass = vae_pass(&m->vae, in, e);
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

/* ---- what is measured ------------------------------------------------------------------------ */

static void measure_latents(Run *r)
{
    const Pass *m = &r->network->pass;
    run_number(r, LATENTS, (double)tensor_item(m->reconstruction), "-log p(x|z)");
    run_number(r, LATENTS, (double)tensor_item(m->kl), "KL(q(z|x) || p(z))");
    for (int d = 0; d < LATENT; d++) {
        double square = 0, variance = 0;
        for (int i = 0; i < HELD; i++) {
            double mean = (double)m->mean->data[i * LATENT + d];
            square += mean * mean / HELD;
            variance += exp((double)m->log_variance->data[i * LATENT + d]) / HELD;
        }
        run_number(r, LATENTS, sqrt(square), "z_%d, deviation of its means", d + 1);
        run_number(r, LATENTS, sqrt(variance), "z_%d, deviation around them", d + 1);
    }
}

/* Pictures of z on a grid of 3 x 3, from -1.5 to 1.5. */
static void measure_grid(Run *r)
{
    enum { GRID = 3, ACROSS = GRID * SIDE };
    real z[GRID * GRID * LATENT];
    double sum = 0, square = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        z[i * LATENT] = (real)1.5 * (real)(i % GRID - 1);
        z[i * LATENT + 1] = (real)1.5 * (real)(i / GRID - 1);
    }
    Tensor *in = tape_input(r->tape, z, shape2(GRID * GRID, LATENT));
    Tensor *p_black = ag_sigmoid(vae_decode(&r->network->vae, in));
    r->map_side = ACROSS;
    for (int i = 0; i < GRID * GRID; i++)
        for (int k = 0; k < PIXELS; k++) {
            real p = p_black->data[i * PIXELS + k];
            int row = i / GRID * SIDE + k / SIDE, column = i % GRID * SIDE + k % SIDE;
            r->map[row * ACROSS + column] = p;
            sum += (double)p / ACROSS / ACROSS;
            square += (double)p * (double)p / ACROSS / ACROSS;
        }
    run_number(r, MAPS, sum, "grid of z, mean");
    run_number(r, MAPS, sqrt(square - sum * sum), "grid of z, deviation");
}

static bool measure(Run *r)
{
    held(r);
    measure_latents(r);
    measure_grid(r);
    return !r->tape->failed;
}

const Learner pictures = {init, loss, held, measure, entropy};
