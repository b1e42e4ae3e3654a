/* check.h: does an operand fit the module that it is given to? (internal) */
#ifndef GRADUS_NN_CHECK_H
#define GRADUS_NN_CHECK_H

#include "nn/nn.h"

/* The step has failed: nothing that is computed on this tape counts until its reset. */
static inline Tensor *check_failed(Tensor *x)
{
    if (x && x->tape)
        x->tape->failed = true;
    return tensor_poison();
}

/* Is x on a tape, of real numbers, of this rank, and `last` long in its last axis? Otherwise false, with an
 * error that begins with `who`, says what x is (`what`), and what it should be (`need`). Poison is no new
 * error. */
static inline bool check_operand(Tensor *x, int rank, int64_t last, const char *who,
                                 const char *what, const char *need)
{
    if (!x)
        return tensor_fail("%s: %s is NULL", who, what);
    if (tensor_is_poison(x))
        return false;
    if (x->tape && x->data && x->shape.rank == rank && shape_last(x->shape) == last)
        return true;
    check_failed(x);
    return tensor_fail("%s: %s is %s%s; need %s with %lld channels%s", who, what,
                       tensor_describe(x), x->ids ? " of whole numbers" : "", need, (long long)last,
                       x->tape ? "" : ", on a tape");
}

#endif
