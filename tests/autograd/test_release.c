/* test_release.c: tape_release_since: what stays and what goes, the numbers of a run with and
 * without, the memory of deep models. The oracle is the same run without a release. */
#include "tests/autograd/on_tape.h"

#include "autograd/tape.h"
#include "nn/nn.h"

enum { CHANNELS = 32, TOKENS = 24, DEEPEST = 12 };

typedef struct {
    Params *params;
    Tape *tape;
    TransformerBlock block[DEEPEST];
    real x[TOKENS * CHANNELS];
} Stack;

static void stack_init(Stack *s)
{
    Rng rng = {.seed = 4};
    *s = (Stack){.params = params_new(1), .tape = tape_new(1)};
    for (int i = 0; i < DEEPEST; i++) {
        char name[16];
        snprintf(name, sizeof name, "block%d", i);
        nn_transformer_block_init(&s->block[i], s->params, name,
                                  (BlockConfig){.channels = CHANNELS,
                                                .heads = 4,
                                                .post_norm = i % 2});
    }
    for (int i = 0; i < TOKENS * CHANNELS; i++)
        s->x[i] = (real)rng_normal(&rng);
}

static void stack_free(Stack *s)
{
    tape_free(s->tape);
    params_free(s->params);
    CHECK_NO_ERROR();
}

static Tensor *run(Stack *s, int layers, bool release)
{
    Tensor *x = tape_input(s->tape, s->x, shape3(2, TOKENS / 2, CHANNELS));
    int mark = s->tape->tensors;
    for (int i = 0; i < layers; i++) {
        x = nn_transformer_block(&s->block[i], x, (Mask){.causal = true});
        if (release)
            tape_release_since(s->tape, mark, x);
    }
    return x;
}

/* Memory that is used again while something still reads it changes numbers. */
TEST(numbers_are_those_of_a_run_without)
{
    Stack s;
    stack_init(&s);
    s.tape->no_grad = true;
    Tensor *want = tensor_clone(run(&s, DEEPEST, false));
    for (int repeat = 0; repeat < 3; repeat++) {
        tape_reset(s.tape);
        CHECK_TENSOR(run(&s, DEEPEST, true), want, 0, 0);
    }
    tensor_free(want);
    stack_free(&s);
}

/* Bytes that a tape takes for the nodes and the numbers of a model of so many layers. */
static double bytes_of(int layers, bool release)
{
    Stack s;
    stack_init(&s);
    s.tape->no_grad = true;
    run(&s, layers, release);
    double bytes = (double)s.tape->bytes - s.tape->tensors * (double)sizeof(Tensor);
    stack_free(&s);
    return bytes;
}

/* A layer more takes its nodes, which stay: at most 40 ops with at most 256 bytes each, where its
 * results take 24 x 32 numbers for each of about 10 ops and four times as many for two. */
TEST(depth_takes_no_memory)
{
    const double layer = 18.0 * TOKENS * CHANNELS * sizeof(real), nodes = 40 * 256;
    double grows = (bytes_of(DEEPEST, true) - bytes_of(2, true)) / (DEEPEST - 2),
           grew = (bytes_of(DEEPEST, false) - bytes_of(2, false)) / (DEEPEST - 2);
    CHECK(grows <= nodes, "a layer takes %.0f bytes", grows);
    CHECK(grew >= layer, "a layer that is not released takes %.0f bytes", grew);
}

TEST_ON_TAPE(what_stays)
{
    tape->no_grad = true;
    Tensor *before = ag_scale(tape_full(tape, 1, shape2(4, 4)), 2);
    int mark = tape->tensors;
    Tensor *input = tape_full(tape, 3, shape2(4, 4)), *of_input = ag_transpose(input, 0, 1);
    Tensor *named = ag_name(ag_scale(input, 2), "named"), *gone = ag_scale(input, 5);
    Tensor *view_of_before = ag_transpose(before, 0, 1);
    Tensor *base = ag_scale(input, 7), *named_base = ag_scale(input, 11),
           *x = ag_slice(base, 0, 1, 3);
    ag_name(ag_transpose(named_base, 0, 1), "view");
    tape_release_since(tape, mark, x);
    Tensor *const stay[] = {before, input,          of_input, named,      tape_find(tape, "named"),
                            x,      view_of_before, base,     named_base, tape_find(tape, "view")};
    const real value[] = {2, 3, 3, 6, 6, 21, 2, 21, 33, 33};
    for (int i = 0; i < 40; i++) /* these take what was released */
        ag_scale(tape_full(tape, -1, shape2(4, 4)), 1);
    for (int i = 0; i < 10; i++)
        CHECK(stay[i]->data && stay[i]->data[0] == value[i], "%d: %g, not %g", i,
              (double)stay[i]->data[0], (double)value[i]);
    CHECK(!gone->data, "a result that nobody named stays");
    tape_release_since(tape, mark, x); /* leaves what the first has done */
    CHECK(x->data && x->data[0] == 21, "a second release takes x");
}

