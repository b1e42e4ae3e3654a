/* tests.c: the tests of debug-4. See bug.h, and GUIDE.md beside this folder. */
#include "debug4.h"

#include "bug.h"

BUG_CALL(void, begin, (Model * m), (m))
BUG_CALL(double, draw, (unsigned *state), (state))
BUG_CALL(double, loss, (const Model *m, double x, double noise), (m, x, noise))
BUG_CALL(double, train, (Model * m, int steps, unsigned *state), (m, steps, state))

BUG_TESTS(begin, draw, loss, train)
