/* test_ops.c: every op of ag_ops, on every one of its samples, by every check of op_checks.h.
 *
 * The table of cases is made from the list, so an op that is in the library is tested, and one
 * without a row in tests/autograd/ops fails. */
#include "tests/autograd/op_checks.h"
#include "tests/harness/test.h"
#include "tests/autograd/samples.h"

static int checks(void)
{
    return samples_ops() * OP_CHECKS;
}

static const char *check_name(int i)
{
    static char name[64];
    snprintf(name, sizeof name, "%s: %s", samples_op(i / OP_CHECKS), op_check_name(i % OP_CHECKS));
    return name;
}

TEST_EACH(op, checks, check_name)
{
    const Op *op = ag_ops[test_index() / OP_CHECKS];
    const OpTest *test = op_test_of(op);
    CHECK(!test || (test->oracle && *test->oracle), "%s: no oracle", op->name);
    op_check(test_index() % OP_CHECKS, op, test);
}

TEST(each_row_of_tests_autograd_ops_has_its_op)
{
    CHECK(op_tests_count() == samples_ops(), "%d rows in tests/autograd/ops, %d ops",
          op_tests_count(), samples_ops());
}
