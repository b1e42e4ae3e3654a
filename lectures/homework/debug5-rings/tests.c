/* tests.c: the tests of debug-5. See bug.h, and GUIDE.md beside this folder. */
#include "debug5.h"

#include "bug.h"

BUG_CALL(void, begin, (Model * m, unsigned *state), (m, state))
BUG_CALL(int, draw, (double x[2], unsigned *state), (x, state))
BUG_CALL(double, predict, (const Model *m, const double x[2], unsigned *noise), (m, x, noise))
BUG_CALL(double, train, (Model * m, int steps, unsigned *state), (m, steps, state))

BUG_TESTS(begin, draw, predict, train)
