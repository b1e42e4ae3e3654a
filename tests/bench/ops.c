/* ops.c: rows of single ops, on tensors that outlive a step, as weights do.
 *
 * PyTorch's row drops a gradient where this one zeroes it; in both, a step ends with the gradient
 * of that step alone. */
#include "tests/bench/bench.h"

typedef struct {
    Tape *tape;
    Params *params;
    Tensor *x, *y, *z;
    int *targets;
} Operands;

static Operands operands_new(bool forward_only)
{
    Operands o = {.tape = tape_new(0), .params = params_new(1)};
    o.tape->no_grad = o.params->only_run = forward_only;
    return o;
}

/* Params that are only run leave the numbers to their caller. */
static Tensor *normal(Operands *o, const char *name, Shape shape)
{
    Rng rng = {.seed = (uint64_t)o->params->count + 1};
    Tensor *t = params_add(o->params, name, shape, nn_normal(1));
    for (int64_t i = 0; o->params->only_run && i < tensor_size(t); i++)
        t->data[i] = (real)rng_normal(&rng);
    return t;
}

/* The numbers at the end of the name, with x between them; returns how many. */
static int sizes_in(const char *name, int size[4])
{
    return sscanf(strrchr(name, '_'), "_%dx%dx%dx%d", size, size + 1, size + 2, size + 3);
}

/* Measures the row and frees its operands. */
static void finish(const char *name, Step step, Operands *o, Work work)
{
    measure(name, step, o, work);
    params_free(o->params);
    tape_free(o->tape);
    free(o->targets);
}

/* ---- forward only ---------------------------------------------------------------------------- */

static void product_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    ag_matmul(tape_param(o->tape, o->x), o->y);
}

/* gemm_MxKxN, gemm_N, or bmm_BxMxKxN */
void run_product(const char *name)
{
    int size[4] = {0}, found = sizes_in(name, size);
    int batch = found == 4 ? size[0] : 1, m = found == 4 ? size[1] : size[0];
    int k = found == 1 ? m : size[found - 2], n = size[found - 1];
    Operands o = operands_new(true);
    o.x = normal(&o, "x", found == 4 ? shape3(batch, m, k) : shape2(m, k));
    o.y = normal(&o, "y", found == 4 ? shape3(batch, k, n) : shape2(k, n));
    finish(name, product_step, &o, (Work){BOUND_FMA, 2.0 * batch * m * k * n, 0});
}

static void softmax_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    ag_softmax(tape_param(o->tape, o->x));
}

static void layernorm_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    ag_layernorm(tape_param(o->tape, o->x), o->y, o->z, (real)1e-5);
}

static void gelu_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    ag_gelu(tape_param(o->tape, o->x));
}

/* softmax_ROWSxN, layernorm_ROWSxN, gelu_ROWSxN */
void run_forward(const char *name)
{
    int size[4];
    sizes_in(name, size);
    Step step = *name == 's' ? softmax_step : *name == 'l' ? layernorm_step : gelu_step;
    Operands o = operands_new(true);
    o.x = normal(&o, "x", shape2(size[0], size[1]));
    o.y = normal(&o, "gain", shape1(size[1]));
    o.z = normal(&o, "bias", shape1(size[1]));
    finish(name, step, &o, (Work){0});
}

/* ---- forward and backward -------------------------------------------------------------------- */

static void cross_entropy_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    params_zero_grad(o->params);
    Tensor *targets = tape_ids(o->tape, o->targets, shape1(o->x->shape.dim[0]));
    ag_backward(ag_cross_entropy(tape_param(o->tape, o->x), targets));
}

void run_cross_entropy(const char *name)
{
    int size[4];
    sizes_in(name, size);
    Operands o = operands_new(false);
    Rng rng = {.seed = 1};
    o.x = normal(&o, "logits", shape2(size[0], size[1]));
    o.targets = calloc((size_t)size[0], sizeof *o.targets);
    for (int i = 0; o.targets && i < size[0]; i++)
        o.targets[i] = (int)rng_below(&rng, size[1]);
    finish(name, cross_entropy_step, &o, (Work){0});
}

static void attention_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    params_zero_grad(o->params);
    Tensor *y = ag_attention(tape_param(o->tape, o->x), o->y, o->z, (Mask){.causal = true}, 0);
    ag_backward(ag_sum(y));
}

/* Four heads of 64 channels. Only the causal half counts as work: two products forward, and two and
 * a half times as much backward. */
void run_attention(const char *name)
{
    double T = size_in(name, "_T");
    Shape shape = shape4(1, 4, (int64_t)T, 64);
    Operands o = operands_new(false);
    o.x = normal(&o, "q", shape);
    o.y = normal(&o, "k", shape);
    o.z = normal(&o, "v", shape);
    finish(name, attention_step, &o, (Work){BOUND_FMA, 3.5 * 4 * 4 * T * T * 64 / 2, 0});
}