static int seen;

static void count_results(TapeEvent event, Tape *tape, const Node *node)
{
    seen += event == TAPE_COMPUTED && tape && node->out->data[0] > 0;
}

/* A watcher may read any result until the reset. */
TEST_ON_TAPE(nothing_goes_while_a_watcher_looks)
{
    tape->no_grad = true;
    tape_on_event(count_results);
    Tensor *first = ag_scale(tape_full(tape, 1, shape1(8)), 2), *x = ag_scale(first, 3);
    tape_release_since(tape, 0, x);
    ag_scale(x, 4);
    tape_on_event(NULL);
    CHECK(seen == 3 && first->data && first->data[0] == 2, "%d results", seen);
}

/* The step after a run without gradients has those of a fresh tape. */
TEST(training_goes_on)
{
    Tensor *gradient[2];
    for (int after = 0; after < 2; after++) {
        Stack s;
        stack_init(&s);
        s.tape->no_grad = true;
        if (after)
            run(&s, DEEPEST, true);
        tape_reset(s.tape);
        s.tape->no_grad = false;
        CHECK(ag_backward(ag_sum(run(&s, 2, false))), "%s", tensor_error());
        const Tensor *w = s.block[0].attn.in_proj_weight;
        gradient[after] = tensor_from(w->grad, w->shape);
        stack_free(&s);
    }
    CHECK_TENSOR(gradient[1], gradient[0], 0, 0);
    tensor_free(gradient[0]);
    tensor_free(gradient[1]);
}

static Tensor *chain(Tape *tape, int ops)
{
    Tensor *x = tape_leaf(tape, (real[]){1, 2, 3, 4}, shape1(4));
    for (int i = 0; i < ops; i++)
        x = ag_scale(x, 1);
    return x;
}

/* What autograd.h says at Tape.bytes: a tape of many small ops takes at most 700 bytes for each,
 * headers of earlier steps included, and a tensor of the last step is still told by its name. */
TEST(many_small_ops)
{
    enum { OPS = 20000 };
    Memory memory = {0};
    memory_watch(&memory);
    Tape *tape = tape_new(1);
    Tensor *last = NULL;
    for (int step = 0; step < 3; step++) {
        tape_reset(tape);
        last = ag_name(ag_sum(chain(tape, OPS)), "loss");
        CHECK(ag_backward(last), "%s", tensor_error());
    }
    tape_reset(tape);
    chain(tape, OPS);
    double step = (double)tape->bytes;
    CHECK(memory.bytes <= (size_t)700 * OPS, "%zu bytes an op", memory.bytes / OPS);
    CHECK(step <= (double)memory.bytes && step >= 0.75 * (double)memory.bytes,
          "%.0f bytes said, %zu taken", step, memory.bytes);
    REFUSES(ag_scale, "'loss' () is of an earlier step", last, 2);
    tape_free(tape);
    CHECK(memory.blocks == 0, "%ld blocks are left", memory.blocks);
    memory_unwatch();
}

/* Steps of other sizes, which make the ring grow at different places: every header is of its
 * own. */
TEST_ON_TAPE(steps_of_any_size)
{
    static const int sizes[] = {3, 700, 64, 65, 5000, 1, 128, 9000, 63, 700, 20, 9500, 1};
    for (int k = 0; k < 60; k++) {
        tape_reset(tape);
        Tensor *x = chain(tape, sizes[k % 13]);
        CHECK(x && tensor_item(ag_sum(x)) == 10, "step %d", k);
        for (int i = 0; i < tape->nodes; i++)
            CHECK(tape->node[i]->out->step == tape->resets &&
                      tape->node[i]->out->node == tape->node[i],
                  "step %d: node %d has lost its result", k, i);
    }
}
