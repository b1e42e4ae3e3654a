/* samples.h: operands for the ops' samples, and one pass of an op over them.
 *
 * Operands are made by a formula, so that float, double and PyTorch (golden/definitions.py) compute
 * from the same numbers:
 *   element i of operand k = low + (high - low) frac(phi (i + 1) + 0.31 k + 0.17),  phi = 0.618...
 *   id i                   = (7919 i + 13) mod ids_below
 *   element i of dL/dy     = frac(phi (i + 1) + 0.73) - 0.5
 * The multiples of the golden ratio are spread evenly and never repeat. All are rounded to
 * float. */
#ifndef GRADUS_TESTS_SAMPLES_H
#define GRADUS_TESTS_SAMPLES_H

#include "tests/autograd/ops/op_tests.h"

enum { SAMPLE_INPUTS = 5 };

typedef struct {
    const Op *op;
    const OpTest *test;
    const OpSample *sample;
    int count;                /* positions, those not given included             */
    Tensor *x[SAMPLE_INPUTS]; /* contiguous, on no tape; NULL where not given    */
    Tensor memory[SAMPLE_INPUTS];
} Operands;

int samples_ops(void);              /* how many ops there are */
const char *samples_op(int number); /* the name of one        */
bool sample_is_ids(const Op *op, int k);
bool sample_is_constant(const OpTest *test, int k);
real sample_upstream(int64_t i);
/* Backward from y with these upstream weights. */
bool sample_backward(Tensor *y);

void operands_make(Operands *o, const Op *op, const OpTest *test, const OpSample *sample);
void operands_free(Operands *o);
/* Does operand k stand there, of real numbers, and take a gradient? */
bool operand_learns(const Operands *o, int k);
/* The op's public function on these tensors, as a program would call it. */
Tensor *operands_call(const Operands *o, Tensor **in);
/* Operand k on a tape. A leaf unless it takes no gradient. */
Tensor *operand_leaf(const Operands *o, int k, Tape *tape);

/* ---- one pass -------------------------------------------------------------------------------- */

/* How an operand is stored. Around all but PLAIN and REVERSED there are NaNs. */
typedef enum {
    PLAIN,
    THIRDS,   /* every third number of a larger tensor: no axis has stride 1 */
    REVERSED, /* with the axes in the opposite order                         */
    PADDED,   /* each row between two other numbers                          */
} Storage;

typedef struct {
    Storage storage[SAMPLE_INPUTS];
    unsigned fixed; /* bit k: operand k is given as a constant */
    bool twice;     /* y + y of two calls on the same operands */
} How;

/* What came out: copies of y and of the gradients (NULL for none), which outlive the tape. */
typedef struct {
    Tensor *y, *grad[SAMPLE_INPUTS];
    bool leaked; /* a gradient fell outside of a view */
} Pass;

/* Forward, and backward from the upstream weights where there is something to learn. Resets the
 * tape. False, with the error pending, when something failed. pass_free it in either case. */
bool pass_run(Pass *p, Tape *tape, const Operands *o, const How *how);
void pass_free(Pass *p);

/* NULL where both passes agree in y and in all gradients; otherwise what differs, in one line. */
const char *pass_difference(const Pass *got, const Pass *want, double relative, double absolute);

#endif
