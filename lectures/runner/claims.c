/* claims.c: runs a claim. See claims.h. */
#include "lectures/runner/claims.h"

#include "lectures/runner/values.h"

#include "examples/common/options.h"
#include "examples/common/progress.h"

#include <stdarg.h>
#include <string.h>

bool claim_has_fault(const Claim *claim, const char *fault)
{
    for (int i = 0; i < CLAIM_FAULTS && claim->faults[i].name; i++)
        if (strcmp(claim->faults[i].name, fault) == 0)
            return true;
    return false;
}

bool broken(const Trial *t, const char *fault)
{
    if (!claim_has_fault(t->claim, fault))
        options_refuse("row %d: the claim asks for a fault \"%s\" that it does not list",
                       t->claim->row, fault);
    return t->fault && strcmp(t->fault, fault) == 0;
}

int tried_index(const Trial *t, const char *names)
{
    int count = 0, chosen = 0;
    const char *fault = t->claim->faults[0].name;
    while (*names && fault) {
        size_t length = strcspn(names, ","), end = strlen(fault);
        if (length < end || strncmp(names + length - end, fault, end) != 0)
            break;
        count++;
        chosen = broken(t, fault) ? count : chosen;
        names += length + strspn(names + length, ", ");
        fault = count < CLAIM_FAULTS ? t->claim->faults[count].name : NULL;
    }
    if (*names || fault)
        options_refuse("row %d: the exercise tries \"%s\", and its next fault is \"%s\"",
                       t->claim->row, names, fault ? fault : "");
    return chosen;
}

void explain(const Trial *t, const char *format, ...)
{
    if (!t->notes)
        return;
    va_list args;
    va_start(args, format);
    fputs("    ", t->notes);
    vfprintf(t->notes, format, args);
    fputc('\n', t->notes);
    va_end(args);
}

/* ---- what a trial owns ----------------------------------------------------------------------- */

Tape *trial_tape(Trial *t)
{
    if (!t->tape && !(t->tape = tape_new(t->seed)))
        options_refuse("row %d: no memory for a tape", t->claim->row);
    return t->tape;
}

Params *trial_params(Trial *t)
{
    Params *p = t->params_count < TRIAL_PARAMS ? params_new(t->seed) : NULL;
    if (!p)
        options_refuse("row %d: no memory for parameters, or more than %d of them", t->claim->row,
                       TRIAL_PARAMS);
    return t->params[t->params_count++] = p;
}

Rng *trial_rng(Trial *t, uint64_t stream)
{
    for (int i = 0; i < t->rng_count; i++)
        if (t->rng[i].stream == stream)
            return &t->rng[i];
    if (t->rng_count == TRIAL_STREAMS)
        options_refuse("row %d: found stream %llu after %d others; expected at most %d",
                       t->claim->row, (unsigned long long)stream, TRIAL_STREAMS, TRIAL_STREAMS);
    t->rng[t->rng_count] = (Rng){.seed = t->seed, .stream = stream};
    return &t->rng[t->rng_count++];
}

Tensor *trial_normal(Trial *t, uint64_t stream, Shape shape)
{
    return values_normal(trial_tape(t), trial_rng(t, stream), shape, 1);
}

void trial_free(Trial *t)
{
    tape_free(t->tape);
    for (int i = 0; i < t->params_count; i++)
        params_free(t->params[i]);
}

/* ---- running them ---------------------------------------------------------------------------- */

const Claim *claim_stating(const Claim *const *claims, int row, const char *words)
{
    const Claim *found = NULL;
    int count = 0;
    for (; *claims; claims++) {
        if ((*claims)->row != row || strncmp((*claims)->statement, words, strlen(words)) != 0)
            continue;
        if (strcmp((*claims)->statement, words) == 0)
            return *claims;
        found = *claims;
        count++;
    }
    return count == 1 ? found : NULL;
}

Finding claim_run(const Claim *claim, const char *fault, uint64_t seed, FILE *notes)
{
    Trial trial = {.claim = claim, .fault = fault, .seed = seed, .notes = notes};
    Finding f = {.claim = claim, .fault = fault};
    double began = seconds();
    f.value = claim->measure(&trial);
    trial_free(&trial);
    f.seconds = seconds() - began;
    /* Written so that NaN, which compares with nothing, fails. */
    f.verdict = f.value >= claim->low && f.value <= claim->high ? HOLDS : FAILS;
    return f;
}

const char *claim_bound(const Claim *c, char text[BOUND_TEXT])
{
    if (c->low == c->high)
        snprintf(text, BOUND_TEXT, "= %g", c->low);
    else if (c->low == -INFINITY)
        snprintf(text, BOUND_TEXT, "<= %g", c->high);
    else if (c->high == INFINITY)
        snprintf(text, BOUND_TEXT, ">= %g", c->low);
    else
        snprintf(text, BOUND_TEXT, "%g .. %g", c->low, c->high);
    return text;
}
