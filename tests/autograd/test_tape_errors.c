/* test_tape_errors.c: an error on a tape is told once; what comes after it is poison, and touches
 * nothing. And every wrong use of a tape is such an error: tensors of an earlier step, of two
 * tapes, NULL, a second backward. */
#include "tests/autograd/listener.h"
#include "tests/autograd/on_tape.h"

#include "autograd/tape.h"
#include "nn/nn.h"

#include <string.h>

static Tensor *ones(Tape *tape, Shape shape)
{
    return tape_full(tape, 1, shape);
}

static const int ones_line = __LINE__ - 3;

/* ---- told once, and poison after it ---------------------------------------------------------- */

typedef struct {
    Params *params;
    Tensor *w;
    Tape *tape;
    Sgd sgd;
    Adam adam;
    real before[4], grad[4], m[4];
} Setting;

static bool setting_open(Setting *s)
{
    *s = (Setting){.params = params_new(1), .tape = tape_new(1)};
    s->w = params_add(s->params, "w", shape1(4), nn_normal(1));
    bool ok = sgd_init(&s->sgd, s->params, 0.1, 0.9, 0) && adam_init(&s->adam, s->params, 0.1);
    Tensor *y = ag_sum(ag_mul(ones(s->tape, shape1(4)), s->w));
    ok = ok && ag_backward(y) && adam_step(&s->adam, s->params) && !tensor_failed();
    for (int i = 0; i < 4; i++) {
        s->w->grad[i] = (real)i; /* from a pass before */
        s->grad[i] = (real)i;
    }
    memcpy(s->before, s->w->data, sizeof s->before);
    memcpy(s->m, s->adam.m, sizeof s->m);
    tape_reset(s->tape);
    start_listening();
    return ok;
}

static void setting_close(Setting *s)
{
    adam_free(&s->adam);
    sgd_free(&s->sgd);
    tape_free(s->tape);
    params_free(s->params);
}

#define SETTING_TEST(function) TEST_WITH(function, Setting, s, setting_open, setting_close)

static void untouched(const Setting *s)
{
    CHECK(memcmp(s->before, s->w->data, sizeof s->before) == 0, "the weights changed");
    CHECK(memcmp(s->grad, s->w->grad, sizeof s->grad) == 0, "the gradients changed");
    CHECK(memcmp(s->m, s->adam.m, sizeof s->m) == 0, "Adam's means changed");
    CHECK(s->adam.steps == 1, "Adam counts %d steps", (int)s->adam.steps);
}

SETTING_TEST(failure_poisons_the_rest)
{
    Tensor *x = ones(s->tape, shape1(4)), *bad = ag_add(x, ones(s->tape, shape1(3)));
    const int line = __LINE__ - 1;
    Tensor *after[] = {
        ag_mul(bad, s->w),         ag_mul(x, s->w),     ag_reshape(x, shape2(2, 2)),
        ag_transpose(bad, 0, 1),   ag_name(bad, "bad"), ones(s->tape, shape1(2)),
        tape_param(s->tape, s->w), ag_detach(x),        ag_attention(bad, bad, bad, (Mask){0}, 0),
    };
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        CHECK(tensor_is_poison(after[i]), "call %d after the failure has a result", (int)i);
    CHECK(!ag_backward(ag_sum(ag_mul(bad, s->w))), "backward of poison succeeds");
    CHECK(!adam_step(&s->adam, s->params) && !sgd_step(&s->sgd, s->params), "a step on poison");
    untouched(s);
    CHECK(s->tape->failed && heard.calls == 1, "told %d times", heard.calls);
    TOLD(line, "ag_add: a is (4,), b is (3,)");

    /* Only the reset mends the tape: a program that clears the error early gets no further. */
    CHECK(!ag_backward(x), "the tape forgot that it failed");
    TOLD(__LINE__ - 1, "ag_backward: the tape failed before: " __FILE__ ":");
    CHECK(tensor_is_poison(ag_scale(x, 2)), "the tape forgot that it failed");
    TOLD(__LINE__ - 1, "ag_scale: the tape failed before: " __FILE__ ":");
    CHECK(!adam_step(&s->adam, s->params) && !sgd_step(&s->sgd, s->params), "a step after all");
    TOLD(__LINE__ - 1, "adam_step: the last backward failed; expected one that succeeded");
    untouched(s);
    tape_reset(s->tape);
    CHECK(ag_backward(ag_sum(ag_mul(ones(s->tape, shape1(4)), s->w))), "%s", tensor_error());
    CHECK(adam_step(&s->adam, s->params), "after the reset: %s", tensor_error());
    CHECK(heard.calls == 4, "a success was told");
    ag_add(ones(s->tape, shape1(2)), ones(s->tape, shape1(3)));
    CHECK(heard.calls == 5, "the second failure was told %d times", heard.calls - 4);
    tensor_clear_error();
}

