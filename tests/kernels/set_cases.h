/* set_cases.h: tests that every kernel set has to pass. */
#ifndef GRADUS_TESTS_SET_CASES_H
#define GRADUS_TESTS_SET_CASES_H

#include "tests/harness/runner.h"
#include "tests/kernels/kernel_sets.h"

/* As run_tests, with each of the cases once for each kernel set, which is in use while it runs: a
 * case "small ones" is "ref: small ones", and so on. Sets that this machine or build lacks are
 * skipped. At most SET_CASES_MAX cases. */
enum { SET_CASES_MAX = 16 };
int run_in_every_set(const char *suite, const TestCase *cases, int argc, char **argv);

#endif
