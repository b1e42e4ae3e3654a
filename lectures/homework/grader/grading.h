/* grading.h: a submission on its way to a Report: what grade.c and watch.c share. */
#ifndef GRADER_GRADING_H
#define GRADER_GRADING_H

#include "grader.h"

/* Of one test's process, on the author's machine; slower ones get more time. */
enum { CPU_SECONDS = 2, MEMORY_MB = 1024 };

typedef struct {
    Report *report;
    const Assignment *a;
    const GradeOptions *options;
    const char *shown_file;
    char work[PATH_SIZE], file[128];
    char library[JUDGE][PATH_SIZE];
    char reference[PATH_SIZE];
    bool built[JUDGE];
    Bench bench[VARIANTS];
    int timeouts;
    double slowness;
    bool defined[FUNCTIONS_MAX];
} Grading;

/* Builds the submission in a variant, once. */
bool grading_build(Grading *g, Variant v, Text *said);
Bench *grading_bench(Grading *g, Variant v);

/* All cases of a test. */
Request grading_request(const Grading *g, int test, uint64_t seed);

/* What the reference computes in the cases of q. False, with a message in the report, if it cannot. */
bool grading_expect(Grading *g, const Request *q, Cases *cases);

/* watch.c: runs a test under the sanitizer. What it finds fails the test. */
void watch_memory(Grading *g, int test);

#endif
