/* exactness.h: products whose error is known for PyTorch's sgemm, for `./gradus bench --exactness`
 * and test_exactness.c.
 *
 * A kind of input is a pair of matrices as training and pretrained models bring them, drawn from a
 * fixed seed. Two figures, in units of 2^-24 (half a unit in the last place of 1), with E = C - A B
 * and A B summed in double:
 *
 *    element-wise  max over i, j of |E_ij| / (|A||B|)_ij, the bound that error analysis gives for sums of floats
 *    norm-wise     ||E|| / ||A B||, Frobenius norms
 *
 * Higham, "Accuracy and stability of numerical algorithms" (2002), 3.5. The stored figures of sgemm
 * are made by tests/bench/exactness_sgemm.py from the same matrices. */
#ifndef GRADUS_TESTS_EXACTNESS_H
#define GRADUS_TESTS_EXACTNESS_H

#include "tensor/kernels/kernels.h"

/* A (m, k) and B (k, n), both by rows. */
typedef struct {
    int64_t m, n, k;
    float *a, *b;
} Factors;

typedef struct {
    double element, norm;
} ProductError;

/* What is promised of a kind, in every set: nothing; twice sgemm's element-wise error; no error at
 * all. */
typedef enum { PROMISE_NONE, PROMISE_TWICE, PROMISE_EXACT } Promise;

enum { EXACTNESS_KINDS = 38, EXACTNESS_LENGTHS = 4 };
extern const int64_t exactness_lengths
    [EXACTNESS_LENGTHS]; /* of k; real activations have one of their own, as the first */

const char *exactness_name(int kind);
Promise exactness_promise(int kind);

/* The matrices of a kind and a length; false where the kind has no such length. Free both. */
bool exactness_factors(Factors *f, int kind, int length);

/* sgemm's figures for them; false if they are not stored. */
bool exactness_sgemm(ProductError *e, int kind, int length);

/* C (m, n) = A B by the kernel set in use, and its errors. */
void exactness_multiply(float *c, const Factors *f);
ProductError exactness_errors(const float *c, const Factors *f);

#endif
