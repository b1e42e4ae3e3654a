/* train.c: trains the model of a run, and measures what every model has. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "examples/common/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 10, FIRST = 5, LAST = 20 };

/* The weights whose paths begin with one name: a layer. */
typedef struct {
    char name[24];
    double first, last, before, moved; /* norms of the gradient and of the weights, squared */
} Part;

typedef struct {
    Part group[GROUPS];
    int groups;
    double clipped; /* the norm of the whole gradient that the optimiser got, over the last steps */
    real *gradients, *weights; /* (params_size) as they were before the last step */
} Watch;

const Trained trained[] = {
    [LANGUAGE] = {&language, "nats a token", 400, 100, 3e-3},
    [DEEP] = {&language, "nats a token", 400, 100, 7e-3},
    [PICTURES] = {&pictures, "nats a picture", 1500, 50, 6e-3},
};

bool faulty(const Run *r, const char *fault)
{
    if (!fault_named(fault))
        options_refuse("there is no fault '%s'", fault);
    return strcmp(r->fault->name, fault) == 0;
}

void run_number(Run *r, Measure of, double value, double unit, bool log, const char *name, ...)
{
    va_list arguments;
    if (r->count == NUMBERS)
        options_refuse("more than %d numbers", NUMBERS);
    Number *n = &r->number[r->count++];
    *n = (Number){.of = of, .value = value, .unit = unit, .log = log};
    va_start(arguments, name);
    vsnprintf(n->name, sizeof n->name, name, arguments);
    va_end(arguments);
}

double number_distance(const Run *a, const Run *b, int i)
{
    const Number *n = &a->number[i];
    double x = n->value, y = b->number[i].value;
    if (n->log) {
        x = log10(fabs(x) + 1e-12);
        y = log10(fabs(y) + 1e-12);
    }
    double apart = fabs(x - y) / n->unit;
    return isnan(x) != isnan(y) || apart > 5 ? 5 : isnan(apart) ? 0 : apart;
}

