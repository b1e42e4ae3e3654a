/* test_settings.c: a setting is honoured or refused. Each member of a module's settings is changed
 * by itself; the module must then have other weights or compute something else, or its init must
 * fail. A member that is read nowhere changes nothing, which is what these cases find. Members that
 * one kind of module does not have are listed with their reason. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include <string.h>

enum { C = 8, T = 5, S = 4 };

static Rotary rotary;

/* ---- the settings ---------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    void (*change)(BlockConfig *c);
    bool attention; /* is it a setting of attention, too? */
    bool refused;   /* is the value none that a module can have? */
} Setting;

#define CHANGE(name, ...)            \
    static void name(BlockConfig *c) \
    {                                \
        __VA_ARGS__;                 \
    }
CHANGE(channels, c->channels = 12)
CHANGE(heads, c->heads = 4)
CHANGE(hidden, c->hidden = 9)
CHANGE(hidden_below_0, c->hidden = -1)
CHANGE(dropout, c->dropout = 0.5)
CHANGE(dropout_above_1, c->dropout = 1.5)
CHANGE(post_norm, c->post_norm = true)
CHANGE(activation, c->activation = ACTIVATION_RELU)
CHANGE(no_activation, c->activation = (Activation)77)
CHANGE(rotates, c->rotary = &rotary)

