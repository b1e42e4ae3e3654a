/* optim.c: the optimisers. Their arithmetic is in the kernels, one pass over all parameters.
 *
 * Adam treats all weights as one long vector, which the threads share: a model has many weights,
 * most of them too short to be worth a second thread, and together they are long. The vector has
 * one count of steps t for both bias corrections. The first step of a weight whose first gradient
 * comes at t (see nn.h) is therefore
 *     rate (1 - beta1) / (1 - beta1^t) / sqrt((1 - beta2) / (1 - beta2^t))   instead of rate. */
#include "nn/internal.h"

#include "tensor/kernels/kernels.h"
#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <math.h>

/* A rate, momentum, decay or epsilon in range; false for NaN too. */
static bool is_setting(double x)
{
    return x >= 0 && isfinite(x);
}

static bool optimiser_check(const void *optimiser, const Params *p, double rate, double momentum,
                            double decay, const char *who)
{
    if (!optimiser || !p)
        return tensor_fail("%s: %s is NULL; expected an optimiser and params", who,
                           optimiser ? "params" : "the optimiser");
    return (is_setting(rate) && is_setting(momentum) && is_setting(decay)) ||
           tensor_fail("%s: rate %g, momentum %g, decay %g; expected finite numbers, 0 or more",
                       who, rate, momentum, decay);
}

/* A failure that is pending means that gradients are missing or wrong; so does a backward that
 * failed, also where the program has cleared its failure. */
static bool step_check(const Params *p, int64_t size, bool has_state, const char *who)
{
    if (tensor_failed())
        return false;
    if (backward_failed())
        return tensor_fail("%s: the last backward failed; expected one that succeeded, or a new "
                           "step (tape_reset)",
                           who);
    if (!has_state)
        return tensor_fail("%s: the optimiser has no state; expected one whose init succeeded",
                           who);
    return params_size(p) == size ||
           tensor_fail("%s: the model has %lld parameters; expected %lld, as at init: register all "
                       "weights before it",
                       who, (long long)params_size(p), (long long)size);
}

bool sgd_init(Sgd *s, const Params *p, double rate, double momentum, double decay)
{
    if (s)
        *s = (Sgd){0};
    if (!optimiser_check(s, p, rate, momentum, decay, "sgd_init"))
        return false;
    *s = (Sgd){.rate = rate, .momentum = momentum, .decay = decay, .size = params_size(p)};
    if (momentum != 0)
        s->velocity = mem_zeroed((size_t)s->size * sizeof *s->velocity);
    return momentum == 0 || s->velocity;
}

/* `at` is the offset of weight i in the velocity, which has the weights in their order, frozen ones
 * included. One weight after the other, by one thread. */
bool sgd_step(Sgd *s, Params *p)
{
    if (!optimiser_check(s, p, s ? s->rate : 0, s ? s->momentum : 0, s ? s->decay : 0,
                         "sgd_step") ||
        !step_check(p, s->size, s->momentum == 0 || s->velocity, "sgd_step"))
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

/* The settings stay. With momentum, a step after it is an error, since the state is missing. */
void sgd_free(Sgd *s)
{
    if (!s)
        return;
    mem_free(s->velocity);
    s->velocity = NULL;
}

static bool init(Adam *a, const Params *p, double rate, double decay, bool decoupled,
                 const char *who)
{
    if (a)
        *a = (Adam){0};
    if (!optimiser_check(a, p, rate, 0, decay, who))
        return false;
    *a = (Adam){.rate = rate,
                .beta1 = 0.9,
                .beta2 = 0.999,
                .epsilon = 1e-8,
                .decay = decay,
                .decoupled = decoupled,
                .size = params_size(p)};
    a->m = mem_zeroed(2 * (size_t)a->size * sizeof *a->m);
    a->v = a->m ? a->m + a->size : NULL;
    return a->m != NULL;
}

bool adam_init(Adam *a, const Params *p, double rate)
{
    return init(a, p, rate, 0, false, "adam_init");
}

bool adamw_init(Adam *a, const Params *p, double rate, double decay)
{
    return init(a, p, rate, decay, true, "adamw_init");
}

/* Of one parameter, in the units of parallel_grain: a root and a division. */
enum { ADAM_COST = 8 };

typedef struct {
    const Adam *adam;
    const Params *params;
    AdamStep step;
} Stepping;

/* Updates parameters begin .. end-1 of the vector of all weights: of each weight the part that lies
 * in this range. The weights are passed in their order, each with its offset `at` in the vector. */
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

static bool adam_check(const Adam *a)
{
    bool ok =
        a->beta1 >= 0 && a->beta1 < 1 && a->beta2 >= 0 && a->beta2 < 1 && is_setting(a->epsilon);
    return ok || !a->m || /* the missing state is reported instead */
           tensor_fail(
               "adam_step: beta1 %g, beta2 %g, epsilon %g; expected betas of at least 0 and "
               "below 1, and an epsilon of at least 0",
               a->beta1, a->beta2, a->epsilon);
}

bool adam_step(Adam *a, Params *p)
{
    if (!optimiser_check(a, p, a ? a->rate : 0, 0, a ? a->decay : 0, "adam_step") ||
        !adam_check(a) || !step_check(p, a->size, a->m != NULL, "adam_step"))
        return false;
    /* The bias corrections: E[m] = (1 - beta1^t) E[g] and E[v] = (1 - beta2^t) E[g^2] for means
     * that begin with 0. They are computed in double once for all weights. */
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
    if (!a)
        return;
    mem_free(a->m);
    a->m = a->v = NULL;
}
