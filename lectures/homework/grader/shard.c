/* shard.c: a class that several machines grade, each a part of it.
 *
 *   ./gradus grade hw3 --all SUBMISSIONS --out part-3 --shard 3/16     every 16th submission, from the third on
 *   ./gradus grade hw3 --all SUBMISSIONS --out results --merge part-1 --merge part-2 ...
 *
 * A part is a folder of results without the class's own files. Merging copies each submission's
 * results from the part that has them, and then makes the class's files as one run would have. */
#include "all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shard_read(Shard *s, const char *text)
{
    char rest;
    if (sscanf(text, "%d/%d%c", &s->own, &s->all, &rest) != 2 || s->own < 1 || s->own > s->all ||
        s->all > SHARDS_MAX)
        quit("--shard: found '%s'; expected K/N with K from 1 to N, and N up to %d", text,
             SHARDS_MAX);
}

int shard_keep(const Shard *s, Submission *all, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (i % s->all == s->own - 1)
            all[kept++] = all[i];
    return kept;
}

static void copy_result(const char *from, const char *to, const Submission *s, const char *kind)
{
    char path[PATH_SIZE];
    Text text = {0};
    if (!file_read(result_path(path, from, s->name, kind), &text))
        quit("%s cannot be read; expected what --shard has written", path);
    file_save(result_path(path, to, s->name, kind), &text);
}

/* The row comes last: where it is, the others are. */
static bool take(Submission *s, const char *part, const char *out)
{
    if (!row_read(s, part))
        return false;
    copy_result(part, out, s, "txt");
    copy_result(part, out, s, "json");
    copy_result(part, out, s, "row");
    return true;
}

/* No part has it as it is now: one has it as it was, or none has it. */
static void refuse(const Submission *s, int i, const Merge *m)
{
    char path[PATH_SIZE];
    for (int p = 0; p < m->count; p++)
        if (file_exists(result_path(path, m->part[p], s->name, "row")))
            quit("--merge: %s is of another version of the submission, the homework, its overlay "
                 "or the grader; expected results of this one: run that shard again",
                 path);
    quit("--merge: no part has '%.200s'; expected each submission in one: run shard %d of %d again",
         s->name, i % m->count + 1, m->count);
}

void merge_parts(Submission *all, int count, const Merge *m, const char *out)
{
    for (int i = 0; i < count; i++) {
        bool taken = take(&all[i], m->part[i % m->count], out);
        for (int p = 0; p < m->count && !taken; p++)
            taken = take(&all[i], m->part[p], out);
        if (!taken)
            refuse(&all[i], i, m);
    }
}
