/* op_tests.h: on what each op of the library is tried, and how it is called.
 *
 * One table for each family of ops, in the file of its name; an op without a row fails test_ops.c.
 * An op from outside of the library is tried by an OpTest of its own (op_checks.h). */
#ifndef GRADUS_TESTS_OP_TESTS_H
#define GRADUS_TESTS_OP_TESTS_H

#include "autograd/autograd.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* what a sample has not is 0 */

/* A set of operands on which the tests try an op: gradient, oracle, views, and all kernel sets. */
typedef struct {
    const char *label;  /* "plain", "broadcast", "size 0", ...                              */
    const char *shapes; /* of the operands: "2,3 () -", () a scalar, - one that is not given */
    double arg[4];      /* passed to `call`, and to the oracle as n0, n1, ...               */
    const char *fails;  /* NULL, or what the error must say                                 */
} OpSample;

/* The function NAME_call, which calls an op with operands in[0], in[1], ... and arg[0], ... */
#define CALL(name, expression)                                 \
    static Tensor *name##_call(Tensor **in, const double *arg) \
    {                                                          \
        (void)arg;                                             \
        return expression;                                     \
    }

typedef struct {
    const char *op;          /* its name in ag_ops                                        */
    const char *oracle;      /* in PyTorch, of a, b, c, d, e and n0, n1, n2, n3           */
    const OpSample *samples; /* closed by one without a label                        */
    /* The public function: of one operand, of two, or of whatever else. */
    Tensor *(*one)(Tensor *x);
    Tensor *(*two)(Tensor *a, Tensor *b);
    Tensor *(*call)(Tensor **in, const double *arg);
    double low, high; /* operands lie between; both 0: -2 and 2                    */
    int ids_below;
    unsigned constant; /* bit i: operand i is a mask of 0 and 1 and takes no gradient */
} OpTest;

/* Each closed by one without a name. */
extern const OpTest elements_tests[], losses_tests[], pairs_tests[], products_tests[];
extern const OpTest reduce_tests[], rows_tests[], shapes_tests[];

/* The test of this op; NULL where there is none. */
const OpTest *op_test_of(const Op *op);
int op_tests_count(void);

#endif
