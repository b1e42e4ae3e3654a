/* test_ops.c: every op of ag_ops, on every one of its samples, by every check of op_checks.h.
 *
 * The table of cases is made from the list, so an op that is in the library is tested, and one
 * without a row in tests/autograd/ops fails. */
#include "tests/autograd/op_checks.h"
#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

#include <stdlib.h>

static void run_case(void)
{
    const Op *op = ag_ops[test_index() / OP_CHECKS];
    const OpTest *test = op_test_of(op);
    CHECK(!test || (test->oracle && *test->oracle), "%s: no oracle", op->name);
    op_check(test_index() % OP_CHECKS, op, test);
}

static void no_row_is_left(void)
{
    const OpTest *test = op_test_without_op();
    CHECK(!test, "tests/autograd/ops: a row for \"%s\", which no op is called",
          test ? test->op : "");
}

int main(int argc, char **argv)
{
    enum { NAME = 64 };
    int count = samples_ops() * OP_CHECKS;
    TestCase *cases = calloc((size_t)count + 2, sizeof *cases);
    char *names = calloc((size_t)count, NAME);
    for (int i = 0; i < count; i++) {
        char *name = names + (size_t)i * NAME;
        snprintf(name, NAME, "%s: %s", ag_ops[i / OP_CHECKS]->name, op_check_name(i % OP_CHECKS));
        cases[i] = (TestCase){name, run_case};
    }
    cases[count] = (TestCase){"each row of tests/autograd/ops has its op", no_row_is_left};
    int status = run_tests("ops", cases, argc, argv);
    free(names);
    free(cases);
    return status;
}
