/* op_tests.c: see op_tests.h. */
#include "tests/autograd/ops/op_tests.h"

#include <string.h>

static const OpTest *const families[] = {
    elements_tests, losses_tests, pairs_tests,  products_tests,
    reduce_tests,   rows_tests,   shapes_tests,
};
enum { FAMILIES = sizeof families / sizeof *families };

const OpTest *op_test_of(const Op *op)
{
    for (int i = 0; i < FAMILIES; i++)
        for (const OpTest *t = families[i]; t->op; t++)
            if (strcmp(t->op, op->name) == 0)
                return t;
    return NULL;
}

int op_tests_count(void)
{
    int n = 0;
    for (int i = 0; i < FAMILIES; i++)
        for (const OpTest *t = families[i]; t->op; t++)
            n++;
    return n;
}
