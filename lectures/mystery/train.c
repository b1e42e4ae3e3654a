/* train.c: trains the model of a run, and measures what every model has. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "examples/common/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHTS = 96, POINTS = 10, WATCHED = 10 };

bool faulty(const Run *r, const char *fault)
{
    if (!fault_named(fault))
        options_refuse("there is no fault '%s'", fault);
    return strcmp(r->fault->name, fault) == 0;
}

double *run_line(Run *r, Measure of, int values, const char *name, ...)
{
    Line wanted = {.of = of, .values = values}, *line = r->line, *end = line + r->lines;
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(wanted.name, sizeof wanted.name, name, arguments);
    va_end(arguments);
    while (line < end && (line->of != of || strcmp(line->name, wanted.name) != 0))
        line++;
    if (r->lines == LINES)
        options_refuse("found more than %d lines of measurements", LINES - 1);
    if (line == end) {
        *line = wanted;
        r->lines++;
    }
    return line->value;
}

/* Clips, and adds the squares of the norms to those of the first steps or of the last. */
static void clip_gradients(Run *r)
{
    const Params *p = r->params;
    const int last = r->step >= WATCHED;
    const bool watched = !last || r->step >= r->learner->steps - WATCHED;
    for (int i = 0; watched && i < p->count; i++) {
        const char *name = p->weight[i]->name; /* it begins with the layer's, such as blocks.0 */
        size_t stem = strncmp(name, "blocks.", 7) == 0 ? 7 : 0;
        int length = (int)(stem + strcspn(name + stem, "."));
        double *square = run_line(r, GRADIENTS, 2, "%.*s", length, name);
        const real *g = p->weight[i]->grad; /* NULL of a frozen weight */
        for (int64_t k = 0; g && k < tensor_size(p->weight[i]); k++)
            square[last] += (double)g[k] * (double)g[k];
    }
    params_clip_grad(r->params, faulty(r, "clip-small") ? 1e-7 : 1);
    if (watched)
        run_line(r, GRADIENTS, 2, "all, clipped")[last] += pow(params_grad_norm(p), 2);
}

static double rate_at(const Run *r)
{
    const Learner *l = r->learner;
    double rate = l->rate * (faulty(r, "rate-large") ? 20 : faulty(r, "rate-small") ? 0.02 : 1);
    int warmup = faulty(r, "no-warm-up") ? 1 : l->warmup;
    return nn_warmup_linear(r->step, warmup, l->steps, rate, rate);
}

static bool take_step(Run *r, Adam *adam, double *loss)
{
    const Params *p = r->params;
    Tensor *kept[WEIGHTS]; /* gradients, which a step of the optimiser sets to 0 */
    if (faulty(r, "batch-repeated"))
        r->data.position = 0;
    tape_reset(r->tape);
    r->tape->training = true;
    Tensor *l = r->learner->loss(r);
    bool ok = ag_backward(l);
    r->tape->training = false;
    *loss = ok ? (double)tensor_item(l) : (double)NAN;
    for (int i = 0; i < p->count; i++)
        kept[i] = p->weight[i]->grad ? tape_input(r->tape, p->weight[i]->grad, p->weight[i]->shape)
                                     : NULL;
    clip_gradients(r);
    adam->rate = rate_at(r);
    ok = ok && adam_step(adam, r->params);
    for (int i = 0; ok && i < p->count && faulty(r, "gradient-kept"); i++)
        if (kept[i])
            memcpy(p->weight[i]->grad, kept[i]->data, sizeof(real) * (size_t)tensor_size(kept[i]));
    return ok;
}

static bool take_steps(Run *r, Adam *adam)
{
    const Learner *l = r->learner;
    const int every = l->steps / POINTS;
    double loss;
    for (r->step = 0; r->step < l->steps; r->step++) {
        if (!take_step(r, adam, &loss))
            return false;
        int until = r->step - r->step % every + every;
        double *line = run_line(r, LOSSES, 2, "step %d", until);
        line[0] += loss / every;
        line[1] = r->step + 1 == until ? l->held(r) : 0;
    }
    double *entropy = run_line(r, LOSSES, 2, "entropy");
    entropy[0] = entropy[1] = l->entropy;
    return true;
}

bool run_train(Run *r, const Fault *fault, uint64_t seed)
{
    const Learner *l = fault->learner;
    Adam adam = {0};
    *r = (Run){.fault = fault, .learner = l, .seed = seed};
    r->data = (Rng){.seed = seed, .stream = 1};
    r->noise = (Rng){.seed = seed, .stream = 2};
    r->params = params_new(seed);
    r->tape = tape_new(seed);
    bool ok = r->params && r->tape && l->init(r) && adam_init(&adam, r->params, l->rate);
    if (ok && r->params->count > WEIGHTS)
        options_refuse("found %d weights; expected at most %d", r->params->count, WEIGHTS);
    ok = ok && take_steps(r, &adam);
    adam_free(&adam);
    for (Line *line = r->line; line < r->line + r->lines; line++)
        for (int k = 0; line->of == GRADIENTS && k < 2; k++)
            line->value[k] = sqrt(line->value[k] / WATCHED);
    if (!ok)
        return false;
    double first = l->held(r), second = l->held(r);
    *run_line(r, TWICE, 1, "held-out, once") = first;
    *run_line(r, TWICE, 1, "held-out, once more") = second;
    *run_line(r, TWICE, 1, "another one? 1: yes") = first != second;
    return l->measure(r);
}

void run_free(Run *r)
{
    tape_free(r->tape);
    params_free(r->params);
    free(r->network);
}
