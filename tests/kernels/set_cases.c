#include "tests/kernels/set_cases.h"

#include <stdio.h>

static const TestCase *parts;
static int count;

static void run_case(void)
{
    char before[16];
    snprintf(before, sizeof before, "%s", tensor_kernels());
    if (!tensor_set_kernels(kernel_sets[test_index() / count]))
        SKIP("%s", tensor_error());
    parts[test_index() % count].function();
    tensor_set_kernels(before);
}

int run_in_every_set(const char *suite, const TestCase *cases, int argc, char **argv)
{
    static char names[KERNEL_SETS * SET_CASES_MAX][80];
    static TestCase all[KERNEL_SETS * SET_CASES_MAX + 1];
    parts = cases;
    while (count < SET_CASES_MAX && cases[count].name)
        count++;
    for (int i = 0; i < KERNEL_SETS * count; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s", kernel_sets[i / count],
                 cases[i % count].name);
        all[i] = (TestCase){names[i], run_case};
    }
    return run_tests(suite, all, argc, argv);
}
