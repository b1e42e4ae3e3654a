/* check.c: the checks of arguments that modules have in common. See internal.h for their contracts.
 * Each check records one error that begins with `who` and says what was expected; the forward
 * checks also mark the tape as failed. */
#include "nn/internal.h"

#include <string.h>

/* memset to 0 makes all pointers NULL on every platform that the library supports. */
const char *init_path(void *module, size_t size, Params *p, const char *path, const char *who)
{
    if (module)
        memset(module, 0, size);
    if (module && p && path)
        return params_path(p, "%s", path);
    tensor_fail("%s: %s is NULL; expected a module, params and a path", who,
                !module ? "the module"
                : !p    ? "params"
                        : "the path");
    return NULL;
}

bool params_given(const Params *p, const void *other, const char *what, const char *who)
{
    return (p && other) || tensor_fail("%s: %s%s is NULL; expected params and a %s", who,
                                       p ? "the " : "", p ? what : "params", what);
}

/* The comparison is false for a NaN, too. p = 1 would divide by 0. */
bool check_dropout(double p, const char *who)
{
    return (p >= 0 && p < 1) ||
           tensor_fail("%s: the dropout probability is %g; expected 0 <= p < 1", who, p);
}

bool check_module(const void *weight, const Tensor *x, const char *who)
{
    if (weight)
        return true;
    tape_error(x ? x->tape : NULL,
               "%s: the module is NULL or has no weights; expected one whose init succeeded", who);
    return false;
}

/* A NULL operand does not fail the tape, which is not known then; every other error does. */
bool check_operand(Tensor *x, int rank, int64_t last, const char *who, const char *path,
                   const char *what, const char *expected)
{
    const char *gap = path ? ": " : "", *module = path ? path : "";
    if (!x)
        return tensor_fail("%s%s%s: %s is NULL; expected %s", who, gap, module, what, expected);
    if (tensor_is_poison(x))
        return false;
    if (x->tape && x->data && x->shape.rank == rank && shape_last(x->shape) == last)
        return true;
    tape_error(x->tape, "%s%s%s: %s is %s%s; expected %s with %lld channels%s", who, gap, module,
               what, tensor_describe(x), x->ids ? " of token ids" : "", expected, (long long)last,
               x->tape ? "" : ", on a tape");
    return false;
}

bool attention_check(const MultiHeadAttention *a, Tensor *x, const char *who, const char *what)
{
    return check_module(a && a->path ? a->in_proj_weight : NULL, x, who) &&
           check_operand(x, 3, a->in_proj_weight->shape.dim[1], who, a->path, what, "(B, T, C)");
}
