/* lab.h: what the tests of labs share, which are written with gradus: tensors of a case on a tape,
 * results and gradients back into its outputs, and what is refused. tests.c includes the lab's own
 * header before this one. */
#ifndef LAB_H
#define LAB_H

#include "homework.h"

#include <stdio.h>
#include <string.h>

/* Before a submission's walls stand: what the library reads of the system when it is first used. */
__attribute__((constructor)) static void lab_begin(void)
{
    Tape *tape = tape_new(1);
    tape_leaf(tape, (real[]){1}, shape1(1));
    tape_free(tape);
}

/* `count` numbers to a case's output; where there are none, the -9999 stay. */
static inline void put(real *to, const real *from, int count)
{
    for (int i = 0; from && i < count; i++)
        to[i] = from[i];
}

/* Has the function been written, does it return a tensor, and of so many numbers? */
static inline bool is_result(const Tensor *y, int count)
{
    return y && !tensor_is_poison(y) && tensor_size(y) == count;
}

/* Row by row, whatever its strides. An error is printed, for the report. */
static inline void put_result(real *to, const Tensor *y, int count)
{
    if (is_result(y, count))
        tensor_read(y, to);
    if (tensor_failed())
        printf("error: %s\n", tensor_error());
    tensor_clear_error();
}

static inline bool goes_back(Tensor *y, const real *upstream, int count)
{
    return is_result(y, count) && ag_backward_from(y, upstream);
}

/* 0: it was not refused; 1: it was, without a word of what was expected; 2: with it. */
static inline int refusal(Tape *tape, bool refused, const char *what)
{
    int found = refused && tensor_failed();
    found += found && strstr(tensor_error(), "expected");
    if (found < 2)
        printf("%s: %s\n", what,
               found ? "the error does not say what was expected" : "not refused");
    tensor_clear_error();
    tape_reset(tape);
    return found;
}

static inline Tensor *ones(Tape *tape, Shape shape)
{
    return tape_full(tape, 1, shape);
}

#endif
