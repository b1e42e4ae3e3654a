/* gradcheck.c: does backward agree with finite differences?
 *
 *   L(x) = sum_i w_i y_i(x),   dL/dx_k ~ (L(x + h e_k) - L(x - h e_k)) / 2h
 *
 * with fixed random weights w. A plain sum would not do: the results of softmax and of LayerNorm
 * have a sum that does not depend on x, and an empty backward would pass. The central difference
 * errs by h^2 L''' / 6 + eps L / h; in double, with h = 1e-5, both terms are near 1e-10. The check
 * shows only that forward and backward agree with each other; that forward is right is shown by
 * comparison with PyTorch (tests/golden). */
#include "autograd/tape.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* One check: the function, the point at which it is checked, and the memory for it. */
typedef struct {
    Tape *tape;
    AgFunction f;
    void *context;
    Tensor *const *x; /* the point */
    int n;
    GradCheck check;
    uint64_t step; /* dropout must drop the same elements at every call   */
    Arena arena;   /* owns what follows                                   */
    real **at;     /* the operands' numbers, one of them moved by +-h     */
    real **grad;   /* the gradients of backward                           */
    Tensor **leaf; /* the operands on the tape                            */
} Check;

/* The fixed weight of output i, in -1..1.
 * Each i has a stream of its own, so that the weight does not depend on the number of outputs. */
static real weight(int64_t i)
{
    Rng r = {.seed = 2024, .stream = (uint64_t)i};
    return (real)(2 * rng_uniform(&r) - 1);
}

/* f at the numbers in c->at, on a tape that was reset: one forward pass. Ids are passed as they
 * are. Poison is always with an error. */
static Tensor *evaluate(Check *c)
{
    tape_reset(c->tape);
    c->tape->step = c->step;
    for (int i = 0; i < c->n; i++) {
        c->leaf[i] = c->x[i]->ids ? tape_ids(c->tape, c->x[i]->ids, c->x[i]->shape)
                                  : tape_leaf(c->tape, c->at[i], c->x[i]->shape);
        if (tensor_is_poison(c->leaf[i]))
            return c->leaf[i];
    }
    Tensor *y = c->f(c->leaf, c->context);
    if (tensor_is_poison(y) && !tensor_failed())
        tensor_fail("ag_gradcheck: f gave NULL or poison without an error; expected a tensor");
    return y;
}

/* L at the numbers in c->at; NaN after an error. */
static double loss(Check *c)
{
    Tensor *y = evaluate(c);
    if (tensor_is_poison(y))
        return NAN;
    if (!tensor_is_contiguous(y))
        y = ag_copy(y);
    double sum = 0;
    for (int64_t i = 0; !tensor_is_poison(y) && i < tensor_size(y); i++)
        sum += (double)weight(i) * y->data[i];
    return sum;
}

static bool backward_at_point(Check *c)
{
    Tensor *y = evaluate(c);
    if (tensor_is_poison(y))
        return false;
    real *w = arena_alloc(&c->arena, (size_t)tensor_size(y) * sizeof *w);
    if (!w)
        return false;
    for (int64_t i = 0; i < tensor_size(y); i++)
        w[i] = weight(i);
    if (!ag_backward_from(y, w))
        return false;
    for (int i = 0; i < c->n; i++)
        for (int64_t k = 0; k < tensor_size(c->x[i]); k++)
            c->grad[i][k] = c->leaf[i]->grad ? c->leaf[i]->grad[k] : 0;
    return true;
}

/* Moves operand i by +h and -h along `direction`: do backward and the difference agree? */
static bool agrees(Check *c, int i, const real *direction, int64_t size, double *from_backward,
                   double *difference)
{
    double h = c->check.step, side[2];
    for (int s = 0; s < 2; s++) {
        for (int64_t k = 0; k < size; k++)
            c->at[i][k] = (real)(c->x[i]->data[k] + (s ? -h : h) * direction[k]);
        side[s] = loss(c);
    }
    memcpy(c->at[i], c->x[i]->data, (size_t)size * sizeof(real));
    *difference = (side[0] - side[1]) / (2 * h);
    *from_backward = 0;
    for (int64_t k = 0; k < size; k++)
        *from_backward += (double)c->grad[i][k] * direction[k];
    double allowed = c->check.absolute + c->check.relative * fabs(*difference);
    return fabs(*from_backward - *difference) <= allowed;
}

