/* vae.c: your VAE (homeworks 1 and 13) is trained and draws digits.
 *
 *   x (196) -> relu, 48 -> mean and log-variance (4) -> z -> relu, 48 -> logits (196)
 *   loss = -log p(x | z) + KL(q(z | x) || N(0, 1)), nats a picture;  Adam
 *
 *   vae INPUT
 *
 * INPUT: pictures; for each 196 numbers, 0 or 1. */
#include "weights.h"

#include "hw1.h"
#include "hw13.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 14, X = SIDE * SIDE, H = 48, Z = 4, B = 32, STEPS = 800, LAYERS = 5 };

/* One layer: y = x W + b, and its gradients. */
typedef struct {
    int in, out;
    float *w, *dw, *m, *v; /* (in + 1, out): the last row is the bias */
} Layer;

static unsigned random_state = 1;

static double uniform(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return ((random_state >> 8) + 0.5) / 16777216;
}

static double normal(void)
{
    double u = uniform(), v = uniform();
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static Layer layer(int in, int out)
{
    size_t n = (size_t)(in + 1) * (size_t)out;
    Layer l = {in, out, calloc(4 * n, sizeof(float)), NULL, NULL, NULL};
    if (!l.w)
        exit(2);
    l.dw = l.w + n;
    l.m = l.dw + n;
    l.v = l.m + n;
    for (int i = 0; i < in * out; i++)
        l.w[i] = (float)(normal() / sqrt(in));
    return l;
}

static void forward(const Layer *l, float *y, const float *x, int n)
{
    static float product[B * X];
    matmul(product, x, l->w, n, l->in, l->out);
    add(y, product, n, l->out, l->w + l->in * l->out, 1, l->out);
}

static void backward(Layer *l, float *dx, const float *dy, const float *x)
{
    static float dproduct[B * X];
    memset(dproduct, 0, sizeof dproduct);
    add_backward(dproduct, B, l->out, l->dw + l->in * l->out, 1, l->out, dy);
    matmul_backward(dx, l->dw, dproduct, x, l->w, B, l->in, l->out);
}

static void adam(Layer *l, int step)
{
    int n = (l->in + 1) * l->out;
    double rate = 0.003 * sqrt(1 - pow(0.999, step)) / (1 - pow(0.9, step));
    for (int i = 0; i < n; i++) {
        l->m[i] = 0.9f * l->m[i] + 0.1f * l->dw[i];
        l->v[i] = 0.999f * l->v[i] + 0.001f * l->dw[i] * l->dw[i];
        l->w[i] -= (float)(rate * l->m[i] / (sqrt(l->v[i]) + 1e-8));
        l->dw[i] = 0;
    }
}

static void relu(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

static void relu_backward(float *dx, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        dx[i] = x[i] > 0 ? dx[i] : 0;
}

/* -log p(x | z) of one batch, a picture's mean, and its gradient by the logits. */
static double reconstruction(float *dy, const float *y, const float *x)
{
    double sum = 0;
    for (int i = 0; i < B * X; i++) {
        double p = 1 / (1 + exp(-(double)y[i]));
        sum -= log((x[i] > 0 ? p : 1 - p) + 1e-12);
        dy[i] = (float)((p - x[i]) / B);
    }
    return sum / B;
}

static void train_step(Layer l[LAYERS], const float *x, int step)
{
    static float h[B * H], hr[B * H], mean[B * Z], logvar[B * Z], eps[B * Z], z[B * Z], g[B * H];
    static float gr[B * H], y[B * X], dy[B * X], dgr[B * H], dz[B * Z], dmean[B * Z],
        dlogvar[B * Z];
    static float dhr[B * H], dx[B * X];
    forward(&l[0], h, x, B);
    relu(hr, h, B * H);
    forward(&l[1], mean, hr, B);
    forward(&l[2], logvar, hr, B);
    for (int i = 0; i < B * Z; i++)
        eps[i] = (float)normal();
    reparameterise(z, mean, logvar, eps, B * Z);
    forward(&l[3], g, z, B);
    relu(gr, g, B * H);
    forward(&l[4], y, gr, B);
    double nats = reconstruction(dy, y, x), kl = gaussian_kl(mean, logvar, B, Z);
    if (step % 200 == 0 || step == 1)
        printf("step %3d  -ELBO %.1f = %.1f + KL %.2f nats\n", step, nats + kl, nats, kl);
    memset(dgr, 0, sizeof dgr), memset(dz, 0, sizeof dz), memset(dhr, 0, sizeof dhr);
    memset(dmean, 0, sizeof dmean), memset(dlogvar, 0, sizeof dlogvar);
    backward(&l[4], dgr, dy, gr);
    relu_backward(dgr, g, B * H);
    backward(&l[3], dz, dgr, z);
    gaussian_kl_backward(dmean, dlogvar, 1, mean, logvar, B, Z);
    for (int i = 0; i < B * Z; i++) { /* z = mean + e^(logvar / 2) eps */
        dmean[i] += dz[i];
        dlogvar[i] += dz[i] * 0.5f * (z[i] - mean[i]);
    }
    backward(&l[1], dhr, dmean, hr);
    backward(&l[2], dhr, dlogvar, hr);
    relu_backward(dhr, h, B * H);
    backward(&l[0], dx, dhr, x);
    for (int i = 0; i < LAYERS; i++)
        adam(&l[i], step);
}

/* Draws four digits from z ~ N(0, 1), side by side. */
static void draw(const Layer l[LAYERS])
{
    float z[4 * Z], g[4 * H], y[4 * X];
    for (int i = 0; i < 4 * Z; i++)
        z[i] = (float)normal();
    forward(&l[3], g, z, 4);
    relu(g, g, 4 * H);
    forward(&l[4], y, g, 4);
    for (int i = 0; i < SIDE; i++) {
        for (int k = 0; k < 4 * SIDE; k++)
            putchar(y[k / SIDE * X + i * SIDE + k % SIDE] > 0 ? '#' : '.');
        putchar('\n');
    }
}

/* The -ELBO of pictures that were not trained on, with the means as z: an estimate of what the
 * codes keep, beside the entropy of each pixel by itself. */
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
    if (argc != 2)
        return 2;
    input_open(argv[1]);
    int n = input_int();
    float *x = malloc((size_t)n * X * sizeof *x);
    if (!x || n < 2 * B)
        return 2;
    input_numbers(x, n * X);
    Layer l[LAYERS] = {layer(X, H), layer(H, Z), layer(H, Z), layer(Z, H), layer(H, X)};
    int batches = n / B - 1; /* the last one is held out */
    for (int step = 1; step <= STEPS; step++)
        train_step(l, x + step % batches * B * X, step);
    draw(l);
    static float h[B * H], z[B * Z], logvar[B * Z], g[B * H], y[B * X], dy[B * X];
    const float *held_out = x + batches * B * X;
    forward(&l[0], h, held_out, B);
    relu(h, h, B * H);
    forward(&l[1], z, h, B);
    forward(&l[2], logvar, h, B);
    double kl = gaussian_kl(z, logvar, B, Z);
    forward(&l[3], g, z, B);
    relu(g, g, B * H);
    forward(&l[4], y, g, B);
    double nats = reconstruction(dy, y, held_out) + kl, most = entropy_of_pixels(x, n);
    printf("digits that it has not seen: %.1f nats with KL %.2f; pixels by themselves: %.1f\n",
           nats, kl, most);
    printf("expected: fewer than 90 %% of the pixels' nats, and KL above 1\n");
    return !(nats < 0.9 * most && kl > 1);
}
