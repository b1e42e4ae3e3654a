/* op_tests.h: on what each op of the library is tried, and how it is called.
 *
 * One table for each family of ops, in the file of its name; an op without a row fails test_ops.c.
 * An op from outside of the library is tried by an OpTest of its own (op_checks.h). */
#ifndef GRADUS_TESTS_OP_TESTS_H
#define GRADUS_TESTS_OP_TESTS_H

#include "autograd/autograd.h"

/* A set of operands on which the tests try an op: gradient, oracle, views, and all kernel sets. */
typedef struct {
    const char *label; /* "plain", "broadcast", "size 0", ...                               */
    Shape in[5];       /* of the operands that it has; those of ids are filled below ids_below */
    int inputs;
    unsigned absent;   /* bit i: operand i is not given                                     */
    double arg[4];     /* passed to `call`, and to the oracle as n0, n1, ...                */
    const char *fails; /* NULL, or what the error must say                                  */
} OpSample;

typedef struct {
    const char *op;     /* its name in ag_ops                                        */
    const char *oracle; /* in PyTorch, of a, b, c, d, e and n0, n1, n2, n3           */
    /* The public function: of one operand, of two, or of whatever else. */
    Tensor *(*one)(Tensor *x);
    Tensor *(*two)(Tensor *a, Tensor *b);
    Tensor *(*call)(Tensor **in, const double *arg);
    double low, high; /* operands lie between; both 0: -2 and 2                    */
    int ids_below;
    unsigned constant;       /* bit i: operand i is a mask of 0 and 1 and takes no gradient */
    const OpSample *samples; /* closed by one without a label */
} OpTest;

/* Each closed by one without a name. */
extern const OpTest elements_tests[], losses_tests[], pairs_tests[], products_tests[];
extern const OpTest reduce_tests[], rows_tests[], shapes_tests[];

/* The test of this op; NULL where there is none. */
const OpTest *op_test_of(const Op *op);
/* The first OpTest that speaks of no op of the library; NULL where there is none. */
const OpTest *op_test_without_op(void);

#endif
