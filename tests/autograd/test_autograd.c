/* test_autograd.c: what the tape promises: whose gradient arrives where, what a name keeps, and
 * that two tapes over the same weights do not disturb each other. Gradients are compared with
 * derivatives done by hand. The ops themselves: test_ops.c. Views: test_views.c. Memory:
 * test_step.c. Errors: test_tape_errors.c. The watch: test_watch.c. */
#include "tests/harness/runner.h"

#include "nn/nn.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* A few roundings of numbers around 1. */
static const double CLOSE = sizeof(real) == sizeof(double) ? 1e-14 : 1e-6;

/* x_i = sin(1.7 i + start): distinct numbers in -1..1. Lives until eight further calls. */
static const real *some(int64_t n, double start)
{
    static real ring[8][256];
    static unsigned next;
    real *x = ring[next++ % 8];
    for (int64_t i = 0; i < n && i < 256; i++)
        x[i] = (real)sin(1.7 * (double)i + start);
    return x;
}

static bool has_grad(const Tensor *t, const real *want)
{
    if (!CHECK(t->grad, "%s has no gradient", tensor_describe(t)))
        return false;
    bool ok = true;
    for (int64_t i = 0; i < tensor_size(t); i++)
        ok &= CHECK_CLOSE(t->grad[i], want[i], CLOSE);
    return ok;
}

/* ---- what gets a gradient -------------------------------------------------------------------- */

/* x times a constant of the same value: dL/dx = x, where x^2 would give 2x. */
static void detach_stops_the_gradient(void)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, some(3, 0), shape1(3)), *same = ag_detach(x);
    CHECK(same->data == x->data, "detach copied the numbers");
    CHECK(!same->needs_grad, "a detached tensor wants a gradient");
    CHECK(ag_backward(ag_sum(ag_mul(x, same))), "%s", tensor_error());
    has_grad(x, some(3, 0));
    tape_free(tape);
}

static void no_grad_stops_the_gradient(void)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, some(3, 0), shape1(3));
    tape->no_grad = true;
    Tensor *h = ag_scale(x, 3), *view = ag_reshape(x, shape2(3, 1));
    tape->no_grad = false;
    CHECK(!h->needs_grad && !view->needs_grad, "made under no_grad, and wants a gradient");
    Tensor *y = ag_add(ag_sum(ag_mul(x, h)), ag_sum(view));
    CHECK(ag_backward(y), "%s", tensor_error());
    real want[3]; /* d (x h) / dx with h = 3x held fixed */
    for (int i = 0; i < 3; i++)
        want[i] = 3 * some(3, 0)[i];
    has_grad(x, want);
    tape_free(tape);
}

/* L = sum of h^2 with h = 2x: dL/dh = 2h = 4x, dL/dx = 8x. */
static void named_gradients_stay(void)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, some(4, 0), shape1(4));
    Tensor *h = ag_name(ag_scale(x, 2), "h"), *square = ag_mul(h, h),
           *kept = ag_keep(ag_copy(square));
    CHECK(ag_backward(ag_sum(kept)), "%s", tensor_error());
    real four[4], eight[4];
    for (int i = 0; i < 4; i++) {
        four[i] = 4 * some(4, 0)[i];
        eight[i] = 8 * some(4, 0)[i];
    }
    has_grad(h, four);
    has_grad(x, eight);
    has_grad(kept, (real[]){1, 1, 1, 1});
    CHECK(!square->grad, "a tensor that nobody named kept its gradient");
    tape_free(tape);
}

/* More operands than an int has bits. */
static void forty_operands(void)
{
    Tape *tape = tape_new(1);
    Tensor *x[40];
    for (int i = 0; i < 40; i++)
        x[i] = tape_leaf(tape, some(1, i), shape1(1));
    Tensor *all = ag_concat(x, 40, 0);
    REQUIRE(!tensor_is_poison(all), "%s", tensor_error());
    CHECK(ag_backward(ag_sum(ag_mul(all, all))), "%s", tensor_error());
    for (int i = 0; i < 40; i++)
        CHECK_CLOSE(x[i]->grad[0], 2 * sin(i), CLOSE);
    tape_free(tape);
}

/* ---- weights --------------------------------------------------------------------------------- */

