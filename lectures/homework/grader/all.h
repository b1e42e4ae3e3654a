/* all.h: what is kept of each submission of a folder (all.c), and what is made of them (summary.c). */
#ifndef GRADER_ALL_H
#define GRADER_ALL_H

#include "grader.h"

/* One submission. From a file of one line, so that a run that was broken off goes on. */
typedef struct {
    char name[256];
    char
        key[HASH_BYTES]; /* of its text and the homework's: the same key need not be graded again */
    bool there, compiled;
    double score, max_score;
    char state[TESTS_MAX + 1]; /* p, f, b or n for each test */
    char mistakes[512];        /* ids with commas between, each once */
} Row;

/* grades.csv, summary.txt and mistakes.svg in folder `out`; the summary on standard output too. */
void write_summary(const Assignment *a, const Row *row, int count, const char *out);

#endif
