/* on_tape.h: cases that are given a tape, or a tape and weights, of their own. Both are freed after
 * the case, and no error may be left.
 *
 *   TEST_ON_TAPE(sums)          { ... tape ... }
 *   TEST_OF_WEIGHTS(frozen)     { ... p, tape ... } */
#ifndef GRADUS_TESTS_ON_TAPE_H
#define GRADUS_TESTS_ON_TAPE_H

#include "nn/nn.h"
#include "tests/harness/test.h"

#define UNUSED __attribute__((unused)) /* or not */

#define TEST_ON_TAPE(function)             \
    static void function##_on(Tape *tape); \
    TEST(function)                         \
    {                                      \
        Tape *tape = tape_new(1);          \
        function##_on(tape);               \
        tape_free(tape);                   \
        CHECK_NO_ERROR();                  \
    }                                      \
    static void function##_on(Tape *tape)

#define TEST_OF_WEIGHTS(function)                                   \
    static void function##_of(UNUSED Params *p, UNUSED Tape *tape); \
    TEST_ON_TAPE(function)                                          \
    {                                                               \
        Params *p = params_new(1);                                  \
        function##_of(p, tape);                                     \
        params_free(p);                                             \
    }                                                               \
    static void function##_of(UNUSED Params *p, UNUSED Tape *tape)

#endif
