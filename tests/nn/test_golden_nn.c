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
#include "tests/harness/test.h"
#include "tests/nn/module_checks.h"

#include <stdlib.h>
#include <string.h>

static const double trained = 1e-4;

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

static void compare_attention(const AttentionCase *c, bool keep_maps)
{
    MultiHeadAttention a;
    Setting s;
    REQUIRE(setting_open(&s, "attention.safetensors"), "no setting");
    CHECK(nn_attention_init(&a, s.params, "attn", 12, 3, 0), "%s", tensor_error());
    REQUIRE(setting_weights(&s, "attn", "weight"), "no weights");
    s.tape->keep_maps = keep_maps;
    Tensor *x = setting_leaf(&s, "x"), *memory = setting_leaf(&s, "memory");
    Mask mask = {.causal = c->causal};
    if (c->lengths[0])
        mask.lengths = tape_ids(s.tape, c->lengths, shape1(2));
    Tensor *y = c->cross ? nn_cross_attention(&a, x, memory, mask) : nn_attention(&a, x, mask);
    CHECK(setting_back(&s, &y, 1), "%s: %s", c->name, tensor_error());
    is_oracle(&s, y, "%s.y", c->name);
    if (keep_maps)
        is_oracle(&s, tape_find(s.tape, "attn.A"), "%s.A", c->name);
    gradient_is_oracle(&s, x, "%s.grad.x", c->name);
    if (c->cross)
        gradient_is_oracle(&s, memory, "%s.grad.memory", c->name);
    weights_are_oracle(&s, "attn", c->name);
    setting_close(&s);
}

static int attention_count(void)
{
    return sizeof attention_cases / sizeof *attention_cases;
}

static const char *attention_name(int i)
{
    return attention_cases[i].name;
}

TEST_EACH(attention, attention_count, attention_name)
{
    compare_attention(&attention_cases[test_index()], false);
    compare_attention(&attention_cases[test_index()], true);
}

/* ---- the encoder ----------------------------------------------------------------------------- */

enum { WORDS = 11, TOKENS = 6, CHANNELS = 16, HEADS = 4, HIDDEN = 32, LAYERS = 2, IGNORE = -100 };

typedef struct {
    Setting s;
    const char *kind; /* "pre" or "post" */
    Encoder encoder;
    Norm norm; /* in post-norm form, in which an encoder has none at its end */
    Linear head;
    Tensor *logits; /* of the present step */
} Taught;

static bool encoder_init(Taught *e, bool post_norm)
{
    Params *p = e->s.params;
    const EncoderConfig config = {
        .words = WORDS,
        .longest = TOKENS,
        .layers = LAYERS,
        .block = {.channels = CHANNELS, .heads = HEADS, .hidden = HIDDEN, .post_norm = post_norm}};
    return nn_encoder_init(&e->encoder, p, "", config) &&
           (!post_norm || nn_layernorm_init(&e->norm, p, "norm", CHANNELS)) &&
           nn_linear_init(&e->head, p, "head", CHANNELS, WORDS, true) &&
           params_load(oracle_path("encoder.safetensors"), p);
}

/* The model with PyTorch's weights. False after a failed check. */
static bool encoder_open(Taught *e, const char *kind)
{
    *e = (Taught){.kind = kind};
    return setting_open(&e->s, "training.safetensors") &&
           CHECK(encoder_init(e, strcmp(kind, "post") == 0), "%s", tensor_error());
}

/* A step's loss, with e->logits, on a fresh tape. */
static Tensor *encoder_loss(Taught *e)
{
    tape_reset(e->s.tape);
    Mask mask = {.lengths = ids_of(e->s.tape, oracle_find(&e->s.golden, "lengths"))};
    Tensor *ids = ids_of(e->s.tape, oracle_find(&e->s.golden, "ids"));
    Tensor *x = nn_encoder(&e->encoder, ids, mask);
    e->logits = nn_linear(&e->head, e->norm.weight ? nn_norm(&e->norm, x) : x);
    Tensor *targets = ids_of(e->s.tape, oracle_find(&e->s.golden, "targets"));
    return ag_cross_entropy_ignore(e->logits, targets, IGNORE);
}

static void check_encoder(Taught *e)
{
    Tensor *loss = encoder_loss(e);
    CHECK(ag_backward(loss), "%s", tensor_error());
    is_oracle(&e->s, e->logits, "%s.logits", e->kind);
    is_oracle(&e->s, loss, "%s.loss", e->kind);
    weights_are_oracle(&e->s, "", e->kind);
    double norm = tensor_item(oracle_find(&e->s.golden, "%s.norm", e->kind));
    CHECK_CLOSE(params_clip_grad(e->s.params, 0.1), norm, ORACLE_CLOSE);
    CHECK_CLOSE(params_grad_norm(e->s.params), 0.1, 1e-6);
    gradient_is_oracle(&e->s, e->head.weight, "%s.clipped", e->kind);
}

TEST(encoder)
{
    for (int post = 0; post < 2; post++) {
        Taught e;
        if (encoder_open(&e, post ? "post" : "pre"))
            check_encoder(&e);
        setting_close(&e.s);
    }
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

static void train(Taught *e, const Training *t)
{
    enum { STEPS = 10 };
    Params *p = e->s.params;
    Adam adam = {0};
    Sgd sgd = {0};
    CHECK(!t->adam       ? sgd_init(&sgd, p, t->rate, t->momentum, t->decay)
          : t->decoupled ? adamw_init(&adam, p, t->rate, t->decay)
                         : adam_init(&adam, p, t->rate),
          "%s", tensor_error());
    adam.decay = t->decay;
    const Tensor *want = oracle_find(&e->s.golden, "%s.%s.losses", e->kind, t->name);
    CHECK(want && tensor_size(want) == STEPS + 1, "no oracle for %s", t->name);
    for (int step = 0; want && step <= STEPS; step++) {
        Tensor *loss = encoder_loss(e);
        CHECK_CLOSE(tensor_item(loss), want->data[step], trained);
        if (step == STEPS)
            break;
        bool ok = ag_backward(loss);
        if (t->clip > 0)
            params_clip_grad(p, t->clip);
        CHECK(ok && (t->adam ? adam_step(&adam, p) : sgd_step(&sgd, p)), "%s", tensor_error());
    }
    /* the loss could agree by chance; 198 logits cannot */
    CHECK_TENSOR(e->logits, oracle_find(&e->s.golden, "%s.%s.logits", e->kind, t->name), trained,
                 trained);
    adam_free(&adam);
    sgd_free(&sgd);
}

static int training_count(void)
{
    return sizeof trainings / sizeof *trainings;
}

static const char *training_name(int i)
{
    return trainings[i].name;
}

TEST_EACH(training, training_count, training_name)
{
    for (int post = 0; post < 2; post++) {
        Taught e;
        if (encoder_open(&e, post ? "post" : "pre"))
            train(&e, &trainings[test_index()]);
        setting_close(&e.s);
    }
}
