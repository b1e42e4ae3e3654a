/* test_threads.c: a training run has the same bits for any number of threads.
 *
 * A language model with dropout, gradient clipping and AdamW. Its tensors are large enough to be
 * shared out: parallel_grain gives each thread at least 32768 additions. Each element has one owner
 * and one order of summation, so nothing may differ, neither in a loss nor in a weight. */
#include "tests/nn/language_model.h"
#include "tests/harness/runner.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, B = 8, T = 48 };
static const LanguageConfig config = {
    .seed = 1, .words = 40, .channels = 64, .heads = 4, .longest = T, .dropout = 0.1};

/* The loss of one step on windows of a text that repeats itself; NaN after an error. */
static double train_step(LanguageModel *m, Adam *adam, int step)
{
    int ids[B * T], next[B * T];
    for (int i = 0; i < B * T; i++) {
        int at = step + i / T * 7 + i % T;
        ids[i] = at * at % config.words;
        next[i] = (at + 1) * (at + 1) % config.words;
    }
    tape_reset(m->tape);
    m->tape->training = true;
    Tensor *logits = language_logits(m, tape_ids(m->tape, ids, shape2(B, T)));
    Tensor *loss = ag_cross_entropy(logits, tape_ids(m->tape, next, shape2(B, T)));
    bool ok = ag_backward(loss);
    params_clip_grad(m->params, 1);
    CHECK(ok && adam_step(adam, m->params), "%s", tensor_error());
    return tensor_item(loss);
}

typedef struct {
    double loss[STEPS];
    real *weights;
    int64_t count;
} Outcome;

static void train(int threads, Outcome *o)
{
    LanguageModel m;
    Adam adam = {0};
    tensor_set_threads(threads);
    REQUIRE(language_open(&m, config) && adamw_init(&adam, m.params, 0.003, 0.01), "%s",
            tensor_error());
    for (int step = 0; step < STEPS; step++)
        o->loss[step] = train_step(&m, &adam, step);
    o->count = params_size(m.params);
    o->weights = malloc((size_t)o->count * sizeof *o->weights);
    language_weights(&m, o->weights);
    adam_free(&adam);
    language_close(&m);
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
