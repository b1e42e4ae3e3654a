/* kernels_threads.c: see kernels_threads.h. Each kernel is a struct of its arguments, a body that calls
 * the reference on items begin..end-1, and the call. */
#include "tensor/kernels_threads.h"

#include "tensor/kernels_ref.h"
#include "tensor/parallel.h"

/* The cost of an element that needs exp, tanh or erf, in elementary operations. */
enum { TRANSCENDENTAL = 16 };

/* ---- element by element ---------------------------------------------------------------------------- */

typedef struct {
    void (*unary)(real *y, const real *x, int64_t n);
    void (*back)(real *dx, const real *dy, const real *x, int64_t n);
    real *y;
    const real *x, *dy;
} Elements;

static void elements_body(int64_t begin, int64_t end, void *context)
{
    const Elements *e = context;
    if (e->unary)
        e->unary(e->y + begin, e->x + begin, end - begin);
    else
        e->back(e->y + begin, e->dy + begin, e->x + begin, end - begin);
}

static void unary(void (*f)(real *, const real *, int64_t), real *y, const real *x, int64_t n)
{
    Elements e = {.unary = f, .y = y, .x = x};
    parallel_for(n, parallel_grain(TRANSCENDENTAL), elements_body, &e);
}

void threads_exp(real *y, const real *x, int64_t n)
{
    unary(kernels_ref.exp, y, x, n);
}

void threads_tanh(real *y, const real *x, int64_t n)
{
    unary(kernels_ref.tanh, y, x, n);
}

void threads_gelu(real *y, const real *x, int64_t n)
{
    unary(kernels_ref.gelu, y, x, n);
}

void threads_gelu_back(real *dx, const real *dy, const real *x, int64_t n)
{
    Elements e = {.back = kernels_ref.gelu_back, .y = dx, .x = x, .dy = dy};
    parallel_for(n, parallel_grain(TRANSCENDENTAL), elements_body, &e);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

typedef struct {
    real *y, *stats;
    const real *x, *dy, *gain, *bias, *lse;
    const int32_t *target;
    int32_t ignore;
    real number; /* epsilon, or alpha */
    int64_t n;
} Rows;

static void softmax_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    kernels_ref.softmax(r->y + begin * r->n, r->x + begin * r->n, end - begin, r->n);
}

void threads_softmax(real *y, const real *x, int64_t rows, int64_t n)
{
    Rows r = {.y = y, .x = x, .n = n};
    parallel_for(rows, parallel_grain(n * TRANSCENDENTAL), softmax_body, &r);
}

static void softmax_back_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t at = begin * r->n;
    kernels_ref.softmax_back(r->y + at, r->dy + at, r->x + at, end - begin, r->n);
}

void threads_softmax_back(real *dx, const real *dy, const real *y, int64_t rows, int64_t n)
{
    Rows r = {.y = dx, .dy = dy, .x = y, .n = n};
    parallel_for(rows, parallel_grain(n * 4), softmax_back_body, &r);
}

static void layernorm_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t at = begin * r->n;
    kernels_ref.layernorm(r->y + at, r->stats + 2 * begin, r->x + at, r->gain, r->bias, r->number,
                          end - begin, r->n);
}

void threads_layernorm(real *y, real *stats, const real *x, const real *gain, const real *bias,
                       real epsilon, int64_t rows, int64_t n)
{
    Rows r = {
        .y = y, .stats = stats, .x = x, .gain = gain, .bias = bias, .number = epsilon, .n = n};
    parallel_for(rows, parallel_grain(n * 4), layernorm_body, &r);
}

static void cross_entropy_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    kernels_ref.cross_entropy(r->y + begin, r->stats + begin, r->x + begin * r->n,
                              r->target + begin, r->ignore, end - begin, r->n);
}

void threads_cross_entropy(real *losses, real *lse, const real *x, const int32_t *target,
                           int32_t ignore, int64_t rows, int64_t n)
{
    Rows r = {.y = losses, .stats = lse, .x = x, .target = target, .ignore = ignore, .n = n};
    parallel_for(rows, parallel_grain(n * TRANSCENDENTAL), cross_entropy_body, &r);
}

static void cross_entropy_back_body(int64_t begin, int64_t end, void *context)
{
    const Rows *r = context;
    int64_t at = begin * r->n;
    kernels_ref.cross_entropy_back(r->y + at, r->number, r->x + at, r->lse + begin,
                                   r->target + begin, r->ignore, end - begin, r->n);
}

void threads_cross_entropy_back(real *dx, real alpha, const real *x, const real *lse,
                                const int32_t *target, int32_t ignore, int64_t rows, int64_t n)
{
    Rows r = {
        .y = dx, .x = x, .lse = lse, .target = target, .ignore = ignore, .number = alpha, .n = n};
    parallel_for(rows, parallel_grain(n * TRANSCENDENTAL), cross_entropy_back_body, &r);
}

/* ---- attention: a matrix has one owner ------------------------------------------------------------------- */

typedef struct {
    const Attention *a;
    const AttentionGrad *g; /* NULL on the way forward */
} Matrices;

static void attention_body(int64_t begin, int64_t end, void *context)
{
    const Matrices *m = context;
    if (m->g)
        ref_attention_back_range(m->a, m->g, begin, end);
    else
        ref_attention_range(m->a, begin, end);
}

static void attention(const Attention *a, const AttentionGrad *g)
{
    Matrices m = {a, g};
    int64_t cost = a->queries * a->keys * (a->d + a->dv + TRANSCENDENTAL);
    parallel_for(a->batch * a->heads, parallel_grain(cost), attention_body, &m);
}

void threads_attention(const Attention *a)
{
    attention(a, NULL);
}

void threads_attention_back(const Attention *a, const AttentionGrad *g)
{
    attention(a, g);
}

/* ---- Adam ------------------------------------------------------------------------------------------------- */

typedef struct {
    real *w, *grad, *m, *v;
    const AdamStep *step;
} Weights;

static void adam_body(int64_t begin, int64_t end, void *context)
{
    const Weights *w = context;
    kernels_ref.adam(w->w + begin, w->grad + begin, w->m + begin, w->v + begin, w->step,
                     end - begin);
}

void threads_adam(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n)
{
    Weights all = {w, grad, m, v, s};
    parallel_for(n, parallel_grain(4), adam_body, &all);
}
