/* shard.h: one machine's part of a class that several grade: every all-th submission, from the
 * own-th on. */
#ifndef GRADER_SHARD_H
#define GRADER_SHARD_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    int own, all;
} Shard;

#define SHARD_REFUSED "--shard: found '%s'; expected K/N with K from 1 to N"

/* "3/16"; NULL: 1/1, the whole. False: it is none. */
static inline bool shard_read(Shard *s, const char *text)
{
    char rest;
    *s = (Shard){1, 1};
    return !text || (sscanf(text, "%9d/%9d%c", &s->own, &s->all, &rest) == 2 && s->own >= 1 &&
                     s->own <= s->all);
}

#endif
