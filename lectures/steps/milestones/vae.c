/* vae.c: your VAE (homeworks 1 and 13) is trained and draws digits.
 *
 *   x (196) -> relu, 48 -> mean and log-variance (4) -> z -> relu, 48 -> logits (196)
 *   loss = -log p(x | z) + KL(q(z | x) || N(0, 1)), nats a picture;  Adam */
#include "given.h"

#include "hw1.h"
#include "hw13.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 14, X = SIDE * SIDE, H = 48, Z = 4, B = 32, STEPS = 800 };

/* One layer: y = x W + b, where `relu` says so of at least 0, and the gradients. */
typedef struct {
    int in, out, relu;
    float y[B * X], dy[B * X];
    float w[(X + 1) * X], dw[(X + 1) * X]; /* (in + 1, out): the last row is the bias */
    float m[(X + 1) * X], v[(X + 1) * X];  /* of Adam */
} Layer;

static Layer encoder = {.in = X, .out = H, .relu = 1}, mean = {.in = H, .out = Z};
static Layer logvar = {.in = H, .out = Z}, decoder = {.in = Z, .out = H, .relu = 1};
static Layer logits = {.in = H, .out = X};
static float z[B * Z], dz[B * Z];

static double uniform(void)
{
    static unsigned state = 1;
    state = state * 1664525 + 1013904223;
    return ((state >> 8) + 0.5) / 16777216;
}

static double normal(void)
{
    double u = uniform(), v = uniform();
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void forward(Layer *l, const float *x)
{
    static float product[B * X];
    matmul(product, x, l->w, B, l->in, l->out);
    add(l->y, product, B, l->out, l->w + l->in * l->out, 1, l->out);
    for (int i = 0; l->relu && i < B * l->out; i++)
        l->y[i] = l->y[i] > 0 ? l->y[i] : 0;
}

/* From l->dy, which becomes 0 for the next step, to dx and l->dw. */
static void backward(Layer *l, float *dx, const float *x)
{
    static float dproduct[B * X];
    for (int i = 0; l->relu && i < B * l->out; i++)
        l->dy[i] = l->y[i] > 0 ? l->dy[i] : 0;
    memset(dproduct, 0, sizeof dproduct);
    add_backward(dproduct, B, l->out, l->dw + l->in * l->out, 1, l->out, l->dy);
    matmul_backward(dx, l->dw, dproduct, x, l->w, B, l->in, l->out);
    memset(l->dy, 0, sizeof l->dy);
}

static void adam(Layer *l, int step)
{
    double rate = 0.003 * sqrt(1 - pow(0.999, step)) / (1 - pow(0.9, step));
    for (int i = 0; i < (l->in + 1) * l->out; i++) {
        l->m[i] = 0.9f * l->m[i] + 0.1f * l->dw[i];
        l->v[i] = 0.999f * l->v[i] + 0.001f * l->dw[i] * l->dw[i];
        l->w[i] -= (float)(rate * l->m[i] / (sqrt(l->v[i]) + 1e-8));
        l->dw[i] = 0;
    }
}

/* Runs the whole on B pictures, with noise in z times `noise`; returns -log p(x | z), a picture's
 * mean in nats, and sets *kl. */
static double run(const float *x, float noise, double *kl)
{
    float eps[B * Z];
    double nats = 0;
    forward(&encoder, x);
    forward(&mean, encoder.y);
    forward(&logvar, encoder.y);
    for (int i = 0; i < B * Z; i++)
        eps[i] = noise * (float)normal();
    reparameterise(z, mean.y, logvar.y, eps, B * Z);
    *kl = gaussian_kl(mean.y, logvar.y, B, Z);
    forward(&decoder, z);
    forward(&logits, decoder.y);
    for (int i = 0; i < B * X; i++) {
        double p = 1 / (1 + exp(-(double)logits.y[i]));
        nats -= log((x[i] > 0 ? p : 1 - p) + 1e-12) / B;
        logits.dy[i] = (float)((p - x[i]) / B);
    }
    return nats;
}

static void train_step(const float *x, int step)
{
    static float dx[B * X];
    Layer *all[] = {&encoder, &mean, &logvar, &decoder, &logits};
    double kl, nats = run(x, 1, &kl);
    if (step % 200 == 0 || step == 1)
        printf("step %3d  -ELBO %.1f = %.1f + KL %.2f nats\n", step, nats + kl, nats, kl);
    memset(dz, 0, sizeof dz);
    backward(&logits, decoder.dy, decoder.y);
    backward(&decoder, dz, z);
    gaussian_kl_backward(mean.dy, logvar.dy, 1, mean.y, logvar.y, B, Z);
    for (int i = 0; i < B * Z; i++) { /* z = mean + e^(logvar / 2) eps */
        mean.dy[i] += dz[i];
        logvar.dy[i] += dz[i] * 0.5f * (z[i] - mean.y[i]);
    }
    backward(&mean, encoder.dy, encoder.y);
    backward(&logvar, encoder.dy, encoder.y);
    backward(&encoder, dx, x);
    for (int i = 0; i < 5; i++)
        adam(all[i], step);
}

/* Draws four digits from z ~ N(0, 1), side by side. */
static void draw(void)
{
    for (int i = 0; i < B * Z; i++)
        z[i] = (float)normal();
    forward(&decoder, z);
    forward(&logits, decoder.y);
    for (int i = 0; i < SIDE; i++) {
        for (int k = 0; k < 4 * SIDE; k++)
            putchar(logits.y[k / SIDE * X + i * SIDE + k % SIDE] > 0 ? '#' : '.');
        putchar('\n');
    }
}

/* The entropy of the pixels of n pictures, each pixel by itself, in nats. */
static double entropy_of_pixels(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < X; i++) {
        double p = 0;
        for (int k = 0; k < n; k++)
            p += (double)x[k * X + i] / n;
        sum -= p > 0 && p < 1 ? p * log(p) + (1 - p) * log(1 - p) : 0;
    }
    return sum;
}

int main(int argc, char **argv)
{
    Layer *all[] = {&encoder, &mean, &logvar, &decoder, &logits};
    given_open(argc, argv);
    int n = given_int("pictures", 0), batches = n / B - 1; /* the last one is held out */
    const float *x = given("pixels");
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < all[k]->in * all[k]->out; i++)
            all[k]->w[i] = (float)(normal() / sqrt(all[k]->in));
    for (int step = 1; step <= STEPS; step++)
        train_step(x + step % batches * B * X, step);
    draw();
    double kl, nats = run(x + batches * B * X, 0, &kl) + kl, most = entropy_of_pixels(x, n);
    printf("digits that it has not seen: %.1f nats with KL %.2f; pixels by themselves: %.1f\n"
           "expected: fewer than 90 %% of the pixels' nats, and KL above 1\n",
           nats, kl, most);
    return !(nats < 0.9 * most && kl > 1);
}
