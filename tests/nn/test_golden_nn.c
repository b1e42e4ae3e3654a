/* test_golden_nn.c: modules and training against PyTorch.
 *
 *   attention  torch.nn.MultiheadAttention: y, each head's A, all gradients; fused and with its maps kept
 *   encoder    torch.nn.TransformerEncoderLayer, twice: logits, all gradients, clipping
 *   training   ten steps of each optimiser: the loss at every step, and the logits after the last
 *
 * The weights come through params_load, as a user's would. PyTorch computes in float32, so 1e-5 is
 * about a hundred roundings of the numbers here; ten steps of training multiply that, hence 1e-4
 * for losses. */
#include "nn/nn.h"
#include "tests/harness/oracle.h"
#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

#include <stdlib.h>
#include <string.h>

static const double close = 1e-5, trained = 1e-4;

static void check_near(const Tensor *got, const Tensor *want, double tolerance, const char *what)
{
    const char *difference =
        want ? tensor_difference(got, want, tolerance, tolerance) : "no oracle";
    CHECK(!difference, "%s: %s", what, difference);
}

/* A tensor's gradient against the oracle's. */
static void check_gradient(const Tensor *t, const Tensor *want, const char *what)
{
    Tensor gradient = *t;
    gradient.data = t->grad;
    if (CHECK(t->grad != NULL, "%s has no gradient", what))
        check_near(&gradient, want, close, what);
}

/* The oracle's numbers, which are its shape's many, as whole ones on the tape. */
static Tensor *ids_of(Tape *tape, const Tensor *t)
{
    int *ids = malloc((size_t)tensor_size(t) * sizeof *ids);
    for (int64_t i = 0; i < tensor_size(t); i++)
        ids[i] = (int)t->data[i];
    Tensor *y = tape_ids(tape, ids, t->shape);
    free(ids);
    return y;
}

static bool back_from(Tensor *y)
{
    int64_t n = tensor_is_poison(y) ? 0 : tensor_size(y);
    real *upstream = malloc(((size_t)n + 1) * sizeof *upstream);
    for (int64_t i = 0; i < n; i++)
        upstream[i] = sample_upstream(i);
    bool ok = ag_backward_from(y, upstream);
    free(upstream);
    return ok;
}

/* ---- attention ------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    bool causal, cross;
    int lengths[2]; /* 0: none */
} AttentionCase;

static const AttentionCase attention_cases[] = {
    {.name = "self"},
    {.name = "causal", .causal = true},
    {.name = "padded", .lengths = {5, 3}},
    {.name = "cross", .cross = true},
    {.name = "cross_padded", .cross = true, .lengths = {2, 6}},
};

static bool load_attention(MultiHeadAttention *a, Params *p, const Safetensors *golden)
{
    if (!nn_attention_init(a, p, "attn", 12, 3, 0))
        return false;
    for (int i = 0; i < p->count; i++) {
        const Tensor *w = oracle_find(golden, "weight.%s", p->weight[i]->name + strlen("attn."));
        if (!w || !shape_equal(w->shape, p->weight[i]->shape))
            return tensor_fail("no such weight as %s", p->weight[i]->name);
        tensor_read(w, p->weight[i]->data);
    }
    return true;
}

static void compare_attention(const AttentionCase *c, const Safetensors *golden, bool keep_maps)
{
    MultiHeadAttention a;
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    const Tensor *from = oracle_find(golden, "x"), *other = oracle_find(golden, "memory");
    CHECK(load_attention(&a, p, golden), "%s", tensor_error());
    tape->keep_maps = keep_maps;
    Tensor *x = tape_leaf(tape, from->data, from->shape);
    Tensor *memory = tape_leaf(tape, other->data, other->shape);
    Mask mask = {.causal = c->causal};
    if (c->lengths[0])
        mask.lengths = tape_ids(tape, c->lengths, shape1(2));
    Tensor *y = c->cross ? nn_cross_attention(&a, x, memory, mask) : nn_attention(&a, x, mask);
    CHECK(back_from(y), "%s: %s", c->name, tensor_error());
    check_near(y, oracle_find(golden, "%s.y", c->name), close, c->name);
    if (keep_maps)
        check_near(tape_find(tape, "attn.A"), oracle_find(golden, "%s.A", c->name), close, "A");
    check_gradient(x, oracle_find(golden, "%s.grad.x", c->name), "x");
    if (c->cross)
        check_gradient(memory, oracle_find(golden, "%s.grad.memory", c->name), "memory");
    for (int i = 0; i < p->count; i++)
        check_gradient(p->weight[i],
                       oracle_find(golden, "%s.grad.%s", c->name, p->weight[i]->name + 5),
                       p->weight[i]->name);
    tape_free(tape);
    params_free(p);
}

