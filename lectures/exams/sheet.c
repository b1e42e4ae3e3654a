/* sheet.c: chooses the questions of a sheet. See exam.h. */
#define GRADUS_INSIDE /* an error names what was asked for, not this file */
#include "lectures/exams/exam.h"

#include <stdlib.h>
#include <string.h>

static bool any(const bool set[ROWS_END])
{
    for (int i = 0; i < ROWS_END; i++)
        if (set[i])
            return true;
    return false;
}

static bool named(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, n) == 0 && (!at[n] || at[n] == ','))
            return true;
    }
    return false;
}

bool choice_allows(const Choice *c, const Kind *k)
{
    return kind_taught(k, c->course) && (!c->level || k->level <= c->level) &&
           (!any(c->chapters) || c->chapters[k->chapter]) && (!any(c->rows) || c->rows[k->row]) &&
           (!c->only || named(c->only, k->name));
}

/* Adds a kind of the chapter, and of a row that the sheet does not have unless `again`, that fits
 * into the minutes; false: there is none. */
static bool add_kind(const Sheet *s, const Kinds *kinds, const int *order, int chapter, bool again,
                     bool *taken, int *minutes)
{
    for (int i = 0; i < kinds->count; i++) {
        const Kind *k = &kinds->list[order[i]];
        bool has_row = false;
        for (int j = 0; j < kinds->count; j++)
            has_row |= taken[j] && kinds->list[j].row == k->row;
        if (taken[order[i]] || k->chapter != chapter || (has_row && !again) ||
            !choice_allows(s->choice, k) || *minutes + k->minutes > s->choice->minutes)
            continue;
        *minutes += k->minutes;
        return taken[order[i]] = true;
    }
    return false;
}

/* Goes round the chapters, so that each has its share; then rows may come twice. */
static int take_kinds(const Sheet *s, const Kinds *kinds, bool *taken)
{
    int *order = malloc(sizeof *order * (size_t)kinds->count), minutes = 0, count = 0;
    Rng rng = {.seed = s->mixed};
    int first = 1 + (int)rng_below(&rng, 8);
    for (int i = 0; order && i < kinds->count; i++)
        order[i] = i;
    if (order)
        rng_shuffle(&rng, order, kinds->count);
    for (int again = 0; order && again < 2; again++)
        for (bool added = true; added;) {
            added = false;
            for (int i = 0; i < 8 && count < QUESTIONS_MOST; i++)
                if (add_kind(s, kinds, order, (first + i - 1) % 8 + 1, again, taken, &minutes)) {
                    added = true;
                    count++;
                }
        }
    free(order);
    return count;
}

static int by_row(const void *a, const void *b)
{
    const ExamQuestion *p = a, *q = b;
    if (p->kind->row != q->kind->row)
        return p->kind->row < q->kind->row ? -1 : 1;
    return strcmp(p->kind->name, q->kind->name);
}

static void take_code(Sheet *s)
{
    uint64_t code = s->seed;
    for (int i = 0; i < s->count; i++) {
        code = rng_hash(code, s->question[i].asked);
        for (int k = 0; k < s->question[i].count; k++)
            code = rng_hash(code, s->question[i].answer[k].worked);
    }
    snprintf(s->code, sizeof s->code, "%04x", (unsigned)(code & 0xffff));
}

bool sheet_draw(Sheet *s, const Kinds *kinds, const Choice *choice, uint64_t seed)
{
    const char course[] = {choice->course, 0};
    *s = (Sheet){.choice = choice, .seed = seed, .mixed = rng_hash(seed, course)};
    bool *taken = calloc((size_t)kinds->count, sizeof *taken);
    if (!taken)
        return tensor_fail("no memory for a sheet");
    if (take_kinds(s, kinds, taken) == 0)
        tensor_fail("no kind of question is left for course %c; --list shows those that there are",
                    choice->course);
    for (int i = 0; i < kinds->count && !tensor_failed(); i++) {
        if (!taken[i])
            continue;
        const Kind *k = &kinds->list[i];
        question_draw(&s->question[s->count++], kinds, k, choice->course, s->mixed);
        s->minutes += k->minutes;
        s->points += k->points;
    }
    free(taken);
    if (tensor_failed())
        return false;
    qsort(s->question, (size_t)s->count, sizeof *s->question, by_row);
    take_code(s);
    return true;
}

void sheet_free(Sheet *s)
{
    for (int i = 0; i < s->count; i++)
        question_free(&s->question[i]);
    s->count = 0;
}
