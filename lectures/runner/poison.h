/* poison.h: kernels that compute nothing, to find claims that would hold whatever the library
 * computes.
 *
 *     poison_begin(NAN);
 *     Finding f = claim_run(claim, NULL, 1, NULL);    must FAIL
 *
 * From then on, until the program ends, every kernel that computes or looks up a number gives the
 * same one: NaN, or 0. Only `copy`, which moves numbers, and `finite`, which looks for NaN, stay as
 * they are. */
#ifndef LECTURES_POISON_H
#define LECTURES_POISON_H

#include <stdbool.h>

void poison_begin(double number);

/* Has poison_begin been called? */
bool poison_on(void);

#endif