static void attention(void)
{
    Safetensors golden;
    REQUIRE(oracle_open(&golden, "attention.safetensors"), "%s", tensor_error());
    const AttentionCase *c = &attention_cases[test_index()];
    compare_attention(c, &golden, false);
    compare_attention(c, &golden, true);
    CHECK_NO_ERROR();
    safetensors_free(&golden);
}

/* ---- the encoder ----------------------------------------------------------------------------- */

enum { WORDS = 11, TOKENS = 6, CHANNELS = 16, HEADS = 4, HIDDEN = 32, LAYERS = 2, IGNORE = -100 };

typedef struct {
    Params *params;
    Tape *tape;
    Safetensors golden;
    const char *kind; /* "pre" or "post" */
    Embedding tokens;
    PositionalEncoding position;
    TransformerBlock blocks[LAYERS];
    Norm norm;
    Linear head;
    Tensor *logits; /* of the present step */
} Taught;

static bool encoder_init(Taught *e, bool post_norm)
{
    Params *p = e->params;
    BlockConfig config = {.channels = CHANNELS,
                          .heads = HEADS,
                          .hidden = HIDDEN,
                          .post_norm = post_norm};
    bool ok = nn_embedding_init(&e->tokens, p, "tokens", WORDS, CHANNELS) &&
              nn_position_init(&e->position, p, "position", POSITION_SINUSOIDAL, TOKENS, CHANNELS);
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_transformer_block_init(&e->blocks[i], p, params_path(p, "blocks.%d", i), config);
    return ok && nn_layernorm_init(&e->norm, p, "norm", CHANNELS) &&
           nn_linear_init(&e->head, p, "head", CHANNELS, WORDS, true) &&
           params_load(oracle_path("encoder.safetensors"), p);
}

/* The model with PyTorch's weights. False after a failed check. */
static bool encoder_open(Taught *e, const char *kind)
{
    *e = (Taught){.kind = kind, .params = params_new(1), .tape = tape_new(1)};
    return CHECK(oracle_open(&e->golden, "training.safetensors"), "%s", tensor_error()) &&
           CHECK(encoder_init(e, strcmp(kind, "post") == 0), "%s", tensor_error());
}

static void encoder_close(Taught *e)
{
    safetensors_free(&e->golden);
    params_free(e->params);
    tape_free(e->tape);
    CHECK_NO_ERROR();
}

/* A step's loss, with e->logits, on a fresh tape. */
static Tensor *encoder_loss(Taught *e)
{
    tape_reset(e->tape);
    Tensor *x = nn_embedding(&e->tokens, ids_of(e->tape, oracle_find(&e->golden, "ids")));
    Mask mask = {.lengths = ids_of(e->tape, oracle_find(&e->golden, "lengths"))};
    x = nn_position(&e->position, x);
    for (int i = 0; i < LAYERS; i++)
        x = nn_transformer_block(&e->blocks[i], x, mask);
    e->logits = nn_linear(&e->head, nn_norm(&e->norm, x));
    Tensor *targets = ids_of(e->tape, oracle_find(&e->golden, "targets"));
    return ag_cross_entropy_ignore(e->logits, targets, IGNORE);
}

static void check_encoder(Taught *e)
{
    Tensor *loss = encoder_loss(e);
    CHECK(ag_backward(loss), "%s", tensor_error());
    check_near(e->logits, oracle_find(&e->golden, "%s.logits", e->kind), close, "logits");
    check_near(loss, oracle_find(&e->golden, "%s.loss", e->kind), close, "loss");
    for (int i = 0; i < e->params->count; i++) {
        const Tensor *w = e->params->weight[i];
        check_gradient(w, oracle_find(&e->golden, "%s.grad.%s", e->kind, w->name), w->name);
    }
    double norm = tensor_item(oracle_find(&e->golden, "%s.norm", e->kind));
    CHECK_CLOSE(params_clip_grad(e->params, 0.1), norm, close);
    CHECK_CLOSE(params_grad_norm(e->params), 0.1, 1e-6);
    check_gradient(e->head.weight, oracle_find(&e->golden, "%s.clipped", e->kind), "clipped");
}

