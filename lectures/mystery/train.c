/* train.c: trains the model of a run, and measures what every model has. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "examples/common/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHTS = 96, FIRST = 5, LAST = 20 };

typedef struct {
    double first[WEIGHTS], last[WEIGHTS]; /* squared norms of each weight's gradient */
    double clipped; /* the norm of the whole gradient that the optimiser got, over the last steps */
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

void run_number(Run *r, Measure of, double value, const char *name, ...)
{
    va_list arguments;
    if (r->count == NUMBERS)
        options_refuse("more than %d numbers", NUMBERS);
    Number *n = &r->number[r->count++];
    *n = (Number){.of = of, .value = value};
    va_start(arguments, name);
    vsnprintf(n->name, sizeof n->name, name, arguments);
    va_end(arguments);
}

double number_distance(const Run *a, const Run *b, int i)
{
    double x = a->number[i].value, y = b->number[i].value;
    double apart = fabs(x - y) / (fabs(x) + fabs(y) + 0.05);
    return isfinite(apart) ? apart : isfinite(x) != isfinite(y);
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

/* ---- gradients ------------------------------------------------------------------------------- */

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
        double sum = square_norm(r->params->grad[i], tensor_size(r->params->weight[i]));
        w->first[i] += r->step < FIRST ? sum / FIRST : 0;
        w->last[i] += r->step >= steps - LAST ? sum / LAST : 0;
    }
}

/* The length of a layer's name, with which those of its weights begin: blocks.0, and not blocks. */
static int layer_length(const char *name)
{
    int stem = strncmp(name, "blocks.", 7) == 0 ? 7 : 0;
    return stem + (int)strcspn(name + stem, ".");
}

/* The norms of each layer, whose weights follow one another. */
static void add_gradients(Run *r, const Watch *w)
{
    const Params *p = r->params;
    for (int i = 0, next; i < p->count; i = next) {
        const char *name = p->weight[i]->name;
        int length = layer_length(name);
        double first = 0, last = 0;
        for (next = i; next < p->count && layer_length(p->weight[next]->name) == length &&
                       strncmp(p->weight[next]->name, name, (size_t)length) == 0;
             next++) {
            first += w->first[next];
            last += w->last[next];
        }
        run_number(r, GRADIENTS, sqrt(first), "%.*s, first %d steps", length, name, FIRST);
        run_number(r, GRADIENTS, sqrt(last), "%.*s, last %d steps", length, name, LAST);
    }
    run_number(r, GRADIENTS, w->clipped, "all, clipped, last %d steps", LAST);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static double rate_at(const Run *r, const Trained *t)
{
    double rate = t->rate * (faulty(r, "rate-large") ? 20 : faulty(r, "rate-small") ? 0.02 : 1);
    int warmup = faulty(r, "no-warm-up") ? 1 : t->warmup;
    return nn_warmup_linear(r->step, warmup, t->steps, rate, rate);
}

static bool take_step(Run *r, Adam *adam, Watch *w, const Trained *t, double *loss)
{
    const Params *p = r->params;
    Tensor *kept[WEIGHTS]; /* gradients, which a step of the optimiser sets to 0 */
    if (faulty(r, "batch-repeated"))
        r->data.position = 0;
    tape_reset(r->tape);
    r->tape->training = true;
    Tensor *l = t->learner->loss(r);
    bool ok = ag_backward(l);
    r->tape->training = false;
    *loss = ok ? (double)tensor_item(l) : (double)NAN;
    watch_gradients(w, r, t->steps);
    for (int i = 0; i < p->count; i++)
        kept[i] = tape_input(r->tape, p->grad[i], p->weight[i]->shape);
    params_clip_grad(r->params, faulty(r, "clip-small") ? 1e-7 : 1);
    w->clipped += r->step >= t->steps - LAST ? params_grad_norm(p) / LAST : 0;
    adam->rate = rate_at(r, t);
    ok = ok && adam_step(adam, r->params);
    for (int i = 0; ok && i < p->count && faulty(r, "gradient-kept"); i++)
        memcpy(p->grad[i], kept[i]->data, sizeof(real) * (size_t)tensor_size(kept[i]));
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
        run_number(r, LOSSES, r->training[k], "training, step %g", r->at[k]);
        run_number(r, LOSSES, r->held[k], "held-out, step %g", r->at[k]);
    }
    add_gradients(r, w);
    double first = t->learner->held(r), second = t->learner->held(r);
    run_number(r, TWICE, first, "held-out, once");
    run_number(r, TWICE, second, "held-out, once more");
    run_number(r, TWICE, first != second, "another one? 1: yes");
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
    if (ok && r->params->count > WEIGHTS)
        options_refuse("found %d weights; expected at most %d", r->params->count, WEIGHTS);
    ok = ok && take_steps(r, &adam, &w, t);
    if (ok)
        add_numbers(r, &w, t);
    ok = ok && t->learner->measure(r);
    adam_free(&adam);
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