/* Compares operand i: an operand of at most 64 numbers one by one, a larger one along four random
 * directions of length below 1, because each comparison costs two forward passes. The error names
 * the element or the direction. */
static bool check_operand(Check *c, int i)
{
    enum { ALL_UP_TO = 64, DIRECTIONS = 4 };
    int64_t size = tensor_size(c->x[i]);
    bool all = size <= ALL_UP_TO;
    real *direction = arena_alloc(&c->arena, (size_t)size * sizeof *direction);
    if (!direction)
        return false;
    for (int64_t k = 0; k < (all ? size : DIRECTIONS); k++) {
        for (int64_t j = 0; j < size; j++) {
            Rng r = {.seed = 7, .stream = (uint64_t)k, .position = 4 * (uint64_t)j};
            direction[j] = (real)(all ? j == k : (2 * rng_uniform(&r) - 1) / sqrt((double)size));
        }
        double from_backward, difference;
        if (agrees(c, i, direction, size, &from_backward, &difference))
            continue;
        if (tensor_failed())
            return false;
        return tensor_fail("ag_gradcheck: operand %d, %s, %s %lld: backward gives %.10g; expected "
                           "%.10g +- (%g + %g |g|) from finite differences",
                           i + 1, tensor_describe(c->x[i]), all ? "element" : "random direction",
                           (long long)k, from_backward, difference, c->check.absolute,
                           c->check.relative);
    }
    return true;
}

/* Copies the operands and makes memory for their gradients.
 * The originals are never written: they may be weights of a model. */
static bool allocate_copies(Check *c)
{
    size_t list = (size_t)c->n * sizeof(void *);
    c->at = arena_alloc(&c->arena, list);
    c->grad = arena_alloc(&c->arena, list);
    c->leaf = arena_alloc(&c->arena, list);
    bool ok = c->at && c->grad && c->leaf;
    for (int i = 0; ok && i < c->n; i++) {
        size_t bytes = (size_t)tensor_size(c->x[i]) * sizeof(real);
        c->at[i] = arena_alloc(&c->arena, bytes);
        c->grad[i] = arena_alloc(&c->arena, bytes);
        ok = c->at[i] && c->grad[i];
        if (ok && c->x[i]->data)
            tensor_read(c->x[i], c->at[i]);
    }
    return ok;
}

static bool checkable(const Tape *tape, AgFunction f, Tensor *const *x, int n)
{
    if (!tape)
        return tensor_fail("ag_gradcheck: the tape is NULL; expected one from tape_new");
    if (!f)
        return tensor_fail("ag_gradcheck: f is NULL; expected a function");
    if (n < 1 || n > AG_OPERANDS_MAX || !x)
        return tensor_fail("ag_gradcheck: n is %d and x is %s; expected 1 to %d tensors", n,
                           x ? "given" : "NULL", AG_OPERANDS_MAX);
    for (int i = 0; i < n; i++)
        if (tensor_is_poison(x[i]) || !tensor_is_contiguous(x[i]) || x[i]->tape == tape)
            return tensor_fail("ag_gradcheck: operand %d, %s, is %s; expected a contiguous tensor "
                               "that is not on the tape",
                               i + 1, tensor_describe(x[i]),
                               tensor_is_poison(x[i])        ? "poison or NULL"
                               : !tensor_is_contiguous(x[i]) ? "not contiguous"
                                                             : "on the tape");
    return true;
}

/* The defaults follow from the type: in float both terms of the error above are larger, and so are
 * the step and the tolerances. */
bool ag_gradcheck(Tape *tape, AgFunction f, void *context, Tensor *const *x, int n, GradCheck check)
{
    if (!checkable(tape, f, x, n))
        return false;
    bool in_double = sizeof(real) == sizeof(double);
    Check c = {.tape = tape, .f = f, .context = context, .x = x, .n = n, .check = check};
    c.step = tape->step + 1;
    c.check.step = check.step > 0 ? check.step : in_double ? 1e-5 : 1e-2;
    c.check.relative = check.relative > 0 ? check.relative : in_double ? 1e-5 : 1e-2;
    c.check.absolute = check.absolute > 0 ? check.absolute : in_double ? 1e-7 : 1e-2;
    bool ok = allocate_copies(&c) && backward_at_point(&c);
    for (int i = 0; ok && i < n; i++)
        ok = x[i]->ids || check_operand(&c, i);
    arena_free(&c.arena);
    return ok;
}