double run_distance(const Run *a, const Run *b)
{
    double sum[MEASURES] = {0}, all = 0;
    int count[MEASURES] = {0};
    for (int i = 0; i < a->count; i++) {
        sum[a->number[i].of] += number_distance(a, b, i);
        count[a->number[i].of]++;
    }
    for (int m = 0; m < MEASURES; m++)
        all += count[m] ? sum[m] / count[m] : 0;
    return all;
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* The group of weight i, which is made where it is the first of its layer. */
static Part *group_of(Watch *w, const Params *p, int i)
{
    const char *name = p->weight[i]->name;
    int stem = strncmp(name, "blocks.", 7) == 0 ? 7 : 0; /* a layer is blocks.0, not blocks */
    int length = stem + (int)strcspn(name + stem, ".");
    for (int k = 0; k < w->groups; k++)
        if ((int)strlen(w->group[k].name) == length &&
            strncmp(w->group[k].name, name, (size_t)length) == 0)
            return &w->group[k];
    if (w->groups == GROUPS)
        options_refuse("more than %d layers", GROUPS);
    Part *g = &w->group[w->groups++];
    snprintf(g->name, sizeof g->name, "%.*s", length, name);
    return g;
}

double square_norm(const real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

static void watch_gradients(Watch *w, const Run *r, int steps)
{
    for (int i = 0; i < r->params->count; i++) {
        Part *g = group_of(w, r->params, i);
        double sum = square_norm(r->params->grad[i], tensor_size(r->params->weight[i]));
        g->first += r->step < FIRST ? sum / FIRST : 0;
        g->last += r->step >= steps - LAST ? sum / LAST : 0;
    }
}

/* Copies all gradients, or all weights, to `kept`, or back from it. */
static void copy(const Params *p, real *kept, bool gradients, bool back)
{
    for (int i = 0; i < p->count; i++) {
        size_t n = (size_t)tensor_size(p->weight[i]);
        real *x = gradients ? p->grad[i] : p->weight[i]->data;
        memcpy(back ? x : kept, back ? kept : x, sizeof *kept * n);
        kept += n;
    }
}

/* What the last step changed of the weights that were kept before it. */
static void watch_weights(Watch *w, const Params *p)
{
    const real *kept = w->weights;
    for (int i = 0; i < p->count; i++) {
        int64_t n = tensor_size(p->weight[i]);
        Part *g = group_of(w, p, i);
        g->before += square_norm(kept, n);
        for (int64_t k = 0; k < n; k++)
            g->moved += pow((double)(p->weight[i]->data[k] - kept[k]), 2);
        kept += n;
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

static double rate_at(const Run *r, const Trained *t)
{
    double rate = t->rate * (faulty(r, "rate-large") ? 20 : faulty(r, "rate-small") ? 0.02 : 1);
    int warmup = faulty(r, "no-warm-up") ? 1 : t->warmup;
    return r->step < warmup ? rate * (r->step + 1) / warmup : rate;
}

static bool take_step(Run *r, Adam *adam, Watch *w, const Trained *t, double *loss)
{
    if (faulty(r, "batch-repeated"))
        r->data.position = 0;
    tape_reset(r->tape);
    r->tape->training = true;
    Tensor *l = t->learner->loss(r);
    bool ok = ag_backward(l);
    r->tape->training = false;
    *loss = ok ? (double)tensor_item(l) : (double)NAN;
    watch_gradients(w, r, t->steps);
    copy(r->params, w->gradients, true, false); /* a step of the optimiser sets them to 0 */
    params_clip_grad(r->params, faulty(r, "clip-small") ? 1e-7 : 1);
    w->clipped += r->step >= t->steps - LAST ? params_grad_norm(r->params) / LAST : 0;
    adam->rate = rate_at(r, t);
    copy(r->params, w->weights, false, false);
    ok = ok && adam_step(adam, r->params);
    if (faulty(r, "gradient-kept"))
        copy(r->params, w->gradients, true, true);
    return ok;
}

static bool take_steps(Run *r, Adam *adam, Watch *w, const Trained *t)
{
    double loss, sum = 0;
    int every = t->steps / POINTS;
    for (r->step = 0; r->step < t->steps; r->step++) {
        if (!take_step(r, adam, w, t, &loss))
            return false;
        sum += loss / every;
        if (r->step % every < every - 1)
            continue;
        int k = r->step / every;
        r->at[k] = r->step + 1;
        r->training[k] = sum;
        r->held[k] = t->learner->held(r);
        sum = 0;
    }
    return true;
}

/* ---- the whole run --------------------------------------------------------------------------- */

static void add_numbers(Run *r, const Watch *w, const Trained *t)
{
    for (int k = 0; k < POINTS; k++) {
        run_number(r, LOSSES, r->training[k], 0.1, false, "training, step %g", r->at[k]);
        run_number(r, LOSSES, r->held[k], 0.1, false, "held-out, step %g", r->at[k]);
    }
    for (const Part *g = w->group; g < w->group + w->groups; g++) {
        run_number(r, GRADIENTS, sqrt(g->first), 0.2, true, "%s, first %d steps", g->name, FIRST);
        run_number(r, GRADIENTS, sqrt(g->last), 0.2, true, "%s, last %d steps", g->name, LAST);
    }
    run_number(r, GRADIENTS, w->clipped, 0.2, true, "all, clipped, last %d steps", LAST);
    for (int g = 0; g < w->groups; g++)
        run_number(r, UPDATES, sqrt(w->group[g].moved / (w->group[g].before + 1e-30)), 0.2, true,
                   "%s, change / weights", w->group[g].name);
    double first = t->learner->held(r);
    run_number(r, TWICE, first, 0.1, false, "held-out, once");
    run_number(r, TWICE, fabs(t->learner->held(r) - first), 2, true, "and once more: difference");
}

bool run_train(Run *r, const Fault *fault, uint64_t seed)
{
    const Trained *t = &trained[fault->model];
    Adam adam = {0};
    Watch w = {0};
    *r = (Run){.fault = fault, .model = fault->model, .seed = seed};
    r->entropy = t->learner->entropy();
    r->data = (Rng){.seed = seed, .stream = 1};
    r->noise = (Rng){.seed = seed, .stream = 2};
    r->params = params_new(seed);
    r->tape = tape_new(seed);
    bool ok = r->params && r->tape && t->learner->init(r) && adam_init(&adam, r->params, t->rate);
    w.gradients = ok ? malloc(sizeof *w.gradients * (size_t)params_size(r->params)) : NULL;
    w.weights = ok ? malloc(sizeof *w.weights * (size_t)params_size(r->params)) : NULL;
    ok = w.gradients && w.weights && take_steps(r, &adam, &w, t);
    if (ok) {
        watch_weights(&w, r->params);
        add_numbers(r, &w, t);
    }
    ok = ok && t->learner->measure(r);
    adam_free(&adam);
    free(w.gradients);
    free(w.weights);
    return ok;
}

void run_free(Run *r)
{
    tape_free(r->tape);
    params_free(r->params);
    free(r->network);
    r->tape = NULL;
    r->params = NULL;
    r->network = NULL;
}
