/* parts.h: measurements of claims in a file, one line for each claim and seed, so that several
 * machines measure a part of the seeds each, and an interrupted run goes on where it was. */
#ifndef LECTURES_PARTS_H
#define LECTURES_PARTS_H

#include "lectures/runner/claims.h"

typedef struct {
    char *text, **line; /* the file, and its lines, sorted */
    int lines;
} Parts;

/* The part K of N of the seeds; all is 0 for all of them. Ends the program with a message unless
 * the text is K/N with K from 1 to N. */
typedef struct {
    int own, all;
} SeedShard;
SeedShard parts_shard(const char *text);

/* Reads a file that parts_begin has made, or several of them, one after the other; a file that is
 * not there has no line. Ends the program with a message where the file cannot be read, or a part
 * is of another version or other kernels. */
void parts_read(Parts *p, const char *path);
void parts_free(Parts *p);

/* What a file has of this claim as it is now, with this fault and seed. */
bool parts_find(const Parts *p, const Claim *claim, const char *fault, uint64_t seed, Finding *f);

/* Opens the file to add to it. A line that was cut off, since the program was killed, is left out
 * by parts_find. */
FILE *parts_begin(const char *path);
void parts_add(FILE *part, const Finding *f, uint64_t seed);

#endif
