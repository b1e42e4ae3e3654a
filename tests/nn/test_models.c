/* test_models.c: Encoder and Gpt against the composition of their parts by hand; which settings are
 * refused. With a cache: test_cache.c. */
#include "tests/autograd/on_tape.h"
#include "tests/nn/sequences.h"

#include "nn/nn.h"

#include <math.h>
#include <string.h>

enum { V = 7, C = 6, H = 3, LAYERS = 2, LONGEST = 5, B = 2, T = 4 };

static const int some_ids[B * T] = {3, 0, 6, 2, 1, 1, 5, 4};

/* ---- encoders -------------------------------------------------------------------------------- */

static const BlockConfig plain = {.channels = C, .heads = H, .hidden = 8};

static bool encoder_init(Encoder *e, Params *p, const char *path, int64_t words)
{
    return nn_encoder_init(e, p, path,
                           (EncoderConfig){.words = words,
                                           .longest = LONGEST,
                                           .position = POSITION_LEARNED,
                                           .layers = LAYERS,
                                           .block = plain});
}

static Tensor *texts(Tape *tape)
{
    return tape_ids(tape, some_ids, shape2(B, T));
}

/* Without blocks, and so without a norm in post-norm form, what is left is dropout(x + P). Encoders
 * with blocks against PyTorch: test_golden_nn.c. */
TEST_OF_WEIGHTS(encoders_without_blocks)
{
    for (int k = 0; k < 4; k++) {
        Encoder e;
        const bool learned = k % 2, words = k / 2;
        const EncoderConfig c = {.words = words ? V : 0,
                                 .longest = LONGEST,
                                 .position = learned ? POSITION_LEARNED : POSITION_NONE,
                                 .dropout = 0.4,
                                 .block = {.channels = C, .heads = H, .post_norm = true}};
        REQUIRE(nn_encoder_init(&e, p, params_path(p, "e%d", k), c), "%s", tensor_error());
        tape_reset(tape);
        tape->training = true;
        Tensor *x = sequence_leaf(tape, B, T, C, 0.3), *in = words ? texts(tape) : x;
        tape->step = 7;
        Tensor *y = tensor_clone(nn_encoder(&e, in, (Mask){0}));
        tape_reset(tape);
        tape->step = 7; /* the same dropout */
        x = words ? nn_embedding(&e.embedding, texts(tape)) : sequence_leaf(tape, B, T, C, 0.3);
        CHECK_TENSOR(y, ag_dropout(learned ? nn_position(&e.position, x) : x, 0.4), 0, 0);
        tensor_free(y);
    }
}

/* Without gradients, results of a block are released; the numbers and named results stay. */
TEST_OF_WEIGHTS(without_gradients)
{
    Encoder e;
    REQUIRE(encoder_init(&e, p, "", V), "%s", tensor_error());
    Tensor *with = tensor_clone(nn_encoder(&e, texts(tape), (Mask){0}));
    for (int named = 0; named < 2; named++) {
        tape_reset(tape);
        tape->no_grad = true;
        tape->keep_names = named;
        CHECK_TENSOR(nn_encoder(&e, texts(tape), (Mask){0}), with, SEQUENCE_CLOSE, SEQUENCE_CLOSE);
        const Tensor *inside = named ? tape_find(tape, "blocks.0.ff.up") : NULL;
        CHECK(!named || (inside && inside->data), "no blocks.0.ff.up");
    }
    tensor_free(with);
}

/* ---- the language model ---------------------------------------------------------------------- */

static const GptConfig small = {.words = V,
                                .longest = LONGEST,
                                .channels = C,
                                .heads = H,
                                .layers = LAYERS,
                                .position = POSITION_LEARNED};

/* The mean square of n numbers of variance s^2 is within 5 sqrt(2 / n) s^2 of s^2, or one draw in a
 * million is not; of another model in the same Params, no number changes. */
TEST_OF_WEIGHTS(initial_values)
{
    Gpt m;
    Linear other;
    GptConfig c = {.words = 200, .longest = 20, .channels = 32, .heads = 2, .layers = 1};
    REQUIRE(nn_linear_init(&other, p, "other", C, 50, true), "%s", tensor_error());
    double before = tensor_get(other.weight, (int64_t[]){1, 1});
    REQUIRE(nn_gpt_init(&m, p, "gpt", c), "%s", tensor_error());
    CHECK(tensor_get(other.weight, (int64_t[]){1, 1}) == before, "another module has changed");
    for (int i = 2; i < p->count; i++) {
        const Tensor *w = p->weight[i];
        double n = (double)tensor_size(w), sum = 0;
        for (int64_t k = 0; k < tensor_size(w); k++)
            sum += (double)w->data[k] * (double)w->data[k];
        if (w->shape.rank > 1)
            CHECK_CLOSE(sum / n / 0.0004, 1, 5 * sqrt(2 / n));
    }
}

