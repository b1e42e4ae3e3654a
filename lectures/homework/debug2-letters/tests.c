/* tests.c: the tests of debug-2. See bug.h, and GUIDE.md beside this folder. */
#include "debug2.h"

#include "bug.h"

BUG_CALL(void, begin, (Model * m, unsigned *state), (m, state))
BUG_CALL(void, draw, (int *text, int n, unsigned *state), (text, n, state))
BUG_CALL(void, logits, (const Model *m, const int *text, int n, double *y), (m, text, n, y))
BUG_CALL(double, train, (Model * m, int steps, unsigned *state), (m, steps, state))

BUG_TESTS(begin, draw, logits, train)
