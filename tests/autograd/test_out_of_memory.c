/* test_out_of_memory.c: every op of ag_ops on every one of its samples, forward and backward, with
 * its first, second, ... allocation failing. The operands stay as they were, nothing leaks, and
 * after a reset the same tape computes as if nothing had been. The table of cases is made from the
 * list, so no op escapes. */
#include "tests/harness/test.h"
#include "tests/autograd/samples.h"

#include "nn/nn.h"

#include <string.h>

typedef struct {
    Operands o;
    Tape *tape;
    Tensor *in[SAMPLE_INPUTS]; /* the operands on the tape */
    Pass want;                 /* what comes out with enough memory */
} Setting;

static bool attempt(void *context)
{
    Setting *s = context;
    memset(s->in, 0, sizeof s->in);
    s->tape = tape_new(1);
    for (int k = 0; s->tape && k < s->o.count; k++)
        s->in[k] = operand_leaf(&s->o, k, s->tape);
    Tensor *y = s->tape ? operands_call(&s->o, s->in) : tensor_poison();
    return !tensor_is_poison(y) && (!y->needs_grad || sample_backward(y));
}

/* Those that came onto the tape before memory ran out. */
static bool operands_unchanged(const Setting *s)
{
    for (int k = 0; k < s->o.count; k++)
        if (s->in[k] && !tensor_is_poison(s->in[k]) && tensor_difference(s->in[k], s->o.x[k], 0, 0))
            return false;
    return true;
}

/* Where an allocation could be done without, the gradients are as ever. */
static bool gradients_right(const Setting *s)
{
    for (int k = 0; k < s->o.count; k++) {
        if (!s->want.grad[k])
            continue;
        Tensor got = *s->in[k];
        got.data = got.grad;
        if (!got.data || tensor_difference(&got, s->want.grad[k], 0, 0))
            return false;
    }
    return true;
}

static bool finish(void *context, bool ok)
{
    Setting *s = context;
    Pass again;
    bool good = operands_unchanged(s) && (!ok || gradients_right(s));
    if (!ok && s->tape) {
        good &=
            pass_run(&again, s->tape, &s->o, &(How){0}) && !pass_difference(&again, &s->want, 0, 0);
        pass_free(&again);
    }
    tape_free(s->tape);
    return good;
}

TEST_EACH(op, samples_ops, samples_op)
{
    const Op *op = ag_ops[test_index()];
    const OpTest *test = op_test_of(op);
    REQUIRE(test, "%s: no row in tests/autograd/ops", op->name);
    for (const OpSample *sample = test->samples; sample->label; sample++) {
        Setting s = {0};
        if (sample->fails)
            continue;
        operands_make(&s.o, op, test, sample);
        Tape *tape = tape_new(1);
        CHECK(pass_run(&s.want, tape, &s.o, &(How){0}), "%s: %s", sample->label, tensor_error());
        tape_free(tape);
        const Attempt trial = {.attempt = attempt, .finish = finish, .context = &s};
        CHECK(CHECK_TRIAL_MEMORY(&trial), "%s, sample \"%s\"", op->name, sample->label);
        pass_free(&s.want);
        operands_free(&s.o);
    }
}

/* ---- what is no op of the list --------------------------------------------------------------- */

TEST_OUT_OF_MEMORY(views_and_names)
{
    static const real numbers[24] = {1, 2, 3};
    Tape *tape = tape_new(1);
    Tensor *x = ag_name(tape_leaf(tape, numbers, shape2(4, 6)), "x");
    Tensor *y = ag_permute(ag_reshape(x, shape3(2, 2, 6)), (int[]){2, 0, 1});
    for (int i = 0; i < 70; i++) /* more than the lists and the pool begin with */
        y = ag_name(ag_slice(y, 0, 0, 6), "y");
    y = ag_sum(ag_transpose(y, 0, 1));
    bool ok = ag_backward(y) && tape_find(tape, "x") == x && x->grad[0] == 1;
    tape_free(tape);
    return ok;
}

/* Modules that have no such test of their own. */
TEST_OUT_OF_MEMORY(modules)
{
    static const real numbers[24] = {1, 2, 3};
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    Linear linear;
    Lora lora;
    Sgd sgd = {0};
    bool ok = p && tape && nn_linear_init(&linear, p, "linear", 4, 5, true) &&
              nn_lora_init(&lora, p, "lora", linear, 2, 1) && sgd_init(&sgd, p, 1, 0.9, 0) &&
              ag_backward(ag_mean(nn_lora(&lora, tape_leaf(tape, numbers, shape2(6, 4))))) &&
              sgd_step(&sgd, p) && nn_lora_merge(&lora);
    sgd_free(&sgd);
    tape_free(tape);
    params_free(p);
    return ok;
}
