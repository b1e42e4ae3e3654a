/* samples.c: see samples.h. */
#include "tests/autograd/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double fraction(double x)
{
    return x - floor(x);
}

int samples_ops(void)
{
    int n = 0;
    while (ag_ops[n])
        n++;
    return n;
}

const char *samples_op(int number)
{
    return ag_ops[number]->name;
}

bool sample_is_ids(const Op *op, int k)
{
    return op->ids >> k & 1;
}

bool sample_is_constant(const OpTest *test, int k)
{
    return test->constant >> k & 1;
}

real sample_upstream(int64_t i)
{
    return (float)(fraction(0.6180339887498949 * (double)(i + 1) + 0.73) - 0.5);
}

/* ---- operands -------------------------------------------------------------------------------- */

static void fill(Tensor *t, const Op *op, const OpTest *test, int k)
{
    double low = test->low, high = test->high;
    if (low == 0 && high == 0)
        low = -2, high = 2;
    for (int64_t i = 0; i < tensor_size(t); i++) {
        double f = fraction(0.6180339887498949 * (double)(i + 1) + 0.31 * k + 0.17);
        if (sample_is_ids(op, k))
            t->ids[i] = (int32_t)((7919 * i + 13) % test->ids_below);
        else if (sample_is_constant(test, k))
            t->data[i] = f >= 0.4;
        else
            t->data[i] = (float)(low + (high - low) * f);
    }
}

/* Of the word at the beginning of the text. */
static Shape shape_of(const char *text)
{
    Shape s = {0};
    for (char *end; s.rank < TENSOR_MAX_RANK && *text != '(' && *text && *text != ' ';
         text = end + (*end == ','))
        s.dim[s.rank++] = strtoll(text, &end, 10);
    return s;
}

void operands_make(Operands *o, const Op *op, const OpTest *test, const OpSample *sample)
{
    *o = (Operands){.op = op, .test = test, .sample = sample};
    for (const char *at = sample->shapes; at; at = strchr(at, ' ')) {
        int k = o->count++;
        at += *at == ' ';
        if (*at == '-')
            continue;
        Tensor *t = o->x[k] = &o->memory[k];
        tensor_set_contiguous(t, shape_of(at));
        /* of exactly the size, so that a sanitizer sees what reads beyond it */
        size_t n = (size_t)tensor_size(t);
        if (sample_is_ids(op, k))
            t->ids = malloc(n * sizeof *t->ids);
        else
            t->data = malloc(n * sizeof *t->data);
        fill(t, op, test, k);
    }
}

void operands_free(Operands *o)
{
    for (int k = 0; k < o->count; k++) {
        free(o->memory[k].data);
        free(o->memory[k].ids);
    }
    *o = (Operands){0};
}

bool operand_learns(const Operands *o, int k)
{
    return k < o->count && o->x[k] && o->x[k]->data && !sample_is_constant(o->test, k);
}

Tensor *operands_call(const Operands *o, Tensor **in)
{
    const OpTest *test = o->test;
    if (test->one)
        return test->one(in[0]);
    if (test->two)
        return test->two(in[0], in[1]);
    return test->call(in, o->sample->arg);
}

Tensor *operand_leaf(const Operands *o, int k, Tape *tape)
{
    const Tensor *x = o->x[k];
    if (!x)
        return NULL;
    if (x->ids)
        return tape_ids(tape, x->ids, x->shape);
    return operand_learns(o, k) ? tape_leaf(tape, x->data, x->shape)
                                : tape_input(tape, x->data, x->shape);
}

/* ---- views ----------------------------------------------------------------------------------- */

static Tensor *stored(Tape *tape, const real *numbers, Shape shape, bool learns)
{
    return learns ? tape_leaf(tape, numbers, shape) : tape_input(tape, numbers, shape);
}

/* x with `before` NaNs before and `after` NaNs after each run of `run` numbers; on the tape. */
static Tensor *among_nans(Tape *tape, const Tensor *x, Shape shape, int64_t run, int64_t before,
                          int64_t after, bool learns)
{
    int64_t n = shape_size(shape), width = before + run + after;
    real *numbers = malloc((size_t)n * sizeof *numbers);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i % width - before;
        numbers[i] = at >= 0 && at < run ? x->data[i / width * run + at] : (real)NAN;
    }
    Tensor *t = stored(tape, numbers, shape, learns);
    free(numbers);
    return t;
}

static Tensor *thirds(Tape *tape, const Tensor *x, bool learns)
{
    Shape shape = x->shape;
    shape.dim[shape.rank++] = 3;
    Tensor *all = among_nans(tape, x, shape, 1, 1, 1, learns);
    return ag_reshape(ag_slice(all, -1, 1, 2), x->shape);
}

