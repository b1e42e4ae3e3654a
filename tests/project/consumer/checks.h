/* checks.h: how the consumer programs check: a message on standard error, and the number of
 * failures as exit status. */
#ifndef CONSUMER_CHECKS_H
#define CONSUMER_CHECKS_H

#include <math.h>
#include <stdio.h>

static int wrong;

/* what: a C string; the library's error, if there is one, is printed after it. */
#define CHECK(ok, what)                                                                   \
    do {                                                                                  \
        if (!(ok)) {                                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, what, tensor_error()); \
            wrong++;                                                                      \
        }                                                                                 \
    } while (0)

/* Within a few units in the last place of a float of this size. */
#define CHECK_NEAR(got, want, what) \
    CHECK(fabs((double)(got) - (double)(want)) <= 4e-6 * (1 + fabs((double)(want))), what)

#endif