/* A reset ends the failure of its own tape's step, and no other. */
SETTING_TEST(a_reset_ends_its_own_failure)
{
    Tape *other = tape_new(1);
    ag_add(ones(s->tape, shape1(4)), ones(s->tape, shape1(3)));
    tape_reset(other);
    CHECK(strstr(tensor_error(), "ag_add: a is (4,)"), "another tape's reset ended it: \"%s\"",
          tensor_error());
    tape_reset(s->tape);
    CHECK(!tensor_failed(), "its own reset left \"%s\"", tensor_error());
    ag_add(ones(other, shape1(4)), ones(other, shape1(3)));
    tape_free(other);
    tape_reset(s->tape);
    CHECK(strstr(tensor_error(), "ag_add: a is (4,)"), "it went with its tape: \"%s\"",
          tensor_error());
    tensor_clear_error();
}

static void count(const char *message, void *context)
{
    (void)message;
    ++*(int *)context;
}

/* A tape with a handler of its own tells that one alone, and what is on no tape goes to the
 * process's. */
TEST(a_tape_has_its_own_handler)
{
    Tape *own = tape_new(1), *other = tape_new(1);
    int told = 0;
    own->on_error = count, own->on_error_context = &told;
    start_listening();
    ag_add(ones(own, shape1(4)), ones(own, shape1(3)));
    CHECK(told == 1 && heard.calls == 0, "its own: %d, the process's: %d", told, heard.calls);
    tape_reset(own);
    ag_add(ones(other, shape1(4)), ones(other, shape1(3)));
    CHECK(told == 1 && heard.calls == 1, "its own: %d, the process's: %d", told, heard.calls);
    tape_reset(other);
    tensor_new(shape1(-1));
    CHECK(told == 1 && heard.calls == 2, "its own: %d, the process's: %d", told, heard.calls);
    tensor_clear_error();
    tape_free(own);
    tape_free(other);
}

/* The steps of a program that clears the error instead of ending: backward of poison, whose tape
 * nothing tells, holds the optimisers until a tape begins its next step. */
SETTING_TEST(a_step_needs_its_backward)
{
    Tape *validation = tape_new(1);
    Tensor *bad = ag_add(ones(s->tape, shape1(4)), ones(s->tape, shape1(3)));
    tape_reset(validation);
    tensor_clear_error();
    CHECK(!ag_backward(bad), "backward of poison succeeds");
    tensor_clear_error();
    CHECK(!adam_step(&s->adam, s->params), "a step without gradients");
    TOLD(__LINE__ - 1, "adam_step: the last backward failed");
    untouched(s);
    tape_reset(s->tape);
    CHECK(adam_step(&s->adam, s->params), "after the reset: %s", tensor_error());
    tape_free(validation);
}

/* The reason why an init failed is what the student reads after the step in which the module is
 * used: neither the reset nor the use of the module takes its place. */
SETTING_TEST(a_failed_init_is_remembered)
{
    Linear first, second;
    nn_linear_init(&first, s->params, "fc1", 4, 4, true);
    nn_linear_init(&second, s->params, "fc1", 4, 4, true);
    const int line = __LINE__ - 1;
    for (int step = 0; step < 2; step++) {
        tape_reset(s->tape);
        Tensor *y = nn_linear(&second, nn_linear(&first, ones(s->tape, shape2(1, 4))));
        CHECK(!ag_backward(ag_sum(y)) && !adam_step(&s->adam, s->params),
              "a step without a module");
    }
    CHECK(heard.calls == 1, "told %d times", heard.calls);
    TOLD(line, "nn_linear_init: params_add: the path 'fc1.weight' is taken");
    tape_reset(s->tape);
    CHECK(!tensor_failed(), "the step's failure outlived it: \"%s\"", tensor_error());
}

/* ---- misuse of the tape ---------------------------------------------------------------------- */

TEST_ON_TAPE(tensors_of_an_earlier_step)
{
    for (int use = 0; use < 7; use++) {
        tape_reset(tape);
        Tensor *x = ag_name(ones(tape, shape2(2, 3)), "hidden"), *y = ag_sum(x);
        x->needs_grad = y->needs_grad = true;
        tape_reset(tape);
        Tensor *fresh = ones(tape, shape2(2, 3));
        const int line = __LINE__;
        bool failed = use == 0   ? tensor_is_poison(ag_scale(x, 2))
                      : use == 1 ? tensor_is_poison(ag_add(fresh, x))
                      : use == 2 ? tensor_is_poison(ag_transpose(x, 0, 1))
                      : use == 3 ? tensor_is_poison(ag_detach(x))
                      : use == 4 ? tensor_is_poison(ag_name(x, "again"))
                      : use == 5 ? tensor_is_poison(tape_param(tape, x))
                                 : !ag_backward(y);
        CHECK(failed && tape->failed, "use %d of a tensor of the step before succeeds", use);
        char part[300];
        snprintf(part, sizeof part,
                 "%s is of an earlier step, which tape_reset has ended (it is the result of %s at "
                 "%s:%d)",
                 use == 6 ? "()" : "'hidden' (2, 3)", use == 6 ? "ag_sum" : "tape_full", __FILE__,
                 use == 6 ? line - 4 : ones_line);
        TOLD_WITHIN(line + 1, line + 7, part);
    }
}