static const char *kind_of_case(void)
{
    return strstr(test_name(), "post-norm") ? "post" : "pre";
}

static void encoder(void)
{
    Taught e;
    if (encoder_open(&e, kind_of_case()))
        check_encoder(&e);
    encoder_close(&e);
}

/* ---- training -------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    bool adam, decoupled;
    double rate, momentum, decay, clip; /* as in make_golden.py */
} Training;

static const Training trainings[] = {
    {.name = "adam", .adam = true, .rate = 1e-2},
    {.name = "adam_l2", .adam = true, .rate = 1e-2, .decay = 0.01},
    {.name = "adamw", .adam = true, .decoupled = true, .rate = 1e-2, .decay = 0.01},
    {.name = "sgd", .rate = 0.05, .momentum = 0.9},
    {.name = "sgd_decay", .rate = 0.05, .momentum = 0.9, .decay = 0.01},
    {.name = "clip", .rate = 0.05, .momentum = 0.9, .clip = 0.1},
};
enum { TRAININGS = sizeof trainings / sizeof *trainings };

typedef struct {
    Adam adam;
    Sgd sgd;
} Optimiser;

static bool optimiser_init(Optimiser *o, const Training *t, const Params *p)
{
    *o = (Optimiser){0};
    if (!t->adam)
        return sgd_init(&o->sgd, p, t->rate, t->momentum, t->decay);
    if (t->decoupled)
        return adamw_init(&o->adam, p, t->rate, t->decay);
    bool ok = adam_init(&o->adam, p, t->rate);
    o->adam.decay = t->decay;
    return ok;
}

static bool optimiser_step(Optimiser *o, const Training *t, Params *p)
{
    if (t->clip > 0)
        params_clip_grad(p, t->clip);
    return t->adam ? adam_step(&o->adam, p) : sgd_step(&o->sgd, p);
}

static void train(Taught *e, const Training *t)
{
    enum { STEPS = 10 };
    Optimiser o;
    CHECK(optimiser_init(&o, t, e->params), "%s", tensor_error());
    const Tensor *want = oracle_find(&e->golden, "%s.%s.losses", e->kind, t->name);
    CHECK(want && tensor_size(want) == STEPS + 1, "no oracle for %s", t->name);
    for (int step = 0; want && step <= STEPS; step++) {
        Tensor *loss = encoder_loss(e);
        CHECK_CLOSE(tensor_item(loss), want->data[step], trained);
        if (step < STEPS)
            CHECK(ag_backward(loss) && optimiser_step(&o, t, e->params), "%s", tensor_error());
    }
    /* the loss could agree by chance; 198 logits cannot */
    check_near(e->logits, oracle_find(&e->golden, "%s.%s.logits", e->kind, t->name), trained,
               "logits at the end");
    adam_free(&o.adam);
    sgd_free(&o.sgd);
}

static void training(void)
{
    Taught e;
    for (int i = 0; i < TRAININGS; i++)
        if (strncmp(test_name(), trainings[i].name, strcspn(test_name(), ",")) == 0 &&
            trainings[i].name[strcspn(test_name(), ",")] == 0) {
            if (encoder_open(&e, kind_of_case()))
                train(&e, &trainings[i]);
            encoder_close(&e);
        }
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"attention: self", attention},
        {"attention: causal", attention},
        {"attention: padded", attention},
        {"attention: cross", attention},
        {"attention: cross, padded", attention},
        {"encoder, pre-norm", encoder},
        {"encoder, post-norm", encoder},
        {"adam, pre-norm", training},
        {"adam, post-norm", training},
        {"adam_l2, pre-norm", training},
        {"adam_l2, post-norm", training},
        {"adamw, pre-norm", training},
        {"adamw, post-norm", training},
        {"sgd, pre-norm", training},
        {"sgd, post-norm", training},
        {"sgd_decay, pre-norm", training},
        {"sgd_decay, post-norm", training},
        {"clip, pre-norm", training},
        {"clip, post-norm", training},
        {NULL, NULL},
    };
    return run_tests("golden nn", cases, argc, argv);
}
