/* test_autograd.c: what the tape promises: whose gradient arrives where, what a name keeps, and
 * that two tapes over the same weights do not disturb each other. Gradients are compared with
 * derivatives done by hand. The ops themselves: test_ops.c. Views: test_views.c. Memory:
 * test_step.c. Errors: test_tape_errors.c. The watch: test_watch.c. */
#include "tests/autograd/on_tape.h"

#include "nn/nn.h"

#include <pthread.h>
#include <string.h>

/* Products of these are exact. */
static const real numbers[4] = {0.5, -2, 3, 0.25};

/* The gradient of t is `factor` times these numbers. */
static void has_grad(const Tensor *t, double factor, const real *of)
{
    REQUIRE(t->grad, "%s has no gradient", tensor_describe(t));
    for (int64_t i = 0; i < tensor_size(t); i++)
        CHECK_CLOSE(t->grad[i], factor * of[i], 0);
}

/* ---- what gets a gradient -------------------------------------------------------------------- */

/* x times a constant of the same value: dL/dx = x, where x^2 would give 2x. */
TEST_ON_TAPE(detach_and_no_grad_stop_the_gradient)
{
    Tensor *x = tape_leaf(tape, numbers, shape1(4)), *same = ag_detach(x);
    CHECK(same->data == x->data, "detach copied the numbers");
    CHECK(!same->needs_grad, "a detached tensor wants a gradient");
    CHECK(ag_backward(ag_sum(ag_mul(x, same))), "%s", tensor_error());
    has_grad(x, 1, numbers);
    tape_reset(tape);
    x = tape_leaf(tape, numbers, shape1(4));
    tape->no_grad = true;
    Tensor *h = ag_scale(x, 3), *view = ag_reshape(x, shape2(4, 1));
    tape->no_grad = false;
    CHECK(!h->needs_grad && !view->needs_grad, "made under no_grad, and wants a gradient");
    CHECK(ag_backward(ag_add(ag_sum(ag_mul(x, h)), ag_sum(view))), "%s", tensor_error());
    has_grad(x, 3, numbers); /* d (x h) / dx with h = 3x held fixed */
}

/* L = sum of h^2 with h = 2x: dL/dh = 2h = 4x, dL/dx = 8x. */
TEST_ON_TAPE(named_gradients_stay)
{
    Tensor *x = tape_leaf(tape, numbers, shape1(4)), *h = ag_name(ag_scale(x, 2), "h");
    Tensor *square = ag_mul(h, h), *kept = ag_keep(ag_copy(square));
    CHECK(ag_backward(ag_sum(kept)), "%s", tensor_error());
    has_grad(h, 4, numbers);
    has_grad(x, 8, numbers);
    has_grad(kept, 1, (real[]){1, 1, 1, 1});
    CHECK(!square->grad, "a tensor that nobody named kept its gradient");
}

/* More operands than an int has bits. */
TEST_ON_TAPE(an_op_of_forty_operands)
{
    Tensor *x[40];
    for (int i = 0; i < 40; i++)
        x[i] = tape_leaf(tape, (real[]){(real)i}, shape1(1));
    Tensor *all = ag_concat(x, 40, 0);
    CHECK(ag_backward(ag_sum(ag_mul(all, all))), "%s", tensor_error());
    for (int i = 0; i < 40; i++)
        has_grad(x[i], 2, (real[]){(real)i});
}

/* ---- weights --------------------------------------------------------------------------------- */

TEST(weights_gather_gradients)
{
    Params *p = params_new(1);
    Tensor *w = params_add(p, "w", shape1(4), nn_normal(1));
    Tape *one = tape_new(1), *two = tape_new(2);
    for (int pass = 0; pass < 2; pass++) {
        tape_reset(one);
        tape_reset(two);
        Tensor *a = ag_sum(ag_mul(tape_input(one, numbers, shape1(4)), w));
        Tensor *b = ag_sum(ag_scale(ag_mul(w, tape_input(two, numbers, shape1(4))), 4));
        CHECK(ag_backward(a) && ag_backward(b), "%s", tensor_error());
    }
    has_grad(w, 2 * (1 + 4), numbers);
    params_zero_grad(p);
    has_grad(w, 0, numbers);
    tape_free(one);
    tape_free(two);
    params_free(p);
}

