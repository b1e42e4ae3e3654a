/* test_threads.c: a training run has the same bits for any number of threads.
 *
 * A language model with dropout, gradient clipping and AdamW. Its tensors are large enough to be
 * shared out: parallel_grain gives each thread at least 32768 additions. Each element has one owner
 * and one order of summation, so nothing may differ, neither in a loss nor in a weight. And two
 * threads of the program itself cannot be in backward over the same weights at once. */
#include "tests/nn/language_model.h"
#include "tests/harness/runner.h"

#include <pthread.h>
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

/* Backward of this op waits, once, until another thread's backward over the same weights is
 * over. */
static struct {
    Params *params;
    bool second; /* did the second backward succeed? */
    char error[300];
} overlap;

static void *second_backward(void *context)
{
    (void)context;
    Tape *tape = tape_new(2);
    overlap.second =
        ag_backward(ag_sum(ag_mul(tape_full(tape, 1, shape1(3)), overlap.params->weight[0])));
    snprintf(overlap.error, sizeof overlap.error, "%s", tensor_error());
    tape_free(tape);
    return NULL;
}

static void wait_forward(Node *n)
{
    memcpy(n->out->data, n->in[0]->data, (size_t)tensor_size(n->out) * sizeof(real));
}

static void wait_backward(Node *n)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, second_backward, NULL) == 0, "no thread");
    pthread_join(thread, NULL);
    for (int64_t i = 0; i < tensor_size(n->out); i++)
        n->in[0]->grad[i] += n->out->grad[i];
}

static const Op op_wait = {.name = "wait", .forward = wait_forward, .backward = wait_backward};

/* tensor.h: backward over one Params by one thread at a time. The second is refused and adds
 * nothing; afterwards another thread may. */
static void backward_by_one_thread(void)
{
    Params *p = overlap.params = params_new(3);
    Tensor *w = params_add(p, "w", shape1(3), nn_constant(1));
    Tape *tape = tape_new(1);
    Tensor *y = ag_mul(tape_full(tape, 1, shape1(3)), w);
    CHECK(ag_backward(ag_sum(ag_apply(&op_wait, &y, 1, NULL, 0))), "%s", tensor_error());
    CHECK(!overlap.second &&
              strstr(overlap.error, "ag_backward: another thread is in backward over "
                                    "the weight 'w' (3,)"),
          "two at once: \"%s\"", overlap.error);
    CHECK(w->grad[0] == 1, "the gradient is %g", (double)w->grad[0]);
    second_backward(NULL);
    CHECK(overlap.second && w->grad[0] == 2, "one after the other: %s", overlap.error);
    tape_free(tape);
    params_free(p);
}

static const TestCase cases[] = {
    {"the same bits for any number of threads", the_same_bits},
    {"backward by one thread at a time", backward_by_one_thread},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("threads", cases, argc, argv);
}
