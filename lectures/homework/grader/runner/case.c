/* case.c: the inputs and outputs of one call. See homework.h, case.h.
 *
 * All is drawn from one random stream that depends on the seed, the test and the case's number
 * alone, so two programs with different functions under test see the same numbers. */
#include "homework.h"
#include "case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond guard bytes the sanitizer would not see an access: there are none where it watches. */
#ifdef HOMEWORK_SANITIZED
enum { GUARDED = 0 };
#else
enum { GUARDED = GUARD };
#endif

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

struct Case *case_new(uint64_t seed, int number, int total, const struct Case *like)
{
    struct Case *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->seed = seed;
    c->random = (uint64_t)number;
    for (int round = 0; round < 8; round++) { /* of a state, no way back to the seed is known */
        c->random ^= seed;
        c->random = next(&c->random);
    }
    c->number = number;
    c->total = total;
    c->like = like;
    return c;
}

void case_free(struct Case *c)
{
    for (int i = 0; c && i < c->arrays; i++) {
        free(c->memory[i]);
        free(c->before[i]);
    }
    free(c);
}

double case_random(Case *c)
{
    return (double)(next(&c->random) >> 11) * 0x1p-53;
}

/* The sum of 12 uniform numbers has the variance 1 and is nearly normal. It is computed in whole
 * numbers: log and cos have other last bits in another library. */
