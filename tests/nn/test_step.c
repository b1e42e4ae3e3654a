/* test_step.c: the memory of a training step. Once a step no larger was seen, a step allocates
 * nothing; nothing leaks; a step that fails because memory is out changes no weight, and the next
 * step is as if the failed one had not been; beyond the activations, backward needs the memory of a
 * few gradients whatever the depth. */
#include "tests/harness/test.h"

#include "nn/nn.h"

#include <string.h>

enum { WORDS = 11, LONGEST = 32, CHANNELS = 8, BATCH = 2 };

/* A small language model and what trains it. */
typedef struct {
    Params *params;
    Tape *tape;
    Gpt gpt;
    Adam adam;
    double loss;
} Model;

static bool model_open(Model *m, double dropout)
{
    const GptConfig c = {.words = WORDS,
                         .channels = CHANNELS,
                         .heads = 2,
                         .layers = 2,
                         .longest = LONGEST,
                         .position = POSITION_LEARNED,
                         .dropout = dropout};
    *m = (Model){.params = params_new(1), .tape = tape_new(1)};
    return m->params && m->tape && nn_gpt_init(&m->gpt, m->params, "", c) &&
           adam_init(&m->adam, m->params, 0.01);
}

static void model_close(Model *m)
{
    adam_free(&m->adam);
    tape_free(m->tape);
    params_free(m->params);
}

/* One step on sequences of T tokens, with maps for the longest alone, so that it takes more of
 * everything: numbers, headers, nodes, names. Only what comes last is looked at, as a student
 * would. */
static bool model_step(Model *m, int T)
{
    int ids[BATCH * LONGEST], targets[BATCH * LONGEST];
    for (int i = 0; i < BATCH * T; i++) {
        ids[i] = (3 * i + 1) % WORDS;
        targets[i] = (5 * i + 2) % WORDS;
    }
    tape_reset(m->tape);
    m->tape->keep_maps = T == LONGEST;
    Tensor *logits = nn_gpt(&m->gpt, tape_ids(m->tape, ids, shape2(BATCH, T)));
    Tensor *loss = ag_cross_entropy(logits, tape_ids(m->tape, targets, shape2(BATCH, T)));
    if (!ag_backward(loss) || !adam_step(&m->adam, m->params))
        return false;
    m->loss = tensor_item(loss);
    return true;
}

/* ---- no memory once a step no larger was seen ------------------------------------------------ */

TEST(steady_state)
{
    Memory memory = {0};
    Model m;
    memory_watch(&memory);
    CHECK(model_open(&m, 0.1), "%s", tensor_error());
    m.tape->training = true;
    m.tape->watch = true;
    CHECK(model_step(&m, LONGEST), "%s", tensor_error());
    tape_reset(m.tape); /* merges the chunks of the largest step: the last allocation */
    long calls = memory.calls;
    for (int i = 0; i < 12; i++)
        CHECK(model_step(&m, i % 3 == 0 ? LONGEST : 7 * (i % 3)), "%s", tensor_error());
    CHECK(memory.calls == calls, "12 steps took memory %ld times", memory.calls - calls);
    model_close(&m);
    memory_unwatch();
    CHECK(memory.blocks == 0, "%ld blocks, %zu bytes leaked", memory.blocks, memory.bytes);
}

/* ---- when memory runs out -------------------------------------------------------------------- */

/* Everything from nothing: opening, a small and a larger step, closing. */
TEST_OUT_OF_MEMORY(any_allocation_may_fail)
{
    Model m;
    bool ok = model_open(&m, 0) && model_step(&m, 2) && model_step(&m, LONGEST);
    model_close(&m);
    return ok;
}

/* ---- a failed step leaves no trace ----------------------------------------------------------- */

enum { NUMBERS = 4096 };

static void read_weights(const Model *m, real *out)
{
    for (int i = 0; i < m->params->count; out += tensor_size(m->params->weight[i++]))
        tensor_read(m->params->weight[i], out);
}

/* After a small step, a large one in which the n-th allocation fails (and all later ones, with
 * `on`), then the same step again. Returns whether there were n allocations to fail. */
