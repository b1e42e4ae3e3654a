/* library.c: see library.h and transformer.h. */
#include "library.h"

#include "transformer.h"

#include "examples/common/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const Params *weights;

void library_begin(const Params *p)
{
    example_exit_on_error();
    weights = p;
}

const float *given(const char *format, ...)
{
    char name[TENSOR_NAME_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    const Tensor *w = params_find(weights, name);
    if (!w) {
        fprintf(stderr, "the example has no weight \"%s\"\n", name);
        exit(2);
    }
    return w->data;
}

int largest(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

bool agrees(const float *x, const float *library, int64_t n, double most)
{
    double far = 0;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)x[i] - library[i]) <= far)) /* NaN, too */
            far = fabs((double)x[i] - library[i]);
    printf("at most %.1g from what the library computes; expected less than %g\n", far, most);
    return far < most;
}
