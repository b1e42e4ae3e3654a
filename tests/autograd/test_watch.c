/* test_watch.c: under tape->watch, the first NaN or infinity of a result or of a gradient is an
 * error that names the op, the element and the source location of the call; without it nothing is
 * said. */
#include "tests/autograd/listener.h"
#include "tests/autograd/on_tape.h"

#include "autograd/autograd.h"

#include <float.h>

TEST_ON_TAPE(watch_forward)
{
    const int line = __LINE__ + 1;
    for (int watch = 0; watch < 2; watch++, tape_reset(tape), tape->watch = true) {
        Tensor *x = ag_name(tape_leaf(tape, (real[]){1, 0, 2}, shape1(3)), "x"), *y = ag_log(x);
        CHECK(tensor_is_poison(y) == tape->watch, "watch %d: log of 0", watch);
        if (watch)
            TOLD(line + 1, "ag_log: element 1 of the result (3,) is -inf");
    }
    ag_exp(tape_full(tape, 1000, shape1(2)));
    TOLD(__LINE__ - 1, "ag_exp: element 0 of the result (2,) is inf");
    tape_reset(tape);
    Tensor *x = tape_full(tape, 0, shape0()), *y = ag_div(x, x);
    TOLD(__LINE__ - 1, "nan");
    CHECK(tensor_is_poison(y), "0 / 0");
}

/* log x is finite for the smallest numbers, and its derivative 1/x is not. */
TEST_ON_TAPE(watch_backward)
{
    const real tiny = sizeof(real) == sizeof(double) ? (real)(DBL_MIN / 8) : (real)(FLT_MIN / 8);
    for (int watch = 1; watch >= 0; watch--) {
        tape_reset(tape);
        tape->watch = watch != 0;
        Tensor *x = tape_leaf(tape, &tiny, shape1(1));
        Tensor *y = ag_scale(ag_log(x), 2);
        const int line = __LINE__ - 1;
        bool ok = ag_backward(ag_sum(y));
        CHECK(ok == !watch, "watch %d: %s", watch, tensor_error());
        char part[256];
        snprintf(part, sizeof part,
                 "in backward of log (computed at %s:%d): element 0 of the gradient", __FILE__,
                 line);
        if (watch)
            CHECK_ERROR(part);
    }
}

/* An operand that is a transposed view: its infinity is seen at the op that made it. */
TEST_ON_TAPE(watch_through_a_view)
{
    const real large = sizeof(real) == sizeof(double) ? (real)DBL_MAX : (real)FLT_MAX;
    tape->watch = true;
    Tensor *x = tape_leaf(tape, (real[]){0, 0, 0, 0}, shape2(2, 2));
    Tensor *y = ag_matmul(ag_transpose(x, 0, 1), tape_full(tape, large, shape2(2, 1)));
    REFUSES(ag_backward, "backward of matmul (computed at ", ag_sum(ag_scale(y, 4)));
    /* and at its own index, in the last of several rows with a gap between them */
    tape_reset(tape);
    x = tape_leaf(tape, (real[]){0, 0, 0, 0, 0, 0, 0, 0}, shape2(2, 4));
    Tensor *w = tape_input(tape, (real[]){1, 1, large}, shape2(3, 1));
    Tensor *upstream = tape_input(tape, (real[]){1, 4}, shape2(2, 1));
    y = ag_mul(ag_matmul(ag_slice(x, 1, 0, 3), w), upstream);
    REFUSES(ag_backward, "element 5 of the gradient of operand 1, (2, 3), is inf", ag_sum(y));
    /* and is told as it is, though the elements of a row lie apart */
    tape_reset(tape);
    x = tape_leaf(tape, (real[]){0, 0, 0, 0, 0, 0}, shape2(3, 2));
    w = tape_input(tape, (real[]){1, 1, large}, shape2(3, 1));
    REFUSES(ag_backward, "element 2 of the gradient of operand 1, (2, 3), is inf",
            ag_sum(ag_scale(ag_matmul(ag_transpose(x, 0, 1), w), 4)));
}
