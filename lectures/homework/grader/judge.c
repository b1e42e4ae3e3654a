/* judge.c: the expected numbers, as the trusted side sends them (differences.c), and how far from
 * each a right number may be: its tolerance.
 *
 * A right function may compute in float, in another order, with another formula. So each number may
 * be off by what rounding can do there, which is measured on the solution, and is the larger of
 *
 *   CHAIN * 2^-24 * the sum over all inputs of |x_j dy_i/dx_j|: as if CHAIN operations on the way of
 *      each input had rounded it, all in the worst direction;
 *   SPREAD * the largest error of the solution where each operation rounds to the nearest, up, down,
 *      and towards 0: with real = float, and with each double a float, too.
 *
 * and LAST units in the last place, as a float, of the number and of what it is added to. A whole
 * number has none. GUIDE.md, "What a tolerance is", derives the factors. */
#include "grader.h"

#include <math.h>
#include <stdio.h>
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
    e->place = r->left;
    e->tolerance = take_numbers(r, e->a.count);
    if (e->a.kind == CASE_SUM)
        e->before = take_numbers(r, e->a.count);
    for (int step = 0; e->a.gradient && step < 2; step++)
        e->difference[step] = take_numbers(r, e->a.count);
    return e->after && e->tolerance && (e->before || e->a.kind != CASE_SUM) &&
           (e->difference[1] || !e->a.gradient);
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

bool is_output(const CaseArray *a)
{
    return a->kind == CASE_OUTPUT || a->kind == CASE_SUM;
}

static bool cases_parse(Cases *c, const Text *results)
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

bool bench_cases(Bench *b, const Request *q, Cases *cases, Outcome *o)
{
    bench_run(b, q, (size_t)64 << 20, o);
    return o->answered && cases_parse(cases, &o->results) && cases->count == q->count;
}

void cases_free(Cases *c)
{
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->at[i].head.arrays && k < ARRAYS_MAX; k++) {
            Expected *e = &c->at[i].array[k];
            free(e->after);
            free(e->tolerance);
            free(e->before);
            free(e->difference[0]);
            free(e->difference[1]);
        }
    free(c->at);
    *c = (Cases){.count = 0};
}

