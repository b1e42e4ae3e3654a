/* test_threads.c: a training run has the same bits for any number of threads.
 *
 * A language model with dropout, gradient clipping and AdamW. Its tensors are large enough to be
 * shared out: parallel_grain gives each thread at least 32768 additions. Each element has one owner
 * and one order of summation, so nothing may differ, neither in a loss nor in a weight. And two
 * threads of the program itself cannot be in backward over the same weights at once. */
#include "nn/nn.h"
#include "tests/autograd/on_tape.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, B = 8, T = 48 };
static const GptConfig config = {.words = 40,
                                 .channels = 64,
                                 .heads = 4,
                                 .layers = 2,
                                 .longest = T,
                                 .position = POSITION_LEARNED,
                                 .dropout = 0.1};

/* The loss at each step on windows of a text that repeats itself, and the weights afterwards. */
static void train(int threads, double loss[STEPS], Params *p)
{
    Gpt m;
    Adam adam = {0};
    Tape *tape = tape_new(1);
    tape->training = true;
    tensor_set_threads(threads);
    REQUIRE(nn_gpt_init(&m, p, "", config) && adamw_init(&adam, p, 0.003, 0.01), "%s",
            tensor_error());
    for (int step = 0; step < STEPS; step++) {
        int ids[B * T], next[B * T];
        for (int i = 0; i < B * T; i++) {
            int at = step + i / T * 7 + i % T;
            ids[i] = at * at % 40;
            next[i] = (at + 1) * (at + 1) % 40;
        }
        tape_reset(tape);
        Tensor *logits = nn_gpt(&m, tape_ids(tape, ids, shape2(B, T)));
        Tensor *mean = ag_cross_entropy(logits, tape_ids(tape, next, shape2(B, T)));
        bool ok = ag_backward(mean);
        params_clip_grad(p, 1);
        CHECK(ok && adam_step(&adam, p), "%s", tensor_error());
        loss[step] = tensor_item(mean);
    }
    adam_free(&adam);
    tape_free(tape);
    tensor_set_threads(0);
}

TEST(the_same_bits)
{
    static const int threads[] = {2, 3, 4, 8};
    double alone[STEPS], loss[STEPS];
    Params *p = params_new(1);
    train(1, alone, p);
    CHECK(alone[STEPS - 1] < 0.9 * alone[0], "it learns nothing: %g, then %g", alone[0],
          alone[STEPS - 1]);
    for (int i = 0; i < 4; i++) {
        Params *q = params_new(1);
        train(threads[i], loss, q);
        CHECK(memcmp(loss, alone, sizeof loss) == 0, "%d threads: other losses", threads[i]);
        for (int k = 0; k < p->count; k++)
            CHECK_TENSOR(q->weight[k], p->weight[k], 0, 0);
        params_free(q);
    }
    params_free(p);
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
TEST_ON_TAPE(backward_by_one_thread)
{
    Params *p = overlap.params = params_new(3);
    Tensor *w = params_add(p, "w", shape1(3), nn_constant(1));
    Tensor *y = ag_mul(tape_full(tape, 1, shape1(3)), w);
    CHECK(ag_backward(ag_sum(ag_apply(&op_wait, &y, 1, NULL, 0))), "%s", tensor_error());
    CHECK(!overlap.second &&
              strstr(overlap.error, "ag_backward: another thread is in backward over "
                                    "the weight 'w' (3,)"),
          "two at once: \"%s\"", overlap.error);
    CHECK(w->grad[0] == 1, "the gradient is %g", (double)w->grad[0]);
    second_backward(NULL);
    CHECK(overlap.second && w->grad[0] == 2, "one after the other: %s", overlap.error);
    params_free(p);
}