static Tensor *padded(Tape *tape, const Tensor *x, bool learns)
{
    Shape shape = x->shape;
    int64_t run = shape_last(shape);
    if (shape.rank == 0)
        return thirds(tape, x, learns);
    shape.dim[shape.rank - 1] += 2;
    return ag_slice(among_nans(tape, x, shape, run, 1, 1, learns), -1, 1, 1 + run);
}

static Tensor *reversed(Tape *tape, const Tensor *x, bool learns)
{
    Shape shape = x->shape;
    int order[TENSOR_MAX_RANK];
    Tensor permuted = *x;
    for (int i = 0; i < shape.rank; i++) {
        order[i] = shape.rank - 1 - i;
        permuted.shape.dim[i] = shape.dim[order[i]];
        permuted.stride[i] = x->stride[order[i]];
    }
    real *numbers = malloc((size_t)tensor_size(x) * sizeof *numbers);
    tensor_read(&permuted, numbers);
    Tensor *t = stored(tape, numbers, permuted.shape, learns);
    free(numbers);
    return ag_permute(t, order);
}

static Tensor *operand_stored(const Operands *o, int k, Tape *tape, const How *how)
{
    const Tensor *x = o->x[k];
    bool learns = operand_learns(o, k) && !(how->fixed >> k & 1);
    if (!x || x->ids)
        return operand_leaf(o, k, tape);
    switch (how->storage[k]) {
    case THIRDS:
        return thirds(tape, x, learns);
    case REVERSED:
        return reversed(tape, x, learns);
    case PADDED:
        return padded(tape, x, learns);
    case PLAIN:
        break;
    }
    return stored(tape, x->data, x->shape, learns);
}

/* ---- one pass -------------------------------------------------------------------------------- */

static Tensor *copy_of(const Tensor *t, real *data)
{
    Tensor shown = *t, *copy = tensor_new(t->shape);
    shown.data = data;
    if (copy)
        tensor_read(&shown, copy->data);
    return copy;
}

/* Is there a gradient where the operand's owner holds the NaNs around a view? */
static bool outside(const Tensor *t)
{
    const Tensor *owner = t->base ? t->base : t;
    for (int64_t i = 0; owner->grad && i < tensor_size(owner); i++)
        if (isnan(owner->data[i]) && owner->grad[i] != 0)
            return true;
    return false;
}

bool sample_backward(Tensor *y)
{
    int64_t n = tensor_size(y);
    real *upstream = malloc((size_t)n * sizeof *upstream);
    for (int64_t i = 0; i < n; i++)
        upstream[i] = sample_upstream(i);
    bool ok = ag_backward_from(y, upstream);
    free(upstream);
    return ok;
}

bool pass_run(Pass *p, Tape *tape, const Operands *o, const How *how)
{
    Tensor *in[SAMPLE_INPUTS] = {0};
    *p = (Pass){0};
    tape_reset(tape);
    for (int k = 0; k < o->count; k++)
        in[k] = operand_stored(o, k, tape, how);
    Tensor *y = operands_call(o, in);
    if (how->twice)
        y = ag_add(y, operands_call(o, in));
    if (tensor_is_poison(y) || !(p->y = copy_of(y, y->data)))
        return false;
    if (!y->needs_grad)
        return true;
    if (!sample_backward(y))
        return false;
    for (int k = 0; k < o->count; k++)
        if (in[k] && in[k]->grad) {
            p->grad[k] = copy_of(in[k], in[k]->grad);
            p->leaked |= outside(in[k]);
        }
    return true;
}

void pass_free(Pass *p)
{
    tensor_free(p->y);
    for (int k = 0; k < SAMPLE_INPUTS; k++)
        tensor_free(p->grad[k]);
    *p = (Pass){0};
}

const char *pass_difference(const Pass *got, const Pass *want, double relative, double absolute)
{
    static char text[600];
    const char *difference = tensor_difference(got->y, want->y, relative, absolute);
    if (difference) {
        snprintf(text, sizeof text, "y: %s", difference);
        return text;
    }
    for (int k = 0; k < SAMPLE_INPUTS; k++) {
        if (!got->grad[k] && !want->grad[k])
            continue;
        if (!got->grad[k] || !want->grad[k])
            difference = got->grad[k] ? "there is one; expected none" : "there is none";
        else
            difference = tensor_difference(got->grad[k], want->grad[k], relative, absolute);
        if (difference) {
            snprintf(text, sizeof text, "gradient of operand %d: %s", k + 1, difference);
            return text;
        }
    }
    return NULL;
}
