/* test_golden.c: every op against PyTorch, value and gradients.
 *
 * Finite differences show that backward fits forward; only another implementation shows that
 * forward is what its name says. Tolerance: PyTorch's own for float32, 1.3e-6 relative (about 11
 * units in the last place), and 1e-5 absolute for what is left where large terms cancel. */
#include "tests/harness/oracle.h"
#include "tests/harness/test.h"
#include "tests/autograd/samples.h"

static const double relative = 1.3e-6, absolute = 1e-5;

static Safetensors golden; /* read once */

static bool open_golden(void)
{
    return CHECK(golden.count > 0 || oracle_open(&golden, "ops.safetensors"), "%s", tensor_error());
}

/* One sample. False where PyTorch has no answer (dropout's choice is our own). */
static bool compare(const Operands *o, Tape *tape, int index)
{
    const char *op = o->op->name, *label = o->sample->label;
    char name[TENSOR_NAME_MAX];
    snprintf(name, sizeof name, "%s.%d", op, index);
    if (oracle_skips(&golden, name))
        return false;
    Pass p;
    CHECK(pass_run(&p, tape, o, &(How){0}), "%s, %s: %s", op, label, tensor_error());
    Tensor *want = oracle_find(&golden, "%s.y", name);
    const char *difference = want ? tensor_difference(p.y, want, relative, absolute) : "not there";
    CHECK(!difference, "%s, %s (%s.y): %s", op, label, name, difference);
    for (int k = 0; k < o->count; k++) {
        want = oracle_find(&golden, "%s.grad%d", name, k);
        CHECK((want != NULL) == operand_learns(o, k), "%s, %s: gradient %d of the oracle", op,
              label, k + 1);
        if (!want)
            continue;
        difference = tensor_difference(p.grad[k], want, relative, absolute);
        CHECK(!difference, "%s, %s, gradient of operand %d: %s", op, label, k + 1, difference);
    }
    pass_free(&p);
    return true;
}

TEST_EACH(as_PyTorch, samples_ops, samples_op)
{
    const Op *op = ag_ops[test_index()];
    const OpTest *test = op_test_of(op);
    REQUIRE(test, "%s: no row in tests/autograd/ops", op->name);
    REQUIRE(open_golden(), "no oracle");
    Tape *tape = tape_new(1);
    int compared = 0, skipped = 0;
    for (int i = 0; test->samples[i].label; i++) {
        Operands o;
        if (test->samples[i].fails)
            continue;
        operands_make(&o, op, test, &test->samples[i]);
        if (compare(&o, tape, i))
            compared++;
        else
            skipped++;
        operands_free(&o);
    }
    CHECK(compared > 0, "%s: PyTorch was asked about none of %d samples", op->name, skipped);
    tape_free(tape);
}

/* Nothing in the file belongs to a sample that is gone. */
TEST(the_oracle_knows_these_samples)
{
    REQUIRE(open_golden(), "no oracle");
    int known = 0;
    for (int o = 0; ag_ops[o]; o++) {
        const OpTest *test = op_test_of(ag_ops[o]);
        for (int i = 0; test && test->samples[i].label; i++) {
            known += oracle_find(&golden, "%s.%d.y", ag_ops[o]->name, i) != NULL;
            for (int k = 0; k < SAMPLE_INPUTS; k++)
                known += oracle_find(&golden, "%s.%d.grad%d", ag_ops[o]->name, i, k) != NULL;
        }
    }
    CHECK(known == golden.count, "%d of %d tensors are known; run golden/make_golden.py", known,
          golden.count);
}