static void weights_gather_gradients(void)
{
    Params *p = params_new(1);
    Tensor *w = params_add(p, "w", shape1(3), nn_normal(1));
    Tape *one = tape_new(1), *two = tape_new(2);
    for (int pass = 0; pass < 2; pass++) {
        tape_reset(one);
        tape_reset(two);
        Tensor *a = ag_sum(ag_mul(tape_input(one, some(3, 0), shape1(3)), w));
        Tensor *b = ag_sum(ag_mul(w, tape_input(two, some(3, 1), shape1(3))));
        CHECK(ag_backward(a) && ag_backward(b), "%s", tensor_error());
    }
    real want[3];
    for (int i = 0; i < 3; i++)
        want[i] = 2 * (some(3, 0)[i] + some(3, 1)[i]);
    has_grad(w, want);
    params_zero_grad(p);
    has_grad(w, (real[]){0, 0, 0});
    tape_free(one);
    tape_free(two);
    params_free(p);
}

/* A weight frozen between forward and backward: backward may leave no gradient of the tape in
 * it. */
static void frozen_on_the_way(void)
{
    Params *p = params_new(1);
    Tensor *w = params_add(p, "w", shape1(2), nn_normal(1));
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, some(2, 0), shape1(2));
    Tensor *y = ag_sum(ag_mul(x, ag_reshape(tape_param(tape, w), shape1(2))));
    params_freeze(p, "w", true);
    CHECK(ag_backward(y), "%s", tensor_error());
    CHECK(!w->grad, "the frozen weight got a gradient");
    has_grad(x, w->data);
    tape_free(tape);
    params_free(p);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void names_are_unique_and_found(void)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, some(2, 0), shape1(2));
    Tensor *a = ag_name(ag_scale(x, 2), "layer.%d", 7), *b = ag_name(ag_scale(x, 3), "layer.7");
    Tensor *c = ag_name(ag_scale(x, 4), "layer.7");
    CHECK_TEXT(a->name, "layer.7");
    CHECK_TEXT(b->name, "layer.7#2");
    CHECK_TEXT(c->name, "layer.7#3");
    CHECK(tape_find(tape, "layer.7#2") == b && tape_find(tape, "layer.7") == a, "found another");
    CHECK(ag_name(a, "layer.7") == a, "naming returns another tensor");
    CHECK_TEXT(a->name, "layer.7");
    ag_name(a, "renamed");
    CHECK(tape->names == 3 && tape_find(tape, "renamed") == a, "%d names", tape->names);
    CHECK_NO_ERROR();

    CHECK(tensor_is_poison(tape_find(tape, "layer.8")), "found what was never named");
    CHECK_ERROR(
        "the name is 'layer.8'; expected one of this step's names: renamed, layer.7#2, layer.7#3");
    tape_reset(tape);
    CHECK(tensor_is_poison(tape_find(tape, "renamed")), "a name outlived its step");
    CHECK_ERROR("names: none");
    tape_free(tape);
}

/* A cut name would not be found by the whole one, and an empty one is what tensors without a name
 * have. */
static void names_that_cannot_be(void)
{
    enum { LONGEST = TENSOR_NAME_MAX - 1 };
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, some(2, 0), shape1(2));
    Tensor *y = ag_name(ag_scale(x, 2), "%0*d", LONGEST, 7);
    CHECK(!tensor_is_poison(y) && strlen(y->name) == LONGEST, "127 characters: %s", tensor_error());
    Tensor *z = ag_name(ag_scale(x, 3), "%0*d", LONGEST, 7); /* the first 120, with a number */
    CHECK(!tensor_is_poison(z) && strlen(z->name) == 122 && strcmp(z->name + 120, "#2") == 0,
          "the second is '%s'", z->name);
    CHECK_NO_ERROR();
    for (int trial = 0; trial < 3; trial++) {
        tape_reset(tape);
        x = tape_leaf(tape, some(2, 0), shape1(2));
        Tensor *named = trial == 0   ? ag_name(x, "%s", "")
                        : trial == 1 ? ag_name(x, "%0*d", LONGEST + 1, 7)
                                     : ag_name(x, "%0*d", 3 * LONGEST, 7);
        CHECK(tensor_is_poison(named) && tape->failed, "trial %d is accepted", trial);
        CHECK_ERROR(trial == 0   ? "ag_name: the name is empty; expected one or more characters"
                    : trial == 1 ? "ag_name: the name has 128 characters; expected at most 127"
                                 : "ag_name: the name has 381 characters; expected at most 127");
        CHECK(tape->names == 0 && !*x->name, "trial %d is registered", trial);
    }
    tape_free(tape);
}

