/* judge.c: the expected numbers, as the trusted side sends them (differences.c). */
#include "grader.h"

#include <stdlib.h>
#include <string.h>

static double *take_numbers(Reader *r, int count)
{
    double *numbers = memory((size_t)count, sizeof(double));
    if (text_take(r, numbers, sizeof(double) * (size_t)count))
        return numbers;
    free(numbers);
    return NULL;
}

static bool take_array(Reader *r, Expected *e)
{
    if (!text_take(r, &e->a, sizeof e->a) || e->a.count < 0)
        return false;
    e->after = take_numbers(r, e->a.count);
    if (e->a.kind == CASE_SUM)
        e->before = take_numbers(r, e->a.count);
    for (int step = 0; e->a.gradient && step < 2; step++)
        e->difference[step] = take_numbers(r, e->a.count);
    return e->after && (e->before || e->a.kind != CASE_SUM) && (e->difference[1] || !e->a.gradient);
}

static bool take_case(Reader *r, ExpectedCase *c)
{
    if (!text_take(r, &c->head, sizeof c->head) || c->head.magic != MAGIC ||
        c->head.sizes > SIZES_MAX || c->head.arrays > ARRAYS_MAX ||
        !text_take(r, c->size, sizeof *c->size * (size_t)c->head.sizes))
        return false;
    for (int i = 0; i < c->head.arrays; i++)
        if (!take_array(r, &c->array[i]))
            return false;
    return true;
}

Bench bench_trusted(const Assignment *a, const char *what)
{
    Bench b = {.assignment = a, .variant = JUDGE, .wall_limit = 20};
    cached(a, what, JUDGE, b.library);
    return b;
}

Request request_all(const Assignment *a, int test, uint64_t seed)
{
    int count = a->test[test].cases;
    return (Request){.mode = RUN_JUDGE,
                     .test = test,
                     .function = -1,
                     .count = count,
                     .total = count,
                     .seed = seed};
}

bool bench_cases(Bench *b, const Request *q, Cases *cases, Outcome *o)
{
    bench_run(b, q, (size_t)64 << 20, o);
    return o->answered && cases_parse(cases, &o->results) && cases->count == q->count;
}

bool is_output(const CaseArray *a)
{
    return a->kind == CASE_OUTPUT || a->kind == CASE_SUM;
}

bool cases_parse(Cases *c, const Text *results)
{
    Reader r = text_reader(results);
    *c = (Cases){.count = 0};
    while (r.left > 0) {
        ExpectedCase next;
        memset(&next, 0, sizeof next);
        bool whole = take_case(&r, &next);
        c->at = memory_grown(c->at, (size_t)c->count + 1, sizeof *c->at);
        c->at[c->count++] = next;
        if (!whole)
            return false;
    }
    return c->count > 0;
}

void cases_free(Cases *c)
{
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->at[i].head.arrays && k < ARRAYS_MAX; k++) {
            Expected *e = &c->at[i].array[k];
            free(e->after);
            free(e->before);
            free(e->difference[0]);
            free(e->difference[1]);
        }
    free(c->at);
    *c = (Cases){.count = 0};
}

size_t element_bytes(const CaseArray *a, Variant v)
{
    return a->whole ? sizeof(int) : v == FLOAT ? sizeof(float) : sizeof(double);
}

size_t cases_bytes(const Cases *c, Variant v)
{
    size_t bytes = 4 * sizeof(Record) + 1024; /* ready, end, a signal, a loader's complaint */
    for (int i = 0; i < c->count; i++) {
        bytes += 2 * sizeof(Record);
        for (int k = 0; k < c->at[i].head.arrays; k++) {
            const CaseArray *a = &c->at[i].array[k].a;
            bytes += (size_t)a->count * element_bytes(a, v) + 2 * (size_t)GUARD;
        }
    }
    return bytes;
}

double expected_number(const Expected *e, int i)
{
    if (!e->a.gradient)
        return e->after[i];
    double one = e->difference[0][i], other = e->difference[1][i];
    double gap = one > other ? one - other : other - one, size = other < 0 ? -other : other;
    if (!(gap <= 1e-6 + 1e-4 * size))
        return e->after[i]; /* a kink: no difference tells the slope there */
    return other + (e->before ? e->before[i] : 0);
}
