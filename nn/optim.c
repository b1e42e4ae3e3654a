/* optim.c: from gradients to better weights. The arithmetic is in the kernels, one pass over the numbers.
 *
 * Adam's pass goes over all weights as if they were one long row, which the threads share: a model has many
 * weights, most of them too short to be worth a second thread, and together they are long. The row has one count of
 * steps t, from which both corrections come; see nn.h for what that means to a weight that joins late:
 *     its first step is rate (1 - beta1) / (1 - beta1^t) / sqrt((1 - beta2) / (1 - beta2^t)), not rate. */
#include "nn/nn.h"

#include "tensor/kernels/kernels.h"
#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <math.h>

/* May a step be taken on these weights? `memory` is whether the optimiser has what it needs. */
static bool ready(const Params *p, int64_t size, bool memory, const char *who)
{
    if (tensor_failed())
        return false;
    if (!p)
        return tensor_fail("%s: params is NULL", who);
    if (!memory)
        return tensor_fail("%s: the optimiser has no memory; its init failed", who);
    return params_size(p) == size ||
           tensor_fail(
               "%s: the model has %lld numbers, it had %lld at init; register all weights first",
               who, (long long)params_size(p), (long long)size);
}

bool sgd_init(Sgd *s, const Params *p, double rate, double momentum, double decay)
{
    *s = (Sgd){.rate = rate, .momentum = momentum, .decay = decay, .size = params_size(p)};
    if (momentum != 0)
        s->velocity = mem_zeroed((size_t)s->size * sizeof *s->velocity);
    return momentum == 0 || s->velocity;
}

bool sgd_step(Sgd *s, Params *p)
{
    if (!ready(p, s->size, s->momentum == 0 || s->velocity, "sgd_step"))
        return false;
    int64_t at = 0;
    for (int i = 0; i < p->count; i++) {
        Tensor *t = p->weight[i];
        int64_t n = tensor_size(t);
        if (t->grad)
            kernels->sgd(t->data, t->grad, s->velocity ? s->velocity + at : NULL, (real)s->rate,
                         (real)s->momentum, (real)s->decay, 1, n);
        at += n;
    }
    return true;
}

void sgd_free(Sgd *s)
{
    mem_free(s->velocity);
    s->velocity = NULL;
}

bool adam_init(Adam *a, const Params *p, double rate)
{
    *a =
        (Adam){.rate = rate, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .size = params_size(p)};
    a->m = mem_zeroed(2 * (size_t)a->size * sizeof *a->m);
    a->v = a->m ? a->m + a->size : NULL;
    return a->m != NULL;
}

bool adamw_init(Adam *a, const Params *p, double rate, double decay)
{
    bool ok = adam_init(a, p, rate);
    a->decay = decay;
    a->decoupled = true;
    return ok;
}

enum { ADAM_COST = 8 }; /* of a number, as parallel_grain counts: a root and a division */

typedef struct {
    const Adam *adam;
    const Params *params;
    AdamStep step;
} Stepping;

/* Numbers begin .. end-1 of the row: of each weight that lies there, what is inside. */
static void adam_part(int64_t begin, int64_t end, void *context)
{
    const Stepping *s = context;
    int64_t at = 0;
    for (int i = 0; i < s->params->count && at < end; i++) {
        const Tensor *w = s->params->weight[i];
        int64_t n = tensor_size(w);
        int64_t from = begin > at ? begin - at : 0, to = end - at < n ? end - at : n;
        if (w->grad && from < to)
            kernels->adam(w->data + from, w->grad + from, s->adam->m + at + from,
                          s->adam->v + at + from, &s->step, to - from);
        at += n;
    }
}

bool adam_step(Adam *a, Params *p)
{
    if (!ready(p, a->size, a->m != NULL, "adam_step"))
        return false;
    double t = (double)++a->steps;
    AdamStep step = {
        .beta1 = a->beta1,
        .beta2 = a->beta2,
        .epsilon = (real)a->epsilon,
        .rate = (real)(a->rate / (1 - pow(a->beta1, t))),
        .root = (real)(1 / sqrt(1 - pow(a->beta2, t))),
        .decay = (real)(a->decoupled ? a->rate * a->decay : 0),
        .l2 = (real)(a->decoupled ? 0 : a->decay),
        .gradient = 1,
    };
    Stepping all = {a, p, step};
    parallel_for(a->size, parallel_grain(ADAM_COST), adam_part, &all);
    return true;
}

void adam_free(Adam *a)
{
    mem_free(a->m);
    a->m = a->v = NULL;
}