/* A weight frozen between forward and backward: backward may leave no gradient of the tape in
 * it. */
TEST_OF_WEIGHTS(frozen_on_the_way)
{
    Tensor *w = params_add(p, "w", shape1(2), nn_normal(1));
    Tensor *x = tape_leaf(tape, numbers, shape1(2));
    Tensor *y = ag_sum(ag_mul(x, ag_reshape(tape_param(tape, w), shape1(2))));
    params_freeze(p, "w", true);
    CHECK(ag_backward(y), "%s", tensor_error());
    CHECK(!w->grad, "the frozen weight got a gradient");
    has_grad(x, 1, w->data);
}

/* ---- names ----------------------------------------------------------------------------------- */

TEST_ON_TAPE(names_are_unique_and_found)
{
    Tensor *x = tape_leaf(tape, numbers, shape1(2));
    Tensor *a = ag_name(ag_scale(x, 2), "layer.%d", 7), *b = ag_name(ag_scale(x, 3), "layer.7");
    Tensor *c = ag_name(ag_scale(x, 4), "layer.7");
    CHECK_TEXT(a->name, "layer.7");
    CHECK_TEXT(b->name, "layer.7#2");
    CHECK_TEXT(c->name, "layer.7#3");
    CHECK(tape_find(tape, "layer.7#2") == b && tape_find(tape, "layer.7") == a, "found another");
    CHECK(ag_name(a, "layer.7") == a, "naming returns another tensor");
    ag_name(a, "renamed");
    CHECK(tape->names == 3 && tape_find(tape, "renamed") == a, "%d names", tape->names);
    CHECK_NO_ERROR();

    REFUSES(
        tape_find,
        "the name is 'layer.8'; expected one of this step's names: renamed, layer.7#2, layer.7#3",
        tape, "layer.8");
    tape_reset(tape);
    CHECK(tensor_is_poison(tape_find(tape, "renamed")), "a name outlived its step");
    CHECK_ERROR("names: none");
}

/* A cut name would not be found by the whole one, and an empty one is what tensors without a name
 * have. */
TEST_ON_TAPE(names_that_cannot_be)
{
    enum { LONGEST = TENSOR_NAME_MAX - 1 };
    Tensor *x = tape_leaf(tape, numbers, shape1(2));
    Tensor *y = ag_name(ag_scale(x, 2), "%0*d", LONGEST, 7);
    CHECK(!tensor_is_poison(y) && strlen(y->name) == LONGEST, "127 characters: %s", tensor_error());
    Tensor *z = ag_name(ag_scale(x, 3), "%0*d", LONGEST, 7); /* the first 120, with a number */
    CHECK(!tensor_is_poison(z) && strlen(z->name) == 122 && strcmp(z->name + 120, "#2") == 0,
          "the second is '%s'", z->name);
    CHECK_NO_ERROR();
    for (int trial = 0; trial < 3; trial++) {
        tape_reset(tape);
        x = tape_leaf(tape, numbers, shape1(2));
        Tensor *named = trial == 0   ? ag_name(x, "%s", "")
                        : trial == 1 ? ag_name(x, "%0*d", LONGEST + 1, 7)
                                     : ag_name(x, "%0*d", 3 * LONGEST, 7);
        CHECK(tensor_is_poison(named) && tape->failed, "trial %d is accepted", trial);
        CHECK_ERROR(trial == 0   ? "ag_name: the name has 0 characters; expected 1 to 127"
                    : trial == 1 ? "ag_name: the name has 128 characters"
                                 : "ag_name: the name has 381 characters");
        CHECK(tape->names == 0 && !*x->name, "trial %d is registered", trial);
    }
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

TEST(two_threads_share_weights)
{
    Params *p = params_new(3);
    TransformerBlock block;
    REQUIRE(nn_transformer_block_init(&block, p, "block", (BlockConfig){.channels = 8, .heads = 2}),
            "%s", tensor_error());
    Job alone = {.block = &block}, job[2];
    for (int i = 0; i < 96; i++)
        alone.x[i] = (real)(i * 7 % 11) - 5;
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
