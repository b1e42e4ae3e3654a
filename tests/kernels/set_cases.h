/* set_cases.h: tests that every kernel set has to pass. */
#ifndef GRADUS_TESTS_SET_CASES_H
#define GRADUS_TESTS_SET_CASES_H

#include "tests/harness/runner.h"

/* Makes the set the one in use, as tensor_set_kernels does. Where the processor has no tile unit, "amx" is the AMX
 * kernels with the unit in software (tile_emulation.h). False, with the failure recorded, where the set cannot run. */
bool use_kernel_set(const char *name);

/* As run_tests, with each of the cases once for each kernel set, which is in use while it runs: a case "small ones" is
 * "ref: small ones", and so on. Sets that this machine or build lacks are skipped. At most SET_CASES_MAX cases. */
enum { SET_CASES_MAX = 16 };
int run_in_every_set(const char *suite, const TestCase *cases, int argc, char **argv);

#endif