size_t element_bytes(const CaseArray *a, Variant v)
{
    return a->whole ? sizeof(int) : v == FLOAT || v == SANITIZED ? sizeof(float) : sizeof(double);
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

/* ---- tolerances ------------------------------------------------------------------------------ */

enum { CHAIN = 32, SPREAD = 8, LAST = 8, TRUSTED_SECONDS = 60 };
static const double UNIT = 0x1p-24; /* the largest relative error of one rounding to a float */

/* The solution's error in one way to round. */
static void add_error(Expected *e, const Expected *rounded)
{
    for (int i = 0; i < e->a.count && rounded->a.count == e->a.count; i++) {
        double error = SPREAD * fabs(rounded->after[i] - e->after[i]);
        if (error > e->tolerance[i] && isfinite(error))
            e->tolerance[i] = error;
    }
}

/* Runs the solution with each way to round. Where it does not come to its end in float, it has no
 * error there. False: the machine failed. */
static bool add_errors(Cases *c, const Assignment *a, const Request *q)
{
    static const char *const what[] = {"reference", "rounded"};
    bool ran = true;
    for (int library = 0; library < 2; library++) {
        Bench b = {.assignment = a, .variant = FLOAT, .wall_limit = TRUSTED_SECONDS};
        bool there = file_exists(cached(a, what[library], FLOAT, b.library));
        for (int way = 0; there && way < ROUNDINGS; way++) {
            Request ask = *q;
            Cases rounded = {.count = 0};
            Outcome o;
            ask.mode = RUN_VALUES;
            ask.rounding = way;
            bool good = bench_cases(&b, &ask, &rounded, &o);
            for (int at = 0; good && at < c->count; at++)
                for (int k = 0; k < c->at[at].head.arrays; k++)
                    add_error(&c->at[at].array[k], &rounded.at[at].array[k]);
            ran = ran && o.answered && !o.machine;
            cases_free(&rounded);
            outcome_free(&o);
        }
        bench_close(&b);
    }
    return ran;
}

/* From the sensitivities, which the judge sent. */
static void begin_tolerance(Expected *e)
{
    for (int i = 0; i < e->a.count; i++)
        e->tolerance[i] *= CHAIN * UNIT;
}

/* A number that is added to one of the opposite sign is as uncertain as each of the two. What the
 * finite difference itself is off by comes on top. */
static void end_tolerance(Expected *e)
{
    for (int i = 0; i < e->a.count; i++) {
        double want = expected_number(e, i), before = e->before ? e->before[i] : 0;
        double size = fmax(fabs(want), fmax(fabs(before), fabs(want - before)));
        e->tolerance[i] += LAST * 2 * UNIT * size + fabs(want - e->after[i]);
        if (e->a.whole)
            e->tolerance[i] = 0;
    }
}

/* An input, too, may be computed, by the test. */
static bool has_reals(const ExpectedCase *c)
{
    bool found = false;
    for (int k = 0; k < c->head.arrays; k++)
        found = found || !c->array[k].a.whole;
    return found;
}

static bool set_tolerances(Cases *c, const Assignment *a, const Request *q, Text *results)
{
    for (int at = 0; at < c->count; at++)
        for (int k = 0; k < c->at[at].head.arrays; k++)
            begin_tolerance(&c->at[at].array[k]);
    bool good = !has_reals(&c->at[0]) || add_errors(c, a, q);
    for (int at = 0; at < c->count; at++)
        for (int k = 0; k < c->at[at].head.arrays; k++) {
            Expected *e = &c->at[at].array[k];
            end_tolerance(e);
            memcpy(results->data + results->length - e->place, e->tolerance,
                   (size_t)e->a.count * sizeof(double));
        }
    return good;
}

/* ---- kept in files --------------------------------------------------------------------------- */

static const char *expected_file(const Assignment *a, const Request *q, char path[PATH_SIZE])
{
    char name[100], folder[PATH_SIZE];
    path_join(folder, a->kit ? a->folder : a->cache, "expected");
    if (!a->kit)
        folder_make(folder);
    snprintf(name, sizeof name, "%s-%llu", a->test[q->test].name, (unsigned long long)q->seed);
    return path_join(path, folder, name);
}

static void compute(const Assignment *a, const Request *q, const char *file, Text *why)
{
    Outcome o;
    Cases c = {.count = 0};
    Bench b = bench_trusted(a, "reference");
    Request ask = request_all(a, q->test, q->seed);
    b.wall_limit = TRUSTED_SECONDS;
    bool good = bench_cases(&b, &ask, &c, &o) && set_tolerances(&c, a, &ask, &o.results);
    if (!good)
        text_print(why, "the reference itself failed in test %s: %s", a->test[q->test].name,
                   text_of(&o.output));
    else if (!file_write(file, o.results.data, o.results.length))
        text_print(why, "%s cannot be written", file);
    bench_close(&b);
    cases_free(&c);
    outcome_free(&o);
}

bool cases_expect(Cases *c, const Assignment *a, const Request *q, Text *why)
{
    char path[PATH_SIZE];
    Text results = {0};
    *c = (Cases){.count = 0};
    bool there = file_exists(expected_file(a, q, path));
    if (!there && a->kit)
        text_print(why, "the archive has nothing expected of the seed %llu; expected --seed 1",
                   (unsigned long long)q->seed);
    else if (!there)
        compute(a, q, path, why);
    bool good = why->length == 0 && file_read(path, &results) && cases_parse(c, &results) &&
                q->first + q->count <= c->count;
    if (!good && why->length == 0)
        text_print(why, "%s is cut off; remove it, and it is made again", path);
    text_free(&results);
    if (good && q->first > 0) { /* one case alone goes to the front */
        ExpectedCase first = c->at[0];
        c->at[0] = c->at[q->first];
        c->at[q->first] = first;
    }
    while (good && c->count > q->count) {
        Cases rest = {.count = 1, .at = memory(1, sizeof *rest.at)};
        rest.at[0] = c->at[--c->count];
        cases_free(&rest);
    }
    return good;
}
