/* test_threads.c: a training run has the same bits for any number of threads.
 *
 * A language model with dropout, gradient clipping and AdamW. Its tensors are large enough to be shared out:
 * parallel_grain gives each thread at least 32768 additions. Each element has one owner and one order of
 * summation, so nothing may differ, neither in a loss nor in a weight. */
#include "runner.h"

#include "nn/nn.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, WORDS = 40, CHANNELS = 64, LAYERS = 2, B = 8, T = 48 };

typedef struct {
    Params *params;
    Tape *tape;
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock block[LAYERS];
    LayerNorm norm;
    Linear head;
    Adam adam;
} Model;

static bool model_open(Model *m)
{
    const BlockConfig c = {.channels = CHANNELS, .heads = 4, .dropout = 0.1};
    Params *p = params_new(1);
    *m = (Model){.params = p, .tape = tape_new(1)};
    bool ok = p && m->tape && nn_embedding_init(&m->embedding, p, "embedding", WORDS, CHANNELS) &&
              nn_position_init(&m->position, p, "position", POSITION_LEARNED, T, CHANNELS);
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_transformer_block_init(&m->block[i], p, params_format(p, "blocks.%d", i), c);
    return ok && nn_layernorm_init(&m->norm, p, "norm", CHANNELS) &&
           nn_linear_init(&m->head, p, "head", CHANNELS, WORDS, true) &&
           adamw_init(&m->adam, p, 0.003, 0.01);
}

static void model_close(Model *m)
{
    adam_free(&m->adam);
    tape_free(m->tape);
    params_free(m->params);
}

/* The loss of one step on windows of a text that repeats itself; NaN after an error. */
static double model_step(Model *m, int step)
{
    int ids[B * T], next[B * T];
    for (int i = 0; i < B * T; i++) {
        int at = step + i / T * 7 + i % T;
        ids[i] = at * at % WORDS;
        next[i] = (at + 1) * (at + 1) % WORDS;
    }
    tape_reset(m->tape);
    m->tape->training = true;
    Tensor *x = nn_position(&m->position,
                            nn_embedding(&m->embedding, tape_ids(m->tape, ids, shape2(B, T))));
    for (int i = 0; i < LAYERS; i++)
        x = nn_transformer_block(&m->block[i], x, (Mask){.causal = true});
    Tensor *logits = nn_linear(&m->head, nn_layernorm(&m->norm, x));
    Tensor *loss = ag_cross_entropy(logits, tape_ids(m->tape, next, shape2(B, T)));
    bool ok = ag_backward(loss);
    params_clip_grad(m->params, 1);
    CHECK(ok && adam_step(&m->adam, m->params), "%s", tensor_error());
    return tensor_item(loss);
}

typedef struct {
    double loss[STEPS];
    real *weights;
    int64_t count;
} Outcome;

static void train(int threads, Outcome *o)
{
    Model m;
    tensor_set_threads(threads);
    REQUIRE(model_open(&m), "%s", tensor_error());
    for (int step = 0; step < STEPS; step++)
        o->loss[step] = model_step(&m, step);
    o->count = params_size(m.params);
    o->weights = malloc((size_t)o->count * sizeof *o->weights);
    real *at = o->weights;
    for (int i = 0; i < m.params->count; at += tensor_size(m.params->weight[i++]))
        tensor_read(m.params->weight[i], at);
    model_close(&m);
    tensor_set_threads(0);
}

static void the_same_bits(void)
{
    static const int threads[] = {2, 3, 4, 8};
    Outcome one = {0};
    train(1, &one);
    CHECK(one.loss[STEPS - 1] < 0.9 * one.loss[0], "it learns nothing: %g, then %g", one.loss[0],
          one.loss[STEPS - 1]);
    for (int i = 0; i < 4; i++) {
        Outcome many = {0};
        train(threads[i], &many);
        for (int step = 0; step < STEPS; step++)
            CHECK(many.loss[step] == one.loss[step], "%d threads, step %d: %.17g; alone %.17g",
                  threads[i], step + 1, many.loss[step], one.loss[step]);
        size_t bytes = (size_t)one.count * sizeof(real);
        CHECK(many.count == one.count && memcmp(many.weights, one.weights, bytes) == 0,
              "%d threads: other weights", threads[i]);
        free(many.weights);
    }
    free(one.weights);
}

static const TestCase cases[] = {
    {"the same bits for any number of threads", the_same_bits},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("threads", cases, argc, argv);
}
