/* own.c: an op and a module of one's own, from nothing but <gradus.h>.
 *
 * The op, with its setting f:    y = sin(f x),  dL/dx = f cos(f x) dL/dy
 * The module, a layer of it:     y = sin(f (W x + b))
 * Sitzmann et al. 2020, "Implicit neural representations with periodic activation functions".
 *
 * Ends with 0 if they hold what they promise. */
#include <gradus.h>

#include "checks.h"

#include <string.h>

/* ---- the op ---------------------------------------------------------------------------------- */

typedef struct {
    double frequency;
} SineAttrs;

static bool sine_shape(const Node *n, Shape *y)
{
    const SineAttrs *a = n->attrs;
    *y = n->in[0]->shape;
    return a->frequency > 0 ||
           tensor_fail("sine: the frequency is %g; expected above 0", a->frequency);
}

static void sine_forward(Node *n)
{
    const SineAttrs *a = n->attrs;
    for (int64_t i = 0; i < tensor_size(n->out); i++)
        n->out->data[i] = (real)sin(a->frequency * (double)n->in[0]->data[i]);
}

static void sine_backward(Node *n)
{
    const SineAttrs *a = n->attrs;
    const Tensor *x = n->in[0], *y = n->out;
    for (int64_t i = 0; i < tensor_size(y); i++)
        x->grad[i] += (real)(a->frequency * cos(a->frequency * (double)x->data[i])) * y->grad[i];
}

static const Op sine_op = {
    .name = "sine",
    .shape = sine_shape,
    .forward = sine_forward,
    .backward = sine_backward,
};

static Tensor *sine_at(Tensor *x, double frequency)
{
    SineAttrs attrs = {frequency};
    return (ag_apply)(&sine_op, &x, 1, &attrs, sizeof attrs); /* in brackets: not placed here... */
}
/* ... but where it is called */
#define sine(...) ag_placed(sine_at(__VA_ARGS__), "sine", __FILE__, __LINE__)

/* ---- the module ------------------------------------------------------------------------------ */

typedef struct {
    Linear linear;
    double frequency;
} Siren;

static bool siren_init(Siren *s, Params *p, const char *path, int64_t in, int64_t out)
{
    s->frequency = 2;
    return nn_linear_init(&s->linear, p, params_path(p, "%s.linear", path), in, out, true);
}

static Tensor *siren(const Siren *s, Tensor *x)
{
    return sine(nn_linear(&s->linear, x), s->frequency);
}

/* ---- what they promise ----------------------------------------------------------------------- */

static Tensor *sine_of_x(Tensor **x, void *context)
{
    (void)context;
    return sine(x[0], 1.5);
}

static void check_op(Tape *tape)
{
    static const real number[] = {0, (real)0.5, -2};
    Tensor *y = sine(tape_leaf(tape, number, shape1(3)), 2);
    for (int64_t i = 0; i < 3; i++) /* 1e-6: a few units in the last place of a float */
        CHECK(fabs((double)tensor_get(y, &i) - sin(2 * (double)number[i])) < 1e-6, "a value");
    Tensor *x = tensor_from(number, shape1(3));
    CHECK(ag_gradcheck(tape, sine_of_x, NULL, &x, 1, (GradCheck){0}), "the gradient");
    tensor_free(x);
}

static void check_error(Tape *tape)
{
    tape_reset(tape);
    char place[32];
    snprintf(place, sizeof place, "own.c:%d: sine: ", __LINE__ + 1);
    Tensor *y = sine(tape_full(tape, 1, shape1(3)), 0);
    CHECK(tensor_is_poison(y) && strstr(tensor_error(), place), "an error names its line");
    tape_reset(tape);
}

/* Two layers learn a wave that no single sine of theirs is. */
static void check_module(Tape *tape)
{
    Params *p = params_new(1);
    Siren first, second;
    Adam adam;
    CHECK(siren_init(&first, p, "first", 1, 16) && siren_init(&second, p, "second", 16, 1), "init");
    CHECK(params_find(p, "first.linear.weight") != NULL, "a weight's path");
    CHECK(adam_init(&adam, p, 0.01), "adam_init");
    real x[32], y[32];
    for (int i = 0; i < 32; i++) {
        x[i] = (real)(i - 16) / 16;
        y[i] = (real)(sin(3 * (double)x[i]) * cos(5 * (double)x[i])) / 2;
    }
    real begin = 0, end = 0;
    for (int step = 0; step < 300; step++) {
        tape_reset(tape);
        Tensor *out = siren(&second, siren(&first, tape_input(tape, x, shape2(32, 1))));
        Tensor *miss = ag_sub(out, tape_input(tape, y, shape2(32, 1)));
        Tensor *loss = ag_mean(ag_mul(miss, miss));
        CHECK(ag_backward(loss) && adam_step(&adam, p), "a step");
        end = tensor_item(loss);
        begin = step == 0 ? end : begin;
    }
    CHECK(end < begin / 10, "it learns");
    adam_free(&adam);
    params_free(p);
}

int main(void)
{
    Tape *tape = tape_new(1);
    check_op(tape);
    check_error(tape);
    check_module(tape);
    tape_free(tape);
    puts(tensor_kernels());
    return wrong != 0;
}
