/* test_out_of_memory.c: every op of ag_ops on every one of its samples, forward and backward, with
 * its first, second, ... allocation failing. The operands stay as they were, nothing leaks, and
 * after a reset the same tape computes as if nothing had been. The table of cases is made from the
 * list, so no op escapes. */
#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

#include "nn/nn.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Operands o;
    Tape *tape;
    Tensor *in[SAMPLE_INPUTS]; /* the operands on the tape */
    Pass want;                 /* what comes out with enough memory */
} Setting;

static bool pass(Setting *s)
{
    memset(s->in, 0, sizeof s->in);
    for (int k = 0; k < s->o.count; k++)
        s->in[k] = operand_leaf(&s->o, k, s->tape);
    Tensor *y = operands_call(&s->o, s->in);
    if (tensor_is_poison(y))
        return false;
    if (!y->needs_grad)
        return true;
    real *upstream = calloc((size_t)tensor_size(y) + 1, sizeof *upstream);
    for (int64_t i = 0; i < tensor_size(y); i++)
        upstream[i] = sample_upstream(i);
    bool ok = ag_backward_from(y, upstream);
    free(upstream);
    return ok;
}

static bool attempt(void *context)
{
    Setting *s = context;
    memset(s->in, 0, sizeof s->in);
    s->tape = tape_new(1);
    return s->tape && pass(s);
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

static void an_op(void)
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

static bool views_and_names(void *unused)
{
    static const real numbers[24] = {1, 2, 3};
    Tape *tape = tape_new(1);
    Tensor *x = ag_name(tape_leaf(tape, numbers, shape2(4, 6)), "x");
    Tensor *y = ag_permute(ag_reshape(x, shape3(2, 2, 6)), (int[]){2, 0, 1});
    for (int i = 0; i < 70; i++) /* more than the lists and the pool begin with */
        y = ag_name(ag_slice(y, 0, 0, 6), "y");
    y = ag_sum(ag_transpose(y, 0, 1));
    bool ok = ag_backward(y) && tape_find(tape, "x") == x && x->grad[0] == 1;
    (void)unused;
    tape_free(tape);
    return ok;
}

/* One after the other, those that have no such test of their own. */
typedef struct {
    Params *params;
    Tape *tape;
    MultiHeadAttention cross;
    AdditiveAttention additive;
    Norm norm;
    Linear linear;
    Lora lora;
    Sgd sgd;
} Modules;

static bool modules_open(Modules *m)
{
    Params *p = params_new(1);
    *m = (Modules){.params = p, .tape = tape_new(1)};
    return p && m->tape && nn_attention_init(&m->cross, p, "cross", 4, 2, 0.5) &&
           nn_additive_attention_init(&m->additive, p, "additive", 4, 4, 3) &&
           nn_rmsnorm_init(&m->norm, p, "norm", 4) &&
           nn_linear_init(&m->linear, p, "linear", 4, 5, true) &&
           nn_lora_init(&m->lora, p, "lora", m->linear, 2, 1) && sgd_init(&m->sgd, p, 1, 0.9, 0);
}

static bool modules_step(Modules *m)
{
    static const real numbers[24] = {1, 2, 3};
    m->tape->training = m->tape->keep_maps = true;
    Tensor *x = tape_leaf(m->tape, numbers, shape3(2, 3, 4));
    Tensor *memory = tape_leaf(m->tape, numbers, shape3(2, 3, 4));
    Tensor *y = nn_cross_attention(&m->cross, x, memory, (Mask){.causal = true});
    y = nn_additive_attention(&m->additive, y, memory, NULL, (Mask){0}, NULL);
    y = nn_lora(&m->lora, nn_norm(&m->norm, y));
    return ag_backward(ag_mean(y)) && sgd_step(&m->sgd, m->params) && nn_lora_merge(&m->lora);
}

static bool modules(void *unused)
{
    Modules m;
    (void)unused;
    bool ok = modules_open(&m) && modules_step(&m);
    sgd_free(&m.sgd);
    tape_free(m.tape);
    params_free(m.params);
    return ok;
}

static void other_calls(void)
{
    CHECK(views_and_names(NULL), "%s", tensor_error());
    CHECK_OUT_OF_MEMORY(views_and_names, NULL);
    CHECK(modules(NULL), "%s", tensor_error());
    CHECK_OUT_OF_MEMORY(modules, NULL);
}

int main(int argc, char **argv)
{
    int n = samples_ops();
    TestCase *cases = calloc((size_t)n + 2, sizeof *cases);
    for (int i = 0; cases && i < n; i++)
        cases[i] = (TestCase){ag_ops[i]->name, an_op};
    if (cases)
        cases[n] = (TestCase){"views, names and modules", other_calls};
    int status = cases ? run_tests("out_of_memory", cases, argc, argv) : 1;
    free(cases);
    return status;
}
