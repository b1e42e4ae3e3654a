/* parts.h: measurements of claims in a file, one line for each claim and seed, so that several
 * machines measure a part of the seeds each, and an interrupted run goes on where it was. Several
 * such files, one after the other, are one as well. */
#ifndef LECTURES_PARTS_H
#define LECTURES_PARTS_H

#include "lectures/runner/claims.h"

/* All is 0 where nothing is kept. */
typedef struct {
    FILE *file;
    char *text; /* of the file when it was opened */
    ptrdiff_t at;
} Parts;

/* Makes the file where there is none. Ends the program with a message where it cannot be used, or
 * is of another version or other kernels. */
void parts_open(Parts *p, const char *path);
void parts_close(Parts *p);

/* What the file has of this claim as it is now, with this fault and seed; else what is measured
 * now, which is added. */
Finding parts_measure(Parts *p, const Claim *claim, const char *fault, uint64_t seed);

#endif
