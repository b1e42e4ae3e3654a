/* attempts.c: which submission of a student counts, and what lateness leaves of its points. See
 * all.h. */
#include "all.h"

#include <stdlib.h>
#include <string.h>

void set_points(Row *r, const ClassOptions *o)
{
    const long due = r->due ? r->due : o->due, over = due ? r->origin.time - due : 0;
    r->late_days = over > 0                           ? (int)((over + 86399) / 86400)
                   : r->origin.marked_late && !r->due ? 1
                                                      : 0;
    int charged = r->late_days > o->free_days ? r->late_days - o->free_days : 0;
    double share = 1 - 0.01 * o->percent * charged;
    r->points = share > 0 ? r->score * share : 0;
}

/* Students one after the other, the attempts of each in their order: what has no .c file comes
 * before what has one, and of one attempt's files the best comes last. */
static int by_attempt(const void *left, const void *right)
{
    const Submission *const *l = left, *const *r = right;
    const Origin *a = &(*l)->row.origin, *b = &(*r)->row.origin;
    int system = (int)a->system - (int)b->system, id = strcmp(a->id, b->id);
    int there = (a->rank < NO_C) - (b->rank < NO_C);
    return system                     ? system
           : id                       ? id
           : there                    ? there
           : a->attempt != b->attempt ? a->attempt - b->attempt
           : a->rank != b->rank       ? b->rank - a->rank
           : a->time != b->time       ? (a->time > b->time) - (a->time < b->time)
                                      : (*l > *r) - (*l < *r);
}

void choose_attempts(Submission *all, int count)
{
    Submission **in_order = memory((size_t)count, sizeof *in_order);
    for (int i = 0; i < count; i++)
        in_order[i] = &all[i];
    qsort(in_order, (size_t)count, sizeof *in_order, by_attempt);
    Row *best = NULL;
    for (int i = count - 1; i >= 0; i--) {
        Row *r = &in_order[i]->row;
        const Origin *o = &r->origin, *next = best ? &best->origin : NULL;
        r->counts = !o->id[0] || !next || next->system != o->system || strcmp(next->id, o->id) != 0;
        if (r->counts)
            best = r;
        else
            note_left_out(best->note, in_order[i]->name);
        r->attempts = o->attempt > r->attempts ? o->attempt : r->attempts;
    }
    free(in_order);
}

Submission *with_partners(Submission *all, int *count)
{
    Submission *more = NULL;
    int found = 0;
    for (int i = 0; i < *count; i++) {
        Submission s = all[i];
        do {
            more = memory_grown(more, (size_t)found + 1, sizeof *more);
            more[found++] = s;
            s.partner = true;
        } while (s.partners && (s.partners = submitter_next(&s.row.origin, s.partners)));
    }
    free(all);
    *count = found;
    return more;
}