/* Logits are products of the last states with the embedding, and later ids change none, unless the
 * mask is taken away. */
TEST_OF_WEIGHTS(logits)
{
    Gpt m;
    REQUIRE(nn_gpt_init(&m, p, "", small), "%s", tensor_error());
    sequence_weights(p);
    int ids[B * T];
    memcpy(ids, some_ids, sizeof ids);
    Tensor *x = tape_ids(tape, ids, shape2(B, T));
    Tensor *y = nn_gpt(&m, x);
    CHECK_TENSOR(y,
                 ag_matmul(nn_encoder(&m.encoder, x, (Mask){0}),
                           ag_transpose(tape_param(tape, m.encoder.embedding.weight), 0, 1)),
                 SEQUENCE_CLOSE, SEQUENCE_CLOSE);
    ids[T - 1] = 5;
    for (int causal = 0; causal < 2; causal++) {
        m.encoder.causal = causal;
        Tensor *z[2] = {nn_gpt(&m, x), nn_gpt(&m, tape_ids(tape, ids, shape2(B, T)))};
        CHECK((memcmp(z[0]->data, z[1]->data, sizeof(real) * (T - 1) * V) == 0) == causal,
              "causal is %d", causal);
    }
}

/* nn/README.md shows this function; tests/project/documents.sh compares both. */
static bool language_model(Params *params, Tape *tape, const int *text, int length, double *loss)
{
    Gpt gpt;
    Adam adam = {0};
    GptConfig config = {.words = 3, .longest = length, .channels = 16, .heads = 2, .layers = 2};
    bool ok = nn_gpt_init(&gpt, params, "", config) && adam_init(&adam, params, 0.01);
    for (int step = 0; ok && step < 100; step++) {
        tape_reset(tape);
        Tensor *logits = nn_gpt(&gpt, tape_ids(tape, text, shape2(1, length)));
        Tensor *mean = ag_cross_entropy(logits, tape_ids(tape, text + 1, shape2(1, length)));
        *loss = tensor_item(mean);
        ok = ag_backward(mean) && adam_step(&adam, params);
    }
    adam_free(&adam);
    return ok;
}

/* Of a, b, c, a, b, c, ... each token follows from the one before it, so that the loss can approach
 * 0; a model that does not read its input has no less than log 3 = 1.10. */
TEST_ON_TAPE(ten_lines)
{
    enum { LENGTH = 12 };
    int text[LENGTH + 1];
    double loss = (double)NAN;
    Params *params = params_new(1);
    for (int i = 0; i <= LENGTH; i++)
        text[i] = i % 3;
    CHECK(language_model(params, tape, text, LENGTH, &loss), "%s", tensor_error());
    CHECK(loss < 0.5, "the loss is %g", loss);
    params_free(params);
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(settings)
{
    const struct {
        EncoderConfig config;
        const char *error;
    } bad[] = {
        {{.words = -1, .longest = 4, .block = plain}, "words -1"},
        {{.words = V, .longest = 4, .layers = -1, .block = plain}, "-1 layers"},
        {{.words = V, .block = plain}, "longest is 0; expected 1 or more, or POSITION_NONE"},
        {{.words = V, .longest = 4, .block = plain, .dropout = 1}, "dropout probability is 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Params *p = params_new(1);
        Encoder e;
        REFUSES(nn_encoder_init, bad[i].error, &e, p, "e", bad[i].config);
        CHECK(p->count == 0 && !e.path, "weights of a module that was refused");
        params_free(p);
    }
}

TEST_OF_WEIGHTS(inputs)
{
    Encoder words, rows, none = {0};
    REQUIRE(encoder_init(&words, p, "", V) && encoder_init(&rows, p, "rows", 0), "%s",
            tensor_error());
    const struct {
        const Encoder *e;
        Tensor *x;
        const char *error;
    } bad[] = {
        {&words, tape_full(tape, 1, shape3(B, T, C)), "expected ids (B, T)"},
        {&words, tape_ids(tape, some_ids, shape1(T)), "expected ids (B, T)"},
        {&words, tape_ids(tape, some_ids, shape2(1, LONGEST + 1)), "6 tokens; expected at most 5"},
        {&rows, tape_ids(tape, some_ids, shape2(B, T)), "expected (B, T, C) with 6 channels"},
        {&rows, tape_full(tape, 1, shape3(B, LONGEST + 1, C)), "6 tokens; expected at most 5"},
        {&none, tape_full(tape, 1, shape3(B, T, C)), "whose init succeeded"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSES(nn_encoder, bad[i].error, bad[i].e, bad[i].x, (Mask){0});
    }
}

TEST_OUT_OF_MEMORY(out_of_memory)
{
    Gpt m;
    Params *p = params_new(1);
    bool ok = p && nn_gpt_init(&m, p, "", small);
    CHECK(!ok || m.head.path, "no head");
    params_free(p);
    return ok;
}
