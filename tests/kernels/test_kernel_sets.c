/* test_kernel_sets.c: the tests' list of kernel sets has every set of the library. */
#include "tests/harness/test.h"
#include "tests/kernels/kernel_sets.h"

#include "tensor/tensor.h"

#include <string.h>

/* The library lists its sets where it refuses a name. The list of the tests may be longer: this
 * build may lack a set. */
TEST(all_sets_are_tested)
{
    CHECK(!tensor_set_kernels("none"), "a set named none");
    const char *start = strstr(tensor_error(), "expected one of ");
    REQUIRE(start, "%s", tensor_error());
    for (const char *name = start + strlen("expected one of "); *name;) {
        const size_t length = strcspn(name, ",");
        bool listed = false;
        for (int i = 0; i < KERNEL_SETS; i++)
            listed |= strlen(kernel_sets[i]) == length && !strncmp(name, kernel_sets[i], length);
        CHECK(listed, "kernel_sets lacks %s", name);
        name += length + strspn(name + length, ", ");
    }
    tensor_clear_error();
}

TEST(sets_have_their_names)
{
    char before[16];
    snprintf(before, sizeof before, "%s", tensor_kernels());
    for (int i = 0; i < KERNEL_SETS; i++)
        if (tensor_set_kernels(kernel_sets[i]))
            CHECK_TEXT(tensor_kernels(), kernel_sets[i]);
    tensor_clear_error();
    tensor_set_kernels(before);
}
