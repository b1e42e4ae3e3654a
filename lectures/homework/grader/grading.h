/* grading.h: the state of a grading, which grade.c and watch.c share. */
#ifndef GRADER_GRADING_H
#define GRADER_GRADING_H

#include "grader.h"

/* Limits of one test's process, and of all of a submission's together, on the author's machine;
 * slower ones get more time. Waiting for a processor does not count. */
enum {
    CPU_SECONDS = 2,
    MEMORY_MB = 1024,
    SANITIZER_TIMES = 5, /* so much slower may a run under the sanitizer be */
    SUBMISSION_SECONDS = 180,
};

typedef struct {
    Report *report;
    const Assignment *a;
    const GradeOptions *options;
    const char *shown_file;
    Scratch scratch;
    char work[PATH_SIZE], empty[PATH_SIZE],
        file[128]; /* folders; the submission's name in the first */
    bool built[JUDGE];
    Bench bench[VARIANTS];
    int timeouts;
    double slowness, used; /* seconds on a processor that it took */
    bool watched;          /* it was run under the sanitizer        */
    Text watch_failure;    /* why that was not possible; empty: it was */
    bool defined[FUNCTIONS_MAX];
} Grading;

/* The machine failed: the submission gets no grade now. The first reason is kept. */
void grading_fail(Grading *g, const char *why);

/* Builds the submission in a variant, once. */
bool grading_build(Grading *g, Variant v, Text *said);
Bench *grading_bench(Grading *g, Variant v);

/* All cases of a test. */
Request grading_request(const Grading *g, int test, uint64_t seed);

/* What the reference computes in the cases of q. False, with a message in the report, if it
 * cannot. */
bool grading_expect(Grading *g, const Request *q, Cases *cases);

/* Runs the cases of q with the submission; what it printed is added to `printed`, which may be
 * NULL. */
void grading_try(Grading *g, const Request *q, Variant v, const Cases *cases, Verdict *verdict,
                 Text *printed);

/* failure.c: adds to the feedback what a failed run tells, and what the submission printed in
 * it. */
void failure_say(Grading *g, TestResult *t, const Request *q, const Cases *cases, Verdict *v,
                 Variant variant, const Text *printed);
void failure_printed(TestResult *t, const Text *printed);

/* Counts what a run took. */
void grading_count(Grading *g, const Outcome *o);

/* failure.c: of a test that passed: does it look like finite differences, and what its leak costs.
 */
void passed_by_differences(TestResult *t, const Cases *cases, const Verdict *v);
void passed_with_leak(const Grading *g, TestResult *t);

/* isolation.c: what the walls did not hold; nothing where they hold all. */
void isolation_say(Grading *g);

/* watch.c: runs a test under the sanitizer. What it finds fails the test. */
void watch_memory(Grading *g, int test);

#endif