static const Setting settings[] = {
    {"channels", channels, true, false},
    {"heads", heads, true, false},
    {"hidden", hidden, false, false},
    {"hidden below 0", hidden_below_0, false, true},
    {"dropout", dropout, true, false},
    {"dropout above 1", dropout_above_1, true, true},
    {"post_norm", post_norm, false, false},
    {"activation", activation, false, false},
    {"an unknown activation", no_activation, false, true},
    {"rotary", rotates, true, false},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Every member is changed by some row: one that is added later has to get a row. */
static void every_member_has_a_row(void)
{
    BlockConfig all = {.channels = C, .heads = 2};
    for (int i = 0; i < SETTINGS; i++)
        settings[i].change(&all);
    CHECK(all.channels != C && all.heads != 2 && all.hidden && all.dropout > 0 && all.post_norm &&
              all.activation && all.rotary,
          "a member of BlockConfig that no row changes");
    /* On this machine's layout: a member that the list above does not name makes the struct
     * larger. */
    CHECK(sizeof(void *) != 8 || sizeof(BlockConfig) == 48, "BlockConfig has %zu bytes",
          sizeof(BlockConfig));
}

/* ---- the modules ----------------------------------------------------------------------------- */

/* What a module with these settings is: its weights' names and shapes, and what it computes. Empty:
 * refused. */
typedef struct {
    char weights[1024];
    int64_t size;
    real value[2 * T * 12];
} Made;

typedef union {
    TransformerBlock encoder;
    DecoderBlock decoder;
    MultiHeadAttention attention;
} Module;

static bool init(int kind, Module *m, Params *p, BlockConfig c)
{
    bool ok;
    switch (kind) {
    case 0:
        return nn_transformer_block_init(&m->encoder, p, "m", c);
    case 1:
        return nn_decoder_block_init(&m->decoder, p, "m", c);
    default:
        ok = nn_attention_init(&m->attention, p, "m", c.channels, c.heads, c.dropout);
        m->attention.rotary = c.rotary; /* set by the program */
        return ok;
    }
}

static Tensor *run(int kind, const Module *m, Tape *tape, int64_t width)
{
    Tensor *x = sequence_leaf(tape, 2, T, (int)width, 1),
           *memory = sequence_leaf(tape, 2, S, (int)width, 2);
    switch (kind) {
    case 0:
        return nn_transformer_block(&m->encoder, x, (Mask){0});
    case 1:
        return nn_decoder_block(&m->decoder, x, memory, (Mask){0}, (Mask){0});
    default:
        return nn_attention(&m->attention, x, (Mask){0});
    }
}

static Made make(int kind, void (*change)(BlockConfig *c))
{
    BlockConfig config = {.channels = C, .heads = 2};
    if (change)
        change(&config);
    Params *p = params_new(1), *constants = params_new(1);
    Tape *tape = tape_new(1);
    tape->training = true; /* so that dropout shows */
    Module m;
    Made made = {.size = 0};
    CHECK(nn_rotary_init(&rotary, constants, T, 2, 10000), "%s", tensor_error());
    if (init(kind, &m, p, config)) {
        sequence_weights(p);
        for (int i = 0, n = 0; i < p->count; i++)
            n += snprintf(made.weights + n, sizeof made.weights - (size_t)n, "%s %s\n",
                          p->weight[i]->name, shape_str(p->weight[i]->shape));
        Tensor *y = run(kind, &m, tape, config.channels);
        made.size = tensor_size(y);
        for (int64_t i = 0; i < made.size; i++)
            made.value[i] = y->data[i];
    }
    tensor_clear_error();
    tape_free(tape);
    params_free(p);
    params_free(constants);
    return made;
}

static bool same(const Made *a, const Made *b)
{
    return strcmp(a->weights, b->weights) == 0 && a->size == b->size &&
           memcmp(a->value, b->value, (size_t)a->size * sizeof(real)) == 0;
}

static void honours(int kind)
{
    Made usual = make(kind, NULL), again = make(kind, NULL);
    REQUIRE(usual.size > 0 && same(&usual, &again), "the same settings give another module");
    for (int i = 0; i < SETTINGS; i++) {
        if (kind == 2 && !settings[i].attention)
            continue;
        Made other = make(kind, settings[i].change);
        if (settings[i].refused)
            CHECK(other.size == 0, "%s is not refused", settings[i].name);
        else
            CHECK(other.size > 0 && !same(&usual, &other), "%s changes nothing", settings[i].name);
    }
}

static void encoder_block(void)
{
    honours(0);
}

static void decoder_block(void)
{
    honours(1);
}

static void attention(void)
{
    honours(2);
}

/* Inits that fail in their last part: nothing of theirs stays, and the second try works. */
static void a_failed_init_leaves_nothing(void)
{
    Params *p = params_new(1);
    Linear other, linear;
    Gpt gpt;
    RNN rnn;
    TransformerBlock block;
    CHECK(nn_linear_init(&other, p, "other", 2, 2, true), "%s", tensor_error());
    GptConfig c = {.words = 7, .longest = 4, .channels = 30, .heads = 4, .layers = 2};
    CHECK(!nn_gpt_init(&gpt, p, "g", c), "30 channels in 4 heads");
    CHECK_ERROR("nn_gpt_init: nn_attention_init: 4 heads for 30 channels");
    CHECK(p->count == 2 && params_size(p) == 6, "%d weights", p->count);
    c.heads = 5;
    CHECK(nn_gpt_init(&gpt, p, "g", c), "the second try: %s", tensor_error());
    int count = p->count;
    params_add(p, "r.bias_hh_l1", shape1(1), nn_constant(0));
    params_add(p, "b.ff.down.bias", shape1(1), nn_constant(0));
    params_add(p, "l.bias", shape1(1), nn_constant(0));
    CHECK(!nn_rnn_init(&rnn, p, "r", RNN_TANH, 2, 2, 2), "a path that is taken");
    CHECK_ERROR("the path 'r.bias_hh_l1' is taken");
    CHECK(!nn_transformer_block_init(&block, p, "b", (BlockConfig){.channels = 4, .heads = 2}),
          "a path that is taken");
    CHECK_ERROR("the path 'b.ff.down.bias' is taken");
    CHECK(!nn_linear_init(&linear, p, "l", 2, 2, true), "a path that is taken");
    CHECK_ERROR("the path 'l.bias' is taken");
    CHECK(p->count == count + 3 && params_find(p, "other.bias") == other.bias, "%d weights",
          p->count);
    params_free(p);
}

static const TestCase cases[] = {
    {"every member of BlockConfig is changed by a case", every_member_has_a_row},
    {"nn_transformer_block_init honours or refuses each setting", encoder_block},
    {"nn_decoder_block_init honours or refuses each setting", decoder_block},
    {"nn_attention_init honours or refuses each setting", attention},
    {"a failed init leaves nothing", a_failed_init_leaves_nothing},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("settings", cases, argc, argv);
}
