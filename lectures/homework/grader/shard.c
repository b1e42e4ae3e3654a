/* shard.c: a class that several machines grade, each a part of it.
 *
 *   ./gradus grade hw3 --all SUBMISSIONS --out part-3 --shard 3/16
 *   ./gradus grade hw3 --all SUBMISSIONS --out results --merge part-1 --merge part-2 ...
 *
 * A part is a folder of results without the class's own files. Merging copies each submission's
 * results from the part that has them, and then makes the class's files as one run would have. */
#include "all.h"

#include <stdio.h>

static bool take(Submission *s, const char *part, const char *out)
{
    static const char *const kinds[] = {"txt", "json",
                                        "row"}; /* where the row is, the others are */
    if (!row_read(s, part))
        return false;
    for (int k = 0; k < 3; k++) {
        char path[PATH_SIZE];
        Text text = {0};
        file_load(result_path(path, part, s->name, kinds[k]), &text);
        file_save(result_path(path, out, s->name, kinds[k]), &text);
    }
    return true;
}

/* No part has it as it is now: one has it as it was, or none has it. */
static void refuse(const Submission *s, int i, const ClassOptions *class)
{
    char path[PATH_SIZE];
    for (int p = 0; p < class->parts; p++)
        if (file_exists(result_path(path, class->part[p], s->name, "row")))
            quit("--merge: %s is of another version of the submission, the homework, its overlay "
                 "or the grader; expected results of this one: run that shard again",
                 path);
    quit("--merge: no part has '%.200s'; expected each submission in one: run shard %d of %d again",
         s->name, i % class->parts + 1, class->parts);
}

void merge_parts(Submission *all, int count, const ClassOptions *class, const char *out)
{
    for (int i = 0; i < count; i++) {
        bool taken = false;
        for (int p = 0; p < class->parts && !taken; p++)
            taken = take(&all[i], class->part[(i + p) % class->parts], out);
        if (!taken)
            refuse(&all[i], i, class);
    }
}
