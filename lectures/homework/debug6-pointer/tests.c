/* tests.c: the tests of debug-6. See bug.h, and GUIDE.md beside this folder. */
#include "debug6.h"

#include "bug.h"

BUG_CALL(void, begin, (Model * m, unsigned *state), (m, state))
BUG_CALL(int, draw, (int *text, int n, unsigned *state), (text, n, state))
BUG_CALL(double, position, (int t, int c), (t, c))
BUG_CALL(void, embed, (const Model *m, const int *text, int n, double *x), (m, text, n, x))
BUG_CALL(void, layer, (const Model *m, const int *text, int n, double *h), (m, text, n, h))
BUG_CALL(void, predict, (const Model *m, const int *text, int n, double *p), (m, text, n, p))
BUG_CALL(double, train, (Model * m, int steps, unsigned *state), (m, steps, state))

BUG_TESTS(begin, draw, position, embed, layer, predict, train)
