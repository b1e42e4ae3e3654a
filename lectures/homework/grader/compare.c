/* compare.c: what a test's process sent, held against what the judge expects. All that came through
 * the pipe may be forged: only its length and its numbers count, and a number is right or not. */
#include "grader.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- reading --------------------------------------------------------------------------------- */

static double number_at(const char *numbers, const CaseArray *a, int i, Variant v)
{
    union {
        int whole;
        float single;
        double twice;
    } x;
    size_t bytes = element_bytes(a, v);
    memcpy(&x, numbers + bytes * (size_t)i, bytes);
    return a->whole ? x.whole : bytes == sizeof x.single ? (double)x.single : x.twice;
}

static bool guards_stand(const char *guard, size_t bytes)
{
    const uint32_t word = GUARD_WORD;
    for (size_t i = 0; i < GUARD; i += sizeof word)
        if (memcmp(guard + i, &word, sizeof word) != 0 ||
            memcmp(guard + GUARD + bytes + i, &word, sizeof word) != 0)
            return false;
    return true;
}

/* A verdict on a case, unless an earlier one has one. */
static void blame(Verdict *v, Wrong what, int at, int array, int element)
{
    if (v->what != WRONG_NOTHING)
        return;
    v->what = what;
    v->at = at;
    v->array = array;
    v->element = element;
}

/* ---- one case -------------------------------------------------------------------------------- */

static bool is_right(const Expected *e, int i, double got)
{
    double want = expected_number(e, i);
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= e->tolerance[i];
}

static int first_wrong(const Expected *e, const double *got)
{
    for (int i = 0; i < e->a.count; i++)
        if (!is_right(e, i, got[i]))
            return i;
    return -1;
}

static void judge_case(Verdict *v, const ExpectedCase *c, int at)
{
    double **got = v->numbers.number + (size_t)at * ARRAYS_MAX;
    for (int pass = 0; pass < 2; pass++) /* inputs first: a changed input explains the rest */
        for (int k = 0; k < c->head.arrays; k++) {
            const Expected *e = &c->array[k];
            if (is_output(&e->a) != (pass == 1))
                continue;
            int wrong = first_wrong(e, got[k]);
            if (wrong < 0)
                continue;
            if (v->what == WRONG_NOTHING) {
                v->got = got[k][wrong];
                v->want = expected_number(e, wrong);
            }
            blame(v, pass ? WRONG_VALUE : WRONG_INPUT, at, k, wrong);
            if (pass) {
                v->wrong_cases++;
                return;
            }
        }
}

static bool take_arrays(Verdict *v, Reader *r, const ExpectedCase *c, int at, Variant variant)
{
    double **got = v->numbers.number + (size_t)at * ARRAYS_MAX;
    for (int k = 0; k < c->head.arrays; k++) {
        const CaseArray *a = &c->array[k].a;
        size_t bytes = (size_t)a->count * element_bytes(a, variant);
        size_t guard = variant == SANITIZED ? 0 : GUARD;
        if (r->left < bytes + 2 * guard)
            return false;
        if (guard && !guards_stand(r->at, bytes))
            blame(v, WRONG_GUARD, at, k, 0);
        got[k] = memory((size_t)a->count, sizeof(double));
        for (int i = 0; i < a->count; i++)
            got[k][i] = number_at(r->at + guard, a, i, variant);
        r->at += bytes + 2 * guard;
        r->left -= bytes + 2 * guard;
    }
    return true;
}

/* ---- all that was sent ----------------------------------------------------------------------- */

typedef struct {
    bool ready, ended;
    int at; /* the case that runs */
} Progress;

