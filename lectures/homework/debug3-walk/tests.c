/* tests.c: the tests of debug-3. See bug.h, and GUIDE.md beside this folder. */
#include "debug3.h"

#include "bug.h"

BUG_CALL(void, begin, (Model * m, unsigned *state), (m, state))
BUG_CALL(void, draw, (int *walk, int n, unsigned *state), (walk, n, state))
BUG_CALL(void, predict, (const Model *m, int place, double *p), (m, place, p))
BUG_CALL(double, loss, (const Model *m, const int *walk, int n), (m, walk, n))
BUG_CALL(double, train, (Model * m, int steps, unsigned *state), (m, steps, state))

BUG_TESTS(begin, draw, predict, loss, train)