/* A tensor kept over several resets is reported, whatever was made in its place since; only after a
 * multiple of TAPE_GENERATIONS resets its header has been used again. */
TEST_ON_TAPE(tensors_of_any_earlier_step)
{
    for (int resets = 1; resets <= 3 * TAPE_GENERATIONS; resets++) {
        tape_reset(tape);
        Tensor *old = ag_name(ones(tape, shape1(3)), "kept");
        for (int i = 0; i < resets; i++) {
            tape_reset(tape);
            for (int k = 0; k < 5; k++)
                ag_scale(ones(tape, shape1(2)), 2);
        }
        bool refused = tensor_is_poison(ag_scale(old, 2));
        const int line = __LINE__ - 1;
        bool reused = resets % TAPE_GENERATIONS == 0;
        CHECK(refused != reused, "%d resets: %s", resets, refused ? "refused" : "taken");
        if (!reused)
            TOLD(line, resets < TAPE_GENERATIONS ? "'kept' (3,) is of an earlier step"
                                                 : "is of an earlier step");
        CHECK(!tensor_failed(), "%s", tensor_error());
    }
}

TEST(operands_that_do_not_belong)
{
    Params *p = params_new(1);
    Tensor *w = params_add(p, "w", shape1(2), nn_normal(1));
    Tape *tape = tape_new(1), *other = tape_new(2);
    Tensor *x = ones(tape, shape1(2));
    ag_add(x, ones(other, shape1(2)));
    TOLD(__LINE__ - 1, "ag_add: the operands are on two tapes; expected one");
    CHECK(tape->failed && other->failed, "a tape goes on");
    tape_reset(tape);
    tape_reset(other);
    ag_mul(w, w);
    TOLD(__LINE__ - 1, "ag_mul: no operand is on a tape; expected one that is");
    ag_transpose(w, 0, 0);
    TOLD(__LINE__ - 1, "; expected a tensor on one (tape_param puts a weight there)");
    CHECK(!tensor_is_poison(ag_mul(tape_param(tape, w), w)), "%s", tensor_error());
    x = ones(tape, shape2(2, 2));
    ag_embedding(x, x);
    TOLD(__LINE__ - 1, "operand 2, (2, 2), holds real numbers; expected whole numbers");
    tape_free(tape);
    tape_free(other);
    params_free(p);
}

SETTING_TEST(backward_needs_one_number_once)
{
    Tensor *y = ag_mul(ones(s->tape, shape1(4)), s->w);
    CHECK(!ag_backward(y), "of four numbers");
    TOLD(__LINE__ - 1, "ag_backward: the loss is (4,); expected one element");
    tape_reset(s->tape);
    CHECK(!ag_backward(ag_sum(ones(s->tape, shape1(4)))), "of a constant");
    TOLD(__LINE__ - 1, "depends on nothing that needs a gradient");
    tape_reset(s->tape);
    s->tape->no_grad = true;
    CHECK(!ag_backward(ag_sum(ag_mul(ones(s->tape, shape1(4)), s->w))), "under no_grad");
    TOLD(__LINE__ - 1, "no_grad");
    s->tape->no_grad = false;
    tape_reset(s->tape);
    CHECK(!ag_backward_from(ag_mul(ones(s->tape, shape1(4)), s->w), NULL), "from nothing");
    TOLD(__LINE__ - 1, "upstream is NULL; expected a gradient of shape (4,)");
    untouched(s);

    tape_reset(s->tape);
    y = ag_sum(ag_mul(ones(s->tape, shape1(4)), s->w));
    CHECK(ag_backward(y), "%s", tensor_error());
    for (int i = 0; i < 4; i++)
        s->grad[i] = s->w->grad[i]; /* with the first pass, and not with the second */
    CHECK(!ag_backward(y), "a second time");
    TOLD(__LINE__ - 1, "ag_backward: backward already ran on this tape");
    untouched(s);
}

/* An error of any kind holds the optimisers: what the gradients are is no longer sure. */
SETTING_TEST(optimisers_wait_for_the_reset)
{
    tensor_fail("something else");
    CHECK(!adam_step(&s->adam, s->params) && !sgd_step(&s->sgd, s->params),
          "a step after a failure");
    untouched(s);
    CHECK_ERROR("something else");
    params_add(s->params, "late", shape1(1), nn_constant(0));
    CHECK(!adam_step(&s->adam, s->params), "a step with a weight that it does not know");
    TOLD(__LINE__ - 1, "adam_step: the model has 5 parameters; expected 4, as at init");
    REFUSES(sgd_step, "the model has 5 parameters", &s->sgd, s->params);
    untouched(s);
}
