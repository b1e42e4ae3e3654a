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

/* ---- language models ------------------------------------------------------------------------- */

static Tensor *lm_training_loss(Training *t)
{
    Tensor *ids = tape_ids(t->tape, t->ids, t->shape);
    Tensor *goals = tape_ids(t->tape, t->goals, t->shape);
    return ag_cross_entropy(nn_gpt(&t->model.gpt, ids), goals);
}

/* Returns the operations of a step. */
static double lm_init(Training *t, const char *name)
{
    int V = size_in(name, "_V"), T = size_in(name, "_T"), C = size_in(name, "_d");
    int L = size_in(name, "_L"), B = size_in(name, "_B");
    bool causal = !strstr(name, "bert");
    t->loss = lm_training_loss;
    t->shape = shape2(B, T);
    t->ids = spread_ids((int64_t)B * T, 7919, 13, V);
    t->goals = spread_ids((int64_t)B * T, 104729, 7, V);
    nn_gpt_init(&t->model.gpt, t->params, "",
                (GptConfig){V, T, C, size_in(name, "_h"), L, POSITION_LEARNED, 0});
    t->model.gpt.encoder.causal = causal;
    double weights = (double)params_size(t->params) - (double)T * C; /* without positions' */
    return 6.0 * B * T * weights + (causal ? 6.0 : 12.0) * L * B * T * T * C;
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

/* 28p7: an image of 28 x 28 grey pixels in patches of 7 x 7; 32p4 has three colours. */
static void vit_init(Training *t, const char *name)
{
    VisionModel *m = &t->model.vit;
    int side = size_in(name, "_vit_"), colours = side == 28 ? 1 : 3, C = size_in(name, "_d");
    m->patch = size_in(name, "p");
    int B = size_in(name, "_B"), patches = (side / m->patch) * (side / m->patch);
    t->loss = vit_loss;
    t->shape = shape4(B, colours, side, side);
    t->x = spread_numbers(shape_size(t->shape));
    t->goals = spread_ids(B, 104729, 7, 10);
    m->cls = params_add(t->params, "cls", shape3(1, 1, C), nn_constant(0));
    nn_linear_init(&m->embed, t->params, "embed", colours * m->patch * m->patch, C, true);
    nn_encoder_init(&m->encoder, t->params, "encoder",
                    (EncoderConfig){.longest = patches + 1,
                                    .position = POSITION_LEARNED,
                                    .layers = size_in(name, "_L"),
                                    .block = {.channels = C, .heads = size_in(name, "_h")}});
    nn_linear_init(&m->head, t->params, "head", C, 10, true);
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

static void vae_init(Training *t, const char *name)
{
    Autoencoder *m = &t->model.vae;
    int B = size_in(name, "_B");
    t->loss = vae_training_loss;
    t->shape = shape2(B, 784);
    t->x = spread_numbers(shape_size(t->shape));
    t->y = calloc((size_t)B * 20, sizeof *t->y);
    nn_linear_init(&m->a, t->params, "a", 784, 400, true);
    nn_linear_init(&m->mean, t->params, "mean", 400, 20, true);
    nn_linear_init(&m->variance, t->params, "variance", 400, 20, true);
    nn_linear_init(&m->c, t->params, "c", 20, 400, true);
    nn_linear_init(&m->d, t->params, "d", 400, 784, true);
}

static Tensor *mlp_loss(Training *t)
{
    Tensor *x = tape_input(t->tape, t->x, t->shape);
    Tensor *y = nn_linear(&t->model.layer[1], ag_tanh(nn_linear(&t->model.layer[0], x)));
    return ag_mse(y, tape_input(t->tape, t->y, shape2(t->shape.dim[0], 1)));
}

static void mlp_init(Training *t, const char *name)
{
    t->loss = mlp_loss;
    t->shape = shape2(size_in(name, "_B"), 2);
    t->x = spread_numbers(shape_size(t->shape));
    t->y = spread_numbers(t->shape.dim[0]);
    nn_linear_init(&t->model.layer[0], t->params, "fc1", 2, 16, true);
    nn_linear_init(&t->model.layer[1], t->params, "fc2", 16, 1, true);
}

/* ---- a row ----------------------------------------------------------------------------------- */

void run_training(const char *name)
{
    Training t = {.params = params_new(1), .tape = tape_new(1)};
    double flops = 0;
    if (strstr(name, "_vit_"))
        vit_init(&t, name);
    else if (strstr(name, "_vae_"))
        vae_init(&t, name);
    else if (strstr(name, "_mlp_"))
        mlp_init(&t, name);
    else
        flops = lm_init(&t, name);
    adam_init(&t.adam, t.params, 1e-4);
    if (settings.check) {
        set_weights(t.params);
        double first = loss_now(&t);
        for (int i = 0; i < 10; i++)
            step(&t);
        printf("%s\t%.6f\t%.6f\n", name, first, loss_now(&t));
        fflush(stdout);
    } else {
        measure(name, step, &t, (Work){flops > 0 ? BOUND_FMA : BOUND_NONE, flops, 0});
    }
    adam_free(&t.adam);
    tape_free(t.tape);
    params_free(t.params);
    free(t.ids);
    free(t.goals);
    free(t.x);
    free(t.y);
}
