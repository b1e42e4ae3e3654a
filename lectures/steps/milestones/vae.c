/* vae.c: your VAE (homeworks 1 and 13) is trained and draws digits.
 *
 *   x (196) -> relu, 48 -> mean and log-variance (4) -> z -> relu, 48 -> logits (196)
 *   loss = -log p(x | z) + KL(q(z | x) || N(0, 1)), nats a picture;  Adam */
#include "library.h"

#include "hw1.h"
#include "hw13.h"

#include "examples/common/pictures.h"

#include <math.h>
#include <string.h>

enum { SIDE = 14, X = SIDE * SIDE, H = 48, Z = 4, B = 32, STEPS = 800, TEST = 320 };

/* One layer: y = x W + b, where `relu` says so of at least 0, and the gradients. */
typedef struct {
    const char *name;
    int in, out, relu;
    float y[B * X], dy[B * X];
    Tensor *w; /* (in + 1, out), with its gradient: the last row is the bias */
} Layer;

static Layer encoder = {.name = "encoder", .in = X, .out = H, .relu = 1};
static Layer mean = {.name = "mean", .in = H, .out = Z};
static Layer logvar = {.name = "logvar", .in = H, .out = Z};
static Layer decoder = {.name = "decoder", .in = Z, .out = H, .relu = 1};
static Layer logits = {.name = "logits", .in = H, .out = X};
static Layer *const all[] = {&encoder, &mean, &logvar, &decoder, &logits};
static float z[B * Z], dz[B * Z];
static Rng rng = {.seed = 1};

static void forward(Layer *l, const float *x)
{
    static float product[B * X];
    matmul(product, x, l->w->data, B, l->in, l->out);
    add(l->y, product, B, l->out, l->w->data + l->in * l->out, 1, l->out);
    for (int i = 0; l->relu && i < B * l->out; i++)
        l->y[i] = l->y[i] > 0 ? l->y[i] : 0;
}

/* From l->dy, which becomes 0 for the next step, to dx and the gradient of w. */
static void backward(Layer *l, float *dx, const float *x)
{
    static float dproduct[B * X];
    for (int i = 0; l->relu && i < B * l->out; i++)
        l->dy[i] = l->y[i] > 0 ? l->dy[i] : 0;
    memset(dproduct, 0, sizeof dproduct);
    add_backward(dproduct, B, l->out, l->w->grad + l->in * l->out, 1, l->out, l->dy);
    matmul_backward(dx, l->w->grad, dproduct, x, l->w->data, B, l->in, l->out);
    memset(l->dy, 0, sizeof l->dy);
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
        eps[i] = noise * (float)rng_normal(&rng);
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
}

/* Draws four digits from z ~ N(0, 1), side by side. */
static void draw(void)
{
    for (int i = 0; i < B * Z; i++)
        z[i] = (float)rng_normal(&rng);
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

/* Half as wide and half as high: a pixel is 1 where the mean of its four is above a half. */
static void halve(float *y, const float *x, int n)
{
    for (int i = 0; i < n * X; i++) {
        const float *p = x + i / SIDE * 4 * SIDE + i % SIDE * 2;
        y[i] = p[0] + p[1] + p[2 * SIDE] + p[2 * SIDE + 1] > 2;
    }
}

int main(void)
{
    static float wide[TEST * 4 * X], x[TEST * X];
    Pictures digits;
    Params *p = params_new(1);
    Adam adam = {0};
    library_begin(p);
    pictures_drawn(&digits, 2000, TEST, 1);
    for (int k = 0; k < 5; k++)
        all[k]->w = params_add(p, all[k]->name, shape2(all[k]->in + 1, all[k]->out),
                               nn_normal(1 / sqrt(all[k]->in)));
    adam_init(&adam, p, 0.003);
    for (int step = 1; step <= STEPS; step++) {
        pictures_batch(&digits, step, B, wide, NULL);
        halve(x, wide, B);
        train_step(x, step);
        adam_step(&adam, p);
    }
    draw();
    pictures_test(&digits, 0, TEST, wide, NULL);
    halve(x, wide, TEST);
    double kl, nats = run(x, 0, &kl) + kl, most = entropy_of_pixels(x, TEST);
    printf("digits that it has not seen: %.1f nats with KL %.2f; pixels by themselves: %.1f\n"
           "expected: fewer than 90 %% of the pixels' nats, and KL above 1\n",
           nats, kl, most);
    adam_free(&adam);
    pictures_free(&digits);
    params_free(p);
    return !(nats < 0.9 * most && kl > 1);
}
