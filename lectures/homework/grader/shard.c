/* shard.c: a class that several machines grade, each a part of it.
 *
 *   ./gradus grade hw3 --all SUBMISSIONS --out part-3 --shard 3/16
 *   ./gradus grade hw3 --all SUBMISSIONS --out results --merge part-1 --merge part-2 ...
 *
 * A part is a folder of results without the class's own files. Merging copies each submission's
 * results from the part that has them, and then makes the class's files as one run would have. */
#include "all.h"

#include <stdio.h>

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
