/* ops.c: rows of single ops, on tensors that outlive a step, as weights do.
 *
 * PyTorch's row drops a gradient where this one zeroes it; in both, a step ends with the gradient
 * of that step alone. */
#include "tests/bench/bench.h"

typedef struct {
    Tape *tape;
    Tensor *x, *y, *z;
    Params *params; /* the tensors with a gradient  */
    const int *targets;
} Operands;

static void free_operands(Operands *o)
{
    if (!o->params) {
        tensor_free(o->x);
        tensor_free(o->y);
        tensor_free(o->z);
    }
    params_free(o->params);
    tape_free(o->tape);
}

/* ---- forward only ---------------------------------------------------------------------------- */

static void matmul_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    ag_matmul(tape_param(o->tape, o->x), o->y);
}

/* size: batch (0: none), m, k, n */
static void run_matmul(const Row *r)
{
    int64_t batch = r->size[0], m = r->size[1], k = r->size[2], n = r->size[3];
    Operands o = {.tape = tape_new(0)};
    o.tape->no_grad = true;
    o.x = normal_tensor(batch ? shape3(batch, m, k) : shape2(m, k), 1);
    o.y = normal_tensor(batch ? shape3(batch, k, n) : shape2(k, n), 2);
    double flops = 2.0 * (double)(batch ? batch : 1) * (double)m * (double)k * (double)n;
    measure(r->name, matmul_step, &o, (Work){BOUND_FMA, flops, 0});
    free_operands(&o);
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

static void run_rows(const Row *r, Step step)
{
    int64_t rows = r->size[0], n = r->size[1];
    Operands o = {.tape = tape_new(0)};
    o.tape->no_grad = true;
    o.x = normal_tensor(shape2(rows, n), 1);
    o.y = tensor_new(shape1(n));
    o.z = tensor_new(shape1(n));
    for (int64_t i = 0; i < n; i++)
        o.y->data[i] = 1;
    measure(r->name, step, &o, (Work){0});
    free_operands(&o);
}

static void run_softmax(const Row *r)
{
    run_rows(r, softmax_step);
}

static void run_layernorm(const Row *r)
{
    run_rows(r, layernorm_step);
}

static void run_gelu(const Row *r)
{
    run_rows(r, gelu_step);
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

static void run_cross_entropy(const Row *r)
{
    static int targets[4096];
    Rng rng = {.seed = 1};
    for (int i = 0; i < r->size[0]; i++)
        targets[i] = (int)rng_below(&rng, r->size[1]);
    Operands o = {.tape = tape_new(0), .params = params_new(1), .targets = targets};
    o.x = params_add(o.params, "logits", shape2(r->size[0], r->size[1]), nn_normal(1));
    measure(r->name, cross_entropy_step, &o, (Work){0});
    free_operands(&o);
}

static void attention_step(void *context)
{
    Operands *o = context;
    tape_reset(o->tape);
    params_zero_grad(o->params);
    Tensor *y = ag_attention(tape_param(o->tape, o->x), o->y, o->z, (Mask){.causal = true}, 0);
    ag_backward(ag_sum(y));
}

/* size: T. Four heads of 64 channels. Only the causal half counts as work: two products forward,
 * and two and a half times as much backward. */
static void run_attention(const Row *r)
{
    int64_t T = r->size[0];
    Shape shape = shape4(1, 4, T, 64);
    Operands o = {.tape = tape_new(0), .params = params_new(1)};
    o.x = params_add(o.params, "q", shape, nn_normal(1));
    o.y = params_add(o.params, "k", shape, nn_normal(1));
    o.z = params_add(o.params, "v", shape, nn_normal(1));
    double flops = 3.5 * 4 * 4 * (double)T * (double)T * 64 / 2;
    measure(r->name, attention_step, &o, (Work){BOUND_FMA, flops, 0});
    free_operands(&o);
}

const Row op_rows[] = {
    {"gemm_64", run_matmul, {0, 64, 64, 64}, false},
    {"gemm_128", run_matmul, {0, 128, 128, 128}, false},
    {"gemm_256", run_matmul, {0, 256, 256, 256}, false},
    {"gemm_512", run_matmul, {0, 512, 512, 512}, false},
    {"gemm_1024", run_matmul, {0, 1024, 1024, 1024}, false},
    {"gemm_2048", run_matmul, {0, 2048, 2048, 2048}, false},
    {"gemm_512x256x1024", run_matmul, {0, 512, 256, 1024}, false},
    {"bmm_64x64x32x64", run_matmul, {64, 64, 32, 64}, false},
    {"softmax_4096x256", run_softmax, {4096, 256}, false},
    {"layernorm_4096x512", run_layernorm, {4096, 512}, false},
    {"gelu_4096x512", run_gelu, {4096, 512}, false},
    {"crossentropy_fwdbwd_4096x1024", run_cross_entropy, {4096, 1024}, false},
    {"attention_causal_fwdbwd_T64", run_attention, {64}, false},
    {"attention_causal_fwdbwd_T256", run_attention, {256}, false},
    {"attention_causal_fwdbwd_T1024", run_attention, {1024}, false},
    {"attention_causal_fwdbwd_T4096", run_attention, {4096}, false},
    {0},
};