/* ---- the same dropout every time ------------------------------------------------------------- */

/* Steps that the dropout of a later one must not depend on: resets, and a validation pass. */
static void steps_without_dropout(Tape *tape)
{
    tape_reset(tape);
    tape_reset(tape);
    tape->training = false;
    CHECK(!tensor_is_poison(ag_dropout(tape_full(tape, 1, shape1(3)), (real)0.5)), "no result");
    tape->training = true;
    tape_reset(tape);
}

/* Dropout number `which` of 64 ones, after `step` steps with a dropout; `more` steps without one
 * between them. */
static void dropped(uint64_t seed, int step, int which, bool more, real *out)
{
    Tape *tape = tape_new(seed);
    tape->training = true;
    for (int i = 0; i < step; i++) {
        if (more)
            steps_without_dropout(tape);
        ag_dropout(tape_full(tape, 1, shape1(3)), (real)0.5);
        tape_reset(tape);
    }
    if (more)
        steps_without_dropout(tape);
    Tensor *y = NULL, *ones = tape_full(tape, 1, shape1(64));
    for (int i = 0; i <= which; i++)
        y = ag_dropout(ones, (real)0.5);
    tensor_read(y, out);
    tape_free(tape);
}

static void dropout_repeats(void)
{
    real first[64], again[64], other[64];
    dropped(5, 2, 1, false, first);
    for (int more = 0; more < 2; more++) {
        dropped(5, 2, 1, more, again);
        CHECK(memcmp(first, again, sizeof first) == 0, "the same seed and step drop differently%s",
              more ? " after more resets" : "");
    }
    const struct {
        uint64_t seed;
        int step, which;
    } differs[] = {{6, 2, 1}, {5, 3, 1}, {5, 2, 0}};
    for (int i = 0; i < 3; i++) {
        dropped(differs[i].seed, differs[i].step, differs[i].which, false, other);
        CHECK(memcmp(first, other, sizeof first) != 0, "seed, step or number %d does not matter",
              i);
    }
    Tape *tape = tape_new(5);
    Tensor *x = tape_full(tape, 1, shape1(64));
    CHECK(ag_dropout(x, (real)0.5) == x, "outside of training something happened");
    tape_free(tape);
}

/* ---- two threads ----------------------------------------------------------------------------- */

typedef struct {
    const TransformerBlock *block;
    real x[96], out[96];
} Job;

static void *forward(void *context)
{
    Job *job = context;
    Tape *tape = tape_new(1);
    for (int step = 0; step < 20; step++) {
        tape_reset(tape);
        tape->keep_maps = step % 2 == 0; /* then the tensors are named, too */
        Tensor *x = tape_input(tape, job->x, shape3(2, 6, 8));
        tensor_read(nn_transformer_block(job->block, x, (Mask){.causal = true}), job->out);
    }
    tape_free(tape);
    return NULL;
}

static void two_threads_share_weights(void)
{
    Params *p = params_new(3);
    TransformerBlock block;
    REQUIRE(nn_transformer_block_init(&block, p, "block", (BlockConfig){.channels = 8, .heads = 2}),
            "%s", tensor_error());
    Job alone = {.block = &block}, job[2];
    memcpy(alone.x, some(96, 0), sizeof alone.x);
    job[0] = job[1] = alone;
    forward(&alone);
    CHECK_NO_ERROR();
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        REQUIRE(pthread_create(&thread[i], NULL, forward, &job[i]) == 0, "no thread");
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++)
        CHECK(memcmp(job[i].out, alone.out, sizeof alone.out) == 0, "thread %d differs", i);
    params_free(p);
}

static const TestCase cases[] = {
    {"detach stops the gradient and shares the numbers", detach_stops_the_gradient},
    {"no_grad stops the gradient", no_grad_stops_the_gradient},
    {"named gradients stay, others are given back", named_gradients_stay},
    {"an op of forty operands", forty_operands},
    {"weights gather gradients over passes and tapes", weights_gather_gradients},
    {"a weight frozen between forward and backward", frozen_on_the_way},
    {"names are unique and found", names_are_unique_and_found},
    {"names that cannot be", names_that_cannot_be},
    {"dropout repeats with seed and step", dropout_repeats},
    {"two threads share the weights", two_threads_share_weights},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("autograd", cases, argc, argv);
}