double case_normal(Case *c)
{
    int64_t sum = -6 * ((int64_t)1 << 32);
    for (int i = 0; i < 6; i++) {
        uint64_t two = next(&c->random);
        sum += (int64_t)(two >> 32) + (int64_t)(two & 0xFFFFFFFFu);
    }
    return (double)sum * 0x1p-32;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int add_size(Case *c, const char *name, int value)
{
    for (int i = 0; c->like && i < c->like->sizes; i++)
        if (strcmp(c->like->size[i].name, name) == 0)
            value = c->like->size[i].value;
    if (c->sizes == SIZES_MAX) {
        snprintf(c->wrong, sizeof c->wrong, "more than %d sizes", SIZES_MAX);
        return value;
    }
    CaseSize *s = &c->size[c->sizes++];
    snprintf(s->name, sizeof s->name, "%s", name);
    s->value = value;
    return value;
}

int case_choice(Case *c, const char *name, int low, int high)
{
    int range = high > low ? high - low + 1 : 1;
    return add_size(c, name, low + (int)(next(&c->random) % (uint64_t)range));
}

int case_turn(Case *c, const char *name, int low, int high)
{
    return add_size(c, name, low + c->number % (high - low + 1));
}

int case_size(Case *c, const char *name, int low, int high)
{
    int steps = c->total > 1 ? c->total - 1 : 1;
    int most = low + (high - low) * c->number / steps;
    return case_choice(c, name, low, most > high ? high : most);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

int case_find(const struct Case *c, const char *name)
{
    for (int i = 0; i < c->arrays; i++)
        if (strcmp(c->array[i].name, name) == 0)
            return i;
    return -1;
}

size_t case_element(const CaseArray *a)
{
    return a->whole ? sizeof(int) : sizeof(real);
}

void *case_numbers(const struct Case *c, int array)
{
    return c->memory[array] + GUARDED;
}

double case_number(const struct Case *c, int array, int i)
{
    const void *numbers = case_numbers(c, array);
    return c->array[array].whole ? ((const int *)numbers)[i] : (double)((const real *)numbers)[i];
}

/* Where the test's author went wrong, the array is too small for nothing: a whole page that nobody
 * reads. */
static void *refuse(Case *c, const char *name, const char *why)
{
    static double nowhere[4096];
    snprintf(c->wrong, sizeof c->wrong, "array %s: %s", name, why);
    return nowhere;
}

static void fill_guard(unsigned char *at)
{
    const uint32_t word = GUARD_WORD;
    for (int i = 0; i < GUARD; i += (int)sizeof word)
        memcpy(at + i, &word, sizeof word);
}

static void *add_array(Case *c, const char *name, CaseKind kind, bool whole, int rank, va_list dims)
{
    if (c->arrays == ARRAYS_MAX || rank < 0 || rank > RANK_MAX)
        return refuse(c, name, "more than 24 arrays, or a rank that is not from 0 to 4");
    CaseArray *a = &c->array[c->arrays];
    *a = (CaseArray){.kind = kind, .whole = whole, .rank = rank, .count = 1};
    snprintf(a->name, sizeof a->name, "%s", name);
    for (int i = 0; i < rank; i++) {
        a->dims[i] = va_arg(dims, int);
        if (a->dims[i] < 0 || a->dims[i] > 1 << 16 || (long)a->count * a->dims[i] > 1 << 16)
            return refuse(c, name, "more than 65536 numbers, or a negative size");
        a->count *= a->dims[i];
    }
    size_t bytes = (size_t)a->count * case_element(a);
    unsigned char *memory = malloc(bytes + 2 * GUARDED + (GUARDED == 0 && bytes == 0));
    if (!memory)
        return refuse(c, name, "out of memory");
    if (GUARDED) {
        fill_guard(memory);
        fill_guard(memory + GUARD + bytes);
    }
    c->memory[c->arrays++] = memory;
    return memory + GUARDED;
}

/* In a case that is like another, an input of the same name has the same numbers. */
static void copy_like(Case *c)
{
    int now = c->arrays - 1, there = c->like ? case_find(c->like, c->array[now].name) : -1;
    if (there >= 0 && c->like->array[there].count == c->array[now].count)
        memcpy(case_numbers(c, now), case_numbers(c->like, there),
               (size_t)c->array[now].count * case_element(&c->array[now]));
}

/* What an array holds before the call: a given one 0, so that a test that forgets a number is at
 * least the same every time. */
static double first_number(Case *c, CaseKind kind, double scale)
{
    if (kind == CASE_OUTPUT || kind == CASE_GIVEN)
        return kind == CASE_OUTPUT ? HOLDS_NOTHING : 0;
    return (float)(round(case_normal(c) * 32) / 32 * scale + 0.0); /* no -0 */
}

/* An input is nudged once it is made, one that the test fills when the next array is made. */
static void nudge(Case *c)
{
    const Nudge *n = c->nudge;
    if (!n || n->array >= c->arrays)
        return;
    real *x = (real *)case_numbers(c, n->array) + n->element;
    if ((double)*x != c->nudged)
        c->nudged = *x = (real)((double)*x * n->factor);
}

/* What a gradient is added to. */
static double *numbers_before(const Case *c, int array)
{
    double *before = malloc(sizeof(double) * (size_t)(c->array[array].count + 1));
    for (int i = 0; before && i < c->array[array].count; i++)
        before[i] = case_number(c, array, i);
    return before;
}

real *case_reals(Case *c, const char *name, CaseKind kind, double scale, int rank, ...)
{
    va_list dims;
    int had = c->arrays;
    va_start(dims, rank);
    real *to = add_array(c, name, kind, false, rank, dims);
    va_end(dims);
    if (c->arrays == had)
        return to;
    for (int i = 0; i < c->array[had].count; i++)
        to[i] = (real)first_number(c, kind, scale);
    if (kind == CASE_INPUT || kind == CASE_SUM)
        copy_like(c);
    if (kind == CASE_SUM)
        c->before[had] = numbers_before(c, had);
    nudge(c);
    return to;
}

int *case_wholes(Case *c, const char *name, CaseKind kind, int low, int high, int rank, ...)
{
    va_list dims;
    int had = c->arrays;
    va_start(dims, rank);
    int *to = add_array(c, name, kind, true, rank, dims);
    va_end(dims);
    for (int i = 0; c->arrays > had && i < c->array[had].count; i++)
        to[i] = kind == CASE_INPUT ? low + (int)(next(&c->random) % (uint64_t)(high - low + 1))
                                   : (int)first_number(c, kind, 0);
    if (c->arrays > had && kind == CASE_INPUT)
        copy_like(c);
    nudge(c);
    return to;
}
