/* sheet.c: chooses the questions of a sheet. See exam.h. */
#define GRADUS_INSIDE /* an error names what was asked for, not this file */
#include "lectures/exams/exam.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The first kind that fits into the minutes, of a row that the sheet has least often, and among
 * these of such a chapter; NULL: there is none. */
static const Kind *choose(const Sheet *s, const Kinds *kinds, const int *order, int minutes)
{
    const Kind *best = NULL;
    int least = INT_MAX;
    for (int i = 0; i < kinds->count; i++) {
        const Kind *k = &kinds->list[order[i]];
        int often = 0;
        bool fits = !k->left_out && kind_taught(k, s->course) && s->minutes + k->minutes <= minutes;
        for (int j = 0; j < s->count; j++) {
            const Kind *other = s->question[j].kind;
            often += QUESTIONS_MOST * (other->row == k->row) + (other->chapter == k->chapter);
            fits &= other != k;
        }
        if (fits && often < least) {
            least = often;
            best = k;
        }
    }
    return best;
}

static int by_row(const void *a, const void *b)
{
    const Kind *p = ((const ExamQuestion *)a)->kind, *q = ((const ExamQuestion *)b)->kind;
    return p->row != q->row ? p->row - q->row : strcmp(p->name, q->name);
}

bool sheet_draw(Sheet *s, const Kinds *kinds, char course, int minutes, uint64_t seed)
{
    /* so that two courses' sheets differ, too */
    const uint64_t mixed = rng_hash(seed, (char[]){course, 0});
    uint64_t code = mixed;
    int order[KINDS_MOST];
    const Kind *k;
    *s = (Sheet){.course = course, .seed = seed};
    for (int i = 0; i < kinds->count; i++)
        order[i] = i;
    rng_shuffle(&(Rng){.seed = mixed}, order, kinds->count);
    while (s->count < QUESTIONS_MOST && (k = choose(s, kinds, order, minutes))) {
        if (!question_draw(&s->question[s->count++], kinds, k, course, mixed))
            return false;
        s->minutes += k->minutes;
        s->points += k->points;
    }
    qsort(s->question, (size_t)s->count, sizeof *s->question, by_row);
    for (int i = 0; i < s->count; i++)
        code = rng_hash(code, s->question[i].asked);
    s->code = 1000 + (int)(code % 9000);
    return s->count > 0 || tensor_fail("no kind of question is left for course %c; expected other "
                                       "--rows, or more --minutes",
                                       course);
}

void sheet_free(Sheet *s)
{
    for (int i = 0; i < s->count; i++)
        question_free(&s->question[i]);
    s->count = 0;
}
