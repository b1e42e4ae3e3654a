/* test.h: the cases of a test program, and its main: for the one file that has them.
 *
 *   TEST(add_commutes)
 *   {
 *       CHECK(a == b, "a is %d, b is %d", a, b);
 *   }
 *
 * The case is called "add commutes", and the cases run in the order of the file. A case may also be
 * tried on each of a list, whose length and names functions tell; test_index says which one it is:
 *
 *   TEST_EACH(gradient, ops_count, op_name) { check(ag_ops[test_index()]); }
 *
 * gives "gradient: add", "gradient: mul", ... */
#ifndef GRADUS_TESTS_TEST_H
#define GRADUS_TESTS_TEST_H

#include "tests/harness/runner.h"

#define TEST(function) TEST_EACH(function, NULL, NULL)

#define TEST_EACH(function, count, name)                               \
    static void function(void);                                        \
    __attribute__((constructor)) static void register_##function(void) \
    {                                                                  \
        test_register(#function, function, __LINE__, count, name);     \
    }                                                                  \
    static void function(void)

/* What returns whether it succeeds, with its first, second, ... allocation failing. */
#define TEST_OUT_OF_MEMORY(function)                        \
    static bool function##_once(void *context);             \
    TEST(function)                                          \
    {                                                       \
        CHECK(function##_once(NULL), "%s", tensor_error()); \
        CHECK_OUT_OF_MEMORY(function##_once, NULL);         \
    }                                                       \
    static bool function##_once(__attribute__((unused)) void *context)

/* With something of this type, which is opened before the case and closed after it. */
#define TEST_WITH(function, Type, name, open, close) \
    static void function##_with(Type *name);         \
    TEST(function)                                   \
    {                                                \
        Type it;                                     \
        if (CHECK(open(&it), "%s", tensor_error()))  \
            function##_with(&it);                    \
        CHECK_NO_ERROR();                            \
        close(&it);                                  \
    }                                                \
    static void function##_with(Type *name)

int main(int argc, char **argv)
{
    return run_registered(argc, argv);
}

#endif
