/* tests.c: the tests of debug-1. See bug.h, and GUIDE.md beside this folder. */
#include "debug1.h"

#include "bug.h"

BUG_CALL(void, weights, (double *a, const double *q, const double *k, int n, int d),
         (a, q, k, n, d))
BUG_CALL(void, begin, (Model * m), (m))
BUG_CALL(int, draw, (double *q, double *k, unsigned *state), (q, k, state))
BUG_CALL(double, train, (Model * m, int steps, unsigned *state), (m, steps, state))

BUG_TESTS(weights, begin, draw, train)