static bool take_record(Verdict *v, Reader *r, Progress *p, const Cases *cases, Variant variant)
{
    Record one;
    if (!text_take(r, &one, sizeof one) || one.magic != MAGIC)
        return false;
    switch (one.type) {
    case RECORD_READY:
        p->ready = true;
        return true;
    case RECORD_START:
        return p->at < cases->count && one.number == cases->at[p->at].head.number;
    case RECORD_DONE:
        if (p->at >= cases->count || !take_arrays(v, r, &cases->at[p->at], p->at, variant))
            return false;
        v->numbers.done = p->at + 1;
        judge_case(v, &cases->at[p->at], p->at);
        if (one.blocks > 0 && v->leak.blocks == 0)
            v->leak = (Leak){p->at, one.blocks, one.leaked};
        p->at++;
        return true;
    case RECORD_END:
        v->calls = one.value;
        p->ended = p->at == cases->count;
        return r->left == 0;
    case RECORD_SYSCALL:
    case RECORD_SIGNAL:
        blame(v, one.type == RECORD_SIGNAL ? WRONG_CRASH : WRONG_CALL, p->at, 0, 0);
        v->value = one.value;
        v->offset = one.offset;
        return r->left == 0;
    case RECORD_LOAD:
        blame(v, WRONG_LOAD, 0, 0, 0);
        snprintf(v->text, sizeof v->text, "%.*s", (int)r->left, r->at);
        r->left = 0;
        return true;
    default:
        return false;
    }
}

/* How the process ended, where the records do not tell. */
static void judge_end(Verdict *v, const Outcome *o, const Progress *p)
{
    int status = o->status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (o->stopped == STOPPED_MEMORY)
        blame(v, WRONG_MEMORY, p->at, 0, 0);
    else if (o->timed_out || number == SIGXCPU || (number == SIGKILL && o->cpu >= 0.9))
        blame(v, WRONG_TIME, p->at, 0, 0);
    else if (!o->answered)
        blame(v, WRONG_ENDED, p->at, 0, 0);
    else if (number == SIGSYS)
        blame(v, WRONG_CALL, p->at, 0, 0);
    else if (number) {
        blame(v, WRONG_CRASH, p->at, 0, 0);
        if (!v->value)
            v->value = number;
    } else if (!p->ended && v->what == WRONG_NOTHING) {
        blame(v, WRONG_EXIT, p->at, 0, 0);
        v->value = WEXITSTATUS(status);
    }
}

void verdict_of(Verdict *v, const Cases *cases, const Outcome *o, Variant variant)
{
    Reader r = text_reader(&o->results);
    Progress p = {.at = 0};
    *v = (Verdict){.what = WRONG_NOTHING};
    v->numbers.number = memory((size_t)cases->count * ARRAYS_MAX, sizeof(double *));
    bool sound = true;
    while (sound && r.left > 0)
        sound = take_record(v, &r, &p, cases, variant);
    bool cut = !sound && r.left < sizeof(Record) + 1; /* it was killed in the middle of a word */
    bool alive = o->answered && WIFEXITED(o->status) && WEXITSTATUS(o->status) == 0;
    if (!sound && (alive || !cut))
        blame(v, o->timed_out ? WRONG_TIME : WRONG_FORGED, p.at, 0, 0);
    judge_end(v, o, &p);
    if (v->leak.blocks > 0) /* last: a wrong number in a later case is to be told too */
        blame(v, WRONG_LEAK, v->leak.at, 0, 0);
}

void verdict_free(Verdict *v)
{
    for (int i = 0; v->numbers.number && i < v->numbers.done * ARRAYS_MAX; i++)
        free(v->numbers.number[i]);
    free(v->numbers.number);
    v->numbers = (Numbers){.done = 0};
}

int wrong_elements(const Verdict *v, const Cases *cases, int at, int array)
{
    const Expected *e = &cases->at[at].array[array];
    const double *got = at < v->numbers.done ? v->numbers.number[at * ARRAYS_MAX + array] : NULL;
    int wrong = 0;
    for (int i = 0; got && i < e->a.count; i++)
        wrong += !is_right(e, i, got[i]);
    return wrong;
}
