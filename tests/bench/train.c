/* train.c: rows of training: a step is forward, backward and Adam.
 *
 * The data is defined by formulas that any program can compute, and so are the weights with
 * --check; phi = 0.618...,
 *   images        x_i = frac(i phi)
 *   tokens, goals (7919 i + 13) mod V, (104729 i + 7) mod V
 *   weights       0.1 (frac(i phi) - 1/2) for two or more axes, 1 for the gains of LayerNorms, else 0
 * The VAE's noise is 0. --check prints the loss before the first and after the tenth step. */
#include "tests/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Image patches as tokens, after a learned class token. */
typedef struct {
    int patch;
    Linear embed, head;
    Tensor *cls; /* (1, 1, C) */
    Encoder encoder;
} VisionModel;

/* 784-400-20-400-784. */
typedef struct {
    Linear a, mean, variance, c, d;
} Autoencoder;

typedef struct Training {
    Tensor *(*loss)(struct Training *t);
    Params *params;
    Tape *tape;
    Adam adam;
    Rng rng;
    union {
        Gpt gpt;
        VisionModel vit;
        Autoencoder vae;
        Linear layer[2];
    } model;
    Shape shape; /* of the input */
    int *ids, *goals;
    real *x, *y;
} Training;

static Training *training_new(Tensor *(*loss)(Training *), Shape input)
{
    Training *t = calloc(1, sizeof *t);
    if (!t)
        exit(1);
    t->loss = loss;
    t->shape = input;
    t->params = params_new(1);
    t->tape = tape_new(1);
    return t;
}

static void training_free(Training *t)
{
    adam_free(&t->adam);
    tape_free(t->tape);
    params_free(t->params);
    free(t->ids);
    free(t->goals);
    free(t->x);
    free(t->y);
    free(t);
}

/* ---- data ------------------------------------------------------------------------------------ */

static real spread(int64_t i)
{
    double x = (double)i * 0.6180339887498949;
    return (real)(x - floor(x));
}

static real *spread_numbers(int64_t n)
{
    real *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; x && i < n; i++)
        x[i] = spread(i);
    return x;
}

static int *spread_ids(int64_t n, int64_t factor, int64_t start, int64_t below)
{
    int *ids = malloc((size_t)n * sizeof *ids);
    for (int64_t i = 0; ids && i < n; i++)
        ids[i] = (int)((factor * i + start) % below);
    return ids;
}

/* The gains of LayerNorms are the only vectors whose name ends in .weight. */
static bool is_gain(const Tensor *w)
{
    size_t n = strlen(w->name), end = strlen(".weight");
    return n > end && strcmp(w->name + n - end, ".weight") == 0;
}

