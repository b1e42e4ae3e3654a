/* runner.h: what the parts of the runner share. */
#ifndef GRADER_RUNNER_H
#define GRADER_RUNNER_H

#include "case.h"
#include "homework.h"

bool write_all(int to, const void *bytes, size_t count);

/* The test of this index, the hidden ones after the others; NULL beyond the last. */
const Test *test_at(int index);

/* Trusted answers: the table; all that is known of each case, finite differences included. */
void judge_list(int to, const Test *const tables[2]);
void judge_cases(int to, const Test *test, const Request *q);

#endif