static bool fail_in_step(long n, bool on, const double *want)
{
    static real before[NUMBERS], after[NUMBERS];
    Memory memory = {0};
    Model m;
    memory_watch(&memory);
    bool opened = model_open(&m, 0) && model_step(&m, 1);
    CHECK(opened && params_size(m.params) <= NUMBERS, "%s", tensor_error());
    read_weights(&m, before);
    memory.fail_at = memory.calls + n;
    memory.fail_on = on;
    bool ok = model_step(&m, LONGEST), reached = memory.calls >= memory.fail_at;
    memory.fail_at = 0;
    if (!ok) {
        CHECK(tensor_failed() && strstr(tensor_error(), "memory"), "the error is \"%s\"",
              tensor_error());
        read_weights(&m, after);
        CHECK(memcmp(before, after, (size_t)params_size(m.params) * sizeof(real)) == 0,
              "allocation %ld: a failed step changed the weights", n);
        CHECK(m.adam.steps == 1, "allocation %ld: Adam counts %d steps", n, (int)m.adam.steps);
        params_zero_grad(m.params); /* backward may have got half-way */
        CHECK(model_step(&m, LONGEST), "allocation %ld: %s", n, tensor_error());
    }
    CHECK(m.loss == want[0], "allocation %ld: loss %.17g", n, m.loss);
    CHECK(model_step(&m, LONGEST) && m.loss == want[1], "allocation %ld: next %.17g", n, m.loss);
    model_close(&m);
    memory_unwatch();
    CHECK(memory.blocks == 0, "allocation %ld: %ld blocks leaked", n, memory.blocks);
    return reached;
}

TEST(failed_steps_leave_no_trace)
{
    Model m;
    double want[2] = {0};
    REQUIRE(model_open(&m, 0) && model_step(&m, 1), "%s", tensor_error());
    for (int i = 0; i < 2; i++) {
        CHECK(model_step(&m, LONGEST), "%s", tensor_error());
        want[i] = m.loss;
    }
    model_close(&m);
    long failed = 0;
    for (int on = 0; on < 2; on++)
        for (long n = 1; n < 100 && fail_in_step(n, on != 0, want); n++)
            failed++;
    CHECK(failed >= 4, "only %ld allocations could fail: the test tests little", failed);
    CHECK_NO_ERROR();
}

/* ---- how much memory ------------------------------------------------------------------------- */

typedef struct {
    size_t forward, backward; /* bytes of nodes and numbers after each */
} Use;

static size_t arena_bytes(const Tape *tape)
{
    return tape->bytes - (size_t)tape->tensors * sizeof(Tensor);
}

/* x -> tanh -> tanh ... on n numbers. */
static Use deep_chain(int depth, int64_t n)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_full(tape, (real)0.5, shape1(n));
    x->needs_grad = true;
    for (int i = 0; i < depth; i++)
        x = ag_tanh(x);
    Use use = {.forward = arena_bytes(tape)};
    CHECK(ag_backward(ag_sum(x)), "%s", tensor_error());
    use.backward = arena_bytes(tape);
    tape_free(tape);
    return use;
}

/* Backward of a chain holds one gradient: of the sum's operand, whose memory that of the one before
 * it takes over, and so on; the sum itself, its node and rounding up to 64 bytes are less than a
 * second. */
TEST(few_gradients_at_a_time)
{
    const int64_t n = 1000;
    Use shallow = deep_chain(4, n), deep = deep_chain(100, n);
    size_t gradients = deep.backward - deep.forward;
    CHECK(gradients < 2 * (size_t)n * sizeof(real), "%zu bytes, %.1f gradients", gradients,
          (double)gradients / (double)((size_t)n * sizeof(real)));
    CHECK(gradients == shallow.backward - shallow.forward, "it grows with the depth: %zu, %zu",
          shallow.backward - shallow.forward, gradients);
    size_t activations = (deep.forward - shallow.forward) / 96;
    CHECK(activations < (size_t)n * sizeof(real) + 512, "%zu bytes for each op", activations);
    shallow = deep_chain(4, 1), deep = deep_chain(100, 1);
    CHECK(deep.backward - deep.forward == shallow.backward - shallow.forward,
          "gradients of single numbers grow with the depth");
}