static void set_weights(const Params *p)
{
    for (int k = 0; k < p->count; k++) {
        Tensor *w = p->weight[k];
        for (int64_t i = 0; i < tensor_size(w); i++)
            w->data[i] = w->shape.rank > 1 ? (real)0.1 * (spread(i) - (real)0.5) : is_gain(w);
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void step(void *context)
{
    Training *t = context;
    tape_reset(t->tape);
    ag_backward(t->loss(t));
    adam_step(&t->adam, t->params);
}

static double loss_now(Training *t)
{
    tape_reset(t->tape);
    return (double)tensor_item(t->loss(t));
}

/* Times or checks the row, and frees everything. */
static void finish(const char *name, Training *t, double flops)
{
    adam_init(&t->adam, t->params, 1e-4);
    if (settings.check) {
        set_weights(t->params);
        double first = loss_now(t);
        for (int i = 0; i < 10; i++)
            step(t);
        printf("%s\t%.6f\t%.6f\n", name, first, loss_now(t));
        fflush(stdout);
    } else {
        measure(name, step, t, (Work){flops > 0 ? BOUND_FMA : BOUND_NONE, flops, 0});
    }
    training_free(t);
}

/* ---- language models ------------------------------------------------------------------------- */

static Tensor *lm_training_loss(Training *t)
{
    Tensor *ids = tape_ids(t->tape, t->ids, t->shape);
    Tensor *goals = tape_ids(t->tape, t->goals, t->shape);
    return ag_cross_entropy(nn_gpt(&t->model.gpt, ids), goals);
}

static Training *lm_training(const int size[SIZES])
{
    int V = size[0], T = size[1], B = size[5];
    Training *t = training_new(lm_training_loss, shape2(B, T));
    t->ids = spread_ids((int64_t)B * T, 7919, 13, V);
    t->goals = spread_ids((int64_t)B * T, 104729, 7, V);
    nn_gpt_init(&t->model.gpt, t->params, "",
                (GptConfig){V, T, size[2], size[3], size[4], POSITION_LEARNED, 0});
    t->model.gpt.encoder.causal = size[6];
    return t;
}

/* size: V, T, C, H, L, B, causal */
static void run_lm(const Row *r)
{
    double T = r->size[1], C = r->size[2], L = r->size[4], B = r->size[5];
    Training *t = lm_training(r->size);
    double weights = (double)params_size(t->params) - T * C; /* without those of positions */
    double flops = 6 * B * T * weights + (r->size[6] ? 6 : 12) * L * B * T * T * C;
    finish(r->name, t, flops);
}

/* --size chooses T, C and B. */
static void run_grow(const Row *r)
{
    Row row = *r;
    row.size[1] = settings.size[0];
    row.size[2] = settings.size[1];
    row.size[5] = settings.size[2];
    run_lm(&row);
}

void first_loss(void)
{
    Training *t = lm_training(train_rows[0].size);
    loss_now(t);
    training_free(t);
}

/* ---- images and numbers ---------------------------------------------------------------------- */

/* (B, colours, side, side) -> (B, patches, colours patch patch) */
static Tensor *cut(Tensor *images, int patch)
{
    int64_t B = images->shape.dim[0], colours = images->shape.dim[1];
    int64_t across = images->shape.dim[2] / patch;
    Shape apart = {6, {B, colours, across, patch, across, patch}};
    Tensor *x = ag_permute(ag_reshape(images, apart), (int[]){0, 2, 4, 1, 3, 5});
    return ag_reshape(x, shape3(B, across * across, colours * patch * patch));
}

static Tensor *vit_logits(const VisionModel *m, Tensor *images)
{
    Tensor *x = nn_linear(&m->embed, cut(images, m->patch)); /* (B, N, C) */
    if (tensor_is_poison(x))
        return x;
    int64_t B = x->shape.dim[0], C = shape_last(x->shape);
    Tensor *cls = ag_expand(tape_param(x->tape, m->cls), shape3(B, 1, C));
    x = nn_encoder(&m->encoder, ag_concat((Tensor *[]){cls, x}, 2, 1), (Mask){0});
    return nn_linear(&m->head, ag_reshape(ag_slice(x, 1, 0, 1), shape2(B, C)));
}

static Tensor *vit_loss(Training *t)
{
    Tensor *y = vit_logits(&t->model.vit, tape_input(t->tape, t->x, t->shape));
    return ag_cross_entropy(y, tape_ids(t->tape, t->goals, shape1(t->shape.dim[0])));
}

/* size: side, patch, colours, C, H, L, B */
static void run_vit(const Row *r)
{
    const int *s = r->size;
    Training *t = training_new(vit_loss, shape4(s[6], s[2], s[0], s[0]));
    t->x = spread_numbers(shape_size(t->shape));
    t->goals = spread_ids(s[6], 104729, 7, 10);
    VisionModel *m = &t->model.vit;
    int patches = (s[0] / s[1]) * (s[0] / s[1]);
    m->patch = s[1];
    m->cls = params_add(t->params, "cls", shape3(1, 1, s[3]), nn_constant(0));
    nn_linear_init(&m->embed, t->params, "embed", s[2] * s[1] * s[1], s[3], true);
    nn_encoder_init(&m->encoder, t->params, "encoder",
                    (EncoderConfig){.longest = patches + 1,
                                    .position = POSITION_LEARNED,
                                    .layers = s[5],
                                    .block = {.channels = s[3], .heads = s[4]}});
    nn_linear_init(&m->head, t->params, "head", s[3], 10, true);
    finish(r->name, t, 0);
}

static Tensor *vae_loss(const Autoencoder *m, Tensor *x, Tensor *noise)
{
    Tensor *h = ag_relu(nn_linear(&m->a, x));
    Tensor *mean = nn_linear(&m->mean, h), *log_variance = nn_linear(&m->variance, h);
    Tensor *deviation = ag_exp(ag_scale(log_variance, (real)0.5));
    Tensor *z = ag_add(mean, ag_mul(deviation, noise));
    Tensor *y = nn_linear(&m->d, ag_relu(nn_linear(&m->c, z)));
    Tensor *miss = ag_scale(ag_bce_with_logits(y, x), (real)tensor_size(x)); /* its sum */
    return ag_add(miss, ag_gaussian_kl(mean, log_variance));
}

static Tensor *vae_training_loss(Training *t)
{
    int64_t B = t->shape.dim[0];
    for (int64_t i = 0; !settings.check && i < B * 20; i++)
        t->y[i] = (real)rng_normal(&t->rng);
    Tensor *noise = tape_input(t->tape, t->y, shape2(B, 20));
    return vae_loss(&t->model.vae, tape_input(t->tape, t->x, t->shape), noise);
}

static void run_vae(const Row *r)
{
    Training *t = training_new(vae_training_loss, shape2(r->size[0], 784));
    t->x = spread_numbers(shape_size(t->shape));
    t->y = calloc((size_t)r->size[0] * 20, sizeof *t->y);
    Autoencoder *m = &t->model.vae;
    nn_linear_init(&m->a, t->params, "a", 784, 400, true);
    nn_linear_init(&m->mean, t->params, "mean", 400, 20, true);
    nn_linear_init(&m->variance, t->params, "variance", 400, 20, true);
    nn_linear_init(&m->c, t->params, "c", 20, 400, true);
    nn_linear_init(&m->d, t->params, "d", 400, 784, true);
    finish(r->name, t, 0);
}

static Tensor *mlp_loss(Training *t)
{
    Tensor *x = tape_input(t->tape, t->x, t->shape);
    Tensor *y = nn_linear(&t->model.layer[1], ag_tanh(nn_linear(&t->model.layer[0], x)));
    return ag_mse(y, tape_input(t->tape, t->y, shape2(t->shape.dim[0], 1)));
}

static void run_mlp(const Row *r)
{
    Training *t = training_new(mlp_loss, shape2(r->size[0], 2));
    t->x = spread_numbers(shape_size(t->shape));
    t->y = spread_numbers(r->size[0]);
    nn_linear_init(&t->model.layer[0], t->params, "fc1", 2, 16, true);
    nn_linear_init(&t->model.layer[1], t->params, "fc2", 16, 1, true);
    finish(r->name, t, 0);
}

const Row train_rows[] = {
    {"train_tiny_V64_T32_d64_h4_L2_B8", run_lm, {64, 32, 64, 4, 2, 8, 1}, false},
    {"train_nanogptcpu_V65_T64_d128_h4_L4_B12", run_lm, {65, 64, 128, 4, 4, 12, 1}, false},
    {"train_bertmini_V2048_T64_d256_h4_L4_B16", run_lm, {2048, 64, 256, 4, 4, 16, 0}, false},
    {"train_babygpt_V65_T256_d384_h6_L6_B4", run_lm, {65, 256, 384, 6, 6, 4, 1}, false},
    {"train_vit_28p7_d64_h4_L4_B64", run_vit, {28, 7, 1, 64, 4, 4, 64}, false},
    {"train_vit_32p4_d192_h3_L6_B16", run_vit, {32, 4, 3, 192, 3, 6, 16}, false},
    {"train_vae_784_400_20_B128", run_vae, {128}, false},
    {"train_mlp_2_16_1_B16", run_mlp, {16}, false},
    {0},
};

const Row named_train_rows[] = {
    {"train_gpt2_124M_B4_T64", run_lm, {50257, 64, 768, 12, 12, 4, 1}, true},
    {"train_grow", run_grow, {65, 64, 128, 4, 2, 1, 1}, true},
    {0},
};
