/* op_checks.h: one op on every one of its samples, the library's or one from outside of it.
 *
 *   samples     there are the sizes at which ops break
 *   gradient    backward agrees with finite differences, also where one tensor is two operands (in
 *               double alone)
 *   views       an operand may be stored in any way
 *   constants   an operand that wants no gradient changes nothing for the others
 *   adds        backward adds to what is there
 *
 * What an op refuses is in test_op_errors.c. */
#ifndef GRADUS_TESTS_OP_CHECKS_H
#define GRADUS_TESTS_OP_CHECKS_H

#include "tests/autograd/ops/op_tests.h"

enum { OP_CHECKS = 5 };

const char *op_check_name(int check);
/* One of the checks above, of an op on what its test says. test NULL: a failure that names the
 * op. */
void op_check(int check, const Op *op, const OpTest *test);

#endif
