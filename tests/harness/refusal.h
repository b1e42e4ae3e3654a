/* refusal.h: checks that a call with a wrong argument fails with an error of the one form
 * "function: found; expected", which begins with the name of the function that was called. */
#ifndef GRADUS_TESTS_REFUSAL_H
#define GRADUS_TESTS_REFUSAL_H

#include "tests/harness/runner.h"

#include <math.h>

/* The call returns its failure value: false or NULL, the poison tensor, -1 or NaN. A void call has
 * none. */
#define REFUSED(call)        check_refused_call(#call, !(call), __FILE__, __LINE__)
#define REFUSED_POISON(call) check_refused_call(#call, tensor_is_poison(call), __FILE__, __LINE__)
#define REFUSED_MINUS(call)  check_refused_call(#call, (call) == -1, __FILE__, __LINE__)
#define REFUSED_NAN(call)    check_refused_call(#call, isnan(call), __FILE__, __LINE__)
#define REFUSED_VOID(call)   ((call), check_refused_call(#call, true, __FILE__, __LINE__))

/* `call`: its text, whose beginning is the function's name; `failed`: it returned its failure
 * value. Clears the error. */
void check_refused_call(const char *call, bool failed, const char *file, int line);

#endif
