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

Finding claim_run(const Claim *claim, const char *fault, uint64_t seed, FILE *notes)
{
    Trial trial = {.claim = claim, .fault = fault, .seed = seed, .notes = notes};
    Finding f = {.claim = claim, .fault = fault};
    double began = seconds();
    f.value = claim->measure(&trial);
    f.seconds = seconds() - began;
    /* Written so that NaN, which compares with nothing, fails. */
    f.verdict = f.value >= claim->low && f.value <= claim->high ? HOLDS : FAILS;
    return f;
}

void share_add(Share *s, const Finding *f)
{
    s->least = s->seeds ? values_least(s->least, f->value) : f->value;
    s->most = s->seeds ? values_worst(s->most, f->value) : f->value;
    s->held += f->verdict == HOLDS;
    s->seconds += f->seconds;
    s->seeds++;
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

const char *claim_letters(const Claim *c, char text[BOUND_TEXT])
{
    int n = 0;
    text[0] = 0;
    for (int i = 0; i < CLAIM_SLIDES && c->slides[i]; i++)
        if (!strchr(text, c->slides[i][0]))
            n +=
                snprintf(text + n, (size_t)(BOUND_TEXT - n), "%s%c", n ? " " : "", c->slides[i][0]);
    return text;
}
